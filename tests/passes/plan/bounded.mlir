// Buffers of bounded dims have room for the bound; their views keep the actual extent.
// RUN: aotc-opt %s --aotc-plan-arena --split-input-file | FileCheck %s

// Two buffers of 3 n rows of 64 floats, n at most 4: 3072 bytes each.
// CHECK-LABEL: @rows(
// CHECK-SAME: %[[ARENA:.*]]: memref<6144xi8>
// CHECK-SAME: %[[N:[a-z0-9]*]]: index
// CHECK-SAME: aotc.live_bytes = 6144 : i64
// CHECK: %[[ROWS:.*]] = arith.muli %[[N]], %c3
// CHECK: memref.view %[[ARENA]][%{{.*}}][%[[ROWS]]] : memref<6144xi8> to memref<?x64xf32>
func.func @rows(%x: memref<?x64xf32> {aotc.dims = ["rows", ""], aotc.bounds = array<i64: 12, 64>}, %n: index {aotc.dim = "n", aotc.minimum = 1 : i64, aotc.maximum = 4 : i64}) -> memref<?x64xf32> {
  %c3 = arith.constant 3 : index
  %rows = arith.muli %n, %c3 : index
  %a = memref.alloc(%rows) : memref<?x64xf32>
  linalg.exp ins(%x : memref<?x64xf32>) outs(%a : memref<?x64xf32>)
  return %a : memref<?x64xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>

// Results take their operand's place where both have the extent from one value.
// CHECK-LABEL: @in_place(
// CHECK-SAME: memref<2048xi8>
// CHECK: linalg.exp {{.*}} outs(%[[V:.*]] : memref<?x64xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[V]] : {{.*}}) outs(%[[V]] :
func.func @in_place(%x: memref<?x64xf32> {aotc.dims = ["n", ""], aotc.bounds = array<i64: 4, 64>}, %n: index {aotc.dim = "n", aotc.minimum = 1 : i64, aotc.maximum = 4 : i64}) -> memref<?x64xf32> {
  %a = memref.alloc(%n) : memref<?x64xf32>
  linalg.exp ins(%x : memref<?x64xf32>) outs(%a : memref<?x64xf32>)
  %b = memref.alloc(%n) : memref<?x64xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%a : memref<?x64xf32>) outs(%b : memref<?x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.log %in : f32
    linalg.yield %0 : f32
  }
  return %b : memref<?x64xf32>
}
