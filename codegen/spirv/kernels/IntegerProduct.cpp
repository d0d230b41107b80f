// Products and convolutions of 8-bit integers, exact in 32 bits: the same integers as on every processor. Weights have
// 16 bits, less their own zero point, in ONNX's layout.
#include "codegen/spirv/kernels/Kernels.h"

#include "codegen/spirv/NarrowIntegers.h"
#include "codegen/spirv/kernels/TiledProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace aotc::codegen {

// An element less its zero point, or 0 outside.
static Value loadCentered(Shader &shader, const GpuOperand &operand, ArrayRef<Value> at, Value isInside,
                          bool isUnsigned, Value zeroPoint) {
  ImplicitLocOpBuilder &b = shader.builder();
  Value value = widened(b, b.getLoc(), shader.loadOrZero(operand, at, isInside), !isUnsigned);
  if (!zeroPoint)
    return value;
  Value zero = b.create<arith::ConstantIntOp>(0, b.getI32Type());
  return shader.select(isInside, b.create<arith::SubIOp>(value, zeroPoint), zero);
}

static Value asFloat(Shader &shader, Value sum) {
  return shader.builder().create<arith::SIToFPOp>(shader.builder().getF32Type(), sum);
}

LogicalResult buildIntegerMatMul(Shader &shader, Operation *step) {
  auto op = cast<kern::IntegerMatMulOp>(step);
  const GpuOperand &a = shader.operand(op.getA()), &weights = shader.operand(op.getWeights()),
                   &zero = shader.operand(op.getAZero()), &out = shader.operand(op.getOut());
  Product product{shader.builder().getI32Type(), out.sizes[0], out.sizes[1], out.sizes[2], a.sizes[2], {}, {}, {}};
  ImplicitLocOpBuilder &b = shader.builder();
  Value zeroPoint = widened(b, b.getLoc(), shader.load(zero, shader.index(0)), !op.getAUnsigned());
  product.a = [&](Value z, Value m, Value k, Value isInside) {
    return loadCentered(shader, a, Shader::Values{z, m, k}, isInside, op.getAUnsigned(), zeroPoint);
  };
  product.b = [&](Value, Value k, Value n, Value isInside) {
    return loadCentered(shader, weights, Shader::Values{shader.index(0), k, n}, isInside, false, {});
  };
  product.store = [&](Value value, Value z, Value m, Value n) {
    storeResult(shader, op, asFloat(shader, value), {z, m, n});
  };
  buildProduct(shader, product);
  return success();
}

LogicalResult buildIntegerConvolution(Shader &shader, Operation *step) {
  auto op = cast<kern::IntegerConv2DOp>(step);
  ImplicitLocOpBuilder &b = shader.builder();
  const GpuOperand &x = shader.operand(op.getX()), &weights = shader.operand(op.getWeights()),
                   &offsets = shader.operand(op.getOffsets());
  const auto groups = static_cast<int64_t>(op.getGroups());
  ConvolutionIndices indices(op.getKernel(), op.getStrides(), op.getPads(), op.getDilations(), x,
                             shader.operand(op.getOut()), groups, /*isPlanar=*/false);
  Product product{b.getI32Type(), groups, indices.m(), indices.filters, indices.k(), {}, {}, {}};
  Value zeroPoint =
      op.getXZero()
          ? widened(b, b.getLoc(), shader.load(shader.operand(op.getXZero()), shader.index(0)), !op.getXUnsigned())
          : b.create<arith::ConstantIntOp>(static_cast<int64_t>(op.getXZeroPoint()), b.getI32Type()).getResult();
  product.a = [&](Value z, Value m, Value k, Value isInside) {
    Shader::Values at = indices.input(shader, z, m, k, isInside);
    return loadCentered(shader, x, at, isInside, op.getXUnsigned(), zeroPoint);
  };
  product.b = [&](Value z, Value k, Value n, Value isInside) {
    return loadCentered(shader, weights, indices.weight(shader, z, k, n), isInside, false, {});
  };
  product.store = [&](Value value, Value z, Value m, Value n) {
    Shader::Values at = indices.output(shader, z, m, n);
    Value sum = b.create<arith::AddIOp>(value, shader.load(offsets, at.back()));
    storeResult(shader, op, asFloat(shader, sum), at);
  };
  buildProduct(shader, product);
  return success();
}

} // namespace aotc::codegen
