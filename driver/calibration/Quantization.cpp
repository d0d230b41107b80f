// What is quantized, and what the report says of it.
#include "driver/calibration/Quantization.h"

#include "driver/PassDiagnostics.h"
#include "driver/calibration/Calibration.h"
#include "driver/calibration/Instrument.h"
#include "ir/nn/Dialect.h"
#include "lowering/Passes.h"
#include "lowering/Pipeline.h"
#include "lowering/precision/Plan.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace aotc::precision;
using aotc::codegen::ReportLayer;
using aotc::codegen::ReportQuantization;
using aotc::frontend::Diagnostics;
using aotc::frontend::ErrorClass;
using aotc::frontend::quoted;

namespace aotc::driver {

bool runPasses(ModuleOp module, llvm::function_ref<void(OpPassManager &)> addPasses, Diagnostics &diagnostics) {
  PassDiagnostics passDiagnostics(module.getContext(), diagnostics);
  PassManager passes(module.getContext());
  addPasses(passes);
  if (failed(passes.run(module)) && !diagnostics.hasErrors())
    diagnostics.error("internal error: quantization failed without saying why", ErrorClass::internal);
  return !diagnostics.hasErrors();
}

// ----------------------------------------------------------------------------------------------------------- the plan
static bool isF32(Value value) { return getElementTypeOrSelf(value.getType()).isF32(); }

/// The ONNX node that comes first at a location.
static codegen::ReportNode nodeAt(Location location) {
  SmallVector<nn::NodeAttr> nodes = nn::nodesOf(location);
  return nodes.empty() ? codegen::ReportNode() : codegen::ReportNode{nodes[0].getName().str(), nodes[0].getOp().str()};
}

codegen::ReportNode nodeOf(Value value) {
  if (Operation *op = value.getDefiningOp())
    return nodeAt(op->getLoc());
  auto argument = cast<BlockArgument>(value);
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "nn.name");
  return {name ? name.str() : "", ""};
}

static bool markLayers(ModuleOp module, const Options &options, Diagnostics &diagnostics) {
  StringRef precision = options.precision == Precision::int8 ? int8Name : dynamicName;
  UnusedPatterns unused = precision::markLayers(module, precision, options.keepFp32);
  for (const std::string &pattern : unused.invalid)
    diagnostics.error("'--keep-fp32 " + pattern + "' is no pattern of names: brackets must close", ErrorClass::usage);
  for (const std::string &pattern : unused.unmatched) {
    diagnostics.error("'--keep-fp32 " + pattern + "' matches no node", ErrorClass::usage);
    diagnostics.note(
        "'*' stands for any text and '?' for one letter; names are those of the model's nodes, or of their "
        "first outputs where they have none");
  }
  if (diagnostics.hasErrors())
    return false;
  if (!markedLayers(module, precision).empty())
    return true;
  diagnostics.error("there is nothing to quantize", ErrorClass::content);
  if (!options.keepFp32.empty())
    diagnostics.note("what '--keep-fp32' names stays in f32");
  diagnostics.note(options.precision == Precision::int8
                       ? "convolutions and products of f32 by constant weights can be computed on integers"
                       : "products of f32 by constant weights can be quantized at run time");
  return false;
}

// --------------------------------------------------------------------------------------------------------- the report
/// Rows of layers, marked or not, and of what else is quantized, in the order of the model.
class Rows {
public:
  explicit Rows(ModuleOp module) : module(module) {}

  std::vector<ReportLayer> collect(const CalibrationResult &calibration);

private:
  void addLayers();
  void addTensors();

  ModuleOp module;
  llvm::MapVector<Value, ReportLayer> rows; ///< by the result that they tell about
};

/// A convolution's row is that of what it ends with.
void Rows::addLayers() {
  module.walk([&](Operation *op) {
    if (!isa<nn::ConvOp, nn::MatMulOp>(op) || !isF32(op->getResult(0)))
      return;
    bool isMarked = !precisionOf(op).empty();
    ReportLayer &row = rows[isa<nn::ConvOp>(op) && isMarked ? endOf(op) : op->getResult(0)];
    row.node = nodeAt(op->getLoc());
    row.weights = isMarked ? "i8" : "f32";
    row.type = "f32";
  });
}

void Rows::addTensors() {
  SmallVector<QuantizedTensor> tensors = quantizedTensors(module);
  std::optional<std::vector<precision::Range>> ranges = groupRanges(tensors);
  for (const QuantizedTensor &tensor : tensors) {
    ReportLayer &row = rows[tensor.value];
    if (row.type.empty())
      row.node = nodeOf(tensor.value);
    precision::Range range = ranges ? (*ranges)[tensor.group] : precision::Range();
    ByteQuantization numbers = byteQuantization(range);
    row.type = "u8";
    row.low = range.low;
    row.high = range.high;
    row.scale = numbers.scale;
    row.zeroPoint = numbers.zeroPoint;
  }
}

std::vector<ReportLayer> Rows::collect(const CalibrationResult &calibration) {
  addLayers();
  addTensors();
  std::vector<ReportLayer> result;
  for (auto &[tensor, row] : rows) {
    if (auto place = calibration.signalToNoise.find(tensor); place != calibration.signalToNoise.end())
      row.signalToNoise = place->second;
    result.push_back(std::move(row));
  }
  return result;
}

static std::vector<ReportLayer> outputRows(ModuleOp module, const CalibrationResult &calibration) {
  func::FuncOp function = mainOf(module);
  std::vector<ReportLayer> rows;
  for (auto [index, value] : llvm::enumerate(function.getBody().front().getTerminator()->getOperands())) {
    auto place = calibration.signalToNoise.find(value);
    if (place == calibration.signalToNoise.end())
      continue;
    ReportLayer &row = rows.emplace_back();
    auto name = function.getResultAttrOfType<StringAttr>(static_cast<unsigned>(index), "nn.name");
    row.node = {name ? name.str() : "", "output"};
    row.type = "f32";
    row.signalToNoise = place->second;
  }
  return rows;
}

// ---------------------------------------------------------------------------------------------------------- the whole
bool quantizeModel(ModuleOp module, const Options &options, StringRef executable, Diagnostics &diagnostics,
                   ReportQuantization &report) {
  bool isStatic = options.precision == Precision::int8;
  if (!runPasses(module, addFloatPasses, diagnostics) || !markLayers(module, options, diagnostics))
    return false;
  CalibrationResult calibration;
  if (isStatic) {
    auto result = calibrate(module, options, executable, diagnostics);
    if (!result)
      return false;
    calibration = std::move(*result);
  }
  report.precision = (isStatic ? int8Name : dynamicName).str();
  report.method = nameOf(options.calibrationMethod);
  report.samples = calibration.samples;
  report.layers = Rows(module).collect(calibration);
  report.outputs = outputRows(module, calibration);
  auto quantize = [&](OpPassManager &passes) {
    passes.addPass(isStatic ? createQuantizeLayers() : createQuantizeDynamically());
  };
  return runPasses(module, quantize, diagnostics);
}

} // namespace aotc::driver
