// Image ops become channels-last; transposes move towards the outputs and meet their inverses.
// RUN: aotc-opt %s --aotc-channels-last --aotc-simplify --cse | FileCheck %s

// CHECK-LABEL: @chain
// CHECK-DAG:  %[[IN:.*]] = nn.transpose %arg0 {permutation = array<i64: 0, 2, 3, 1>}
// CHECK:      %[[CONV:.*]] = nn.conv %[[IN]], %{{.*}} {channels_last
// CHECK-NEXT: %[[RELU:.*]] = nn.relu %[[CONV]] : (tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
// CHECK-NEXT: %[[POOL:.*]] = nn.max_pool %[[RELU]] {{.*}}channels_last{{.*}} -> tensor<1x3x3x4xf32>
// CHECK-NEXT: %[[OUT:.*]] = nn.transpose %[[POOL]] {permutation = array<i64: 0, 3, 1, 2>}
// CHECK-NEXT: return %[[OUT]]
func.func @chain(%x: tensor<1x8x8x8xf32>) -> tensor<1x4x3x3xf32> {
  %w = nn.constant dense<1.0> : tensor<4x8x3x3xf32>
  %0 = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x8x8x8xf32>, tensor<4x8x3x3xf32>) -> tensor<1x4x6x6xf32>
  %1 = nn.relu %0 : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %2 = nn.max_pool %1 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x6x6xf32>) -> tensor<1x4x3x3xf32>
  return %2 : tensor<1x4x3x3xf32>
}

// An image of one spatial dimension.
// CHECK-LABEL: @signal
// CHECK: nn.transpose %arg0 {permutation = array<i64: 0, 2, 1>}
// CHECK: nn.average_pool {{.*}}channels_last{{.*}} : (tensor<1x8x4xf32>) -> tensor<1x4x4xf32>
// CHECK: nn.transpose {{.*}} {permutation = array<i64: 0, 2, 1>}
func.func @signal(%x: tensor<1x4x8xf32>) -> tensor<1x4x4xf32> {
  %0 = nn.average_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, pads = array<i64: 0, 0>, dilations = array<i64: 1>, count_include_pad} : (tensor<1x4x8xf32>) -> tensor<1x4x4xf32>
  return %0 : tensor<1x4x4xf32>
}

// A bias per channel of rank 3, and a scale per row: constants are reordered when compiling.
// CHECK-LABEL: @broadcast
// CHECK-DAG: %[[BIAS:.*]] = nn.constant dense<{{.*}}> : tensor<1x1x1x2xf32>
// CHECK-DAG: %[[ROWS:.*]] = nn.constant dense<{{.*}}> : tensor<1x3x1x1xf32>
// CHECK: nn.relu %{{.*}} : (tensor<1x3x3x2xf32>)
// CHECK: nn.add %{{.*}}, %[[BIAS]]
// CHECK: nn.mul %[[ROWS]], %{{.*}} : (tensor<1x3x1x1xf32>, tensor<1x3x3x2xf32>)
func.func @broadcast(%x: tensor<1x3x3x2xf32>) -> tensor<1x2x3x3xf32> {
  %b = nn.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>
  %r = nn.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %t = nn.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x3x3x2xf32>) -> tensor<1x2x3x3xf32>
  %0 = nn.relu %t : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %1 = nn.add %0, %b : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3x3xf32>
  %2 = nn.mul %r, %1 : (tensor<3x1xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %2 : tensor<1x2x3x3xf32>
}

// The concat's axis follows its dimension.
// CHECK-LABEL: @concat
// CHECK-NEXT: %[[C:.*]] = nn.concat %arg0, %arg1 {axis = 3 : i64} : (tensor<1x3x3x2xf32>, tensor<1x3x3x4xf32>) -> tensor<1x3x3x6xf32>
// CHECK-NEXT: %[[T:.*]] = nn.transpose %[[C]] {permutation = array<i64: 0, 3, 1, 2>}
func.func @concat(%x: tensor<1x3x3x2xf32>, %y: tensor<1x3x3x4xf32>) -> tensor<1x6x3x3xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x3x3x2xf32>) -> tensor<1x2x3x3xf32>
  %1 = nn.transpose %y {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x3x3x4xf32>) -> tensor<1x4x3x3xf32>
  %2 = nn.concat %0, %1 {axis = 1 : i64} : (tensor<1x2x3x3xf32>, tensor<1x4x3x3xf32>) -> tensor<1x6x3x3xf32>
  return %2 : tensor<1x6x3x3xf32>
}

// CHECK-LABEL: @mean_over_the_map
// CHECK-NEXT: %[[M:.*]] = nn.reduce mean %arg0 {axes = array<i64: 1, 2>, keepdims = true} : (tensor<1x3x3x2xf32>) -> tensor<1x1x1x2xf32>
// CHECK-NEXT: %[[R:.*]] = nn.reshape %[[M]] {shape = array<i64: 1, 2, 1, 1>}
// CHECK-NEXT: return %[[R]]
func.func @mean_over_the_map(%x: tensor<1x3x3x2xf32>) -> tensor<1x2x1x1xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x3x3x2xf32>) -> tensor<1x2x3x3xf32>
  %1 = nn.reduce mean %0 {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x2x3x3xf32>) -> tensor<1x2x1x1xf32>
  return %1 : tensor<1x2x1x1xf32>
}

// A reduction that drops its dimensions keeps them first.
// CHECK-LABEL: @mean_without_dims
// CHECK-NEXT: %[[M:.*]] = nn.reduce mean %arg0 {axes = array<i64: 1, 2>, keepdims = true}
// CHECK-NEXT: %[[R:.*]] = nn.reshape %[[M]] {shape = array<i64: 1, 2>}
// CHECK-NEXT: return %[[R]]
func.func @mean_without_dims(%x: tensor<1x3x3x2xf32>) -> tensor<1x2xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x3x3x2xf32>) -> tensor<1x2x3x3xf32>
  %1 = nn.reduce mean %0 {axes = array<i64: 2, 3>, keepdims = false} : (tensor<1x2x3x3xf32>) -> tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
}

// What is left of the order moves on: [n, h, w, c] without w, then as the model wants it, [n, c, h].
// CHECK-LABEL: @maximum_of_rows
// CHECK-NEXT: %[[M:.*]] = nn.reduce max %arg0 {axes = array<i64: 2>, keepdims = true} : (tensor<1x3x5x2xf32>) -> tensor<1x3x1x2xf32>
// CHECK-NEXT: %[[R:.*]] = nn.reshape %[[M]] {shape = array<i64: 1, 3, 2>}
// CHECK-NEXT: %[[T:.*]] = nn.transpose %[[R]] {permutation = array<i64: 0, 2, 1>}
// CHECK-NEXT: return %[[T]]
func.func @maximum_of_rows(%x: tensor<1x3x5x2xf32>) -> tensor<1x2x3xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x3x5x2xf32>) -> tensor<1x2x3x5xf32>
  %1 = nn.reduce max %0 {axes = array<i64: 3>, keepdims = false} : (tensor<1x2x3x5xf32>) -> tensor<1x2x3xf32>
  return %1 : tensor<1x2x3xf32>
}

// Shuffling channels in groups: reshape, transpose, reshape are one transpose of the innermost dimensions.
// CHECK-LABEL: @channel_shuffle
// CHECK-NEXT: %[[S:.*]] = nn.reshape %arg0 {shape = array<i64: 1, 3, 3, 2, 4>}
// CHECK-NEXT: %[[T:.*]] = nn.transpose %[[S]] {permutation = array<i64: 0, 1, 2, 4, 3>}
// CHECK-NEXT: %[[M:.*]] = nn.reshape %[[T]] {shape = array<i64: 1, 3, 3, 8>}
// CHECK-NEXT: return %[[M]]
func.func @channel_shuffle(%x: tensor<1x3x3x8xf32>) -> tensor<1x3x3x8xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x3x3x8xf32>) -> tensor<1x8x3x3xf32>
  %1 = nn.reshape %0 {shape = array<i64: 1, 2, 4, 3, 3>} : (tensor<1x8x3x3xf32>) -> tensor<1x2x4x3x3xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 0, 2, 1, 3, 4>} : (tensor<1x2x4x3x3xf32>) -> tensor<1x4x2x3x3xf32>
  %3 = nn.reshape %2 {shape = array<i64: 1, 8, 3, 3>} : (tensor<1x4x2x3x3xf32>) -> tensor<1x8x3x3xf32>
  %4 = nn.transpose %3 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x8x3x3xf32>) -> tensor<1x3x3x8xf32>
  return %4 : tensor<1x3x3x8xf32>
}

// Flattening [c, h, w] mixes dimensions that are no neighbours in [h, w, c]: the copy has to be made.
// CHECK-LABEL: @flatten
// CHECK-NEXT: nn.transpose %arg0
// CHECK-NEXT: nn.reshape
// CHECK-NEXT: return
func.func @flatten(%x: tensor<1x3x3x8xf32>) -> tensor<1x72xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x3x3x8xf32>) -> tensor<1x8x3x3xf32>
  %1 = nn.reshape %0 {shape = array<i64: 1, 72>} : (tensor<1x8x3x3xf32>) -> tensor<1x72xf32>
  return %1 : tensor<1x72xf32>
}

// CHECK-LABEL: @softmax
// CHECK-NEXT: nn.softmax %arg0 {axis = 3 : i64}
// CHECK-NEXT: nn.transpose
func.func @softmax(%x: tensor<1x3x3x8xf32>) -> tensor<1x8x3x3xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x3x3x8xf32>) -> tensor<1x8x3x3xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : (tensor<1x8x3x3xf32>) -> tensor<1x8x3x3xf32>
  return %1 : tensor<1x8x3x3xf32>
}

// CHECK-LABEL: @slice_pad_resize
// CHECK-NEXT: %[[S:.*]] = nn.slice %arg0 {sizes = array<i64: 1, 3, 2, 4>, starts = array<i64: 0, 0, 2, 1>, steps = array<i64: 1, 1, -1, 2>}
// CHECK-NEXT: %[[P:.*]] = nn.pad %[[S]] {high = array<i64: 0, 2, 4, 0>, low = array<i64: 0, 1, 3, 0>{{.*}} -> tensor<1x6x9x4xf32>
// CHECK-NEXT: %[[R:.*]] = nn.resize %[[P]] {{.*}}scales = array<f32: 1.000000e+00, 2.000000e+00, 3.000000e+00, 1.000000e+00>, sizes = array<i64: 1, 12, 27, 4>
// CHECK-NEXT: nn.transpose %[[R]]
func.func @slice_pad_resize(%x: tensor<1x3x3x8xf32>) -> tensor<1x4x12x27xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x3x3x8xf32>) -> tensor<1x8x3x3xf32>
  %1 = nn.slice %0 {starts = array<i64: 0, 1, 0, 2>, sizes = array<i64: 1, 4, 3, 2>, steps = array<i64: 1, 2, 1, -1>} : (tensor<1x8x3x3xf32>) -> tensor<1x4x3x2xf32>
  %2 = nn.pad %1 {low = array<i64: 0, 0, 1, 3>, high = array<i64: 0, 0, 2, 4>, mode = 0 : i32, value = 0.0 : f32} : (tensor<1x4x3x2xf32>) -> tensor<1x4x6x9xf32>
  %3 = nn.resize %2 {sizes = array<i64: 1, 4, 12, 27>, scales = array<f32: 1.0, 1.0, 2.0, 3.0>, mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor", cubic_coeff_a = -7.500000e-01 : f32, exclude_outside = false, extrapolation_value = 0.0 : f32, antialias = false, roi = array<f32>} : (tensor<1x4x6x9xf32>) -> tensor<1x4x12x27xf32>
  return %3 : tensor<1x4x12x27xf32>
}

// A gate per channel, computed by a 1x1 convolution: only unit dimensions move.
// CHECK-LABEL: @squeeze_and_excite
// CHECK-NOT: nn.transpose
// CHECK: nn.reduce mean %arg0 {axes = array<i64: 1, 2>, keepdims = true}
// CHECK: nn.mul %arg0, %{{.*}} : (tensor<1x3x3x8xf32>, tensor<1x1x1x8xf32>)
// CHECK-NOT: nn.transpose
// CHECK: return
func.func @squeeze_and_excite(%x: tensor<1x3x3x8xf32>) -> tensor<1x3x3x8xf32> {
  %w = nn.constant dense<1.0> : tensor<8x8x1x1xf32>
  %0 = nn.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x3x3x8xf32>) -> tensor<1x8x3x3xf32>
  %1 = nn.reduce mean %0 {axes = array<i64: 2, 3>, keepdims = true} : (tensor<1x8x3x3xf32>) -> tensor<1x8x1x1xf32>
  %2 = nn.conv %1, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x8x1x1xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x1x1xf32>
  %3 = nn.sigmoid %2 : (tensor<1x8x1x1xf32>) -> tensor<1x8x1x1xf32>
  %4 = nn.mul %0, %3 : (tensor<1x8x3x3xf32>, tensor<1x8x1x1xf32>) -> tensor<1x8x3x3xf32>
  %5 = nn.transpose %4 {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x8x3x3xf32>) -> tensor<1x3x3x8xf32>
  return %5 : tensor<1x3x3x8xf32>
}

// Undoing the small operand's transpose would make the large operand need one.
// CHECK-LABEL: @stays
// CHECK: nn.transpose %arg0
// CHECK: nn.add
// CHECK-NEXT: return
func.func @stays(%x: tensor<1x3x1x8xf32>, %y: tensor<1x8x3x3xf32>) -> tensor<1x8x3x3xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x3x1x8xf32>) -> tensor<1x8x3x1xf32>
  %1 = nn.add %0, %y : (tensor<1x8x3x1xf32>, tensor<1x8x3x3xf32>) -> tensor<1x8x3x3xf32>
  return %1 : tensor<1x8x3x3xf32>
}

// A transpose goes through quantization; the axis of the scales goes with it.
// CHECK-LABEL: @quantization
// CHECK: nn.quantize %arg0, %{{.*}} {axis = 3 : i64
// CHECK: nn.transpose
func.func @quantization(%x: tensor<1x4x4x2xf32>) -> tensor<1x2x4x4xi8> {
  %s = nn.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %0 = nn.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x2x4x4xf32>
  %1 = nn.quantize %0, %s {axis = 1 : i64, block_size = 0 : i64, to = i8} : (tensor<1x2x4x4xf32>, tensor<2xf32>) -> tensor<1x2x4x4xi8>
  return %1 : tensor<1x2x4x4xi8>
}

// The ends of an image are those of its transpose.
// CHECK-LABEL: @dynamic_scale
// CHECK: nn.dynamic_scale %arg0
func.func @dynamic_scale(%x: tensor<1x4x4x2xf32>) -> (tensor<f32>, tensor<ui8>) {
  %0 = nn.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x2x4x4xf32>
  %1:2 = nn.dynamic_scale %0 : (tensor<1x2x4x4xf32>) -> (tensor<f32>, tensor<ui8>)
  return %1#0, %1#1 : tensor<f32>, tensor<ui8>
}
