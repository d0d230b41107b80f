// Reductions over axes, and sums along one.
#include "frontend/onnx/AlongAxes.h"
#include "frontend/onnx/OpTable.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// The axes, none where the operator is to do nothing.
IntList readAxes(NodeBuilder &node, int64_t rank) {
  IntList axes = node.normalizeAxes(node.getConstantInts(1).value_or(IntList()), rank);
  bool emptyMeansNone = node.getBool("noop_with_empty_axes", false);
  if (axes.empty() && !emptyMeansNone)
    for (int64_t axis = 0; axis < rank; ++axis)
      axes.push_back(axis);
  return axes;
}

Value reduce(NodeBuilder &node, Value x, nn::ReduceKind kind) {
  if (node.failed())
    return {};
  IntList axes = readAxes(node, node.typeOf(x).getRank());
  bool keepDims = node.getBool("keepdims", true);
  if (axes.empty() || node.failed())
    return x;
  if (kind == nn::ReduceKind::Mean)
    return createMean(node, x, axes, keepDims);
  return node.create<nn::ReduceOp>(x, kind, axes, keepDims);
}

template <nn::ReduceKind kind> void buildReduce(NodeBuilder &node) {
  node.setResult(0, reduce(node, node.getInput(0), kind));
}

/// Bools are ordered as numbers.
template <nn::ReduceKind kind> void buildReduceExtremum(NodeBuilder &node) {
  Value x = node.getInput(0);
  Type element = node.typeOf(x).getElementType();
  if (!element.isInteger(1))
    return buildReduce<kind>(node);
  Type byte = node.getBuilder().getIntegerType(8, /*isSigned=*/false);
  node.setResult(0, node.create<nn::CastOp>(reduce(node, node.create<nn::CastOp>(x, byte), kind), element));
}

Value sumOfSquares(NodeBuilder &node) {
  return reduce(node, node.create<nn::MulOp>(node.getInput(0), node.getInput(0)), nn::ReduceKind::Sum);
}

void buildReduceSumSquare(NodeBuilder &node) { node.setResult(0, sumOfSquares(node)); }

void buildReduceL1(NodeBuilder &node) {
  node.setResult(0, reduce(node, node.create<nn::AbsOp>(node.getInput(0)), nn::ReduceKind::Sum));
}

/// f(x); of an integer that of the double, cut off.
template <class Op> Value throughFloat(NodeBuilder &node, Value x) {
  if (node.failed())
    return {};
  Type element = node.typeOf(x).getElementType();
  if (isa<FloatType>(element))
    return node.create<Op>(x);
  return node.create<nn::CastOp>(node.create<Op>(node.create<nn::CastOp>(x, node.getBuilder().getF64Type())), element);
}

void buildReduceL2(NodeBuilder &node) { node.setResult(0, throughFloat<nn::SqrtOp>(node, sumOfSquares(node))); }

void buildReduceLogSum(NodeBuilder &node) {
  node.setResult(0, throughFloat<nn::LogOp>(node, reduce(node, node.getInput(0), nn::ReduceKind::Sum)));
}

/// most + log(sum(exp(x - most))): nothing overflows. Where the largest number is infinite, 0 stands for it: a
/// difference of two infinities would be NaN.
Value logSumExp(NodeBuilder &node, Value x, ArrayRef<int64_t> axes, bool keepDims) {
  auto number = [&](double value) { return node.createScalar(value, node.typeOf(x).getElementType()); };
  Value most = node.create<nn::ReduceOp>(x, nn::ReduceKind::Max, axes, true);
  Value isFinite =
      node.create<nn::LessOp>(node.create<nn::AbsOp>(most), number(std::numeric_limits<double>::infinity()));
  Value shift = node.create<nn::WhereOp>(isFinite, most, number(0));
  Value power = node.create<nn::ExpOp>(node.create<nn::SubOp>(x, shift));
  Value logarithm = node.create<nn::LogOp>(node.create<nn::ReduceOp>(power, nn::ReduceKind::Sum, axes, keepDims));
  if (node.failed())
    return {};
  return node.create<nn::AddOp>(logarithm, node.createReshapeTo(shift, nn::extentsOf(logarithm)));
}

void buildReduceLogSumExp(NodeBuilder &node) {
  Value x = node.getInput(0);
  Type element = node.typeOf(x).getElementType();
  IntList axes = readAxes(node, node.typeOf(x).getRank());
  bool keepDims = node.getBool("keepdims", true);
  if (axes.empty() || node.failed())
    return node.setResult(0, x);
  if (isa<FloatType>(element))
    return node.setResult(0, logSumExp(node, x, axes, keepDims));
  Value wide = node.create<nn::CastOp>(x, node.getBuilder().getF64Type());
  node.setResult(0, node.create<nn::CastOp>(logSumExp(node, wide, axes, keepDims), element));
}

/// Before opset 13 (ReduceSum) or 18 (the others) the axes were an attribute.
void upgradeAxes(NodeBuilder &node) {
  if (std::optional<IntList> axes = node.getInts("axes"))
    node.setInput(1, node.createInts(*axes));
}

// -------------------------------------------------------------------------------------------------- along an axis
template <nn::ReduceKind kind> void buildCumulate(NodeBuilder &node) {
  std::optional<IntList> axis = node.getConstantInts(1);
  bool isExclusive = node.getBool("exclusive", false), isReverse = node.getBool("reverse", false);
  if (!axis || node.failed())
    return;
  if (axis->size() != 1)
    return node.fail(node.describeInput(1) + " must be one integer");
  int64_t along = node.normalizeAxis(axis->front(), node.typeOf(0).getRank());
  node.setResult(0, node.create<nn::CumulateOp>(node.getInput(0), kind, along, isExclusive, isReverse));
}

} // namespace

void aotc::frontend::addReductionRules(OpTable &table) {
  table.add("ReduceSum", 1, 2, buildReduce<nn::ReduceKind::Sum>, numbers);
  table.add("ReduceMean", 1, 2, buildReduce<nn::ReduceKind::Mean>, numbers);
  table.add("ReduceMax", 1, 2, buildReduceExtremum<nn::ReduceKind::Max>, anything);
  table.add("ReduceMin", 1, 2, buildReduceExtremum<nn::ReduceKind::Min>, anything);
  table.add("ReduceProd", 1, 2, buildReduce<nn::ReduceKind::Product>, numbers);
  table.add("ReduceSumSquare", 1, 2, buildReduceSumSquare, numbers);
  table.add("ReduceL1", 1, 2, buildReduceL1, numbers);
  table.add("ReduceL2", 1, 2, buildReduceL2, numbers);
  table.add("ReduceLogSum", 1, 2, buildReduceLogSum, numbers);
  table.add("ReduceLogSumExp", 1, 2, buildReduceLogSumExp, numbers);
  table.addUpgrade("ReduceSum", 13, upgradeAxes);
  for (llvm::StringRef op : {"ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceSumSquare", "ReduceL1",
                             "ReduceL2", "ReduceLogSum", "ReduceLogSumExp"})
    table.addUpgrade(op, 18, upgradeAxes);
  table.add("CumSum", 2, 2, buildCumulate<nn::ReduceKind::Sum>, numbers);
  table.add("CumProd", 2, 2, buildCumulate<nn::ReduceKind::Product>, numbers);
}
