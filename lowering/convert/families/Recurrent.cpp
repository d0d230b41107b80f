// Recurrent networks as calls of templates/kernels/recurrent.hpp. Their weights are rearranged in panels of hidden
// units: by folding where they are constants, by steps of the plan elsewhere.
#include "ir/kern/Dialect.h"
#include "ir/kern/Literal.h"
#include "ir/kern/RecurrentCells.h"
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "lowering/convert/KernelCall.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace aotc::convert {

namespace {

constexpr int64_t panel = kern::panelColumns;
constexpr int64_t sequencesOfUnit = 8, scratchStates = 3; // recurrent_rows and recurrent_states of the kernel

// ------------------------------------------------------------------------------------------------------------- weights

Value reshaped(OpBuilder &builder, Location loc, Value r, ArrayRef<int64_t> shape) {
  return nn::reshaped(builder, loc, r, nn::extentsOf(shape, {}, builder.getContext()));
}

// Gates [first, first + count) of R [directions, gates * hidden, hidden] as [directions][panels][hidden][count][16],
// the units of the last panel filled up with zeros; in two dimensions.
Value packGates(OpBuilder &builder, Location loc, Value r, int64_t gates, int64_t first, int64_t count) {
  auto type = cast<RankedTensorType>(r.getType());
  int64_t directions = type.getDimSize(0), hidden = type.getDimSize(2), panels = llvm::divideCeil(hidden, panel);
  r = reshaped(builder, loc, r, {directions, gates, hidden, hidden});
  if (count != gates)
    r = builder.createOrFold<nn::SliceOp>(loc, r, SmallVector<int64_t>{0, first, 0, 0},
                                          SmallVector<int64_t>{directions, count, hidden, hidden},
                                          SmallVector<int64_t>{1, 1, 1, 1}, AffineMapAttr());
  if (panels * panel != hidden)
    r = builder.createOrFold<nn::PadOp>(loc, r, SmallVector<int64_t>{0, 0, 0, 0},
                                        SmallVector<int64_t>{0, 0, panels * panel - hidden, 0}, nn::PadMode::Constant,
                                        cast<TypedAttr>(builder.getZeroAttr(type.getElementType())));
  r = reshaped(builder, loc, r, {directions, count, panels, panel, hidden});
  r = builder.createOrFold<nn::TransposeOp>(loc, r, SmallVector<int64_t>{0, 2, 4, 1, 3});
  return reshaped(builder, loc, r, {directions, panels * hidden * count * panel});
}

// A GRU that multiplies twice in a step has two matrices for each direction, one behind the other.
bool multipliesTwice(Operation *op) {
  auto gru = dyn_cast<nn::GruOp>(op);
  return gru && !gru.getLinearBeforeReset();
}

Value pack(OpBuilder &builder, Operation *op, Value r, int64_t gates) {
  Location loc = op->getLoc();
  if (!multipliesTwice(op))
    return packGates(builder, loc, r, gates, 0, gates);
  Value parts[] = {packGates(builder, loc, r, gates, 0, 2), packGates(builder, loc, r, gates, 2, 1)};
  return builder.createOrFold<nn::ConcatOp>(loc, ValueRange(parts), 1);
}

// --------------------------------------------------------------------------------------------------------------- cells

std::string numberText(OpBuilder &builder, float value) { return *kern::literal(builder.getF32FloatAttr(value)); }

// The values of an activation's members, in braces: those of its parameters that it has.
std::string parametersText(OpBuilder &builder, StringRef activation, float alpha, float beta) {
  std::string text = "{";
  if (!llvm::is_contained({"Relu", "Tanh", "Sigmoid", "Softsign", "Softplus"}, activation))
    text += numberText(builder, alpha);
  if (llvm::is_contained({"Affine", "ScaledTanh", "HardSigmoid"}, activation))
    text += ", " + numberText(builder, beta);
  return text + "}";
}

// "aotc::GruCell<aotc::activation::Sigmoid, aotc::activation::Tanh>{{}, {}, 3.0f}"; `more` are template arguments.
template <class Op> std::string cellText(Op op, OpBuilder &builder, StringRef cell, int64_t direction, StringRef more) {
  std::string types, values;
  for (int64_t i = 0; i < Op::functionCount; ++i) {
    size_t at = static_cast<size_t>(direction * Op::functionCount + i);
    StringRef name = cast<StringAttr>(op.getActivations()[static_cast<unsigned>(at)]).getValue();
    types += (i ? ", aotc::activation::" : "aotc::activation::") + name.str();
    values += parametersText(builder, name, op.getAlpha()[at], op.getBeta()[at]) + ", ";
  }
  APFloat clip = op.getClip();
  values += clip.isInfinity() ? "aotc::unclipped" : numberText(builder, clip.convertToFloat());
  return ("aotc::" + cell + "<" + types + more + ">{" + values + "}").str();
}

std::string cellText(nn::LstmOp op, OpBuilder &builder, int64_t direction) {
  return cellText(op, builder, "LstmCell", direction, op.getCoupled() ? ", true" : "");
}
std::string cellText(nn::GruOp op, OpBuilder &builder, int64_t direction) {
  return cellText(op, builder, "GruCell", direction, "");
}
std::string cellText(nn::RnnOp op, OpBuilder &builder, int64_t direction) {
  return cellText(op, builder, "RnnCell", direction, "");
}

bool isCoupled(nn::LstmOp op) { return op.getCoupled(); }
bool isCoupled(nn::GruOp) { return false; }
bool isCoupled(nn::RnnOp) { return false; }

// Of all directions, if they have the same.
template <class Op> ArrayAttr commonActivations(Op op, OpBuilder &builder) {
  ArrayRef<Attribute> all = op.getActivations().getValue(), first = all.take_front(Op::functionCount);
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i] != first[i % first.size()])
      return {};
  return builder.getArrayAttr(first);
}

StringRef functionOf(nn::LstmOp) { return "lstm"; }
StringRef functionOf(nn::GruOp op) { return op.getLinearBeforeReset() ? "gru_linear_before_reset" : "gru"; }
StringRef functionOf(nn::RnnOp) { return "rnn"; }

// The operands that only some of the ops have.
struct FurtherOperands {
  Value scales, bias, peepholes, initialC;
};
FurtherOperands furtherOperands(nn::LstmOp::Adaptor op) {
  return {op.getScales(), {}, op.getPeepholes(), op.getInitialC()};
}
FurtherOperands furtherOperands(nn::GruOp::Adaptor op) { return {{}, op.getBias(), {}, {}}; }
FurtherOperands furtherOperands(nn::RnnOp::Adaptor) { return {}; }

// ------------------------------------------------------------------------------------------------------------ the call

template <class Op> struct LowerRecurrent : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  using Adaptor = typename Op::Adaptor;

  LogicalResult matchAndRewrite(Op op, Adaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Value gates = adaptor.getGates();
    Value weights = pack(rewriter, op, op.getRecurrence(), Op::gateCount);
    KernelCall call(rewriter, op.getLoc(), "recurrent", functionOf(op));
    addExtents(call, op, gates);
    call.input(gates).input("weights", weights);
    if (elementOf(weights).isF32())
      call.mayBeHalves(1);
    addOptionalInputs(call, adaptor);
    SmallVector<Type> types;
    SmallVector<Value> outs;
    addOutputs(call, op, rewriter, types, outs);
    addCells(call, op, rewriter);
    int64_t batch = shapeOf(gates)[op.getBatchFirst() ? 0 : 1];
    int64_t sequences = ShapedType::isDynamic(batch) ? sequencesOfUnit : std::min(batch, sequencesOfUnit);
    int64_t bytes = elementOf(gates).getIntOrFloatBitWidth() / 8;
    call.scratch(scratchStates * std::max<int64_t>(sequences, 1) * llvm::alignTo(hiddenOf(op), panel) * bytes);

    Extents extents = nn::extentsOf(op.getGates()); // steps and batch first, in either order
    call.macs(ArrayRef<AffineExpr>(extents).take_front(2),
              shapeOf(op.getRecurrence())[0] * Op::gateCount * hiddenOf(op) * hiddenOf(op));

    SmallVector<Value> written = call.createInto(outs, types), results;
    noteCells(written, op, rewriter);
    size_t next = 0;
    for (Value result : op->getResults())
      results.push_back(result.use_empty() ? Value() : written[next++]);
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  static int64_t hiddenOf(Op op) { return shapeOf(op.getRecurrence())[2]; }

  static void addExtents(KernelCall &call, Op op, Value gates) {
    call.extent("steps", gates, op.getBatchFirst() ? 1 : 0).extent("batch", gates, op.getBatchFirst() ? 0 : 1);
    call.member("directions", shapeOf(op.getRecurrence())[0]).member("hidden", hiddenOf(op));
    call.member("reverse", op.getReverse()).member("batch_first", op.getBatchFirst());
  }

  static void addOptionalInputs(KernelCall &call, Adaptor adaptor) {
    FurtherOperands more = furtherOperands(adaptor);
    std::pair<StringRef, Value> inputs[] = {{"scales", more.scales},       {"bias", more.bias},
                                            {"peepholes", more.peepholes}, {"initial_h", adaptor.getInitialH()},
                                            {"initial_c", more.initialC},  {"lengths", adaptor.getLengths()}};
    for (auto [role, value] : inputs) {
      call.member(("has_" + role).str(), value ? 1 : 0);
      if (value)
        call.input(role, value);
    }
  }

  // Those results that somebody reads; the kernel leaves the others out.
  static void addOutputs(KernelCall &call, Op op, OpBuilder &builder, SmallVectorImpl<Type> &types,
                         SmallVectorImpl<Value> &outs) {
    StringRef names[] = {"has_y", "has_y_h", "has_y_c"};
    for (auto [i, name] : llvm::enumerate(names)) {
      bool isUsed = i < op->getNumResults() && !op->getResult(i).use_empty();
      call.member(name, isUsed);
      if (!isUsed)
        continue;
      types.push_back(op->getResult(i).getType());
      outs.push_back(createDestination(builder, op.getLoc(), cast<RankedTensorType>(types.back())));
    }
  }

  static void addCells(KernelCall &call, Op op, OpBuilder &builder) {
    std::string forward = cellText(op, builder, 0);
    call.argument(StringRef(forward));
    if (shapeOf(op.getRecurrence())[0] == 1)
      return;
    if (std::string backward = cellText(op, builder, 1); backward != forward)
      call.argument(StringRef(backward));
  }

  static void noteCells(ValueRange written, Op op, OpBuilder &builder) {
    ArrayAttr activations = commonActivations(op, builder);
    if (activations && op.getClip().isInfinity() && !isCoupled(op))
      for (Value result : written)
        result.getDefiningOp()->setAttr(kern::plainActivationsAttrName, activations);
  }
};

} // namespace

void populateRecurrent(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerRecurrent<nn::LstmOp>, LowerRecurrent<nn::GruOp>, LowerRecurrent<nn::RnnOp>>(types,
                                                                                                 patterns.getContext());
}

} // namespace aotc::convert
