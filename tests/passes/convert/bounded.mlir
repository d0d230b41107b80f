// Bounded dims become index arguments, and every unknown extent is one of them, or a product.
// RUN: aotc-opt %s --aotc-convert-nn --cse | FileCheck %s

// The function describes its arguments and results; a batch stays what it is through a reshape.
// CHECK-LABEL: @batch(
// CHECK-SAME: aotc.bounds = array<i64: 4, 4, 4, 8>, aotc.dims = ["batch", "", "", ""]
// CHECK-SAME: %[[N:.*]]: index {aotc.dim = "batch", aotc.maximum = 4 : i64, aotc.minimum = 1 : i64})
// CHECK-SAME: -> (tensor<?x32xf32> {aotc.dims = ["batch", ""]})
// CHECK: tensor.empty(%[[N]]) : tensor<?x2x2x8xf32>
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2, 3]] : tensor<?x2x2x8xf32> into tensor<?x32xf32>
func.func @batch(%x: tensor<?x4x4x8xf32> {nn.bounds = array<i64: 4, 4, 4, 8>, nn.minimums = array<i64: 1, 4, 4, 8>, nn.symbols = ["batch", "", "", ""]}) -> tensor<?x32xf32> {
  %0 = nn.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, channels_last} : (tensor<?x4x4x8xf32>) -> tensor<?x2x2x8xf32>
  %1 = nn.reshape %0 {shape = array<i64: -9223372036854775808, 32>} : (tensor<?x2x2x8xf32>) -> tensor<?x32xf32>
  return %1 : tensor<?x32xf32>
}

// One name, one argument.
// CHECK-LABEL: @two_inputs(
// CHECK-SAME: %[[N:[a-z0-9]*]]: index {{{[^}]*}}}) -> (tensor<?x2xf32>
// CHECK: tensor.empty(%[[N]]) : tensor<?x2xf32>
func.func @two_inputs(%x: tensor<?x2xf32> {nn.bounds = array<i64: 4, 2>, nn.minimums = array<i64: 1, 2>, nn.symbols = ["n", ""]}, %y: tensor<?x2xf32> {nn.bounds = array<i64: 4, 2>, nn.minimums = array<i64: 1, 2>, nn.symbols = ["n", ""]}) -> tensor<?x2xf32> {
  %0 = nn.add %x, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// The rows of all batches are 3 n; behind the product they are n times 3 again, and the result names n.
// CHECK-LABEL: @rows(
// CHECK-SAME: %[[N:[a-z0-9]*]]: index {{{[^}]*}}}) -> (tensor<?x3x4xf32> {aotc.dims = ["n", "", ""]})
// CHECK: %[[ROWS:.*]] = arith.muli %[[N]], %c3
// CHECK: output_shape [1, %[[ROWS]], 2]
// CHECK: kern.matmul {{.*}} -> tensor<1x?x4xf32>
// CHECK: output_shape [%[[N]], 3, 4]
func.func @rows(%x: tensor<?x3x2xf32> {nn.bounds = array<i64: 4, 3, 2>, nn.minimums = array<i64: 1, 3, 2>, nn.symbols = ["n", "", ""]}) -> tensor<?x3x4xf32> {
  %w = nn.constant dense<1.0> : tensor<2x4xf32>
  %0 = nn.matmul %x, %w : (tensor<?x3x2xf32>, tensor<2x4xf32>) -> tensor<?x3x4xf32>
  return %0 : tensor<?x3x4xf32>
}

// -----

// What both branches give has its extent, also behind a branch.
// CHECK-LABEL: @branches
// CHECK-SAME: %[[N:[a-z0-9]*]]: index {{{[^}]*}}}) -> (tensor<?x2xf32> {aotc.dims = ["n", ""]})
// CHECK: %[[ROWS:.*]] = arith.muli %[[N]], %c2
// CHECK: bufferization.alloc_tensor(%[[ROWS]]) : tensor<?xf32>
// CHECK: scf.if
// CHECK-NOT: unrealized_conversion_cast
func.func @branches(%c: tensor<i1>, %x: tensor<?x2xf32> {nn.bounds = array<i64: 4, 2>, nn.minimums = array<i64: 1, 2>, nn.symbols = ["n", ""]}) -> tensor<?x2xf32> {
  %0 = nn.reshape %x {shape = array<i64: -9223372036854775808>} : (tensor<?x2xf32>) -> tensor<?xf32>
  %1 = nn.if %c : (tensor<i1>) -> tensor<?xf32> {
    %4 = nn.neg %0 : (tensor<?xf32>) -> tensor<?xf32>
    nn.yield %4 : tensor<?xf32>
  } else {
    nn.yield %0 : tensor<?xf32>
  }
  %2 = nn.add %1, %0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %3 = nn.reshape %2 {shape = array<i64: -9223372036854775808, 2>} : (tensor<?xf32>) -> tensor<?x2xf32>
  return %3 : tensor<?x2xf32>
}
