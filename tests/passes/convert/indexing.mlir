// Ops with indices become calls of plain kernels, which report indices out of range.
// RUN: aotc-opt %s --aotc-convert-nn | FileCheck %s

// CHECK-LABEL: @gather_elements
// CHECK: kern.call "gather_elements"
// CHECK-SAME: failure = "index_out_of_range", header = "gather_nd"
// CHECK-SAME: members = ["outer", "axis_length", "inner", "count"]
// CHECK-SAME: values = [2, 7, 15, 4]
func.func @gather_elements(%x: tensor<2x7x3x5xf32>, %i: tensor<2x4x3x5xi64>) -> tensor<2x4x3x5xf32> {
  %0 = nn.gather_elements %x, %i {axis = 1 : i64} : (tensor<2x7x3x5xf32>, tensor<2x4x3x5xi64>) -> tensor<2x4x3x5xf32>
  return %0 : tensor<2x4x3x5xf32>
}

// CHECK-LABEL: @gather_nd
// CHECK: kern.call "gather_nd"
// CHECK-SAME: members = ["batch", "count", "depth", "dims", "inner"]
// CHECK-SAME: values = [2, 4, 1, array<i64: 7>, 3]
func.func @gather_nd(%x: tensor<2x7x3xui8>, %i: tensor<2x4x1xi32>) -> tensor<2x4x3xui8> {
  %0 = nn.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<2x7x3xui8>, tensor<2x4x1xi32>) -> tensor<2x4x3xui8>
  return %0 : tensor<2x4x3xui8>
}

// CHECK-LABEL: @scatter_elements
// CHECK: kern.call "scatter_elements"
// CHECK-SAME: call_arguments = ["aotc::AddTo{}"]
// CHECK-SAME: in_place = 0 : i64
// CHECK-SAME: members = ["outer", "length", "inner", "count"]
// CHECK-SAME: values = [2, 7, 1, 3]
func.func @scatter_elements(%x: tensor<2x7xf32>, %i: tensor<2x3xi64>, %u: tensor<2x3xf32>) -> tensor<2x7xf32> {
  %0 = nn.scatter_elements %x, %i, %u {axis = 1 : i64, reduction = 1 : i32} : (tensor<2x7xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<2x7xf32>
  return %0 : tensor<2x7xf32>
}

// CHECK-LABEL: @scatter_nd
// CHECK: kern.call "scatter_nd"
// CHECK-SAME: call_arguments = ["aotc::Overwrite{}"]
// CHECK-SAME: members = ["count", "depth", "dims", "inner"]
// CHECK-SAME: values = [4, 2, array<i64: 5, 6>, 3]
func.func @scatter_nd(%x: tensor<5x6x3xf16>, %i: tensor<4x2xi64>, %u: tensor<4x3xf16>) -> tensor<5x6x3xf16> {
  %0 = nn.scatter_nd %x, %i, %u {reduction = 0 : i32} : (tensor<5x6x3xf16>, tensor<4x2xi64>, tensor<4x3xf16>) -> tensor<5x6x3xf16>
  return %0 : tensor<5x6x3xf16>
}

// CHECK-LABEL: @tensor_scatter
// CHECK: kern.call "tensor_scatter"
// CHECK-SAME: members = ["batch", "outer", "length", "count", "inner", "circular"]
// CHECK-SAME: values = [2, 3, 8, 1, 4, 1]
func.func @tensor_scatter(%x: tensor<2x3x8x4xf32>, %u: tensor<2x3x1x4xf32>, %i: tensor<2xi64>) -> tensor<2x3x8x4xf32> {
  %0 = nn.tensor_scatter %x, %u, %i {axis = 2 : i64, circular = true} : (tensor<2x3x8x4xf32>, tensor<2x3x1x4xf32>, tensor<2xi64>) -> tensor<2x3x8x4xf32>
  return %0 : tensor<2x3x8x4xf32>
}

// CHECK-LABEL: @reverse_sequence
// CHECK: kern.call "reverse_sequence"
// CHECK-SAME: members = ["time", "batch", "inner", "batch_first"]
// CHECK-SAME: values = [5, 2, 3, 1]
func.func @reverse_sequence(%x: tensor<2x5x3xf32>, %n: tensor<2xi64>) -> tensor<2x5x3xf32> {
  %0 = nn.reverse_sequence %x, %n {batch_axis = 0 : i64, time_axis = 1 : i64} : (tensor<2x5x3xf32>, tensor<2xi64>) -> tensor<2x5x3xf32>
  return %0 : tensor<2x5x3xf32>
}

// CHECK-LABEL: @col2im
// CHECK: kern.call "col2im"
// CHECK-SAME: members = ["images", "rank", "image", "block", "positions", "stride", "dilation", "pad"]
// CHECK-SAME: values = [2, 2, array<i64: 5, 5>, array<i64: 1, 5>, array<i64: 5, 1>, array<i64: 1, 1>, array<i64: 1, 1>, array<i64: 0, 0>]
func.func @col2im(%x: tensor<1x10x5xf32>) -> tensor<1x2x5x5xf32> {
  %0 = nn.col2im %x {image = array<i64: 5, 5>, block = array<i64: 1, 5>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x10x5xf32>) -> tensor<1x2x5x5xf32>
  return %0 : tensor<1x2x5x5xf32>
}
