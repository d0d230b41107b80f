// Weights are laid out so that threads of a shader, which compute neighbouring filters, read neighbours.
// RUN: aotc-opt %s --aotc-arrange-for-gpu --cse | FileCheck %s

// [filters, channels, kh, kw] becomes [groups, kh * kw * channels, filters of a group].
// CHECK-LABEL: @convolution
// CHECK: arith.constant dense<{{\[\[}}[1.000000e+00, 5.000000e+00], [3.000000e+00, 7.000000e+00], [2.000000e+00, 6.000000e+00], [4.000000e+00, 8.000000e+00]]]>
// CHECK: kern.conv2d {{.*}}kind = 0 : i32
func.func @convolution(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x3x2xf32> {
  %w = arith.constant dense<[[[[1.0, 2.0]], [[3.0, 4.0]]], [[[5.0, 6.0]], [[7.0, 8.0]]]]> : tensor<2x2x1x2xf32>
  %0 = tensor.empty() : tensor<1x4x3x2xf32>
  %1 = kern.conv2d ins(%x, %w, %0) {kernel = array<i64: 1, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, extra_maps = []} : (tensor<1x4x4x2xf32>, tensor<2x2x1x2xf32>, tensor<1x4x3x2xf32>) -> tensor<1x4x3x2xf32>
  return %1 : tensor<1x4x3x2xf32>
}

// Halves are moved as they are.
// CHECK-LABEL: @halves
// CHECK: arith.constant dense<{{\[\[}}[1.000000e+00, 5.000000e+00], [3.000000e+00, 7.000000e+00], [2.000000e+00, 6.000000e+00], [4.000000e+00, 8.000000e+00]]]> : tensor<1x4x2xf16>
func.func @halves(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x3x2xf32> {
  %w = arith.constant dense<[[[[1.0, 2.0]], [[3.0, 4.0]]], [[[5.0, 6.0]], [[7.0, 8.0]]]]> : tensor<2x2x1x2xf16>
  %0 = tensor.empty() : tensor<1x4x3x2xf32>
  %1 = kern.conv2d ins(%x, %w, %0) {kernel = array<i64: 1, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, extra_maps = []} : (tensor<1x4x4x2xf32>, tensor<2x2x1x2xf16>, tensor<1x4x3x2xf32>) -> tensor<1x4x3x2xf32>
  return %1 : tensor<1x4x3x2xf32>
}

// Groups of few filters are no products: [kh * kw, channels of a group, filters].
// CHECK-LABEL: @depthwise
// CHECK: kern.conv2d {{.*}}kind = 1 : i32{{.*}} : (tensor<1x4x4x20xf32>, tensor<6x1x20xf32>, tensor<1x2x3x20xf32>)
func.func @depthwise(%x: tensor<1x4x4x20xf32>) -> tensor<1x2x3x20xf32> {
  %w = arith.constant dense<1.0> : tensor<20x1x3x2xf32>
  %0 = tensor.empty() : tensor<1x2x3x20xf32>
  %1 = kern.conv2d ins(%x, %w, %0) {kernel = array<i64: 3, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 20 : i64, kind = 0 : i32, extra_maps = []} : (tensor<1x4x4x20xf32>, tensor<20x1x3x2xf32>, tensor<1x2x3x20xf32>) -> tensor<1x2x3x20xf32>
  return %1 : tensor<1x2x3x20xf32>
}

// Weights that only the run knows stay as they are: the shader reads either layout.
// CHECK-LABEL: @unknown
// CHECK: kern.conv2d {{.*}} : (tensor<1x4x4x2xf32>, tensor<2x2x1x2xf32>, tensor<1x4x3x2xf32>)
func.func @unknown(%x: tensor<1x4x4x2xf32>, %w: tensor<2x2x1x2xf32>) -> tensor<1x4x3x2xf32> {
  %0 = tensor.empty() : tensor<1x4x3x2xf32>
  %1 = kern.conv2d ins(%x, %w, %0) {kernel = array<i64: 1, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, extra_maps = []} : (tensor<1x4x4x2xf32>, tensor<2x2x1x2xf32>, tensor<1x4x3x2xf32>) -> tensor<1x4x3x2xf32>
  return %1 : tensor<1x4x3x2xf32>
}
