// In the order in which headers have them.
#include "codegen/cpp/ApiParts.h"

#include "codegen/cpp/ApiHeader.h"
#include "codegen/cpp/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace aotc::codegen {

using llvm::raw_ostream;
using llvm::StringRef;

bool hasWeightsFile(const ModelDescription &model) {
  return model.weightsMode == WeightsMode::File && model.weightsBytes > 0;
}

//===-- what the model is -----------------------------------------------------------------------------------------===//

std::string padded(StringRef text, size_t width) {
  return text.str() + std::string(text.size() < width ? width - text.size() : 0, ' ');
}

static std::string typeAndShape(const ModelDescription &model, const TensorDescription &tensor) {
  return std::string(elementText(tensor.element).comment) + " " + shapeText(model, tensor);
}

static void printTensorFacts(raw_ostream &os, const ModelDescription &model, StringRef prefix) {
  size_t nameWidth = 0, typeWidth = 0;
  for (const auto *tensors : {&model.inputs, &model.outputs, &model.states})
    for (const TensorDescription &tensor : *tensors) {
      nameWidth = std::max(nameWidth, tensor.identifier.size());
      typeWidth = std::max(typeWidth, typeAndShape(model, tensor).size());
    }
  for (const auto *tensors : {&model.inputs, &model.outputs, &model.states})
    for (const TensorDescription &tensor : *tensors) {
      const bool isInput = tensors == &model.inputs;
      os << prefix << "   "
         << (isInput                    ? "input   "
             : tensors == &model.states ? "state   "
                                        : "output  ")
         << padded(tensor.identifier, nameWidth) << "  " << padded(typeAndShape(model, tensor), typeWidth)
         << "  ONNX name \"" << commentText(tensor.onnxName) << "\"";
      if (isInput && tensor.defaultOffsetBytes)
        os << ", has a default";
      else if (!tensor.arenaOffsetBytes)
        os << ", to be bound";
      os << "\n";
    }
}

static StringRef sourceText(const BoundedDim &dim) {
  switch (dim.source) {
  case BoundedDim::Source::Caller:
    return "set before run()";
  case BoundedDim::Source::Derived:
    return "follows from the others";
  case BoundedDim::Source::Run:
    return "found by run()";
  }
  return "";
}

static std::string arenaText(const ModelDescription &model) {
  std::string text = "arena " + groupDigits(model.arenaBytes) + " bytes";
  if (model.arenaBytesPerThread)
    text += " + " + groupDigits(model.arenaBytesPerThread) + " for each thread after the first";
  if (model.lowerBoundBytes)
    text += " (live at its widest step: " + groupDigits(model.lowerBoundBytes) + ")";
  return text;
}

void printFacts(raw_ostream &os, const ModelDescription &model, StringRef prefix) {
  printTensorFacts(os, model, prefix);
  for (const BoundedDim &dim : model.boundedDims)
    os << prefix << "   " << dim.identifier << " = " << boundsText(dim) << ", " << sourceText(dim) << "\n";
  os << prefix << "   " << arenaText(model);
  if (model.weightsBytes)
    os << "   weights " << groupDigits(model.weightsBytes) << " bytes"
       << (hasWeightsFile(model) ? ", in a file" : ", embedded");
  if (const std::string macs = macsText(model.macs()); !macs.empty())
    os << "   " << macs;
  os << "\n";
}

void printFirstRun(raw_ostream &os, const ModelDescription &model) {
  for (const TensorDescription &input : model.inputs)
    if (input.arenaOffsetBytes)
      os << "//   fill(session." << input.identifier << "());\n";
    else if (!input.defaultOffsetBytes)
      os << "//   bound = session.bind_" << input.identifier << "(" << input.identifier << ");\n";
  os << "//   if (session.run() == aotc::Status::ok)";
  if (!model.outputs.empty())
    os << " use(session." << model.outputs.front().identifier << "())";
  os << ";\n";
}

//===-- constants and types ---------------------------------------------------------------------------------------===//

static std::string viewType(const TensorDescription &tensor) {
  std::string type = isBounded(tensor) ? "aotc::BoundedTensor<" : "aotc::Tensor<";
  type += elementText(tensor.element).cpp;
  if (isBounded(tensor))
    return type + ", " + std::to_string(tensor.shape.size()) + ">";
  for (const Dim &dim : tensor.shape)
    type += ", " + std::to_string(dim.extent);
  return type + ">";
}

void printTypes(raw_ostream &os, const ModelDescription &model) {
  for (const auto *tensors : {&model.inputs, &model.outputs, &model.states})
    for (const TensorDescription &tensor : *tensors)
      os << "using " << tensor.typeIdentifier << " = " << viewType(tensor) << ";"
         << (isBounded(tensor) ? "  // " + shapeText(model, tensor) : "") << "\n";
  os << "using SessionOptions = aotc::SessionOptions;\n\n";
}

void printClasses(raw_ostream &os, const ModelDescription &model) {
  for (const TensorDescription &tensor : model.outputs) {
    if (tensor.classes.empty())
      continue;
    bool isNumber = tensor.classesAreText && tensor.element == ElementType::I64;
    os << "// " << (isNumber ? "What the numbers of `" : "The classes that the columns of `") << tensor.identifier
       << (isNumber ? "` stand for.\n" : "` belong to.\n") << "constexpr "
       << (tensor.classesAreText ? "const char* " : "std::int64_t ") << tensor.identifier << "_classes[] = {\n    "
       << llvm::join(tensor.classes, ",\n    ") << "};\n\n";
  }
}

void printInterfaceVersion(raw_ostream &os, const ModelDescription &model) {
  os << "// Names, types and shapes for programs that learn them at run time.\n"
        "const aotc::ModelInfo& info() noexcept;\n\n"
        "// Stands for everything declared here; a library made from other generated code has another number.\n"
     << "constexpr std::uint32_t interface_version = 0x" << llvm::utohexstr(interfaceHash(model), true, 8) << ";\n\n";
}

//===-- members of Session ----------------------------------------------------------------------------------------===//

void printDimSetters(raw_ostream &os, const ModelDescription &model) {
  for (const auto &[index, dim] : llvm::enumerate(model.boundedDims)) {
    if (dim.source != BoundedDim::Source::Caller)
      continue;
    os << "  // The extent of `" << dim.identifier << "` from now on, " << dim.minimum << " to " << dim.maximum
       << "; starts as " << dim.maximum
       << ".\n  // To be set before inputs are written: it decides how dense they lie.\n"
       << "  aotc::Status set_" << dim.identifier << "(std::int64_t extent) noexcept { return state_.set_dim(" << index
       << ", extent); }\n\n";
  }
}

void printSetDim(raw_ostream &os, const ModelDescription &model) {
  if (!model.boundedDims.empty())
    os << "  aotc::Status set_dim(int index, std::int64_t extent) noexcept { return state_.set_dim(index, extent); }\n";
}

void printAccessor(raw_ostream &os, const TensorDescription &tensor, StringRef kind, size_t index, bool isConst) {
  os << "  " << tensor.typeIdentifier << " " << tensor.identifier << "() " << (isConst ? "const " : "")
     << "noexcept { return ";
  const char *type = elementText(tensor.element).cpp;
  if (isBounded(tensor))
    os << "state_." << kind << "_view<" << type << ", " << tensor.shape.size() << ">(" << index << ")";
  else
    os << "{static_cast<" << type << "*>(state_." << kind << "(" << index << "))}";
  os << "; }\n";
}

void printBinding(raw_ostream &os, const TensorDescription &tensor, StringRef kind, size_t index) {
  os << "  aotc::Status bind_" << tensor.identifier << "(" << (kind == "input" ? "const " : "")
     << elementText(tensor.element).cpp << "* buffer) noexcept { return state_.bind_" << kind << "(" << index
     << ", buffer); }\n\n";
}

void printStates(raw_ostream &os, const ModelDescription &model) {
  if (model.states.empty())
    return;
  os << "  // What each run() leaves for the next one is zero at the start, and again after this.\n"
        "  void reset() noexcept { state_.reset(); }\n";
  for (const auto &[index, state] : llvm::enumerate(model.states)) {
    os << "  // Kept from run to run. May be read and written in between: to start from other values, or to keep "
          "them.\n";
    if (model.isForGpu)
      os << "  // Fetched from the device: to be called again after each run().\n";
    printAccessor(os, state, "state", index, !model.isForGpu);
  }
  os << "  void* state(int index) " << (model.isForGpu ? "" : "const ") << "noexcept { return state_.state(index); }\n";
  os << "\n";
}

} // namespace aotc::codegen
