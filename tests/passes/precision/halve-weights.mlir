// Weights are stored in 16 bits: all of them on demand, else what was a half in the model and still is.
// RUN: split-file %s %t
// RUN: aotc-opt %t/float.mlir --aotc-halve-weights=precision=f16 -verify-diagnostics | FileCheck %t/float.mlir
// RUN: aotc-opt %t/float.mlir --aotc-halve-weights | FileCheck %t/float.mlir --check-prefix=KEPT
// RUN: aotc-opt %t/half.mlir --aotc-halve-weights --aotc-select-kernels | FileCheck %t/half.mlir
// RUN: aotc-opt %t/bfloat.mlir --aotc-halve-weights=bfloat16=false | FileCheck %t/bfloat.mlir
// RUN: aotc-opt %t/bfloat.mlir --aotc-halve-weights | FileCheck %t/bfloat.mlir --check-prefix=READ

//--- float.mlir
// KEPT-NOT: xf16>

// CHECK-LABEL: @product
// CHECK: arith.constant dense<9.997550e-02> : tensor<1x16x16xf16>
// CHECK: kern.matmul {{.*}} : (tensor<1x2x16xf32>, tensor<1x16x16xf16>, tensor<1x2x16xf32>)
func.func @product(%a: tensor<1x2x16xf32>) -> tensor<1x2x16xf32> {
  %w = arith.constant dense<0.1> : tensor<1x16x16xf32>
  %0 = tensor.empty() : tensor<1x2x16xf32>
  %1 = kern.matmul ins(%a, %w, %0) {extra_maps = []} : (tensor<1x2x16xf32>, tensor<1x16x16xf32>, tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  return %1 : tensor<1x2x16xf32>
}

// CHECK-LABEL: @embedding
// CHECK: kern.gather {{.*}} : (tensor<1x16x16xf16>, tensor<2xi64>, tensor<1x2x16xf32>)
func.func @embedding(%i: tensor<2xi64>) -> tensor<1x2x16xf32> {
  %w = arith.constant dense<0.5> : tensor<1x16x16xf32>
  %0 = tensor.empty() : tensor<1x2x16xf32>
  %1 = kern.gather ins(%w, %i, %0) : (tensor<1x16x16xf32>, tensor<2xi64>, tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  return %1 : tensor<1x2x16xf32>
}

// Products of halves would round sums that must stay exact.
// CHECK-LABEL: @exact
// CHECK: kern.conv2d {{.*}}aotc.exact{{.*}} : (tensor<1x4x4x16xf32>, tensor<16x16x1x1xf32>, tensor<1x4x4x16xf32>)
func.func @exact(%x: tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32> {
  %w = arith.constant dense<5.0> : tensor<16x16x1x1xf32>
  %0 = tensor.empty() : tensor<1x4x4x16xf32>
  %1 = kern.conv2d ins(%x, %w, %0) {aotc.exact, kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, extra_maps = []} : (tensor<1x4x4x16xf32>, tensor<16x16x1x1xf32>, tensor<1x4x4x16xf32>) -> tensor<1x4x4x16xf32>
  return %1 : tensor<1x4x4x16xf32>
}

// A layer whose weights would become infinite keeps them.
// CHECK-LABEL: @too_large
// CHECK: kern.matmul {{.*}} : (tensor<1x2x16xf32>, tensor<1x16x16xf32>, tensor<1x2x16xf32>)
func.func @too_large(%a: tensor<1x2x16xf32>) -> tensor<1x2x16xf32> {
  %w = arith.constant dense<65520.0> : tensor<1x16x16xf32>
  %0 = tensor.empty() : tensor<1x2x16xf32>
  // expected-warning@+1 {{weight [0, 0, 0], 6.552000e+04, is too large for float16: the layer keeps float32}}
  %1 = kern.matmul ins(%a, %w, %0) {extra_maps = []} : (tensor<1x2x16xf32>, tensor<1x16x16xf32>, tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
  return %1 : tensor<1x2x16xf32>
}

// Matrices of several batches are read as activations are; few weights are not worth it.
// CHECK-LABEL: @others
// CHECK-NOT: xf16>
func.func @others(%a: tensor<2x2x16xf32>, %b: tensor<1x2x8xf32>) -> (tensor<2x2x16xf32>, tensor<1x2x8xf32>) {
  %w = arith.constant dense<0.5> : tensor<2x16x16xf32>
  %v = arith.constant dense<0.5> : tensor<1x8x8xf32>
  %0 = tensor.empty() : tensor<2x2x16xf32>
  %1 = kern.matmul ins(%a, %w, %0) {extra_maps = []} : (tensor<2x2x16xf32>, tensor<2x16x16xf32>, tensor<2x2x16xf32>) -> tensor<2x2x16xf32>
  %2 = tensor.empty() : tensor<1x2x8xf32>
  %3 = kern.matmul ins(%b, %v, %2) {extra_maps = []} : (tensor<1x2x8xf32>, tensor<1x8x8xf32>, tensor<1x2x8xf32>) -> tensor<1x2x8xf32>
  return %1, %3 : tensor<2x2x16xf32>, tensor<1x2x8xf32>
}

//--- half.mlir
module attributes {aotc.half_types = [f16]} {
  // CHECK-LABEL: @was_half
  // CHECK: arith.constant dense<5.000000e-01> : tensor<1x16x16xf16>
  func.func @was_half(%a: tensor<1x2x16xf32>) -> tensor<1x2x16xf32> {
    %w = arith.constant dense<0.5> : tensor<1x16x16xf32>
    %0 = tensor.empty() : tensor<1x2x16xf32>
    %1 = kern.matmul ins(%a, %w, %0) {extra_maps = []} : (tensor<1x2x16xf32>, tensor<1x16x16xf32>, tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
    return %1 : tensor<1x2x16xf32>
  }

  // What has been computed when compiling need not be a half any more.
  // CHECK-LABEL: @was_not
  // CHECK: arith.constant dense<1.000000e-01> : tensor<1x16x16xf32>
  func.func @was_not(%a: tensor<1x2x16xf32>) -> tensor<1x2x16xf32> {
    %w = arith.constant dense<0.1> : tensor<1x16x16xf32>
    %0 = tensor.empty() : tensor<1x2x16xf32>
    %1 = kern.matmul ins(%a, %w, %0) {extra_maps = []} : (tensor<1x2x16xf32>, tensor<1x16x16xf32>, tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
    return %1 : tensor<1x2x16xf32>
  }
}

//--- bfloat.mlir
// A model's own bfloat16 stays f32 where kernels do not read it.
module attributes {aotc.half_types = [bf16]} {
  // CHECK: arith.constant dense<5.000000e-01> : tensor<1x16x16xf32>
  // READ: arith.constant dense<5.000000e-01> : tensor<1x16x16xbf16>
  func.func @was_bfloat(%a: tensor<1x2x16xf32>) -> tensor<1x2x16xf32> {
    %w = arith.constant dense<0.5> : tensor<1x16x16xf32>
    %0 = tensor.empty() : tensor<1x2x16xf32>
    %1 = kern.matmul ins(%a, %w, %0) {extra_maps = []} : (tensor<1x2x16xf32>, tensor<1x16x16xf32>, tensor<1x2x16xf32>) -> tensor<1x2x16xf32>
    return %1 : tensor<1x2x16xf32>
  }
}
