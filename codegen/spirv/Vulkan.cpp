// The steps are collected and named as for C++; the shaders are somebody else's; here both become files.
#include "codegen/spirv/Vulkan.h"

#include "codegen/cpp/CHeader.h"
#include "codegen/cpp/Lines.h"
#include "codegen/cpp/Places.h"
#include "codegen/cpp/PlannedProgram.h"
#include "codegen/cpp/Text.h"
#include "codegen/spirv/HostHeader.h"
#include "codegen/spirv/HostSource.h"
#include "codegen/spirv/Levels.h"
#include "codegen/spirv/ShaderFiles.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace aotc::codegen {

//===-- what cannot be printed ------------------------------------------------------------------------------------===//

// The recorded commands are the same for every run.
static LogicalResult checkFlow(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) {
    if (!isa<scf::IfOp, scf::WhileOp>(op))
      return WalkResult::advance();
    op->emitError("--target vulkan takes no loops or branches that the run decides about yet");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult checkDims(func::FuncOp function, const ModelDescription &model) {
  if (model.boundedDims.empty())
    return success();
  return function.emitError("--target vulkan takes no bounded dims yet, found '")
         << model.boundedDims.front().onnxName << "': pin it by --input-dim";
}

//===-- what there is ---------------------------------------------------------------------------------------------===//

// A step's kernel is its shader, or several of them.
static void describeShaders(GeneratedCode &code, const GpuProgram &gpu) {
  for (size_t step = 0; step < code.steps.size(); ++step) {
    auto [first, last] = dispatchesOf(gpu, step);
    llvm::SetVector<llvm::StringRef> names;
    for (size_t dispatch = first; dispatch < last; ++dispatch)
      names.insert(gpu.shaders[gpu.dispatches[dispatch].shader].identifier);
    code.steps[step].kernel = llvm::join(names, " + ");
  }
  code.gpu.emplace();
  code.gpu->shaders = gpu.shaders.size();
  code.gpu->dispatches = gpu.dispatches.size();
  code.gpu->barriers =
      static_cast<size_t>(llvm::count_if(gpu.dispatches, [](const DispatchDescription &d) { return d.waits; }));
}

static void printPlacesFile(llvm::raw_ostream &os, const ModelDescription &model, BufferTable &buffers) {
  os << titleLine(model.name + ": where everything lies.", model) << "#pragma once\n#include <cstddef>\n\nnamespace "
     << model.name << " {\n\n";
  printPlaces(os, model, buffers);
  os << "}  // namespace " << model.name << "\n";
}

static void printFiles(PlannedProgram &program, const GpuProgram &gpu) {
  GeneratedCode &code = *program.code;
  const ModelDescription &model = code.model;
  const std::string include = "include/" + model.name + "/" + model.name, source = "src/" + model.name;
  program.addFile(include + ".hpp", [&](auto &os) { printHostHeader(os, model); });
  program.addFile(include + ".h", [&](auto &os) { printCHeader(os, model); });
  program.addFile(source + "_places.hpp", [&](auto &os) { printPlacesFile(os, model, program.buffers); });
  program.addFile(source + ".cpp", [&](auto &os) { printHostSource(os, model, gpu, program.buffers); });
  code.files[source + "_weights.S"] = code.weights.assembly(model.name);
  code.files[source + "_shaders.S"] = shaderAssembly(model.name, gpu);
  for (const ShaderDescription &shader : gpu.shaders)
    code.binaries["shaders/" + shader.identifier + ".spv"] = shaderBytes(shader);
  code.shippedHeaders = {"aotc/c_object.hpp", "aotc/element.hpp", "aotc/tensor.hpp", "aotc/vulkan/session.hpp"};
}

static GpuOptions gpuOptions(const ModelDescription &model, const GpuProfile *profile) {
  GpuOptions options;
  if (profile)
    options.profile = profile;
  for (const TensorDescription &input : model.inputs)
    options.inputOffsets.push_back(input.arenaOffsetBytes);
  return options;
}

static FailureOr<PlannedProgram> readProgram(ModuleOp module, const CppOptions &options) {
  FailureOr<PlannedProgram> program =
      PlannedProgram::read(module, options, WeightsFile(WeightsFile::bindingAlignmentBytes));
  if (failed(program) || failed(checkFlow(program->function)) ||
      failed(checkDims(program->function, program->code->model)) || failed(program->collect()))
    return failure();
  return program;
}

// With its steps in the order in which they wait least.
static FailureOr<PlannedProgram> readInOrder(ModuleOp module, const CppOptions &options) {
  FailureOr<PlannedProgram> program = readProgram(module, options);
  if (failed(program))
    return failure();
  FailureOr<bool> hasMoved =
      orderByLevels(program->steps, program->buffers, gpuOptions(program->code->model, options.gpuProfile));
  if (failed(hasMoved))
    return failure();
  return *hasMoved ? readProgram(module, options) : std::move(program);
}

FailureOr<std::unique_ptr<GeneratedCode>> printVulkan(ModuleOp module, const CppOptions &options,
                                                      GpuProgramBuilder build) {
  FailureOr<PlannedProgram> program = readInOrder(module, options);
  if (failed(program))
    return failure();
  FailureOr<GpuProgram> gpu =
      build(program->steps, program->buffers, gpuOptions(program->code->model, options.gpuProfile));
  if (failed(gpu))
    return failure();
  assert(gpu->firstDispatch.size() == program->steps.size() && "every step has its place among the dispatches");
  program->code->model.isForGpu = true;
  program->code->model.arenaAlignment = WeightsFile::bindingAlignmentBytes;
  program->describe();
  describeShaders(*program->code, *gpu);
  printFiles(*program, *gpu);
  return std::move(program->code);
}

} // namespace aotc::codegen
