// What reads a concat of slices is computed on its parts.
// RUN: aotc-opt %s --aotc-distribute-concats --aotc-simplify --cse --split-input-file | FileCheck %s

// Rotary embedding in halves.
// CHECK-LABEL: @halves
// CHECK-DAG: %[[A:.*]] = nn.slice %arg0 {sizes = array<i64: 3, 2>, starts = array<i64: 0, 0>
// CHECK-DAG: %[[B:.*]] = nn.slice %arg0 {sizes = array<i64: 3, 2>, starts = array<i64: 0, 2>
// CHECK-DAG: %[[C0:.*]] = nn.constant dense<[1.000000e+00, 2.000000e+00]>
// CHECK-DAG: %[[C1:.*]] = nn.constant dense<[3.000000e+00, 4.000000e+00]>
// CHECK-DAG: %[[N:.*]] = nn.neg %[[B]]
// CHECK-DAG: %[[M0:.*]] = nn.mul %[[A]], %[[C0]]
// CHECK-DAG: %[[S0:.*]] = nn.mul %[[N]],
// CHECK-DAG: %[[R0:.*]] = nn.add %[[M0]], %[[S0]]
// CHECK-DAG: %[[M1:.*]] = nn.mul %[[B]], %[[C1]]
// CHECK-DAG: %[[S1:.*]] = nn.mul %[[A]],
// CHECK-DAG: %[[R1:.*]] = nn.add %[[M1]], %[[S1]]
// CHECK: %[[Y:.*]] = nn.concat %[[R0]], %[[R1]] {axis = 1 : i64}
// CHECK-NEXT: return %[[Y]]
func.func @halves(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %cos = nn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %sin = nn.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32>
  %a = nn.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: 3, 2>, steps = array<i64: 1, 1>} : (tensor<3x4xf32>) -> tensor<3x2xf32>
  %b = nn.slice %x {starts = array<i64: 0, 2>, sizes = array<i64: 3, 2>, steps = array<i64: 1, 1>} : (tensor<3x4xf32>) -> tensor<3x2xf32>
  %n = nn.neg %b : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %r = nn.concat %n, %a {axis = 1 : i64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %0 = nn.mul %x, %cos : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %1 = nn.mul %r, %sin : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  %y = nn.add %0, %1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// Interleaved: every other element, of the constants too.
// CHECK-LABEL: @interleaved
// CHECK-DAG: nn.constant dense<[1.000000e+00, 3.000000e+00]>
// CHECK-DAG: nn.constant dense<[2.000000e+00, 4.000000e+00]>
// CHECK-DAG: %[[B:.*]] = nn.slice %arg0 {sizes = array<i64: 3, 2>, starts = array<i64: 0, 1>, steps = array<i64: 1, 2>}
// CHECK-DAG: %[[A:.*]] = nn.slice %arg0 {sizes = array<i64: 3, 2>, starts = array<i64: 0, 0>, steps = array<i64: 1, 2>}
// CHECK: %[[E:.*]] = nn.mul %[[B]],
// CHECK: %[[O:.*]] = nn.mul %[[A]],
// CHECK: %[[E1:.*]] = nn.reshape %[[E]] {shape = array<i64: 3, 2, 1>}
// CHECK: %[[O1:.*]] = nn.reshape %[[O]] {shape = array<i64: 3, 2, 1>}
// CHECK: %[[C:.*]] = nn.concat %[[E1]], %[[O1]] {axis = 2 : i64}
// CHECK: %[[Y:.*]] = nn.reshape %[[C]] {shape = array<i64: 3, 4>}
// CHECK-NEXT: return %[[Y]]
func.func @interleaved(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %sin = nn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %a = nn.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: 3, 2>, steps = array<i64: 1, 2>} : (tensor<3x4xf32>) -> tensor<3x2xf32>
  %b = nn.slice %x {starts = array<i64: 0, 1>, sizes = array<i64: 3, 2>, steps = array<i64: 1, 2>} : (tensor<3x4xf32>) -> tensor<3x2xf32>
  %c = nn.reshape %b {shape = array<i64: 3, 2, 1>} : (tensor<3x2xf32>) -> tensor<3x2x1xf32>
  %d = nn.reshape %a {shape = array<i64: 3, 2, 1>} : (tensor<3x2xf32>) -> tensor<3x2x1xf32>
  %r = nn.concat %c, %d {axis = 2 : i64} : (tensor<3x2x1xf32>, tensor<3x2x1xf32>) -> tensor<3x2x2xf32>
  %f = nn.reshape %r {shape = array<i64: 3, 4>} : (tensor<3x2x2xf32>) -> tensor<3x4xf32>
  %y = nn.mul %f, %sin : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}

// -----

// A bounded dim elsewhere, and an operand that broadcasts along the axis.
// CHECK-LABEL: @bounded
// CHECK-COUNT-2: nn.slice %arg0
// CHECK-COUNT-2: nn.mul {{.*}}, %arg1
// CHECK: nn.concat
func.func @bounded(%x: tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>> {nn.bounds = array<i64: 8, 4>, nn.minimums = array<i64: 1, 4>, nn.symbols = ["n", ""]}, %k: tensor<1xf32>) -> tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>> {
  %a = nn.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: -9223372036854775808, 2>, steps = array<i64: 1, 1>, extents = affine_map<()[s0] -> (0, 0, s0, 2)>} : (tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>>) -> tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>>
  %b = nn.slice %x {starts = array<i64: 0, 2>, sizes = array<i64: -9223372036854775808, 2>, steps = array<i64: 1, 1>, extents = affine_map<()[s0] -> (0, 2, s0, 2)>} : (tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>>) -> tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>>
  %r = nn.concat %b, %a {axis = 1 : i64} : (tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>>, tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>>) -> tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>>
  %y = nn.mul %r, %k : (tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>>, tensor<1xf32>) -> tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>>
  return %y : tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>>
}

// -----

// Parts that somebody computes are written beside each other as they are; what else reads the concat wants it whole;
// and a product ends with a sum of both.
// CHECK-LABEL: @whole
// CHECK: %[[C:.*]] = nn.concat
// CHECK: nn.exp %[[C]]
// CHECK: %[[R:.*]] = nn.concat
// CHECK: nn.exp %[[R]]
// CHECK: %[[T:.*]] = nn.concat
// CHECK: nn.add %{{.*}}, %[[T]]
func.func @whole(%x: tensor<3x4xf32>, %w: tensor<4x4xf32>) -> (tensor<3x8xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %s = nn.sqrt %x : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %t = nn.neg %x : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %c = nn.concat %s, %t {axis = 1 : i64} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
  %0 = nn.exp %c : (tensor<3x8xf32>) -> tensor<3x8xf32>
  %a = nn.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: 3, 2>, steps = array<i64: 1, 1>} : (tensor<3x4xf32>) -> tensor<3x2xf32>
  %b = nn.slice %x {starts = array<i64: 0, 2>, sizes = array<i64: 3, 2>, steps = array<i64: 1, 1>} : (tensor<3x4xf32>) -> tensor<3x2xf32>
  %r = nn.concat %b, %a {axis = 1 : i64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %1 = nn.exp %r : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %k = nn.sqrt %a : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %u = nn.concat %k, %a {axis = 1 : i64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  %p = nn.matmul %x, %w : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %2 = nn.add %p, %u : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0, %r, %1, %2 : tensor<3x8xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}
