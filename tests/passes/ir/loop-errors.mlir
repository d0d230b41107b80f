// What a loop's initial values, its body and its results must agree about.
// RUN: aotc-opt %s --split-input-file --verify-diagnostics

func.func @condition(%n: tensor<i64>, %go: tensor<1xi1>) {
  // expected-error@+1 {{the trip count must be one i64 and the condition one bool, found i64 [] and i1 [1]}}
  nn.loop %n, %go : (tensor<i64>, tensor<1xi1>) -> () {
  ^bb0(%i: tensor<i64>):
    %0 = nn.constant dense<true> : tensor<i1>
    nn.yield %0 : tensor<i1>
  }
  return
}

// -----

func.func @arguments(%n: tensor<i64>, %go: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error@+1 {{the body must have the number of the iteration, one i64, and 1 carried values as arguments, found 1 arguments}}
  %0 = nn.loop %n, %go, %x : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%i: tensor<i64>):
    nn.yield %go, %x : tensor<i1>, tensor<2xf32>
  }
  return
}

// -----

func.func @carried(%n: tensor<i64>, %go: tensor<i1>, %x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{a carried value must be like argument 1 of the body, f32 [2], found f32 [3]}}
  %0 = nn.loop %n, %go, %x : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<2xf32>):
    nn.yield %go, %y : tensor<i1>, tensor<3xf32>
  }
  return
}

// -----

func.func @yielded(%n: tensor<i64>, %go: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error@+1 {{the body must yield the condition, one bool, and a value for each of 1 results, 1 of them carried; found 1 values}}
  %0 = nn.loop %n, %go, %x : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<2xf32>):
    nn.yield %go : tensor<i1>
  }
  return
}

// -----

func.func @collected(%n: tensor<i64>, %go: tensor<i1>, %x: tensor<2xf32>) {
  // expected-error@+1 {{a collected value f32 [2] must have 'iterations' and the result of them, found f32 [2,2]}}
  %0 = nn.loop %n, %go : (tensor<i64>, tensor<i1>) -> tensor<2x2xf32> {
  ^bb0(%i: tensor<i64>):
    nn.yield %go, %x : tensor<i1>, tensor<2xf32>
  }
  return
}

// -----

#a = affine_map<()[s0] -> (s0)>
#b = affine_map<()[s0, s1] -> (s1)>

// Each needs the other's old value: there is no order to set them in.
func.func @exchanged(%n: tensor<i64>, %go: tensor<i1>, %x: tensor<2xf32>, %y: tensor<3xf32>) attributes {nn.found = [["a", 4], ["b", 4]]} {
  // expected-error@+1 {{carried dims must be extents of the body's arguments, with one initial and one next value each, and must not change places}}
  %0:2 = nn.loop %n, %go, %x, %y {carried = affine_map<()[s0, s1] -> (s0, s1)>} : (tensor<i64>, tensor<i1>, tensor<2xf32>, tensor<3xf32>) -> (tensor<?xf32, #a>, tensor<?xf32, #b>) {
  ^bb0(%i: tensor<i64>, %c: tensor<?xf32, #a>, %d: tensor<?xf32, #b>):
    nn.yield %go, %d, %c : tensor<i1>, tensor<?xf32, #b>, tensor<?xf32, #a>
  }
  return
}
