// Gathers and scatters of constants are constants; an index out of range is left for the run to report.
// RUN: aotc-opt %s --aotc-simplify | FileCheck %s

// CHECK-LABEL: @gather_elements
// CHECK: nn.constant dense<{{\[}}[2, 3], [5, 4]]> : tensor<2x2xi64>
func.func @gather_elements() -> tensor<2x2xi64> {
  %x = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %i = nn.constant dense<[[1, -1], [1, 0]]> : tensor<2x2xi64>
  %0 = nn.gather_elements %x, %i {axis = 1 : i64} : (tensor<2x3xi64>, tensor<2x2xi64>) -> tensor<2x2xi64>
  return %0 : tensor<2x2xi64>
}

// CHECK-LABEL: @gather_nd
// CHECK: nn.constant dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf32>
func.func @gather_nd() -> tensor<2xf32> {
  %x = nn.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %i = nn.constant dense<[[2], [-3]]> : tensor<2x1xi64>
  %0 = nn.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<2x3xf32>, tensor<2x1xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: @scatters
// CHECK-DAG: nn.constant dense<[1, 8, 3]> : tensor<3xi64>
// CHECK-DAG: nn.constant dense<{{\[}}[1, 2], [14, 16]]> : tensor<2x2xui8>
func.func @scatters() -> (tensor<3xi64>, tensor<2x2xui8>) {
  %x = nn.constant dense<[1, 2, 3]> : tensor<3xi64>
  %i = nn.constant dense<[1, -2]> : tensor<2xi64>
  %u = nn.constant dense<[7, 8]> : tensor<2xi64>
  %0 = nn.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = 0 : i32} : (tensor<3xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3xi64>
  %y = nn.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xui8>
  %j = nn.constant dense<[[1], [1]]> : tensor<2x1xi32>
  %v = nn.constant dense<[[5, 6], [6, 6]]> : tensor<2x2xui8>
  %1 = nn.scatter_nd %y, %j, %v {reduction = 1 : i32} : (tensor<2x2xui8>, tensor<2x1xi32>, tensor<2x2xui8>) -> tensor<2x2xui8>
  return %0, %1 : tensor<3xi64>, tensor<2x2xui8>
}

// CHECK-LABEL: @out_of_range
// CHECK: nn.gather_elements
func.func @out_of_range() -> tensor<1xi64> {
  %x = nn.constant dense<[1, 2, 3]> : tensor<3xi64>
  %i = nn.constant dense<[3]> : tensor<1xi64>
  %0 = nn.gather_elements %x, %i {axis = 0 : i64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  return %0 : tensor<1xi64>
}
