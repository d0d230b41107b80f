#include "codegen/cpp/ModuleFacts.h"

#include "codegen/cpp/Elements.h"
#include "codegen/cpp/Names.h"
#include "codegen/cpp/Text.h"
#include "ir/nn/Extents.h"

#include "ir/kern/Dialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using llvm::StringRef;

namespace aotc::codegen {

FailureOr<func::FuncOp> plannedFunction(ModuleOp module) {
  func::FuncOp found;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration())
      continue;
    if (found)
      return function.emitError("a planned module has one function, found a second one");
    found = function;
  }
  if (!found)
    return module.emitError("a planned module has one function, found none");
  return found;
}

//===-- inputs, outputs, dims -------------------------------------------------------------------------------------===//

static StringRef textOf(Attribute attribute) {
  auto text = dyn_cast_or_null<StringAttr>(attribute);
  return text ? text.getValue() : StringRef();
}

static int64_t numberOf(Attribute attribute, int64_t otherwise) {
  auto number = dyn_cast_or_null<IntegerAttr>(attribute);
  return number ? number.getInt() : otherwise;
}

// ONNX's element type: that of the memref, unless the attribute says it by name ("u8"), since memrefs know no signs.
static std::optional<ElementType> elementOf(MemRefType type, Attribute named) {
  if (StringRef name = textOf(named); !name.empty())
    for (const ElementText &text : elementTexts())
      if (name == text.enumerator)
        return text.type;
  return elementTypeOf(type.getElementType());
}

// attribute: integers or strings.
static void describeClasses(ArrayAttr list, TensorDescription &tensor) {
  for (Attribute item : list) {
    auto string = dyn_cast<StringAttr>(item);
    tensor.classesAreText = string != nullptr;
    if (string) {
      tensor.classes.push_back(quoted(string.getValue()));
      continue;
    }
    int64_t number = cast<IntegerAttr>(item).getInt();
    tensor.classes.push_back(number == INT64_MIN ? "INT64_MIN" : std::to_string(number));
  }
}

// attributes: aotc.name, aotc.element, aotc.classes, and aotc.dims, the names of the bounded dims ("" where the extent
// is static).
static FailureOr<TensorDescription> describeTensor(func::FuncOp function, MemRefType type, DictionaryAttr attributes,
                                                   const std::vector<BoundedDim> &dims) {
  TensorDescription tensor;
  auto attribute = [&](StringRef name) { return attributes ? attributes.get(name) : Attribute(); };
  tensor.onnxName = textOf(attribute("aotc.name")).str();
  std::optional<ElementType> element = elementOf(type, attribute("aotc.element"));
  if (!element)
    return function.emitError("'") << tensor.onnxName << "' has an element type that ONNX does not have: " << type;
  tensor.element = *element;
  if (auto classes = dyn_cast_or_null<ArrayAttr>(attribute("aotc.classes")))
    describeClasses(classes, tensor);
  auto names = dyn_cast_or_null<ArrayAttr>(attribute("aotc.dims"));
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    Dim dim{extent, -1};
    StringRef name = names && i < names.size() ? textOf(names[i]) : StringRef();
    for (size_t d = 0; d < dims.size() && !name.empty(); ++d)
      if (dims[d].onnxName == name)
        dim = {dims[d].maximum, static_cast<int>(d)};
    if (ShapedType::isDynamic(dim.extent))
      return function.emitError("dimension ") << i << " of '" << tensor.onnxName << "' has no bound";
    tensor.shape.push_back(dim);
  }
  return tensor;
}

// In C++, where extents[i] is the i-th dim. Quotients are rounded down: those that may be negative are moved up first.
static std::string expressionText(AffineExpr extent, ArrayRef<nn::Dim> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(extent))
    return std::to_string(constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(extent))
    return "extents[" + std::to_string(symbol.getPosition()) + "]";
  auto binary = cast<AffineBinaryOpExpr>(extent);
  std::string x = expressionText(binary.getLHS(), dims), y = expressionText(binary.getRHS(), dims);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return "(" + x + " + " + y + ")";
  case AffineExprKind::Mul:
    return "(" + x + " * " + y + ")";
  default:
    break;
  }
  int64_t least = nn::boundsOf(binary.getLHS(), dims).least;
  if (least >= 0)
    return "(" + x + " / " + y + ")";
  std::string shift = std::to_string(-least); // in divisors, which are at least 1
  return "((" + x + " + " + shift + " * " + y + ") / " + y + " - " + shift + ")";
}

static void describeDims(func::FuncOp function, ModelDescription &model) {
  SmallVector<nn::Dim> symbols;
  for (BlockArgument arg : function.getArguments()) {
    if (!arg.getType().isIndex())
      continue;
    auto attribute = [&](StringRef name) { return function.getArgAttr(arg.getArgNumber(), name); };
    BoundedDim dim;
    dim.onnxName = textOf(attribute("aotc.dim")).str();
    dim.minimum = numberOf(attribute("aotc.minimum"), 1);
    dim.maximum = numberOf(attribute("aotc.maximum"), 1);
    auto map = dyn_cast_or_null<AffineMapAttr>(attribute("aotc.expression"));
    AffineExpr expression = map ? map.getValue().getResult(0) : AffineExpr();
    if (expression) {
      dim.source = BoundedDim::Source::Derived;
      dim.expression = expressionText(expression, symbols);
      expression.walk([&](AffineExpr part) {
        if (auto symbol = dyn_cast<AffineSymbolExpr>(part))
          dim.sources.push_back(static_cast<int>(symbol.getPosition()));
      });
    } else {
      dim.source = attribute("aotc.found") ? BoundedDim::Source::Run : BoundedDim::Source::Caller;
      symbols.push_back({dim.onnxName, dim.minimum, dim.maximum});
    }
    model.boundedDims.push_back(dim);
  }
}

static LogicalResult describeInputs(func::FuncOp function, ModelDescription &model) {
  auto offsets = function->getAttrOfType<DenseI64ArrayAttr>("aotc.input_offsets");
  for (BlockArgument arg : llvm::drop_begin(function.getArguments())) {
    auto type = dyn_cast<MemRefType>(arg.getType());
    if (!type)
      continue;
    FailureOr<TensorDescription> tensor =
        describeTensor(function, type, function.getArgAttrDict(arg.getArgNumber()), model.boundedDims);
    if (failed(tensor))
      return failure();
    size_t index = model.inputs.size();
    if (offsets && index < static_cast<size_t>(offsets.size()) && offsets[static_cast<int64_t>(index)] >= 0)
      tensor->arenaOffsetBytes = static_cast<uint64_t>(offsets[static_cast<int64_t>(index)]);
    model.inputs.push_back(*tensor);
  }
  return success();
}

static LogicalResult describeOutputs(func::FuncOp function, ModelDescription &model) {
  for (auto [i, result] : llvm::enumerate(function.getResultTypes())) {
    auto type = dyn_cast<MemRefType>(result);
    if (!type)
      return function.emitError("result ") << i << " must be a memref, found " << result;
    FailureOr<TensorDescription> tensor =
        describeTensor(function, type, function.getResultAttrDict(static_cast<unsigned>(i)), model.boundedDims);
    if (failed(tensor))
      return failure();
    model.outputs.push_back(*tensor);
  }
  return success();
}

static LogicalResult describeStates(func::FuncOp function, ModelDescription &model) {
  auto states = function->getAttrOfType<ArrayAttr>("aotc.states");
  if (!states)
    return success();
  for (auto state : states.getAsRange<DictionaryAttr>()) {
    auto type = cast<MemRefType>(state.getAs<TypeAttr>("aotc.type").getValue());
    FailureOr<TensorDescription> tensor = describeTensor(function, type, state, model.boundedDims);
    if (failed(tensor))
      return failure();
    tensor->arenaOffsetBytes = static_cast<uint64_t>(numberOf(state.get("aotc.offset"), 0));
    model.states.push_back(*tensor);
  }
  return success();
}

static void chooseLevels(func::FuncOp function, ModelDescription &model) {
  auto isInteger = [](Operation *op) {
    return isa<kern::IntegerConv2DOp, kern::IntegerMatMulOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  if (model.levels.size() < 2 || function.walk(isInteger).wasInterrupted())
    return;
  llvm::erase_if(model.levels, [](const Level &level) { return level.isForIntegers; });
  model.leavesLevelsOut = true;
}

FailureOr<ModelDescription> describeModule(func::FuncOp function, const CppOptions &options) {
  auto arena = function.getNumArguments() ? dyn_cast<MemRefType>(function.getArgument(0).getType()) : MemRefType();
  if (!arena || !arena.getElementType().isInteger(8) || !arena.hasStaticShape())
    return function.emitError("the first argument must be the arena, a memref of bytes");
  auto size = [&](StringRef name, int64_t otherwise) {
    return static_cast<uint64_t>(numberOf(function->getAttr(name), otherwise));
  };
  ModelDescription model;
  model.name = options.name;
  model.toolVersion = options.toolVersion;
  model.summary = options.summary;
  model.levels = options.levels;
  chooseLevels(function, model);
  model.weightsMode = options.weightsMode;
  model.maxThreads = options.maxThreads;
  model.arenaBytesPerThread = size("aotc.scratch_per_thread", 0);
  model.arenaBytes = size("aotc.arena_bytes", arena.getNumElements());
  model.lowerBoundBytes = size("aotc.bound_bytes", 0);
  describeDims(function, model);
  if (failed(describeInputs(function, model)) || failed(describeOutputs(function, model)) ||
      failed(describeStates(function, model)))
    return failure();
  assignNames(model);
  return model;
}

//===-- constants -------------------------------------------------------------------------------------------------===//

static std::vector<char> repeat(ArrayRef<char> element, int64_t count) {
  std::vector<char> bytes;
  bytes.reserve(element.size() * static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    bytes.insert(bytes.end(), element.begin(), element.end());
  return bytes;
}

// Bools are stored as bits in some attributes; a memref has them as bytes.
static std::vector<char> boolBytes(DenseElementsAttr values) {
  std::vector<char> bytes;
  for (bool value : values.getValues<bool>())
    bytes.push_back(value ? 1 : 0);
  return bytes;
}

static std::optional<uint64_t> appendElements(Attribute value, WeightsFile &weights) {
  if (auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(value)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return weights.appendReference(blob->getData());
  } else if (auto dense = dyn_cast_or_null<DenseElementsAttr>(value)) {
    if (dense.getElementType().isInteger(1))
      return weights.append(boolBytes(dense));
    if (dense.isSplat())
      return weights.append(repeat(dense.getRawData(), dense.getNumElements()));
    return weights.appendReference(dense.getRawData());
  }
  return std::nullopt;
}

FailureOr<uint64_t> appendGlobal(ModuleOp module, StringRef name, WeightsFile &weights, Operation *user) {
  auto global = module.lookupSymbol<memref::GlobalOp>(name);
  Attribute value = global && global.getInitialValue() ? *global.getInitialValue() : Attribute();
  if (std::optional<uint64_t> offset = appendElements(value, weights))
    return *offset;
  return user->emitError("the constant '@") << name << "' has no elements";
}

LogicalResult appendDefaults(func::FuncOp function, ModelDescription &model, WeightsFile &weights) {
  auto input = model.inputs.begin();
  for (BlockArgument arg : llvm::drop_begin(function.getArguments())) {
    if (!isa<MemRefType>(arg.getType()))
      continue;
    TensorDescription &tensor = *input++;
    Attribute value = function.getArgAttr(arg.getArgNumber(), "aotc.default");
    if (!value)
      continue;
    tensor.defaultOffsetBytes = appendElements(value, weights);
    if (!tensor.defaultOffsetBytes)
      return function.emitError("the default of '") << tensor.onnxName << "' has no elements";
  }
  return success();
}

} // namespace aotc::codegen
