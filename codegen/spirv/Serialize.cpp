// Expands, simplifies, widens and converts, in this order; then decorates and encodes. What is asked of a device is
// read off the finished module, which declares no more than it uses.
#include "codegen/spirv/Serialize.h"

#include "codegen/spirv/Contraction.h"
#include "codegen/spirv/ExactQuotients.h"
#include "codegen/spirv/ExpandMath.h"
#include "codegen/spirv/Halves.h"
#include "codegen/spirv/NarrowIntegers.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/GPUToSPIRV/GPUToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/MemRefToSPIRV/MemRefToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Conversion/VectorToSPIRV/VectorToSPIRV.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace aotc::codegen {

void loadShaderDialects(MLIRContext &context) {
  context.loadDialect<gpu::GPUDialect, math::MathDialect, memref::MemRefDialect, scf::SCFDialect, spirv::SPIRVDialect,
                      vector::VectorDialect>();
}

static bool readsHalves(gpu::GPUFuncOp function) {
  return llvm::any_of(function.getArgumentTypes(),
                      [](Type type) { return getElementTypeOrSelf(cast<MemRefType>(type).getElementType()).isF16(); });
}

// Vulkan 1.1, and what a shader may ask for beyond it: the binary declares only what it uses. Access by 16 bits would
// count for integers too, which could then not be computed with: without it they are parts of words.
static spirv::TargetEnvAttr targetEnvironment(gpu::GPUFuncOp function) {
  MLIRContext *context = function.getContext();
  SmallVector<spirv::Capability> capabilities = {
      spirv::Capability::Shader,  spirv::Capability::Int64,           spirv::Capability::Float64,
      spirv::Capability::Float16, spirv::Capability::GroupNonUniform, spirv::Capability::GroupNonUniformArithmetic};
  if (readsHalves(function))
    capabilities.push_back(spirv::Capability::StorageBuffer16BitAccess);
  static constexpr spirv::Extension extensions[] = {spirv::Extension::SPV_KHR_storage_buffer_storage_class,
                                                    spirv::Extension::SPV_KHR_16bit_storage};
  auto triple = spirv::VerCapExtAttr::get(spirv::Version::V_1_3, capabilities, extensions, context);
  return spirv::TargetEnvAttr::get(triple, spirv::getDefaultResourceLimits(context));
}

// What has no instruction of its own becomes arithmetic that has.
static LogicalResult expand(ModuleOp module) {
  roundToHalves(module);
  makeRoundedQuotientsExact(module);
  RewritePatternSet patterns(module.getContext());
  populatePolynomialApproximateErfPattern(patterns);
  populateExpandTanPattern(patterns);
  populateExpandSinhPattern(patterns);
  populateExpandCoshPattern(patterns);
  populateMathExpansions(patterns);
  return applyPatternsAndFoldGreedily(module, std::move(patterns));
}

static LogicalResult simplify(ModuleOp module) {
  PassManager passes(module.getContext());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createLoopInvariantCodeMotionPass());
  passes.addPass(createCSEPass());
  return passes.run(module);
}

static LogicalResult widenIntegers(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateNarrowIntegerPatterns(patterns);
  return applyPatternsAndFoldGreedily(module, std::move(patterns));
}

namespace {

// Upstream has no patterns for these.
template <class From, class To> struct ConvertUnary : OpConversionPattern<From> {
  using OpConversionPattern<From>::OpConversionPattern;
  using Adaptor = typename From::Adaptor;

  LogicalResult matchAndRewrite(From op, Adaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOpWithNewOp<To>(op, adaptor.getOperand());
    return success();
  }
};

} // namespace

static LogicalResult convert(ModuleOp module) {
  MLIRContext *context = module.getContext();
  auto kernels = *module.getOps<gpu::GPUModuleOp>().begin();
  spirv::TargetEnvAttr environment = targetEnvironment(*kernels.getOps<gpu::GPUFuncOp>().begin());
  module->setAttr(spirv::getTargetEnvAttrName(), environment);
  SPIRVTypeConverter types(environment);
  ScfToSPIRVContext loops;
  RewritePatternSet patterns(context);
  populateGPUToSPIRVPatterns(types, patterns);
  arith::populateArithToSPIRVPatterns(types, patterns);
  populateMathToSPIRVPatterns(types, patterns);
  populateMemRefToSPIRVPatterns(types, patterns);
  populateSCFToSPIRVPatterns(types, loops, patterns);
  populateNarrowIntegerConversions(types, patterns);
  populateVectorToSPIRVPatterns(types, patterns);
  patterns.add<ConvertUnary<math::AsinOp, spirv::GLAsinOp>, ConvertUnary<math::AcosOp, spirv::GLAcosOp>,
               ConvertUnary<math::AtanOp, spirv::GLAtanOp>>(types, context);
  std::unique_ptr<ConversionTarget> target = SPIRVConversionTarget::get(environment);
  return applyFullConversion(kernels, *target, std::move(patterns));
}

static std::vector<std::string> featuresOf(spirv::ModuleOp module) {
  std::vector<std::string> features;
  spirv::VerCapExtAttr triple = *module.getVceTriple();
  for (spirv::Capability capability : triple.getCapabilities())
    switch (capability) {
    case spirv::Capability::Int64:
      features.push_back("shaderInt64");
      break;
    case spirv::Capability::Float64:
      features.push_back("shaderFloat64");
      break;
    case spirv::Capability::Float16:
      features.push_back("shaderFloat16");
      break;
    case spirv::Capability::StorageBuffer16BitAccess:
      features.push_back("storageBuffer16BitAccess");
      break;
    case spirv::Capability::GroupNonUniformArithmetic:
      features.push_back("subgroupArithmetic");
      break;
    default:
      break;
    }
  return features;
}

static bool lists(ModuleOp module, StringRef name, uint32_t binding) {
  auto bindings = module->getAttrOfType<DenseI32ArrayAttr>(name);
  return bindings && llvm::is_contained(bindings.asArrayRef(), static_cast<int32_t>(binding));
}

// Without the decoration drivers may take each variable for the only one that sees its memory. A binding that is seen
// as several element types is as many variables.
static void markAliases(ModuleOp module, spirv::ModuleOp binary) {
  llvm::DenseMap<uint32_t, SmallVector<spirv::GlobalVariableOp>> variables;
  binary.walk([&](spirv::GlobalVariableOp variable) {
    if (std::optional<uint32_t> binding = variable.getBinding())
      variables[*binding].push_back(variable);
  });
  for (auto &[binding, seen] : variables)
    if (lists(module, overlappingBindingsAttrName, binding) ||
        (seen.size() > 1 && lists(module, writtenBindingsAttrName, binding)))
      for (spirv::GlobalVariableOp variable : seen)
        variable->setAttr("aliased", UnitAttr::get(module.getContext()));
}

FailureOr<SpirvBinary> serializeShader(ModuleOp module) {
  if (failed(expand(module)) || failed(simplify(module)) || failed(widenIntegers(module)) || failed(convert(module)))
    return failure();
  PassManager passes(module.getContext());
  OpPassManager &inner = passes.nest<spirv::ModuleOp>();
  inner.addPass(spirv::createSPIRVLowerABIAttributesPass());
  inner.addPass(spirv::createSPIRVUpdateVCEPass());
  if (failed(passes.run(module)))
    return failure();
  spirv::ModuleOp binary = *module.getOps<spirv::ModuleOp>().begin();
  markAliases(module, binary);
  llvm::SmallVector<uint32_t> words;
  if (failed(spirv::serialize(binary, words)))
    return failure();
  return SpirvBinary{forbidContraction(words), featuresOf(binary)};
}

} // namespace aotc::codegen
