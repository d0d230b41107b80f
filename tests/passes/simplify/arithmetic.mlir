// Element-wise ops on constants run their own scalar body; signedness and wrap-around are those of the tensor's type.
// RUN: aotc-opt %s --aotc-simplify | FileCheck %s

// CHECK-LABEL: @broadcast
// CHECK: nn.constant dense<{{\[\[}}1.100000e+01, 2.100000e+01], [1.200000e+01, 2.200000e+01]]>
func.func @broadcast() -> tensor<2x2xf32> {
  %0 = nn.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %1 = nn.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %2 = nn.add %0, %1 : (tensor<2x1xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// CHECK-LABEL: @wraps
// CHECK: nn.constant dense<[-56, -128]> : tensor<2xi8>
func.func @wraps() -> tensor<2xi8> {
  %0 = nn.constant dense<[100, 127]> : tensor<2xi8>
  %1 = nn.constant dense<[100, 1]> : tensor<2xi8>
  %2 = nn.add %0, %1 : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  return %2 : tensor<2xi8>
}

// CHECK-LABEL: @signed_division
// CHECK: nn.constant dense<[-3, 3, 0]> : tensor<3xi32>
func.func @signed_division() -> tensor<3xi32> {
  %0 = nn.constant dense<[-7, 7, 7]> : tensor<3xi32>
  %1 = nn.constant dense<[2, 2, 0]> : tensor<3xi32>
  %2 = nn.div %0, %1 : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %2 : tensor<3xi32>
}

// CHECK-LABEL: @unsigned
// CHECK-DAG: nn.constant dense<[125, 1]> : tensor<2xui8>
// CHECK-DAG: nn.constant dense<[250, 200]> : tensor<2xui8>
// CHECK-DAG: nn.constant dense<[true, false]> : tensor<2xi1>
func.func @unsigned() -> (tensor<2xui8>, tensor<2xui8>, tensor<2xi1>) {
  %0 = nn.constant dense<[250, 3]> : tensor<2xui8>
  %1 = nn.constant dense<[2, 200]> : tensor<2xui8>
  %2 = nn.constant dense<[2, 2]> : tensor<2xui8>
  %3 = nn.div %0, %2 : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  %4 = nn.max %0, %1 : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xui8>
  %5 = nn.greater %0, %1 : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  return %3, %4, %5 : tensor<2xui8>, tensor<2xui8>, tensor<2xi1>
}

// CHECK-LABEL: @select
// CHECK: nn.constant dense<[1, 20]> : tensor<2xi64>
func.func @select() -> tensor<2xi64> {
  %0 = nn.constant dense<[1, 2]> : tensor<2xi64>
  %1 = nn.constant dense<[10, 20]> : tensor<2xi64>
  %2 = nn.constant dense<[1, 0]> : tensor<2xi64>
  %3 = nn.cast %2 {to = i1} : (tensor<2xi64>) -> tensor<2xi1>
  %4 = nn.where %3, %0, %1 : (tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %4 : tensor<2xi64>
}

// A float becomes an integer by truncation; where it does not fit, by the low bits of a wider one, as on x86.
// CHECK-LABEL: @casts
// CHECK-DAG: nn.constant dense<[-1, 44, 0, 0]> : tensor<4xi8>
// CHECK-DAG: nn.constant dense<[255, 44, 0, 0]> : tensor<4xui8>
// CHECK-DAG: nn.constant dense<[2.550000e+02, 1.000000e+00]> : tensor<2xf32>
func.func @casts() -> (tensor<4xi8>, tensor<4xui8>, tensor<2xf32>) {
  %0 = nn.constant dense<[-1.9, 300.0, -1.0e9, 0x7FC00000]> : tensor<4xf32>
  %1 = nn.cast %0 {to = i8} : (tensor<4xf32>) -> tensor<4xi8>
  %2 = nn.cast %0 {to = ui8} : (tensor<4xf32>) -> tensor<4xui8>
  %3 = nn.constant dense<[255, 1]> : tensor<2xui8>
  %4 = nn.cast %3 {to = f32} : (tensor<2xui8>) -> tensor<2xf32>
  return %1, %2, %4 : tensor<4xi8>, tensor<4xui8>, tensor<2xf32>
}

// NaN passes through maximum and minimum, and compares as false.
// CHECK-LABEL: @not_a_number
// CHECK-DAG: nn.constant dense<0x7FC00000> : tensor<1xf32>
// CHECK-DAG: nn.constant dense<false> : tensor<1xi1>
func.func @not_a_number() -> (tensor<1xf32>, tensor<1xi1>) {
  %0 = nn.constant dense<0x7FC00000> : tensor<1xf32>
  %1 = nn.relu %0 : (tensor<1xf32>) -> tensor<1xf32>
  %2 = nn.equal %0, %0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
  return %1, %2 : tensor<1xf32>, tensor<1xi1>
}

// Factors of one vanish, unless they widen the other operand; -0 + 0 is 0, so sums with zero stay.
// CHECK-LABEL: @neutral
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>, %[[Y:.*]]: tensor<3xf32>, %[[I:.*]]: tensor<2xi32>)
// CHECK-NOT: nn.div
// CHECK: %[[WIDE:.*]] = nn.mul %[[Y]]
// CHECK-NOT: nn.mul
// CHECK: %[[SUM:.*]] = nn.add %[[X]]
// CHECK: return %[[SUM]], %[[WIDE]], %[[I]]
func.func @neutral(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %i: tensor<2xi32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xi32>) {
  %one = nn.constant dense<1.0> : tensor<f32>
  %ones = nn.constant dense<1.0> : tensor<2x3xf32>
  %zero = nn.constant dense<0.0> : tensor<f32>
  %integer = nn.constant dense<1> : tensor<i32>
  %0 = nn.mul %one, %x : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nn.div %0, %ones : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nn.mul %y, %ones : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = nn.add %1, %zero : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %4 = nn.mul %i, %integer : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  return %3, %2, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xi32>
}

// Weights that a model quantizes itself: ties to even, both ends, NaN, one scale for each row.
// CHECK-LABEL: @quantize
// CHECK: nn.constant dense<{{\[\[}}2, 2, 127, -128], [-128, 0, 2, -1]]> : tensor<2x4xi8>
func.func @quantize() -> tensor<2x4xi8> {
  %0 = nn.constant dense<[[0.75, 1.25, 1.0e+30, -100.0], [0x7FC00000, 0.5, 1.5, -1.0]]> : tensor<2x4xf32>
  %1 = nn.constant dense<[0.5, 1.0]> : tensor<2xf32>
  %2 = nn.quantize %0, %1 {axis = 0 : i64, block_size = 0 : i64, to = i8} : (tensor<2x4xf32>, tensor<2xf32>) -> tensor<2x4xi8>
  return %2 : tensor<2x4xi8>
}
