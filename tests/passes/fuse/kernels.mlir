// Element-wise steps end up in the epilogue of the kernel that feeds them.
// RUN: aotc-opt %s --aotc-convert-nn --cse --aotc-fuse-elementwise --cse | FileCheck %s

// conv + bias + residual + relu.
// CHECK-LABEL: @residual
// CHECK: kern.conv2d ins(%arg0, %{{.*}}, %{{.*}}, %arg1, %{{.*}}) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32, %[[SKIP:.*]]: f32):
// CHECK-NEXT: %[[A:.*]] = arith.addf %[[SUM]], %[[BIAS]]
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]], %[[SKIP]]
// CHECK: %[[C:.*]] = arith.maximumf %{{.*}}, %[[B]]
// CHECK-NEXT: kern.yield %[[C]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @residual(%x: tensor<1x4x4x8xf32>, %skip: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
  %w = nn.constant dense<1.0> : tensor<8x8x1x1xf32>
  %b = nn.constant dense<1.0> : tensor<8xf32>
  %0 = nn.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, channels_last} : (tensor<1x4x4x8xf32>, tensor<8x8x1x1xf32>, tensor<8xf32>) -> tensor<1x4x4x8xf32>
  %1 = nn.add %0, %skip : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %2 = nn.relu %1 : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  return %2 : tensor<1x4x4x8xf32>
}

// Of two convolutions that are added, the later one takes the sum in: the other's result exists by then.
// CHECK-LABEL: @two_convolutions
// CHECK: %[[FIRST:.*]] = kern.conv2d ins(%arg0, %{{[^ ,]*}}, %{{[^ ,]*}}) {
// CHECK: kern.conv2d ins(%arg1, %{{.*}}, %[[FIRST]], %{{.*}}) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[OTHER:.*]]: f32):
// CHECK-NEXT: arith.subf %[[OTHER]], %[[SUM]]
func.func @two_convolutions(%x: tensor<1x4x4x8xf32>, %y: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
  %w = nn.constant dense<1.0> : tensor<8x8x1x1xf32>
  %0 = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, channels_last} : (tensor<1x4x4x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x4x4x8xf32>
  %1 = nn.conv %y, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, channels_last} : (tensor<1x4x4x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x4x4x8xf32>
  %2 = nn.sub %0, %1 : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  return %2 : tensor<1x4x4x8xf32>
}

// What somebody else reads too must be stored.
// CHECK-LABEL: @two_readers
// CHECK: kern.conv2d ins(%arg0, %{{[^ ,]*}}, %{{[^ ,]*}}) {
// CHECK: linalg.generic
// CHECK: arith.maximumf
func.func @two_readers(%x: tensor<1x4x4x8xf32>) -> (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) {
  %w = nn.constant dense<1.0> : tensor<8x8x1x1xf32>
  %0 = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, channels_last} : (tensor<1x4x4x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x4x4x8xf32>
  %1 = nn.relu %0 : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  return %0, %1 : tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>
}

// y * sigmoid(y) reads the convolution twice, but is one reader.
// CHECK-LABEL: @silu
// CHECK: kern.conv2d {{.*}} epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:[a-z0-9]*]]: f32):
// CHECK: %[[S:.*]] = arith.divf
// CHECK-NEXT: arith.mulf %[[SUM]], %[[S]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @silu(%x: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
  %w = nn.constant dense<1.0> : tensor<8x8x1x1xf32>
  %0 = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, channels_last} : (tensor<1x4x4x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x4x4x8xf32>
  %1 = nn.sigmoid %0 : (tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  %2 = nn.mul %0, %1 : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32>
  return %2 : tensor<1x4x4x8xf32>
}

// The result broadcasts the kernel's: an epilogue has one element for each of its own.
// CHECK-LABEL: @broadcast
// CHECK: kern.reduce max ins(%{{[^ ,]*}}, %{{[^ ,]*}}) {
// CHECK: linalg.generic
// CHECK: arith.subf
func.func @broadcast(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = nn.reduce max %x {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %1 = nn.sub %x, %0 : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// A matrix product is [batch, m, n]: the reshape to [m, n] moves behind bias and relu.
// CHECK-LABEL: @dense
// CHECK: %[[Y:.*]] = kern.matmul ins(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK-NEXT: arith.addf %[[SUM]], %[[BIAS]]
// CHECK: arith.maximumf
// CHECK: } {extra_maps = [#[[COLUMNS:.*]]]} : (tensor<1x2x8xf32>, tensor<1x8x4xf32>, tensor<4xf32>, tensor<1x2x4xf32>)
// CHECK: tensor.collapse_shape %[[Y]]
func.func @dense(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = nn.constant dense<1.0> : tensor<8x4xf32>
  %b = nn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = nn.matmul %x, %w : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %1 = nn.add %0, %b : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %2 = nn.relu %1 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// Rows of several batches are one matrix: [3, 2, 4] as [1, 6, 4]. A bias per column fits, so does a whole tensor.
// CHECK-LABEL: @merged_rows
// CHECK: %[[S:.*]] = tensor.collapse_shape %arg1 {{.*}} : tensor<3x2x4xf32> into
// CHECK: kern.matmul ins({{.*}}) epilogue {
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @merged_rows(%x: tensor<3x2x8xf32>, %skip: tensor<3x2x4xf32>) -> tensor<3x2x4xf32> {
  %w = nn.constant dense<1.0> : tensor<8x4xf32>
  %b = nn.constant dense<1.0> : tensor<4xf32>
  %0 = nn.matmul %x, %w : (tensor<3x2x8xf32>, tensor<8x4xf32>) -> tensor<3x2x4xf32>
  %1 = nn.add %b, %0 : (tensor<4xf32>, tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  %2 = nn.add %1, %skip : (tensor<3x2x4xf32>, tensor<3x2x4xf32>) -> tensor<3x2x4xf32>
  return %2 : tensor<3x2x4xf32>
}

// One value per batch is no projection of the merged rows.
// CHECK-LABEL: @per_batch
// CHECK: kern.matmul ins(%{{[^ ,]*}}, %{{[^ ,]*}}, %{{[^ ,]*}}) {
// CHECK: linalg.generic
func.func @per_batch(%x: tensor<3x2x8xf32>, %s: tensor<3x1x1xf32>) -> tensor<3x2x4xf32> {
  %w = nn.constant dense<1.0> : tensor<8x4xf32>
  %0 = nn.matmul %x, %w : (tensor<3x2x8xf32>, tensor<8x4xf32>) -> tensor<3x2x4xf32>
  %1 = nn.mul %0, %s : (tensor<3x2x4xf32>, tensor<3x1x1xf32>) -> tensor<3x2x4xf32>
  return %1 : tensor<3x2x4xf32>
}

// Another element type has another buffer: the comparison stays outside.
// CHECK-LABEL: @other_type
// CHECK: kern.conv2d ins(%arg0, %{{[^ ,]*}}, %{{[^ ,]*}}) {
// CHECK: linalg.generic
// CHECK: arith.cmpf
func.func @other_type(%x: tensor<1x4x4x8xf32>, %y: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xi1> {
  %w = nn.constant dense<1.0> : tensor<8x8x1x1xf32>
  %0 = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, channels_last} : (tensor<1x4x4x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x4x4x8xf32>
  %1 = nn.less %0, %y : (tensor<1x4x4x8xf32>, tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xi1>
  return %1 : tensor<1x4x4x8xi1>
}

// A kernel stays where it is when only a branch reads it.
// CHECK-LABEL: @branch
// CHECK: kern.softmax
// CHECK: %[[R:.*]] = kern.reduce
// CHECK: scf.if
// CHECK: linalg.generic {{.*}} ins(%[[R]]
func.func @branch(%c: tensor<i1>, %x: tensor<2x4xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %s = nn.softmax %x {axis = 1 : i64} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %0 = nn.reduce max %s {axes = array<i64: 1>, keepdims = true} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %1 = nn.reshape %0 {shape = array<i64: 2>} : (tensor<2x1xf32>) -> tensor<2xf32>
  %2 = nn.if %c : (tensor<i1>) -> tensor<2xf32> {
    %3 = nn.reshape %0 {shape = array<i64: 2>} : (tensor<2x1xf32>) -> tensor<2xf32>
    %4 = nn.exp %3 : (tensor<2xf32>) -> tensor<2xf32>
    nn.yield %4 : tensor<2xf32>
  } else {
    nn.yield %y : tensor<2xf32>
  }
  return %2 : tensor<2xf32>
}

// One value everywhere is a number in the region, not a tensor to be read.
// CHECK-LABEL: @splat
// CHECK: kern.matmul ins(%{{[a-z_0-9]*}}, %{{[a-z_0-9]*}}, %{{[a-z_0-9]*}}) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32):
// CHECK-NEXT: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT: arith.mulf %[[SUM]], %[[HALF]]
func.func @splat(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = nn.constant dense<1.0> : tensor<8x4xf32>
  %half = nn.constant dense<0.5> : tensor<4xf32>
  %0 = nn.matmul %x, %w : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %1 = nn.mul %0, %half : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// A choice by a tensor of bools is no epilogue: vectors of floats cannot be made of its bytes.
// CHECK-LABEL: @choice
// CHECK: kern.matmul ins(%{{[^ ,]*}}, %{{[^ ,]*}}, %{{[^ ,]*}}) {
// CHECK: linalg.generic
// CHECK: arith.select
func.func @choice(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %c: tensor<4x8xi1>) -> tensor<4x8xf32> {
  %zero = nn.constant dense<0.0> : tensor<f32>
  %0 = nn.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = nn.where %c, %0, %zero : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
