// Searches become calls of plain kernels, with as many destinations as results.
// RUN: aotc-opt %s --aotc-convert-nn | FileCheck %s

// CHECK-LABEL: @top_k
// CHECK: %[[VALUES:.*]] = tensor.empty() : tensor<2x3x3xi8>
// CHECK: %[[INDICES:.*]] = tensor.empty() : tensor<2x3x3xi64>
// CHECK: %[[BEST:.*]]:2 = kern.call "top_k" ins(%arg0) outs(%[[VALUES]], %[[INDICES]])
// CHECK-SAME: call_arguments = ["aotc::Largest{}"], header = "top_k", members = ["outer", "length", "inner", "k"]
// CHECK-SAME: unsigned_operands = array<i64: 0, 1>, values = [2, 7, 3, 3]
// CHECK: return %[[BEST]]#0, %[[BEST]]#1
func.func @top_k(%x: tensor<2x7x3xui8>) -> (tensor<2x3x3xui8>, tensor<2x3x3xi64>) {
  %0:2 = nn.top_k %x {k = 3 : i64, axis = 1 : i64, largest = true} : (tensor<2x7x3xui8>) -> (tensor<2x3x3xui8>, tensor<2x3x3xi64>)
  return %0#0, %0#1 : tensor<2x3x3xui8>, tensor<2x3x3xi64>
}

// CHECK-LABEL: @arg_reduce
// CHECK: %[[PLACES:.*]] = kern.call "arg_reduce" ins({{.*}}) outs(%{{[a-z0-9]+}})
// CHECK-SAME: call_arguments = ["aotc::ArgMin{}", true], header = "arg_reduce"
// CHECK-SAME: unsigned_operands = array<i64: 0>, values = [2, 7, 12]
// CHECK-SAME: -> tensor<2x1x3x4xi64>
func.func @arg_reduce(%x: tensor<2x7x3x4xui8>) -> tensor<2x1x3x4xi64> {
  %0 = nn.arg_reduce %x {axis = 1 : i64, largest = false, last = true} : (tensor<2x7x3x4xui8>) -> tensor<2x1x3x4xi64>
  return %0 : tensor<2x1x3x4xi64>
}

// An axis that may be empty: then nothing can be found.
// CHECK-LABEL: @arg_reduce_of_unknown
// CHECK: kern.call "arg_reduce"
// CHECK-SAME: failure = "index_out_of_range"
func.func @arg_reduce_of_unknown(%x: tensor<2x?xf32, affine_map<()[s0] -> (2, s0)>> {nn.bounds = array<i64: 2, 4>, nn.minimums = array<i64: 2, 0>, nn.symbols = ["", "n"]}) -> tensor<2x1xi64> {
  %0 = nn.arg_reduce %x {axis = 1 : i64, largest = true, last = false} : (tensor<2x?xf32, affine_map<()[s0] -> (2, s0)>>) -> tensor<2x1xi64>
  return %0 : tensor<2x1xi64>
}
