// A pattern that matches nothing.
// RUN: not aotc-opt %s --aotc-plan-precision="keep-fp32=conv1,other*" 2>&1 | FileCheck %s

// CHECK-NOT: 'conv1'
// CHECK: 'other*' matches no node
func.func @named(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = nn.constant dense<5.0> : tensor<2x2x1x1xf32>
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32> loc(fused<#nn.node<"conv1", "Conv", 17>>["a"])
  return %0 : tensor<1x2x4x4xf32>
}
