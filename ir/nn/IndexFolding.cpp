#include "ir/nn/IndexFolding.h"

#include "ir/nn/Dialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>

using namespace mlir;

namespace aotc::nn {

using Tensors = ArrayRef<HostTensor>;

// The place that an index names.
static std::optional<int64_t> placeOf(int64_t index, int64_t extent) {
  index += index < 0 ? extent : 0;
  return index >= 0 && index < extent ? std::optional(index) : std::nullopt;
}

// A tensor as [outer][length][inner] around one dimension.
struct Runs {
  int64_t outer, length, inner;

  Runs(ArrayRef<int64_t> shape, int64_t axis)
      : outer(ShapedType::getNumElements(shape.take_front(axis))), length(shape[axis]),
        inner(ShapedType::getNumElements(shape.drop_front(axis + 1))) {}
};

// Calls visit(element of x, element of indices) for all indices along `axis`, in order. False where one is out of
// range.
template <class Visit>
static bool forEachAlong(const HostTensor &x, const HostTensor &indices, int64_t axis, Visit visit) {
  Runs in(x.type().getShape(), axis);
  int64_t count = indices.type().getDimSize(axis);
  for (int64_t i = 0; i < indices.size(); ++i) {
    std::optional<int64_t> place = placeOf(indices.toInteger(i), in.length);
    if (!place)
      return false;
    visit((i / in.inner / count * in.length + *place) * in.inner + i % in.inner, i);
  }
  return true;
}

// Calls visit(slice of x, row of indices) for all rows, in order. False where an index is out of range.
template <class Visit>
static bool forEachRow(ArrayRef<int64_t> x, const HostTensor &indices, int64_t batch, Visit visit) {
  ArrayRef<int64_t> shape = indices.type().getShape();
  int64_t depth = shape.back(), rows = indices.size() / depth;
  int64_t perBatch = ShapedType::getNumElements(shape.drop_front(batch).drop_back());
  for (int64_t row = 0; row < rows; ++row) {
    int64_t slice = row / perBatch;
    for (int64_t d = 0; d < depth; ++d) {
      std::optional<int64_t> place = placeOf(indices.toInteger(row * depth + d), x[batch + d]);
      if (!place)
        return false;
      slice = slice * x[batch + d] + *place;
    }
    visit(slice, row);
  }
  return true;
}

static void copyElements(const HostTensor &from, int64_t fromIndex, HostTensor &to, int64_t toIndex, int64_t count) {
  int64_t width = elementBytes(to.type().getElementType());
  std::memcpy(to.mutableBytes().data() + toIndex * width, from.bytes().data() + fromIndex * width, count * width);
}

static HostTensor copyOf(const HostTensor &x) {
  HostTensor result(x.type());
  llvm::copy(x.bytes(), result.mutableBytes().begin());
  return result;
}

template <class T> static T reduced(ScatterReduction reduction, T current, T update) {
  switch (reduction) {
  case ScatterReduction::None:
    return update;
  case ScatterReduction::Add:
    return current + update;
  case ScatterReduction::Mul:
    return current * update;
  case ScatterReduction::Max:
    return current > update ? current : update;
  case ScatterReduction::Min:
    return current < update ? current : update;
  }
  return update;
}

// As templates/kernels/scatter.hpp does it: integers wrap around, an update counts beside NaN.
static void reduceElement(HostTensor &to, int64_t at, const HostTensor &updates, int64_t from,
                          ScatterReduction reduction) {
  Type element = to.type().getElementType();
  if (reduction == ScatterReduction::None)
    return copyElements(updates, from, to, at, 1);
  if (isa<FloatType>(element))
    return to.set(at, reduced(reduction, to.toDouble(at), updates.toDouble(from)));
  bool isSum = reduction == ScatterReduction::Add || reduction == ScatterReduction::Mul;
  int64_t current = to.toInteger(at), update = updates.toInteger(from);
  if (element.isInteger(1))
    to.setInteger(at, reduced(reduction, current, update) != 0);
  else if (isSum || element.isUnsignedInteger())
    to.setInteger(
        at, static_cast<int64_t>(reduced(reduction, static_cast<uint64_t>(current), static_cast<uint64_t>(update))));
  else
    to.setInteger(at, reduced(reduction, current, update));
}

// ----------------------------------------------------------------------------------------------------------------- ops

using Result = std::optional<HostTensor>;

static Result evaluate(GatherElementsOp op, Tensors operands) {
  HostTensor result(op.getType());
  bool isGood = forEachAlong(operands[0], operands[1], op.getAxis(),
                             [&](int64_t from, int64_t to) { copyElements(operands[0], from, result, to, 1); });
  return isGood ? Result(std::move(result)) : std::nullopt;
}

static Result evaluate(GatherNDOp op, Tensors operands) {
  HostTensor result(op.getType());
  ArrayRef<int64_t> x = operands[0].type().getShape();
  int64_t inner = ShapedType::getNumElements(
      x.drop_front(op.getBatchDims() + static_cast<uint64_t>(operands[1].type().getShape().back())));
  bool isGood = forEachRow(x, operands[1], op.getBatchDims(), [&](int64_t slice, int64_t row) {
    copyElements(operands[0], slice * inner, result, row * inner, inner);
  });
  return isGood ? Result(std::move(result)) : std::nullopt;
}

static Result evaluate(ScatterElementsOp op, Tensors operands) {
  HostTensor result = copyOf(operands[0]);
  bool isGood = forEachAlong(operands[0], operands[1], op.getAxis(), [&](int64_t to, int64_t from) {
    reduceElement(result, to, operands[2], from, op.getReduction());
  });
  return isGood ? Result(std::move(result)) : std::nullopt;
}

static Result evaluate(ScatterNDOp op, Tensors operands) {
  HostTensor result = copyOf(operands[0]);
  ArrayRef<int64_t> x = operands[0].type().getShape();
  int64_t inner = ShapedType::getNumElements(x.drop_front(operands[1].type().getShape().back()));
  bool isGood = forEachRow(x, operands[1], 0, [&](int64_t slice, int64_t row) {
    for (int64_t i = 0; i < inner; ++i)
      reduceElement(result, slice * inner + i, operands[2], row * inner + i, op.getReduction());
  });
  return isGood ? Result(std::move(result)) : std::nullopt;
}

std::optional<HostTensor> evaluateIndexing(Operation *op, Tensors operands) {
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<GatherElementsOp, GatherNDOp, ScatterElementsOp, ScatterNDOp>(
          [&](auto typed) { return evaluate(typed, operands); })
      .Default([](auto) { return std::nullopt; });
}

} // namespace aotc::nn
