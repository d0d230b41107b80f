// A gather at evenly spaced constant indices is a slice.
// RUN: aotc-opt %s --aotc-simplify | FileCheck %s

// One index takes its dimension away.
// CHECK-LABEL: @scalar
// CHECK: %[[S:.*]] = nn.slice %arg0 {sizes = array<i64: 2, 1, 4>, starts = array<i64: 0, 2, 0>, steps = array<i64: 1, 1, 1>}
// CHECK: nn.reshape %[[S]] {shape = array<i64: 2, 4>}
func.func @scalar(%x: tensor<2x3x4xf32>) -> tensor<2x4xf32> {
  %i = nn.constant dense<-1> : tensor<i64>
  %0 = nn.gather %x, %i {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<i64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @backwards
// CHECK: %[[S:.*]] = nn.slice %arg0 {sizes = array<i64: 3>, starts = array<i64: 6>, steps = array<i64: -2>}
// CHECK: return %[[S]]
func.func @backwards(%x: tensor<8xf32>) -> tensor<3xf32> {
  %i = nn.constant dense<[6, 4, 2]> : tensor<3xi32>
  %0 = nn.gather %x, %i {axis = 0 : i64} : (tensor<8xf32>, tensor<3xi32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Not evenly spaced, one element twice, out of range: as they were.
// CHECK-LABEL: @kept
// CHECK-COUNT-3: nn.gather
func.func @kept(%x: tensor<8xf32>) -> (tensor<3xf32>, tensor<2xf32>, tensor<1xf32>) {
  %i = nn.constant dense<[0, 1, 3]> : tensor<3xi64>
  %0 = nn.gather %x, %i {axis = 0 : i64} : (tensor<8xf32>, tensor<3xi64>) -> tensor<3xf32>
  %j = nn.constant dense<[1, 1]> : tensor<2xi64>
  %1 = nn.gather %x, %j {axis = 0 : i64} : (tensor<8xf32>, tensor<2xi64>) -> tensor<2xf32>
  %k = nn.constant dense<8> : tensor<1xi64>
  %2 = nn.gather %x, %k {axis = 0 : i64} : (tensor<8xf32>, tensor<1xi64>) -> tensor<1xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<2xf32>, tensor<1xf32>
}
