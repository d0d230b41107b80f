// Scratch memory is a buffer of its own for the length of its step: x and y lie where it lay before and will lie after.
// What further threads need lies behind the arena.
// RUN: aotc-opt %s --aotc-plan-arena | FileCheck %s

// 36 x 1 tile x (16 + 48) floats.
// CHECK-LABEL: @scratch(
// CHECK-SAME: memref<10240xi8>
// CHECK-SAME: aotc.arena_bytes = 10240 : i64
// CHECK-SAME: aotc.bound_bytes = 1024 : i64
// CHECK-SAME: aotc.live_bytes = 10240 : i64
// CHECK-SAME: aotc.scratch_per_thread = 9216 : i64
// CHECK: kern.conv2d {{.*}}aotc.scratch_offset = {{[0-9]+}} : i64
memref.global "private" constant @w : memref<1x36x8x16xf32> = dense<1.0>
func.func @scratch(%x: memref<1x4x4x8xf32>) -> memref<1x4x4x8xf32> {
  %w = memref.get_global @w : memref<1x36x8x16xf32>
  %y = memref.alloc() : memref<1x4x4x8xf32>
  kern.conv2d ins(%x, %w, %y) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 2 : i32, extra_maps = []} : (memref<1x4x4x8xf32>, memref<1x36x8x16xf32>, memref<1x4x4x8xf32>) -> ()
  return %y : memref<1x4x4x8xf32>
}
