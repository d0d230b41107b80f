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
  // expected-error@+2 {{the new shape must hold 6 elements, found f32 [5]}}
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

func.func @shape(%x: tensor<3xf32>) {
  // expected-error@+2 {{'start' and 'end' must be within the rank 1, found 0 and 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = nn.shape %x {start = 0 : i64, end = 2 : i64} : (tensor<3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @conv_channels(%x: tensor<1x3x4x4xf32>, %w: tensor<2x4x1x1xf32>) {
  // expected-error@+2 {{input must have 4 channels (1 groups of the weights' 4), found 3}}
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

func.func @branches(%c: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error@+1 {{both branches must yield 'tensor<3xf32>', found 'tensor<2xf32>'}}
  %0 = nn.if %c : (tensor<i1>) -> tensor<3xf32> {
    nn.yield %x : tensor<2xf32>
  } else {
    nn.yield %x : tensor<2xf32>
  }
  return
}
