// Producers write straight into the slices that their results would be copied to.
// RUN: aotc-opt %s --aotc-elide-copies --split-input-file | FileCheck %s

!part = memref<1x4x4x8xf32>
!both = memref<1x4x4x16xf32>
!slice = memref<1x4x4x8xf32, strided<[256, 64, 16, 1]>>
!slice8 = memref<1x4x4x8xf32, strided<[256, 64, 16, 1], offset: 8>>

// CHECK-LABEL: @concat
// CHECK: %[[D:.*]] = memref.alloc() : memref<1x4x4x16xf32>
// CHECK-NOT: memref.alloc
// CHECK-DAG: %[[A:.*]] = memref.subview %[[D]][0, 0, 0, 0] [1, 4, 4, 8]
// CHECK-DAG: %[[B:.*]] = memref.subview %[[D]][0, 0, 0, 8] [1, 4, 4, 8]
// CHECK: kern.max_pool2d ins(%arg0, %[[A]])
// CHECK: linalg.exp ins(%arg0 : {{.*}}) outs(%[[B]]
// CHECK-NOT: memref.copy
// CHECK: return %[[D]]
func.func @concat(%x: !part) -> !both {
  %a = memref.alloc() : !part
  kern.max_pool2d ins(%x, %a) {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, extra_maps = []} : (!part, !part) -> ()
  %b = memref.alloc() : !part
  linalg.exp ins(%x : !part) outs(%b : !part)
  %d = memref.alloc() : !both
  %s0 = memref.subview %d[0, 0, 0, 0] [1, 4, 4, 8] [1, 1, 1, 1] : !both to !slice
  memref.copy %a, %s0 : !part to !slice
  %s1 = memref.subview %d[0, 0, 0, 8] [1, 4, 4, 8] [1, 1, 1, 1] : !both to !slice8
  memref.copy %b, %s1 : !part to !slice8
  return %d : !both
}

// -----

// The reader of a part reads the slice.
// CHECK-LABEL: @reader
// CHECK: linalg.exp ins(%arg0 : {{.*}}) outs(%[[A:[a-z0-9_]*]] : memref<2x4xf32, strided<[8, 1]>>)
// CHECK: linalg.exp ins(%[[A]] : memref<2x4xf32, strided<[8, 1]>>)
// CHECK-NOT: memref.copy
// CHECK: return
func.func @reader(%x: memref<2x4xf32>) -> (memref<2x8xf32>, memref<2x4xf32>) {
  %a = memref.alloc() : memref<2x4xf32>
  %r = memref.alloc() : memref<2x4xf32>
  linalg.exp ins(%x : memref<2x4xf32>) outs(%a : memref<2x4xf32>)
  %d = memref.alloc() : memref<2x8xf32>
  %s0 = memref.subview %d[0, 0] [2, 4] [1, 1] : memref<2x8xf32> to memref<2x4xf32, strided<[8, 1]>>
  memref.copy %a, %s0 : memref<2x4xf32> to memref<2x4xf32, strided<[8, 1]>>
  linalg.exp ins(%a : memref<2x4xf32>) outs(%r : memref<2x4xf32>)
  return %d, %r : memref<2x8xf32>, memref<2x4xf32>
}

// -----

// A concat within a concat: everything lies in the outer buffer.
// CHECK-LABEL: @nested
// CHECK: %[[D:.*]] = memref.alloc() : memref<12xf32>
// CHECK-NOT: memref.alloc
// CHECK: linalg.exp ins(%arg0 : {{.*}}) outs(%{{.*}} : memref<4xf32, strided<[1], offset: 4>>)
// CHECK: linalg.log ins(%arg0 : {{.*}}) outs(%{{.*}} : memref<4xf32, strided<[1], offset: 8>>)
// CHECK: memref.copy %arg0
// CHECK-NOT: memref.copy
// CHECK: return %[[D]]
func.func @nested(%x: memref<4xf32>) -> memref<12xf32> {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %b = memref.alloc() : memref<4xf32>
  linalg.log ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
  %inner = memref.alloc() : memref<8xf32>
  %s0 = memref.subview %inner[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  memref.copy %a, %s0 : memref<4xf32> to memref<4xf32, strided<[1]>>
  %s1 = memref.subview %inner[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  memref.copy %b, %s1 : memref<4xf32> to memref<4xf32, strided<[1], offset: 4>>
  %outer = memref.alloc() : memref<12xf32>
  %s2 = memref.subview %outer[0] [4] [1] : memref<12xf32> to memref<4xf32, strided<[1]>>
  memref.copy %x, %s2 : memref<4xf32> to memref<4xf32, strided<[1]>>
  %s3 = memref.subview %outer[4] [8] [1] : memref<12xf32> to memref<8xf32, strided<[1], offset: 4>>
  memref.copy %inner, %s3 : memref<8xf32> to memref<8xf32, strided<[1], offset: 4>>
  return %outer : memref<12xf32>
}

// -----

// A part used twice lies in one of its slices and is copied to the other.
// CHECK-LABEL: @twice
// CHECK: linalg.exp ins(%arg0 : {{.*}}) outs(%[[S:[a-z0-9_]*]] : memref<4xf32, strided<[1], offset: 4>>)
// CHECK: memref.copy %[[S]]
// CHECK-NOT: memref.copy
// CHECK: return
func.func @twice(%x: memref<4xf32>) -> memref<8xf32> {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %d = memref.alloc() : memref<8xf32>
  %s0 = memref.subview %d[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  memref.copy %a, %s0 : memref<4xf32> to memref<4xf32, strided<[1]>>
  %s1 = memref.subview %d[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  memref.copy %a, %s1 : memref<4xf32> to memref<4xf32, strided<[1], offset: 4>>
  return %d : memref<8xf32>
}

// -----

// Arguments and results lie where the caller wants them.
// CHECK-LABEL: @caller
// CHECK-COUNT-2: memref.copy
// CHECK: return
func.func @caller(%x: memref<4xf32>) -> (memref<8xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %d = memref.alloc() : memref<8xf32>
  %s0 = memref.subview %d[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  memref.copy %x, %s0 : memref<4xf32> to memref<4xf32, strided<[1]>>
  %s1 = memref.subview %d[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  memref.copy %a, %s1 : memref<4xf32> to memref<4xf32, strided<[1], offset: 4>>
  return %d, %a : memref<8xf32>, memref<4xf32>
}

// -----

// The destination is filled first, as for padding: what is written early would be lost.
// CHECK-LABEL: @filled_before
// CHECK: linalg.fill
// CHECK: memref.copy
func.func @filled_before(%x: memref<4xf32>) -> memref<8xf32> {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %d = memref.alloc() : memref<8xf32>
  linalg.fill ins(%zero : f32) outs(%d : memref<8xf32>)
  %s = memref.subview %d[2] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 2>>
  memref.copy %a, %s : memref<4xf32> to memref<4xf32, strided<[1], offset: 2>>
  return %d : memref<8xf32>
}

// -----

// An overlapping slice is written between the producer and the copy.
// CHECK-LABEL: @overlap_before
// CHECK: memref.copy
func.func @overlap_before(%x: memref<4xf32>) -> memref<8xf32> {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %d = memref.alloc() : memref<8xf32>
  %t = memref.subview %d[3] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 3>>
  linalg.log ins(%x : memref<4xf32>) outs(%t : memref<4xf32, strided<[1], offset: 3>>)
  %s = memref.subview %d[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  memref.copy %a, %s : memref<4xf32> to memref<4xf32, strided<[1]>>
  return %d : memref<8xf32>
}

// -----

// The destination is written again while the small buffer is still wanted.
// CHECK-LABEL: @overlap_after
// CHECK: memref.copy
func.func @overlap_after(%x: memref<4xf32>) -> (memref<8xf32>, memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  %r = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %d = memref.alloc() : memref<8xf32>
  %s = memref.subview %d[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  memref.copy %a, %s : memref<4xf32> to memref<4xf32, strided<[1]>>
  %t = memref.subview %d[3] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 3>>
  linalg.log ins(%x : memref<4xf32>) outs(%t : memref<4xf32, strided<[1], offset: 3>>)
  linalg.exp ins(%a : memref<4xf32>) outs(%r : memref<4xf32>)
  return %d, %r : memref<8xf32>, memref<4xf32>
}

// -----

// A branch may write the small buffer after the copy.
// CHECK-LABEL: @branch_after
// CHECK: memref.copy
func.func @branch_after(%c: memref<i1>, %x: memref<4xf32>) -> memref<8xf32> {
  %a = memref.alloc() : memref<4xf32>
  linalg.exp ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  %d = memref.alloc() : memref<8xf32>
  %s = memref.subview %d[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
  memref.copy %a, %s : memref<4xf32> to memref<4xf32, strided<[1]>>
  %flag = memref.load %c[] : memref<i1>
  scf.if %flag {
    linalg.log ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
  }
  %t = memref.subview %d[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  linalg.exp ins(%a : memref<4xf32>) outs(%t : memref<4xf32, strided<[1], offset: 4>>)
  return %d : memref<8xf32>
}

// -----

// The matrix product is [1, 4, 2] seen as [4, 2]: the slice is seen as [1, 4, 2].
// CHECK-LABEL: @reshape
// CHECK: %[[S:.*]] = memref.subview %{{.*}}[0, 1] [4, 2] [1, 1]
// CHECK: %[[E:.*]] = memref.expand_shape %[[S]] {{\[\[}}0, 1], [2]]
// CHECK: kern.matmul ins(%arg0, %arg1, %[[E]])
// CHECK-NOT: memref.copy
// CHECK: return
func.func @reshape(%x: memref<1x4x3xf32>, %w: memref<1x3x2xf32>) -> memref<4x5xf32> {
  %a = memref.alloc() : memref<1x4x2xf32>
  kern.matmul ins(%x, %w, %a) {extra_maps = []} : (memref<1x4x3xf32>, memref<1x3x2xf32>, memref<1x4x2xf32>) -> ()
  %v = memref.collapse_shape %a [[0, 1], [2]] : memref<1x4x2xf32> into memref<4x2xf32>
  %d = memref.alloc() : memref<4x5xf32>
  %s = memref.subview %d[0, 1] [4, 2] [1, 1] : memref<4x5xf32> to memref<4x2xf32, strided<[5, 1], offset: 1>>
  memref.copy %v, %s : memref<4x2xf32> to memref<4x2xf32, strided<[5, 1], offset: 1>>
  return %d : memref<4x5xf32>
}

// -----

// Rows with gaps between them are no run of elements: [8] cannot lie in a slice [4, 2] of [4, 5].
// CHECK-LABEL: @gaps
// CHECK: memref.copy
func.func @gaps(%x: memref<8xf32>) -> memref<4x5xf32> {
  %a = memref.alloc() : memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %v = memref.expand_shape %a [[0, 1]] output_shape [4, 2] : memref<8xf32> into memref<4x2xf32>
  %d = memref.alloc() : memref<4x5xf32>
  %s = memref.subview %d[0, 1] [4, 2] [1, 1] : memref<4x5xf32> to memref<4x2xf32, strided<[5, 1], offset: 1>>
  memref.copy %v, %s : memref<4x2xf32> to memref<4x2xf32, strided<[5, 1], offset: 1>>
  return %d : memref<4x5xf32>
}

// -----

// Softmax wants dense memory.
// CHECK-LABEL: @dense_only
// CHECK: memref.copy
func.func @dense_only(%x: memref<1x2x4xf32>) -> memref<1x2x8xf32> {
  %a = memref.alloc() : memref<1x2x4xf32>
  kern.softmax ins(%x, %a) {extra_maps = []} : (memref<1x2x4xf32>, memref<1x2x4xf32>) -> ()
  %d = memref.alloc() : memref<1x2x8xf32>
  %s = memref.subview %d[0, 0, 0] [1, 2, 4] [1, 1, 1] : memref<1x2x8xf32> to memref<1x2x4xf32, strided<[16, 8, 1]>>
  memref.copy %a, %s : memref<1x2x4xf32> to memref<1x2x4xf32, strided<[16, 8, 1]>>
  return %d : memref<1x2x8xf32>
}

// -----

// Allocations go to the front, behind the arithmetic that tells their extents.
// CHECK-LABEL: @extents
// CHECK: %[[ROWS:.*]] = arith.muli
// CHECK: memref.alloc(%[[ROWS]])
// CHECK: memref.alloc(%[[ROWS]])
// CHECK: linalg.exp
// CHECK: linalg.log
func.func @extents(%x: memref<?x4xf32>, %n: index) -> memref<?x4xf32> {
  %y = memref.alloc() : memref<1xf32>
  %c3 = arith.constant 3 : index
  %rows = arith.muli %n, %c3 : index
  %a = memref.alloc(%rows) : memref<?x4xf32>
  linalg.exp ins(%x : memref<?x4xf32>) outs(%a : memref<?x4xf32>)
  %b = memref.alloc(%rows) : memref<?x4xf32>
  linalg.log ins(%a : memref<?x4xf32>) outs(%b : memref<?x4xf32>)
  return %b : memref<?x4xf32>
}

// -----

// Concats of concats whose slices stand right behind the allocations: they become one slice each, and go.
// CHECK-LABEL: @nested_at_the_start
// CHECK-NOT: arith.constant
// CHECK-COUNT-3: memref.copy
// CHECK-NOT: memref.copy
// CHECK: return
func.func @nested_at_the_start(%x: memref<2x3xf32>) -> (memref<2x9xf32>, memref<2x6xf32>) {
  %d = memref.alloc() : memref<2x6xf32>
  %s0 = memref.subview %d[0, 0] [2, 3] [1, 1] : memref<2x6xf32> to memref<2x3xf32, strided<[6, 1]>>
  memref.copy %x, %s0 : memref<2x3xf32> to memref<2x3xf32, strided<[6, 1]>>
  %s1 = memref.subview %d[0, 3] [2, 3] [1, 1] : memref<2x6xf32> to memref<2x3xf32, strided<[6, 1], offset: 3>>
  memref.copy %x, %s1 : memref<2x3xf32> to memref<2x3xf32, strided<[6, 1], offset: 3>>
  %a = memref.alloc() : memref<2x3xf32>
  linalg.exp ins(%x : memref<2x3xf32>) outs(%a : memref<2x3xf32>)
  %b = memref.alloc() : memref<2x3xf32>
  linalg.log ins(%x : memref<2x3xf32>) outs(%b : memref<2x3xf32>)
  %m = memref.alloc() : memref<2x6xf32>
  %m0 = memref.subview %m[0, 0] [2, 3] [1, 1] : memref<2x6xf32> to memref<2x3xf32, strided<[6, 1]>>
  memref.copy %a, %m0 : memref<2x3xf32> to memref<2x3xf32, strided<[6, 1]>>
  %m1 = memref.subview %m[0, 3] [2, 3] [1, 1] : memref<2x6xf32> to memref<2x3xf32, strided<[6, 1], offset: 3>>
  memref.copy %b, %m1 : memref<2x3xf32> to memref<2x3xf32, strided<[6, 1], offset: 3>>
  %o = memref.alloc() : memref<2x9xf32>
  %o0 = memref.subview %o[0, 0] [2, 6] [1, 1] : memref<2x9xf32> to memref<2x6xf32, strided<[9, 1]>>
  memref.copy %d, %o0 : memref<2x6xf32> to memref<2x6xf32, strided<[9, 1]>>
  %o1 = memref.subview %o[0, 6] [2, 3] [1, 1] : memref<2x9xf32> to memref<2x3xf32, strided<[9, 1], offset: 6>>
  memref.copy %x, %o1 : memref<2x3xf32> to memref<2x3xf32, strided<[9, 1], offset: 6>>
  return %o, %m : memref<2x9xf32>, memref<2x6xf32>
}
