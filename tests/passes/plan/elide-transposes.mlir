// Kernels that take strides read and write transposed tensors where they are.
// RUN: aotc-opt %s --aotc-elide-copies --split-input-file | FileCheck %s

!rows = memref<1x50x96xf32>
!split = memref<1x50x6x16xf32>
!heads = memref<1x6x50x16xf32>
!columns = memref<1x6x16x50xf32>
!stack = memref<6x50x16xf32>
!transposed_stack = memref<6x16x50xf32>

// Heads beside each other in a row: q and v by rows, k by columns, and the result back into rows.
// CHECK-LABEL: @heads
// CHECK-NOT: linalg.transpose
// CHECK-DAG: %[[Q:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1, 6, 50, 16], strides: [96, 16, 96, 1]
// CHECK-DAG: %[[K:.*]] = memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1, 6, 16, 50], strides: [96, 16, 1, 96]
// CHECK: kern.attention {{.*}} : (memref<6x50x16xf32, strided<[16, 96, 1]>>, memref<6x16x50xf32, strided<[16, 1, 96]>>, memref<6x50x16xf32, strided<[16, 96, 1]>>, memref<6x50x16xf32, strided<[16, 96, 1]>>)
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @heads(%x: !split) -> !split {
  %q = memref.alloc() : !heads
  linalg.transpose ins(%x : !split) outs(%q : !heads) permutation = [0, 2, 1, 3]
  %k = memref.alloc() : !columns
  linalg.transpose ins(%x : !split) outs(%k : !columns) permutation = [0, 2, 3, 1]
  %0 = memref.collapse_shape %q [[0, 1], [2], [3]] : !heads into !stack
  %1 = memref.collapse_shape %k [[0, 1], [2], [3]] : !columns into !transposed_stack
  %y = memref.alloc() : !stack
  kern.attention ins(%0, %1, %0, %y) {block_rows = 50 : i64, block_keys = 50 : i64, extra_maps = []} : (!stack, !transposed_stack, !stack, !stack) -> ()
  %2 = memref.expand_shape %y [[0, 1], [2], [3]] output_shape [1, 6, 50, 16] : !stack into !heads
  %z = memref.alloc() : !split
  linalg.transpose ins(%2 : !heads) outs(%z : !split) permutation = [0, 2, 1, 3]
  return %z : !split
}

// -----

// Two images: heads of both are no stack of matrices with one stride.
// CHECK-LABEL: @two_images
// CHECK: linalg.transpose
func.func @two_images(%x: memref<2x50x6x16xf32>, %k: memref<12x16x50xf32>) -> memref<12x50x50xf32> {
  %q = memref.alloc() : memref<2x6x50x16xf32>
  linalg.transpose ins(%x : memref<2x50x6x16xf32>) outs(%q : memref<2x6x50x16xf32>) permutation = [0, 2, 1, 3]
  %0 = memref.collapse_shape %q [[0, 1], [2], [3]] : memref<2x6x50x16xf32> into memref<12x50x16xf32>
  %y = memref.alloc() : memref<12x50x50xf32>
  kern.matmul ins(%0, %k, %y) {extra_maps = []} : (memref<12x50x16xf32>, memref<12x16x50xf32>, memref<12x50x50xf32>) -> ()
  return %y : memref<12x50x50xf32>
}

// -----

// Another reader is no kernel: it would step through memory in a bad order.
// CHECK-LABEL: @other_reader
// CHECK: linalg.transpose
func.func @other_reader(%x: memref<50x6x16xf32>, %k: memref<6x16x50xf32>) -> (memref<6x50x50xf32>, memref<6x50x16xf32>) {
  %q = memref.alloc() : memref<6x50x16xf32>
  linalg.transpose ins(%x : memref<50x6x16xf32>) outs(%q : memref<6x50x16xf32>) permutation = [1, 0, 2]
  %y = memref.alloc() : memref<6x50x50xf32>
  kern.matmul ins(%q, %k, %y) {extra_maps = []} : (memref<6x50x16xf32>, memref<6x16x50xf32>, memref<6x50x50xf32>) -> ()
  %e = memref.alloc() : memref<6x50x16xf32>
  linalg.exp ins(%q : memref<6x50x16xf32>) outs(%e : memref<6x50x16xf32>)
  return %y, %e : memref<6x50x50xf32>, memref<6x50x16xf32>
}

// -----

// The original changes before it is read.
// CHECK-LABEL: @written
// CHECK: linalg.transpose
func.func @written(%k: memref<6x16x50xf32>, %z: memref<50x6x16xf32>) -> memref<6x50x50xf32> {
  %x = memref.alloc() : memref<50x6x16xf32>
  linalg.exp ins(%z : memref<50x6x16xf32>) outs(%x : memref<50x6x16xf32>)
  %q = memref.alloc() : memref<6x50x16xf32>
  linalg.transpose ins(%x : memref<50x6x16xf32>) outs(%q : memref<6x50x16xf32>) permutation = [1, 0, 2]
  linalg.log ins(%z : memref<50x6x16xf32>) outs(%x : memref<50x6x16xf32>)
  %y = memref.alloc() : memref<6x50x50xf32>
  kern.matmul ins(%q, %k, %y) {extra_maps = []} : (memref<6x50x16xf32>, memref<6x16x50xf32>, memref<6x50x50xf32>) -> ()
  return %y : memref<6x50x50xf32>
}
