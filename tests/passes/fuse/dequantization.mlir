// Steps that read the real values of bytes read the bytes; what becomes bytes again is stored as such.
// RUN: aotc-opt %s --aotc-convert-nn --cse --aotc-fuse-dequantization --aotc-fuse-elementwise --cse | FileCheck %s

// A pool from bytes to bytes.
// CHECK-LABEL: @pool
// CHECK: kern.average_pool2d ins(%arg0, %{{[^ ,]*}}) epilogue {
// CHECK: kern.quantize
// CHECK: dequantized = {scale = 1.000000e-01 : f32, unsigned, zero_point = 3 : i64}
// CHECK-SAME: (tensor<1x4x4x8xi8>, tensor<1x2x2x8xi8>) -> tensor<1x2x2x8xi8>
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @pool(%x: tensor<1x4x4x8xui8>) -> tensor<1x2x2x8xui8> {
  %s = nn.constant dense<0.1> : tensor<f32>
  %z = nn.constant dense<3> : tensor<ui8>
  %0 = nn.dequantize %x, %s, %z {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x4x4x8xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x4x4x8xf32>
  %1 = nn.average_pool %0 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, channels_last} : (tensor<1x4x4x8xf32>) -> tensor<1x2x2x8xf32>
  %2 = nn.quantize %1, %s, %z {axis = 0 : i64, block_size = 0 : i64, to = ui8} : (tensor<1x2x2x8xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x2x2x8xui8>
  return %2 : tensor<1x2x2x8xui8>
}

// The output is stored as real values, rounded to what the bytes would have been.
// CHECK-LABEL: @softmax
// CHECK: kern.softmax ins(%arg0, %{{[^ ,]*}}) epilogue {
// CHECK: kern.quantize
// CHECK: arith.sitofp
// CHECK: dequantized = {scale = 5.000000e-01 : f32, zero_point = 0 : i64}
// CHECK-SAME: -> tensor<2x10xf32>
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @softmax(%x: tensor<2x10xi8>) -> tensor<2x10xf32> {
  %s = nn.constant dense<0.5> : tensor<f32>
  %t = nn.constant dense<0.003> : tensor<f32>
  %0 = nn.dequantize %x, %s {axis = 0 : i64, block_size = 0 : i64} : (tensor<2x10xi8>, tensor<f32>) -> tensor<2x10xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : (tensor<2x10xf32>) -> tensor<2x10xf32>
  %2 = nn.quantize %1, %t {axis = 0 : i64, block_size = 0 : i64, to = i8} : (tensor<2x10xf32>, tensor<f32>) -> tensor<2x10xi8>
  %3 = nn.dequantize %2, %t {axis = 0 : i64, block_size = 0 : i64} : (tensor<2x10xi8>, tensor<f32>) -> tensor<2x10xf32>
  return %3 : tensor<2x10xf32>
}

// Two element-wise readers, each with a dequantization of its own, become one step.
// CHECK-LABEL: @gate
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<2x10xi8>) outs(%{{.*}} : tensor<2x10xi8>)
// CHECK: math.exp
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @gate(%x: tensor<2x10xi8>) -> tensor<2x10xi8> {
  %s = nn.constant dense<0.5> : tensor<f32>
  %t = nn.constant dense<0.003> : tensor<f32>
  %0 = nn.dequantize %x, %s {axis = 0 : i64, block_size = 0 : i64} : (tensor<2x10xi8>, tensor<f32>) -> tensor<2x10xf32>
  %1 = nn.sigmoid %0 : (tensor<2x10xf32>) -> tensor<2x10xf32>
  %2 = nn.quantize %1, %t {axis = 0 : i64, block_size = 0 : i64, to = i8} : (tensor<2x10xf32>, tensor<f32>) -> tensor<2x10xi8>
  %3 = nn.dequantize %2, %t {axis = 0 : i64, block_size = 0 : i64} : (tensor<2x10xi8>, tensor<f32>) -> tensor<2x10xf32>
  %4 = nn.mul %0, %3 : (tensor<2x10xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
  %5 = nn.quantize %4, %s {axis = 0 : i64, block_size = 0 : i64, to = i8} : (tensor<2x10xf32>, tensor<f32>) -> tensor<2x10xi8>
  return %5 : tensor<2x10xi8>
}

// A convolution of real values that is quantized stores bytes.
// CHECK-LABEL: @first_layer
// CHECK: kern.conv2d ins(%arg0, %{{.*}}) epilogue {
// CHECK: kern.quantize
// CHECK: -> tensor<1x4x4x8xi8>
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @first_layer(%x: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xi8> {
  %s = nn.constant dense<0.5> : tensor<f32>
  %w = nn.constant dense<1.0> : tensor<8x8x1x1xf32>
  %0 = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, channels_last} : (tensor<1x4x4x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x4x4x8xf32>
  %1 = nn.quantize %0, %s {axis = 0 : i64, block_size = 0 : i64, to = i8} : (tensor<1x4x4x8xf32>, tensor<f32>) -> tensor<1x4x4x8xi8>
  return %1 : tensor<1x4x4x8xi8>
}

// A scale for each channel: the values are in memory.
// CHECK-LABEL: @channels
// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%arg0
// CHECK: kern.max_pool2d ins(%[[X]],
// CHECK-NOT: dequantized
// CHECK: return
func.func @channels(%x: tensor<1x4x4x2xi8>) -> tensor<1x2x2x2xf32> {
  %s = nn.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %0 = nn.dequantize %x, %s {axis = 3 : i64, block_size = 0 : i64} : (tensor<1x4x4x2xi8>, tensor<2xf32>) -> tensor<1x4x4x2xf32>
  %1 = nn.max_pool %0 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, channels_last} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
  return %1 : tensor<1x2x2x2xf32>
}

// Where the model computes (x - 127.5) / 2, no zero point does.
// CHECK-LABEL: @half
// CHECK: linalg.generic
// CHECK: kern.average_pool2d
// CHECK-NOT: dequantized
// CHECK: return
func.func @half(%x: tensor<1x4x4x8xi8>) -> tensor<1x2x2x8xf32> {
  %z = arith.constant 127.5 : f32
  %s = arith.constant 0.5 : f32
  %0 = tensor.empty() : tensor<1x4x4x8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>, affine_map<(n, h, w, c) -> (n, h, w, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x : tensor<1x4x4x8xi8>) outs(%0 : tensor<1x4x4x8xf32>) {
  ^bb0(%byte: i8, %out: f32):
    %2 = arith.uitofp %byte : i8 to f32
    %3 = arith.subf %2, %z : f32
    %4 = arith.mulf %3, %s : f32
    linalg.yield %4 : f32
  } -> tensor<1x4x4x8xf32>
  %5 = tensor.empty() : tensor<1x2x2x8xf32>
  %6 = kern.average_pool2d ins(%1, %5) {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, extra_maps = []} : (tensor<1x4x4x8xf32>, tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32>
  return %6 : tensor<1x2x2x8xf32>
}
