// What can be computed on integers is marked, but for what is named.
// RUN: aotc-opt %s --aotc-plan-precision | FileCheck %s
// RUN: aotc-opt %s --aotc-plan-precision="keep-fp32=c?nv1,prod*" | FileCheck %s --check-prefix=KEEP
// RUN: aotc-opt %s --aotc-plan-precision=precision=int8-dynamic | FileCheck %s --check-prefix=DYNAMIC

// CHECK-LABEL: @named
// CHECK: nn.conv {{.*}} {aotc.precision = "int8"
// CHECK: nn.conv {{.*}} {aotc.precision = "int8"
// CHECK: nn.matmul {{.*}} {aotc.precision = "int8"
// KEEP-LABEL: @named
// KEEP: nn.conv
// KEEP-NOT: aotc.precision
// KEEP: nn.conv {{.*}} {aotc.precision = "int8"
// KEEP: nn.matmul
// KEEP-NOT: aotc.precision
// Only products are quantized at run time.
// DYNAMIC-LABEL: @named
// DYNAMIC-NOT: nn.conv {{.*}} aotc.precision
// DYNAMIC: nn.matmul {{.*}} {aotc.precision = "int8-dynamic"
func.func @named(%x: tensor<1x2x4x4xf32>, %m: tensor<3x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<3x5xf32>) {
  %w = nn.constant dense<5.0> : tensor<2x2x1x1xf32>
  %v = nn.constant dense<5.0> : tensor<4x2x1x1xf32>
  %b = nn.constant dense<5.0> : tensor<4x5xf32>
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32> loc(fused<#nn.node<"conv1", "Conv", 17>>["a"])
  %1 = nn.conv %0, %v {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32>) -> tensor<1x4x4x4xf32> loc(fused<#nn.node<"conv2", "Conv", 17>>["a"])
  %2 = nn.matmul %m, %b : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32> loc(fused<#nn.node<"product", "MatMul", 17>>["a"])
  return %1, %2 : tensor<1x4x4x4xf32>, tensor<3x5xf32>
}

// KEEP-LABEL: @odd
// A summed extent that is no multiple of 4.
// CHECK-LABEL: @odd
// CHECK: nn.matmul {{.*}} {aotc.precision = "int8"
func.func @odd(%m: tensor<3x3xf32>) -> tensor<3x5xf32> {
  %b = nn.constant dense<5.0> : tensor<3x5xf32>
  %0 = nn.matmul %m, %b : (tensor<3x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// Sums of so many products as 32 bits just hold, and of one more.
// CHECK-LABEL: @long
// CHECK: nn.matmul {{.*}} {aotc.precision = "int8"
// CHECK-NOT: aotc.precision
// DYNAMIC-LABEL: @long
// DYNAMIC: nn.matmul {{.*}} {aotc.precision = "int8-dynamic"
// DYNAMIC-NOT: aotc.precision
func.func @long(%x: tensor<1x65793xf32>, %y: tensor<1x65794xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>) {
  %v = nn.constant dense<0.5> : tensor<65793x1xf32>
  %w = nn.constant dense<0.5> : tensor<65794x1xf32>
  %0 = nn.matmul %x, %v : (tensor<1x65793xf32>, tensor<65793x1xf32>) -> tensor<1x1xf32>
  %1 = nn.matmul %y, %w : (tensor<1x65794xf32>, tensor<65794x1xf32>) -> tensor<1x1xf32>
  return %0, %1 : tensor<1x1xf32>, tensor<1x1xf32>
}

// Weights that are no constants, or not finite; a bias that is not finite; sums that must stay exact.
// CHECK-LABEL: @kept
// CHECK-NOT: aotc.precision
// DYNAMIC-LABEL: @kept
// DYNAMIC-NOT: aotc.precision
func.func @kept(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x1x1xf32>, %m: tensor<3x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<3x2xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %b = nn.constant dense<[[1.0, 2.0], [0x7F800000, 1.0], [0.0, 3.0], [1.0, 0x7FC00000]]> : tensor<4x2xf32>
  %v = nn.constant dense<5.0> : tensor<2x2x1x1xf32>
  %masked = nn.constant dense<[0.0, 0xFF800000]> : tensor<2xf32>
  %0 = nn.conv %x, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = nn.matmul %m, %b : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %2 = nn.conv %x, %v, %masked {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  %3 = nn.conv %x, %v {aotc.exact, dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %0, %1, %2, %3 : tensor<1x2x4x4xf32>, tensor<3x2xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}
