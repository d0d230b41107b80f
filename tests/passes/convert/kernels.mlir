// Convolution, pooling, matrix products, reductions and softmax as kernels.
// RUN: aotc-opt %s --aotc-convert-nn --cse | FileCheck %s

// CHECK-LABEL: @conv
// CHECK: kern.conv2d ins(%arg0, %{{.*}}, %{{.*}}, %{{.*}}) epilogue {
// CHECK-NEXT: ^bb0(%[[SUM:.*]]: f32, %[[BIAS:.*]]: f32):
// CHECK-NEXT: arith.addf %[[SUM]], %[[BIAS]]
// CHECK: } {dilations = array<i64: 2, 1>, extra_maps = [#{{.*}}], groups = 1 : i64, kernel = array<i64: 3, 2>, kind = 0 : i32, pads = array<i64: 1, 2, 3, 4>, strides = array<i64: 2, 1>}
func.func @conv(%x: tensor<1x9x8x8xf32>) -> tensor<1x5x13x4xf32> {
  %w = nn.constant dense<1.0> : tensor<4x8x3x2xf32>
  %b = nn.constant dense<1.0> : tensor<4xf32>
  %0 = nn.conv %x, %w, %b {strides = array<i64: 2, 1>, pads = array<i64: 1, 2, 3, 4>, dilations = array<i64: 2, 1>, group = 1 : i64, channels_last} : (tensor<1x9x8x8xf32>, tensor<4x8x3x2xf32>, tensor<4xf32>) -> tensor<1x5x13x4xf32>
  return %0 : tensor<1x5x13x4xf32>
}

// A signal is an image of height 1.
// CHECK-LABEL: @conv_1d
// CHECK: tensor.expand_shape %arg0 {{.*}} : tensor<1x8x8xf32> into tensor<1x1x8x8xf32>
// CHECK: kern.conv2d {{.*}}kernel = array<i64: 1, 3>{{.*}}pads = array<i64: 0, 1, 0, 2>, strides = array<i64: 1, 2>
// CHECK: tensor.collapse_shape
func.func @conv_1d(%x: tensor<1x8x8xf32>) -> tensor<1x5x4xf32> {
  %w = nn.constant dense<1.0> : tensor<4x8x3xf32>
  %0 = nn.conv %x, %w {strides = array<i64: 2>, pads = array<i64: 1, 2>, dilations = array<i64: 1>, group = 1 : i64, channels_last} : (tensor<1x8x8xf32>, tensor<4x8x3xf32>) -> tensor<1x5x4xf32>
  return %0 : tensor<1x5x4xf32>
}

// An image of few channels is read as the caller has it.
// CHECK-LABEL: @planar
// CHECK-NOT: linalg.transpose
// CHECK: kern.conv2d ins(%arg0, {{.*}} planar_input
func.func @planar(%x: tensor<1x3x8x8xf32>) -> tensor<1x8x8x4xf32> {
  %w = nn.constant dense<1.0> : tensor<4x3x1x1xf32>
  %t = nn.transpose %x {permutation = array<i64: 0, 2, 3, 1>} : (tensor<1x3x8x8xf32>) -> tensor<1x8x8x3xf32>
  %0 = nn.conv %t, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, channels_last} : (tensor<1x8x8x3xf32>, tensor<4x3x1x1xf32>) -> tensor<1x8x8x4xf32>
  return %0 : tensor<1x8x8x4xf32>
}

// CHECK-LABEL: @pools
// CHECK: kern.max_pool2d
// CHECK: kern.average_pool2d {{.*}}count_include_pad
func.func @pools(%x: tensor<1x8x8x4xf32>) -> tensor<1x5x5x4xf32> {
  %0 = nn.max_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, channels_last} : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
  %1 = nn.average_pool %0 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, count_include_pad, channels_last} : (tensor<1x8x8x4xf32>) -> tensor<1x5x5x4xf32>
  return %1 : tensor<1x5x5x4xf32>
}

// CHECK-LABEL: @vectors
// CHECK: kern.matmul ins({{.*}}) {{.*}} : (tensor<1x1x3xf32>, tensor<1x3x1xf32>, tensor<1x1x1xf32>)
// CHECK: return %{{.*}} : tensor<f32>
func.func @vectors(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<f32> {
  %0 = nn.matmul %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @matrix_vector
// CHECK: kern.matmul ins({{.*}}) {{.*}} : (tensor<1x2x3xf32>, tensor<1x3x1xf32>, tensor<1x2x1xf32>)
func.func @matrix_vector(%a: tensor<2x3xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
  %0 = nn.matmul %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Batches by one matrix are more rows.
// CHECK-LABEL: @shared_right
// CHECK: kern.matmul ins({{.*}}) {{.*}} : (tensor<1x10x3xf32>, tensor<1x3x4xf32>, tensor<1x10x4xf32>)
func.func @shared_right(%a: tensor<5x2x3xf32>, %b: tensor<3x4xf32>) -> tensor<5x2x4xf32> {
  %0 = nn.matmul %a, %b : (tensor<5x2x3xf32>, tensor<3x4xf32>) -> tensor<5x2x4xf32>
  return %0 : tensor<5x2x4xf32>
}

// One matrix by batches: its batch is 1, its stride from batch to batch 0.
// CHECK-LABEL: @shared_left
// CHECK: kern.matmul ins({{.*}}) {{.*}} : (tensor<1x2x3xf32>, tensor<5x3x4xf32>, tensor<5x2x4xf32>)
func.func @shared_left(%a: tensor<2x3xf32>, %b: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
  %0 = nn.matmul %a, %b : (tensor<2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return %0 : tensor<5x2x4xf32>
}

// CHECK-LABEL: @vector_by_batches
// CHECK: kern.matmul ins({{.*}}) {{.*}} : (tensor<1x1x3xf32>, tensor<5x3x4xf32>, tensor<5x1x4xf32>)
// CHECK: return %{{.*}} : tensor<5x4xf32>
func.func @vector_by_batches(%a: tensor<3xf32>, %b: tensor<5x3x4xf32>) -> tensor<5x4xf32> {
  %0 = nn.matmul %a, %b : (tensor<3xf32>, tensor<5x3x4xf32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// CHECK-LABEL: @batches
// CHECK: kern.matmul ins({{.*}}) {{.*}} : (tensor<10x2x3xf32>, tensor<10x3x4xf32>, tensor<10x2x4xf32>)
func.func @batches(%a: tensor<5x2x2x3xf32>, %b: tensor<5x2x3x4xf32>) -> tensor<5x2x2x4xf32> {
  %0 = nn.matmul %a, %b : (tensor<5x2x2x3xf32>, tensor<5x2x3x4xf32>) -> tensor<5x2x2x4xf32>
  return %0 : tensor<5x2x2x4xf32>
}

// Leading units are no batches.
// CHECK-LABEL: @leading_unit
// CHECK: kern.matmul ins({{.*}}) {{.*}} : (tensor<5x2x3xf32>, tensor<5x3x4xf32>, tensor<5x2x4xf32>)
func.func @leading_unit(%a: tensor<1x5x2x3xf32>, %b: tensor<5x3x4xf32>) -> tensor<1x5x2x4xf32> {
  %0 = nn.matmul %a, %b : (tensor<1x5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<1x5x2x4xf32>
  return %0 : tensor<1x5x2x4xf32>
}

// Batches that broadcast in both operands are written out.
// CHECK-LABEL: @broadcast_batches
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<5x2x2x3xf32>)
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<5x2x3x4xf32>)
// CHECK: kern.matmul ins({{.*}}) {{.*}} : (tensor<10x2x3xf32>, tensor<10x3x4xf32>, tensor<10x2x4xf32>)
func.func @broadcast_batches(%a: tensor<5x1x2x3xf32>, %b: tensor<1x2x3x4xf32>) -> tensor<5x2x2x4xf32> {
  %0 = nn.matmul %a, %b : (tensor<5x1x2x3xf32>, tensor<1x2x3x4xf32>) -> tensor<5x2x2x4xf32>
  return %0 : tensor<5x2x2x4xf32>
}

// CHECK-LABEL: @reduce_run
// CHECK: %[[X:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0], [1, 2], [3]] : tensor<2x3x4x5xf32> into tensor<2x12x5xf32>
// CHECK: kern.reduce max ins(%[[X]], %{{.*}}) {{.*}} : (tensor<2x12x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
func.func @reduce_run(%x: tensor<2x3x4x5xf32>) -> tensor<2x5xf32> {
  %0 = nn.reduce max %x {axes = array<i64: 1, 2>, keepdims = false} : (tensor<2x3x4x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// Axes that are no neighbours are brought to the end.
// CHECK-LABEL: @reduce_apart
// CHECK: linalg.transpose ins(%arg0 : tensor<2x3x4x5xf32>) outs(%{{.*}} : tensor<2x4x3x5xf32>) permutation = [0, 2, 1, 3]
// CHECK: kern.reduce sum ins({{.*}}) {{.*}} : (tensor<8x15x1xf32>, tensor<8x1xf32>)
// CHECK: return %{{.*}} : tensor<2x1x4x1xf32>
func.func @reduce_apart(%x: tensor<2x3x4x5xf32>) -> tensor<2x1x4x1xf32> {
  %0 = nn.reduce sum %x {axes = array<i64: 1, 3>, keepdims = true} : (tensor<2x3x4x5xf32>) -> tensor<2x1x4x1xf32>
  return %0 : tensor<2x1x4x1xf32>
}

// A unit dimension between them keeps nothing apart.
// CHECK-LABEL: @reduce_across_unit
// CHECK-NOT: linalg.transpose
// CHECK: kern.reduce sum ins({{.*}}) {{.*}} : (tensor<2x15x1xf32>, tensor<2x1xf32>)
func.func @reduce_across_unit(%x: tensor<2x3x1x5xf32>) -> tensor<2x1xf32> {
  %0 = nn.reduce sum %x {axes = array<i64: 1, 3>, keepdims = false} : (tensor<2x3x1x5xf32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}

// CHECK-LABEL: @reduce_nothing
// CHECK-NEXT: return %arg0
func.func @reduce_nothing(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = nn.reduce sum %x {axes = array<i64>, keepdims = false} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A mean is a sum whose epilogue scales.
// CHECK-LABEL: @mean
// CHECK: kern.reduce sum ins({{.*}}) epilogue {
// CHECK: arith.constant 2.500000e-01
// CHECK: arith.mulf
func.func @mean(%x: tensor<2x4xf32>) -> tensor<2xf32> {
  %0 = nn.reduce mean %x {axes = array<i64: 1>, keepdims = false} : (tensor<2x4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Along the last dimension it is of rows.
// CHECK-LABEL: @softmax_of_rows
// CHECK: kern.softmax ins({{.*}}) {{.*}} : (tensor<6x8xf32>, tensor<6x8xf32>)
func.func @softmax_of_rows(%x: tensor<2x3x8x1xf32>) -> tensor<2x3x8x1xf32> {
  %0 = nn.softmax %x {axis = 2 : i64} : (tensor<2x3x8x1xf32>) -> tensor<2x3x8x1xf32>
  return %0 : tensor<2x3x8x1xf32>
}

// CHECK-LABEL: @softmax
// CHECK: kern.softmax ins({{.*}}) {{.*}}logarithm{{.*}} : (tensor<2x3x20xf32>, tensor<2x3x20xf32>)
func.func @softmax(%x: tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> {
  %0 = nn.softmax %x {axis = 1 : i64, logarithm} : (tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

// Each result has a destination that both branches write; the values that they yield may come from anywhere.
// CHECK-LABEL: @branch
// CHECK: %[[D:.*]] = bufferization.alloc_tensor() : tensor<4xi8>
// CHECK: %[[C:.*]] = tensor.extract %arg0[]
// CHECK: scf.if %[[C]]
// CHECK: %[[THEN:.*]] = linalg.copy ins(%{{.*}}) outs(%[[D]] : tensor<4xi8>)
// CHECK: scf.yield %[[THEN]]
// CHECK: else
// CHECK: %[[ELSE:.*]] = linalg.copy ins(%arg1 : tensor<4xi8>) outs(%[[D]] : tensor<4xi8>)
// CHECK: scf.yield %[[ELSE]]
func.func @branch(%c: tensor<i1>, %x: tensor<4xui8>) -> tensor<4xui8> {
  %0 = nn.if %c : (tensor<i1>) -> tensor<4xui8> {
    %1 = nn.add %x, %x : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
    nn.yield %1 : tensor<4xui8>
  } else {
    nn.yield %x : tensor<4xui8>
  }
  return %0 : tensor<4xui8>
}

// CHECK-LABEL: @nested_branches
// CHECK: scf.if
// CHECK: scf.if
func.func @nested_branches(%c: tensor<1xi1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = nn.if %c : (tensor<1xi1>) -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = nn.if %c : (tensor<1xi1>) -> tensor<4xf32> {
      %2 = nn.exp %x : (tensor<4xf32>) -> tensor<4xf32>
      nn.yield %2 : tensor<4xf32>
    } else {
      nn.yield %x : tensor<4xf32>
    }
    nn.yield %1, %1 : tensor<4xf32>, tensor<4xf32>
  } else {
    nn.yield %x, %x : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
