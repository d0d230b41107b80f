// The shape rules say what must hold and what was found.
// RUN: aotc-opt %s --split-input-file --verify-diagnostics

func.func @broadcast(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error@+2 {{shapes must broadcast together, found f32 [2,3] and f32 [2]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.add %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @element_types(%x: tensor<2xf32>, %y: tensor<2xi8>) {
  // expected-error@+2 {{operands must have one element type, found 'f32' and 'i8'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.add %x, %y : (tensor<2xf32>, tensor<2xi8>) -> tensor<2xf32>
  return
}

// -----

func.func @reshape(%x: tensor<2x3xf32>) {
  // expected-error@+2 {{the new shape must hold 6 elements, found [5]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.reshape %x {shape = array<i64: 5>} : (tensor<2x3xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @transpose(%x: tensor<2x3xf32>) {
  // expected-error@+2 {{'perm' must be a permutation of the 2 dimensions}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.transpose %x {permutation = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @expand(%x: tensor<2x3xf32>) {
  // expected-error@+2 {{f32 [2,3] does not broadcast to f32 [2,4]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.expand %x {shape = array<i64: 2, 4>} : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @concat(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) {
  // expected-error@+2 {{inputs may differ along axis 1 only, found f32 [2,3] and f32 [3,2]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.concat %x, %y {axis = 1 : i64} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @slice(%x: tensor<3xf32>) {
  // expected-error@+2 {{the slice reaches from 1 to 3, the extent is 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.slice %x {starts = array<i64: 1>, sizes = array<i64: 3>, steps = array<i64: 1>} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @pad(%x: tensor<3xf32>) {
  // expected-error@+2 {{'pads' cut more than there is of f32 [3]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.pad %x {low = array<i64: -2>, high = array<i64: -2>, mode = 0 : i32, value = 0.0 : f32} : (tensor<3xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @conv_channels(%x: tensor<1x3x4x4xf32>, %w: tensor<2x4x1x1xf32>) {
  // expected-error@+2 {{input must have 4 channels ('group' 1 times the weights' 4), found 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x3x4x4xf32>, tensor<2x4x1x1xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @conv_dilations(%x: tensor<1x3x4x4xf32>, %w: tensor<2x3x1x1xf32>) {
  // expected-error@+2 {{'dilations' must have 2 values, found 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1, 1>, group = 1 : i64} : (tensor<1x3x4x4xf32>, tensor<2x3x1x1xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @pool_window(%x: tensor<1x3x4x4xf32>) {
  // expected-error@+2 {{the window spans 5 elements of spatial dimension 0, found 4 with padding}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.max_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 2, 2>} : (tensor<1x3x4x4xf32>) -> tensor<1x3x1x1xf32>
  return
}

// -----

func.func @matmul(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+2 {{inner dimensions must be equal, found f32 [2,3] and f32 [2,3]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.matmul %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scale(%x: tensor<2x3xi8>, %s: tensor<2xf32>) {
  // expected-error@+2 {{scale must have shape f32 [3], found f32 [2]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.dequantize %x, %s {axis = 1 : i64, block_size = 0 : i64} : (tensor<2x3xi8>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @zero_point(%x: tensor<2x3xi8>, %s: tensor<3xf32>, %z: tensor<2xi8>) {
  // expected-error@+2 {{zero point must have the scale's shape, found i8 [2] and f32 [3]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.dequantize %x, %s, %z {axis = 1 : i64, block_size = 0 : i64} : (tensor<2x3xi8>, tensor<3xf32>, tensor<2xi8>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_scale(%x: tensor<2x3xi8>, %s: tensor<2x2xf32>) {
  // expected-error@+2 {{scale must broadcast to i8 [2,3], found f32 [2,2]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.dequantize %x, %s {axis = 1 : i64, block_size = 0 : i64} : (tensor<2x3xi8>, tensor<2x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @column_zero_points(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>, %z: tensor<1xi8>, %c: tensor<3xi8>) {
  // expected-error@+2 {{the zero point of i8 [3,4] must have 1 or 4 elements of its type, found i8 [3]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.integer_matmul %a, %b, %z, %c : (tensor<2x3xi8>, tensor<3x4xi8>, tensor<1xi8>, tensor<3xi8>) -> tensor<2x4xi32>
  return
}

// -----

func.func @filter_zero_points(%x: tensor<1x2x5x5xui8>, %w: tensor<4x2x3x3xi8>, %z: tensor<1xui8>, %c: tensor<2xi8>) {
  // expected-error@+2 {{the weights' zero point must have shape [4], found i8 [2]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.integer_conv %x, %w, %z, %c {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x2x5x5xui8>, tensor<4x2x3x3xi8>, tensor<1xui8>, tensor<2xi8>) -> tensor<1x4x3x3xi32>
  return
}

// -----

func.func @branches(%c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error@+1 {{both branches must yield 'tensor<3xf32>', found 'tensor<2xf32>'}}
  %0 = nn.if %c : (tensor<i1>) -> tensor<3xf32> {
    nn.yield %x : tensor<2xf32>
  } else {
    nn.yield %x : tensor<2xf32>
  }
  return
}

// -----

// Extents that only the run knows meet themselves and 1, whatever others would be at the same time.
func.func @dims(%x: tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>> {nn.bounds = array<i64: 4, 2>, nn.minimums = array<i64: 1, 2>, nn.symbols = ["n", ""]}, %y: tensor<?x2xf32, affine_map<()[s0, s1] -> (s1, 2)>> {nn.bounds = array<i64: 4, 2>, nn.minimums = array<i64: 1, 2>, nn.symbols = ["m", ""]}) {
  // expected-error@+2 {{shapes must broadcast together, found f32 [n,2] and f32 [m,2]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.add %x, %y : (tensor<?x2xf32, affine_map<()[s0] -> (s0, 2)>>, tensor<?x2xf32, affine_map<()[s0, s1] -> (s1, 2)>>) -> tensor<?x2xf32>
  return
}

// -----

func.func @multiples(%x: tensor<?xf32, affine_map<()[s0] -> (s0)>> {nn.bounds = array<i64: 4>, nn.minimums = array<i64: 1>, nn.symbols = ["n"]}) {
  %0 = nn.concat %x, %x {axis = 0 : i64} : (tensor<?xf32, affine_map<()[s0] -> (s0)>>, tensor<?xf32, affine_map<()[s0] -> (s0)>>) -> tensor<?xf32, affine_map<()[s0] -> (s0 * 2)>>
  // expected-error@+2 {{shapes must broadcast together, found f32 [2 * n] and f32 [n]}}
  // expected-error@+1 {{failed to infer returned types}}
  %1 = nn.mul %0, %x : (tensor<?xf32, affine_map<()[s0] -> (s0 * 2)>>, tensor<?xf32, affine_map<()[s0] -> (s0)>>) -> tensor<?xf32>
  return
}

// -----

func.func @matmul_inner(%x: tensor<2x?xf32, affine_map<()[s0] -> (2, s0)>> {nn.bounds = array<i64: 2, 4>, nn.minimums = array<i64: 2, 1>, nn.symbols = ["", "n"]}, %y: tensor<?x3xf32, affine_map<()[s0, s1] -> (s1, 3)>> {nn.bounds = array<i64: 4, 3>, nn.minimums = array<i64: 1, 3>, nn.symbols = ["m", ""]}) {
  // expected-error@+2 {{inner dimensions must be equal, found f32 [2,n] and f32 [m,3]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.matmul %x, %y : (tensor<2x?xf32, affine_map<()[s0] -> (2, s0)>>, tensor<?x3xf32, affine_map<()[s0, s1] -> (s1, 3)>>) -> tensor<2x3xf32>
  return
}

// -----

// The kernel reads as many states as the input has sequences.
func.func @states(%gates: tensor<4x?x48xf32, affine_map<()[s0] -> (4, s0, 48)>> {nn.bounds = array<i64: 4, 4, 48>, nn.minimums = array<i64: 4, 1, 48>, nn.symbols = ["", "n", ""]}, %r: tensor<1x48x16xf32>, %h: tensor<1x?x16xf32, affine_map<()[s0, s1] -> (1, s1, 16)>> {nn.bounds = array<i64: 1, 4, 16>, nn.minimums = array<i64: 1, 1, 16>, nn.symbols = ["", "m", ""]}) {
  // expected-error@+2 {{'initial_h' must be f32 [1,?,16], found f32 [1,?,16]}}
  // expected-error@+1 {{failed to infer returned types}}
  %y, %y_h = nn.gru %gates, %r initial_h %h {reverse = false, batch_first = false, clip = 3.0 : f32, activations = ["Sigmoid", "Tanh"], alpha = array<f32: 0.0, 0.0>, beta = array<f32: 0.0, 0.0>, linear_before_reset = false} : (tensor<4x?x48xf32, affine_map<()[s0] -> (4, s0, 48)>>, tensor<1x48x16xf32>, tensor<1x?x16xf32, affine_map<()[s0, s1] -> (1, s1, 16)>>) -> (tensor<4x1x?x16xf32>, tensor<1x?x16xf32>)
  return
}

// -----

func.func @rest(%x: tensor<?x6xf32, affine_map<()[s0] -> (s0, 6)>> {nn.bounds = array<i64: 4, 6>, nn.minimums = array<i64: 1, 6>, nn.symbols = ["n", ""]}) {
  // expected-error@+2 {{the new shape must hold 6 * n elements, found [n,4]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.reshape %x {shape = array<i64: -9223372036854775808, 4>, extents = affine_map<()[s0] -> (s0, 4)>} : (tensor<?x6xf32, affine_map<()[s0] -> (s0, 6)>>) -> tensor<?x4xf32>
  return
}
