// Between two computations, narrow floats are f32 that is rounded once, where it is computed.
// RUN: aotc-opt %s --aotc-simplify | FileCheck %s

// CHECK-LABEL: @moved
// CHECK: %[[ROUND:.*]] = nn.round_to %arg0 {format = f16}
// CHECK: %[[TURNED:.*]] = nn.transpose %[[ROUND]]
// CHECK: %[[CUT:.*]] = nn.slice %[[TURNED]]
// CHECK: return %[[CUT]]
func.func @moved(%x: tensor<2x3xf32>) -> tensor<3x1xf32> {
  %0 = nn.cast %x {to = f16} : (tensor<2x3xf32>) -> tensor<2x3xf16>
  %1 = nn.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x3xf16>) -> tensor<3x2xf16>
  %2 = nn.slice %1 {starts = array<i64: 0, 1>, sizes = array<i64: 3, 1>, steps = array<i64: 1, 1>} : (tensor<3x2xf16>) -> tensor<3x1xf16>
  %3 = nn.cast %2 {to = f32} : (tensor<3x1xf16>) -> tensor<3x1xf32>
  return %3 : tensor<3x1xf32>
}

// The transposed halves are wanted as they are, too.
// CHECK-LABEL: @read_as_halves
// CHECK: nn.transpose {{.*}} -> tensor<3x2xf16>
// CHECK: nn.cast {{.*}}to = f32
func.func @read_as_halves(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<3x2xf16>) {
  %0 = nn.cast %x {to = f16} : (tensor<2x3xf32>) -> tensor<2x3xf16>
  %1 = nn.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x3xf16>) -> tensor<3x2xf16>
  %2 = nn.cast %1 {to = f32} : (tensor<3x2xf16>) -> tensor<3x2xf32>
  return %2, %1 : tensor<3x2xf32>, tensor<3x2xf16>
}

// A table keeps its size.
// CHECK-LABEL: @embedding
// CHECK: nn.gather {{.*}} -> tensor<2x2xf16>
func.func @embedding(%i: tensor<2xi64>) -> tensor<2x2xf32> {
  %table = nn.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf16>
  %0 = nn.gather %table, %i {axis = 0 : i64} : (tensor<3x2xf16>, tensor<2xi64>) -> tensor<2x2xf16>
  %1 = nn.cast %0 {to = f32} : (tensor<2x2xf16>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// The larger of two halves is one.
// CHECK-LABEL: @clipped
// CHECK-COUNT-1: nn.round_to
// CHECK-NOT: nn.round_to
// CHECK: return
func.func @clipped(%x: tensor<4xf32>) -> tensor<4xf32> {
  %low = nn.constant dense<0.0> : tensor<f32>
  %high = nn.constant dense<6.0> : tensor<f32>
  %0 = nn.round_to %x {format = f16} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.max %0, %low : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = nn.min %1, %high : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = nn.round_to %2 {format = f16} : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// A limit that is no half makes other numbers; so does another format.
// CHECK-LABEL: @rounded_twice
// CHECK-COUNT-3: nn.round_to
func.func @rounded_twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %high = nn.constant dense<0.1> : tensor<f32>
  %0 = nn.round_to %x {format = f16} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.min %0, %high : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = nn.round_to %1 {format = f16} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = nn.round_to %2 {format = bf16} : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
