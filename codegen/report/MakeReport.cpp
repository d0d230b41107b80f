// Joins what the description, the steps and the buffers of a program say.
#include "codegen/report/MakeReport.h"

#include "codegen/cpp/Text.h"

#include "llvm/ADT/STLExtras.h"

namespace aotc::codegen {

static std::vector<ReportTensor> tensorsOf(const ModelDescription &model,
                                           const std::vector<TensorDescription> &tensors) {
  std::vector<ReportTensor> result;
  for (const TensorDescription &tensor : tensors) {
    ReportTensor &item = result.emplace_back();
    item.name = tensor.identifier;
    item.onnxName = tensor.onnxName;
    item.type = elementText(tensor.element).comment;
    for (const Dim &dim : tensor.shape)
      item.shape.push_back(dim.boundedDim < 0 ? std::to_string(dim.extent)
                                              : model.boundedDims[static_cast<size_t>(dim.boundedDim)].identifier);
  }
  return result;
}

static std::vector<ReportStep> stepsOf(const GeneratedCode &code) {
  std::vector<ReportStep> result;
  for (const auto &[description, fact] : llvm::zip(code.model.steps, code.steps)) {
    ReportStep &step = result.emplace_back();
    step.name = description.identifier;
    for (const NodeFact &node : fact.nodes)
      step.nodes.push_back({node.name, node.op});
    step.kernel = fact.kernel;
    step.shapes = description.shapes;
    step.macs = description.macs;
    step.weights = fact.weights;
    step.hostReason = fact.hostReason;
  }
  return result;
}

/// Inputs are alive from before the first step, outputs up to the last.
static std::vector<ReportBuffer> buffersOf(const GeneratedCode &code) {
  std::vector<ReportBuffer> result;
  for (const BufferFact &fact : code.buffers) {
    ReportBuffer buffer{fact.identifier, fact.shape, fact.offsetBytes, fact.bytes, fact.firstStep, fact.lastStep};
    if (fact.kind == BufferFact::Kind::Input) {
      const auto input = llvm::find_if(
          code.model.inputs, [&](const TensorDescription &tensor) { return tensor.identifier == fact.identifier; });
      if (input == code.model.inputs.end() || !input->arenaOffsetBytes)
        continue;
      buffer.offsetBytes = *input->arenaOffsetBytes;
      buffer.firstStep = -1;
    } else if (fact.kind == BufferFact::Kind::Output) {
      buffer.lastStep = static_cast<int>(code.model.steps.size()) - 1;
    }
    result.push_back(std::move(buffer));
  }
  return result;
}

Report makeReport(const GeneratedCode &code, llvm::StringRef target) {
  const ModelDescription &model = code.model;
  Report report;
  report.toolVersion = model.toolVersion;
  report.model = model.name;
  report.summary = model.summary;
  report.target = target.str();
  for (const Level &level : model.levels)
    report.levels.push_back(level.name);
  report.maxThreads = model.maxThreads;
  report.macs = model.macs();
  report.weightsBytes = model.weightsBytes;
  report.arenaBytes = model.arenaBytes;
  report.arenaBytesPerThread = model.arenaBytesPerThread;
  report.inputs = tensorsOf(model, model.inputs);
  report.outputs = tensorsOf(model, model.outputs);
  for (const BoundedDim &dim : model.boundedDims)
    report.dims.push_back({dim.identifier, dim.minimum, dim.maximum});
  report.steps = stepsOf(code);
  report.buffers = buffersOf(code);
  report.peakBytes = peakOf(report.buffers);
  report.lowerBoundBytes = model.lowerBoundBytes;
  if (code.gpu)
    report.gpu = {code.gpu->shaders, code.gpu->dispatches, code.gpu->barriers, code.gpu->features};
  return report;
}

} // namespace aotc::codegen
