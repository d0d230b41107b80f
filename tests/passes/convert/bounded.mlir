// Bounded dims become index arguments, and every unknown extent is one of them, or a product.
// RUN: aotc-opt %s --aotc-convert-nn --cse | FileCheck %s

// The function describes its arguments and results; a batch stays what it is through a reshape.
// CHECK-LABEL: @batch(
// CHECK-SAME: aotc.bounds = array<i64: 4, 4, 4, 8>, aotc.dims = ["batch", "", "", ""]
// CHECK-SAME: %[[N:.*]]: index {aotc.dim = "batch", aotc.maximum = 4 : i64, aotc.minimum = 1 : i64})
// CHECK-SAME: -> (tensor<?x32xf32> {aotc.dims = ["batch", ""]})
// CHECK: tensor.empty(%[[N]]) : tensor<?x2x2x8xf32>
// CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2, 3]] : tensor<?x2x2x8xf32> into tensor<?x32xf32>
func.func @batch(%x: tensor<?x4x4x8xf32, affine_map<()[s0] -> (s0, 4, 4, 8)>> {nn.bounds = array<i64: 4, 4, 4, 8>, nn.minimums = array<i64: 1, 4, 4, 8>, nn.symbols = ["batch", "", "", ""]}) -> tensor<?x32xf32, affine_map<()[s0] -> (s0, 32)>> {
  %0 = nn.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, channels_last} : (tensor<?x4x4x8xf32, affine_map<()[s0] -> (s0, 4, 4, 8)>>) -> tensor<?x2x2x8xf32, affine_map<()[s0] -> (s0, 2, 2, 8)>>
  %1 = nn.reshape %0 {shape = array<i64: -9223372036854775808, 32>, extents = affine_map<()[s0] -> (s0, 32)>} : (tensor<?x2x2x8xf32, affine_map<()[s0] -> (s0, 2, 2, 8)>>) -> tensor<?x32xf32, affine_map<()[s0] -> (s0, 32)>>
  return %1 : tensor<?x32xf32, affine_map<()[s0] -> (s0, 32)>>
}

// One name, one argument.
// CHECK-LABEL: @two_inputs(
// CHECK-SAME: %[[N:[a-z0-9]*]]: index {{{[^}]*}}}) -> (tensor<?x2xf32>
// CHECK: tensor.empty(%[[N]]) : tensor<?x2xf32>
func.func @two_inputs(%x: tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>> {nn.bounds = array<i64: 4, 2>, nn.minimums = array<i64: 1, 2>, nn.symbols = ["n", ""]}, %y: tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>> {nn.bounds = array<i64: 4, 2>, nn.minimums = array<i64: 1, 2>, nn.symbols = ["n", ""]}) -> tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>> {
  %0 = nn.add %x, %y : (tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>>, tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>>) -> tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>>
  return %0 : tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>>
}

// The rows of all batches are 3 n; behind the product they are n times 3 again, and the result names n.
// CHECK-LABEL: @rows(
// CHECK-SAME: %[[N:[a-z0-9]*]]: index {{{[^}]*}}}) -> (tensor<?x3x4xf32> {aotc.dims = ["n", "", ""]})
// CHECK: %[[ROWS:.*]] = arith.muli %[[N]], %c3
// CHECK: output_shape [1, %[[ROWS]], 2]
// CHECK: kern.matmul {{.*}} -> tensor<1x?x4xf32>
// CHECK: output_shape [%[[N]], 3, 4]
func.func @rows(%x: tensor<?x3x2xf32, affine_map<()[s0] -> (s0, 3, 2)>> {nn.bounds = array<i64: 4, 3, 2>, nn.minimums = array<i64: 1, 3, 2>, nn.symbols = ["n", "", ""]}) -> tensor<?x3x4xf32, affine_map<()[s0] -> (s0, 3, 4)>> {
  %w = nn.constant dense<1.0> : tensor<2x4xf32>
  %0 = nn.matmul %x, %w : (tensor<?x3x2xf32, affine_map<()[s0] -> (s0, 3, 2)>>, tensor<2x4xf32>) -> tensor<?x3x4xf32, affine_map<()[s0] -> (s0, 3, 4)>>
  return %0 : tensor<?x3x4xf32, affine_map<()[s0] -> (s0, 3, 4)>>
}

// -----

// What both branches give has its extent, also behind a branch.
// CHECK-LABEL: @branches
// CHECK-SAME: %[[N:[a-z0-9]*]]: index {{{[^}]*}}}) -> (tensor<?x2xf32> {aotc.dims = ["n", ""]})
// CHECK: %[[ROWS:.*]] = arith.muli %[[N]], %c2
// CHECK: bufferization.alloc_tensor(%[[ROWS]]) : tensor<?xf32>
// CHECK: scf.if
// CHECK-NOT: unrealized_conversion_cast
func.func @branches(%c: tensor<i1>, %x: tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>> {nn.bounds = array<i64: 4, 2>, nn.minimums = array<i64: 1, 2>, nn.symbols = ["n", ""]}) -> tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>> {
  %0 = nn.reshape %x {shape = array<i64: -9223372036854775808>, extents = affine_map<()[s0] -> (s0 * 2)>} : (tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>>) -> tensor<?xf32, affine_map<()[s0] -> (s0 * 2)>>
  %1 = nn.if %c : (tensor<i1>) -> tensor<?xf32, affine_map<()[s0] -> (s0 * 2)>> {
    %4 = nn.neg %0 : (tensor<?xf32, affine_map<()[s0] -> (s0 * 2)>>) -> tensor<?xf32, affine_map<()[s0] -> (s0 * 2)>>
    nn.yield %4 : tensor<?xf32, affine_map<()[s0] -> (s0 * 2)>>
  } else {
    nn.yield %0 : tensor<?xf32, affine_map<()[s0] -> (s0 * 2)>>
  }
  %2 = nn.add %1, %0 : (tensor<?xf32, affine_map<()[s0] -> (s0 * 2)>>, tensor<?xf32, affine_map<()[s0] -> (s0 * 2)>>) -> tensor<?xf32, affine_map<()[s0] -> (s0 * 2)>>
  %3 = nn.reshape %2 {shape = array<i64: -9223372036854775808, 2>, extents = affine_map<()[s0] -> (s0, 2)>} : (tensor<?xf32, affine_map<()[s0] -> (s0 * 2)>>) -> tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>>
  return %3 : tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>>
}

// -----

// Quotients are index arguments of their own, which other extents are made of; outputs whose extent is no dim have one too.
// CHECK-LABEL: @strided(
// CHECK-SAME: %[[H:[a-z0-9]*]]: index {aotc.dim = "h", {{[^}]*}}}, %[[HALF:[a-z0-9]*]]: index {aotc.dim = "(h + 1) / 2", aotc.expression = {{.*}}, aotc.maximum = 4 : i64, aotc.minimum = 2 : i64}
// CHECK-SAME: aotc.dims = ["", "(h + 1) / 2", "", ""]
// CHECK: tensor.empty(%[[HALF]]) : tensor<1x?x2x3xf32>
func.func @strided(%x: tensor<1x?x4x3xf32, affine_map<()[s0] -> (1, s0, 4, 3)>> {nn.bounds = array<i64: 1, 8, 4, 3>, nn.minimums = array<i64: 1, 3, 4, 3>, nn.symbols = ["", "h", "", ""]}) -> tensor<1x?x2x3xf32, affine_map<()[s0] -> (1, (s0 + 1) floordiv 2, 2, 3)>> {
  %0 = nn.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, channels_last} : (tensor<1x?x4x3xf32, affine_map<()[s0] -> (1, s0, 4, 3)>>) -> tensor<1x?x2x3xf32, affine_map<()[s0] -> (1, (s0 + 1) floordiv 2, 2, 3)>>
  return %0 : tensor<1x?x2x3xf32, affine_map<()[s0] -> (1, (s0 + 1) floordiv 2, 2, 3)>>
}

// -----

// Parts that only the run knows: of a slice, and of a concatenation.
// CHECK-LABEL: @parts(
// CHECK-SAME: %[[N:[a-z0-9]*]]: index {aotc.dim = "n"
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [%[[N]], 4] [1, 1] : tensor<8x4xf32> to tensor<?x4xf32>
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[%[[N]], 0]
func.func @parts(%x: tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>> {nn.bounds = array<i64: 8, 4>, nn.minimums = array<i64: 1, 4>, nn.symbols = ["n", ""]}, %table: tensor<8x4xf32>) -> tensor<?x4xf32, affine_map<()[s0] -> (s0 * 2, 4)>> {
  %0 = nn.slice %table {starts = array<i64: 0, 0>, sizes = array<i64: -9223372036854775808, 4>, steps = array<i64: 1, 1>, extents = affine_map<()[s0] -> (0, 0, s0, 4)>} : (tensor<8x4xf32>) -> tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>>
  %1 = nn.concat %x, %0 {axis = 0 : i64} : (tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>>, tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>>) -> tensor<?x4xf32, affine_map<()[s0] -> (s0 * 2, 4)>>
  return %1 : tensor<?x4xf32, affine_map<()[s0] -> (s0 * 2, 4)>>
}

// -----

// Shape arithmetic that is data.
// CHECK-LABEL: @values(
// CHECK-SAME: %[[N:[a-z0-9]*]]: index
// CHECK: %[[SIZE:.*]] = arith.muli %[[N]], %c4
// CHECK: kern.call "write_extents" ins() extents(%[[N]], %[[SIZE]]) outs(%{{.*}}) {{.*}}values = [3, [unit, 7, unit]]
func.func @values(%x: tensor<?x4xf32, affine_map<()[s0] -> (s0, 4)>> {nn.bounds = array<i64: 8, 4>, nn.minimums = array<i64: 1, 4>, nn.symbols = ["n", ""]}) -> tensor<3xi64> {
  %0 = nn.extents {values = affine_map<()[s0] -> (s0, 7, s0 * 4)>} : () -> tensor<3xi64>
  return %0 : tensor<3xi64>
}
