// Element-wise ops become linalg.generic around their scalar body; broadcast operands are read by their maps.
// RUN: aotc-opt %s --aotc-convert-nn | FileCheck %s

// CHECK-DAG: #[[ALL:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1) -> (d0)>
// CHECK-DAG: #[[ONE:.*]] = affine_map<(d0, d1) -> ()>

// CHECK-LABEL: @broadcast
// CHECK: %[[C:.*]] = tensor.collapse_shape %arg1 {{.*}} : tensor<2x1xf32> into tensor<2xf32>
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[ROW]], #[[ALL]]], iterator_types = ["parallel", "parallel"]} ins(%arg0, %[[C]]
// CHECK: arith.mulf
func.func @broadcast(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>) -> tensor<2x3xf32> {
  %0 = nn.mul %x, %y : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @row_and_column
// CHECK: linalg.generic {indexing_maps = [#[[ROW]], #[[COLUMN]], #[[ALL]]]
func.func @row_and_column(%x: tensor<2x1xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = nn.add %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @scalar
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[ONE]], #[[ALL]]]
func.func @scalar(%x: tensor<2x3xf32>, %y: tensor<f32>) -> tensor<2x3xf32> {
  %0 = nn.add %x, %y : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Signedness lives in the op: memory is signless.
// CHECK-LABEL: @unsigned(
// CHECK-SAME: %arg0: tensor<4xi8>
// CHECK: arith.divui {{.*}} : i8
func.func @unsigned(%x: tensor<4xui8>, %y: tensor<4xui8>) -> tensor<4xui8> {
  %0 = nn.div %x, %y : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// NaN must pass: the zero is the first operand.
// CHECK-LABEL: @relu
// CHECK: ^bb0(%[[X:.*]]: f32, %{{.*}}: f32):
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK: arith.maximumf %[[ZERO]], %[[X]]
func.func @relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @where
// CHECK: ^bb0(%[[C:.*]]: i1, %[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: f32):
// CHECK: arith.select %[[C]], %[[X]], %[[Y]] : f32
func.func @where(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = nn.where %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @cast
// CHECK: arith.uitofp {{.*}} : i8 to f32
func.func @cast(%x: tensor<4xui8>) -> tensor<4xf32> {
  %0 = nn.cast %x {to = f32} : (tensor<4xui8>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @expand
// CHECK: linalg.generic {indexing_maps = [#[[COLUMN]], #[[ALL]]]{{.*}} ins(%arg0 : tensor<3xf32>) outs(%{{.*}} : tensor<2x3xf32>)
func.func @expand(%x: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = nn.expand %x {shape = array<i64: 2, 3>} : (tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @quantize(
// CHECK: %[[SCALED:.*]] = arith.divf
// CHECK: %[[ZERO:.*]] = arith.uitofp {{.*}} : i8 to f32
// CHECK: kern.quantize %[[SCALED]], %[[ZERO]] {high = 255 : i64, low = 0 : i64}
func.func @quantize(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<4xui8> {
  %0 = nn.quantize %x, %s, %z {axis = 0 : i64, block_size = 0 : i64, to = ui8} : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
  return %0 : tensor<4xui8>
}

// saturate(round_half_even(x / scale) + zero_point), as floats until the end. NaN fails the first comparison.
// CHECK-LABEL: @quantize_words
// CHECK: arith.divf
// CHECK: arith.uitofp {{.*}} : i16 to f32
// CHECK: math.roundeven
// CHECK: arith.addf
// CHECK: %[[ABOVE:.*]] = arith.cmpf ogt, %[[SUM:.*]], %[[LEAST:.*]] : f32
// CHECK: arith.select %[[ABOVE]], %[[SUM]], %[[LEAST]]
// CHECK: arith.cmpf olt
// CHECK: arith.select
// CHECK: arith.fptosi {{.*}} : f32 to i32
// CHECK: arith.trunci {{.*}} : i32 to i16
func.func @quantize_words(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<ui16>) -> tensor<4xui16> {
  %0 = nn.quantize %x, %s, %z {axis = 0 : i64, block_size = 0 : i64, to = ui16} : (tensor<4xf32>, tensor<f32>, tensor<ui16>) -> tensor<4xui16>
  return %0 : tensor<4xui16>
}

// A scale of x's rank broadcasts, and 4 bits are computed with as all integers.
// CHECK-LABEL: @dequantize_rows
// CHECK: linalg.generic
// CHECK: arith.sitofp {{.*}} : i4 to f32
func.func @dequantize_rows(%x: tensor<2x3xi4>, %s: tensor<2x1xf32>) -> tensor<2x3xf32> {
  %0 = nn.dequantize %x, %s {axis = 0 : i64, block_size = 0 : i64} : (tensor<2x3xi4>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @dequantize(
// CHECK: linalg.generic {indexing_maps = [#[[ALL]], #[[COLUMN]], #[[COLUMN]], #[[ALL]]]
// CHECK: arith.sitofp
// CHECK: arith.sitofp
// CHECK: arith.subf
// CHECK: arith.mulf
func.func @dequantize(%x: tensor<2x3xi8>, %s: tensor<3xf32>, %z: tensor<3xi8>) -> tensor<2x3xf32> {
  %0 = nn.dequantize %x, %s, %z {axis = 1 : i64, block_size = 0 : i64} : (tensor<2x3xi8>, tensor<3xf32>, tensor<3xi8>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
