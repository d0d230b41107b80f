#include "frontend/onnx/ShapeValues.h"

#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;
using nn::Extents;

namespace {

constexpr int64_t longestList = 256;

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

bool isSmallList(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType()); // null for sequences
  return type && type.hasStaticShape() && type.getNumElements() <= longestList &&
         isa<IntegerType>(type.getElementType());
}

std::optional<Extents> constantList(nn::ConstantOp op) {
  nn::HostTensor elements = nn::HostTensor::view(op.getValue());
  Extents list;
  for (int64_t i = 0; i < elements.size(); ++i)
    list.push_back(getAffineConstantExpr(elements.toInteger(i), op.getContext()));
  return list;
}

/// Vectors only: what shapes are made of.
std::optional<Extents> sliceList(nn::SliceOp op, const Extents &x) {
  if (op.getStarts().size() != 1 || op.getExtents())
    return std::nullopt;
  Extents list;
  for (int64_t i = 0; i < op.getSizes()[0]; ++i)
    list.push_back(x[static_cast<size_t>(op.getStarts()[0] + i * op.getSteps()[0])]);
  return list;
}

std::optional<Extents> gatherList(nn::GatherOp op, const Extents &x, const Extents &indices) {
  if (typeOf(op.getX()).getRank() != 1)
    return std::nullopt;
  Extents list;
  auto count = static_cast<int64_t>(x.size());
  for (AffineExpr index : indices) {
    std::optional<int64_t> at = nn::numberOf(index);
    if (!at || *at < -count || *at >= count)
      return std::nullopt;
    list.push_back(x[static_cast<size_t>(*at < 0 ? *at + count : *at)]);
  }
  return list;
}

} // namespace

std::optional<Extents> ShapeValues::evaluate(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumResults() != 1 || !isSmallList(value))
    return std::nullopt;
  auto place = known.find(value);
  if (place != known.end())
    return place->second;
  dims = nn::dimsAround(entry); // nodes may have found more
  std::optional<Extents> result = evaluateOp(op);
  known[value] = result;
  return result;
}

std::optional<Extents> ShapeValues::evaluateOp(Operation *op) {
  if (auto constant = dyn_cast<nn::ConstantOp>(op))
    return constantList(constant);
  if (auto extents = dyn_cast<nn::ExtentsOp>(op))
    return Extents(extents.getValues().getResults());
  if (auto concat = dyn_cast<nn::ConcatOp>(op)) {
    Extents list;
    for (Value input : concat.getInputs()) {
      std::optional<Extents> part = evaluate(input);
      if (!part || typeOf(input).getRank() != 1)
        return std::nullopt;
      llvm::append_range(list, *part);
    }
    return list;
  }
  if (isa<nn::ElementwiseOp>(op))
    return evaluateElementwise(op);
  if (op->getNumOperands() == 0)
    return std::nullopt;
  std::optional<Extents> x = evaluate(op->getOperand(0));
  if (!x)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, std::optional<Extents>>(op)
      .Case([&](nn::ReshapeOp) { return x; })
      .Case([&](nn::SliceOp slice) { return sliceList(slice, *x); })
      .Case([&](nn::GatherOp gather) -> std::optional<Extents> {
        std::optional<Extents> indices = evaluate(gather.getIndices());
        return indices ? gatherList(gather, *x, *indices) : std::nullopt;
      })
      .Case([&](nn::ExpandOp expand) -> std::optional<Extents> {
        if (x->size() != 1)
          return std::nullopt;
        return Extents(static_cast<size_t>(expand.getType().getNumElements()), x->front());
      })
      .Case([&](nn::ReduceOp reduce) -> std::optional<Extents> {
        if (reduce.getKind() != nn::ReduceKind::Product || reduce.getType().getNumElements() != 1)
          return std::nullopt;
        return Extents{nn::product(*x, op->getContext())};
      })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<Extents> ShapeValues::evaluateElementwise(Operation *op) {
  auto count = static_cast<size_t>(typeOf(op->getResult(0)).getNumElements());
  SmallVector<Extents, 3> operands;
  for (Value operand : op->getOperands()) {
    std::optional<Extents> list = evaluate(operand);
    if (!list || (list->size() != count && list->size() != 1) || typeOf(operand).getRank() > 1)
      return std::nullopt;
    operands.push_back(std::move(*list));
  }
  Extents result;
  for (size_t i = 0; i < count; ++i) {
    SmallVector<AffineExpr, 3> elements;
    for (const Extents &list : operands)
      elements.push_back(list.size() == 1 ? list.front() : list[i]);
    result.push_back(combine(op, elements));
    if (!result.back())
      return std::nullopt;
  }
  return result;
}

/// Null where the result is no expression, or where it depends on the run which of two it is.
AffineExpr ShapeValues::combine(Operation *op, ArrayRef<AffineExpr> x) {
  MLIRContext *context = op->getContext();
  auto boundsOf = [&](AffineExpr extent) { return nn::boundsOf(extent, dims); };
  // Whether x[0] - x[1] lies within the given numbers, where that is always or never so.
  auto difference = [&](int64_t least, int64_t most) -> std::optional<bool> {
    nn::Interval found = boundsOf(nn::difference(x[0], x[1]));
    if (found.least >= least && found.most <= most)
      return true;
    if (found.most < least || found.least > most)
      return false;
    return std::nullopt;
  };
  auto flag = [&](std::optional<bool> value) { return value ? getAffineConstantExpr(*value, context) : AffineExpr(); };
  constexpr int64_t least = INT64_MIN, most = INT64_MAX;
  return llvm::TypeSwitch<Operation *, AffineExpr>(op)
      .Case([&](nn::AddOp) { return nn::sum(x[0], x[1]); })
      .Case([&](nn::SubOp) { return nn::difference(x[0], x[1]); })
      .Case([&](nn::MulOp) { return nn::product(x[0], x[1]); })
      .Case([&](nn::NegOp) { return nn::product(x[0], getAffineConstantExpr(-1, context)); })
      .Case([&](nn::DivOp) { // truncates: rounded down where nothing is negative
        bool isPlain = boundsOf(x[0]).least >= 0 && boundsOf(x[1]).least > 0;
        return isPlain ? nn::quotient(x[0], x[1]) : AffineExpr();
      })
      .Case([&](nn::CastOp) {
        bool isNumber = isa<IntegerType>(typeOf(op->getOperand(0)).getElementType()) &&
                        typeOf(op->getResult(0)).getElementType().getIntOrFloatBitWidth() >= 32;
        return isNumber ? x[0] : AffineExpr();
      })
      .Case([&](nn::MaxOp) {
        std::optional<bool> isFirst = difference(0, most), isSecond = difference(least, 0);
        return isFirst.value_or(false) ? x[0] : isSecond.value_or(false) ? x[1] : AffineExpr();
      })
      .Case([&](nn::MinOp) {
        std::optional<bool> isFirst = difference(least, 0), isSecond = difference(0, most);
        return isFirst.value_or(false) ? x[0] : isSecond.value_or(false) ? x[1] : AffineExpr();
      })
      .Case([&](nn::EqualOp) { return flag(difference(0, 0)); })
      .Case([&](nn::LessOp) { return flag(difference(least, -1)); })
      .Case([&](nn::GreaterOp) { return flag(difference(1, most)); })
      .Case([&](nn::NotOp) {
        std::optional<int64_t> value = nn::numberOf(x[0]);
        return value ? getAffineConstantExpr(*value == 0, context) : AffineExpr();
      })
      .Case([&](nn::WhereOp) {
        std::optional<int64_t> condition = nn::numberOf(x[0]);
        return condition ? (*condition ? x[1] : x[2]) : x[1] == x[2] ? x[1] : AffineExpr();
      })
      .Default([](Operation *) { return AffineExpr(); });
}
