// Quantization is written at the ranges that were chosen.
// RUN: aotc-opt %s --aotc-quantize-layers --split-input-file | FileCheck %s
// RUN: aotc-opt %s --aotc-quantize-layers --aotc-integer-convolutions --aotc-integer-products --aotc-dequantize-constants --split-input-file | FileCheck %s --check-prefix=INTEGER

// 0.01 a step of x, with 0 at 100; 0.02 one of the result, whose relu is its zero point. Each filter has a scale; the
// bias is in units of 0.01 times that. No layer follows the last one, whose result stays real.
// CHECK-LABEL: @conv
// CHECK-DAG: %[[SX:.*]] = nn.constant dense<0.00999999977> : tensor<f32>
// CHECK-DAG: %[[ZX:.*]] = nn.constant dense<100> : tensor<ui8>
// CHECK: %[[Q:.*]] = nn.quantize %arg0, %[[SX]], %[[ZX]]
// CHECK: %[[X:.*]] = nn.dequantize %[[Q]], %[[SX]], %[[ZX]]
// CHECK: nn.constant dense<{{\[\[\[\[}}127]], {{\[\[}}-64]]], {{\[\[\[}}127]], {{\[\[}}0]]]]> : tensor<2x2x1x1xi8>
// CHECK: nn.constant dense<[5.000000e-01, 2.000000e+00]> : tensor<2xf32>
// CHECK: nn.constant dense<[20, -10]> : tensor<2xi32>
// CHECK: %[[Y:.*]] = nn.conv %[[X]]
// CHECK-NOT: nn.relu
// CHECK: nn.quantize %[[Y]]
// CHECK: nn.dequantize
// CHECK: %[[LAST:.*]] = nn.conv
// CHECK: return %[[LAST]]
// INTEGER-LABEL: @conv
// INTEGER: nn.quantized_conv
// INTEGER-SAME: high = 255 : i64, low = 0 : i64
// INTEGER: nn.quantized_conv
// INTEGER-SAME: to = f32
// INTEGER-NOT: nn.conv
func.func @conv(%x: tensor<1x2x4x4xf32> {aotc.range = array<f64: -1.0, 1.55>}) -> tensor<1x1x4x4xf32> {
  %w = nn.constant dense<[[[[63.5]], [[-32.0]]], [[[254.0]], [[0.0]]]]> : tensor<2x2x1x1xf32>
  %b = nn.constant dense<[0.1, -0.2]> : tensor<2xf32>
  %0 = nn.conv %x, %w, %b {aotc.precision = "int8", dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %1 = nn.relu %0 {aotc.range = array<f64: 0.0, 5.1>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %v = nn.constant dense<1.0> : tensor<1x2x1x1xf32>
  %2 = nn.conv %1, %v {aotc.precision = "int8", dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x4x4xf32>
  return %2 : tensor<1x1x4x4xf32>
}

// -----

// Of all scales the one with the least error: 63.5 is 126 steps rather than 127, since 31.8 then is nearly 63. The 0.05
// that are left, times the mean of the second channel, come off the bias in units of 0.01 * 63.5 / 126.
// CHECK-LABEL: @mean
// CHECK: nn.constant dense<{{\[\[\[\[}}126]], {{\[\[}}-63]]]]> : tensor<1x2x1x1xi8>
// CHECK: nn.constant dense<-99> : tensor<1xi32>
func.func @mean(%x: tensor<1x2x4x4xf32> {aotc.range = array<f64: -1.0, 1.55>}) -> tensor<1x1x4x4xf32> {
  %w = nn.constant dense<[[[[63.5]], [[-31.8]]]]> : tensor<1x2x1x1xf32>
  %0 = nn.conv %x, %w {aotc.precision = "int8", aotc.range = array<f64: -2.0, 2.0>, aotc.input_mean = array<f64: 2.0, 10.0>, aotc.input_power = array<f64: 1.0e12, 1.0>, dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x4x4xf32>
  return %0 : tensor<1x1x4x4xf32>
}

// -----

// Bytes are moved, padded with their zero point, compared for the largest and put beside each other: one scale for both
// parts of the concat, that of the wider one.
// CHECK-LABEL: @movement
// CHECK-DAG: %[[S:.*]] = nn.constant dense<2.000000e+00> : tensor<f32>
// CHECK-DAG: %[[Z:.*]] = nn.constant dense<128> : tensor<ui8>
// CHECK-DAG: %[[A:.*]] = nn.quantize %arg0, %[[S]], %[[Z]]
// CHECK-DAG: %[[B:.*]] = nn.quantize %arg1, %[[S]], %[[Z]]
// CHECK: %[[M:.*]] = nn.max_pool %[[B]] {{.*}} -> tensor<1x1x4x4xui8>
// CHECK: %[[C:.*]] = nn.concat %[[A]], %[[M]] {{.*}} -> tensor<1x2x4x4xui8>
// CHECK: nn.pad %[[C]] {{.*}} value = 128 : ui8
// INTEGER-LABEL: @movement
// INTEGER-NOT: nn.dequantize {{.*}}4x4
// INTEGER: nn.quantized_conv
func.func @movement(%a: tensor<1x1x4x4xf32> {aotc.range = array<f64: -1.0, 1.0>}, %b: tensor<1x1x8x8xf32> {aotc.range = array<f64: -256.0, 254.0>}) -> tensor<1x1x6x6xf32> {
  %w = nn.constant dense<1.0> : tensor<1x2x1x1xf32>
  %0 = nn.max_pool %b {dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x1x8x8xf32>) -> tensor<1x1x4x4xf32>
  %1 = nn.concat %a, %0 {axis = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = nn.pad %1 {high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, mode = 0 : i32, value = 0.0 : f32} : (tensor<1x2x4x4xf32>) -> tensor<1x2x6x6xf32>
  %3 = nn.conv %2, %w {aotc.precision = "int8", aotc.range = array<f64: -2.0, 2.0>, dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x6x6xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x6x6xf32>
  return %3 : tensor<1x1x6x6xf32>
}

// -----

// What is padded with counts for the range: the padded tensor is quantized, not what it is made of.
// CHECK-LABEL: @padded
// CHECK: %[[P:.*]] = nn.pad %arg0 {{.*}} value = 5.000000e+01 : f32
// CHECK: nn.quantize %[[P]]
// INTEGER-LABEL: @padded
// INTEGER: nn.quantized_conv
func.func @padded(%x: tensor<1x2x4x4xf32>) -> tensor<1x1x6x6xf32> {
  %w = nn.constant dense<1.0> : tensor<1x2x1x1xf32>
  %0 = nn.pad %x {aotc.range = array<f64: -1.0, 50.0>, high = array<i64: 0, 0, 1, 1>, low = array<i64: 0, 0, 1, 1>, mode = 0 : i32, value = 50.0 : f32} : (tensor<1x2x4x4xf32>) -> tensor<1x2x6x6xf32>
  %1 = nn.conv %0, %w {aotc.precision = "int8", aotc.range = array<f64: -2.0, 100.0>, dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x6x6xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x6x6xf32>
  return %1 : tensor<1x1x6x6xf32>
}

// -----

// A product keeps its f32 result. Columns have the scales.
// CHECK-LABEL: @product
// CHECK: nn.constant dense<[5.000000e-01, 2.000000e+00]> : tensor<2xf32>
// CHECK: nn.dequantize {{.*}} {axis = 1 : i64
// CHECK: nn.matmul
// CHECK-NOT: nn.quantize
// INTEGER-LABEL: @product
// INTEGER: nn.quantized_matmul
func.func @product(%x: tensor<3x4xf32> {aotc.range = array<f64: -1.0, 1.55>}) -> tensor<3x2xf32> {
  %w = nn.constant dense<[[63.5, 254.0], [1.0, 4.0], [2.0, 4.0], [0.0, 0.0]]> : tensor<4x2xf32>
  %0 = nn.matmul %x, %w {aotc.precision = "int8"} : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

// Without marks nothing happens.
// CHECK-LABEL: @unmarked
// CHECK-NOT: nn.quantize
func.func @unmarked(%x: tensor<3x4xf32> {aotc.range = array<f64: -1.0, 1.55>}) -> tensor<3x2xf32> {
  %w = nn.constant dense<1.0> : tensor<4x2xf32>
  %0 = nn.matmul %x, %w : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
