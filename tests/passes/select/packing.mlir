// Weights are packed when compiling, in the layout that the kernel reads.
// RUN: aotc-opt %s --aotc-select-kernels --cse | FileCheck %s

#columns = affine_map<(b, m, n) -> (n)>

// 17 filters are two panels of 16, the second with one column that counts.
// CHECK-LABEL: @convolution
// CHECK: kern.conv2d {{.*}}kind = 0 : i32{{.*}} : (tensor<1x4x4x3xf32>, tensor<1x2x2x2x3x16xf32>, tensor<1x3x3x17xf32>)
func.func @convolution(%x: tensor<1x4x4x3xf32>) -> tensor<1x3x3x17xf32> {
  %w = arith.constant dense<1.0> : tensor<17x3x2x2xf32>
  %0 = tensor.empty() : tensor<1x3x3x17xf32>
  %1 = kern.conv2d ins(%x, %w, %0) {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, extra_maps = []} : (tensor<1x4x4x3xf32>, tensor<17x3x2x2xf32>, tensor<1x3x3x17xf32>) -> tensor<1x3x3x17xf32>
  return %1 : tensor<1x3x3x17xf32>
}

// Each group has panels of its own: output channel 0 of group 0, then that of group 1.
// CHECK-LABEL: @grouped
// CHECK: arith.constant dense<{{.*}}> : tensor<2x1x1x1x2x16xf32>
// CHECK: kern.conv2d {{.*}}groups = 2 : i64{{.*}}kind = 0 : i32
func.func @grouped(%x: tensor<1x4x4x4xf32>) -> tensor<1x4x4x2xf32> {
  %w = arith.constant dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]]]> : tensor<2x2x1x1xf32>
  %0 = tensor.empty() : tensor<1x4x4x2xf32>
  %1 = kern.conv2d ins(%x, %w, %0) {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64, kind = 0 : i32, extra_maps = []} : (tensor<1x4x4x4xf32>, tensor<2x2x1x1xf32>, tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
  return %1 : tensor<1x4x4x2xf32>
}

// CHECK-LABEL: @depthwise
// CHECK: kern.conv2d {{.*}}kind = 1 : i32{{.*}} : (tensor<1x4x4x20xf32>, tensor<3x2x32xf32>, tensor<1x2x3x20xf32>)
func.func @depthwise(%x: tensor<1x4x4x20xf32>) -> tensor<1x2x3x20xf32> {
  %w = arith.constant dense<1.0> : tensor<20x1x3x2xf32>
  %0 = tensor.empty() : tensor<1x2x3x20xf32>
  %1 = kern.conv2d ins(%x, %w, %0) {kernel = array<i64: 3, 2>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 20 : i64, kind = 0 : i32, extra_maps = []} : (tensor<1x4x4x20xf32>, tensor<20x1x3x2xf32>, tensor<1x2x3x20xf32>) -> tensor<1x2x3x20xf32>
  return %1 : tensor<1x2x3x20xf32>
}

// Two filters for each channel are a grouped convolution, not a depthwise one.
// CHECK-LABEL: @multiplier
// CHECK: kern.conv2d {{.*}}kind = 0 : i32{{.*}} : (tensor<1x4x4x2xf32>, tensor<2x1x1x1x1x16xf32>, tensor<1x4x4x4xf32>)
func.func @multiplier(%x: tensor<1x4x4x2xf32>) -> tensor<1x4x4x4xf32> {
  %w = arith.constant dense<1.0> : tensor<4x1x1x1xf32>
  %0 = tensor.empty() : tensor<1x4x4x4xf32>
  %1 = kern.conv2d ins(%x, %w, %0) {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64, kind = 0 : i32, extra_maps = []} : (tensor<1x4x4x2xf32>, tensor<4x1x1x1xf32>, tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
  return %1 : tensor<1x4x4x4xf32>
}

// [k, n] becomes [panel, k, 16]; what the kernel ends with stays.
// CHECK-LABEL: @matmul
// CHECK: arith.constant dense<{{.*}}> : tensor<1x2x16xf32>
// CHECK: kern.matmul ins({{.*}}) epilogue
// CHECK: packed
func.func @matmul(%a: tensor<1x3x2xf32>, %bias: tensor<3xf32>) -> tensor<1x3x3xf32> {
  %w = arith.constant dense<[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]> : tensor<1x2x3xf32>
  %0 = tensor.empty() : tensor<1x3x3xf32>
  %1 = kern.matmul ins(%a, %w, %bias, %0) epilogue {
  ^bb0(%sum: f32, %b: f32):
    %2 = arith.addf %sum, %b : f32
    kern.yield %2 : f32
  } {extra_maps = [#columns]} : (tensor<1x3x2xf32>, tensor<1x2x3xf32>, tensor<3xf32>, tensor<1x3x3xf32>) -> tensor<1x3x3xf32>
  return %1 : tensor<1x3x3xf32>
}

// Matrices that differ from batch to batch, or are computed, are read as they are.
// CHECK-LABEL: @not_packed
// CHECK-NOT: packed
// CHECK: return
func.func @not_packed(%a: tensor<2x3x2xf32>, %b: tensor<2x2x3xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x3xf32>) {
  %w = arith.constant dense<1.0> : tensor<2x2x3xf32>
  %0 = tensor.empty() : tensor<2x3x3xf32>
  %1 = kern.matmul ins(%a, %w, %0) {extra_maps = []} : (tensor<2x3x2xf32>, tensor<2x2x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  %2 = kern.matmul ins(%a, %b, %0) {extra_maps = []} : (tensor<2x3x2xf32>, tensor<2x2x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %1, %2 : tensor<2x3x3xf32>, tensor<2x3x3xf32>
}
