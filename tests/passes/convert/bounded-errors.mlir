// Where bounded dims are not supported, that is said about the node.
// RUN: aotc-opt %s --aotc-convert-nn --split-input-file --verify-diagnostics

func.func @image(%x: tensor<1x?x4x2xf32> {nn.bounds = array<i64: 1, 4, 4, 2>, nn.minimums = array<i64: 1, 1, 4, 2>, nn.symbols = ["", "h", "", ""]}) -> tensor<1x?x4x2xf32> {
  // expected-error@+2 {{only the batch of an image may be bounded, its other extents must be known}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, channels_last} : (tensor<1x?x4x2xf32>) -> tensor<1x?x4x2xf32>
  return %0 : tensor<1x?x4x2xf32>
}

// -----

func.func @slice(%x: tensor<?x4xf32> {nn.bounds = array<i64: 4, 4>, nn.minimums = array<i64: 1, 4>, nn.symbols = ["n", ""]}) -> tensor<?x2xf32> {
  // expected-error@+2 {{all extents must be known, found a bounded dim in f32 [?,4]}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.slice %x {starts = array<i64: 0, 0>, sizes = array<i64: -9223372036854775808, 2>, steps = array<i64: 1, 1>} : (tensor<?x4xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

func.func @concat(%x: tensor<?x4xf32> {nn.bounds = array<i64: 4, 4>, nn.minimums = array<i64: 1, 4>, nn.symbols = ["n", ""]}) -> tensor<?x4xf32> {
  // expected-error@+2 {{the extents along 'axis' must be known, found a bounded dim}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.concat %x, %x {axis = 0 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

func.func @reduce(%x: tensor<2x?xf32> {nn.bounds = array<i64: 2, 4>, nn.minimums = array<i64: 2, 1>, nn.symbols = ["", "n"]}) -> tensor<2xf32> {
  // expected-error@+2 {{a bounded dimension may stand before the reduced ones only}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.reduce sum %x {axes = array<i64: 1>, keepdims = false} : (tensor<2x?xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @matmul(%x: tensor<?x2x3x4xf32> {nn.bounds = array<i64: 4, 2, 3, 4>, nn.minimums = array<i64: 1, 2, 3, 4>, nn.symbols = ["n", "", "", ""]}, %y: tensor<2x4x5xf32>) -> tensor<?x2x3x5xf32> {
  // expected-error@+2 {{leading dimensions must be equal where one is bounded}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.matmul %x, %y : (tensor<?x2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<?x2x3x5xf32>
  return %0 : tensor<?x2x3x5xf32>
}

// -----

func.func @resize(%x: tensor<?x2xf32> {nn.bounds = array<i64: 4, 2>, nn.minimums = array<i64: 1, 2>, nn.symbols = ["n", ""]}) -> tensor<?x4xf32> {
  // expected-error@+2 {{all extents must be known, found a bounded dim}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.resize %x {sizes = array<i64: -9223372036854775808, 4>, scales = array<f32: 1.0, 2.0>, mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor", cubic_coeff_a = -7.500000e-01 : f32, exclude_outside = false, extrapolation_value = 0.0 : f32, antialias = false, roi = array<f32>} : (tensor<?x2xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// expected-error@+1 {{dimension 0 of output 0 must be a bounded dim of an input, found}}
func.func @product(%x: tensor<?x4xf32> {nn.bounds = array<i64: 4, 4>, nn.minimums = array<i64: 1, 4>, nn.symbols = ["n", ""]}) -> tensor<?xf32> {
  %0 = nn.reshape %x {shape = array<i64: -9223372036854775808>} : (tensor<?x4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @two(%x: tensor<?x?x4xf32> {nn.bounds = array<i64: 4, 5, 4>, nn.minimums = array<i64: 1, 1, 4>, nn.symbols = ["n", "m", ""]}) -> tensor<?x?x8xf32> {
  %w = nn.constant dense<1.0> : tensor<4x8xf32>
  // expected-error@+2 {{at most one extent may be bounded, found several in f32 [?,?,4]}}
  // expected-error@+1 {{failed to legalize}}
  %0 = nn.matmul %x, %w : (tensor<?x?x4xf32>, tensor<4x8xf32>) -> tensor<?x?x8xf32>
  return %0 : tensor<?x?x8xf32>
}

// -----

func.func @different(%x: tensor<?x2xf32> {nn.bounds = array<i64: 4, 2>, nn.minimums = array<i64: 1, 2>, nn.symbols = ["n", ""]}, %y: tensor<?x2xf32> {nn.bounds = array<i64: 4, 2>, nn.minimums = array<i64: 1, 2>, nn.symbols = ["m", ""]}) -> tensor<?x2xf32> {
  // expected-error@+1 {{must be the same bounded dim where they meet, found 'n' and 'm'}}
  %0 = nn.add %x, %y : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

func.func @multiples(%x: tensor<?x2xf32> {nn.bounds = array<i64: 4, 2>, nn.minimums = array<i64: 1, 2>, nn.symbols = ["n", ""]}, %y: tensor<?xf32> {nn.bounds = array<i64: 4>, nn.minimums = array<i64: 1>, nn.symbols = ["n"]}) -> tensor<?x2xf32> {
  %0 = nn.reshape %x {shape = array<i64: -9223372036854775808>} : (tensor<?x2xf32>) -> tensor<?xf32>
  // expected-error@+1 {{must be the same bounded dim where they meet, found '2 * n' and 'n'}}
  %1 = nn.mul %0, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %2 = nn.reshape %1 {shape = array<i64: -9223372036854775808, 2>} : (tensor<?xf32>) -> tensor<?x2xf32>
  return %2 : tensor<?x2xf32>
}

// -----

func.func @concat_different(%x: tensor<?x2xf32> {nn.bounds = array<i64: 4, 2>, nn.minimums = array<i64: 1, 2>, nn.symbols = ["n", ""]}, %y: tensor<?x3xf32> {nn.bounds = array<i64: 4, 3>, nn.minimums = array<i64: 1, 3>, nn.symbols = ["m", ""]}) -> tensor<?x5xf32> {
  // expected-error@+1 {{must be the same bounded dim where they meet, found 'n' and 'm'}}
  %0 = nn.concat %x, %y {axis = 1 : i64} : (tensor<?x2xf32>, tensor<?x3xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

// -----

func.func @matmul_batches(%x: tensor<?x2x3xf32> {nn.bounds = array<i64: 4, 2, 3>, nn.minimums = array<i64: 1, 2, 3>, nn.symbols = ["n", "", ""]}, %y: tensor<?x3x2xf32> {nn.bounds = array<i64: 4, 3, 2>, nn.minimums = array<i64: 1, 3, 2>, nn.symbols = ["m", "", ""]}) -> tensor<?x2x2xf32> {
  // expected-error@+1 {{must be the same bounded dim where they meet, found 'n' and 'm'}}
  %0 = nn.matmul %x, %y : (tensor<?x2x3xf32>, tensor<?x3x2xf32>) -> tensor<?x2x2xf32>
  return %0 : tensor<?x2x2xf32>
}

// -----

func.func @matmul_inner(%x: tensor<2x?xf32> {nn.bounds = array<i64: 2, 4>, nn.minimums = array<i64: 2, 1>, nn.symbols = ["", "n"]}, %y: tensor<?x3xf32> {nn.bounds = array<i64: 4, 3>, nn.minimums = array<i64: 1, 3>, nn.symbols = ["m", ""]}) -> tensor<2x3xf32> {
  // expected-error@+1 {{must be the same bounded dim where they meet, found 'n' and 'm'}}
  %0 = nn.matmul %x, %y : (tensor<2x?xf32>, tensor<?x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @branches(%c: tensor<i1>, %x: tensor<?xf32> {nn.bounds = array<i64: 4>, nn.minimums = array<i64: 1>, nn.symbols = ["n"]}, %y: tensor<?xf32> {nn.bounds = array<i64: 4>, nn.minimums = array<i64: 1>, nn.symbols = ["m"]}) -> tensor<?xf32> {
  // expected-error@+1 {{must be the same bounded dim where they meet, found 'n' and 'm'}}
  %0 = nn.if %c : (tensor<i1>) -> tensor<?xf32> {
    nn.yield %x : tensor<?xf32>
  } else {
    nn.yield %y : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}

// -----

func.func @rest(%x: tensor<?x6xf32> {nn.bounds = array<i64: 4, 6>, nn.minimums = array<i64: 1, 6>, nn.symbols = ["n", ""]}) -> tensor<?x4xf32> {
  // expected-error@+1 {{the new shape must fit every extent of a bounded dim, found '3 * n / 2'}}
  %0 = nn.reshape %x {shape = array<i64: -9223372036854775808, 4>} : (tensor<?x6xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
