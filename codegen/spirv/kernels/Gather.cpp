// Slices that indices choose: a thread for each element of the result.
#include "codegen/spirv/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace aotc::codegen {

// The operand's 64-bit integers by halves, the low one first: devices need not have such integers.
static GpuOperand asWords(const GpuOperand &operand, ImplicitLocOpBuilder &b) {
  GpuOperand words = operand;
  words.element = b.getI32Type();
  words.offset *= 2;
  for (int64_t &stride : words.strides)
    stride *= 2;
  return words;
}

namespace {

// An index as 32 bits, and whether it is as large as it looks.
struct Index {
  Value value, isShort;
};

} // namespace

static Index loadIndex(Shader &shader, const GpuOperand &operand, ArrayRef<Value> at) {
  ImplicitLocOpBuilder &b = shader.builder();
  if (!operand.element.isInteger(64))
    return {shader.load(operand, at), b.create<arith::ConstantIntOp>(1, 1)};
  GpuOperand words = asWords(operand, b);
  Value position = shader.positionOf(words, at), low = shader.loadAt(words, position);
  Value high = shader.loadAt(words, shader.add(position, 1));
  Value sign = b.create<arith::ShRSIOp>(low, b.create<arith::ConstantIntOp>(31, 32));
  return {low, b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, high, sign)};
}

// out[o, j, i] = x[o, indices[j], i]. An index out of range reads the first slice and is reported.
LogicalResult buildGather(Shader &shader, Operation *step) {
  auto op = cast<kern::GatherOp>(step);
  ImplicitLocOpBuilder &b = shader.builder();
  const GpuOperand &x = shader.operand(op.getX()), &indices = shader.operand(op.getIndices()),
                   &out = shader.operand(op.getOut());
  const bool isWidened = x.element.isF16() && out.element.isF32(); // weights in half the room
  if ((x.element != out.element && !isWidened) || (!indices.element.isInteger(64) && !indices.element.isInteger(32)))
    return op.emitError("has no GPU form for these element types");
  const int64_t length = x.sizes[1];
  shader.forEachPoint(out.sizes, [&](const Shader::Values &at) {
    Index index = loadIndex(shader, indices, at[1]);
    Value zero = b.create<arith::ConstantIntOp>(0, 32), extent = b.create<arith::ConstantIntOp>(length, 32);
    Value isNegative = b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, index.value, zero);
    Value wrapped = b.create<arith::AddIOp>(index.value, extent);
    Value slice = shader.select(isNegative, wrapped, index.value);
    Value isInside = shader.both(index.isShort, b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, slice, extent));
    slice = b.create<arith::IndexCastOp>(b.getIndexType(), shader.select(isInside, slice, zero));
    const Shader::Values from{at[0], slice, at[2]};
    shader.store(isWidened ? shader.loadFloat(x, from) : shader.load(x, from), out, at);
    if (!op.getKernelFailure().empty())
      shader.failUnless(isInside, op.getKernelFailure());
  });
  return success();
}

} // namespace aotc::codegen
