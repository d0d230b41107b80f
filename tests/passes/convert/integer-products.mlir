// Products and convolutions of integers become calls of plain kernels, which know the signs of their operands.
// RUN: aotc-opt %s --aotc-convert-nn | FileCheck %s

// One matrix for all rows: the batch is part of them, and each matrix of a has the zero points of four rows.
// CHECK-LABEL: @one_matrix
// CHECK: tensor.collapse_shape %arg0
// CHECK: kern.call "integer_matmul"
// CHECK-SAME: header = "integer_matmul", mac_count = 360 : i64, members = ["batch", "m", "n", "k", "a_matrix", "b_matrix", "a_zeros", "b_zeros"]
// CHECK-SAME: unsigned_operands = array<i64: 0, 2>, values = [1, 12, 6, 5, 0, 0, 4, 1]
func.func @one_matrix(%a: tensor<3x4x5xui8>, %b: tensor<5x6xi8>, %za: tensor<4xui8>, %zb: tensor<1xi8>) -> tensor<3x4x6xi32> {
  %0 = nn.integer_matmul %a, %b, %za, %zb : (tensor<3x4x5xui8>, tensor<5x6xi8>, tensor<4xui8>, tensor<1xi8>) -> tensor<3x4x6xi32>
  return %0 : tensor<3x4x6xi32>
}

// CHECK-LABEL: @shared_left
// CHECK: kern.call "integer_matmul"
// CHECK-SAME: values = [2, 4, 6, 5, 0, 30, 1, 6]
func.func @shared_left(%a: tensor<4x5xi8>, %b: tensor<2x5x6xi8>, %za: tensor<1xi8>, %zb: tensor<6xi8>) -> tensor<2x4x6xi32> {
  %0 = nn.integer_matmul %a, %b, %za, %zb : (tensor<4x5xi8>, tensor<2x5x6xi8>, tensor<1xi8>, tensor<6xi8>) -> tensor<2x4x6xi32>
  return %0 : tensor<2x4x6xi32>
}

// CHECK-LABEL: @integer_conv
// CHECK: kern.call "integer_conv_nd"
// CHECK-SAME: mac_count = 72
// CHECK-SAME: members = ["batch", "groups", "channels", "filters", "in", "out", "kernel", "stride", "dilation", "pad", "w_zeros"]
// CHECK-SAME: unsigned_operands = array<i64: 0, 2>
// CHECK-SAME: values = [1, 2, 1, 2, array<i64: 1, 1, 6>, array<i64: 1, 1, 6>, array<i64: 1, 1, 3>, array<i64: 1, 1, 1>, array<i64: 1, 1, 1>, array<i64: 0, 0, 1>, 4]
func.func @integer_conv(%x: tensor<1x2x6xui8>, %w: tensor<4x1x3xi8>, %zx: tensor<1xui8>, %zw: tensor<4xi8>) -> tensor<1x4x6xi32> {
  %0 = nn.integer_conv %x, %w, %zx, %zw {strides = array<i64: 1>, pads = array<i64: 1, 1>, dilations = array<i64: 1>, group = 2 : i64} : (tensor<1x2x6xui8>, tensor<4x1x3xi8>, tensor<1xui8>, tensor<4xi8>) -> tensor<1x4x6xi32>
  return %0 : tensor<1x4x6xi32>
}
