// Behind DequantizeLinear a convolution is one of integers.
// RUN: aotc-opt %s --aotc-integer-convolutions --aotc-dequantize-constants | FileCheck %s

// Scales 0.5 for x, 0.25 for w, 2 for y: one in the sum is 1/8, and 1/16 of a step of y. The bias is 10 and -20 of the
// sum's units; relu is the zero point, the minimum of 100 is 50 steps above it.
// CHECK-LABEL: @relu6
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{.*}}> : tensor<8x2x1x1xi16>
// CHECK-DAG: nn.constant dense<[10, -20, 0, 0, 0, 0, 0, 0]> : tensor<8xi32>
// CHECK-DAG: %[[S:.*]] = nn.constant dense<6.250000e-02> : tensor<8xf32>
// CHECK: nn.quantized_conv %arg0, %[[W]], %{{.*}}, %[[S]] {
// CHECK-SAME: high = 53 : i64
// CHECK-SAME: low = 3 : i64
// CHECK-SAME: to = ui8
// CHECK-SAME: x_zero_point = 128 : i64, zero_point = 3 : i64
// CHECK-NOT: nn.conv
func.func @relu6(%x: tensor<1x2x4x4xui8>) -> tensor<1x8x4x4xui8> {
  %sx = nn.constant dense<0.5> : tensor<f32>
  %zx = nn.constant dense<128> : tensor<ui8>
  %w = nn.constant dense<5> : tensor<8x2x1x1xi8>
  %sw = nn.constant dense<0.25> : tensor<f32>
  %b = nn.constant dense<[10, -20, 0, 0, 0, 0, 0, 0]> : tensor<8xi32>
  %sb = nn.constant dense<0.125> : tensor<f32>
  %sy = nn.constant dense<2.0> : tensor<f32>
  %zy = nn.constant dense<3> : tensor<ui8>
  %limit = nn.constant dense<100.0> : tensor<f32>
  %0 = nn.dequantize %x, %sx, %zx {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x2x4x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x4xf32>
  %1 = nn.dequantize %w, %sw {axis = 0 : i64, block_size = 0 : i64} : (tensor<8x2x1x1xi8>, tensor<f32>) -> tensor<8x2x1x1xf32>
  %2 = nn.dequantize %b, %sb {axis = 0 : i64, block_size = 0 : i64} : (tensor<8xi32>, tensor<f32>) -> tensor<8xf32>
  %3 = nn.conv %0, %1, %2 {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<8x2x1x1xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %4 = nn.relu %3 : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  %5 = nn.min %4, %limit : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xf32>
  %6 = nn.quantize %5, %sy, %zy {axis = 0 : i64, block_size = 0 : i64, to = ui8} : (tensor<1x8x4x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x8x4x4xui8>
  return %6 : tensor<1x8x4x4xui8>
}

// Limits are quantized in f32, where 0.35 / 0.1 is a tie; in double it is below.
// CHECK-LABEL: @limit
// CHECK: nn.quantized_conv
// CHECK-SAME: high = 4 : i64
func.func @limit(%x: tensor<1x2x4x4xui8>) -> tensor<1x8x4x4xui8> {
  %s = nn.constant dense<0.1> : tensor<f32>
  %w = nn.constant dense<5> : tensor<8x2x1x1xi8>
  %limit = nn.constant dense<0.35> : tensor<f32>
  %0 = nn.dequantize %x, %s {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x2x4x4xui8>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %1 = nn.dequantize %w, %s {axis = 0 : i64, block_size = 0 : i64} : (tensor<8x2x1x1xi8>, tensor<f32>) -> tensor<8x2x1x1xf32>
  %2 = nn.conv %0, %1 {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<8x2x1x1xf32>) -> tensor<1x8x4x4xf32>
  %3 = nn.min %2, %limit : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xf32>
  %4 = nn.quantize %3, %s {axis = 0 : i64, block_size = 0 : i64, to = ui8} : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xui8>
  return %4 : tensor<1x8x4x4xui8>
}

// Scales whose product f32 does not hold, though it holds all that is computed with each of them.
// CHECK-LABEL: @extreme
// CHECK-COUNT-2: nn.conv
// CHECK-NOT: nn.quantized_conv
func.func @extreme(%x: tensor<1x2x4x4xui8>) -> (tensor<1x8x4x4xui8>, tensor<1x8x4x4xui8>) {
  %huge = nn.constant dense<1.0e20> : tensor<f32>
  %tiny = nn.constant dense<1.0e-20> : tensor<f32>
  %w = nn.constant dense<5> : tensor<8x2x1x1xi8>
  %0 = nn.dequantize %x, %huge {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x2x4x4xui8>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %1 = nn.dequantize %w, %huge {axis = 0 : i64, block_size = 0 : i64} : (tensor<8x2x1x1xi8>, tensor<f32>) -> tensor<8x2x1x1xf32>
  %2 = nn.conv %0, %1 {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<8x2x1x1xf32>) -> tensor<1x8x4x4xf32>
  %3 = nn.quantize %2, %huge {axis = 0 : i64, block_size = 0 : i64, to = ui8} : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xui8>
  %4 = nn.dequantize %x, %tiny {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x2x4x4xui8>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %5 = nn.dequantize %w, %tiny {axis = 0 : i64, block_size = 0 : i64} : (tensor<8x2x1x1xi8>, tensor<f32>) -> tensor<8x2x1x1xf32>
  %6 = nn.conv %4, %5 {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<8x2x1x1xf32>) -> tensor<1x8x4x4xf32>
  %7 = nn.quantize %6, %tiny {axis = 0 : i64, block_size = 0 : i64, to = ui8} : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xui8>
  return %3, %7 : tensor<1x8x4x4xui8>, tensor<1x8x4x4xui8>
}

// A bias that is no whole number of the sums' units of 1/8: two of them, and half a one, which is 1/32 of a step of y.
// CHECK-LABEL: @rest
// CHECK-DAG: %[[B:.*]] = nn.constant dense<2> : tensor<8xi32>
// CHECK-DAG: %[[R:.*]] = nn.constant dense<3.125000e-02> : tensor<8xf32>
// CHECK: nn.quantized_conv %arg0, %{{.*}}, %[[B]], %{{.*}} shift %[[R]] {
func.func @rest(%x: tensor<1x2x4x4xui8>) -> tensor<1x8x4x4xui8> {
  %sx = nn.constant dense<0.5> : tensor<f32>
  %w = nn.constant dense<5> : tensor<8x2x1x1xi8>
  %sw = nn.constant dense<0.25> : tensor<f32>
  %b = nn.constant dense<0.3125> : tensor<8xf32>
  %sy = nn.constant dense<2.0> : tensor<f32>
  %0 = nn.dequantize %x, %sx {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x2x4x4xui8>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %1 = nn.dequantize %w, %sw {axis = 0 : i64, block_size = 0 : i64} : (tensor<8x2x1x1xi8>, tensor<f32>) -> tensor<8x2x1x1xf32>
  %2 = nn.conv %0, %1, %b {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<8x2x1x1xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %3 = nn.quantize %2, %sy {axis = 0 : i64, block_size = 0 : i64, to = ui8} : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xui8>
  return %3 : tensor<1x8x4x4xui8>
}

// A scale and a zero point for each filter; the weights lose the latter. The last filter's scale of 0 makes it zeros.
// CHECK-LABEL: @per_filter
// CHECK-DAG: nn.constant dense<{{\[\[\[\[}}7]]], {{\[\[\[}}6]]], {{\[\[\[}}5]]], {{\[\[\[}}4]]], {{\[\[\[}}3]]], {{\[\[\[}}2]]], {{\[\[\[}}1]]], {{\[\[\[}}0]]]]> : tensor<8x1x1x1xi16>
// CHECK-DAG: nn.constant dense<[1.000000e+00, 2.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00, 1.000000e+00]> : tensor<8xf32>
// CHECK: nn.quantized_conv
// CHECK-SAME: high = 127 : i64
// CHECK-SAME: low = -128 : i64
func.func @per_filter(%x: tensor<1x1x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %one = nn.constant dense<1.0> : tensor<f32>
  %w = nn.constant dense<7> : tensor<8x1x1x1xi8>
  %sw = nn.constant dense<[1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]> : tensor<8xf32>
  %zw = nn.constant dense<[0, 1, 2, 3, 4, 5, 6, 9]> : tensor<8xi8>
  %0 = nn.dequantize %x, %one {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x1x4x4xi8>, tensor<f32>) -> tensor<1x1x4x4xf32>
  %1 = nn.dequantize %w, %sw, %zw {axis = 0 : i64, block_size = 0 : i64} : (tensor<8x1x1x1xi8>, tensor<8xf32>, tensor<8xi8>) -> tensor<8x1x1x1xf32>
  %2 = nn.conv %0, %1 {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x1x4x4xf32>, tensor<8x1x1x1xf32>) -> tensor<1x8x4x4xf32>
  %3 = nn.quantize %2, %one {axis = 0 : i64, block_size = 0 : i64, to = i8} : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xi8>
  return %3 : tensor<1x8x4x4xi8>
}

// What others read too, and what something else lies behind, is real: one in the sum is 1/8, and a bias of 5/16 two of
// them and 1/16.
// CHECK-LABEL: @real
// CHECK-DAG: %[[B:.*]] = nn.constant dense<2> : tensor<8xi32>
// CHECK-DAG: %[[S:.*]] = nn.constant dense<1.250000e-01> : tensor<8xf32>
// CHECK-DAG: %[[R:.*]] = nn.constant dense<6.250000e-02> : tensor<8xf32>
// CHECK: %[[Y:.*]] = nn.quantized_conv %arg0, %{{.*}}, %[[B]], %[[S]] shift %[[R]] {
// CHECK-SAME: to = f32
// CHECK: nn.quantize %[[Y]]
// CHECK: nn.sigmoid %[[Y]]
func.func @real(%x: tensor<1x2x4x4xui8>) -> (tensor<1x8x4x4xui8>, tensor<1x8x4x4xf32>) {
  %sx = nn.constant dense<0.5> : tensor<f32>
  %w = nn.constant dense<5> : tensor<8x2x1x1xi8>
  %sw = nn.constant dense<0.25> : tensor<f32>
  %b = nn.constant dense<0.3125> : tensor<8xf32>
  %0 = nn.dequantize %x, %sx {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x2x4x4xui8>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %1 = nn.dequantize %w, %sw {axis = 0 : i64, block_size = 0 : i64} : (tensor<8x2x1x1xi8>, tensor<f32>) -> tensor<8x2x1x1xf32>
  %2 = nn.conv %0, %1, %b {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<8x2x1x1xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
  %3 = nn.quantize %2, %sx {axis = 0 : i64, block_size = 0 : i64, to = ui8} : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xui8>
  %4 = nn.sigmoid %2 : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
  return %3, %4 : tensor<1x8x4x4xui8>, tensor<1x8x4x4xf32>
}

// Another scale for each channel of x; weights that are no constant.
// CHECK-LABEL: @kept
// CHECK-COUNT-2: nn.conv
// CHECK-NOT: nn.quantized_conv
func.func @kept(%x: tensor<1x2x4x4xi8>, %v: tensor<8x2x1x1xi8>) -> (tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>) {
  %one = nn.constant dense<1.0> : tensor<f32>
  %two = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %w = nn.constant dense<7> : tensor<8x2x1x1xi8>
  %0 = nn.dequantize %x, %one {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x2x4x4xi8>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %1 = nn.dequantize %w, %one {axis = 0 : i64, block_size = 0 : i64} : (tensor<8x2x1x1xi8>, tensor<f32>) -> tensor<8x2x1x1xf32>
  %4 = nn.dequantize %x, %two {axis = 1 : i64, block_size = 0 : i64} : (tensor<1x2x4x4xi8>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %5 = nn.conv %4, %1 {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<8x2x1x1xf32>) -> tensor<1x8x4x4xf32>
  %6 = nn.quantize %5, %one {axis = 0 : i64, block_size = 0 : i64, to = i8} : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xi8>
  %7 = nn.dequantize %v, %one {axis = 0 : i64, block_size = 0 : i64} : (tensor<8x2x1x1xi8>, tensor<f32>) -> tensor<8x2x1x1xf32>
  %8 = nn.conv %0, %7 {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<8x2x1x1xf32>) -> tensor<1x8x4x4xf32>
  %9 = nn.quantize %8, %one {axis = 0 : i64, block_size = 0 : i64, to = i8} : (tensor<1x8x4x4xf32>, tensor<f32>) -> tensor<1x8x4x4xi8>
  return %6, %9 : tensor<1x8x4x4xi8>, tensor<1x8x4x4xi8>
}

// Constants that are dequantized for anything else become their real values here.
// CHECK-LABEL: @per_axis
// CHECK: nn.constant dense<{{\[\[}}5.000000e-01, 1.000000e+00], [-4.000000e+00, 0.000000e+00]]> : tensor<2x2xf32>
func.func @per_axis() -> tensor<2x2xf32> {
  %0 = nn.constant dense<[[2, 3], [3, 5]]> : tensor<2x2xi8>
  %1 = nn.constant dense<[0.5, 2.0]> : tensor<2xf32>
  %2 = nn.constant dense<[1, 5]> : tensor<2xi8>
  %3 = nn.dequantize %0, %1, %2 {axis = 0 : i64, block_size = 0 : i64} : (tensor<2x2xi8>, tensor<2xf32>, tensor<2xi8>) -> tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}

// Blocks of two elements along the last axis, the last one cut short.
// CHECK-LABEL: @blocked
// CHECK: nn.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+01], [4.000000e+02, 5.000000e+02, 6.000000e+03]]>
func.func @blocked() -> tensor<2x3xf32> {
  %0 = nn.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui8>
  %1 = nn.constant dense<[[1.0, 10.0], [100.0, 1000.0]]> : tensor<2x2xf32>
  %2 = nn.dequantize %0, %1 {axis = 1 : i64, block_size = 2 : i64} : (tensor<2x3xui8>, tensor<2x2xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// Scales of the weights' own rank broadcast to them: they are none for each filter.
// CHECK-LABEL: @own_rank
// CHECK: nn.conv
// CHECK-NOT: nn.quantized_conv
func.func @own_rank(%x: tensor<1x2x4x4xi8>) -> tensor<1x4x4x4xf32> {
  %w = nn.constant dense<3> : tensor<4x2x1x1xi8>
  %s = nn.constant dense<[[[[1.0]], [[2.0]]]]> : tensor<1x2x1x1xf32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %0 = nn.dequantize %x, %one {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x2x4x4xi8>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %1 = nn.dequantize %w, %s {axis = 0 : i64, block_size = 0 : i64} : (tensor<4x2x1x1xi8>, tensor<1x2x1x1xf32>) -> tensor<4x2x1x1xf32>
  %2 = nn.conv %0, %1 {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x4x4xf32>
  return %2 : tensor<1x4x4x4xf32>
}
