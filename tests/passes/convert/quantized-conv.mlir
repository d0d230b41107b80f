// The requantization is the kernel's epilogue; weights are words of bytes where they fit, else pairs.
// RUN: aotc-opt %s --aotc-channels-last --aotc-convert-nn --aotc-select-kernels --cse | FileCheck %s

// CHECK-LABEL: @conv
// The sum of each filter's weights is 10: offsets are 10 - 128 * 10 and 10 - 0 * 10.
// CHECK: arith.constant dense<{{\[\[}}-1270, {{.*}}], [10, {{.*}}]]> : tensor<2x8xi32>
// CHECK: kern.integer_conv2d {{.*}} epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[SCALE:.*]]: f32):
// CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[SUM]], %[[SCALE]]
// CHECK: kern.quantize %[[SCALED]], %{{.*}} {high = 53 : i64, low = 3 : i64}
// CHECK: kind = 0 : i32{{.*}}x_unsigned, x_zero_point = 128 : i64} : (tensor<1x4x4x2xi8>, tensor<1x1x1x16x4xi8>, tensor<2x8xi32>, tensor<8xf32>, tensor<1x4x4x8xi8>)
func.func @conv(%x: tensor<1x2x4x4xui8>) -> tensor<1x8x4x4xui8> {
  %w = nn.constant dense<5> : tensor<8x2x1x1xi16>
  %bias = nn.constant dense<10> : tensor<8xi32>
  %scale = nn.constant dense<0.5> : tensor<8xf32>
  %0 = nn.quantized_conv %x, %w, %bias, %scale {dilations = array<i64: 1, 1>, group = 1 : i64, high = 53 : i64, low = 3 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, to = ui8, x_zero_point = 128 : i64, zero_point = 3 : i64} : (tensor<1x2x4x4xui8>, tensor<8x2x1x1xi16>, tensor<8xi32>, tensor<8xf32>) -> tensor<1x8x4x4xui8>
  return %0 : tensor<1x8x4x4xui8>
}

// Weights of 9 bits.
// CHECK-LABEL: @wide
// CHECK: kern.integer_conv2d
// CHECK: (tensor<1x4x4x2xi8>, tensor<1x1x1x16x2xi16>, tensor<8xi32>, tensor<8xf32>, tensor<1x4x4x8xi8>)
func.func @wide(%x: tensor<1x2x4x4xui8>) -> tensor<1x8x4x4xui8> {
  %w = nn.constant dense<200> : tensor<8x2x1x1xi16>
  %bias = nn.constant dense<10> : tensor<8xi32>
  %scale = nn.constant dense<0.5> : tensor<8xf32>
  %0 = nn.quantized_conv %x, %w, %bias, %scale {dilations = array<i64: 1, 1>, group = 1 : i64, high = 255 : i64, low = 0 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, to = ui8, x_zero_point = 128 : i64, zero_point = 3 : i64} : (tensor<1x2x4x4xui8>, tensor<8x2x1x1xi16>, tensor<8xi32>, tensor<8xf32>) -> tensor<1x8x4x4xui8>
  return %0 : tensor<1x8x4x4xui8>
}

// A kernel for each channel: four rows of it to a word.
// CHECK-LABEL: @depthwise
// CHECK: kern.integer_conv2d
// CHECK: kind = 1 : i32{{.*}} : (tensor<1x4x4x8xi8>, tensor<1x3x16x4xi8>, tensor<2x8xi32>, tensor<8xf32>, tensor<1x4x4x8xi8>)
func.func @depthwise(%x: tensor<1x8x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %w = nn.constant dense<5> : tensor<8x1x3x3xi16>
  %bias = nn.constant dense<10> : tensor<8xi32>
  %scale = nn.constant dense<0.5> : tensor<8xf32>
  %0 = nn.quantized_conv %x, %w, %bias, %scale {dilations = array<i64: 1, 1>, group = 8 : i64, high = 127 : i64, low = -128 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>, to = i8, x_zero_point = 0 : i64, zero_point = 3 : i64} : (tensor<1x8x4x4xi8>, tensor<8x1x3x3xi16>, tensor<8xi32>, tensor<8xf32>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}
