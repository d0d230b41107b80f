// Folds that need no data, on values known at run time only.
// RUN: aotc-opt %s --aotc-simplify | FileCheck %s

// CHECK-LABEL: @reshapes
// CHECK-NEXT: %[[R:.*]] = nn.reshape %arg0 {shape = array<i64: 24>}
// CHECK-NEXT: return %[[R]]
func.func @reshapes(%x: tensor<2x3x4xf32>) -> tensor<24xf32> {
  %0 = nn.reshape %x {shape = array<i64: 6, 4>} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %1 = nn.reshape %0 {shape = array<i64: 24>} : (tensor<6x4xf32>) -> tensor<24xf32>
  return %1 : tensor<24xf32>
}

// CHECK-LABEL: @reshape_and_back
// CHECK-NEXT: return %arg0
func.func @reshape_and_back(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nn.reshape %x {shape = array<i64: 6>} : (tensor<2x3xf32>) -> tensor<6xf32>
  %1 = nn.reshape %0 {shape = array<i64: 2, 3>} : (tensor<6xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: @transposes_cancel
// CHECK-NEXT: return %arg0
func.func @transposes_cancel(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 2, 0, 1>} : (tensor<3x4x2xf32>) -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// Dimension i of the result is dimension permutation[i] of x, twice.
// CHECK-LABEL: @transposes_compose
// CHECK-NEXT: nn.transpose %arg0 {permutation = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
func.func @transposes_compose(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 1, 2, 0>} : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// CHECK-LABEL: @whole
// CHECK-NEXT: return %arg0
func.func @whole(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nn.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: 2, 3>, steps = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = nn.expand %0 {shape = array<i64: 2, 3>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = nn.concat %1 {axis = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// Backwards, the whole is not the same.
// CHECK-LABEL: @reversed
// CHECK: nn.slice
func.func @reversed(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = nn.slice %x {starts = array<i64: 2>, sizes = array<i64: 3>, steps = array<i64: -1>} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @dead
// CHECK-NEXT: return %arg0
func.func @dead(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = nn.exp %x : (tensor<3xf32>) -> tensor<3xf32>
  return %x : tensor<3xf32>
}

// Folding must not make the model larger: 4 bytes do not become 4 MiB.
// CHECK-LABEL: @large
// CHECK: nn.expand
func.func @large() -> tensor<1024x1024xf32> {
  %0 = nn.constant dense<1.0> : tensor<1xf32>
  %1 = nn.expand %0 {shape = array<i64: 1024, 1024>} : (tensor<1xf32>) -> tensor<1024x1024xf32>
  return %1 : tensor<1024x1024xf32>
}
