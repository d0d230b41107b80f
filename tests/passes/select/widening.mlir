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
  } {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, x_zero_point = 0 : i64, extra_maps = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1>} : (tensor<1x8x8x16xi8>, tensor<64x16x1x1xi16>, tensor<64xi32>, tensor<1x8x8x64xi8>) -> tensor<1x8x8x64xi8>
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
  } {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, x_zero_point = 0 : i64, extra_maps = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1>} : (tensor<1x8x8x16xi8>, tensor<16x16x1x1xi16>, tensor<16xi32>, tensor<1x8x8x16xi8>) -> tensor<1x8x8x16xi8>
  return %1 : tensor<1x8x8x16xi8>
}

// Nor are 64 for each fourth one.
// CHECK-LABEL: @strided
// CHECK-NOT: widens_rows
func.func @strided(%x: tensor<1x8x8x16xi8>) -> tensor<1x4x4x64xi8> {
  %w = arith.constant dense<1> : tensor<64x16x1x1xi16>
  %offsets = arith.constant dense<0> : tensor<64xi32>
  %0 = tensor.empty() : tensor<1x4x4x64xi8>
  %1 = kern.integer_conv2d ins(%x, %w, %offsets, %0) epilogue {
  ^bb0(%sum: f32):
    %q = kern.quantize %sum, %sum {low = -128 : i64, high = 127 : i64}
    kern.yield %q : i8
  } {kernel = array<i64: 1, 1>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, x_zero_point = 0 : i64, extra_maps = [], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1>} : (tensor<1x8x8x16xi8>, tensor<64x16x1x1xi16>, tensor<64xi32>, tensor<1x4x4x64xi8>) -> tensor<1x4x4x64xi8>
  return %1 : tensor<1x4x4x64xi8>
}

// A quarter of the buffers again.
// CHECK-LABEL: @product
// CHECK: kern.integer_matmul {{.*}}widened_rows = 6 : i64
func.func @product(%a: tensor<1x30x384xi8>, %zero: tensor<1xi8>) -> tensor<1x30x64xf32> {
  %w = arith.constant dense<1> : tensor<1x384x64xi16>
  %sums = arith.constant dense<0> : tensor<64xi32>
  %0 = tensor.empty() : tensor<1x30x64xf32>
  %1 = kern.integer_matmul ins(%a, %w, %sums, %zero, %0) {extra_maps = []} : (tensor<1x30x384xi8>, tensor<1x384x64xi16>, tensor<64xi32>, tensor<1xi8>, tensor<1x30x64xf32>) -> tensor<1x30x64xf32>
  return %1 : tensor<1x30x64xf32>
}

// Of a function's own extent the largest value counts; a multiple of a tile's rows.
// CHECK-LABEL: @rows_of_the_run
// CHECK: kern.integer_matmul {{.*}}widened_rows = 12 : i64
func.func @rows_of_the_run(%a: tensor<1x?x2048xi8>, %zero: tensor<1xi8>, %m: index {aotc.dim = "m", aotc.minimum = 1 : i64, aotc.maximum = 100 : i64}) -> tensor<1x?x64xf32> {
  %w = arith.constant dense<1> : tensor<1x2048x64xi16>
  %sums = arith.constant dense<0> : tensor<64xi32>
  %0 = tensor.empty(%m) : tensor<1x?x64xf32>
  %1 = kern.integer_matmul ins(%a, %w, %sums, %zero, %0) {extra_maps = []} : (tensor<1x?x2048xi8>, tensor<1x2048x64xi16>, tensor<64xi32>, tensor<1xi8>, tensor<1x?x64xf32>) -> tensor<1x?x64xf32>
  return %1 : tensor<1x?x64xf32>
}

// Few rows at most, and an extent that nothing bounds.
// CHECK-LABEL: @few_rows_of_the_run
// CHECK-NOT: widened_rows
func.func @few_rows_of_the_run(%a: tensor<1x?x2048xi8>, %zero: tensor<1xi8>, %m: index {aotc.dim = "m", aotc.minimum = 1 : i64, aotc.maximum = 6 : i64}, %open: index) -> (tensor<1x?x64xf32>, tensor<1x?x64xf32>) {
  %w = arith.constant dense<1> : tensor<1x2048x64xi16>
  %sums = arith.constant dense<0> : tensor<64xi32>
  %0 = tensor.empty(%m) : tensor<1x?x64xf32>
  %1 = kern.integer_matmul ins(%a, %w, %sums, %zero, %0) {extra_maps = []} : (tensor<1x?x2048xi8>, tensor<1x2048x64xi16>, tensor<64xi32>, tensor<1xi8>, tensor<1x?x64xf32>) -> tensor<1x?x64xf32>
  %2 = tensor.empty(%open) : tensor<1x?x64xf32>
  %3 = kern.integer_matmul ins(%a, %w, %sums, %zero, %2) {extra_maps = []} : (tensor<1x?x2048xi8>, tensor<1x2048x64xi16>, tensor<64xi32>, tensor<1xi8>, tensor<1x?x64xf32>) -> tensor<1x?x64xf32>
  return %1, %3 : tensor<1x?x64xf32>, tensor<1x?x64xf32>
}

// Many weights pass by rarely where another step needs more memory anyway: 5 rows alone, all 30 here.
// CHECK-LABEL: @idle_memory
// CHECK: kern.integer_matmul {{.*}}widened_rows = 30 : i64{{.*}}tensor<1x30x1536xi8>
// CHECK-LABEL: @no_idle_memory
// CHECK: kern.integer_matmul {{.*}}widened_rows = 5 : i64{{.*}}tensor<1x30x1536xi8>
func.func @idle_memory(%a: tensor<1x512x384xi8>, %b: tensor<1x30x1536xi8>, %zero: tensor<1xi8>) -> tensor<1x30x128xf32> {
  %u = arith.constant dense<1> : tensor<1x384x64xi16>
  %w = arith.constant dense<1> : tensor<1x1536x128xi16>
  %sums64 = arith.constant dense<0> : tensor<64xi32>
  %sums = arith.constant dense<0> : tensor<128xi32>
  %0 = tensor.empty() : tensor<1x512x64xf32>
  %1 = kern.integer_matmul ins(%a, %u, %sums64, %zero, %0) {extra_maps = []} : (tensor<1x512x384xi8>, tensor<1x384x64xi16>, tensor<64xi32>, tensor<1xi8>, tensor<1x512x64xf32>) -> tensor<1x512x64xf32>
  %2 = tensor.empty() : tensor<1x30x128xf32>
  %3 = kern.integer_matmul ins(%b, %w, %sums, %zero, %2) {extra_maps = []} : (tensor<1x30x1536xi8>, tensor<1x1536x128xi16>, tensor<128xi32>, tensor<1xi8>, tensor<1x30x128xf32>) -> tensor<1x30x128xf32>
  return %3 : tensor<1x30x128xf32>
}
func.func @no_idle_memory(%b: tensor<1x30x1536xi8>, %zero: tensor<1xi8>) -> tensor<1x30x128xf32> {
  %w = arith.constant dense<1> : tensor<1x1536x128xi16>
  %sums = arith.constant dense<0> : tensor<128xi32>
  %0 = tensor.empty() : tensor<1x30x128xf32>
  %1 = kern.integer_matmul ins(%b, %w, %sums, %zero, %0) {extra_maps = []} : (tensor<1x30x1536xi8>, tensor<1x1536x128xi16>, tensor<128xi32>, tensor<1xi8>, tensor<1x30x128xf32>) -> tensor<1x30x128xf32>
  return %1 : tensor<1x30x128xf32>
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
