// Element-wise ops move across reshapes, into the kernel behind them.
// RUN: aotc-opt %s --aotc-convert-nn --cse --aotc-fuse-elementwise --cse | FileCheck %s

// CHECK-DAG: #[[IMAGE:.*]] = affine_map<(d0, d1, d2) -> (d0 floordiv 3, d2)>
// CHECK-DAG: #[[HEAD:.*]] = affine_map<(d0, d1, d2) -> ((d0 floordiv 2) mod 3)>
// CHECK-DAG: #[[PART:.*]] = affine_map<(d0, d1, d2) -> (d0 mod 2, d1)>

// Through two in a row.
// CHECK-LABEL: @two
// CHECK: kern.conv2d {{.*}} epilogue
// CHECK: math.exp
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @two(%x: tensor<1x4x4x8xf32>) -> tensor<1x128x1xf32> {
  %w = nn.constant dense<1.0> : tensor<8x8x1x1xf32>
  %0 = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, channels_last} : (tensor<1x4x4x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x4x4x8xf32>
  %1 = nn.reshape %0 {shape = array<i64: 128>} : (tensor<1x4x4x8xf32>) -> tensor<128xf32>
  %2 = nn.reshape %1 {shape = array<i64: 1, 128, 1>} : (tensor<128xf32>) -> tensor<1x128x1xf32>
  %3 = nn.sigmoid %2 : (tensor<1x128x1xf32>) -> tensor<1x128x1xf32>
  return %3 : tensor<1x128x1xf32>
}

// A bias per half of the columns is no slice of the kernel's result: the addition stays outside.
// CHECK-LABEL: @split
// CHECK: kern.matmul ins({{.*}}) {extra_maps = []}
// CHECK: linalg.generic
func.func @split(%x: tensor<2x8xf32>) -> tensor<2x2x2xf32> {
  %w = nn.constant dense<1.0> : tensor<8x4xf32>
  %b = nn.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %0 = nn.matmul %x, %w : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %1 = nn.reshape %0 {shape = array<i64: 2, 2, 2>} : (tensor<2x4xf32>) -> tensor<2x2x2xf32>
  %2 = nn.add %1, %b : (tensor<2x2x2xf32>, tensor<2x1xf32>) -> tensor<2x2x2xf32>
  return %2 : tensor<2x2x2xf32>
}

// The kernel's own result has another reader.
// CHECK-LABEL: @read_twice
// CHECK: kern.matmul ins({{.*}}) {extra_maps = []}
// CHECK: linalg.generic
func.func @read_twice(%x: tensor<2x8xf32>) -> (tensor<2x2x2xf32>, tensor<2x2x2xf32>) {
  %w = nn.constant dense<1.0> : tensor<8x4xf32>
  %0 = nn.matmul %x, %w : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %1 = nn.reshape %0 {shape = array<i64: 2, 2, 2>} : (tensor<2x4xf32>) -> tensor<2x2x2xf32>
  %2 = nn.relu %1 : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  return %1, %2 : tensor<2x2x2xf32>, tensor<2x2x2xf32>
}

// Two products that want different shapes of the sum: it takes the shape of one of them, once.
// CHECK-LABEL: @two_products
// CHECK-COUNT-2: kern.matmul
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @two_products(%x: tensor<2x5x4xf32>, %w: tensor<4x4xf32>, %a: tensor<2x5x7xf32>, %b: tensor<2x7x4xf32>) -> tensor<2x5x4xf32> {
  %0 = nn.matmul %x, %w : (tensor<2x5x4xf32>, tensor<4x4xf32>) -> tensor<2x5x4xf32>
  %1 = nn.matmul %a, %b : (tensor<2x5x7xf32>, tensor<2x7x4xf32>) -> tensor<2x5x4xf32>
  %2 = nn.add %0, %1 : (tensor<2x5x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  return %2 : tensor<2x5x4xf32>
}

// CHECK-LABEL: @two_stacks
// CHECK-COUNT-2: kern.matmul
// CHECK: return
func.func @two_stacks(%x: tensor<4x5x4xf32>, %w: tensor<4x4x4xf32>, %a: tensor<2x10x7xf32>, %b: tensor<2x7x4xf32>) -> tensor<2x2x5x4xf32> {
  %0 = nn.matmul %x, %w : (tensor<4x5x4xf32>, tensor<4x4x4xf32>) -> tensor<4x5x4xf32>
  %1 = nn.reshape %0 {shape = array<i64: 2, 2, 5, 4>} : (tensor<4x5x4xf32>) -> tensor<2x2x5x4xf32>
  %2 = nn.matmul %a, %b : (tensor<2x10x7xf32>, tensor<2x7x4xf32>) -> tensor<2x10x4xf32>
  %3 = nn.reshape %2 {shape = array<i64: 2, 2, 5, 4>} : (tensor<2x10x4xf32>) -> tensor<2x2x5x4xf32>
  %4 = nn.add %3, %1 : (tensor<2x2x5x4xf32>, tensor<2x2x5x4xf32>) -> tensor<2x2x5x4xf32>
  return %4 : tensor<2x2x5x4xf32>
}

// A mask for each image, under scores of images times heads: it is read by quotients of the kernel's first index.
// CHECK-LABEL: @mask
// CHECK: kern.matmul {{.*}} epilogue
// CHECK: extra_maps = [#[[IMAGE]]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @mask(%a: tensor<6x5x4xf32>, %b: tensor<6x4x7xf32>, %m: tensor<2x1x1x7xf32>) -> tensor<2x3x5x7xf32> {
  %0 = nn.matmul %a, %b : (tensor<6x5x4xf32>, tensor<6x4x7xf32>) -> tensor<6x5x7xf32>
  %1 = nn.reshape %0 {shape = array<i64: 2, 3, 5, 7>} : (tensor<6x5x7xf32>) -> tensor<2x3x5x7xf32>
  %2 = nn.add %1, %m : (tensor<2x3x5x7xf32>, tensor<2x1x1x7xf32>) -> tensor<2x3x5x7xf32>
  return %2 : tensor<2x3x5x7xf32>
}

// One for each head of all images, and one for the middle of three dimensions.
// CHECK-LABEL: @heads
// CHECK: extra_maps = [#[[HEAD]], #[[PART]]]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @heads(%a: tensor<12x5x4xf32>, %b: tensor<12x4x7xf32>, %m: tensor<3x1x1x1xf32>, %n: tensor<2x5x1xf32>) -> tensor<2x3x2x5x7xf32> {
  %0 = nn.matmul %a, %b : (tensor<12x5x4xf32>, tensor<12x4x7xf32>) -> tensor<12x5x7xf32>
  %1 = nn.reshape %0 {shape = array<i64: 2, 3, 2, 5, 7>} : (tensor<12x5x7xf32>) -> tensor<2x3x2x5x7xf32>
  %2 = nn.add %1, %m : (tensor<2x3x2x5x7xf32>, tensor<3x1x1x1xf32>) -> tensor<2x3x2x5x7xf32>
  %3 = nn.mul %2, %n : (tensor<2x3x2x5x7xf32>, tensor<2x5x1xf32>) -> tensor<2x3x2x5x7xf32>
  return %3 : tensor<2x3x2x5x7xf32>
}
