// Scales and offsets per channel go into the convolution before them.
// RUN: aotc-opt %s --aotc-fold-scales --split-input-file | FileCheck %s

// y = w * x, z = y * s: w * s.
// CHECK-LABEL: @scale
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[\[\[\[}}3.000000e+00]]], {{\[\[\[}}8.000000e+00]]]]> : tensor<2x1x1x1xf32>
// CHECK-DAG: %[[B:.*]] = nn.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK: %[[Y:.*]] = nn.conv %arg0, %[[W]], %[[B]]
// CHECK-NEXT: return %[[Y]]
func.func @scale(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = nn.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
  %s = nn.constant dense<[[[3.0]], [[4.0]]]> : tensor<2x1x1xf32>
  %z = nn.mul %y, %s : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3x3xf32>
  return %z : tensor<1x2x3x3xf32>
}

// -----

// The constant may stand first.
// CHECK-LABEL: @scale_left
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[\[\[\[}}3.000000e+00]]], {{\[\[\[}}8.000000e+00]]]]> : tensor<2x1x1x1xf32>
// CHECK-DAG: %[[B:.*]] = nn.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK: %[[Y:.*]] = nn.conv %arg0, %[[W]], %[[B]]
// CHECK-NEXT: return %[[Y]]
func.func @scale_left(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = nn.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
  %s = nn.constant dense<[[[[3.0]], [[4.0]]]]> : tensor<1x2x1x1xf32>
  %z = nn.mul %s, %y : (tensor<1x2x1x1xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %z : tensor<1x2x3x3xf32>
}

// -----

// One number for all channels.
// CHECK-LABEL: @scalar
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[\[\[\[}}3.000000e+00]]], {{\[\[\[}}6.000000e+00]]]]> : tensor<2x1x1x1xf32>
// CHECK-DAG: %[[B:.*]] = nn.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK: %[[Y:.*]] = nn.conv %arg0, %[[W]], %[[B]]
// CHECK-NEXT: return %[[Y]]
func.func @scalar(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = nn.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
  %s = nn.constant dense<3.0> : tensor<f32>
  %z = nn.mul %y, %s : (tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  return %z : tensor<1x2x3x3xf32>
}

// -----

// CHECK-LABEL: @offset
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[\[\[\[}}1.000000e+00]]], {{\[\[\[}}2.000000e+00]]]]> : tensor<2x1x1x1xf32>
// CHECK-DAG: %[[B:.*]] = nn.constant dense<[3.000000e+00, 4.000000e+00]> : tensor<2xf32>
// CHECK: %[[Y:.*]] = nn.conv %arg0, %[[W]], %[[B]]
// CHECK-NEXT: return %[[Y]]
func.func @offset(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = nn.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
  %s = nn.constant dense<[[[3.0]], [[4.0]]]> : tensor<2x1x1xf32>
  %z = nn.add %s, %y : (tensor<2x1x1xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %z : tensor<1x2x3x3xf32>
}

// -----

// CHECK-LABEL: @negative_offset
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[\[\[\[}}1.000000e+00]]], {{\[\[\[}}2.000000e+00]]]]> : tensor<2x1x1x1xf32>
// CHECK-DAG: %[[B:.*]] = nn.constant dense<[-3.000000e+00, -4.000000e+00]> : tensor<2xf32>
// CHECK: %[[Y:.*]] = nn.conv %arg0, %[[W]], %[[B]]
// CHECK-NEXT: return %[[Y]]
func.func @negative_offset(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = nn.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
  %s = nn.constant dense<[[[3.0]], [[4.0]]]> : tensor<2x1x1xf32>
  %z = nn.sub %y, %s : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3x3xf32>
  return %z : tensor<1x2x3x3xf32>
}

// -----

// CHECK-LABEL: @division
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[\[\[\[}}5.000000e-01]]], {{\[\[\[}}2.500000e-01]]]]> : tensor<2x1x1x1xf32>
// CHECK-DAG: %[[B:.*]] = nn.constant dense<0.000000e+00> : tensor<2xf32>
// CHECK: %[[Y:.*]] = nn.conv %arg0, %[[W]], %[[B]]
// CHECK-NEXT: return %[[Y]]
func.func @division(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = nn.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
  %s = nn.constant dense<[[[2.0]], [[8.0]]]> : tensor<2x1x1xf32>
  %z = nn.div %y, %s : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3x3xf32>
  return %z : tensor<1x2x3x3xf32>
}

// -----

// ((w * x + 1) - mean) * scale + shift, as exporters write batch normalization out.
// CHECK-LABEL: @batch_normalization
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[\[\[\[}}1.000000e+01]]], {{\[\[\[}}4.000000e+01]]]]> : tensor<2x1x1x1xf32>
// CHECK-DAG: %[[B:.*]] = nn.constant dense<[5.000000e+00, -3.400000e+01]> : tensor<2xf32>
// CHECK: %[[Y:.*]] = nn.conv %arg0, %[[W]], %[[B]]
// CHECK-NEXT: return %[[Y]]
func.func @batch_normalization(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = nn.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %b = nn.constant dense<1.0> : tensor<2xf32>
  %y = nn.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
  %mean = nn.constant dense<[[[1.5]], [[3.0]]]> : tensor<2x1x1xf32>
  %scale = nn.constant dense<[[[10.0]], [[20.0]]]> : tensor<2x1x1xf32>
  %shift = nn.constant dense<[[[10.0]], [[6.0]]]> : tensor<2x1x1xf32>
  %0 = nn.sub %y, %mean : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3x3xf32>
  %1 = nn.mul %0, %scale : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3x3xf32>
  %2 = nn.add %1, %shift : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3x3xf32>
  return %2 : tensor<1x2x3x3xf32>
}

// -----

// What is divided by the convolution cannot move.
// CHECK-LABEL: @division_of
// CHECK: nn.conv
// CHECK: nn.div
func.func @division_of(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = nn.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
  %s = nn.constant dense<3.0> : tensor<f32>
  %z = nn.div %s, %y : (tensor<f32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %z : tensor<1x2x3x3xf32>
}

// -----

// CHECK-LABEL: @difference_from
// CHECK: nn.conv
// CHECK: nn.sub
func.func @difference_from(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = nn.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
  %s = nn.constant dense<3.0> : tensor<f32>
  %z = nn.sub %s, %y : (tensor<f32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %z : tensor<1x2x3x3xf32>
}

// -----

// Another reader wants the convolution as it is.
// CHECK-LABEL: @two_readers
// CHECK: nn.conv
// CHECK: nn.mul
func.func @two_readers(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = nn.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
  %s = nn.constant dense<3.0> : tensor<f32>
  %z = nn.mul %y, %s : (tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  %v = nn.add %y, %z : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  return %v : tensor<1x2x3x3xf32>
}

// -----

// An activation lies in between.
// CHECK-LABEL: @behind_relu
// CHECK: nn.conv
// CHECK: nn.relu
// CHECK: nn.mul
func.func @behind_relu(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = nn.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
  %s = nn.constant dense<3.0> : tensor<f32>
  %r = nn.relu %y : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %z = nn.mul %r, %s : (tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  return %z : tensor<1x2x3x3xf32>
}

// -----

// The constant varies along the width.
// CHECK-LABEL: @along_width
// CHECK: nn.conv
// CHECK: nn.mul
func.func @along_width(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = nn.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
  %s = nn.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %z = nn.mul %y, %s : (tensor<1x2x3x3xf32>, tensor<3xf32>) -> tensor<1x2x3x3xf32>
  return %z : tensor<1x2x3x3xf32>
}

// -----

// A channel of infinities is not a convolution: 0 / 0 would become 0 * infinity.
// CHECK-LABEL: @division_by_zero
// CHECK: nn.conv
// CHECK: nn.div
func.func @division_by_zero(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = nn.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
  %s = nn.constant dense<[[[2.0]], [[0.0]]]> : tensor<2x1x1xf32>
  %z = nn.div %y, %s : (tensor<1x2x3x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3x3xf32>
  return %z : tensor<1x2x3x3xf32>
}

// -----

// Channels last: the channels are the innermost dimension, and the only one that the constant has.
// CHECK-LABEL: @channels_last
// CHECK: nn.conv {{.*}}channels_last
// CHECK-NEXT: return
func.func @channels_last(%x: tensor<1x3x3x1xf32>) -> tensor<1x3x3x2xf32> {
  %w = nn.constant dense<1.0> : tensor<2x1x1x1xf32>
  %s = nn.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, channels_last} : (tensor<1x3x3x1xf32>, tensor<2x1x1x1xf32>) -> tensor<1x3x3x2xf32>
  %z = nn.mul %y, %s : (tensor<1x3x3x2xf32>, tensor<2xf32>) -> tensor<1x3x3x2xf32>
  return %z : tensor<1x3x3x2xf32>
}

// -----

// No filters.
// CHECK-LABEL: @no_filters
// CHECK: %[[Y:.*]] = nn.conv
// CHECK-NEXT: return %[[Y]]
func.func @no_filters(%x: tensor<?x1x3x3xf32, affine_map<()[s0] -> (s0, 1, 3, 3)>>) -> tensor<?x0x3x3xf32, affine_map<()[s0] -> (s0, 0, 3, 3)>> {
  %w = nn.constant dense<> : tensor<0x1x1x1xf32>
  %y = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<?x1x3x3xf32, affine_map<()[s0] -> (s0, 1, 3, 3)>>, tensor<0x1x1x1xf32>) -> tensor<?x0x3x3xf32, affine_map<()[s0] -> (s0, 0, 3, 3)>>
  %s = nn.constant dense<2.0> : tensor<f32>
  %z = nn.mul %y, %s : (tensor<?x0x3x3xf32, affine_map<()[s0] -> (s0, 0, 3, 3)>>, tensor<f32>) -> tensor<?x0x3x3xf32, affine_map<()[s0] -> (s0, 0, 3, 3)>>
  return %z : tensor<?x0x3x3xf32, affine_map<()[s0] -> (s0, 0, 3, 3)>>
}
