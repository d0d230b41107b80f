// Element-wise steps that read one another, or the same tensors, become one with several results.
// RUN: aotc-opt %s --aotc-convert-nn --cse --aotc-fuse-elementwise --cse --aotc-merge-elementwise --split-input-file | FileCheck %s

// A state that is read again, and returned: the end of an LSTM's cell.
// CHECK-LABEL: @cell
// CHECK: %[[R:.*]]:2 = linalg.generic {{.*}} ins(%arg0, %arg1, %arg2 : {{.*}}) outs({{.*}}, {{.*}} : tensor<1x8xf32>, tensor<1x8xf32>)
// CHECK: %[[C:.*]] = arith.mulf
// CHECK: %[[T:.*]] = math.tanh %[[C]]
// CHECK: %[[H:.*]] = arith.mulf
// CHECK: linalg.yield %[[C]], %[[H]]
// CHECK-NOT: linalg.generic
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @cell(%f: tensor<1x8xf32>, %c: tensor<1x8xf32>, %o: tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
  %0 = nn.mul %f, %c : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  %1 = nn.tanh %0 : (tensor<1x8xf32>) -> tensor<1x8xf32>
  %2 = nn.mul %1, %o : (tensor<1x8xf32>, tensor<1x8xf32>) -> tensor<1x8xf32>
  return %0, %2 : tensor<1x8xf32>, tensor<1x8xf32>
}

// -----

// Both halves of a rotation, which read the same two tensors.
// CHECK-LABEL: @rotation
// CHECK: linalg.generic {{.*}} ins(%arg0, %arg2, %arg1, %arg3 : {{.*}})
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @rotation(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %c: tensor<8xf32>, %s: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = nn.mul %a, %c : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = nn.mul %b, %s : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %2 = nn.sub %0, %1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = nn.mul %b, %c : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %4 = nn.mul %a, %s : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %5 = nn.add %3, %4 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %2, %5 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// Somebody needs the first result before the second can be computed.
// CHECK-LABEL: @between
// CHECK: %[[E:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: kern.call
// CHECK: linalg.generic {{.*}} ins(%[[E]],
func.func @between(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = nn.exp %x : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = nn.cumulate sum %0 {axis = 1 : i64, exclusive = false, reverse = false} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = nn.mul %0, %1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0, %2 : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// A row is no result for each element of a matrix; what reads other tensors besides shares too little; integers have no
// vectors.
// CHECK-LABEL: @apart
// CHECK-NOT: :2 = linalg.generic
func.func @apart(%x: tensor<4xf32>, %y: tensor<8x4xf32>, %z: tensor<8x4xf32>, %w: tensor<8x4xf32>, %v: tensor<8x4xf32>, %i: tensor<4xi32>)
    -> (tensor<4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<4xi32>, tensor<4xi32>) {
  %0 = nn.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.mul %v, %0 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %2 = nn.add %y, %z : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %3 = nn.mul %y, %w : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %4 = nn.neg %i : (tensor<4xi32>) -> tensor<4xi32>
  %5 = nn.mul %4, %i : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<4xi32>, tensor<4xi32>
}
