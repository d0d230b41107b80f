#include "codegen/spirv/GpuProgram.h"

#include "codegen/spirv/Bindings.h"
#include "codegen/spirv/Halves.h"
#include "codegen/spirv/Serialize.h"
#include "codegen/spirv/kernels/Kernels.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace aotc::codegen {

// An op that moves or folds floats, and what else there is, in the one form that it has.
static LogicalResult buildStep(Shader &shader, Operation *step, BufferTable &buffers) {
  if (usesBFloat16(step))
    return step->emitError("bfloat16 has no GPU form yet");
  return llvm::TypeSwitch<Operation *, LogicalResult>(step)
      .Case([&](memref::CopyOp op) { return buildCopy(shader, op, buffers); })
      .Case([&](linalg::LinalgOp op) { return buildMap(shader, op, buffers); })
      .Case([&](kern::Conv2DOp op) {
        return op.getKind() == kern::ConvKind::Depthwise ? buildWindowConvolution(shader, op)
                                                         : buildConvolution(shader, op);
      })
      .Case([&](kern::MatMulOp op) { return buildMatMul(shader, op); })
      .Case([&](kern::IntegerMatMulOp op) { return buildIntegerMatMul(shader, op); })
      .Case([&](kern::IntegerConv2DOp op) { return buildIntegerConvolution(shader, op); })
      .Case<kern::MaxPool2DOp, kern::AveragePool2DOp>([&](auto op) { return buildPool(shader, op); })
      .Case([&](kern::ReduceOp op) { return buildReduce(shader, op); })
      .Case([&](kern::NormalizeOp op) { return buildNormalize(shader, op); })
      .Case([&](kern::SoftmaxOp op) { return buildSoftmax(shader, op); })
      .Case([&](kern::Resize2DOp op) { return buildResize(shader, op); })
      .Case([&](kern::GatherOp op) { return buildGather(shader, op); })
      .Case([&](kern::AttentionOp op) { return buildAttention(shader, op); })
      .Case([&](kern::CallOp op) { return buildRecurrence(shader, op); })
      .Default([](Operation *op) { return op->emitError("'") << op->getName() << "' has no GPU form yet"; });
}

namespace {

class ProgramBuilder {
public:
  ProgramBuilder(BufferTable &buffers, const GpuOptions &options)
      : buffers(buffers), binder(buffers, options), profile(*options.profile) {}

  FailureOr<GpuProgram> build(ArrayRef<PrintedStep> steps) {
    if (!steps.empty())
      loadShaderDialects(*steps.front().op->getContext());
    if (failed(binder.note(steps)))
      return failure();
    for (const PrintedStep &step : steps) {
      program.firstDispatch.push_back(program.dispatches.size());
      if (failed(add(step)))
        return failure();
    }
    placeBarriers();
    return std::move(program);
  }

private:
  LogicalResult add(const PrintedStep &step) {
    FailureOr<StepBindings> bindings = binder.bind(step.op);
    if (failed(bindings))
      return failure();
    Shader shader(step.op->getLoc(), *bindings, profile);
    if (failed(buildStep(shader, step.op, buffers)))
      return failure();
    FailureOr<SpirvBinary> binary = serializeShader(shader.module());
    if (failed(binary))
      return failure();
    program.dispatches.push_back({shaderOf(std::move(*binary), shader, step.description.identifier), shader.groups,
                                  std::move(bindings->bindings)});
    return success();
  }

  // Steps of the same shape on the same kind of data have the same words.
  size_t shaderOf(SpirvBinary &&binary, const Shader &shader, const std::string &identifier) {
    auto [found, isNew] = known.try_emplace(binary.words, program.shaders.size());
    if (isNew)
      program.shaders.push_back({identifier, std::move(binary.words), std::move(binary.features),
                                 static_cast<uint32_t>(shader.threads()), static_cast<uint32_t>(shader.sharedBytes())});
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
  Binder binder;
  const GpuProfile &profile;
  GpuProgram program;
  std::map<std::vector<uint32_t>, size_t> known;
};

} // namespace

FailureOr<GpuProgram> buildGpuProgram(ArrayRef<PrintedStep> steps, BufferTable &buffers, const GpuOptions &options) {
  return ProgramBuilder(buffers, options).build(steps);
}

} // namespace aotc::codegen
