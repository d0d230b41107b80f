// A value is checked against what the model declares, and then stored as exporters store initializers: raw bytes.
#include "frontend/onnx/InputValues.h"

#include "frontend/onnx/ElementType.h"
#include "frontend/onnx/NpyFile.h"
#include "frontend/onnx/TensorData.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace aotc::frontend;
using llvm::StringRef;
using llvm::Twine;

namespace {

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : ",") + std::to_string(extent);
  return "[" + text + "]";
}

std::string shapeText(const onnx::TensorShapeProto &shape) {
  std::string text;
  for (const onnx::TensorShapeProto_Dimension &dim : shape.dim())
    text += (text.empty() ? "" : ",") + (dim.has_dim_value() ? std::to_string(dim.dim_value()) : "?");
  return "[" + text + "]";
}

bool fits(llvm::ArrayRef<int64_t> found, const onnx::TensorShapeProto &declared) {
  return static_cast<int>(found.size()) == declared.dim_size() &&
         llvm::all_of_zip(found, declared.dim(), [](int64_t extent, const onnx::TensorShapeProto_Dimension &dim) {
           return !dim.has_dim_value() || dim.dim_value() < 0 || dim.dim_value() == extent;
         });
}

/// What is wrong with the array as a value of an input of that type; empty where nothing is.
std::string fault(const NpyArray &array, const onnx::TypeProto_Tensor &type) {
  StringRef descr = npyDescr(type.elem_type());
  if (descr.empty())
    return "element type " + elementTypeName(type.elem_type()).str() + " cannot be given by a file";
  if (array.descr != descr)
    return "the model declares " + elementTypeName(type.elem_type()).str() + ", which NumPy calls " + quoted(descr) +
           ", found " + quoted(array.descr);
  if (type.has_shape() && !fits(array.shape, type.shape()))
    return "the model declares shape " + shapeText(type.shape()) + ", found " + shapeText(array.shape);
  if (array.isFortranOrder && array.shape.size() > 1)
    return "the array is in Fortran order";
  auto count = elementCount(array.shape);
  size_t wanted = count ? static_cast<size_t>(*count) * elementBits(type.elem_type()) / 8 : 0;
  if (!count || array.bytes.size() != wanted)
    return "there must be " + std::to_string(wanted) + " bytes for shape " + shapeText(array.shape) + ", found " +
           std::to_string(array.bytes.size());
  return "";
}

void setInitializer(onnx::GraphProto &graph, const std::string &name, int32_t elementType, NpyArray array) {
  auto place = llvm::find_if(*graph.mutable_initializer(),
                             [&](const onnx::TensorProto &tensor) { return tensor.name() == name; });
  onnx::TensorProto &tensor = place == graph.mutable_initializer()->end() ? *graph.add_initializer() : *place;
  tensor.Clear();
  tensor.set_name(name);
  tensor.set_data_type(elementType);
  for (int64_t extent : array.shape)
    tensor.add_dims(extent);
  tensor.set_raw_data(std::move(array.bytes));
}

bool addInputValue(onnx::GraphProto &graph, const std::string &name, const std::string &path,
                   Diagnostics &diagnostics) {
  auto input = llvm::find_if(graph.input(), [&](const onnx::ValueInfoProto &info) { return info.name() == name; });
  if (input == graph.input().end()) {
    diagnostics.error("--input-value: the model has no input " + quoted(name), ErrorClass::usage);
    return false;
  }
  if (!input->type().has_tensor_type()) {
    diagnostics.error("--input-value: input " + quoted(name) + " is no tensor", ErrorClass::usage);
    return false;
  }
  std::optional<NpyArray> array = readNpyArray(path, diagnostics);
  if (!array)
    return false;
  const onnx::TypeProto_Tensor &type = input->type().tensor_type();
  if (std::string text = fault(*array, type); !text.empty()) {
    diagnostics.error("input " + quoted(name) + ": " + text + " in " + quoted(path));
    return false;
  }
  setInitializer(graph, name, type.elem_type(), std::move(*array));
  return true;
}

} // namespace

std::pair<StringRef, StringRef> aotc::frontend::splitInputValue(StringRef flag) { return flag.split('='); }

bool aotc::frontend::isGivenValue(llvm::ArrayRef<std::string> flags, StringRef input) {
  return llvm::any_of(flags, [&](const std::string &flag) { return splitInputValue(flag).first == input; });
}

bool aotc::frontend::addInputValues(onnx::ModelProto &proto, llvm::ArrayRef<std::string> flags,
                                    Diagnostics &diagnostics) {
  llvm::StringSet<> given;
  auto refuse = [&](const Twine &what) {
    diagnostics.error(what, ErrorClass::usage);
    return false;
  };
  for (const std::string &flag : flags) {
    auto [name, path] = splitInputValue(flag);
    if (name.empty() || path.empty())
      return refuse("--input-value " + quoted(flag) + ": expected NAME=FILE.npy");
    if (!given.insert(name).second)
      return refuse("--input-value: input " + quoted(name) + " is given twice");
    if (!addInputValue(*proto.mutable_graph(), name.str(), path.str(), diagnostics))
      return false;
  }
  return true;
}
