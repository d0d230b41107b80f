// Prints the headers and the session of a made-up model that has everything unusual at once, with embedded weights and
// with a weights file. What is printed is compiled into the tests of this folder.
#include "codegen/cpp/ApiHeader.h"
#include "codegen/cpp/CHeader.h"
#include "codegen/cpp/Names.h"
#include "codegen/cpp/SessionSource.h"

#include "llvm/Support/FileSystem.h"

using namespace aotc::codegen;

static TensorDescription tensor(const char *onnxName, ElementType element, std::vector<Dim> shape,
                                std::optional<uint64_t> arenaOffsetBytes) {
  TensorDescription result;
  result.onnxName = onnxName;
  result.element = element;
  result.shape = std::move(shape);
  result.arenaOffsetBytes = arenaOffsetBytes;
  return result;
}

static BoundedDim dim(const char *onnxName, int64_t minimum, int64_t maximum, BoundedDim::Source source,
                      const char *expression = "") {
  BoundedDim result;
  result.onnxName = onnxName;
  result.minimum = minimum;
  result.maximum = maximum;
  result.source = source;
  result.expression = expression;
  return result;
}

static ModelDescription sample(const char *name, WeightsMode mode) {
  ModelDescription model;
  model.name = name;
  model.toolVersion = "0.1.0";
  model.summary = "a model for tests, \"quoted\"";
  model.boundedDims = {dim("batch", 1, 8, BoundedDim::Source::Caller),
                       dim("half", 1, 4, BoundedDim::Source::Derived, "(extents[0] + 1) / 2"),
                       dim("found", 0, 100, BoundedDim::Source::Run)};
  model.inputs = {tensor("int", ElementType::F32, {{8, 0}, {4}}, 0), tensor("class", ElementType::Bool, {}, 128),
                  tensor("X", ElementType::F16, {{4}}, std::nullopt),
                  tensor("scale", ElementType::F32, {{4}}, std::nullopt)};
  model.inputs[3].defaultOffsetBytes = 64;
  model.outputs = {tensor("run", ElementType::F32, {{8, 0}, {4}}, 256), tensor("int", ElementType::I64, {}, 192),
                   tensor("1st.out/0:0", ElementType::I32, {{100, 2}}, std::nullopt),
                   tensor("half", ElementType::F32, {{4, 1}}, 512)};
  model.arenaBytes = 1024;
  model.arenaBytesPerThread = 64;
  model.lowerBoundBytes = 900;
  model.weightsBytes = 128;
  model.weightsHash = std::string(64, 'b');
  model.weightsMode = mode;
  model.maxThreads = 4;
  model.levels = {{"test", {}}};
  model.steps = {{"scale", "Mul \"scale*/\" \\", 32, "[batch,4] -> [batch,4]"}, {"count", "NonZero", 0, ""}};
  assignNames(model);
  return model;
}

// Nothing to feed, nothing to choose, no weights.
static ModelDescription constant() {
  ModelDescription model;
  model.name = "constant";
  model.toolVersion = "0.1.0";
  model.summary = "a constant";
  model.outputs = {tensor("y", ElementType::F64, {{2}, {0}}, 0)};
  model.arenaBytes = 64;
  model.maxThreads = 1;
  model.levels = {{"test", {}}};
  assignNames(model);
  return model;
}

static bool write(const llvm::Twine &path, llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::error_code error;
  llvm::raw_fd_ostream os(path.str(), error);
  if (!error)
    print(os);
  return !error;
}

static void printSteps(llvm::raw_ostream &os, const ModelDescription &model) {
  for (size_t index = 0; index < model.steps.size(); ++index) {
    printStepComment(os, model, index, 2);
    os << "  pool.run(steps[" << index << "], frame);\n";
  }
}

static bool writeModel(const ModelDescription &model, const std::string &folder) {
  const std::string include = folder + "/" + model.name;
  return !llvm::sys::fs::create_directories(include) &&
         write(include + "/" + model.name + ".hpp", [&](auto &os) { printApiHeader(os, model); }) &&
         write(include + "/" + model.name + ".h", [&](auto &os) { printCHeader(os, model); }) &&
         write(folder + "/" + model.name + ".cpp",
               [&](auto &os) { printSessionSource(os, model, [&](auto &body) { printSteps(body, model); }); }) &&
         (model.weightsMode == WeightsMode::Embed ||
          write(folder + "/" + model.name + "_header.bin", [&](auto &os) { os << weightsFileHeader(model); }));
}

int main(int argc, char **argv) {
  return argc == 2 && writeModel(sample("embedded", WeightsMode::Embed), argv[1]) &&
                 writeModel(sample("filed", WeightsMode::File), argv[1]) && writeModel(constant(), argv[1])
             ? 0
             : 1;
}
