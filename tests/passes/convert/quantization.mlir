// What a tensor is quantized by at run time: its ends, of which the scale and the zero point are made.
// RUN: aotc-opt %s --aotc-convert-nn | FileCheck %s

// CHECK-LABEL: @dynamic_scale
// CHECK: %[[ENDS:.*]] = kern.call "extremes" ins(%arg0)
// CHECK-SAME: header = "dynamic_scale", members = ["outer", "length", "inner", "parts"]
// CHECK: kern.call "dynamic_scale" ins(%[[ENDS]])
// CHECK-SAME: unsigned_operands
func.func @dynamic_scale(%x: tensor<2x3x5xf32>) -> (tensor<f32>, tensor<ui8>) {
  %0:2 = nn.dynamic_scale %x : (tensor<2x3x5xf32>) -> (tensor<f32>, tensor<ui8>)
  return %0#0, %0#1 : tensor<f32>, tensor<ui8>
}
