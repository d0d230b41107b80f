// A fresh buffer for every destination; every result is a whole buffer of its own.
// RUN: aotc-opt %s --aotc-bufferize --split-input-file | FileCheck %s

// Destinations that CSE merged are told apart, and nothing is copied.
// CHECK-LABEL: @shared_destination
// CHECK-COUNT-2: memref.alloc() {{.*}} : memref<1x2x4xf32>
// CHECK: kern.softmax ins(%arg0, %[[A:[a-z0-9_]*]])
// CHECK: kern.softmax ins(%[[A]], %[[B:[a-z0-9_]*]])
// CHECK-NOT: memref.copy
// CHECK: return %[[B]]
func.func @shared_destination(%x: tensor<1x2x4xf32>) -> tensor<1x2x4xf32> {
  %e = tensor.empty() : tensor<1x2x4xf32>
  %0 = kern.softmax ins(%x, %e) {extra_maps = []} : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  %1 = kern.softmax ins(%0, %e) {extra_maps = []} : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  return %1 : tensor<1x2x4xf32>
}

// -----

// So are two images that begin as one border.
// CHECK-LABEL: @shared_fill
// CHECK-COUNT-2: linalg.fill
// CHECK: return
func.func @shared_fill(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = tensor.insert_slice %x into %f[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  %1 = tensor.insert_slice %y into %f[1] [2] [1] : tensor<2xf32> into tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Equal constants are one global.
// CHECK-COUNT-1: memref.global "private" constant
// CHECK-NOT: memref.global
// CHECK-LABEL: @constants
func.func @constants(%c: tensor<i1>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// -----

// An argument, a constant, a part of a buffer and a result already returned get a buffer of their own; a reshaped whole does not.
// CHECK-LABEL: @results
// CHECK: %[[W:.*]] = memref.get_global
// CHECK: %[[S:.*]] = memref.alloc() {{.*}} : memref<1x2x4xf32>
// CHECK: kern.softmax ins(%arg0, %[[S]])
// CHECK-DAG: %[[R:.*]] = memref.collapse_shape %[[S]]
// CHECK-DAG: %[[P:.*]] = memref.subview %[[S]]
// CHECK: %[[PART:.*]] = memref.alloc() {{.*}} : memref<1x1x4xf32>
// CHECK: memref.copy %[[P]], %[[PART]]
// CHECK: %[[ARG:.*]] = memref.alloc() : memref<1x2x4xf32>
// CHECK: memref.copy %arg0, %[[ARG]]
// CHECK: %[[CONSTANT:.*]] = memref.alloc() : memref<2xf32>
// CHECK: memref.copy %[[W]], %[[CONSTANT]]
// CHECK: %[[AGAIN:.*]] = memref.alloc() : memref<1x2x4xf32>
// CHECK: memref.copy %[[S]], %[[AGAIN]]
// CHECK: return %[[ARG]], %[[CONSTANT]], %[[R]], %[[PART]], %[[AGAIN]]
func.func @results(%x: tensor<1x2x4xf32>) -> (tensor<1x2x4xf32>, tensor<2xf32>, tensor<8xf32>, tensor<1x1x4xf32>, tensor<1x2x4xf32>) {
  %w = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %e = tensor.empty() : tensor<1x2x4xf32>
  %0 = kern.softmax ins(%x, %e) {extra_maps = []} : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  %1 = tensor.collapse_shape %0 [[0, 1, 2]] : tensor<1x2x4xf32> into tensor<8xf32>
  %2 = tensor.extract_slice %0[0, 1, 0] [1, 1, 4] [1, 1, 1] : tensor<1x2x4xf32> to tensor<1x1x4xf32>
  return %x, %w, %1, %2, %0 : tensor<1x2x4xf32>, tensor<2xf32>, tensor<8xf32>, tensor<1x1x4xf32>, tensor<1x2x4xf32>
}

// -----

// A kernel that wants its operands dense gets them so: a slice of a wider buffer is copied.
// CHECK-LABEL: @strided_operand
// CHECK: %[[S:.*]] = memref.subview %arg0
// CHECK: %[[D:.*]] = memref.alloc() : memref<1x2x4xf32>
// CHECK: memref.copy %[[S]], %[[D]]
// CHECK: kern.softmax ins(%[[D]],
func.func @strided_operand(%x: tensor<1x2x8xf32>) -> tensor<1x2x4xf32> {
  %0 = tensor.extract_slice %x[0, 0, 4] [1, 2, 4] [1, 1, 1] : tensor<1x2x8xf32> to tensor<1x2x4xf32>
  %e = tensor.empty() : tensor<1x2x4xf32>
  %1 = kern.softmax ins(%0, %e) {extra_maps = []} : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  return %1 : tensor<1x2x4xf32>
}

// -----

// Images may have gaps between rows and pixels, so a crop is read in place; every second channel is not.
// CHECK-LABEL: @strided_images
// CHECK: %[[CROP:.*]] = memref.subview %arg0[0, 1, 1, 0] [1, 2, 2, 8] [1, 1, 1, 1]
// CHECK-NOT: memref.copy %[[CROP]]
// CHECK: kern.max_pool2d ins(%[[CROP]]
// CHECK: %[[HALF:.*]] = memref.subview %arg0[0, 0, 0, 0] [1, 4, 4, 4] [1, 1, 1, 2]
// CHECK: %[[D:.*]] = memref.alloc() : memref<1x4x4x4xf32>
// CHECK: memref.copy %[[HALF]], %[[D]]
// CHECK: kern.max_pool2d ins(%[[D]]
func.func @strided_images(%x: tensor<1x4x4x8xf32>) -> (tensor<1x2x2x8xf32>, tensor<1x4x4x4xf32>) {
  %0 = tensor.extract_slice %x[0, 1, 1, 0] [1, 2, 2, 8] [1, 1, 1, 1] : tensor<1x4x4x8xf32> to tensor<1x2x2x8xf32>
  %e = tensor.empty() : tensor<1x2x2x8xf32>
  %1 = kern.max_pool2d ins(%0, %e) {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, extra_maps = []} : (tensor<1x2x2x8xf32>, tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32>
  %2 = tensor.extract_slice %x[0, 0, 0, 0] [1, 4, 4, 4] [1, 1, 1, 2] : tensor<1x4x4x8xf32> to tensor<1x4x4x4xf32>
  %f = tensor.empty() : tensor<1x4x4x4xf32>
  %3 = kern.max_pool2d ins(%2, %f) {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, extra_maps = []} : (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %1, %3 : tensor<1x2x2x8xf32>, tensor<1x4x4x4xf32>
}

// -----

// Both branches write one buffer, which readers name directly.
// CHECK-LABEL: @branch
// CHECK: %[[D:.*]] = memref.alloc() {{.*}} : memref<4xf32>
// CHECK: scf.if
// CHECK: linalg.copy ins(%arg1 : {{.*}}) outs(%[[D]]
// CHECK: else
// CHECK: linalg.copy ins(%arg2 : {{.*}}) outs(%[[D]]
// CHECK: return %[[D]]
func.func @branch(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %d = bufferization.alloc_tensor() : tensor<4xf32>
  %flag = tensor.extract %c[] : tensor<i1>
  %0 = scf.if %flag -> tensor<4xf32> {
    %1 = linalg.copy ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    %1 = linalg.copy ins(%y : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// What CSE made one of two concatenations that begin alike is written once for each.
// CHECK-LABEL: @shared_prefix
// CHECK-DAG: %[[A:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK-DAG: %[[B:.*]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK-COUNT-4: memref.copy
// CHECK: return %[[A]], %[[B]]
func.func @shared_prefix(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %0 = tensor.insert_slice %x into %e[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %1 = tensor.insert_slice %y into %0[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %2 = tensor.insert_slice %z into %0[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
