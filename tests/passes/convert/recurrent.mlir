// A recurrent network is one call: its weights in panels of 16 units, outputs that nobody reads left out.
// RUN: aotc-opt %s --aotc-convert-nn | FileCheck %s

// R of three units: gate by gate becomes unit by unit, filled up to a panel.
// CHECK-LABEL: @lstm
// CHECK-DAG: %[[R:.*]] = arith.constant dense<{{.*}}> : tensor<1x192xf32>
// CHECK-DAG: %[[Y:.*]] = tensor.empty() : tensor<4x1x2x3xf32>
// CHECK-DAG: %[[Y_C:.*]] = tensor.empty() : tensor<1x2x3xf32>
// CHECK: kern.call "lstm" ins(%arg0, %[[R]], %arg1) outs(%[[Y]], %[[Y_C]])
// CHECK-SAME: call_arguments = ["aotc::LstmCell<aotc::activation::HardSigmoid, aotc::activation::Tanh, aotc::activation::Tanh>{{[{][{]}}0.25f, 0.5f}, {}, {}, aotc::unclipped}"]
// CHECK-SAME: header = "recurrent"
// CHECK-SAME: mac_count = 288
// CHECK-SAME: plain_activations = ["HardSigmoid", "Tanh", "Tanh"]
// CHECK-SAME: scratch_bytes = 384
// CHECK-SAME: values = [4, 2, 1, 3, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1]
func.func @lstm(%gates: tensor<4x2x12xf32>, %c: tensor<1x2x3xf32>) -> (tensor<4x1x2x3xf32>, tensor<1x2x3xf32>) {
  %r = nn.constant dense<1.0> : tensor<1x12x3xf32>
  %y, %y_h, %y_c = nn.lstm %gates, %r initial_c %c {reverse = false, batch_first = false, clip = 0x7F800000 : f32, activations = ["HardSigmoid", "Tanh", "Tanh"], alpha = array<f32: 0.25, 0.0, 0.0>, beta = array<f32: 0.5, 0.0, 0.0>, coupled = false} : (tensor<4x2x12xf32>, tensor<1x12x3xf32>, tensor<1x2x3xf32>) -> (tensor<4x1x2x3xf32>, tensor<1x2x3xf32>, tensor<1x2x3xf32>)
  return %y, %y_c : tensor<4x1x2x3xf32>, tensor<1x2x3xf32>
}

// Weights computed at run time are rearranged by steps of the plan; a number of sequences known at run time only is a
// member of the layout.
// CHECK-LABEL: @gru
// CHECK: linalg.transpose
// CHECK: linalg.transpose
// CHECK: kern.call "gru" ins(%arg0, %{{[^)]*}}) extents(%{{[^)]*}})
// CHECK-SAME: call_arguments = ["aotc::GruCell<aotc::activation::Sigmoid, aotc::activation::Tanh>{{[{][{]}}}, {}, 3.0f}"]
// CHECK-SAME: mac_count = 12288
// CHECK-NOT: plain_activations
// CHECK-SAME: scratch_bytes = 1536
// CHECK-SAME: values = [4, unit, 1, 16, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0]
func.func @gru(%gates: tensor<?x4x48xf32, affine_map<()[s0] -> (s0, 4, 48)>> {nn.bounds = array<i64: 4, 4, 48>, nn.minimums = array<i64: 1, 4, 48>, nn.symbols = ["n", "", ""]}, %r: tensor<1x48x16xf32>) -> tensor<?x1x16xf32, affine_map<()[s0] -> (s0, 1, 16)>> {
  %y, %y_h = nn.gru %gates, %r {reverse = true, batch_first = true, clip = 3.0 : f32, activations = ["Sigmoid", "Tanh"], alpha = array<f32: 0.0, 0.0>, beta = array<f32: 0.0, 0.0>, linear_before_reset = false} : (tensor<?x4x48xf32, affine_map<()[s0] -> (s0, 4, 48)>>, tensor<1x48x16xf32>) -> (tensor<?x4x1x16xf32, affine_map<()[s0] -> (s0, 4, 1, 16)>>, tensor<?x1x16xf32, affine_map<()[s0] -> (s0, 1, 16)>>)
  return %y_h : tensor<?x1x16xf32, affine_map<()[s0] -> (s0, 1, 16)>>
}
