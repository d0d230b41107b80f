// Loops of the run live in memory: read at the begin of an iteration, written at its end; extents that are read from data.
// RUN: aotc-opt %s --aotc-convert-nn --cse --split-input-file | FileCheck %s

// What is carried is written behind all that reads it; the condition is asked before each iteration.
// CHECK-LABEL: @carried(
// CHECK: %[[NUMBER:.*]] = memref.alloc() : memref<i64>
// CHECK: %[[FLAG:.*]] = memref.alloc() : memref<i1>
// CHECK: %[[PLACE:.*]] = memref.alloc() : memref<2xf32>
// CHECK: kern.call "start_loop" ins(%arg0, %arg1) outs(%[[NUMBER]], %[[FLAG]])
// CHECK: kern.call "carry" ins(%arg2) outs(%[[PLACE]])
// CHECK: scf.while : () -> () {
// CHECK: %[[GOES:.*]] = memref.load %[[FLAG]][]
// CHECK: scf.condition(%[[GOES]])
// CHECK: } do {
// CHECK: %[[X:.*]] = bufferization.to_tensor %[[PLACE]] restrict
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} ins(%[[X]], %arg2
// CHECK: kern.call "carry" ins(%[[SUM]]) outs(%[[PLACE]])
// CHECK: kern.call "next_iteration" ins(%arg0, %arg1) outs(%[[NUMBER]], %[[FLAG]])
// CHECK: scf.yield
// CHECK: %[[LAST:.*]] = bufferization.to_tensor %[[PLACE]] restrict
// CHECK: return %[[LAST]]
func.func @carried(%n: tensor<i64>, %go: tensor<i1>, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = nn.loop %n, %go, %x : (tensor<i64>, tensor<i1>, tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%i: tensor<i64>, %c: tensor<2xf32>):
    %1 = nn.add %c, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    nn.yield %go, %1 : tensor<i1>, tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// -----

// Values that change places are copied aside before one of them is written.
// CHECK-LABEL: @exchanged(
// CHECK: } do {
// CHECK-DAG: %[[A:.*]] = kern.call "carry" {{.*}} -> tensor<2xf32>
// CHECK-DAG: %[[B:.*]] = kern.call "carry" {{.*}} -> tensor<2xf32>
// CHECK: kern.call "carry" ins(%{{.*}}) outs(%{{.*}}) {{.*}} : (tensor<2xf32>, memref<2xf32>) -> ()
// CHECK: kern.call "carry" ins(%{{.*}}) outs(%{{.*}}) {{.*}} : (tensor<2xf32>, memref<2xf32>) -> ()
func.func @exchanged(%n: tensor<i64>, %go: tensor<i1>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %0:2 = nn.loop %n, %go, %x, %y : (tensor<i64>, tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%i: tensor<i64>, %c: tensor<2xf32>, %d: tensor<2xf32>):
    nn.yield %go, %d, %c : tensor<i1>, tensor<2xf32>, tensor<2xf32>
  }
  return %0#0, %0#1 : tensor<2xf32>, tensor<2xf32>
}

// -----

#list = affine_map<()[s0] -> (s0)>
#longer = affine_map<()[s0] -> (s0 + 1)>
#all = affine_map<()[s0, s1] -> (s1, 1)>

// A list that grows: its extent is a dim, set when its elements are in place. What each iteration gives has a row of its own.
// CHECK-LABEL: @growing(
// CHECK-SAME: %[[N:[a-z0-9]*]]: index {aotc.dim = "length", aotc.found, aotc.maximum = 5
// CHECK: %[[PLACE:.*]] = memref.alloc(%[[N]]) : memref<?xf32>
// CHECK: kern.call "set_extent" ins() outs() {{.*}}found = "length"{{.*}}values = [0]
// CHECK: %[[MORE:.*]] = arith.addi %[[N]], %c1
// CHECK: kern.call "collect" ins(%{{.*}}, %{{.*}}) outs(%{{.*}}) {{.*}}failure = "bound_exceeded"
// CHECK: kern.call "carry" ins(%{{.*}}) extents(%[[MORE]]) outs(%[[PLACE]]) {{.*}}failure = "bound_exceeded"{{.*}}members = ["length", "room"]{{.*}}values = [unit, 5]
// CHECK: kern.call "set_extent" ins() extents(%{{.*}}) outs() {{.*}}found = "length"
// CHECK: scf.yield
// CHECK: kern.call "read_extent" {{.*}}found = "times"
func.func @growing(%n: tensor<i64>, %go: tensor<i1>, %x: tensor<0xf32>, %y: tensor<1xf32>) -> (tensor<?xf32, #list>, tensor<?x1xf32, #all>) attributes {nn.found = [["length", 5], ["times", 5]]} {
  %0:2 = nn.loop %n, %go, %x {carried = affine_map<()[s0, s1] -> (s0)>, iterations = affine_map<()[s0, s1] -> (s1)>, counts} : (tensor<i64>, tensor<i1>, tensor<0xf32>) -> (tensor<?xf32, #list>, tensor<?x1xf32, #all>) {
  ^bb0(%i: tensor<i64>, %c: tensor<?xf32, #list>):
    %1 = nn.concat %c, %y {axis = 0 : i64} : (tensor<?xf32, #list>, tensor<1xf32>) -> tensor<?xf32, #longer>
    nn.yield %go, %1, %y : tensor<i1>, tensor<?xf32, #longer>, tensor<1xf32>
  }
  return %0#0, %0#1 : tensor<?xf32, #list>, tensor<?x1xf32, #all>
}

// -----

#k = affine_map<()[s0] -> (2, s0)>

// CHECK-LABEL: @extents(
// CHECK-SAME: %[[K:[a-z0-9]*]]: index {aotc.dim = "k", aotc.found, aotc.maximum = 4
// CHECK: kern.call "read_extent" ins(%arg1) outs() {{.*}}failure = "bound_exceeded", found = "k"{{.*}}values = [4]
// CHECK: kern.call "top_k" ins(%arg0) extents(%[[K]]) outs
// CHECK: kern.call "count_steps" ins(%arg1, %arg2, %arg1) outs() {{.*}}found = "count"
func.func @extents(%x: tensor<2x4xf32>, %k: tensor<i64>, %limit: tensor<i64>) -> tensor<2x?xf32, #k> attributes {nn.found = [["k", 4], ["count", 9]]} {
  nn.read_extent %k {found = affine_map<()[s0] -> (s0)>, limit = affine_map<() -> (4)>} : (tensor<i64>) -> ()
  %0:2 = nn.top_k %x {k = -9223372036854775808 : i64, axis = 1 : i64, largest = true, extent = affine_map<()[s0] -> (s0)>} : (tensor<2x4xf32>) -> (tensor<2x?xf32, #k>, tensor<2x?xi64, #k>)
  nn.count_steps %k, %limit, %k {found = affine_map<()[s0, s1] -> (s1)>} : (tensor<i64>, tensor<i64>, tensor<i64>) -> ()
  return %0#0 : tensor<2x?xf32, #k>
}
