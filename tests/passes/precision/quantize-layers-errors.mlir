// A layer whose input has no range.
// RUN: not aotc-opt %s --aotc-quantize-layers 2>&1 | FileCheck %s

// CHECK: a tensor that is to be quantized has no range
func.func @product(%x: tensor<3x4xf32>) -> tensor<3x2xf32> {
  %w = nn.constant dense<1.0> : tensor<4x2xf32>
  %0 = nn.matmul %x, %w {aotc.precision = "int8"} : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
