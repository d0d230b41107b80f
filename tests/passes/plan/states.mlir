// What a run leaves for the next one: no argument and no result, a buffer that nothing else shares.
// RUN: aotc-opt %s --aotc-bufferize --aotc-plan-arena --split-input-file | FileCheck %s

#id = affine_map<(i) -> (i)>

// The next value is computed element by element where the state is.
// CHECK-LABEL: @in_place(
// CHECK-SAME: %[[ARENA:.*]]: memref<{{[0-9]+}}xi8>, %{{.*}}: memref<4xf32> {aotc.name = "x"}) -> (memref<4xf32> {aotc.name = "y"})
// CHECK-SAME: aotc.states = [{aotc.name = "h", aotc.offset = {{[0-9]+}} : i64, aotc.type = memref<4xf32>}]
// CHECK: linalg.generic {{.*}} ins(%[[H:.*]], %{{.*}} : memref<4xf32>, memref<4xf32>) outs(%[[H]] : memref<4xf32>)
// CHECK: linalg.exp ins(%[[H]] : {{.*}}) outs(%[[Y:.*]] :
// CHECK-NOT: memref.copy
// CHECK: return %[[Y]]
func.func @in_place(%h: tensor<4xf32> {aotc.name = "h", aotc.state = 0 : i64}, %x: tensor<4xf32> {aotc.name = "x"}) -> (tensor<4xf32> {aotc.name = "next"}, tensor<4xf32> {aotc.name = "y"}) {
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%h, %x : tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %2 = tensor.empty() : tensor<4xf32>
  %3 = linalg.exp ins(%1 : tensor<4xf32>) outs(%2 : tensor<4xf32>) -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// What is computed before the state is read has a place of its own, though nobody reads it later.
// CHECK-LABEL: @kept_until_read(
// CHECK: linalg.exp ins(%{{.*}}) outs(%[[T:.*]] :
// CHECK: linalg.generic {{.*}} ins(%[[H:[^,]*]], %[[T]] : {{.*}}) outs(%[[H]] :
func.func @kept_until_read(%h: tensor<4xf32> {aotc.name = "h", aotc.state = 0 : i64}, %x: tensor<4xf32> {aotc.name = "x"}) -> (tensor<4xf32> {aotc.name = "next"}, tensor<4xf32> {aotc.name = "y"}) {
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.exp ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = tensor.empty() : tensor<4xf32>
  %3 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%h, %1 : tensor<4xf32>, tensor<4xf32>) outs(%2 : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %4 = tensor.empty() : tensor<4xf32>
  %5 = linalg.abs ins(%3 : tensor<4xf32>) outs(%4 : tensor<4xf32>) -> tensor<4xf32>
  return %3, %5 : tensor<4xf32>, tensor<4xf32>
}

// -----

#id = affine_map<(i) -> (i)>

// So is one of two results, and the other takes the place of an operand that nobody reads later.
// CHECK-LABEL: @two_results(
// CHECK: linalg.exp ins(%{{.*}}) outs(%[[T:.*]] :
// CHECK: linalg.generic {{.*}} ins(%[[H:.*]], %[[T]] : {{.*}}) outs(%[[H]], %[[T]] :
// CHECK-NOT: memref.copy
func.func @two_results(%h: tensor<4xf32> {aotc.name = "h", aotc.state = 0 : i64}, %x: tensor<4xf32> {aotc.name = "x"}) -> (tensor<4xf32> {aotc.name = "next"}, tensor<4xf32> {aotc.name = "y"}) {
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.exp ins(%x : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = tensor.empty() : tensor<4xf32>
  %3 = tensor.empty() : tensor<4xf32>
  %4:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]} ins(%h, %1 : tensor<4xf32>, tensor<4xf32>) outs(%2, %3 : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %s = arith.addf %a, %b : f32
    %t = arith.mulf %s, %b : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  %5 = tensor.empty() : tensor<4xf32>
  %6 = linalg.abs ins(%4#1 : tensor<4xf32>) outs(%5 : tensor<4xf32>) -> tensor<4xf32>
  return %4#0, %6 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A step still reads the state: the next value is copied there when all is done.
// CHECK-LABEL: @copied(
// CHECK: linalg.exp ins(%[[H:.*]] : {{.*}}) outs(%[[NEXT:.*]] :
// CHECK: linalg.add ins(%[[H]], %[[NEXT]] :
// CHECK: memref.copy %[[NEXT]], %[[H]]
func.func @copied(%h: tensor<4xf32> {aotc.name = "h", aotc.state = 0 : i64}) -> (tensor<4xf32> {aotc.name = "next"}, tensor<4xf32> {aotc.name = "y"}) {
  %0 = tensor.empty() : tensor<4xf32>
  %1 = linalg.exp ins(%h : tensor<4xf32>) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
  %2 = tensor.empty() : tensor<4xf32>
  %3 = linalg.add ins(%h, %1 : tensor<4xf32>, tensor<4xf32>) outs(%2 : tensor<4xf32>) -> tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Two states that change places: one is kept aside while the other is written.
// CHECK-LABEL: @exchanged(
// CHECK: memref.copy %[[G:.*]], %[[ASIDE:.*]] :
// CHECK-NEXT: memref.copy %[[H:.*]], %[[G]] :
// CHECK-NEXT: memref.copy %[[ASIDE]], %[[H]] :
// CHECK-NOT: memref.copy
func.func @exchanged(%g: tensor<4xf32> {aotc.name = "g", aotc.state = 1 : i64}, %h: tensor<4xf32> {aotc.name = "h", aotc.state = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32>) {
  return %g, %h : tensor<4xf32>, tensor<4xf32>
}
