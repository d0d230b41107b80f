#include "ir/nn/ConstantFolding.h"

#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"
#include "ir/nn/IndexFolding.h"
#include "ir/nn/QuantizationFolding.h"
#include "ir/nn/ReductionFolding.h"
#include "ir/nn/ScalarInterpreter.h"
#include "ir/nn/Strided.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <cstring>

using namespace mlir;

namespace aotc::nn {

using Tensors = ArrayRef<HostTensor>;

// ------------------------------------------------------------------------------------------------------- data movement
// The elements of x at base + sum(index * strides).
static HostTensor readStrided(const HostTensor &x, RankedTensorType type, ArrayRef<int64_t> strides, int64_t base = 0) {
  HostTensor result(type);
  int64_t width = elementBytes(type.getElementType());
  forEachStrided(type.getShape(), strides, base, [&](int64_t i, int64_t offset) {
    std::memcpy(result.mutableBytes().data() + i * width, x.bytes().data() + offset * width, width);
  });
  return result;
}

// Writes x into `result` at base + sum(index * strides).
static void writeStrided(const HostTensor &x, HostTensor &result, ArrayRef<int64_t> strides, int64_t base) {
  int64_t width = elementBytes(x.type().getElementType());
  forEachStrided(x.type().getShape(), strides, base, [&](int64_t i, int64_t offset) {
    std::memcpy(result.mutableBytes().data() + offset * width, x.bytes().data() + i * width, width);
  });
}

static HostTensor evaluate(ReshapeOp op, Tensors operands) {
  HostTensor result(op.getType());
  llvm::copy(operands[0].bytes(), result.mutableBytes().begin());
  return result;
}

static HostTensor evaluate(TransposeOp op, Tensors operands) {
  SmallVector<int64_t> from = rowMajorStrides(operands[0].type().getShape()), strides;
  for (int64_t axis : op.getPermutation())
    strides.push_back(from[axis]);
  return readStrided(operands[0], op.getType(), strides);
}

static HostTensor evaluate(ExpandOp op, Tensors operands) {
  return readStrided(operands[0], op.getType(),
                     broadcastStrides(operands[0].type().getShape(), op.getType().getShape()));
}

static HostTensor evaluate(SliceOp op, Tensors operands) {
  SmallVector<int64_t> strides = rowMajorStrides(operands[0].type().getShape());
  int64_t base = 0;
  for (auto [stride, start, step] : llvm::zip(strides, op.getStarts(), op.getSteps())) {
    base += start * stride;
    stride *= step;
  }
  return readStrided(operands[0], op.getType(), strides, base);
}

static HostTensor evaluate(ConcatOp op, Tensors operands) {
  HostTensor result(op.getType());
  SmallVector<int64_t> strides = rowMajorStrides(op.getType().getShape());
  int64_t base = 0;
  for (const HostTensor &input : operands) {
    writeStrided(input, result, strides, base);
    base += input.type().getDimSize(op.getAxis()) * strides[op.getAxis()];
  }
  return result;
}

static std::optional<HostTensor> evaluate(PadOp op, Tensors operands) {
  bool cuts = llvm::any_of(op.getLow(), [](int64_t n) { return n < 0; }) ||
              llvm::any_of(op.getHigh(), [](int64_t n) { return n < 0; });
  if (op.getMode() != PadMode::Constant || cuts)
    return std::nullopt;
  HostTensor result =
      readStrided(HostTensor::view(DenseElementsAttr::get(RankedTensorType::get({}, op.getType().getElementType()),
                                                          Attribute(op.getValue()))),
                  op.getType(), SmallVector<int64_t>(op.getLow().size(), 0));
  SmallVector<int64_t> strides = rowMajorStrides(op.getType().getShape());
  int64_t base = 0;
  for (auto [stride, low] : llvm::zip(strides, op.getLow()))
    base += stride * low;
  writeStrided(operands[0], result, strides, base);
  return result;
}

// An index outside the axis is left for the lowering to report.
static std::optional<HostTensor> evaluate(GatherOp op, Tensors operands) {
  ArrayRef<int64_t> shape = operands[0].type().getShape();
  int64_t axis = op.getAxis(), extent = shape[axis];
  int64_t width = elementBytes(op.getType().getElementType());
  int64_t outer = ShapedType::getNumElements(shape.take_front(axis));
  int64_t innerBytes = ShapedType::getNumElements(shape.drop_front(axis + 1)) * width;
  HostTensor result(op.getType());
  char *out = result.mutableBytes().data();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < operands[1].size(); ++i, out += innerBytes) {
      int64_t index = operands[1].toInteger(i);
      index += index < 0 ? extent : 0;
      if (index < 0 || index >= extent)
        return std::nullopt;
      std::memcpy(out, operands[0].bytes().data() + (o * extent + index) * innerBytes, innerBytes);
    }
  return result;
}

// ---------------------------------------------------------------------------------------------------------- arithmetic
static scalar::Number read(const HostTensor &x, int64_t index) {
  if (isa<FloatType>(x.type().getElementType()))
    return {x.toDouble(index), 0};
  return {0, x.toInteger(index)};
}

// Runs the op's own scalar body on every element.
static std::optional<HostTensor> evaluateElementwise(ElementwiseOp op, RankedTensorType type, Tensors operands) {
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(op.getLoc());
  Block &block = *scratch->getBody();
  for (const HostTensor &operand : operands) {
    Type element = operand.type().getElementType();
    auto integer = dyn_cast<IntegerType>(element);
    block.addArgument(integer ? IntegerType::get(op.getContext(), integer.getWidth()) : element, op.getLoc());
  }
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  Value body = op.buildScalar(builder, op.getLoc(), block.getArguments());
  std::optional<scalar::Interpreter> interpreter = scalar::Interpreter::decode(block, body);
  if (!interpreter)
    return std::nullopt;
  HostTensor result(type);
  bool isFloat = isa<FloatType>(result.type().getElementType());
  SmallVector<SmallVector<int64_t>> strides;
  for (const HostTensor &operand : operands)
    strides.push_back(broadcastStrides(operand.type().getShape(), result.type().getShape()));
  std::vector<std::vector<int64_t>> offsets(operands.size(), std::vector<int64_t>(result.size()));
  for (size_t k = 0; k < operands.size(); ++k)
    forEachStrided(result.type().getShape(), strides[k], 0, [&](int64_t i, int64_t offset) { offsets[k][i] = offset; });
  SmallVector<scalar::Number> args(operands.size());
  for (int64_t i = 0; i < result.size(); ++i) {
    for (size_t k = 0; k < operands.size(); ++k)
      args[k] = read(operands[k], offsets[k][i]);
    scalar::Number value = interpreter->run(args);
    isFloat ? result.set(i, value.f) : result.setInteger(i, value.i);
  }
  return result;
}

// ---------------------------------------------------------------------------------------------------------------- hook

// A result without elements is known whatever its operands are: no kernel meets an empty destination.
static ElementsAttr foldEmpty(RankedTensorType type) {
  bool isEmpty = type.hasStaticShape() && type.getNumElements() == 0;
  return isEmpty ? HostTensor(type).toAttr() : nullptr;
}

static std::optional<HostTensor> evaluate(Operation *op, Tensors operands) {
  using Result = std::optional<HostTensor>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<ReshapeOp, TransposeOp, ExpandOp, SliceOp, ConcatOp, PadOp, GatherOp, ReduceOp, CumulateOp, ArgReduceOp,
            QuantizeOp>([&](auto typed) -> Result { return evaluate(typed, operands); })
      .Case<ElementwiseOp>([&](auto typed) {
        return evaluateElementwise(typed, cast<RankedTensorType>(op->getResult(0).getType()), operands);
      })
      .Default([&](Operation *other) { return evaluateIndexing(other, operands); });
}

static bool isSplat(ElementsAttr value) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  return dense && dense.isSplat();
}

static DenseElementsAttr scalarOf(ElementsAttr splat) {
  return cast<DenseElementsAttr>(splat).resizeSplat(RankedTensorType::get({}, splat.getElementType()));
}

// One value everywhere stays one value, however large the tensors are: nothing is spread out to find that. Null where
// the op may do something else with it.
static ElementsAttr foldSplats(Operation *op, RankedTensorType type, ArrayRef<ElementsAttr> operands) {
  if (!llvm::all_of(operands, isSplat))
    return {};
  if (isa<ReshapeOp, TransposeOp, SliceOp>(op))
    return scalarOf(operands[0]).resizeSplat(type);
  auto elementwise = dyn_cast<ElementwiseOp>(op);
  if (!elementwise)
    return {};
  auto scalars = llvm::map_to_vector(operands, [](ElementsAttr x) { return HostTensor::view(scalarOf(x)); });
  std::optional<HostTensor> value =
      evaluateElementwise(elementwise, RankedTensorType::get({}, type.getElementType()), scalars);
  return value ? cast<DenseElementsAttr>(value->toAttr()).resizeSplat(type) : ElementsAttr();
}

// What a constant holds: a splat, one element.
static int64_t storedBytes(ElementsAttr value) {
  return (isSplat(value) ? 1 : value.getNumElements()) * elementBytes(value.getElementType());
}

// Folding must not make the model larger: small results, or results no larger than what they are made from.
static bool isWorthwhile(RankedTensorType result, ArrayRef<ElementsAttr> operands) {
  constexpr int64_t alwaysFoldedBytes = 64 * 1024;
  int64_t bytes = result.getNumElements() * elementBytes(result.getElementType()), operandBytes = 0;
  for (ElementsAttr operand : operands)
    operandBytes += storedBytes(operand);
  return bytes <= std::max(alwaysFoldedBytes, 4 * operandBytes);
}

// Null where the result stays an op. Views come last: those of splats are copies.
static ElementsAttr foldConstants(Operation *op, RankedTensorType type, ArrayRef<ElementsAttr> operands) {
  if (ElementsAttr splat = foldSplats(op, type, operands))
    return splat;
  if (!isWorthwhile(type, operands))
    return {};
  std::optional<HostTensor> result = evaluate(op, llvm::map_to_vector(operands, HostTensor::view));
  return result ? std::move(*result).toAttr() : ElementsAttr();
}

struct ConstantFolding : DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;

  LogicalResult fold(Operation *op, ArrayRef<Attribute> constants, SmallVectorImpl<OpFoldResult> &results) const final {
    if (op->getNumResults() != 1 || constants.empty() || op->getNumRegions() != 0)
      return failure();
    if (ElementsAttr nothing = foldEmpty(cast<RankedTensorType>(op->getResult(0).getType()))) {
      results.push_back(nothing);
      return success();
    }
    SmallVector<ElementsAttr> operands;
    for (Attribute constant : constants) {
      operands.push_back(dyn_cast_or_null<ElementsAttr>(constant));
      if (!operands.back())
        return failure();
    }
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto slice = dyn_cast<SliceOp>(op);
    bool isOpen = !type.hasStaticShape() || (slice && slice.getExtents()); // starts or extents that the run knows
    ElementsAttr result = isOpen ? ElementsAttr() : foldConstants(op, type, operands);
    if (!result)
      return failure();
    results.push_back(result);
    return success();
  }
};

std::optional<HostTensor> dequantized(DequantizeOp op) {
  SmallVector<HostTensor> operands;
  for (Value operand : op->getOperands()) {
    ElementsAttr elements;
    if (!matchPattern(operand, m_Constant(&elements)))
      return std::nullopt;
    operands.push_back(HostTensor::view(elements));
  }
  return evaluate(op, operands);
}

void addConstantFolding(NNDialect &dialect) { dialect.addInterfaces<ConstantFolding>(); }

} // namespace aotc::nn
