// Element-wise steps fuse into each other.
// RUN: aotc-opt %s --aotc-convert-nn --cse --aotc-fuse-elementwise --cse | FileCheck %s

// CHECK-LABEL: @chain
// CHECK-COUNT-1: linalg.generic
// CHECK: arith.addf
// CHECK: math.exp
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @chain(%x: tensor<2x4xf32>, %y: tensor<4xf32>) -> tensor<2x4xf32> {
  %0 = nn.add %x, %y : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = nn.exp %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = nn.mul %1, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// x is read once although two of the fused steps want it.
// CHECK-LABEL: @equal_inputs
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<4xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT: %[[E:.*]] = math.exp %[[X]]
// CHECK-NEXT: arith.mulf %[[E]], %[[X]]
func.func @equal_inputs(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.mul %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A value with two readers is computed once and stored.
// CHECK-LABEL: @shared
// CHECK: %[[E:.*]] = linalg.generic
// CHECK: math.exp
// CHECK: linalg.generic {{.*}} ins(%[[E]]
// CHECK: linalg.generic {{.*}} ins(%[[E]]
func.func @shared(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = nn.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.neg %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = nn.sqrt %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// A row is not computed again for each element of a column.
// CHECK-LABEL: @broadcast
// CHECK: %[[E:.*]] = linalg.generic {{.*}} ins(%arg0 : tensor<4xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<8x4xf32>)
func.func @broadcast(%x: tensor<4xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = nn.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = nn.mul %y, %0 : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// Rows and columns give way to what reads their product, which is no result of its own.
// CHECK-LABEL: @outer_product
// CHECK-NOT: linalg.generic
// CHECK: linalg.generic {{.*}} ins({{.*}}) outs(%{{[^,]*}} : tensor<2x4xf32>)
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @outer_product(%x: tensor<2x4xf32>, %row: tensor<4xf32>, %column: tensor<2x1xf32>) -> tensor<2x4xf32> {
  %0 = nn.mul %row, %column : (tensor<4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %1 = nn.sub %x, %row : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %2 = nn.mul %1, %0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = nn.add %2, %column : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}
