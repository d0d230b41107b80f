// What has no shader is found before anything is built, as far as it can be; then each step is bound, built, and looked
// up among those that are there. Barriers come last.
#include "codegen/spirv/GpuProgram.h"

#include "codegen/spirv/Bindings.h"
#include "codegen/spirv/ElementForms.h"
#include "codegen/spirv/ErrorOf.h"
#include "codegen/spirv/Halves.h"
#include "codegen/spirv/Serialize.h"
#include "codegen/spirv/kernels/Kernels.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace aotc::codegen {

using StepBuilder = LogicalResult (*)(Shader &shader, Operation *step, BufferTable &buffers);

template <LogicalResult (*build)(Shader &, Operation *)>
static LogicalResult ignoreBuffers(Shader &shader, Operation *step, BufferTable &) {
  return build(shader, step);
}

// Null where there is none.
static StepBuilder builderOf(Operation *step) {
  return llvm::TypeSwitch<Operation *, StepBuilder>(step)
      .Case<memref::CopyOp>([](auto) -> StepBuilder {
        return [](Shader &s, Operation *op, BufferTable &b) { return buildCopy(s, cast<memref::CopyOp>(op), b); };
      })
      .Case<linalg::LinalgOp>([](auto) -> StepBuilder {
        return [](Shader &s, Operation *op, BufferTable &b) { return buildMap(s, cast<linalg::LinalgOp>(op), b); };
      })
      .Case([](kern::Conv2DOp op) {
        return op.getKind() == kern::ConvKind::Depthwise ? ignoreBuffers<buildWindowConvolution>
                                                         : ignoreBuffers<buildConvolution>;
      })
      .Case<kern::MatMulOp>([](auto) { return ignoreBuffers<buildMatMul>; })
      .Case<kern::IntegerMatMulOp>([](auto) { return ignoreBuffers<buildIntegerMatMul>; })
      .Case<kern::IntegerConv2DOp>([](auto) { return ignoreBuffers<buildIntegerConvolution>; })
      .Case<kern::MaxPool2DOp, kern::AveragePool2DOp>([](auto) { return ignoreBuffers<buildPool>; })
      .Case<kern::ReduceOp>([](auto) { return ignoreBuffers<buildReduce>; })
      .Case<kern::NormalizeOp>([](auto) { return ignoreBuffers<buildNormalize>; })
      .Case<kern::SoftmaxOp>([](auto) { return ignoreBuffers<buildSoftmax>; })
      .Case<kern::Resize2DOp>([](auto) { return ignoreBuffers<buildResize>; })
      .Case<kern::GatherOp>([](auto) { return ignoreBuffers<buildGather>; })
      .Case<kern::AttentionOp>([](auto) { return ignoreBuffers<buildAttention>; })
      .Case([](kern::CallOp op) -> StepBuilder {
        if (isRecurrence(op))
          return ignoreBuffers<buildRecurrence>;
        if (isIntegerMaxPool(op))
          return ignoreBuffers<buildIntegerMaxPool>;
        return isDynamicScale(op) ? ignoreBuffers<buildDynamicScale> : nullptr;
      })
      .Default([](Operation *) { return StepBuilder(nullptr); });
}

// Whether there is no result to compute.
static bool isEmpty(Operation *step, const StepBindings &bindings) {
  return llvm::all_of(bindings.operands, [&](const auto &entry) {
    return !isWritten(step, entry.first) || llvm::is_contained(entry.second.sizes, 0);
  });
}

// Whether a shader can see every operand whole.
static bool fitsBindings(Operation *step) {
  return llvm::all_of(step->getOperands(), [&](Value operand) {
    auto shaped = dyn_cast<ShapedType>(operand.getType());
    if (!shaped || !shaped.hasStaticShape())
      return true;
    const uint64_t bytes = llvm::divideCeil(shaped.getElementTypeBitWidth(), 8);
    const uint64_t most = isWritten(step, operand) ? mostBindingBytes : mostReadBytes(step);
    return static_cast<uint64_t>(shaped.getNumElements()) <= most / bytes;
  });
}

// What a reader of the model calls the step.
static std::string kindOf(Operation *step) {
  if (auto call = dyn_cast<kern::CallOp>(step))
    return call.getFunction().str();
  return step->getName().getStringRef().str();
}

// Why steps of this kind have no shader; empty where they have one.
static std::string whyNoShader(Operation *step) {
  if (!builderOf(step))
    return "'" + kindOf(step) + "' has no GPU form yet";
  if (StringRef missing = missingForm(step); !missing.empty())
    return ("has no GPU form for " + missing).str();
  return fitsBindings(step) ? "" : tooLargeText.str();
}

bool hasShader(Operation *step) { return whyNoShader(step).empty(); }

std::vector<std::string> GpuProgram::features() const {
  llvm::SetVector<StringRef> all;
  for (const ShaderDescription &shader : shaders)
    all.insert(shader.features.begin(), shader.features.end());
  return {all.begin(), all.end()};
}

bool GpuProgram::hasHostSteps() const {
  return llvm::any_of(hostReasons, [](const std::string &reason) { return !reason.empty(); });
}

namespace {

class ProgramBuilder {
public:
  ProgramBuilder(BufferTable &buffers, const GpuOptions &options)
      : buffers(buffers), options(options), binder(buffers, options) {}

  FailureOr<GpuProgram> build(ArrayRef<PrintedStep> steps) {
    if (steps.empty())
      return std::move(program);
    MLIRContext *context = steps.front().op->getContext();
    loadShaderDialects(*context);
    for (const PrintedStep &step : steps)
      program.hostReasons.push_back(errorOf(context, [&] { return note(step.op); }));
    for (auto [step, reason] : llvm::zip(steps, program.hostReasons)) {
      program.firstDispatch.push_back(program.dispatches.size());
      if (reason.empty())
        reason = errorOf(context, [&] { return add(step); });
    }
    if (options.gpuOnly && failed(refuseHostSteps(steps)))
      return failure();
    placeBarriers();
    return std::move(program);
  }

private:
  // What is known before anything is built.
  LogicalResult note(Operation *step) {
    if (std::string reason = whyNoShader(step); !reason.empty())
      return step->emitError(reason);
    return binder.note(step);
  }

  LogicalResult refuseHostSteps(ArrayRef<PrintedStep> steps) {
    for (auto [step, reason] : llvm::zip(steps, program.hostReasons))
      if (!reason.empty())
        step.op->emitError(reason);
    return failure(program.hasHostSteps());
  }

  LogicalResult add(const PrintedStep &step) {
    FailureOr<StepBindings> bindings = binder.bind(step.op);
    if (failed(bindings))
      return failure();
    if (isEmpty(step.op, *bindings))
      return success();
    Shader shader(step.op->getLoc(), *bindings, *options.profile);
    if (failed(builderOf(step.op)(shader, step.op, buffers)))
      return failure();
    FailureOr<size_t> index = shaderOf(shader, step);
    if (failed(index))
      return failure();
    program.dispatches.push_back({*index, shader.groups, std::move(bindings->bindings)});
    return success();
  }

  // Steps of the same shape on the same kind of data are built the same; that is found before the conversion, which
  // takes most of the time.
  FailureOr<size_t> shaderOf(Shader &shader, const PrintedStep &step) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    shader.module().print(stream);
    if (auto found = shaderOfText.find(text); found != shaderOfText.end())
      return found->second;
    FailureOr<SpirvBinary> binary = failure();
    const std::string mistake =
        errorOf(step.op->getContext(), [&] { return LogicalResult(binary = serializeShader(shader.module())); });
    if (failed(binary)) // the processor can compute it, and the reader of the warning can tell us
      return step.op->emitError("its shader cannot be made, which is a mistake in aotc: ") << mistake;
    auto [found, isNew] = shaderOfWords.try_emplace(binary->words, program.shaders.size());
    if (isNew)
      program.shaders.push_back({step.description.identifier, std::move(binary->words), std::move(binary->features),
                                 static_cast<uint32_t>(shader.threads()), static_cast<uint32_t>(shader.sharedBytes())});
    shaderOfText[text] = found->second;
    return found->second;
  }

  // As few as the order of the steps allows: one is needed where a dispatch uses what one behind the last barrier
  // wrote, or writes what that used.
  void placeBarriers() {
    size_t first = 0;
    for (size_t i = 0; i < program.dispatches.size(); ++i) {
      DispatchDescription &dispatch = program.dispatches[i];
      ArrayRef<DispatchDescription> open(program.dispatches.data() + first, i - first);
      dispatch.waits = llvm::any_of(open, [&](const auto &earlier) { return conflict(earlier, dispatch); });
      first = dispatch.waits ? i : first;
    }
  }

  BufferTable &buffers;
  const GpuOptions &options;
  Binder binder;
  GpuProgram program;
  llvm::StringMap<size_t> shaderOfText;
  std::map<std::vector<uint32_t>, size_t> shaderOfWords;
};

} // namespace

FailureOr<GpuProgram> buildGpuProgram(ArrayRef<PrintedStep> steps, BufferTable &buffers, const GpuOptions &options) {
  return ProgramBuilder(buffers, options).build(steps);
}

} // namespace aotc::codegen
