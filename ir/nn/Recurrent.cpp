// Shape rules of recurrent networks.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"

using namespace mlir;

namespace aotc::nn {

namespace {

// What the shapes of the operands say.
struct Sizes {
  AffineExpr steps, batch;
  int64_t directions, hidden;
  bool batchFirst;

  AffineExpr number(int64_t value) const { return getAffineConstantExpr(value, batch.getContext()); }
  Extents state() const {
    return batchFirst ? Extents{batch, number(directions), number(hidden)}
                      : Extents{number(directions), batch, number(hidden)};
  }
  Extents sequence() const {
    return batchFirst ? Extents{batch, steps, number(directions), number(hidden)}
                      : Extents{steps, number(directions), batch, number(hidden)};
  }
};

LogicalResult check(std::optional<Location> loc, StringRef what, Value operand, const Extents &shape, Type element) {
  if (!operand || operand.getType() == tensorOf(shape, element))
    return success();
  return emitOptionalError(loc, what, " must be ", describe(tensorOf(shape, element)), ", found ",
                           describe(operand.getType()));
}

// What the numbers of R are of, where the product of input and weights is of `element`.
Type recurrenceElement(LstmOp::Adaptor adaptor, Type element) {
  return adaptor.getScales() ? IntegerType::get(element.getContext(), 8) : element;
}
template <class Adaptor> Type recurrenceElement(Adaptor, Type element) { return element; }

template <class Op> FailureOr<Sizes> sizesOf(std::optional<Location> loc, typename Op::Adaptor adaptor) {
  auto gates = cast<RankedTensorType>(adaptor.getGates().getType());
  auto recurrence = cast<RankedTensorType>(adaptor.getRecurrence().getType());
  if (gates.getRank() != 3)
    return emitOptionalError(loc, "the input must have three dimensions, found ", describe(gates));
  if (recurrence.getRank() != 3 || !recurrence.hasStaticShape() || recurrence.getDimSize(0) < 1 ||
      recurrence.getDimSize(0) > 2 || recurrence.getDimSize(2) < 1)
    return emitOptionalError(loc, "R must be [directions, gates, hidden], found ", describe(recurrence));
  Extents input = extentsOf(gates);
  Sizes sizes{input[0], input[1], recurrence.getDimSize(0), recurrence.getDimSize(2), adaptor.getBatchFirst()};
  if (sizes.batchFirst)
    std::swap(sizes.steps, sizes.batch);
  int64_t rows = Op::gateCount * sizes.hidden;
  if (failed(check(loc, "R", adaptor.getRecurrence(),
                   {sizes.number(sizes.directions), sizes.number(rows), sizes.number(sizes.hidden)},
                   recurrenceElement(adaptor, gates.getElementType()))) ||
      failed(check(loc, "the product of input and weights", adaptor.getGates(),
                   {input[0], input[1], sizes.number(sizes.directions * rows)}, gates.getElementType())))
    return failure();
  return sizes;
}

// The checks and results that all have in common.
template <class Op>
LogicalResult infer(std::optional<Location> loc, typename Op::Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<Sizes> sizes = sizesOf<Op>(loc, adaptor);
  if (failed(sizes))
    return failure();
  auto gates = cast<RankedTensorType>(adaptor.getGates().getType());
  Type element = gates.getElementType();
  if (failed(check(loc, "'initial_h'", adaptor.getInitialH(), sizes->state(), element)) ||
      failed(check(loc, "'sequence_lens'", adaptor.getLengths(), {sizes->batch},
                   IntegerType::get(element.getContext(), 32))))
    return failure();
  types.push_back(tensorOf(sizes->sequence(), element));
  types.push_back(tensorOf(sizes->state(), element));
  return success();
}

} // namespace

LogicalResult LstmOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  if (failed(infer<LstmOp>(loc, adaptor, types)))
    return failure();
  auto state = cast<RankedTensorType>(types.back());
  auto recurrence = cast<RankedTensorType>(adaptor.getRecurrence().getType());
  types.push_back(state);
  Type element = state.getElementType();
  auto ofUnits = [&](int64_t count) {
    return extentsOf({recurrence.getDimSize(0), count * recurrence.getDimSize(2)}, {}, state.getContext());
  };
  return failure(failed(check(loc, "'initial_c'", adaptor.getInitialC(), extentsOf(state), element)) ||
                 failed(check(loc, "P", adaptor.getPeepholes(), ofUnits(3), element)) ||
                 failed(check(loc, "the scales of R", adaptor.getScales(), ofUnits(gateCount),
                              Float32Type::get(element.getContext()))));
}

LogicalResult GruOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  return infer<GruOp>(loc, adaptor, types);
}

LogicalResult RnnOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  return infer<RnnOp>(loc, adaptor, types);
}

} // namespace aotc::nn
