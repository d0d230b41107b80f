// Products of bytes by constant bytes are summed as integers, scaled afterwards.
// RUN: aotc-opt %s --aotc-integer-products --aotc-dequantize-constants | FileCheck %s

// Scales 0.5 for x and 0.25 and 2 for the columns; the weights lose their zero points.
// CHECK-LABEL: @dequantized
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[\[}}6, 3], [6, 3], [6, 3], [6, 3]]> : tensor<4x2xi16>
// CHECK-DAG: nn.constant dense<128> : tensor<1xui8>
// CHECK-DAG: %[[S:.*]] = nn.constant dense<[1.250000e-01, 1.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[SUM:.*]] = nn.quantized_matmul %arg0, %[[W]], %{{.*}} :
// CHECK: nn.mul %[[SUM]], %[[S]]
func.func @dequantized(%x: tensor<3x4xui8>) -> tensor<3x2xf32> {
  %sx = nn.constant dense<0.5> : tensor<f32>
  %zx = nn.constant dense<128> : tensor<ui8>
  %w = nn.constant dense<[[7, 5], [7, 5], [7, 5], [7, 5]]> : tensor<4x2xi8>
  %sw = nn.constant dense<[0.25, 2.0]> : tensor<2xf32>
  %zw = nn.constant dense<[1, 2]> : tensor<2xi8>
  %0 = nn.dequantize %x, %sx, %zx {axis = 0 : i64, block_size = 0 : i64} : (tensor<3x4xui8>, tensor<f32>, tensor<ui8>) -> tensor<3x4xf32>
  %1 = nn.dequantize %w, %sw, %zw {axis = 1 : i64, block_size = 0 : i64} : (tensor<4x2xi8>, tensor<2xf32>, tensor<2xi8>) -> tensor<4x2xf32>
  %2 = nn.matmul %0, %1 : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}

// As Gemm has its weights.
// CHECK-LABEL: @transposed
// CHECK-DAG: nn.constant dense<{{\[\[}}1, 5], [2, 6], [3, 7], [4, 8]]> : tensor<4x2xi16>
// CHECK: nn.quantized_matmul
func.func @transposed(%x: tensor<3x4xi8>) -> tensor<3x2xf32> {
  %sx = nn.constant dense<0.5> : tensor<f32>
  %w = nn.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8>
  %0 = nn.dequantize %x, %sx {axis = 0 : i64, block_size = 0 : i64} : (tensor<3x4xi8>, tensor<f32>) -> tensor<3x4xf32>
  %1 = nn.dequantize %w, %sx {axis = 0 : i64, block_size = 0 : i64} : (tensor<2x4xi8>, tensor<f32>) -> tensor<2x4xf32>
  %2 = nn.transpose %1 {permutation = array<i64: 1, 0>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %3 = nn.matmul %0, %2 : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %3 : tensor<3x2xf32>
}

// A zero point that only the run knows.
// CHECK-LABEL: @dynamic
// CHECK: nn.quantized_matmul %arg0, %{{.*}}, %arg1 :
// CHECK-NOT: nn.cast
func.func @dynamic(%x: tensor<3x4xui8>, %zx: tensor<1xui8>) -> tensor<3x2xf32> {
  %w = nn.constant dense<7> : tensor<4x2xi8>
  %zw = nn.constant dense<0> : tensor<1xi8>
  %0 = nn.integer_matmul %x, %w, %zx, %zw : (tensor<3x4xui8>, tensor<4x2xi8>, tensor<1xui8>, tensor<1xi8>) -> tensor<3x2xi32>
  %1 = nn.cast %0 {to = f32} : (tensor<3x2xi32>) -> tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}

// Three products to a sum: the fourth is of zeros.
// CHECK-LABEL: @padded
// CHECK-DAG: nn.constant dense<{{\[\[}}7, 7], [7, 7], [7, 7], [0, 0]]> : tensor<4x2xi16>
// CHECK-DAG: %[[X:.*]] = nn.pad %arg0 {high = array<i64: 0, 1>, low = array<i64: 0, 0>
// CHECK: nn.quantized_matmul %[[X]],
func.func @padded(%x: tensor<3x3xi8>) -> tensor<3x2xf32> {
  %one = nn.constant dense<1.0> : tensor<f32>
  %w = nn.constant dense<7> : tensor<3x2xi8>
  %0 = nn.dequantize %x, %one {axis = 0 : i64, block_size = 0 : i64} : (tensor<3x3xi8>, tensor<f32>) -> tensor<3x3xf32>
  %1 = nn.dequantize %w, %one {axis = 0 : i64, block_size = 0 : i64} : (tensor<3x2xi8>, tensor<f32>) -> tensor<3x2xf32>
  %2 = nn.matmul %0, %1 : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}

// A scale for each row of weights; weights of 9 bits; scales whose product is too small for f32.
// CHECK-LABEL: @kept
// CHECK-COUNT-3: nn.matmul
// CHECK-NOT: nn.quantized_matmul
func.func @kept(%x: tensor<3x4xi8>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %one = nn.constant dense<1.0> : tensor<f32>
  %rows = nn.constant dense<[0.25, 2.0, 1.0, 1.0]> : tensor<4xf32>
  %w = nn.constant dense<7> : tensor<4x4xi8>
  %zw = nn.constant dense<-128> : tensor<i8>
  %0 = nn.dequantize %x, %one {axis = 0 : i64, block_size = 0 : i64} : (tensor<3x4xi8>, tensor<f32>) -> tensor<3x4xf32>
  %1 = nn.dequantize %w, %rows {axis = 0 : i64, block_size = 0 : i64} : (tensor<4x4xi8>, tensor<4xf32>) -> tensor<4x4xf32>
  %2 = nn.matmul %0, %1 : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %3 = nn.dequantize %w, %one, %zw {axis = 0 : i64, block_size = 0 : i64} : (tensor<4x4xi8>, tensor<f32>, tensor<i8>) -> tensor<4x4xf32>
  %4 = nn.matmul %0, %3 : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %tiny = nn.constant dense<1.0e-20> : tensor<f32>
  %5 = nn.dequantize %x, %tiny {axis = 0 : i64, block_size = 0 : i64} : (tensor<3x4xi8>, tensor<f32>) -> tensor<3x4xf32>
  %6 = nn.dequantize %w, %tiny {axis = 0 : i64, block_size = 0 : i64} : (tensor<4x4xi8>, tensor<f32>) -> tensor<4x4xf32>
  %7 = nn.matmul %5, %6 : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  return %2, %4, %7 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// A bias of integers, where f32 holds the sums; the second one is too large for that.
// CHECK-LABEL: @biased
// CHECK-DAG: %[[B:.*]] = nn.constant dense<[5.000000e+00, -7.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[SUM:.*]] = nn.quantized_matmul %arg0, %{{.*}}, %arg1 :
// CHECK: nn.add %[[SUM]], %[[B]]
// CHECK: nn.integer_matmul
// CHECK: nn.cast
func.func @biased(%x: tensor<3x4xui8>, %zx: tensor<1xui8>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %w = nn.constant dense<7> : tensor<4x2xi8>
  %zw = nn.constant dense<0> : tensor<1xi8>
  %b = nn.constant dense<[5, -7]> : tensor<2xi32>
  %huge = nn.constant dense<16777216> : tensor<2xi32>
  %0 = nn.integer_matmul %x, %w, %zx, %zw : (tensor<3x4xui8>, tensor<4x2xi8>, tensor<1xui8>, tensor<1xi8>) -> tensor<3x2xi32>
  %1 = nn.add %0, %b : (tensor<3x2xi32>, tensor<2xi32>) -> tensor<3x2xi32>
  %2 = nn.cast %1 {to = f32} : (tensor<3x2xi32>) -> tensor<3x2xf32>
  %3 = nn.integer_matmul %x, %w, %zx, %zw : (tensor<3x4xui8>, tensor<4x2xi8>, tensor<1xui8>, tensor<1xi8>) -> tensor<3x2xi32>
  %4 = nn.add %3, %huge : (tensor<3x2xi32>, tensor<2xi32>) -> tensor<3x2xi32>
  %5 = nn.cast %4 {to = f32} : (tensor<3x2xi32>) -> tensor<3x2xf32>
  return %2, %5 : tensor<3x2xf32>, tensor<3x2xf32>
}
