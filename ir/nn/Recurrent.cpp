// Shape rules of recurrent networks.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"

using namespace mlir;

namespace aotc::nn {

namespace {

// What the shapes of the operands say.
struct Extents {
  int64_t steps, batch, directions, hidden;
  bool batchFirst;

  SmallVector<int64_t> state() const {
    return batchFirst ? SmallVector<int64_t>{batch, directions, hidden}
                      : SmallVector<int64_t>{directions, batch, hidden};
  }
  SmallVector<int64_t> sequence() const {
    return batchFirst ? SmallVector<int64_t>{batch, steps, directions, hidden}
                      : SmallVector<int64_t>{steps, directions, batch, hidden};
  }
};

// An extent that is only known at run time may be any.
bool agree(ArrayRef<int64_t> found, ArrayRef<int64_t> expected) {
  return found.size() == expected.size() && llvm::all_of(llvm::zip(found, expected), [](auto pair) {
           auto [x, y] = pair;
           return x == y || ShapedType::isDynamic(x) || ShapedType::isDynamic(y);
         });
}

LogicalResult check(std::optional<Location> loc, StringRef what, Value operand, ArrayRef<int64_t> shape, Type element) {
  if (!operand)
    return success();
  auto type = cast<RankedTensorType>(operand.getType());
  if (agree(type.getShape(), shape) && type.getElementType() == element)
    return success();
  return emitOptionalError(loc, what, " must be ", describe(RankedTensorType::get(shape, element)), ", found ",
                           describe(type));
}

template <class Op> FailureOr<Extents> extentsOf(std::optional<Location> loc, typename Op::Adaptor adaptor) {
  auto gates = cast<RankedTensorType>(adaptor.getGates().getType());
  auto recurrence = cast<RankedTensorType>(adaptor.getRecurrence().getType());
  if (gates.getRank() != 3)
    return emitOptionalError(loc, "the input must have three dimensions, found ", describe(gates));
  if (recurrence.getRank() != 3 || !recurrence.hasStaticShape() || recurrence.getDimSize(0) < 1 ||
      recurrence.getDimSize(0) > 2)
    return emitOptionalError(loc, "R must be [directions, gates, hidden], found ", describe(recurrence));
  Extents extents{gates.getDimSize(0), gates.getDimSize(1), recurrence.getDimSize(0), recurrence.getDimSize(2),
                  adaptor.getBatchFirst()};
  if (extents.batchFirst)
    std::swap(extents.steps, extents.batch);
  if (failed(check(loc, "R", adaptor.getRecurrence(),
                   {extents.directions, Op::gateCount * extents.hidden, extents.hidden}, gates.getElementType())) ||
      failed(check(loc, "the product of input and weights", adaptor.getGates(),
                   {gates.getDimSize(0), gates.getDimSize(1), extents.directions * Op::gateCount * extents.hidden},
                   gates.getElementType())))
    return failure();
  return extents;
}

// The checks and results that all have in common.
template <class Op>
LogicalResult infer(std::optional<Location> loc, typename Op::Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<Extents> extents = extentsOf<Op>(loc, adaptor);
  if (failed(extents))
    return failure();
  auto gates = cast<RankedTensorType>(adaptor.getGates().getType());
  Type element = gates.getElementType();
  if (failed(check(loc, "'initial_h'", adaptor.getInitialH(), extents->state(), element)) ||
      failed(check(loc, "'sequence_lens'", adaptor.getLengths(), {extents->batch},
                   IntegerType::get(element.getContext(), 32))))
    return failure();
  types.push_back(gates.clone(extents->sequence()));
  types.push_back(gates.clone(extents->state()));
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
  return failure(failed(check(loc, "'initial_c'", adaptor.getInitialC(), state.getShape(), state.getElementType())) ||
                 failed(check(loc, "P", adaptor.getPeepholes(),
                              {recurrence.getDimSize(0), 3 * recurrence.getDimSize(2)}, state.getElementType())));
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
