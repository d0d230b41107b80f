// Data movement: views where tensors allow it, copies elsewhere.
// RUN: aotc-opt %s --aotc-convert-nn | FileCheck %s

// CHECK-LABEL: @merge
// CHECK-NEXT: tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]]
func.func @merge(%x: tensor<2x3x4xf32>) -> tensor<6x4xf32> {
  %0 = nn.reshape %x {shape = array<i64: 6, 4>} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// Groups that do not line up meet in one dimension.
// CHECK-LABEL: @regroup
// CHECK-NEXT: %[[F:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1]] : tensor<4x6xf32> into tensor<24xf32>
// CHECK-NEXT: tensor.expand_shape %[[F]] {{\[\[}}0, 1]] output_shape [3, 8]
func.func @regroup(%x: tensor<4x6xf32>) -> tensor<3x8xf32> {
  %0 = nn.reshape %x {shape = array<i64: 3, 8>} : (tensor<4x6xf32>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// No elements in another shape: extents around a 0 form no groups.
// CHECK-LABEL: @nothing
// CHECK-NEXT: arith.constant dense<> : tensor<3x4x0xf32>
func.func @nothing(%x: tensor<0x3x4xf32>) -> tensor<3x4x0xf32> {
  %0 = nn.reshape %x {shape = array<i64: 3, 4, 0>} : (tensor<0x3x4xf32>) -> tensor<3x4x0xf32>
  return %0 : tensor<3x4x0xf32>
}

// CHECK-LABEL: @to_scalar
// CHECK-NEXT: tensor.collapse_shape %arg0 [] : tensor<1x1xf32> into tensor<f32>
func.func @to_scalar(%x: tensor<1x1xf32>) -> tensor<f32> {
  %0 = nn.reshape %x {shape = array<i64>} : (tensor<1x1xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @transpose
// CHECK: linalg.transpose ins(%arg0 : tensor<2x3xf32>) outs(%{{.*}} : tensor<3x2xf32>) permutation = [1, 0]
func.func @transpose(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// Moving unit dimensions moves no element.
// CHECK-LABEL: @transpose_units
// CHECK-NOT: linalg.transpose
// CHECK: return
func.func @transpose_units(%x: tensor<2x1x3xf32>) -> tensor<1x2x3xf32> {
  %0 = nn.transpose %x {permutation = array<i64: 1, 0, 2>} : (tensor<2x1x3xf32>) -> tensor<1x2x3xf32>
  return %0 : tensor<1x2x3xf32>
}

// CHECK-LABEL: @concat
// CHECK: %[[E:.*]] = tensor.empty() : tensor<2x5xf32>
// CHECK: %[[A:.*]] = tensor.insert_slice %arg0 into %[[E]][0, 0] [2, 2] [1, 1]
// CHECK: tensor.insert_slice %arg1 into %[[A]][0, 2] [2, 3] [1, 1]
func.func @concat(%x: tensor<2x2xf32>, %y: tensor<2x3xf32>) -> tensor<2x5xf32> {
  %0 = nn.concat %x, %y {axis = 1 : i64} : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// CHECK-LABEL: @slice
// CHECK-NEXT: tensor.extract_slice %arg0[1, 0] [2, 3] [1, 2] : tensor<4x6xf32> to tensor<2x3xf32>
func.func @slice(%x: tensor<4x6xf32>) -> tensor<2x3xf32> {
  %0 = nn.slice %x {starts = array<i64: 1, 0>, sizes = array<i64: 2, 3>, steps = array<i64: 1, 2>} : (tensor<4x6xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A negative step picks the elements in their new order first.
// CHECK-LABEL: @slice_backwards
// CHECK-DAG: %[[I:.*]] = arith.constant dense<[4, 2, 0]> : tensor<3xi32>
// CHECK: kern.gather ins(%{{.*}}, %[[I]], %{{.*}}) : (tensor<4x6x1xf32>, tensor<3xi32>, tensor<4x3x1xf32>)
// CHECK: tensor.extract_slice %{{.*}}[1, 0] [2, 3] [1, 1] : tensor<4x3xf32> to tensor<2x3xf32>
func.func @slice_backwards(%x: tensor<4x6xf32>) -> tensor<2x3xf32> {
  %0 = nn.slice %x {starts = array<i64: 1, 4>, sizes = array<i64: 2, 3>, steps = array<i64: 1, -2>} : (tensor<4x6xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @pad_constant
// CHECK: %[[V:.*]] = arith.constant 1.500000e+00 : f32
// CHECK: %[[F:.*]] = linalg.fill ins(%[[V]] : f32) outs(%{{.*}} : tensor<3x5xf32>)
// CHECK: tensor.insert_slice %arg0 into %[[F]][1, 2] [2, 2] [1, 1]
func.func @pad_constant(%x: tensor<2x2xf32>) -> tensor<3x5xf32> {
  %0 = nn.pad %x {low = array<i64: 1, 2>, high = array<i64: 0, 1>, mode = 0 : i32, value = 1.5 : f32} : (tensor<2x2xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// The border of an unsigned image.
// CHECK-LABEL: @pad_unsigned
// CHECK: arith.constant -56 : i8
// CHECK: linalg.fill
func.func @pad_unsigned(%x: tensor<2xui8>) -> tensor<3xui8> {
  %0 = nn.pad %x {low = array<i64: 1>, high = array<i64: 0>, mode = 0 : i32, value = 200 : ui8} : (tensor<2xui8>) -> tensor<3xui8>
  return %0 : tensor<3xui8>
}

// Negative pads cut first.
// CHECK-LABEL: @pad_cut
// CHECK: %[[C:.*]] = tensor.extract_slice %arg0[0, 1] [2, 2] [1, 1] : tensor<2x4xf32> to tensor<2x2xf32>
// CHECK: tensor.insert_slice %[[C]] into %{{.*}}[2, 0] [2, 2] [1, 1]
func.func @pad_cut(%x: tensor<2x4xf32>) -> tensor<4x2xf32> {
  %0 = nn.pad %x {low = array<i64: 2, -1>, high = array<i64: 0, -1>, mode = 0 : i32, value = 0.0 : f32} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// CHECK-LABEL: @pad_reflect
// CHECK: arith.constant dense<[2, 1, 0, 1, 2, 1]> : tensor<6xi32>
func.func @pad_reflect(%x: tensor<3xf32>) -> tensor<6xf32> {
  %0 = nn.pad %x {low = array<i64: 2>, high = array<i64: 1>, mode = 1 : i32, value = 0.0 : f32} : (tensor<3xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// CHECK-LABEL: @pad_edge
// CHECK: arith.constant dense<[0, 0, 0, 1, 2, 2]> : tensor<6xi32>
func.func @pad_edge(%x: tensor<3xf32>) -> tensor<6xf32> {
  %0 = nn.pad %x {low = array<i64: 2>, high = array<i64: 1>, mode = 2 : i32, value = 0.0 : f32} : (tensor<3xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// CHECK-LABEL: @pad_wrap
// CHECK: arith.constant dense<[1, 2, 0, 1, 2, 0]> : tensor<6xi32>
func.func @pad_wrap(%x: tensor<3xf32>) -> tensor<6xf32> {
  %0 = nn.pad %x {low = array<i64: 2>, high = array<i64: 1>, mode = 3 : i32, value = 0.0 : f32} : (tensor<3xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// CHECK-LABEL: @gather
// CHECK: kern.gather ins(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<2x3x4xf32>, tensor<6xi64>, tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
// CHECK: tensor.expand_shape {{.*}} output_shape [2, 2, 3, 4]
func.func @gather(%x: tensor<2x3x4xf32>, %i: tensor<2x3xi64>) -> tensor<2x2x3x4xf32> {
  %0 = nn.gather %x, %i {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<2x3xi64>) -> tensor<2x2x3x4xf32>
  return %0 : tensor<2x2x3x4xf32>
}

// An index without dimensions drops the axis.
// CHECK-LABEL: @gather_one
// CHECK: kern.gather ins(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<2x3x4xf32>, tensor<1xi32>, tensor<2x1x4xf32>)
// CHECK: return %{{.*}} : tensor<2x4xf32>
func.func @gather_one(%x: tensor<2x3x4xf32>) -> tensor<2x4xf32> {
  %i = nn.constant dense<-1> : tensor<i32>
  %0 = nn.gather %x, %i {axis = 1 : i64} : (tensor<2x3x4xf32>, tensor<i32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// Two rows of taps for each output row; asymmetric and floor double an image.
// CHECK-LABEL: @resize
// CHECK-DAG: arith.constant dense<{{\[\[}}0], [0], [1], [1]]> : tensor<4x1xi32>
// CHECK-DAG: arith.constant dense<{{\[\[}}0], [0], [0], [1], [1], [1]]> : tensor<6x1xi32>
// CHECK: kern.resize2d ins({{.*}}) {{.*}} : (tensor<1x2x2x8xf32>, tensor<4x1xi32>, tensor<4x1xf32>, tensor<6x1xi32>, tensor<6x1xf32>, tensor<1x4x6x8xf32>)
func.func @resize(%x: tensor<1x2x2x8xf32>) -> tensor<1x4x6x8xf32> {
  %0 = nn.resize %x {sizes = array<i64: 1, 4, 6, 8>, scales = array<f32: 1.0, 2.0, 3.0, 1.0>, mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor", cubic_coeff_a = -7.500000e-01 : f32, exclude_outside = false, extrapolation_value = 0.0 : f32, antialias = false, roi = array<f32>} : (tensor<1x2x2x8xf32>) -> tensor<1x4x6x8xf32>
  return %0 : tensor<1x4x6x8xf32>
}

// CHECK-LABEL: @resize_linear
// CHECK-DAG: arith.constant dense<{{\[\[}}0, 1], [0, 1], [0, 1], [1, 1]]> : tensor<4x2xi32>
// CHECK-DAG: arith.constant dense<{{\[\[}}1.000000e+00, 0.000000e+00], [7.500000e-01, 2.500000e-01], [2.500000e-01, 7.500000e-01], [1.000000e+00, 0.000000e+00]]> : tensor<4x2xf32>
// CHECK: kern.resize2d ins({{.*}}) {{.*}} : (tensor<3x1x2x1xf32>, tensor<1x1xi32>, tensor<1x1xf32>, tensor<4x2xi32>, tensor<4x2xf32>, tensor<3x1x4x1xf32>)
func.func @resize_linear(%x: tensor<3x2xf32>) -> tensor<3x4xf32> {
  %0 = nn.resize %x {sizes = array<i64: 3, 4>, scales = array<f32: 1.0, 2.0>, mode = "linear", coordinate_transformation_mode = "half_pixel", nearest_mode = "floor", cubic_coeff_a = -7.500000e-01 : f32, exclude_outside = false, extrapolation_value = 0.0 : f32, antialias = false, roi = array<f32>} : (tensor<3x2xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// Corners are aligned by the length that the scale gives, 2.4, not by the two elements that there are: 1 * 3 / 1.4 = 2.142857.
// CHECK-LABEL: @aligned_corners
// CHECK-DAG: dense<{{\[\[}}1.000000e+00, 0.000000e+00], [0.857142925, 0.142857075]]>
func.func @aligned_corners(%x: tensor<4x1xf32>) -> tensor<2x1xf32> {
  %0 = nn.resize %x {sizes = array<i64: 2, 1>, scales = array<f32: 0.6, 1.0>, mode = "linear", coordinate_transformation_mode = "align_corners", nearest_mode = "floor", cubic_coeff_a = -7.500000e-01 : f32, exclude_outside = false, extrapolation_value = 0.0 : f32, antialias = false, roi = array<f32>} : (tensor<4x1xf32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}
