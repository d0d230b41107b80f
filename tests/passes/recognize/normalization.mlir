// Normalisation in the forms that exporters write.
// RUN: aotc-opt %s --aotc-recognize-normalization | FileCheck %s

// PyTorch: the difference is squared as a product here; scale and offset stay.
// CHECK-LABEL: @divided
// CHECK: %[[Y:.*]] = nn.normalize %arg0 {axes = array<i64: 1>, epsilon = 9.99999974E-6 : f32}
// CHECK: %[[S:.*]] = nn.mul %[[Y]], %arg1
// CHECK: nn.add %[[S]], %arg2
// CHECK-NOT: nn.sqrt
func.func @divided(%x: tensor<2x8xf32>, %scale: tensor<8xf32>, %offset: tensor<8xf32>) -> tensor<2x8xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %m = nn.reduce mean %x {axes = array<i64: 1>, keepdims = true} : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %d = nn.sub %x, %m : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %q = nn.mul %d, %d : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %v = nn.reduce mean %q {axes = array<i64: 1>, keepdims = true} : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %e = nn.add %v, %eps : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %r = nn.sqrt %e : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %n = nn.div %d, %r : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  %s = nn.mul %n, %scale : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %y = nn.add %s, %offset : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// TensorFlow: x * f + (offset - mean * f), the difference for the variance computed by itself.
// CHECK-LABEL: @factor
// CHECK: %[[Y:.*]] = nn.normalize %arg0 {axes = array<i64: 1, 2>
// CHECK: %[[S:.*]] = nn.mul %[[Y]], %arg1
// CHECK: %[[R:.*]] = nn.add %[[S]], %arg2
// CHECK: return %[[R]]
func.func @factor(%x: tensor<2x4x4x3xf32>, %scale: tensor<3xf32>, %offset: tensor<3xf32>) -> tensor<2x4x4x3xf32> {
  %eps = nn.constant dense<1.0e-3> : tensor<1xf32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %m = nn.reduce mean %x {axes = array<i64: 1, 2>, keepdims = true} : (tensor<2x4x4x3xf32>) -> tensor<2x1x1x3xf32>
  %d = nn.sub %x, %m : (tensor<2x4x4x3xf32>, tensor<2x1x1x3xf32>) -> tensor<2x4x4x3xf32>
  %q = nn.mul %d, %d : (tensor<2x4x4x3xf32>, tensor<2x4x4x3xf32>) -> tensor<2x4x4x3xf32>
  %v = nn.reduce mean %q {axes = array<i64: 1, 2>, keepdims = true} : (tensor<2x4x4x3xf32>) -> tensor<2x1x1x3xf32>
  %e = nn.add %v, %eps : (tensor<2x1x1x3xf32>, tensor<1xf32>) -> tensor<2x1x1x3xf32>
  %r = nn.sqrt %e : (tensor<2x1x1x3xf32>) -> tensor<2x1x1x3xf32>
  %i = nn.div %one, %r : (tensor<f32>, tensor<2x1x1x3xf32>) -> tensor<2x1x1x3xf32>
  %f = nn.mul %i, %scale : (tensor<2x1x1x3xf32>, tensor<3xf32>) -> tensor<2x1x1x3xf32>
  %p = nn.mul %x, %f : (tensor<2x4x4x3xf32>, tensor<2x1x1x3xf32>) -> tensor<2x4x4x3xf32>
  %t = nn.mul %m, %f : (tensor<2x1x1x3xf32>, tensor<2x1x1x3xf32>) -> tensor<2x1x1x3xf32>
  %o = nn.sub %offset, %t : (tensor<3xf32>, tensor<2x1x1x3xf32>) -> tensor<2x1x1x3xf32>
  %y = nn.add %p, %o : (tensor<2x4x4x3xf32>, tensor<2x1x1x3xf32>) -> tensor<2x4x4x3xf32>
  return %y : tensor<2x4x4x3xf32>
}

// RMS: no mean.
// CHECK-LABEL: @root_mean_square
// CHECK: nn.normalize %arg0 {axes = array<i64: 1>, epsilon = {{.*}} : f32, root_mean_square}
func.func @root_mean_square(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %eps = nn.constant dense<1.0e-6> : tensor<f32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %q = nn.mul %x, %x : (tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<2x8xf32>
  %v = nn.reduce mean %q {axes = array<i64: 1>, keepdims = true} : (tensor<2x8xf32>) -> tensor<2x1xf32>
  %e = nn.add %eps, %v : (tensor<f32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %r = nn.sqrt %e : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %i = nn.div %one, %r : (tensor<f32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %y = nn.mul %x, %i : (tensor<2x8xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// The mean of other axes, or of another tensor, is no normalisation.
// CHECK-LABEL: @other_axes
// CHECK-NOT: nn.normalize
// CHECK: return
func.func @other_axes(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<f32>
  %m = nn.reduce mean %x {axes = array<i64: 0>, keepdims = true} : (tensor<4x4xf32>) -> tensor<1x4xf32>
  %k = nn.reduce mean %x {axes = array<i64: 1>, keepdims = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  %c = nn.sub %x, %m : (tensor<4x4xf32>, tensor<1x4xf32>) -> tensor<4x4xf32>
  %d = nn.sub %x, %k : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  %q = nn.mul %d, %d : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %v = nn.reduce mean %q {axes = array<i64: 1>, keepdims = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  %e = nn.add %v, %eps : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %r = nn.sqrt %e : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %y = nn.div %c, %r : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// One group: what was flattened is normalised in its own shape.
// CHECK-LABEL: @flattened
// CHECK: nn.normalize %arg0 {axes = array<i64: 1, 2>
// CHECK-SAME: tensor<2x3x4xf32>
func.func @flattened(%x: tensor<2x3x4xf32>) -> tensor<2x1x12xf32> {
  %f = nn.reshape %x {shape = array<i64: 2, 1, 12>} : (tensor<2x3x4xf32>) -> tensor<2x1x12xf32>
  %y = nn.normalize %f {axes = array<i64: 2>, epsilon = 1.0e-5 : f32} : (tensor<2x1x12xf32>) -> tensor<2x1x12xf32>
  return %y : tensor<2x1x12xf32>
}

// An epsilon of more dimensions than the mean makes the result one of more dimensions.
// CHECK-LABEL: @wider_epsilon
// CHECK-NOT: nn.normalize
// CHECK: return
func.func @wider_epsilon(%x: tensor<4x4xf32>) -> tensor<1x4x4xf32> {
  %eps = nn.constant dense<1.0e-5> : tensor<1x1x1xf32>
  %m = nn.reduce mean %x {axes = array<i64: 1>, keepdims = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  %d = nn.sub %x, %m : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
  %q = nn.mul %d, %d : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %v = nn.reduce mean %q {axes = array<i64: 1>, keepdims = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
  %e = nn.add %v, %eps : (tensor<4x1xf32>, tensor<1x1x1xf32>) -> tensor<1x4x1xf32>
  %r = nn.sqrt %e : (tensor<1x4x1xf32>) -> tensor<1x4x1xf32>
  %y = nn.div %d, %r : (tensor<4x4xf32>, tensor<1x4x1xf32>) -> tensor<1x4x4xf32>
  return %y : tensor<1x4x4xf32>
}
