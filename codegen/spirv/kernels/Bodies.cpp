// Bodies of steps and epilogues within shaders.
#include "codegen/spirv/kernels/DefinedIntegers.h"
#include "codegen/spirv/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace aotc::codegen {

Value quantize(Shader &shader, Value value, Value zeroPoint, int64_t least, int64_t most) {
  ImplicitLocOpBuilder &b = shader.builder();
  Value low = shader.number(static_cast<double>(least)), high = shader.number(static_cast<double>(most));
  Value rounded = b.create<arith::AddFOp>(b.create<math::RoundEvenOp>(value), zeroPoint);
  Value isAbove = b.create<arith::CmpFOp>(arith::CmpFPredicate::OGT, rounded, low); // false for NaN
  Value clamped = b.create<arith::MinNumFOp>(shader.select(isAbove, rounded, low), high);
  Value word = b.create<arith::FPToSIOp>(b.getI32Type(), clamped);
  return b.create<arith::TruncIOp>(b.getI8Type(), word);
}

int64_t memberOf(kern::CallOp call, StringRef name) {
  for (auto [member, value] : llvm::zip(call.getMembers().getAsValueRange<StringAttr>(), call.getValues()))
    if (member == name)
      if (auto number = dyn_cast<IntegerAttr>(value))
        return number.getInt();
  return 0;
}

Value importValue(Shader &shader, Value value) {
  Operation *constant = value.getDefiningOp();
  assert(constant && constant->hasTrait<OpTrait::ConstantLike>() && "bodies read nothing else from outside");
  return shader.builder().clone(*constant)->getResult(0);
}

// What is in the mapping, or a number from outside of the body.
static Value mappedValue(Shader &shader, Value value, IRMapping &mapping) {
  if (!mapping.contains(value))
    mapping.map(value, importValue(shader, value));
  return mapping.lookup(value);
}

static void clone(Shader &shader, Operation &op, IRMapping &mapping) {
  auto operands =
      llvm::map_to_vector(op.getOperands(), [&](Value operand) { return mappedValue(shader, operand, mapping); });
  if (Value value = buildDefined(shader.builder(), op, operands))
    mapping.map(op.getResult(0), value);
  else
    shader.builder().clone(op, mapping);
}

SmallVector<Value> inlineBody(Shader &shader, Block &block, ValueRange arguments, ValueRange loops) {
  IRMapping mapping;
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      mapping.map(index.getResult(), loops[index.getDim()]);
    else if (auto quantize = dyn_cast<kern::QuantizeOp>(op))
      mapping.map(quantize.getResult(),
                  aotc::codegen::quantize(shader, mappedValue(shader, quantize.getValue(), mapping),
                                          mappedValue(shader, quantize.getZeroPoint(), mapping),
                                          static_cast<int64_t>(quantize.getLow()),
                                          static_cast<int64_t>(quantize.getHigh())));
    else
      clone(shader, op, mapping);
  }
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return mappedValue(shader, value, mapping); });
}

// Divisors and moduli are of indices, which are not negative.
static Value expressionValue(Shader &shader, AffineExpr expression, ValueRange dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return dims[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return shader.index(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expression);
  Value left = expressionValue(shader, binary.getLHS(), dims);
  if (expression.getKind() == AffineExprKind::Add)
    return shader.add(left, expressionValue(shader, binary.getRHS(), dims));
  int64_t right = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  switch (expression.getKind()) {
  case AffineExprKind::Mul:
    return shader.mul(left, right);
  case AffineExprKind::FloorDiv:
    return shader.div(left, right);
  case AffineExprKind::Mod:
    return shader.rem(left, right);
  default:
    llvm_unreachable("maps of operands have no other expressions");
  }
}

Value applyEpilogue(Shader &shader, kern::EpilogueOp op, Value value, ValueRange indices) {
  if (op.getEpilogue().empty())
    return value;
  SmallVector<Value> arguments{value};
  for (auto [extra, map] : llvm::zip(op.getExtras(), op.getExtraMaps().getAsValueRange<AffineMapAttr>())) {
    auto position = llvm::map_to_vector(map.getResults(),
                                        [&](AffineExpr result) { return expressionValue(shader, result, indices); });
    arguments.push_back(shader.load(shader.operand(extra), position));
  }
  return inlineBody(shader, op.getEpilogue().front(), arguments, {}).front();
}

void storeResult(Shader &shader, kern::EpilogueOp op, Value value, ValueRange indices) {
  Value out = cast<DestinationStyleOpInterface>(op.getOperation()).getDpsInits().front();
  shader.store(applyEpilogue(shader, op, value, indices), shader.operand(out), llvm::to_vector(indices));
}

} // namespace aotc::codegen
