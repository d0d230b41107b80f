// Every data movement op on constants is done when compiling.
// RUN: aotc-opt %s --aotc-simplify | FileCheck %s

// CHECK-LABEL: @reshape
// CHECK: nn.constant dense<{{\[\[}}1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
func.func @reshape() -> tensor<2x3xi64> {
  %0 = nn.constant dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi64>
  %1 = nn.reshape %0 {shape = array<i64: 2, 3>} : (tensor<6xi64>) -> tensor<2x3xi64>
  return %1 : tensor<2x3xi64>
}

// CHECK-LABEL: @transpose
// CHECK: nn.constant dense<{{\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]>
func.func @transpose() -> tensor<3x2xf32> {
  %0 = nn.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// CHECK-LABEL: @expand
// CHECK: nn.constant dense<{{\[\[}}1, 1], [2, 2]]> : tensor<2x2xi8>
func.func @expand() -> tensor<2x2xi8> {
  %0 = nn.constant dense<[[1], [2]]> : tensor<2x1xi8>
  %1 = nn.expand %0 {shape = array<i64: 2, 2>} : (tensor<2x1xi8>) -> tensor<2x2xi8>
  return %1 : tensor<2x2xi8>
}

// CHECK-LABEL: @concat
// CHECK: nn.constant dense<{{\[\[}}true, false, true], [false, true, true]]> : tensor<2x3xi1>
func.func @concat() -> tensor<2x3xi1> {
  %0 = nn.constant dense<[[true, false], [false, true]]> : tensor<2x2xi1>
  %1 = nn.constant dense<true> : tensor<2x1xi1>
  %2 = nn.concat %0, %1 {axis = 1 : i64} : (tensor<2x2xi1>, tensor<2x1xi1>) -> tensor<2x3xi1>
  return %2 : tensor<2x3xi1>
}

// CHECK-LABEL: @slice_backwards
// CHECK: nn.constant dense<{{\[\[}}6, 4], [3, 1]]> : tensor<2x2xi64>
func.func @slice_backwards() -> tensor<2x2xi64> {
  %0 = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %1 = nn.slice %0 {starts = array<i64: 1, 2>, sizes = array<i64: 2, 2>, steps = array<i64: -1, -2>} : (tensor<2x3xi64>) -> tensor<2x2xi64>
  return %1 : tensor<2x2xi64>
}

// CHECK-LABEL: @pad
// CHECK: nn.constant dense<{{\[\[}}7, 7, 7, 7], [7, 1, 2, 7]]> : tensor<2x4xi32>
func.func @pad() -> tensor<2x4xi32> {
  %0 = nn.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %1 = nn.pad %0 {low = array<i64: 1, 1>, high = array<i64: 0, 1>, mode = 0 : i32, value = 7 : i32} : (tensor<1x2xi32>) -> tensor<2x4xi32>
  return %1 : tensor<2x4xi32>
}

// A cut, and the modes that repeat elements, are left to the lowering.
// CHECK-LABEL: @pad_reflect
// CHECK: nn.pad
func.func @pad_reflect() -> tensor<1x4xi32> {
  %0 = nn.constant dense<[[1, 2]]> : tensor<1x2xi32>
  %1 = nn.pad %0 {low = array<i64: 0, 1>, high = array<i64: 0, 1>, mode = 1 : i32, value = 0 : i32} : (tensor<1x2xi32>) -> tensor<1x4xi32>
  return %1 : tensor<1x4xi32>
}

// CHECK-LABEL: @gather
// CHECK: nn.constant dense<{{\[\[}}3, 1, 3], [6, 4, 6]]> : tensor<2x3xi64>
func.func @gather() -> tensor<2x3xi64> {
  %0 = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi64>
  %1 = nn.constant dense<[2, 0, -1]> : tensor<3xi64>
  %2 = nn.gather %0, %1 {axis = 1 : i64} : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
  return %2 : tensor<2x3xi64>
}

// An index outside the axis stays for the lowering to report.
// CHECK-LABEL: @gather_outside
// CHECK: nn.gather
func.func @gather_outside() -> tensor<1xi64> {
  %0 = nn.constant dense<[1, 2, 3]> : tensor<3xi64>
  %1 = nn.constant dense<[3]> : tensor<1xi64>
  %2 = nn.gather %0, %1 {axis = 0 : i64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  return %2 : tensor<1xi64>
}

// CHECK-LABEL: @empty
// CHECK: nn.constant dense<[1, 2]> : tensor<2xi64>
func.func @empty() -> tensor<2xi64> {
  %0 = nn.constant dense<[]> : tensor<0xi64>
  %1 = nn.constant dense<[1, 2]> : tensor<2xi64>
  %2 = nn.concat %0, %1 {axis = 0 : i64} : (tensor<0xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %2 : tensor<2xi64>
}

// What exporters write to flatten: shape, slice, concat, and a reshape that the importer resolved.
// CHECK-LABEL: @shape_arithmetic
// CHECK: nn.constant dense<[2, 12]> : tensor<2xi64>
func.func @shape_arithmetic() -> tensor<2xi64> {
  %0 = nn.constant dense<[2, 3, 4]> : tensor<3xi64>
  %1 = nn.slice %0 {starts = array<i64: 0>, sizes = array<i64: 1>, steps = array<i64: 1>} : (tensor<3xi64>) -> tensor<1xi64>
  %2 = nn.slice %0 {starts = array<i64: 1>, sizes = array<i64: 1>, steps = array<i64: 1>} : (tensor<3xi64>) -> tensor<1xi64>
  %3 = nn.slice %0 {starts = array<i64: 2>, sizes = array<i64: 1>, steps = array<i64: 1>} : (tensor<3xi64>) -> tensor<1xi64>
  %4 = nn.mul %2, %3 : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
  %5 = nn.concat %1, %4 {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %5 : tensor<2xi64>
}
