#include "ir/nn/ReductionFolding.h"

#include <cmath>

using namespace mlir;

namespace aotc::nn {

namespace {

// Floats as doubles, integers as the bits of 64.
struct Number {
  double f = 0;
  int64_t i = 0;
};

// Reads, compares, folds and writes the elements of one type.
struct Arithmetic {
  explicit Arithmetic(Type element)
      : isFloat(isa<FloatType>(element)), isUnsigned(element.isUnsignedInteger()),
        bits(element.getIntOrFloatBitWidth()) {}

  Number read(const HostTensor &x, int64_t index) const {
    return isFloat ? Number{x.toDouble(index), 0} : Number{0, x.toInteger(index)};
  }
  void write(HostTensor &x, int64_t index, Number value) const {
    isFloat ? x.set(index, value.f) : x.setInteger(index, value.i);
  }
  bool isNan(Number x) const { return isFloat && std::isnan(x.f); }
  bool less(Number x, Number y) const {
    if (isFloat)
      return x.f < y.f;
    return isUnsigned ? static_cast<uint64_t>(x.i) < static_cast<uint64_t>(y.i) : x.i < y.i;
  }

  Number identity(ReduceKind kind) const {
    if (kind == ReduceKind::Product)
      return {1, 1};
    if (kind == ReduceKind::Max)
      return {-std::numeric_limits<double>::infinity(), isUnsigned ? 0 : llvm::minIntN(bits)};
    if (kind == ReduceKind::Min)
      return {std::numeric_limits<double>::infinity(),
              isUnsigned ? static_cast<int64_t>(llvm::maxUIntN(bits)) : llvm::maxIntN(bits)};
    return {};
  }

  Number fold(ReduceKind kind, Number x, Number y) const {
    auto u = [](int64_t value) { return static_cast<uint64_t>(value); };
    switch (kind) {
    case ReduceKind::Sum:
    case ReduceKind::Mean:
      return wrapped({x.f + y.f, static_cast<int64_t>(u(x.i) + u(y.i))});
    case ReduceKind::Product:
      return wrapped({x.f * y.f, static_cast<int64_t>(u(x.i) * u(y.i))});
    case ReduceKind::Max:
      return isNan(x) || (!isNan(y) && less(y, x)) ? x : y;
    case ReduceKind::Min:
      return isNan(x) || (!isNan(y) && less(x, y)) ? x : y;
    }
    llvm_unreachable("every kind is folded");
  }

private:
  Number wrapped(Number x) const {
    if (!isFloat && bits < 64)
      x.i = isUnsigned ? x.i & static_cast<int64_t>(llvm::maxUIntN(bits)) : llvm::SignExtend64(x.i, bits);
    return x;
  }

  bool isFloat, isUnsigned;
  unsigned bits;
};

bool isBool(const HostTensor &x) { return x.type().getElementType().isInteger(1); }

// The shape as [outer, length, inner] around one dimension.
struct Run {
  Run(ArrayRef<int64_t> shape, int64_t axis)
      : outer(ShapedType::getNumElements(shape.take_front(axis))), length(shape[axis]),
        inner(ShapedType::getNumElements(shape.drop_front(axis + 1))) {}
  int64_t at(int64_t o, int64_t l, int64_t i) const { return (o * length + l) * inner + i; }
  int64_t outer, length, inner;
};

} // namespace

// Where each element of x goes, as the row-major strides of the result with 0 along the axes.
static SmallVector<int64_t> resultStrides(ReduceOp op, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 0);
  int64_t stride = 1;
  for (int64_t axis = static_cast<int64_t>(shape.size()) - 1; axis >= 0; --axis) {
    if (llvm::is_contained(op.getAxes(), axis))
      continue;
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

std::optional<HostTensor> evaluate(ReduceOp op, ArrayRef<HostTensor> operands) {
  const HostTensor &x = operands[0];
  if (isBool(x) || (op.getKind() == ReduceKind::Mean && !isa<FloatType>(x.type().getElementType())))
    return std::nullopt;
  Arithmetic arithmetic(x.type().getElementType());
  HostTensor result(op.getType());
  std::vector<Number> totals(result.size(), arithmetic.identity(op.getKind()));
  ArrayRef<int64_t> shape = x.type().getShape();
  SmallVector<int64_t> from = rowMajorStrides(shape), to = resultStrides(op, shape);
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t target = 0;
    for (auto [extent, stride, step] : llvm::zip(shape, from, to))
      target += i / stride % extent * step;
    totals[target] = arithmetic.fold(op.getKind(), totals[target], arithmetic.read(x, i));
  }
  double count = result.size() == 0 ? 1 : static_cast<double>(x.size()) / static_cast<double>(result.size());
  for (auto [i, total] : llvm::enumerate(totals)) {
    total.f = op.getKind() == ReduceKind::Mean ? total.f / count : total.f;
    arithmetic.write(result, static_cast<int64_t>(i), total);
  }
  return result;
}

std::optional<HostTensor> evaluate(CumulateOp op, ArrayRef<HostTensor> operands) {
  const HostTensor &x = operands[0];
  if (isBool(x))
    return std::nullopt;
  Arithmetic arithmetic(x.type().getElementType());
  HostTensor result(op.getType());
  Run run(x.type().getShape(), op.getAxis());
  for (int64_t o = 0; o < run.outer; ++o)
    for (int64_t i = 0; i < run.inner; ++i) {
      Number total = arithmetic.identity(op.getKind());
      for (int64_t step = 0; step < run.length; ++step) {
        int64_t at = run.at(o, op.getReverse() ? run.length - 1 - step : step, i);
        Number before = total;
        total = arithmetic.fold(op.getKind(), total, arithmetic.read(x, at));
        arithmetic.write(result, at, op.getExclusive() ? before : total);
      }
    }
  return result;
}

std::optional<HostTensor> evaluate(ArgReduceOp op, ArrayRef<HostTensor> operands) {
  const HostTensor &x = operands[0];
  Arithmetic arithmetic(x.type().getElementType());
  HostTensor result(op.getType());
  Run run(x.type().getShape(), op.getAxis());
  auto isBetter = [&](Number a, Number b) {
    bool precedes = op.getLargest() ? arithmetic.less(b, a) : arithmetic.less(a, b);
    return precedes || (arithmetic.isNan(a) && !arithmetic.isNan(b));
  };
  for (int64_t o = 0; o < run.outer; ++o)
    for (int64_t i = 0; i < run.inner; ++i) {
      int64_t best = 0;
      for (int64_t l = 1; l < run.length; ++l) {
        Number candidate = arithmetic.read(x, run.at(o, l, i)), found = arithmetic.read(x, run.at(o, best, i));
        best = (op.getLast() ? !isBetter(found, candidate) : isBetter(candidate, found)) ? l : best;
      }
      result.setInteger(o * run.inner + i, best);
    }
  return result;
}

} // namespace aotc::nn
