// The road of a model through the front end: file, graph, shapes, operators, module.
#include "frontend/onnx/Importer.h"

#include "frontend/onnx/GraphImporter.h"
#include "frontend/onnx/IoTypes.h"
#include "frontend/onnx/OnnxFile.h"
#include "frontend/onnx/SequenceValues.h"
#include "ir/nn/Halves.h"
#include "ir/nn/Shapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace aotc::frontend;
using namespace mlir;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

constexpr int64_t oldestOpset = 6;  // before, attributes told which inputs may be overwritten
constexpr int64_t newestOpset = 28; // the rules were written against

bool checkOpsets(const Model &model, Diagnostics &diagnostics) {
  auto place = model.opsets.find("");
  if (place == model.opsets.end())
    return true;
  if (place->second < oldestOpset) {
    diagnostics.error("operator set " + Twine(place->second) + " is older than " + Twine(oldestOpset) +
                      ", the oldest that is supported");
    diagnostics.note("onnx.version_converter brings a model to a newer one");
    return false;
  }
  if (place->second > newestOpset)
    diagnostics.warning("operator set " + Twine(place->second) + " is newer than " + Twine(newestOpset) +
                        ", the newest that is known");
  return true;
}

class ModuleBuilder {
public:
  ModuleBuilder(const Model &model, const ImportOptions &options, ExternalData &external, MLIRContext &context,
                Diagnostics &diagnostics)
      : model(model), diagnostics(diagnostics), builder(&context), importer(model, builder, external, diagnostics),
        states(options.states), ioTypes(options.ioTypes) {}

  OwningOpRef<ModuleOp> build(llvm::ArrayRef<InputShape> shapes);
  void setShapesWereClosed(bool value) { importer.setShapesWereClosed(value); }

private:
  RankedTensorType typeOf(const InputShape &shape);
  func::FuncOp createFunction(llvm::ArrayRef<InputShape> shapes);
  bool addArguments(func::FuncOp function, llvm::ArrayRef<InputShape> shapes);
  bool addResults(func::FuncOp function);
  bool markStates(func::FuncOp function);
  bool markState(func::FuncOp function, unsigned input, unsigned output, llvm::StringRef flag);
  void describeExtents(func::FuncOp function, unsigned index, const InputShape &shape);

  const Model &model;
  Diagnostics &diagnostics;
  OpBuilder builder;
  GraphImporter importer;
  llvm::ArrayRef<std::string> states;
  IoTypes ioTypes;
  llvm::StringMap<unsigned> dims; ///< those that the run knows, numbered as nn::dimsOf() has them
};

/// Null after an error.
RankedTensorType ModuleBuilder::typeOf(const InputShape &shape) {
  Type element = mlirElementType(shape.elementType, builder.getContext());
  if (!element) {
    diagnostics.error("input " + quoted(model.value(shape.value).name) + ": element type " +
                      elementTypeName(shape.elementType) + " is not supported");
    return {};
  }
  nn::Extents extents;
  for (const Extent &extent : shape.extents)
    extents.push_back(extent.isKnown()
                          ? builder.getAffineConstantExpr(extent.upper)
                          : builder.getAffineSymbolExpr(dims.try_emplace(extent.symbol, dims.size()).first->second));
  return nn::tensorOf(extents, ioTypes.find(model.value(shape.value).name, element, diagnostics));
}

void ModuleBuilder::describeExtents(func::FuncOp function, unsigned index, const InputShape &shape) {
  IntList bounds, minimums;
  llvm::SmallVector<llvm::StringRef> symbols;
  bool isOpen = false;
  for (const Extent &extent : shape.extents) {
    bounds.push_back(extent.upper);
    minimums.push_back(extent.lower);
    symbols.push_back(extent.isKnown() ? "" : llvm::StringRef(extent.symbol));
    isOpen |= !extent.isKnown();
  }
  if (!isOpen)
    return;
  function.setArgAttr(index, "nn.bounds", builder.getDenseI64ArrayAttr(bounds));
  function.setArgAttr(index, "nn.minimums", builder.getDenseI64ArrayAttr(minimums));
  function.setArgAttr(index, "nn.symbols", builder.getStrArrayAttr(symbols));
}

bool ModuleBuilder::addArguments(func::FuncOp function, llvm::ArrayRef<InputShape> shapes) {
  for (auto [index, shape] : llvm::enumerate(shapes)) {
    const GraphValue &value = model.value(shape.value);
    auto argument = static_cast<unsigned>(index);
    Type declared = mlirElementType(shape.elementType, builder.getContext());
    importer.setValue(shape.value, IoTypes::convert(builder, function.getArgument(argument), declared));
    function.setArgAttr(argument, "nn.name", builder.getStringAttr(value.name));
    describeExtents(function, argument, shape);
    if (!value.initializer)
      continue;
    ElementsAttr byDefault = importer.readInitializer(value);
    if (!byDefault)
      return false;
    if (byDefault.getShapedType() != function.getArgument(argument).getType()) {
      diagnostics.error("input " + quoted(value.name) + ": the initializer must have the declared type and shape");
      return false;
    }
    function.setArgAttr(argument, "nn.default", byDefault);
  }
  return true;
}

func::FuncOp ModuleBuilder::createFunction(llvm::ArrayRef<InputShape> shapes) {
  llvm::SmallVector<Type> types;
  for (const InputShape &shape : shapes)
    types.push_back(typeOf(shape));
  if (llvm::is_contained(types, Type()))
    return {};
  auto function = builder.create<func::FuncOp>(builder.getUnknownLoc(), "main", builder.getFunctionType(types, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  importer.setEntry(&function.front());
  return function;
}

/// Returns the graph's outputs. False where an error kept one from being built.
bool ModuleBuilder::addResults(func::FuncOp function) {
  llvm::SmallVector<Value> results;
  llvm::SmallVector<Type> types;
  for (ValueId id : model.graph.outputs) {
    Value value = importer.getValue(id);
    if (value && !isTensor(value))
      diagnostics.error("output " + quoted(model.value(id).name) +
                        " is a sequence or an optional: only tensors can be outputs");
    if (!value || !isTensor(value))
      return false;
    Type declared = cast<RankedTensorType>(value.getType()).getElementType();
    Type element = ioTypes.find(model.value(id).name, declared, diagnostics);
    results.push_back(IoTypes::convert(builder, value, element));
    types.push_back(results.back().getType());
  }
  builder.create<func::ReturnOp>(builder.getUnknownLoc(), results);
  function.setType(builder.getFunctionType(function.getArgumentTypes(), types));
  for (auto [index, id] : llvm::enumerate(model.graph.outputs)) {
    auto result = static_cast<unsigned>(index);
    function.setResultAttr(result, "nn.name", builder.getStringAttr(model.value(id).name));
    if (mlir::ArrayAttr classes = importer.getClassList(id))
      function.setResultAttr(result, "nn.classes", classes);
  }
  return true;
}

bool ModuleBuilder::markState(func::FuncOp function, unsigned input, unsigned output, llvm::StringRef flag) {
  auto refuse = [&](const Twine &why) {
    diagnostics.error("'--state " + flag + "': " + why, ErrorClass::usage);
    return false;
  };
  auto from = cast<RankedTensorType>(function.getResultTypes()[output]);
  auto to = cast<RankedTensorType>(function.getArgumentTypes()[input]);
  if (from != to || !to.hasStaticShape())
    return refuse("both must have one type and shape that is known when compiling, found " + nn::describe(to) +
                  " and " + nn::describe(from));
  if (function.getArgAttr(input, "nn.default"))
    return refuse("the input has an initializer, and a state begins as zero");
  if (function.getArgAttr(input, "nn.state"))
    return refuse("the input is a state already");
  for (unsigned other = 0; other < function.getNumArguments(); ++other)
    if (auto taken = function.getArgAttrOfType<IntegerAttr>(other, "nn.state"); taken && taken.getInt() == output)
      return refuse("the output is that of another state already");
  function.setArgAttr(input, "nn.state", builder.getI64IntegerAttr(output));
  return true;
}

/// False after an error.
bool ModuleBuilder::markStates(func::FuncOp function) {
  bool good = true;
  for (llvm::StringRef flag : states) {
    auto [input, output] = flag.split('=');
    auto isNamed = [&](llvm::StringRef name) { return [&, name](ValueId id) { return model.value(id).name == name; }; };
    auto from = llvm::find_if(model.graph.inputs, isNamed(input));
    auto to = llvm::find_if(model.graph.outputs, isNamed(output));
    bool hasInput = from != model.graph.inputs.end();
    if (!hasInput || to == model.graph.outputs.end()) {
      diagnostics.error("'--state " + flag + "': the model has no " +
                            (hasInput ? "output " + quoted(output) : "input " + quoted(input)),
                        ErrorClass::usage);
      good = false;
      continue;
    }
    good &= markState(function, static_cast<unsigned>(from - model.graph.inputs.begin()),
                      static_cast<unsigned>(to - model.graph.outputs.begin()), flag);
  }
  return good;
}

/// Constants that were folded away, and nodes that no output needs.
void eraseDead(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      for (Region &inner : op.getRegions())
        eraseDead(inner);
      if (isOpTriviallyDead(&op))
        op.erase();
    }
}

/// The floats of 16 bits that the model has weights of, as `aotc.half_types`: they are f32 from here on, and may become
/// halves again without a loss.
void noteHalfTypes(ModuleOp module) {
  llvm::SetVector<Type> types;
  module.walk([&](nn::ConstantOp constant) {
    ShapedType type = constant.getValue().getShapedType();
    if (nn::isHalf(type.getElementType()) && type.getNumElements() > 1)
      types.insert(type.getElementType());
  });
  if (!types.empty())
    module->setAttr("aotc.half_types", Builder(module).getTypeArrayAttr(types.getArrayRef()));
}

OwningOpRef<ModuleOp> ModuleBuilder::build(llvm::ArrayRef<InputShape> shapes) {
  if (!importer.checkOperators(model.graph))
    return {};
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToStart(module->getBody());
  unsigned errorsBefore = diagnostics.getErrorCount();
  func::FuncOp function = createFunction(shapes);
  if (!function || !addArguments(function, shapes))
    return {};
  importer.importGraph(model.graph);
  if (!addResults(function) || diagnostics.getErrorCount() != errorsBefore) {
    assert(diagnostics.getErrorCount() != errorsBefore && "a value is missing, and no error says why");
    return {};
  }
  if (!model.outputBounds.checkAllUsed(diagnostics) || !ioTypes.checkAllUsed(diagnostics) || !markStates(function))
    return {};
  noteHalfTypes(*module);
  eraseDead(function.getBody());
  if (failed(verify(*module))) {
    diagnostics.error("the imported module is not valid", ErrorClass::internal);
    return {};
  }
  return module;
}

/// Whether the model leaves dimensions of its inputs open.
bool hasOpenInputs(const Model &model) {
  for (ValueId id : model.graph.inputs) {
    const onnx::TypeProto_Tensor &type = model.value(id).declared->type().tensor_type();
    if (!type.has_shape())
      return true;
    for (const onnx::TensorShapeProto_Dimension &dim : type.shape().dim())
      if (!dim.has_dim_value() || dim.dim_value() < 0)
        return true;
  }
  return false;
}

} // namespace

/// arith and math are what element-wise ops are folded with.
void aotc::frontend::loadDialects(MLIRContext &context) {
  context.loadDialect<func::FuncDialect, arith::ArithDialect, math::MathDialect, nn::NNDialect>();
}

std::optional<ImportedModel> aotc::frontend::importModel(onnx::ModelProto &proto, const std::string &folder,
                                                         const ImportOptions &options, MLIRContext &context,
                                                         Diagnostics &diagnostics) {
  std::unique_ptr<Model> model = buildModel(proto, options.graph, diagnostics);
  if (!model || !checkOpsets(*model, diagnostics))
    return std::nullopt;
  auto shapes = resolveInputShapes(*model, options.shapes, diagnostics);
  if (!shapes)
    return std::nullopt;
  loadDialects(context);
  ExternalData external(folder);
  ModuleBuilder builder(*model, options, external, context, diagnostics);
  builder.setShapesWereClosed(hasOpenInputs(*model));
  ImportedModel result{builder.build(*shapes), external.getFiles()};
  if (!result.module)
    return std::nullopt;
  return result;
}

std::optional<ImportedModel> aotc::frontend::importModel(llvm::StringRef path, const ImportOptions &options,
                                                         MLIRContext &context, Diagnostics &diagnostics) {
  std::unique_ptr<OnnxFile> file = OnnxFile::read(path, diagnostics);
  if (!file)
    return std::nullopt;
  return importModel(file->getModel(), file->getFolder(), options, context, diagnostics);
}
