// Kernels of floats have plain counterparts for the other element types; the sign of integers travels with the call.
// RUN: aotc-opt %s --aotc-convert-nn | FileCheck %s

// CHECK-LABEL: @matmul
// CHECK: kern.call "matmul_any" ins(%arg0, {{.*}}) outs(%{{[a-z0-9]+}})
// CHECK-SAME: mac_count = 120 : i64, members = ["batch", "m", "k", "n", "a_shared", "b_shared"]
// CHECK-SAME: unsigned_operands = array<i64: 0, 1, 2>, values = [3, 2, 4, 5, 0, 0]
func.func @matmul(%a: tensor<3x2x4xui32>, %b: tensor<3x4x5xui32>) -> tensor<3x2x5xui32> {
  %0 = nn.matmul %a, %b : (tensor<3x2x4xui32>, tensor<3x4x5xui32>) -> tensor<3x2x5xui32>
  return %0 : tensor<3x2x5xui32>
}

// CHECK-LABEL: @matmul_shared
// CHECK: kern.call "matmul_any"
// CHECK-SAME: values = [3, 2, 4, 5, 1, 0]
func.func @matmul_shared(%a: tensor<2x4xf64>, %b: tensor<3x4x5xf64>) -> tensor<3x2x5xf64> {
  %0 = nn.matmul %a, %b : (tensor<2x4xf64>, tensor<3x4x5xf64>) -> tensor<3x2x5xf64>
  return %0 : tensor<3x2x5xf64>
}

// CHECK-LABEL: @reduce
// CHECK: kern.call "reduce" ins({{.*}}) outs(%{{[a-z0-9]+}}) {call_arguments = ["aotc::Max{}"], header = "reduce"
// CHECK-SAME: values = [2, 12, 1]
// CHECK-SAME: -> tensor<2x1xi64>
func.func @reduce(%x: tensor<2x3x4xi64>) -> tensor<2xi64> {
  %0 = nn.reduce max %x {axes = array<i64: 1, 2>, keepdims = false} : (tensor<2x3x4xi64>) -> tensor<2xi64>
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: @cumulate
// CHECK: kern.call "cumulate" ins({{.*}}) outs(%{{[a-z0-9]+}})
// CHECK-SAME: call_arguments = ["aotc::Product{}", false, true]
// CHECK-SAME: in_place = 0
// CHECK-SAME: values = [2, 3, 4]
func.func @cumulate(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = nn.cumulate product %x {axis = 1 : i64, exclusive = false, reverse = true} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
