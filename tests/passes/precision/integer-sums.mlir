// Convolutions of integers whose sums are wanted as they are.
// RUN: aotc-opt %s --aotc-integer-sums | FileCheck %s

// Sums that become floats, with a zero point that only the run knows, and with one that is constant.
// CHECK-LABEL: @cast
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{.*}}4{{.*}}3{{.*}}> : tensor<2x3x3x3xi16>
// CHECK-DAG: %[[B:.*]] = nn.constant dense<0> : tensor<2xi32>
// CHECK-DAG: %[[S:.*]] = nn.constant dense<1.000000e+00> : tensor<2xf32>
// CHECK: nn.quantized_conv %arg0, %[[W]], %[[B]], %[[S]] x_zero %arg1 {
// CHECK-SAME: pads = array<i64: 1, 1, 1, 1>
// CHECK-SAME: to = f32
// CHECK: nn.quantized_conv %arg0, {{.*}} {
// CHECK-SAME: x_zero_point = 7 : i64
// CHECK-NOT: nn.cast
func.func @cast(%x: tensor<1x3x8x8xui8>, %z: tensor<1xui8>) -> (tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>) {
  %w = nn.constant dense<5> : tensor<2x3x3x3xi8>
  %zw = nn.constant dense<[1, 2]> : tensor<2xi8>
  %seven = nn.constant dense<7> : tensor<1xui8>
  %0 = nn.integer_conv %x, %w, %z, %zw {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x3x8x8xui8>, tensor<2x3x3x3xi8>, tensor<1xui8>, tensor<2xi8>) -> tensor<1x2x8x8xi32>
  %1 = nn.cast %0 {to = f32} : (tensor<1x2x8x8xi32>) -> tensor<1x2x8x8xf32>
  %2 = nn.integer_conv %x, %w, %seven, %zw {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<1x3x8x8xui8>, tensor<2x3x3x3xi8>, tensor<1xui8>, tensor<2xi8>) -> tensor<1x2x8x8xi32>
  %3 = nn.cast %2 {to = f32} : (tensor<1x2x8x8xi32>) -> tensor<1x2x8x8xf32>
  return %1, %3 : tensor<1x2x8x8xf32>, tensor<1x2x8x8xf32>
}

// Integers that stay integers: f32 holds all sums.
// CHECK-LABEL: @sums
// CHECK: %[[S:.*]] = nn.quantized_conv %arg0, {{.*}} x_zero %arg1 {
// CHECK: nn.cast %[[S]] {to = i32}
func.func @sums(%x: tensor<1x3x8x8xui8>, %z: tensor<1xui8>) -> tensor<1x2x6x6xi32> {
  %w = nn.constant dense<5> : tensor<2x3x3x3xi8>
  %zw = nn.constant dense<1> : tensor<1xi8>
  %0 = nn.integer_conv %x, %w, %z, %zw {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x3x8x8xui8>, tensor<2x3x3x3xi8>, tensor<1xui8>, tensor<1xi8>) -> tensor<1x2x6x6xi32>
  return %0 : tensor<1x2x6x6xi32>
}

// Images whose height only the run knows are convolved in f32, and marked: nothing may round their sums.
// CHECK-LABEL: @unknown
// CHECK: %[[X:.*]] = nn.dequantize %arg0
// CHECK: %[[S:.*]] = nn.conv %[[X]], {{.*}} {aotc.exact
// CHECK: nn.cast %[[S]] {to = i32}
func.func @unknown(%x: tensor<1x3x?x8xui8, affine_map<()[s0] -> (1, 3, s0, 8)>> {nn.symbols = ["", "", "h", ""], nn.minimums = array<i64: 1, 3, 3, 8>, nn.bounds = array<i64: 1, 3, 9, 8>}, %z: tensor<1xui8>) -> tensor<1x2x?x6xi32, affine_map<()[s0] -> (1, 2, s0 - 2, 6)>> {
  %w = nn.constant dense<5> : tensor<2x3x3x3xi8>
  %zw = nn.constant dense<1> : tensor<1xi8>
  %0 = nn.integer_conv %x, %w, %z, %zw {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x3x?x8xui8, affine_map<()[s0] -> (1, 3, s0, 8)>>, tensor<2x3x3x3xi8>, tensor<1xui8>, tensor<1xi8>) -> tensor<1x2x?x6xi32, affine_map<()[s0] -> (1, 2, s0 - 2, 6)>>
  return %0 : tensor<1x2x?x6xi32, affine_map<()[s0] -> (1, 2, s0 - 2, 6)>>
}

// Not where sums may reach 2^24, nor with weights that are no constant.
// CHECK-LABEL: @kept
// CHECK-COUNT-2: nn.integer_conv
// CHECK-NOT: nn.cast
func.func @kept(%x: tensor<1x3x8x8xui8>, %wide: tensor<1x1024x1x1xui8>, %v: tensor<2x3x1x1xi8>, %z: tensor<1xui8>) -> (tensor<1x2x1x1xi32>, tensor<1x2x8x8xi32>) {
  %large = nn.constant dense<100> : tensor<2x1024x1x1xi8>
  %zw = nn.constant dense<0> : tensor<1xi8>
  %0 = nn.integer_conv %wide, %large, %z, %zw {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x1024x1x1xui8>, tensor<2x1024x1x1xi8>, tensor<1xui8>, tensor<1xi8>) -> tensor<1x2x1x1xi32>
  %1 = nn.integer_conv %x, %v, %z, %zw {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x3x8x8xui8>, tensor<2x3x1x1xi8>, tensor<1xui8>, tensor<1xi8>) -> tensor<1x2x8x8xi32>
  return %0, %1 : tensor<1x2x1x1xi32>, tensor<1x2x8x8xi32>
}
