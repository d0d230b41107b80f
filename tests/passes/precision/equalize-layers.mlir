// Channels of a tensor between convolutions get one range where its reader does not mind.
// RUN: aotc-opt %s --aotc-equalize-layers | FileCheck %s

// The second channel is a quarter of the first one: its filter is multiplied by 4, the depthwise reader's divided by it,
// and its limit of 6 becomes 24. The mean of the reader's input moves along.
// CHECK-LABEL: @depthwise
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[\[\[\[}}1.000000e+00]], {{\[\[}}5.000000e-01]]], {{\[\[\[}}-1.000000e+00]], {{\[\[}}0.000000e+00]]]]>
// CHECK-DAG: %[[B:.*]] = nn.constant dense<[1.000000e-01, -8.000000e-01]>
// CHECK: nn.conv %arg0, %[[W]], %[[B]]
// CHECK: nn.relu
// CHECK: %[[SIX:.*]] = nn.constant dense<{{\[\[\[}}6.000000e+00]], {{\[\[}}2.400000e+01]]]> : tensor<2x1x1xf32>
// CHECK: nn.min %{{.*}}, %[[SIX]] {aotc.channel_magnitude = array<f64: 4.000000e+00, 4.000000e+00>
// CHECK-SAME: aotc.divisors = array<f64: 1.000000e+00, 2.500000e-01>
// CHECK: %[[V:.*]] = nn.constant dense<{{\[\[\[\[}}8.000000e+00]]], {{\[\[\[}}2.000000e+00]]]]>
// CHECK: nn.conv %{{.*}}, %[[V]] {aotc.input_mean = array<f64: 1.000000e+00, 1.000000e+00>
func.func @depthwise(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = nn.constant dense<[[[[1.0]], [[0.5]]], [[[-0.25]], [[0.0]]]]> : tensor<2x2x1x1xf32>
  %b = nn.constant dense<[0.1, -0.2]> : tensor<2xf32>
  %six = nn.constant dense<6.0> : tensor<f32>
  %v = nn.constant dense<8.0> : tensor<2x1x1x1xf32>
  %0 = nn.conv %x, %w, %b {aotc.precision = "int8", dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %1 = nn.relu %0 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = nn.min %1, %six {aotc.channel_magnitude = array<f64: 4.0, 1.0>, aotc.channel_power = array<f64: 4.0, 0.3>} : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %3 = nn.conv %2, %v {aotc.precision = "int8", aotc.input_mean = array<f64: 1.0, 0.25>, dilations = array<i64: 1, 1>, group = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %3 : tensor<1x2x4x4xf32>
}

// A reader that is no convolution; a tensor that was not observed; a lower limit that would bind within the range.
// CHECK-LABEL: @kept
// CHECK-NOT: aotc.divisors
func.func @kept(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = nn.constant dense<[[[[1.0]]], [[[0.25]]]]> : tensor<2x1x1x1xf32>
  %low = nn.constant dense<-0.5> : tensor<f32>
  %0 = nn.conv %x, %w {aotc.precision = "int8", aotc.channel_magnitude = array<f64: 4.0, 1.0>, aotc.channel_power = array<f64: 4.0, 0.3>, dilations = array<i64: 1, 1>, group = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = nn.sigmoid %0 : (tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %2 = nn.conv %1, %w {aotc.precision = "int8", dilations = array<i64: 1, 1>, group = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %3 = nn.conv %2, %w {aotc.precision = "int8", dilations = array<i64: 1, 1>, group = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %4 = nn.max %3, %low {aotc.channel_magnitude = array<f64: 4.0, 1.0>, aotc.channel_power = array<f64: 4.0, 0.3>} : (tensor<1x2x4x4xf32>, tensor<f32>) -> tensor<1x2x4x4xf32>
  %5 = nn.conv %4, %w {aotc.precision = "int8", dilations = array<i64: 1, 1>, group = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %1, %2, %5 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// A limit for each column, as many as there are channels: it is none of a channel's.
// CHECK-LABEL: @columns
// CHECK-NOT: aotc.divisors
func.func @columns(%x: tensor<1x2x4x2xf32>) -> tensor<1x2x4x2xf32> {
  %w = nn.constant dense<[[[[1.0]]], [[[0.25]]]]> : tensor<2x1x1x1xf32>
  %limits = nn.constant dense<[100.0, 50.0]> : tensor<2xf32>
  %0 = nn.conv %x, %w {aotc.precision = "int8", dilations = array<i64: 1, 1>, group = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x2xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x2xf32>
  %1 = nn.min %0, %limits {aotc.channel_magnitude = array<f64: 4.0, 1.0>, aotc.channel_power = array<f64: 4.0, 0.3>} : (tensor<1x2x4x2xf32>, tensor<2xf32>) -> tensor<1x2x4x2xf32>
  %2 = nn.conv %1, %w {aotc.precision = "int8", dilations = array<i64: 1, 1>, group = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x2xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x2xf32>
  return %2 : tensor<1x2x4x2xf32>
}
