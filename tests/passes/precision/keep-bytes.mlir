// What moves or picks elements works on quantized ones.
// RUN: aotc-opt %s --aotc-keep-bytes | FileCheck %s

// The same scale and zero point before and behind: no conversion is left.
// CHECK-LABEL: @pool
// CHECK: %[[Y:.*]] = nn.max_pool %arg0 {{.*}} (tensor<1x2x4x4xi8>) -> tensor<1x2x2x2xi8>
// CHECK-NEXT: return %[[Y]]
func.func @pool(%x: tensor<1x2x4x4xi8>) -> tensor<1x2x2x2xi8> {
  %s = nn.constant dense<0.1> : tensor<f32>
  %z = nn.constant dense<3> : tensor<i8>
  %0 = nn.dequantize %x, %s, %z {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x2x4x4xi8>, tensor<f32>, tensor<i8>) -> tensor<1x2x4x4xf32>
  %1 = nn.max_pool %0 {dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x2x2xf32>
  %2 = nn.quantize %1, %s, %z {axis = 0 : i64, block_size = 0 : i64, to = i8} : (tensor<1x2x2x2xf32>, tensor<f32>, tensor<i8>) -> tensor<1x2x2x2xi8>
  return %2 : tensor<1x2x2x2xi8>
}

// Taps two apart miss an image of one pixel in windows that begin beside it: no byte stands for the lowest float.
// CHECK-LABEL: @empty_windows
// CHECK: %[[R:.*]] = nn.dequantize %arg0
// CHECK: nn.max_pool %[[R]]
func.func @empty_windows(%x: tensor<1x2x1x1xi8>) -> tensor<1x2x2x2xf32> {
  %s = nn.constant dense<0.1> : tensor<f32>
  %0 = nn.dequantize %x, %s {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x2x1x1xi8>, tensor<f32>) -> tensor<1x2x1x1xf32>
  %1 = nn.max_pool %0 {dilations = array<i64: 2, 2>, kernel = array<i64: 2, 2>, pads = array<i64: 1, 1, 2, 2>, strides = array<i64: 1, 1>} : (tensor<1x2x1x1xf32>) -> tensor<1x2x2x2xf32>
  return %1 : tensor<1x2x2x2xf32>
}

// Parts with other scales than the whole are converted on their own; the one of the same scale is not.
// CHECK-LABEL: @concat
// CHECK: %[[A:.*]] = nn.dequantize %arg0
// CHECK: %[[Q:.*]] = nn.quantize %[[A]]
// CHECK: nn.concat %[[Q]], %arg1 {axis = 1 : i64} : (tensor<1x2xi8>, tensor<1x3xi8>) -> tensor<1x5xi8>
// CHECK: nn.transpose {{.*}} -> tensor<5x1xi8>
// CHECK-NEXT: return
func.func @concat(%a: tensor<1x2xi8>, %b: tensor<1x3xi8>) -> tensor<5x1xi8> {
  %s = nn.constant dense<0.1> : tensor<f32>
  %t = nn.constant dense<0.2> : tensor<f32>
  %0 = nn.dequantize %a, %s {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x2xi8>, tensor<f32>) -> tensor<1x2xf32>
  %1 = nn.dequantize %b, %t {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x3xi8>, tensor<f32>) -> tensor<1x3xf32>
  %2 = nn.concat %0, %1 {axis = 1 : i64} : (tensor<1x2xf32>, tensor<1x3xf32>) -> tensor<1x5xf32>
  %3 = nn.transpose %2 {permutation = array<i64: 1, 0>} : (tensor<1x5xf32>) -> tensor<5x1xf32>
  %4 = nn.quantize %3, %t {axis = 0 : i64, block_size = 0 : i64, to = i8} : (tensor<5x1xf32>, tensor<f32>) -> tensor<5x1xi8>
  return %4 : tensor<5x1xi8>
}

// A reshape for a reader in f32: it is converted once reshaped.
// CHECK-LABEL: @reshape
// CHECK: %[[R:.*]] = nn.reshape %arg0 {{.*}} -> tensor<8xui8>
// CHECK: nn.dequantize %[[R]]
// CHECK-NEXT: return
func.func @reshape(%x: tensor<2x4xui8>) -> tensor<8xf32> {
  %s = nn.constant dense<0.1> : tensor<f32>
  %0 = nn.dequantize %x, %s {axis = 0 : i64, block_size = 0 : i64} : (tensor<2x4xui8>, tensor<f32>) -> tensor<2x4xf32>
  %1 = nn.reshape %0 {shape = array<i64: 8>} : (tensor<2x4xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Pads are quantized too, and are a convolution's own where they stand for 0.
// CHECK-LABEL: @pads
// CHECK: nn.pad %arg0 {{.*}}value = 23 : ui8{{.*}} (tensor<1x2x4x4xui8>) -> tensor<1x2x5x4xui8>
// CHECK: %[[X:.*]] = nn.dequantize %arg0
// CHECK: nn.conv %[[X]], %{{.*}}pads = array<i64: 2, 0, 1, 3>
func.func @pads(%x: tensor<1x2x4x4xui8>) -> (tensor<1x2x5x4xui8>, tensor<1x1x6x6xf32>) {
  %s = nn.constant dense<0.1> : tensor<f32>
  %z = nn.constant dense<3> : tensor<ui8>
  %w = nn.constant dense<1.0> : tensor<1x2x2x2xf32>
  %0 = nn.dequantize %x, %s, %z {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xf32>
  %1 = nn.pad %0 {low = array<i64: 0, 0, 0, 0>, high = array<i64: 0, 0, 1, 0>, mode = 0 : i32, value = 2.0 : f32} : (tensor<1x2x4x4xf32>) -> tensor<1x2x5x4xf32>
  %2 = nn.quantize %1, %s, %z {axis = 0 : i64, block_size = 0 : i64, to = ui8} : (tensor<1x2x5x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x2x5x4xui8>
  %3 = nn.pad %0 {low = array<i64: 0, 0, 1, 0>, high = array<i64: 0, 0, 1, 2>, mode = 0 : i32, value = 0.0 : f32} : (tensor<1x2x4x4xf32>) -> tensor<1x2x6x6xf32>
  %4 = nn.conv %3, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 0, 0, 1>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x2x6x6xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x6x6xf32>
  return %2, %4 : tensor<1x2x5x4xui8>, tensor<1x1x6x6xf32>
}

// Scales for each row; another zero point behind; a scale whose products are no normal numbers; two readers of what
// is quantized.
// CHECK-LABEL: @kept
// CHECK: nn.dequantize %arg0
// CHECK: nn.transpose {{.*}} -> tensor<4x2xf32>
// CHECK: nn.dequantize %arg0
// CHECK: nn.quantize
// CHECK: nn.dequantize %arg0
// CHECK: nn.quantize
// CHECK: nn.transpose {{.*}} -> tensor<4x2xf32>
// CHECK: nn.quantize
func.func @kept(%x: tensor<2x4xi8>, %y: tensor<2x4xf32>) -> (tensor<4x2xf32>, tensor<2x4xi8>, tensor<2x4xi8>, tensor<4x2xf32>, tensor<4x2xi8>) {
  %rows = nn.constant dense<[0.1, 0.2]> : tensor<2xf32>
  %s = nn.constant dense<0.1> : tensor<f32>
  %tiny = nn.constant dense<1.0e-40> : tensor<f32>
  %z = nn.constant dense<3> : tensor<i8>
  %0 = nn.dequantize %x, %rows {axis = 0 : i64, block_size = 0 : i64} : (tensor<2x4xi8>, tensor<2xf32>) -> tensor<2x4xf32>
  %1 = nn.transpose %0 {permutation = array<i64: 1, 0>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %2 = nn.dequantize %x, %s {axis = 0 : i64, block_size = 0 : i64} : (tensor<2x4xi8>, tensor<f32>) -> tensor<2x4xf32>
  %3 = nn.quantize %2, %s, %z {axis = 0 : i64, block_size = 0 : i64, to = i8} : (tensor<2x4xf32>, tensor<f32>, tensor<i8>) -> tensor<2x4xi8>
  %4 = nn.dequantize %x, %tiny {axis = 0 : i64, block_size = 0 : i64} : (tensor<2x4xi8>, tensor<f32>) -> tensor<2x4xf32>
  %5 = nn.quantize %4, %tiny {axis = 0 : i64, block_size = 0 : i64, to = i8} : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xi8>
  %6 = nn.transpose %y {permutation = array<i64: 1, 0>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %7 = nn.quantize %6, %s {axis = 0 : i64, block_size = 0 : i64, to = i8} : (tensor<4x2xf32>, tensor<f32>) -> tensor<4x2xi8>
  return %1, %3, %5, %6, %7 : tensor<4x2xf32>, tensor<2x4xi8>, tensor<2x4xi8>, tensor<4x2xf32>, tensor<4x2xi8>
}

// Of a table that is read by indices, the rows are dequantized.
// CHECK-LABEL: @table
// CHECK: %[[R:.*]] = nn.gather %{{.*}}, %arg0 {axis = 0 : i64} : (tensor<30x4xi8>, tensor<2xi64>) -> tensor<2x4xi8>
// CHECK: nn.dequantize %[[R]]
func.func @table(%indices: tensor<2xi64>) -> tensor<2x4xf32> {
  %s = nn.constant dense<0.5> : tensor<f32>
  %table = nn.constant dense<3> : tensor<30x4xi8>
  %0 = nn.dequantize %table, %s {axis = 0 : i64, block_size = 0 : i64} : (tensor<30x4xi8>, tensor<f32>) -> tensor<30x4xf32>
  %1 = nn.gather %0, %indices {axis = 0 : i64} : (tensor<30x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
