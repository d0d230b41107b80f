// Writes to one buffer keep their order where they overlap.
// RUN: aotc-opt %s --aotc-plan-arena --split-input-file | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// %padded is twice as large as what is copied into it: both of its writes move behind the steps that need much memory,
// and the fill stays in front of the copy.
// CHECK-LABEL: @pad(
// CHECK: linalg.exp
// CHECK: linalg.abs
// CHECK: linalg.fill
// CHECK: linalg.copy
// CHECK: linalg.sqrt
func.func @pad(%x: memref<64xf32>, %y: memref<256xf32>) -> (memref<128xf32>, memref<256xf32>) {
  %zero = arith.constant 0.0 : f32
  %m = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%m : memref<64xf32>)
  %padded = memref.alloc() : memref<128xf32>
  linalg.fill ins(%zero : f32) outs(%padded : memref<128xf32>)
  %inside = memref.subview %padded[32] [64] [1] : memref<128xf32> to memref<64xf32, strided<[1], offset: 32>>
  linalg.copy ins(%m : memref<64xf32>) outs(%inside : memref<64xf32, strided<[1], offset: 32>>)
  %wide = memref.alloc() : memref<256xf32>
  linalg.abs ins(%y : memref<256xf32>) outs(%wide : memref<256xf32>)
  %r = memref.alloc() : memref<128xf32>
  linalg.sqrt ins(%padded : memref<128xf32>) outs(%r : memref<128xf32>)
  return %r, %wide : memref<128xf32>, memref<256xf32>
}
