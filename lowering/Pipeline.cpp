// The order of everything. Each line says why it stands where it does.
#include "lowering/Pipeline.h"

#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "lowering/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace aotc {

void registerDialects(DialectRegistry &registry) {
  registry.insert<nn::NNDialect, kern::KERNDialect, arith::ArithDialect, bufferization::BufferizationDialect,
                  func::FuncDialect, linalg::LinalgDialect, math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  tensor::TensorDialect>();
  kern::registerBufferization(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
}

// What is quantized in the model becomes ops on integers, and everything else f32.
static void addIntegerPasses(OpPassManager &passes) {
  passes.addPass(createSimplify());            // what exporters leave behind would hide patterns from the passes below
  passes.addPass(createKeepBytes());           // brings conversions next to what the next two passes look for
  passes.addPass(createIntegerConvolutions()); // before anything turns the integers' real values into weights
  passes.addPass(createIntegerSums());
  passes.addPass(createIntegerProducts());
  passes.addPass(createByteRecurrences());
  passes.addPass(createDequantizeConstants());
}

void addFloatPasses(OpPassManager &passes) {
  addIntegerPasses(passes); // what is quantized already stays so
  passes.addPass(createRecognizeNormalization());
  passes.addPass(createFoldScales()); // batch normalization would be a tensor of its own to quantize
  passes.addPass(createSimplify());   // what was folded away is no layer
}

void addGraphPasses(OpPassManager &passes) {
  addIntegerPasses(passes);
  passes.addPass(createRecognizeNormalization()); // before scales are folded: they are part of what is written out
  passes.addPass(createFoldScales());             // before layout: scales then have ONNX's shapes [C, 1, 1]
  passes.addPass(createJoinProducts());           // on slices that simplification made of gathers
  passes.addPass(createDistributeConcats());      // before layout, which would move transposes between the parts
  passes.addPass(createSimplify());               // what was computed on the whole
  passes.addPass(createChannelsLast());           // after recognition, which speaks of ONNX's axes
  passes.addPass(createSimplify());               // constants that layout reordered
  passes.addPass(createCSEPass());                // two readers of one image asked for its transpose each
}

void addKernelPasses(OpPassManager &passes, const KernelOptions &options) {
  passes.addPass(createConvertNN());
  passes.addPass(createCSEPass());            // what the conversion left without readers would count as a use
  passes.addPass(createFuseDequantization()); // before it could become the end of the step in front
  passes.addPass(createFuseElementwise());    // on tensors, where every use of a value is known
  passes.addPass(createFuseAttention());      // once scaling and masks are epilogues of the scores
  passes.addPass(createCSEPass());            // slices of one tensor, of which each reader has its own
  passes.addPass(createMergeElementwise());   // after all that can end a kernel does
  passes.addPass(createHalveWeights(
      {options.precision, !options.hasShader})); // before packing, which keeps the type that it finds
  if (options.hasShader)
    passes.addPass(createArrangeForGpu(options.hasShader)); // leaves the rest to the next
  // After fusion: the choice depends on what a kernel ends with.
  passes.addPass(createSelectKernels({options.useWinograd, options.widenBytes}));
  passes.addPass(createCSEPass()); // weights as they were before packing
}

void addPlanPasses(OpPassManager &passes, int64_t bufferAlignment) {
  passes.addPass(createBufferize());
  passes.addPass(createElideCopies());                // on memrefs: a concat's operands are then known to be buffers
  passes.addPass(createPlanArena({bufferAlignment})); // last: nothing moves once it has an offset
}

} // namespace aotc
