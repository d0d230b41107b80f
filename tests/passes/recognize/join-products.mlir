// Products of a tensor's slices by the same weights are slices of one product.
// RUN: aotc-opt %s --aotc-join-products --cse --split-input-file | FileCheck %s

// The steps of a recurrent network, one of which is read in another shape.
// CHECK-LABEL: @steps
// CHECK-DAG: %[[W:.*]] = nn.constant
// CHECK: %[[Y:.*]] = nn.matmul %arg0, %[[W]] : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
// CHECK: nn.slice %[[Y]] {sizes = array<i64: 2, 1, 5>, starts = array<i64: 0, 0, 0>
// CHECK: nn.reshape {{.*}} -> tensor<2x5xf32>
// CHECK: nn.slice %[[Y]] {sizes = array<i64: 2, 2, 5>, starts = array<i64: 0, 1, 0>
// CHECK-NOT: nn.matmul
func.func @steps(%x: tensor<2x3x4xf32>) -> (tensor<2x5xf32>, tensor<2x2x5xf32>) {
  %w = nn.constant dense<2.0> : tensor<4x5xf32>
  %a = nn.slice %x {starts = array<i64: 0, 0, 0>, sizes = array<i64: 2, 1, 4>, steps = array<i64: 1, 1, 1>} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  %b = nn.slice %x {starts = array<i64: 0, 1, 0>, sizes = array<i64: 2, 2, 4>, steps = array<i64: 1, 1, 1>} : (tensor<2x3x4xf32>) -> tensor<2x2x4xf32>
  %r = nn.reshape %a {shape = array<i64: 2, 4>} : (tensor<2x1x4xf32>) -> tensor<2x4xf32>
  %0 = nn.matmul %r, %w : (tensor<2x4xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  %1 = nn.matmul %b, %w : (tensor<2x2x4xf32>, tensor<4x5xf32>) -> tensor<2x2x5xf32>
  return %0, %1 : tensor<2x5xf32>, tensor<2x2x5xf32>
}

// -----

// With the bias, which the sum of another step's product has as well.
// CHECK-LABEL: @biased
// CHECK-DAG: %[[W:.*]] = nn.constant dense<2.000000e+00>
// CHECK-DAG: %[[B:.*]] = nn.constant dense<3.000000e+00>
// CHECK: %[[P:.*]] = nn.matmul %arg0, %[[W]]
// CHECK-NEXT: %[[Y:.*]] = nn.add %[[P]], %[[B]]
// CHECK-DAG: %[[Y0:.*]] = nn.slice %[[Y]] {sizes = array<i64: 1, 5>, starts = array<i64: 0, 0>
// CHECK-DAG: %[[Y1:.*]] = nn.slice %[[Y]] {sizes = array<i64: 1, 5>, starts = array<i64: 1, 0>
// CHECK: return %[[Y1]], %[[Y0]]
func.func @biased(%x: tensor<2x4xf32>) -> (tensor<1x5xf32>, tensor<1x5xf32>) {
  %w = nn.constant dense<2.0> : tensor<4x5xf32>
  %k = nn.constant dense<3.0> : tensor<5xf32>
  %a = nn.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: 1, 4>, steps = array<i64: 1, 1>} : (tensor<2x4xf32>) -> tensor<1x4xf32>
  %b = nn.slice %x {starts = array<i64: 1, 0>, sizes = array<i64: 1, 4>, steps = array<i64: 1, 1>} : (tensor<2x4xf32>) -> tensor<1x4xf32>
  %0 = nn.matmul %b, %w : (tensor<1x4xf32>, tensor<4x5xf32>) -> tensor<1x5xf32>
  %1 = nn.add %k, %0 : (tensor<5xf32>, tensor<1x5xf32>) -> tensor<1x5xf32>
  %2 = nn.matmul %a, %w : (tensor<1x4xf32>, tensor<4x5xf32>) -> tensor<1x5xf32>
  %3 = nn.add %2, %k : (tensor<1x5xf32>, tensor<5xf32>) -> tensor<1x5xf32>
  return %1, %3 : tensor<1x5xf32>, tensor<1x5xf32>
}

// -----

// Slices beside a state, by their rows of the weights.
// CHECK-LABEL: @beside
// CHECK-DAG: %[[V:.*]] = nn.constant dense<{{\[\[}}3.000000e+00], [4.000000e+00]]>
// CHECK-DAG: %[[W:.*]] = nn.constant dense<{{\[\[}}1.000000e+00], [2.000000e+00]]>
// CHECK: %[[P:.*]] = nn.matmul %arg0, %[[W]] : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
// CHECK: %[[P0:.*]] = nn.slice %[[P]] {sizes = array<i64: 1, 1>, starts = array<i64: 0, 0>
// CHECK: %[[H0:.*]] = nn.matmul %arg1, %[[V]]
// CHECK: nn.add %[[P0]], %[[H0]]
// CHECK: %[[P1:.*]] = nn.slice %[[P]] {sizes = array<i64: 1, 1>, starts = array<i64: 1, 0>
// CHECK: %[[H1:.*]] = nn.matmul %arg2, %[[V]]
// CHECK: nn.add %[[P1]], %[[H1]]
func.func @beside(%x: tensor<2x2xf32>, %h: tensor<1x2xf32>, %i: tensor<1x2xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %w = nn.constant dense<[[1.0], [2.0], [3.0], [4.0]]> : tensor<4x1xf32>
  %a = nn.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: 1, 2>, steps = array<i64: 1, 1>} : (tensor<2x2xf32>) -> tensor<1x2xf32>
  %b = nn.slice %x {starts = array<i64: 1, 0>, sizes = array<i64: 1, 2>, steps = array<i64: 1, 1>} : (tensor<2x2xf32>) -> tensor<1x2xf32>
  %c = nn.concat %a, %h {axis = 1 : i64} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
  %d = nn.concat %b, %i {axis = 1 : i64} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
  %0 = nn.matmul %c, %w : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32>
  %1 = nn.matmul %d, %w : (tensor<1x4xf32>, tensor<4x1xf32>) -> tensor<1x1xf32>
  return %0, %1 : tensor<1x1xf32>, tensor<1x1xf32>
}

// -----

// A bounded batch.
// CHECK-LABEL: @bounded
// CHECK: nn.matmul %arg0
// CHECK-NOT: nn.matmul
func.func @bounded(%x: tensor<2x?x4xf32, affine_map<()[s0] -> (2, s0, 4)>> {nn.bounds = array<i64: 2, 8, 4>, nn.minimums = array<i64: 2, 1, 4>, nn.symbols = ["", "n", ""]}) -> (tensor<1x?x5xf32, affine_map<()[s0] -> (1, s0, 5)>>, tensor<1x?x5xf32, affine_map<()[s0] -> (1, s0, 5)>>) {
  %w = nn.constant dense<2.0> : tensor<4x5xf32>
  %a = nn.slice %x {starts = array<i64: 0, 0, 0>, sizes = array<i64: 1, -9223372036854775808, 4>, steps = array<i64: 1, 1, 1>, extents = affine_map<()[s0] -> (0, 0, 0, 1, s0, 4)>} : (tensor<2x?x4xf32, affine_map<()[s0] -> (2, s0, 4)>>) -> tensor<1x?x4xf32, affine_map<()[s0] -> (1, s0, 4)>>
  %b = nn.slice %x {starts = array<i64: 1, 0, 0>, sizes = array<i64: 1, -9223372036854775808, 4>, steps = array<i64: 1, 1, 1>, extents = affine_map<()[s0] -> (1, 0, 0, 1, s0, 4)>} : (tensor<2x?x4xf32, affine_map<()[s0] -> (2, s0, 4)>>) -> tensor<1x?x4xf32, affine_map<()[s0] -> (1, s0, 4)>>
  %0 = nn.matmul %a, %w : (tensor<1x?x4xf32, affine_map<()[s0] -> (1, s0, 4)>>, tensor<4x5xf32>) -> tensor<1x?x5xf32, affine_map<()[s0] -> (1, s0, 5)>>
  %1 = nn.matmul %b, %w : (tensor<1x?x4xf32, affine_map<()[s0] -> (1, s0, 4)>>, tensor<4x5xf32>) -> tensor<1x?x5xf32, affine_map<()[s0] -> (1, s0, 5)>>
  return %0, %1 : tensor<1x?x5xf32, affine_map<()[s0] -> (1, s0, 5)>>, tensor<1x?x5xf32, affine_map<()[s0] -> (1, s0, 5)>>
}

// -----

// Not where a part is missing, or is there twice; where slices are columns; or where they have many rows each, also
// beside others.
// CHECK-LABEL: @apart
// CHECK-COUNT-9: nn.matmul
// CHECK-NOT: nn.matmul
func.func @apart(%x: tensor<3x4xf32>, %y: tensor<2x8xf32>, %z: tensor<64x4xf32>) -> (tensor<1x5xf32>, tensor<1x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<32x5xf32>, tensor<32x5xf32>, tensor<32x5xf32>) {
  %w = nn.constant dense<2.0> : tensor<4x5xf32>
  %u = nn.constant dense<2.0> : tensor<8x5xf32>
  %v = nn.constant dense<3.0> : tensor<4x5xf32>
  %a = nn.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: 1, 4>, steps = array<i64: 1, 1>} : (tensor<3x4xf32>) -> tensor<1x4xf32>
  %b = nn.slice %x {starts = array<i64: 1, 0>, sizes = array<i64: 1, 4>, steps = array<i64: 1, 1>} : (tensor<3x4xf32>) -> tensor<1x4xf32>
  %0 = nn.matmul %a, %w : (tensor<1x4xf32>, tensor<4x5xf32>) -> tensor<1x5xf32>
  %1 = nn.matmul %b, %w : (tensor<1x4xf32>, tensor<4x5xf32>) -> tensor<1x5xf32>
  %c = nn.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: 2, 4>, steps = array<i64: 1, 1>} : (tensor<3x4xf32>) -> tensor<2x4xf32>
  %d = nn.slice %x {starts = array<i64: 1, 0>, sizes = array<i64: 2, 4>, steps = array<i64: 1, 1>} : (tensor<3x4xf32>) -> tensor<2x4xf32>
  %2 = nn.matmul %c, %v : (tensor<2x4xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  %3 = nn.matmul %d, %v : (tensor<2x4xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  %e = nn.slice %y {starts = array<i64: 0, 0>, sizes = array<i64: 2, 4>, steps = array<i64: 1, 1>} : (tensor<2x8xf32>) -> tensor<2x4xf32>
  %f = nn.slice %y {starts = array<i64: 0, 4>, sizes = array<i64: 2, 4>, steps = array<i64: 1, 1>} : (tensor<2x8xf32>) -> tensor<2x4xf32>
  %4 = nn.matmul %e, %w : (tensor<2x4xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  %5 = nn.matmul %f, %w : (tensor<2x4xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  %g = nn.slice %z {starts = array<i64: 0, 0>, sizes = array<i64: 32, 4>, steps = array<i64: 1, 1>} : (tensor<64x4xf32>) -> tensor<32x4xf32>
  %h = nn.slice %z {starts = array<i64: 32, 0>, sizes = array<i64: 32, 4>, steps = array<i64: 1, 1>} : (tensor<64x4xf32>) -> tensor<32x4xf32>
  %6 = nn.matmul %g, %w : (tensor<32x4xf32>, tensor<4x5xf32>) -> tensor<32x5xf32>
  %7 = nn.matmul %h, %w : (tensor<32x4xf32>, tensor<4x5xf32>) -> tensor<32x5xf32>
  %i = nn.concat %g, %h {axis = 1 : i64} : (tensor<32x4xf32>, tensor<32x4xf32>) -> tensor<32x8xf32>
  %8 = nn.matmul %i, %u : (tensor<32x8xf32>, tensor<8x5xf32>) -> tensor<32x5xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<1x5xf32>, tensor<1x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<32x5xf32>, tensor<32x5xf32>, tensor<32x5xf32>
}
