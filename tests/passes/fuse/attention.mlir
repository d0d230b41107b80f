// Two products with a softmax between them become one step where that saves memory.
// RUN: aotc-opt %s --aotc-convert-nn --cse --aotc-fuse-elementwise --cse --aotc-fuse-attention --cse | FileCheck %s

// CHECK: #[[ROWS_AND_KEYS:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>

// Scale and mask stay the epilogue of the scores.
// CHECK-LABEL: @masked
// CHECK-NOT: kern.matmul
// CHECK-NOT: kern.softmax
// CHECK: kern.attention ins(%{{[^ ,]*}}, %{{[^ ,]*}}, %{{[^ ,]*}}, %{{[^ ,]*}}, %{{[^ ,]*}}) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[MASK:.*]]: f32):
// CHECK: %[[SCALED:.*]] = arith.mulf %[[SUM]]
// CHECK: arith.addf %[[SCALED]], %[[MASK]]
// CHECK: extra_maps = [#[[ROWS_AND_KEYS]]]
// CHECK-NOT: kern.matmul
// CHECK: return
func.func @masked(%q: tensor<1x6x50x16xf32>, %k: tensor<1x6x16x50xf32>, %v: tensor<1x6x50x16xf32>, %mask: tensor<50x50xf32>) -> tensor<1x6x50x16xf32> {
  %0 = nn.matmul %q, %k : (tensor<1x6x50x16xf32>, tensor<1x6x16x50xf32>) -> tensor<1x6x50x50xf32>
  %scale = nn.constant dense<0.25> : tensor<f32>
  %1 = nn.mul %0, %scale : (tensor<1x6x50x50xf32>, tensor<f32>) -> tensor<1x6x50x50xf32>
  %2 = nn.add %1, %mask : (tensor<1x6x50x50xf32>, tensor<50x50xf32>) -> tensor<1x6x50x50xf32>
  %3 = nn.softmax %2 {axis = 3 : i64} : (tensor<1x6x50x50xf32>) -> tensor<1x6x50x50xf32>
  %4 = nn.matmul %3, %v : (tensor<1x6x50x50xf32>, tensor<1x6x50x16xf32>) -> tensor<1x6x50x16xf32>
  return %4 : tensor<1x6x50x16xf32>
}

// The scores have another reader.
// CHECK-LABEL: @read_twice
// CHECK-COUNT-2: kern.matmul
func.func @read_twice(%q: tensor<6x50x16xf32>, %k: tensor<6x16x50xf32>, %v: tensor<6x50x16xf32>) -> (tensor<6x50x16xf32>, tensor<6x50x50xf32>) {
  %0 = nn.matmul %q, %k : (tensor<6x50x16xf32>, tensor<6x16x50xf32>) -> tensor<6x50x50xf32>
  %1 = nn.softmax %0 {axis = 2 : i64} : (tensor<6x50x50xf32>) -> tensor<6x50x50xf32>
  %2 = nn.matmul %1, %v : (tensor<6x50x50xf32>, tensor<6x50x16xf32>) -> tensor<6x50x16xf32>
  return %2, %1 : tensor<6x50x16xf32>, tensor<6x50x50xf32>
}

// A softmax over another axis; one row; scores that take less memory than the kernel's own.
// CHECK-LABEL: @others
// CHECK-COUNT-6: kern.matmul
func.func @others(%q: tensor<6x50x16xf32>, %k: tensor<6x16x50xf32>, %v: tensor<6x50x16xf32>, %row: tensor<6x1x16xf32>, %a: tensor<50x16xf32>, %b: tensor<16x50xf32>) -> (tensor<6x50x16xf32>, tensor<6x1x16xf32>, tensor<50x16xf32>) {
  %0 = nn.matmul %q, %k : (tensor<6x50x16xf32>, tensor<6x16x50xf32>) -> tensor<6x50x50xf32>
  %1 = nn.softmax %0 {axis = 1 : i64} : (tensor<6x50x50xf32>) -> tensor<6x50x50xf32>
  %2 = nn.matmul %1, %v : (tensor<6x50x50xf32>, tensor<6x50x16xf32>) -> tensor<6x50x16xf32>
  %3 = nn.matmul %row, %k : (tensor<6x1x16xf32>, tensor<6x16x50xf32>) -> tensor<6x1x50xf32>
  %4 = nn.softmax %3 {axis = 2 : i64} : (tensor<6x1x50xf32>) -> tensor<6x1x50xf32>
  %5 = nn.matmul %4, %v : (tensor<6x1x50xf32>, tensor<6x50x16xf32>) -> tensor<6x1x16xf32>
  %6 = nn.matmul %a, %b : (tensor<50x16xf32>, tensor<16x50xf32>) -> tensor<50x50xf32>
  %7 = nn.softmax %6 {axis = 1 : i64} : (tensor<50x50xf32>) -> tensor<50x50xf32>
  %8 = nn.matmul %7, %a : (tensor<50x50xf32>, tensor<50x16xf32>) -> tensor<50x16xf32>
  return %2, %5, %8 : tensor<6x50x16xf32>, tensor<6x1x16xf32>, tensor<50x16xf32>
}

// Weights that a stack of values shares: the mask has no batch of its own.
// CHECK-LABEL: @shared_weights
// CHECK-COUNT-2: kern.matmul
func.func @shared_weights(%q: tensor<200x16xf32>, %k: tensor<16x80xf32>, %v: tensor<4x80x32xf32>, %mask: tensor<200x80xf32>) -> tensor<4x200x32xf32> {
  %0 = nn.matmul %q, %k : (tensor<200x16xf32>, tensor<16x80xf32>) -> tensor<200x80xf32>
  %1 = nn.add %0, %mask : (tensor<200x80xf32>, tensor<200x80xf32>) -> tensor<200x80xf32>
  %2 = nn.softmax %1 {axis = 1 : i64} : (tensor<200x80xf32>) -> tensor<200x80xf32>
  %3 = nn.matmul %2, %v : (tensor<200x80xf32>, tensor<4x80x32xf32>) -> tensor<4x200x32xf32>
  return %3 : tensor<4x200x32xf32>
}

// A model of halves rounds the weights and the results: means, which stay as exact as they are.
// CHECK-LABEL: @rounded
// CHECK-NOT: kern.matmul
// CHECK: kern.attention
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @rounded(%q: tensor<6x50x16xf32>, %k: tensor<6x16x50xf32>, %v: tensor<6x50x16xf32>) -> tensor<6x50x16xf32> {
  %0 = nn.matmul %q, %k : (tensor<6x50x16xf32>, tensor<6x16x50xf32>) -> tensor<6x50x50xf32>
  %1 = nn.softmax %0 {axis = 2 : i64} : (tensor<6x50x50xf32>) -> tensor<6x50x50xf32>
  %2 = nn.round_to %1 {format = f16} : (tensor<6x50x50xf32>) -> tensor<6x50x50xf32>
  %3 = nn.matmul %2, %v : (tensor<6x50x50xf32>, tensor<6x50x16xf32>) -> tensor<6x50x16xf32>
  %4 = nn.round_to %3 {format = f16} : (tensor<6x50x16xf32>) -> tensor<6x50x16xf32>
  return %4 : tensor<6x50x16xf32>
}
