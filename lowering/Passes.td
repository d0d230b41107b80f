// One record per pass. Pipeline.cpp puts them in order.
#ifndef AOTC_LOWERING_PASSES
#define AOTC_LOWERING_PASSES

include "mlir/Pass/PassBase.td"

class ModulePass<string argument> : Pass<argument, "::mlir::ModuleOp">;

def Simplify : ModulePass<"aotc-simplify"> {
  let summary = "fold constants and remove what has no effect";
}
def PlanPrecision : ModulePass<"aotc-plan-precision"> {
  let summary = "mark what own quantization computes on integers";
  let options = [Option<"precision", "precision", "std::string", "\"int8\"", "int8 or int8-dynamic">,
                 ListOption<"keepFp32", "keep-fp32", "std::string", "patterns of node names that stay in f32">];
}
def EqualizeLayers : ModulePass<"aotc-equalize-layers"> {
  let summary = "move scales between consecutive convolutions so that channels have more equal ranges";
}
def QuantizeLayers : ModulePass<"aotc-quantize-layers"> {
  let summary = "write quantization at chosen ranges around what was marked";
}
def QuantizeDynamically : ModulePass<"aotc-quantize-dynamically"> {
  let summary = "write quantization at ranges of the run around what was marked";
}
def KeepBytes : ModulePass<"aotc-keep-bytes"> {
  let summary = "move and pick the elements of quantized tensors before they are dequantized, and after they are quantized";
}
def IntegerConvolutions : ModulePass<"aotc-integer-convolutions"> {
  let summary = "compute dequantized convolutions that are quantized again on their integers";
}
def IntegerSums : ModulePass<"aotc-integer-sums"> {
  let summary = "compute convolutions of integers on the fastest kernel that keeps sums exact";
}
def IntegerProducts : ModulePass<"aotc-integer-products"> {
  let summary = "compute products of bytes by constant bytes on words of four";
}
def ByteRecurrences : ModulePass<"aotc-byte-recurrences"> {
  let summary = "keep the bytes that recurrent weights are quantized to";
}
def DequantizeConstants : ModulePass<"aotc-dequantize-constants"> {
  let summary = "fold what is still dequantized of constants";
}
def FoldScales : ModulePass<"aotc-fold-scales"> {
  let summary = "multiply per-channel scales and offsets into the convolution before them (batch normalization)";
}
def RecognizeNormalization : ModulePass<"aotc-recognize-normalization"> {
  let summary = "find normalisation by mean and variance that exporters wrote out";
}
def DistributeConcats : ModulePass<"aotc-distribute-concats"> {
  let summary = "compute element-wise ops on the parts of a concat of slices (rotary embedding)";
}
def JoinProducts : ModulePass<"aotc-join-products"> {
  let summary = "multiply a tensor at once by the weights that its slices are multiplied by (unrolled recurrent networks)";
}
def ChannelsLast : ModulePass<"aotc-channels-last"> {
  let summary = "make image ops channels-last and move the transposes that this needs out of the way";
}
def ConvertNN : ModulePass<"aotc-convert-nn"> {
  let summary = "turn nn into linalg and kern on tensors";
  let dependentDialects = ["::aotc::kern::KERNDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::bufferization::BufferizationDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}
def FuseDequantization : ModulePass<"aotc-fuse-dequantization"> {
  let summary = "let steps that read real values of bytes read the bytes";
}
def FuseElementwise : ModulePass<"aotc-fuse-elementwise"> {
  let summary = "fuse element-wise steps into each other and into the epilogues of kernels";
}
def FuseAttention : ModulePass<"aotc-fuse-attention"> {
  let summary = "compute attention as one step, without its scores in memory";
}
def MergeElementwise : ModulePass<"aotc-merge-elementwise"> {
  let summary = "compute what reads the same elements in one step with several results";
}
def HalveWeights : ModulePass<"aotc-halve-weights"> {
  let summary = "store constant weights in 16 bits: all of them, or those that are exact in the type that the model had them in";
  let options = [Option<"precision", "precision", "std::string", "\"\"", "f16 or bf16: store all weights so that fit; f32: none in 16 bits">,
                 Option<"bfloat16", "bfloat16", "bool", "true", "whether kernels read the model's own weights of bfloat16">];
}
def SelectKernels : ModulePass<"aotc-select-kernels"> {
  let summary = "choose each kernel's algorithm and pack its weights";
  let options = [Option<"winograd", "winograd", "bool", "true", "use Winograd's algorithm where it is faster">,
                 Option<"widenBytes", "widen-bytes", "bool", "false", "give kernels of integers memory to widen bytes in, for processors that cannot multiply bytes">];
}
def ArrangeForGpu : ModulePass<"aotc-arrange-for-gpu"> {
  let summary = "choose each kernel's shader and lay its weights out for it";
}
def Bufferize : ModulePass<"aotc-bufferize"> {
  let summary = "turn tensors into buffers, a fresh one for each destination";
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::bufferization::BufferizationDialect"];
}
def ElideCopies : ModulePass<"aotc-elide-copies"> {
  let summary = "let producers write straight into the slices that they would be copied to";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}
def PlanArena : ModulePass<"aotc-plan-arena"> {
  let summary = "place every buffer in one arena";
  let options = [Option<"alignment", "alignment", "int64_t", "64", "of the buffers in bytes; up to 64, the smallest need less">];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

#endif
