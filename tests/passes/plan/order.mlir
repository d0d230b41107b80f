// Steps are put into the order that needs least memory.
// RUN: aotc-opt %s --aotc-plan-arena --split-input-file | FileCheck %s

// Each wide buffer is reduced before the other one is made: 4096 bytes of one, and 64 for x and the first sum.
// CHECK-LABEL: @one_after_the_other(
// CHECK-SAME: aotc.arena_bytes = 4224 : i64
// CHECK: linalg.broadcast
// CHECK: linalg.reduce
// CHECK: linalg.broadcast
// CHECK: linalg.reduce
// CHECK: linalg.add
func.func @one_after_the_other(%x: memref<16xf32>) -> memref<16xf32> {
  %wide0 = memref.alloc() : memref<16x64xf32>
  linalg.broadcast ins(%x : memref<16xf32>) outs(%wide0 : memref<16x64xf32>) dimensions = [1]
  %wide1 = memref.alloc() : memref<64x16xf32>
  linalg.broadcast ins(%x : memref<16xf32>) outs(%wide1 : memref<64x16xf32>) dimensions = [0]
  %a = memref.alloc() : memref<16xf32>
  linalg.reduce { arith.addf } ins(%wide0 : memref<16x64xf32>) outs(%a : memref<16xf32>) dimensions = [1]
  %b = memref.alloc() : memref<16xf32>
  linalg.reduce { arith.addf } ins(%wide1 : memref<64x16xf32>) outs(%b : memref<16xf32>) dimensions = [0]
  %c = memref.alloc() : memref<16xf32>
  linalg.add ins(%a, %b : memref<16xf32>, memref<16xf32>) outs(%c : memref<16xf32>)
  return %c : memref<16xf32>
}

// -----

// A branch stays behind what it reads, its condition included, and before what reads its result.
// CHECK-LABEL: @branch(
// CHECK: linalg.generic {{.*}} outs(%[[FLAG:[a-z0-9_]*]] : memref<i1>)
// CHECK: memref.load %[[FLAG]]
// CHECK: scf.if
// CHECK: linalg.log
#none = affine_map<() -> ()>
func.func @branch(%x: memref<f32>, %y: memref<64xf32>) -> memref<64xf32> {
  %zero = arith.constant 0.0 : f32
  %flag = memref.alloc() : memref<i1>
  linalg.generic {indexing_maps = [#none, #none], iterator_types = []} ins(%x : memref<f32>) outs(%flag : memref<i1>) {
  ^bb0(%in: f32, %out: i1):
    %0 = arith.cmpf olt, %in, %zero : f32
    linalg.yield %0 : i1
  }
  %d = memref.alloc() : memref<64xf32>
  %c = memref.load %flag[] : memref<i1>
  scf.if %c {
    linalg.exp ins(%y : memref<64xf32>) outs(%d : memref<64xf32>)
  } else {
    linalg.copy ins(%y : memref<64xf32>) outs(%d : memref<64xf32>)
  }
  %e = memref.alloc() : memref<64xf32>
  linalg.log ins(%d : memref<64xf32>) outs(%e : memref<64xf32>)
  return %e : memref<64xf32>
}
