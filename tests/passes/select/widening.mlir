// For processors that cannot multiply bytes, kernels of integers get memory to widen rows in: what many weights read.
// RUN: aotc-opt %s --aotc-select-kernels=widen-bytes | FileCheck %s
// RUN: aotc-opt %s --aotc-select-kernels | FileCheck %s --check-prefix=BYTES

// BYTES-NOT: widen

// As many rows at a time as take a quarter of the buffers' memory.
// CHECK-LABEL: @pointwise
// CHECK: kern.integer_conv2d
// CHECK: block_rows = 4 : i64{{.*}}widens_rows
func.func @pointwise(%x: tensor<1x8x8x16xi8>) -> tensor<1x8x8x64xi8> {
  %w = arith.constant dense<1> : tensor<64x16x1x1xi16>
  %offsets = arith.constant dense<0> : tensor<64xi32>
  %0 = tensor.empty() : tensor<1x8x8x64xi8>
  %1 = kern.integer_conv2d ins(%x, %w, %offsets, %0) epilogue {
  ^bb0(%sum: f32):
    %q = kern.quantize %sum, %sum {low = -128 : i64, high = 127 : i64}
    kern.yield %q : i8
  } {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, x_zero_point = 0 : i64, extra_maps = []} : (tensor<1x8x8x16xi8>, tensor<64x16x1x1xi16>, tensor<64xi32>, tensor<1x8x8x64xi8>) -> tensor<1x8x8x64xi8>
  return %1 : tensor<1x8x8x64xi8>
}

// 16 products for each byte are not worth it.
// CHECK-LABEL: @few_filters
// CHECK-NOT: widens_rows
func.func @few_filters(%x: tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8> {
  %w = arith.constant dense<1> : tensor<16x16x1x1xi16>
  %offsets = arith.constant dense<0> : tensor<16xi32>
  %0 = tensor.empty() : tensor<1x8x8x16xi8>
  %1 = kern.integer_conv2d ins(%x, %w, %offsets, %0) epilogue {
  ^bb0(%sum: f32):
    %q = kern.quantize %sum, %sum {low = -128 : i64, high = 127 : i64}
    kern.yield %q : i8
  } {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, x_zero_point = 0 : i64, extra_maps = []} : (tensor<1x8x8x16xi8>, tensor<16x16x1x1xi16>, tensor<16xi32>, tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8>
  return %1 : tensor<1x8x8x16xi8>
}

// CHECK-LABEL: @product
// CHECK: kern.integer_matmul {{.*}}widened_rows = 30 : i64
func.func @product(%a: tensor<1x30x384xi8>, %zero: tensor<1xi8>) -> tensor<1x30x64xf32> {
  %w = arith.constant dense<1> : tensor<1x384x64xi16>
  %sums = arith.constant dense<0> : tensor<64xi32>
  %0 = tensor.empty() : tensor<1x30x64xf32>
  %1 = kern.integer_matmul ins(%a, %w, %sums, %zero, %0) {extra_maps = []} : (tensor<1x30x384xi8>, tensor<1x384x64xi16>, tensor<64xi32>, tensor<1xi8>, tensor<1x30x64xf32>) -> tensor<1x30x64xf32>
  return %1 : tensor<1x30x64xf32>
}

// 64 KiB hold 16 rows of 2048 bytes, and 12 are a multiple of tiles.
// CHECK-LABEL: @rows_of_the_run
// CHECK: kern.integer_matmul {{.*}}widened_rows = 12 : i64
func.func @rows_of_the_run(%a: tensor<1x?x2048xi8>, %zero: tensor<1xi8>, %m: index) -> tensor<1x?x64xf32> {
  %w = arith.constant dense<1> : tensor<1x2048x64xi16>
  %sums = arith.constant dense<0> : tensor<64xi32>
  %0 = tensor.empty(%m) : tensor<1x?x64xf32>
  %1 = kern.integer_matmul ins(%a, %w, %sums, %zero, %0) {extra_maps = []} : (tensor<1x?x2048xi8>, tensor<1x2048x64xi16>, tensor<64xi32>, tensor<1xi8>, tensor<1x?x64xf32>) -> tensor<1x?x64xf32>
  return %1 : tensor<1x?x64xf32>
}

// One row.
// CHECK-LABEL: @vector
// CHECK-NOT: widened_rows
func.func @vector(%a: tensor<1x1x384xi8>, %zero: tensor<1xi8>) -> tensor<1x1x64xf32> {
  %w = arith.constant dense<1> : tensor<1x384x64xi16>
  %sums = arith.constant dense<0> : tensor<64xi32>
  %0 = tensor.empty() : tensor<1x1x64xf32>
  %1 = kern.integer_matmul ins(%a, %w, %sums, %zero, %0) {extra_maps = []} : (tensor<1x1x384xi8>, tensor<1x384x64xi16>, tensor<64xi32>, tensor<1xi8>, tensor<1x1x64xf32>) -> tensor<1x1x64xf32>
  return %1 : tensor<1x1x64xf32>
}
