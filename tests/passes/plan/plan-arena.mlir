// Buffers become views of one arena. Offsets are the planner's; here it is what shares a place and what must not.
// RUN: aotc-opt %s --aotc-plan-arena --split-input-file | FileCheck %s

#id = affine_map<(d0) -> (d0)>

// exp, then log, in the first result's place: 256 bytes for x and 256 for everything else would do; x dies after the first
// step, but it is read while that is computed.
// CHECK-LABEL: @in_place(
// CHECK-SAME: %[[ARENA:.*]]: memref<512xi8>, %[[X:.*]]: memref<64xf32>
// CHECK-SAME: aotc.arena_bytes = 512 : i64, aotc.arena_optimal
// CHECK-SAME: aotc.input_offsets = array<i64: {{0|256}}>
// CHECK-SAME: aotc.live_bytes = 512 : i64, aotc.order_optimal
// CHECK: %[[C:.*]] = arith.constant {{0|256}} : index
// CHECK: %[[V:.*]] = memref.view %[[ARENA]][%[[C]]][] : memref<512xi8> to memref<64xf32>
// CHECK-NOT: memref.view
// CHECK: linalg.generic {{.*}} ins(%[[X]] : memref<64xf32>) outs(%[[V]] : memref<64xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[V]] : memref<64xf32>) outs(%[[V]] : memref<64xf32>)
// CHECK: return %[[V]]
func.func @in_place(%x: memref<64xf32>) -> memref<64xf32> {
  %a = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<64xf32>) outs(%a : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  }
  %b = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.log %in : f32
    linalg.yield %0 : f32
  }
  return %b : memref<64xf32>
}

// -----

#id4 = affine_map<(n, h, w, c) -> (n, h, w, c)>

// The residual is added in its own place.
// CHECK-LABEL: @residual(
// CHECK: kern.max_pool2d ins(%arg1, %[[S:[a-z0-9_]*]])
// CHECK: kern.max_pool2d ins(%arg1, %[[S]], %[[S]]) epilogue
func.func @residual(%x: memref<1x4x4x8xf32>) -> memref<1x4x4x8xf32> {
  %s = memref.alloc() : memref<1x4x4x8xf32>
  kern.max_pool2d ins(%x, %s) {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, extra_maps = []} : (memref<1x4x4x8xf32>, memref<1x4x4x8xf32>) -> ()
  %y = memref.alloc() : memref<1x4x4x8xf32>
  kern.max_pool2d ins(%x, %s, %y) epilogue {
  ^bb0(%v: f32, %e: f32):
    %0 = arith.addf %v, %e : f32
    kern.yield %0 : f32
  } {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, extra_maps = [#id4]} : (memref<1x4x4x8xf32>, memref<1x4x4x8xf32>, memref<1x4x4x8xf32>) -> ()
  return %y : memref<1x4x4x8xf32>
}

// -----

#id4 = affine_map<(n, h, w, c) -> (n, h, w, c)>

// y = pool(s) + s reads neighbours of each element of s: its place is not free until the end.
// CHECK-LABEL: @residual_of_the_same(
// CHECK: kern.max_pool2d ins(%arg1, %[[S:[a-z0-9_]*]])
// CHECK-NOT: kern.max_pool2d ins(%[[S]], %[[S]], %[[S]])
// CHECK: kern.max_pool2d ins(%[[S]], %[[S]], %{{[a-z0-9_]*}}) epilogue
func.func @residual_of_the_same(%x: memref<1x4x4x8xf32>) -> memref<1x4x4x8xf32> {
  %s = memref.alloc() : memref<1x4x4x8xf32>
  kern.max_pool2d ins(%x, %s) {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, extra_maps = []} : (memref<1x4x4x8xf32>, memref<1x4x4x8xf32>) -> ()
  %y = memref.alloc() : memref<1x4x4x8xf32>
  kern.max_pool2d ins(%s, %s, %y) epilogue {
  ^bb0(%v: f32, %e: f32):
    %0 = arith.addf %v, %e : f32
    kern.yield %0 : f32
  } {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, extra_maps = [#id4]} : (memref<1x4x4x8xf32>, memref<1x4x4x8xf32>, memref<1x4x4x8xf32>) -> ()
  return %y : memref<1x4x4x8xf32>
}

// -----

#id2 = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>

// a + transpose(a): one operand is read at other places than it is written.
// CHECK-LABEL: @transposed_too(
// CHECK-COUNT-2: memref.view
// CHECK: return
func.func @transposed_too(%x: memref<4x4xf32>) -> memref<4x4xf32> {
  %a = memref.alloc() : memref<4x4xf32>
  linalg.exp ins(%x : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
  %b = memref.alloc() : memref<4x4xf32>
  linalg.generic {indexing_maps = [#id2, #swap, #id2], iterator_types = ["parallel", "parallel"]} ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%b : memref<4x4xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  }
  return %b : memref<4x4xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>

// A value with a later reader keeps its place.
// CHECK-LABEL: @later_reader(
// CHECK-COUNT-2: memref.view
// CHECK: return
func.func @later_reader(%x: memref<64xf32>) -> memref<64xf32> {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : memref<64xf32>) outs(%b : memref<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.log %in : f32
    linalg.yield %0 : f32
  }
  %c = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%c : memref<64xf32>) {
  ^bb0(%p: f32, %q: f32, %out: f32):
    %0 = arith.addf %p, %q : f32
    linalg.yield %0 : f32
  }
  return %c : memref<64xf32>
}

// -----

// Lifetimes that do not meet share memory: three softmax steps in a row need two buffers beside nothing else.
// CHECK-LABEL: @lifetimes(
// CHECK-SAME: memref<2048xi8>
// CHECK-SAME: aotc.arena_bytes = 2048 : i64
// CHECK-SAME: aotc.live_bytes = 2048 : i64
func.func @lifetimes(%x: memref<4x64xf32>) -> memref<4xf32> {
  %a = memref.alloc() : memref<64x4xf32>
  linalg.transpose ins(%x : memref<4x64xf32>) outs(%a : memref<64x4xf32>) permutation = [1, 0]
  %b = memref.alloc() : memref<4x64xf32>
  linalg.transpose ins(%a : memref<64x4xf32>) outs(%b : memref<4x64xf32>) permutation = [1, 0]
  %v = memref.expand_shape %b [[0, 1], [2]] output_shape [1, 4, 64] : memref<4x64xf32> into memref<1x4x64xf32>
  %t = memref.collapse_shape %v [[0, 1], [2]] : memref<1x4x64xf32> into memref<4x64xf32>
  %w = memref.expand_shape %t [[0], [1, 2]] output_shape [4, 64, 1] : memref<4x64xf32> into memref<4x64x1xf32>
  %r = memref.alloc() : memref<4x1xf32>
  kern.reduce max ins(%w, %r) {extra_maps = []} : (memref<4x64x1xf32>, memref<4x1xf32>) -> ()
  %o = memref.collapse_shape %r [[0, 1]] : memref<4x1xf32> into memref<4xf32>
  return %o : memref<4xf32>
}

// -----

// All inputs are alive when the program starts; one that nobody reads still has a place.
// CHECK-LABEL: @inputs(
// CHECK-SAME: aotc.input_offsets = array<i64: {{[0-9]+, [0-9]+}}>
// CHECK-SAME: aotc.live_bytes = 1024 : i64
func.func @inputs(%x: memref<128xf32>, %unread: memref<128xf32>) -> memref<128xf32> {
  %a = memref.alloc() : memref<128xf32>
  memref.copy %x, %a : memref<128xf32> to memref<128xf32>
  return %a : memref<128xf32>
}

// -----

// The condition is read when the branch is reached: nothing may take its place before.
// CHECK-LABEL: @condition(
// CHECK: linalg.generic {{.*}} outs(%[[FLAG:[a-z0-9_]*]] : memref<i1>)
// CHECK: %[[C:.*]] = memref.load %[[FLAG]][]
// CHECK: scf.if %[[C]]
#none = affine_map<() -> ()>
func.func @condition(%x: memref<f32>, %y: memref<64xf32>) -> memref<64xf32> {
  %zero = arith.constant 0.0 : f32
  %flag = memref.alloc() : memref<i1>
  linalg.generic {indexing_maps = [#none, #none], iterator_types = []} ins(%x : memref<f32>) outs(%flag : memref<i1>) {
  ^bb0(%in: f32, %out: i1):
    %0 = arith.cmpf olt, %in, %zero : f32
    linalg.yield %0 : i1
  }
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%y : memref<64xf32>) outs(%a : memref<64xf32>)
  %d = memref.alloc() : memref<64xf32>
  %c = memref.load %flag[] : memref<i1>
  scf.if %c {
    %t = memref.alloc() : memref<64xf32>
    linalg.log ins(%a : memref<64xf32>) outs(%t : memref<64xf32>)
    linalg.copy ins(%t : memref<64xf32>) outs(%d : memref<64xf32>)
  } else {
    linalg.copy ins(%a : memref<64xf32>) outs(%d : memref<64xf32>)
  }
  return %d : memref<64xf32>
}
