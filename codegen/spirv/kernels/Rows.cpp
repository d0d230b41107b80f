// Reductions, normalisation and softmax over l of x [o, l, i]. A workgroup takes neighbours along i of one o, up to a
// quarter as many as it has threads, and splits l among its threads; what they fold meets in shared memory. Threads
// beyond the last column compute along, on column 0, so that all of them reach every barrier, and store nothing.
#include "codegen/spirv/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace aotc::codegen {

namespace {

class Rows {
public:
  Rows(Shader &shader, kern::EpilogueOp op, Value x)
      : shader(shader), op(op), b(shader.builder()), x(shader.operand(x)), sizes(this->x.sizes) {
    if (sizes.size() == 2)
      sizes.push_back(1), this->x.strides.push_back(0);
    while (columns < std::min(sizes[2], shader.threads() / 4))
      columns *= 2;
    slices = shader.threads() / columns;
    const int64_t blocks = llvm::divideCeil(sizes[2], columns);
    Value group = shader.groupOf(sizes[0] * blocks);
    isUnit = shader.isBelow(group, sizes[0] * blocks);
    Value unit = shader.select(isUnit, group, shader.index(0)), thread = shader.thread();
    outer = shader.div(unit, blocks);
    slice = shader.div(thread, columns);
    Value column = shader.add(shader.mul(shader.rem(unit, blocks), columns), shader.rem(thread, columns));
    isUnit = shader.both(isUnit, shader.isBelow(column, sizes[2]));
    inner = shader.select(isUnit, column, shader.index(0));
    partials = shader.shared(shader.threads());
  }

  int64_t length() const { return sizes[1]; }
  int64_t rank() const { return static_cast<int64_t>(shader.operand(op->getOperand(0)).sizes.size()); }

  Value load(Value l) { return shader.load(x, Shader::Values{outer, l, inner}); }

  // The fold of value(l) over all l, known to all threads of the row.
  Value fold(double neutral, llvm::function_ref<Value(Value)> value, const Combination &combination) {
    Value partial = shader.loop(
        slice, shader.index(length()), slices, shader.number(neutral),
        [&](Value l, ValueRange total) -> Shader::Values { return {combination.combine(total[0], value(l))}; })[0];
    return shader.meet(partial, partials, columns, combination);
  }

  void forEach(llvm::function_ref<void(Value)> body) {
    shader.ifTrue(isUnit, [&] {
      shader.loop(slice, shader.index(length()), slices, {}, [&](Value l, ValueRange) -> Shader::Values {
        body(l);
        return {};
      });
    });
  }

  // Once for each row.
  void once(llvm::function_ref<void()> body) {
    Value isFirst = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, slice, shader.index(0));
    shader.ifTrue(shader.both(isUnit, isFirst), body);
  }

  void store(Value value, Value l) {
    Shader::Values indices{outer, l};
    if (rank() == 3)
      indices.push_back(inner);
    storeResult(shader, op, value, indices);
  }

  Shader &shader;
  kern::EpilogueOp op;
  ImplicitLocOpBuilder &b;
  Value outer, inner;

private:
  GpuOperand x;
  SmallVector<int64_t> sizes;
  int64_t columns = 1, slices = 1;
  Value slice, isUnit, partials;
};

} // namespace

static constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Op>
static Combination binary(ImplicitLocOpBuilder &b, std::optional<SubgroupFold> bySubgroups = std::nullopt) {
  return {[&b](Value x, Value y) -> Value { return b.create<Op>(x, y); }, bySubgroups};
}

static Value sum(Rows &rows, llvm::function_ref<Value(Value)> value) {
  return rows.fold(0, value, binary<arith::AddFOp>(rows.b, SubgroupFold::Sum));
}

LogicalResult buildReduce(Shader &shader, Operation *step) {
  auto op = cast<kern::ReduceOp>(step);
  Rows rows(shader, op, op.getX());
  auto load = [&](Value l) { return rows.load(l); };
  Value result;
  switch (op.getKind()) {
  case kern::ReduceKind::Sum:
    result = sum(rows, load);
    break;
  case kern::ReduceKind::Max: // subgroups would lose a NaN
    result = rows.fold(-infinity, load, binary<arith::MaximumFOp>(rows.b));
    break;
  case kern::ReduceKind::Min:
    result = rows.fold(infinity, load, binary<arith::MinimumFOp>(rows.b));
    break;
  case kern::ReduceKind::Product:
    result = rows.fold(1, load, binary<arith::MulFOp>(rows.b, SubgroupFold::Product));
    break;
  }
  rows.once([&] { storeResult(shader, op, result, {rows.outer, rows.inner}); });
  return success();
}

LogicalResult buildNormalize(Shader &shader, Operation *step) {
  auto op = cast<kern::NormalizeOp>(step);
  Rows rows(shader, op, op.getX());
  ImplicitLocOpBuilder &b = rows.b;
  Value scale = shader.number(1.0 / static_cast<double>(rows.length()));
  Value mean = op.getRootMeanSquare()
                   ? shader.number(0)
                   : b.create<arith::MulFOp>(sum(rows, [&](Value l) { return rows.load(l); }), scale).getResult();
  auto centered = [&](Value l) -> Value { return b.create<arith::SubFOp>(rows.load(l), mean); };
  Value squares = sum(rows, [&](Value l) -> Value {
    Value value = centered(l);
    return b.create<arith::MulFOp>(value, value);
  });
  Value variance = b.create<arith::AddFOp>(b.create<arith::MulFOp>(squares, scale),
                                           shader.number(op.getEpsilon().convertToDouble()));
  Value factor = b.create<math::RsqrtOp>(variance);
  rows.forEach([&](Value l) { rows.store(b.create<arith::MulFOp>(centered(l), factor), l); });
  return success();
}

LogicalResult buildSoftmax(Shader &shader, Operation *step) {
  auto op = cast<kern::SoftmaxOp>(step);
  Rows rows(shader, op, op.getX());
  ImplicitLocOpBuilder &b = rows.b;
  // The sum has every NaN again that subgroups lose here.
  const Combination larger = binary<arith::MaximumFOp>(b, SubgroupFold::Largest);
  Value most = rows.fold(
      -infinity, [&](Value l) { return rows.load(l); }, larger);
  auto shifted = [&](Value l) -> Value { return b.create<arith::SubFOp>(rows.load(l), most); };
  Value total = sum(rows, [&](Value l) -> Value { return b.create<math::ExpOp>(shifted(l)); });
  if (op.getLogarithm()) {
    Value logarithm = b.create<math::LogOp>(total);
    rows.forEach([&](Value l) { rows.store(b.create<arith::SubFOp>(shifted(l), logarithm), l); });
  } else {
    rows.forEach([&](Value l) { rows.store(b.create<arith::DivFOp>(b.create<math::ExpOp>(shifted(l)), total), l); });
  }
  return success();
}

} // namespace aotc::codegen
