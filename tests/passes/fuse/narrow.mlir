// Roundings to a narrower type fuse like all arithmetic on f32; a conversion stays outside of a kernel's epilogue, whose
// results are f32.
// RUN: aotc-opt %s --aotc-convert-nn --aotc-fuse-elementwise | FileCheck %s

// CHECK-LABEL: @rounded
// CHECK: linalg.generic
// CHECK: arith.addf
// CHECK-NEXT: arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT: arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT: arith.mulf
// CHECK-NOT: linalg.generic
func.func @rounded(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = nn.add %x, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %1 = nn.round_to %0 {format = f16} : (tensor<8xf32>) -> tensor<8xf32>
  %2 = nn.mul %1, %y : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}

// CHECK-LABEL: @returned
// CHECK: kern.matmul
// CHECK-NOT: arith.truncf
// CHECK: linalg.generic
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @returned(%x: tensor<2x8xf32>, %y: tensor<8x4xf32>) -> tensor<2x4xbf16> {
  %0 = nn.matmul %x, %y : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %1 = nn.cast %0 {to = bf16} : (tensor<2x4xf32>) -> tensor<2x4xbf16>
  return %1 : tensor<2x4xbf16>
}

// What a kernel of a half model ends with.
// CHECK-LABEL: @epilogue
// CHECK: kern.matmul {{.*}} epilogue
// CHECK: arith.truncf %{{.*}} : f32 to f16
// CHECK-NEXT: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.maximumf
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @epilogue(%x: tensor<2x8xf32>, %y: tensor<8x4xf32>) -> tensor<2x4xf32> {
  %0 = nn.matmul %x, %y : (tensor<2x8xf32>, tensor<8x4xf32>) -> tensor<2x4xf32>
  %1 = nn.round_to %0 {format = f16} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = nn.relu %1 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}
