// The recurrent weights of an LSTM stay bytes where each row of the product has a scale.
// RUN: aotc-opt %s --aotc-byte-recurrences --aotc-dequantize-constants | FileCheck %s

// Unsigned weights lose their zero point of 128.
// CHECK-LABEL: @rows
// CHECK-DAG: %[[R:.*]] = nn.constant dense<2> : tensor<1x8x2xi8>
// CHECK-DAG: %[[S:.*]] = nn.constant dense<{{\[\[}}1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00]]> : tensor<1x8xf32>
// CHECK: nn.lstm %arg0, %[[R]] scales %[[S]]
func.func @rows(%gates: tensor<3x1x8xf32>) -> tensor<3x1x1x2xf32> {
  %r = nn.constant dense<130> : tensor<8x2xui8>
  %s = nn.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %z = nn.constant dense<128> : tensor<8xui8>
  %0 = nn.dequantize %r, %s, %z {axis = 0 : i64, block_size = 0 : i64} : (tensor<8x2xui8>, tensor<8xf32>, tensor<8xui8>) -> tensor<8x2xf32>
  %1 = nn.reshape %0 {shape = array<i64: 1, 8, 2>} : (tensor<8x2xf32>) -> tensor<1x8x2xf32>
  %y, %h, %c = nn.lstm %gates, %1 {activations = ["Sigmoid", "Tanh", "Tanh"], alpha = array<f32: 0.0, 0.0, 0.0>, batch_first = false, beta = array<f32: 0.0, 0.0, 0.0>, clip = 0x7F800000 : f32, coupled = false, reverse = false} : (tensor<3x1x8xf32>, tensor<1x8x2xf32>) -> (tensor<3x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return %y : tensor<3x1x1x2xf32>
}

// One scale for all, as DequantizeLinear has it.
// CHECK-LABEL: @tensor
// CHECK: nn.lstm {{.*}} scales
func.func @tensor(%gates: tensor<3x1x8xf32>) -> tensor<3x1x1x2xf32> {
  %r = nn.constant dense<-7> : tensor<1x8x2xi8>
  %s = nn.constant dense<0.5> : tensor<f32>
  %0 = nn.dequantize %r, %s {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x8x2xi8>, tensor<f32>) -> tensor<1x8x2xf32>
  %y, %h, %c = nn.lstm %gates, %0 {activations = ["Sigmoid", "Tanh", "Tanh"], alpha = array<f32: 0.0, 0.0, 0.0>, batch_first = false, beta = array<f32: 0.0, 0.0, 0.0>, clip = 0x7F800000 : f32, coupled = false, reverse = false} : (tensor<3x1x8xf32>, tensor<1x8x2xf32>) -> (tensor<3x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return %y : tensor<3x1x1x2xf32>
}

// Scales along a row, and weights that 8 bits do not hold without their zero point.
// CHECK-LABEL: @kept
// CHECK-NOT: scales
func.func @kept(%gates: tensor<3x1x8xf32>) -> (tensor<3x1x1x2xf32>, tensor<3x1x1x2xf32>) {
  %r = nn.constant dense<-100> : tensor<1x8x2xi8>
  %s = nn.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %one = nn.constant dense<1.0> : tensor<f32>
  %z = nn.constant dense<50> : tensor<i8>
  %0 = nn.dequantize %r, %s {axis = 2 : i64, block_size = 0 : i64} : (tensor<1x8x2xi8>, tensor<2xf32>) -> tensor<1x8x2xf32>
  %1 = nn.dequantize %r, %one, %z {axis = 0 : i64, block_size = 0 : i64} : (tensor<1x8x2xi8>, tensor<f32>, tensor<i8>) -> tensor<1x8x2xf32>
  %y, %h, %c = nn.lstm %gates, %0 {activations = ["Sigmoid", "Tanh", "Tanh"], alpha = array<f32: 0.0, 0.0, 0.0>, batch_first = false, beta = array<f32: 0.0, 0.0, 0.0>, clip = 0x7F800000 : f32, coupled = false, reverse = false} : (tensor<3x1x8xf32>, tensor<1x8x2xf32>) -> (tensor<3x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  %y2, %h2, %c2 = nn.lstm %gates, %1 {activations = ["Sigmoid", "Tanh", "Tanh"], alpha = array<f32: 0.0, 0.0, 0.0>, batch_first = false, beta = array<f32: 0.0, 0.0, 0.0>, clip = 0x7F800000 : f32, coupled = false, reverse = false} : (tensor<3x1x8xf32>, tensor<1x8x2xf32>) -> (tensor<3x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return %y, %y2 : tensor<3x1x1x2xf32>, tensor<3x1x1x2xf32>
}

// A scale of the weights' own rank broadcasts to them: here along their rows.
// CHECK-LABEL: @own_rank
// CHECK-NOT: scales
func.func @own_rank(%gates: tensor<3x1x8xf32>) -> tensor<3x1x1x2xf32> {
  %r = nn.constant dense<-100> : tensor<1x8x2xi8>
  %s = nn.constant dense<[[[1.0, 2.0]]]> : tensor<1x1x2xf32>
  %0 = nn.dequantize %r, %s {axis = 1 : i64, block_size = 0 : i64} : (tensor<1x8x2xi8>, tensor<1x1x2xf32>) -> tensor<1x8x2xf32>
  %y, %h, %c = nn.lstm %gates, %0 {activations = ["Sigmoid", "Tanh", "Tanh"], alpha = array<f32: 0.0, 0.0, 0.0>, batch_first = false, beta = array<f32: 0.0, 0.0, 0.0>, clip = 0x7F800000 : f32, coupled = false, reverse = false} : (tensor<3x1x8xf32>, tensor<1x8x2xf32>) -> (tensor<3x1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>)
  return %y : tensor<3x1x1x2xf32>
}
