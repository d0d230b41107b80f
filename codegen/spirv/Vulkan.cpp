// The steps are collected and named as for C++; the shaders are somebody else's; here both become files.
#include "codegen/spirv/Vulkan.h"

#include "codegen/cpp/CHeader.h"
#include "codegen/cpp/Lines.h"
#include "codegen/cpp/Names.h"
#include "codegen/cpp/Places.h"
#include "codegen/cpp/PlannedProgram.h"
#include "codegen/cpp/SourceFiles.h"
#include "codegen/cpp/Text.h"
#include "codegen/spirv/Bindings.h"
#include "codegen/spirv/HostHeader.h"
#include "codegen/spirv/HostSource.h"
#include "codegen/spirv/Levels.h"
#include "codegen/spirv/Records.h"
#include "codegen/spirv/ShaderFiles.h"
#include "ir/kern/Dialect.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace aotc::codegen {

//===-- what there is ---------------------------------------------------------------------------------------------===//

// The kernel of the device's steps is their shader, or several of them.
static void describeShaders(GeneratedCode &code, const GpuProgram &gpu, const HostFlow &flow) {
  for (size_t step = 0; step < code.steps.size(); ++step) {
    code.steps[step].hostReason = gpu.hostReasons[step];
    if (!gpu.hostReasons[step].empty())
      continue;
    auto [first, last] = dispatchesOf(gpu, step);
    llvm::SetVector<llvm::StringRef> names;
    for (size_t dispatch = first; dispatch < last; ++dispatch)
      names.insert(gpu.shaders[gpu.dispatches[dispatch].shader].identifier);
    code.steps[step].kernel = llvm::join(names, " + ");
  }
  code.model.hostSteps =
      static_cast<size_t>(llvm::count_if(gpu.hostReasons, [](const std::string &reason) { return !reason.empty(); }));
  code.gpu.emplace();
  code.gpu->shaders = gpu.shaders.size();
  code.gpu->dispatches = gpu.dispatches.size();
  code.gpu->features = gpu.features();
  code.gpu->barriers = barriersOf(gpu, flow);
}

static void printPlacesFile(llvm::raw_ostream &os, const ModelDescription &model, BufferTable &buffers) {
  os << titleLine(model.name + ": where everything lies.", model) << "#pragma once\n#include <cstddef>\n\nnamespace "
     << model.name << " {\n\n";
  printPlaces(os, model, buffers);
  os << "}  // namespace " << model.name << "\n";
}

//===-- the host's steps ------------------------------------------------------------------------------------------===//

// Whether the step was lowered for a shader so that no processor can compute it: weights are arranged, or scratch
// memory is missing.
static bool isForShaderOnly(Operation *step) {
  auto kernel = dyn_cast<kern::KernelOp>(step);
  return kernel && kernel->hasAttr(kern::onGpuAttrName) &&
         (isa<kern::Conv2DOp, kern::IntegerConv2DOp, kern::IntegerMatMulOp>(step) ||
          kernel.getScratchBytesPerThread() > 0);
}

// Fills in what the steps without a shader are as C++. The others stay empty.
static LogicalResult fillHostSteps(PlannedProgram &program, const GpuProgram &gpu, LayoutTable &layouts) {
  StepPrinter printer(program.buffers, layouts);
  for (auto [step, reason] : llvm::zip(program.steps, gpu.hostReasons)) {
    if (reason.empty())
      continue;
    if (isForShaderOnly(step.op))
      return step.op->emitError(reason) << ", and its weights lie as only a shader can read them";
    if (failed(printer.print(step)))
      return failure();
  }
  return success();
}

//===-- files -----------------------------------------------------------------------------------------------------===//

static void printFiles(PlannedProgram &program, const GpuProgram &gpu, const HostFlow &flow,
                       const LayoutTable &layouts) {
  GeneratedCode &code = *program.code;
  const ModelDescription &model = code.model;
  const std::string include = "include/" + model.name + "/" + model.name, source = "src/" + model.name;
  program.addFile(include + ".hpp", [&](auto &os) { printHostHeader(os, model); });
  program.addFile(include + ".h", [&](auto &os) { printCHeader(os, model); });
  program.addFile(source + "_places.hpp", [&](auto &os) { printPlacesFile(os, model, program.buffers); });
  program.addFile(source + ".cpp", [&](auto &os) { printHostSource(os, model, gpu, flow, program.buffers); });
  program.addFile(source + "_host.cpp", [&](auto &os) { printHostSteps(os, model, layouts, program.steps); });
  code.files[source + "_weights.S"] = code.weights.assembly(model.name, model.weightsMode == WeightsMode::Embed);
  code.files[source + "_shaders.S"] = shaderAssembly(model.name, gpu);
  for (const ShaderDescription &shader : gpu.shaders)
    code.binaries["shaders/" + shader.identifier + ".spv"] = shaderBytes(shader);
}

static GpuOptions gpuOptions(const ModelDescription &model, const CppOptions &options) {
  GpuOptions result;
  result.gpuOnly = options.gpuOnly;
  if (options.gpuProfile)
    result.profile = options.gpuProfile;
  for (const TensorDescription &input : model.inputs)
    result.inputOffsets.push_back(input.arenaOffsetBytes);
  return result;
}

static FailureOr<PlannedProgram> readProgram(ModuleOp module, const CppOptions &options) {
  // A step's constants are near each other, so that it can see several at one binding.
  constexpr uint64_t reach = mostBindingBytes / 2;
  FailureOr<PlannedProgram> program =
      PlannedProgram::read(module, options, WeightsFile(WeightsFile::bindingAlignmentBytes, reach));
  if (failed(program))
    return failure();
  program->code->model.isForGpu = true;
  assignNames(program->code->model); // anew: sessions have more members on a GPU
  if (failed(program->collect()))
    return failure();
  return program;
}

// With its steps in the order in which they wait least.
static FailureOr<PlannedProgram> readInOrder(ModuleOp module, const CppOptions &options) {
  FailureOr<PlannedProgram> program = readProgram(module, options);
  if (failed(program))
    return failure();
  FailureOr<bool> hasMoved = orderByLevels(program->steps, program->buffers, gpuOptions(program->code->model, options));
  if (failed(hasMoved))
    return failure();
  return *hasMoved ? readProgram(module, options) : std::move(program);
}

FailureOr<std::unique_ptr<GeneratedCode>> printVulkan(ModuleOp module, const CppOptions &options,
                                                      GpuProgramBuilder build) {
  FailureOr<PlannedProgram> program = readInOrder(module, options);
  if (failed(program))
    return failure();
  FailureOr<GpuProgram> gpu = build(program->steps, program->buffers, gpuOptions(program->code->model, options));
  if (failed(gpu))
    return failure();
  assert(gpu->firstDispatch.size() == program->steps.size() && "every step has its place among the dispatches");
  gpu->hostReasons.resize(program->steps.size());
  program->code->model.arenaAlignment = WeightsFile::bindingAlignmentBytes;
  LayoutTable layouts(takenNames(program->code->model));
  FailureOr<HostFlow> flow = splitIntoSubmissions(*program, *gpu);
  if (failed(flow) || failed(fillHostSteps(*program, *gpu, layouts)))
    return failure();
  program->describe();
  program->describeHeaders({"c_object", "element", "step", "tensor", "vulkan/session"});
  describeShaders(*program->code, *gpu, *flow);
  printFiles(*program, *gpu, *flow, layouts);
  return std::move(program->code);
}

} // namespace aotc::codegen
