// Ops that read images between their pixels, at places that other inputs name. All are planar.
#ifndef AOTC_IR_NN_SAMPLING
#define AOTC_IR_NN_SAMPLING

include "ir/nn/Base.td"

class NN_Sampling<string mnemonic> : NN_InferredOp<mnemonic> {
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def NN_GridMode : I32EnumAttr<"GridMode", "how values between pixels are found",
    [I32EnumAttrCase<"Nearest", 0, "nearest">, I32EnumAttrCase<"Linear", 1, "linear">,
     I32EnumAttrCase<"Cubic", 2, "cubic">]> {
  let cppNamespace = "::aotc::nn";
}
def NN_GridPadding : I32EnumAttr<"GridPadding", "what lies outside the image",
    [I32EnumAttrCase<"Zeros", 0, "zeros">, I32EnumAttrCase<"Border", 1, "border">,
     I32EnumAttrCase<"Reflection", 2, "reflection">]> {
  let cppNamespace = "::aotc::nn";
}
def NN_GridSampleOp : NN_Sampling<"grid_sample"> {
  let summary = "x [N, C, spatial…] at the places of grid [N, result spatial…, spatial rank]";
  let description = [{
    Two or three spatial dimensions; places are in -1 … 1, the last spatial dimension's first. -1 and 1 are the centres
    of the outermost pixels with `align_corners`, their outer edges without.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$grid, NN_GridMode:$mode, NN_GridPadding:$padding,
                   BoolAttr:$align_corners);
}

def NN_RoiAlignOp : NN_Sampling<"roi_align"> {
  let summary = "the regions rois [R, 4] (x1, y1, x2, y2) of the images x[batch_indices], each as [C, height, width]";
  let description = [{
    Each cell is the average of its samples, or the maximum of their weighted neighbours with `maximum`. `half_pixel` takes
    half a pixel off the coordinates; otherwise regions are at least one pixel large.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$rois, NN_Tensor:$batch_indices, I64Attr:$height, I64Attr:$width,
                   I64Attr:$sampling_ratio, F32Attr:$spatial_scale, BoolAttr:$half_pixel, BoolAttr:$maximum);
}

def NN_DeformConvOp : NN_Sampling<"deform_conv"> {
  let summary = "2-D convolution whose taps are moved by `offset` and weighted by `mask`";
  let description = [{
    x [N, C, H, W], weights [O, C / group, kh, kw], offset [N, offset_group * kh * kw * 2, oh, ow] (y, then x), mask
    [N, offset_group * kh * kw, oh, ow].
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$weights, NN_Tensor:$offset, Optional<NN_Tensor>:$mask,
                   DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$group,
                   I64Attr:$offset_group);
}

#endif
