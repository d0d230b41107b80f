// Normalisation is a kernel with an epilogue: rows where the run is the last, columns elsewhere.
// RUN: aotc-opt %s --aotc-convert-nn --aotc-fuse-elementwise --cse | FileCheck %s

// CHECK-LABEL: @rows
// CHECK: kern.normalize ins(%{{.*}}, %arg1, %{{.*}}) epilogue
// CHECK: arith.mulf
// CHECK: (tensor<6x8xf32>, tensor<8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
func.func @rows(%x: tensor<2x3x8xf32>, %scale: tensor<8xf32>) -> tensor<2x3x8xf32> {
  %n = nn.normalize %x {axes = array<i64: 2>, epsilon = 1.0e-5 : f32} : (tensor<2x3x8xf32>) -> tensor<2x3x8xf32>
  %y = nn.mul %n, %scale : (tensor<2x3x8xf32>, tensor<8xf32>) -> tensor<2x3x8xf32>
  return %y : tensor<2x3x8xf32>
}

// CHECK-LABEL: @columns
// CHECK: kern.normalize ins({{.*}}) {epsilon = {{.*}}, extra_maps = [], root_mean_square} : (tensor<2x12x8xf32>, tensor<2x12x8xf32>)
func.func @columns(%x: tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32> {
  %y = nn.normalize %x {axes = array<i64: 1, 2>, epsilon = 1.0e-5 : f32, root_mean_square} : (tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32>
  return %y : tensor<2x3x4x8xf32>
}

// Doubles have no epilogue; what is no run of dimensions is brought together.
// CHECK-LABEL: @apart
// CHECK: linalg.transpose {{.*}} permutation = [1, 0, 2]
// CHECK: kern.call "normalize_rows"
// CHECK: linalg.transpose {{.*}} permutation = [1, 0, 2]
func.func @apart(%x: tensor<2x3x4xf64>) -> tensor<2x3x4xf64> {
  %y = nn.normalize %x {axes = array<i64: 0, 2>, epsilon = 1.0e-5 : f32} : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  return %y : tensor<2x3x4xf64>
}
