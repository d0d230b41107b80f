// The requantization is the kernel's epilogue, weights are pairs.
// RUN: aotc-opt %s --aotc-channels-last --aotc-convert-nn --aotc-select-kernels --cse | FileCheck %s

// CHECK-LABEL: @conv
// CHECK: kern.conv2d {{.*}} epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[OFFSET:.*]]: f32, %[[SCALE:.*]]: f32):
// CHECK-NEXT: arith.addf %[[SUM]], %[[OFFSET]]
// CHECK: math.roundeven
// CHECK: kind = 3 : i32{{.*}}x_unsigned, x_zero_point = 128 : i64} : (tensor<1x4x4x2xi8>, tensor<1x1x1x1x1x16x2xi16>, tensor<8xf32>, tensor<8xf32>, tensor<1x4x4x8xi8>)
func.func @conv(%x: tensor<1x2x4x4xui8>) -> tensor<1x8x4x4xui8> {
  %w = nn.constant dense<5> : tensor<8x2x1x1xi16>
  %offset = nn.constant dense<10.0> : tensor<8xf32>
  %scale = nn.constant dense<0.5> : tensor<8xf32>
  %0 = nn.quantized_conv %x, %w, %offset, %scale {dilations = array<i64: 1, 1>, group = 1 : i64, high = 53 : i64, low = 3 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, to = ui8, x_zero_point = 128 : i64, zero_point = 3 : i64} : (tensor<1x2x4x4xui8>, tensor<8x2x1x1xi16>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xui8>
  return %0 : tensor<1x8x4x4xui8>
}
