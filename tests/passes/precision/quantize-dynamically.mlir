// A product whose input is quantized at run time; two that read one tensor quantize it once.
// RUN: aotc-opt %s --aotc-quantize-dynamically --aotc-integer-products | FileCheck %s

// CHECK-LABEL: @products
// CHECK: %[[S:.*]], %[[Z:.*]] = nn.dynamic_scale %arg0
// CHECK: %[[Q:.*]] = nn.quantize %arg0, %[[S]], %[[Z]]
// CHECK-DAG: %[[W:.*]] = nn.constant dense<[5.000000e-01, 2.000000e+00]> : tensor<2xf32>
// CHECK: %[[P:.*]] = nn.quantized_matmul %[[Q]]
// CHECK: %[[SW:.*]] = nn.mul %[[S]], %[[W]]
// CHECK: nn.mul %[[P]], %[[SW]]
// CHECK-NOT: nn.dynamic_scale
// CHECK: nn.quantized_matmul %[[Q]]
func.func @products(%x: tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %w = nn.constant dense<[[63.5, 254.0], [1.0, 4.0], [2.0, 4.0], [0.0, 0.0]]> : tensor<4x2xf32>
  %v = nn.constant dense<1.0> : tensor<4x2xf32>
  %0 = nn.matmul %x, %w {aotc.precision = "int8-dynamic"} : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %1 = nn.matmul %x, %v {aotc.precision = "int8-dynamic"} : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<3x2xf32>
}
