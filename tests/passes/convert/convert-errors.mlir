// What the lowering cannot do yet is said about the node, with what was found.
// RUN: aotc-opt %s --aotc-convert-nn --split-input-file --verify-diagnostics

func.func @gather(%x: tensor<3xf32>) -> tensor<2xf32> {
  %i = nn.constant dense<[0, 3]> : tensor<2xi64>
  // expected-error@+2 {{indices must lie in [-3, 2], found 3}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.gather %x, %i {axis = 0 : i64} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @gather_below(%x: tensor<3xf32>) -> tensor<1xf32> {
  %i = nn.constant dense<-4> : tensor<1xi32>
  // expected-error@+2 {{indices must lie in [-3, 2], found -4}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.gather %x, %i {axis = 0 : i64} : (tensor<3xf32>, tensor<1xi32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func @conv_4d(%x: tensor<1x4x4x4x4x2xf32>) -> tensor<1x4x4x4x4x2xf32> {
  %w = nn.constant dense<1.0> : tensor<2x2x1x1x1x1xf32>
  // expected-error@+2 {{at most 3 spatial dimensions are supported, found 4}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.conv %x, %w {strides = array<i64: 1, 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1, 1>, group = 1 : i64, channels_last} : (tensor<1x4x4x4x4x2xf32>, tensor<2x2x1x1x1x1xf32>) -> tensor<1x4x4x4x4x2xf32>
  return %0 : tensor<1x4x4x4x4x2xf32>
}

// -----

func.func @pool_3d(%x: tensor<1x4x4x4x2xf32>) -> tensor<1x4x4x4x2xf32> {
  // expected-error@+2 {{1 or 2 spatial dimensions are supported, found 3}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.max_pool %x {kernel = array<i64: 1, 1, 1>, strides = array<i64: 1, 1, 1>, pads = array<i64: 0, 0, 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, channels_last} : (tensor<1x4x4x4x2xf32>) -> tensor<1x4x4x4x2xf32>
  return %0 : tensor<1x4x4x4x2xf32>
}

// -----

func.func @reduce_type(%x: tensor<2x2xi1>) -> tensor<2xi1> {
  // expected-error@+2 {{bools cannot be reduced, and only f32 has means, found 'i1'}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.reduce max %x {axes = array<i64: 1>, keepdims = false} : (tensor<2x2xi1>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

func.func @mean_type(%x: tensor<2x2xi64>) -> tensor<2xi64> {
  // expected-error@+2 {{bools cannot be reduced, and only f32 has means, found 'i64'}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.reduce mean %x {axes = array<i64: 1>, keepdims = false} : (tensor<2x2xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// -----

func.func @softmax_type(%x: tensor<2x2xf64>) -> tensor<2x2xf64> {
  // expected-error@+2 {{only f32 softmax is supported, found 'f64'}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.softmax %x {axis = 1 : i64} : (tensor<2x2xf64>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}

// -----

func.func @quantize_width(%x: tensor<2xf32>, %s: tensor<f32>) -> tensor<2xi32> {
  // expected-error@+2 {{only quantization to integers of up to 16 bits is supported, without blocks}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.quantize %x, %s {axis = 0 : i64, block_size = 0 : i64, to = i32} : (tensor<2xf32>, tensor<f32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>
}

// -----

func.func @dequantize_blocks(%x: tensor<2xi8>, %s: tensor<1xf32>) -> tensor<2xf32> {
  // expected-error@+2 {{'block_size' is supported for constants only}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.dequantize %x, %s {axis = 0 : i64, block_size = 2 : i64} : (tensor<2xi8>, tensor<1xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @resize_type(%x: tensor<2x2xi8>) -> tensor<2x4xi8> {
  // expected-error@+2 {{only f32 and f64 can be interpolated, found 'i8'}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.resize %x {sizes = array<i64: 2, 4>, scales = array<f32: 1.0, 2.0>, mode = "linear", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor", cubic_coeff_a = -7.500000e-01 : f32, exclude_outside = false, extrapolation_value = 0.0 : f32, antialias = false, roi = array<f32>} : (tensor<2x2xi8>) -> tensor<2x4xi8>
  return %0 : tensor<2x4xi8>
}

// -----

// Elements of other types may be moved and converted, not computed with.
func.func @half(%x: tensor<2x3xf16>) -> tensor<3x2xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf16>) -> tensor<3x2xf16>
  // expected-error@+1 {{only float, double, bool and integers of 8 to 64 bits can be computed with, found f16 [3,2]}}
  %1 = nn.relu %0 : (tensor<3x2xf16>) -> tensor<3x2xf16>
  %2 = nn.cast %1 {to = f32} : (tensor<3x2xf16>) -> tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}
