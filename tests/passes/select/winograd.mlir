// 3x3 convolutions go to Winograd's algorithm where that is faster and its scratch memory hardly shows.
// RUN: aotc-opt %s --aotc-select-kernels --cse | FileCheck %s
// RUN: aotc-opt %s --aotc-select-kernels=winograd=false --cse | FileCheck %s --check-prefix=OFF

// OFF-NOT: kind = 2

// 36 points for each channel and filter, in panels of 16.
// CHECK-LABEL: @chosen
// CHECK: kern.conv2d {{.*}}kind = 2 : i32{{.*}} : (tensor<1x96x96x64xf32>, tensor<4x36x64x16xf32>, tensor<1x96x96x64xf32>)
func.func @chosen(%x: tensor<1x96x96x64xf32>) -> tensor<1x96x96x64xf32> {
  %w = arith.constant dense<1.0> : tensor<64x64x3x3xf32>
  %0 = tensor.empty() : tensor<1x96x96x64xf32>
  %1 = kern.conv2d ins(%x, %w, %0) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, extra_maps = []} : (tensor<1x96x96x64xf32>, tensor<64x64x3x3xf32>, tensor<1x96x96x64xf32>) -> tensor<1x96x96x64xf32>
  return %1 : tensor<1x96x96x64xf32>
}

// Transforms would round sums that must stay exact.
// CHECK-LABEL: @exact
// CHECK: kern.conv2d {{.*}}kind = 0 : i32
func.func @exact(%x: tensor<1x96x96x64xf32>) -> tensor<1x96x96x64xf32> {
  %w = arith.constant dense<1.0> : tensor<64x64x3x3xf32>
  %0 = tensor.empty() : tensor<1x96x96x64xf32>
  %1 = kern.conv2d ins(%x, %w, %0) {aotc.exact, kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, extra_maps = []} : (tensor<1x96x96x64xf32>, tensor<64x64x3x3xf32>, tensor<1x96x96x64xf32>) -> tensor<1x96x96x64xf32>
  return %1 : tensor<1x96x96x64xf32>
}

// A batch is bounded, an image is not: scratch memory depends on the image alone.
// CHECK-LABEL: @batch
// CHECK: kern.conv2d {{.*}}kind = 2 : i32
func.func @batch(%x: tensor<?x128x128x32xf32>, %y: tensor<?x128x128x32xf32>) -> tensor<?x128x128x32xf32> {
  %w = arith.constant dense<1.0> : tensor<32x32x3x3xf32>
  %1 = kern.conv2d ins(%x, %w, %y) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, extra_maps = []} : (tensor<?x128x128x32xf32>, tensor<32x32x3x3xf32>, tensor<?x128x128x32xf32>) -> tensor<?x128x128x32xf32>
  return %1 : tensor<?x128x128x32xf32>
}

// The scratch memory, 36 x 22 x (16 + 48) floats, is larger than all tensors together.
// CHECK-LABEL: @scratch_too_large
// CHECK: kern.conv2d {{.*}}kind = 0 : i32
func.func @scratch_too_large(%x: tensor<1x32x32x16xf32>) -> tensor<1x32x32x16xf32> {
  %w = arith.constant dense<1.0> : tensor<16x16x3x3xf32>
  %0 = tensor.empty() : tensor<1x32x32x16xf32>
  %1 = kern.conv2d ins(%x, %w, %0) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, extra_maps = []} : (tensor<1x32x32x16xf32>, tensor<16x16x3x3xf32>, tensor<1x32x32x16xf32>) -> tensor<1x32x32x16xf32>
  return %1 : tensor<1x32x32x16xf32>
}

// The same convolution beside a step that needs more memory than it does.
// CHECK-LABEL: @scratch_below_the_peak
// CHECK: kern.conv2d {{.*}}kind = 2 : i32
func.func @scratch_below_the_peak(%image: tensor<1x64x64x16xf32>) -> tensor<1x32x32x16xf32> {
  %p = tensor.empty() : tensor<1x32x32x16xf32>
  %x = kern.max_pool2d ins(%image, %p) {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, extra_maps = []} : (tensor<1x64x64x16xf32>, tensor<1x32x32x16xf32>) -> tensor<1x32x32x16xf32>
  %w = arith.constant dense<1.0> : tensor<16x16x3x3xf32>
  %0 = tensor.empty() : tensor<1x32x32x16xf32>
  %1 = kern.conv2d ins(%x, %w, %0) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, extra_maps = []} : (tensor<1x32x32x16xf32>, tensor<16x16x3x3xf32>, tensor<1x32x32x16xf32>) -> tensor<1x32x32x16xf32>
  return %1 : tensor<1x32x32x16xf32>
}

// Other strides, few tiles, few channels.
// CHECK-LABEL: @direct
// CHECK-COUNT-3: kern.conv2d {{.*}}kind = 0 : i32
func.func @direct(%x: tensor<1x64x64x64xf32>, %small: tensor<1x7x7x64xf32>, %few: tensor<1x64x64x3xf32>) -> (tensor<1x32x32x64xf32>, tensor<1x7x7x64xf32>, tensor<1x64x64x64xf32>) {
  %w = arith.constant dense<1.0> : tensor<64x64x3x3xf32>
  %v = arith.constant dense<1.0> : tensor<64x3x3x3xf32>
  %0 = tensor.empty() : tensor<1x32x32x64xf32>
  %1 = kern.conv2d ins(%x, %w, %0) {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, extra_maps = []} : (tensor<1x64x64x64xf32>, tensor<64x64x3x3xf32>, tensor<1x32x32x64xf32>) -> tensor<1x32x32x64xf32>
  %2 = tensor.empty() : tensor<1x7x7x64xf32>
  %3 = kern.conv2d ins(%small, %w, %2) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, extra_maps = []} : (tensor<1x7x7x64xf32>, tensor<64x64x3x3xf32>, tensor<1x7x7x64xf32>) -> tensor<1x7x7x64xf32>
  %4 = tensor.empty() : tensor<1x64x64x64xf32>
  %5 = kern.conv2d ins(%few, %v, %4) {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64, kind = 0 : i32, extra_maps = []} : (tensor<1x64x64x3xf32>, tensor<64x3x3x3xf32>, tensor<1x64x64x64xf32>) -> tensor<1x64x64x64xf32>
  return %1, %3, %5 : tensor<1x32x32x64xf32>, tensor<1x7x7x64xf32>, tensor<1x64x64x64xf32>
}
