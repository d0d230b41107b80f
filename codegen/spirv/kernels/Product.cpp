// Matrix products and convolutions in f32, with weights that may be halves.
#include "codegen/spirv/kernels/Kernels.h"

#include "codegen/spirv/kernels/TiledProduct.h"

using namespace mlir;

namespace aotc::codegen {

//===-- matrix products -------------------------------------------------------------------------------------------===//

// The stack of an operand: 0 of one that all stacks share.
static Value stackOf(Shader &shader, const GpuOperand &operand, Value stack) {
  return operand.sizes[0] == 1 ? shader.index(0) : stack;
}

LogicalResult buildMatMul(Shader &shader, Operation *step) {
  auto op = cast<kern::MatMulOp>(step);
  if (op.getPacked())
    return op.emitError("weights of a matrix product are packed for a processor");
  const GpuOperand &a = shader.operand(op.getA()), &weights = shader.operand(op.getWeights()),
                   &out = shader.operand(op.getOut());
  Product product{shader.builder().getF32Type(), out.sizes[0], out.sizes[1], out.sizes[2], a.sizes[2], {}, {}, {}};
  product.weightElement = weights.element;
  const auto placeOfA = [&](Value z, Value m, Value k) { return Shader::Values{stackOf(shader, a, z), m, k}; };
  const auto placeOfB = [&](Value z, Value k, Value n) { return Shader::Values{stackOf(shader, weights, z), k, n}; };
  product.a = [&](Value z, Value m, Value k, Value isInside) {
    return shader.loadOrZero(a, placeOfA(z, m, k), isInside);
  };
  product.b = [&](Value z, Value k, Value n, Value isInside) {
    return shader.loadOrZero(weights, placeOfB(z, k, n), isInside);
  };
  if (shader.hasFours(a))
    product.fourOfA = [&](Value z, Value m, Value k, Value isInside) {
      return shader.loadFourOrZero(a, placeOfA(z, m, k), isInside);
    };
  if (shader.hasFours(weights))
    product.fourOfB = [&](Value z, Value k, Value n, Value isInside) {
      return shader.loadFourOrZero(weights, placeOfB(z, k, n), isInside);
    };
  product.store = [&](Value value, Value z, Value m, Value n) { storeResult(shader, op, value, {z, m, n}); };
  buildProduct(shader, product);
  return success();
}

//===-- convolutions ----------------------------------------------------------------------------------------------===//

ConvolutionIndices::ConvolutionIndices(ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides, ArrayRef<int64_t> pads,
                                       ArrayRef<int64_t> dilations, const GpuOperand &x, const GpuOperand &out,
                                       int64_t groups, bool isPlanar)
    : kernel(kernel), strides(strides), pads(pads), dilations(dilations), pixels(ArrayRef(out.sizes).take_front(3)),
      height(x.sizes[isPlanar ? 2 : 1]), width(x.sizes[isPlanar ? 3 : 2]), channels(x.sizes[isPlanar ? 1 : 3] / groups),
      filters(out.sizes[3] / groups), isPlanar(isPlanar) {}

// Outside of the image above or left of it is negative, and as an unsigned number far beyond it.
Shader::Values ConvolutionIndices::input(Shader &shader, Value z, Value m, Value k, Value &isInside) const {
  Shader::Values pixel = shader.delinearize(m, pixels), tap = shader.delinearize(k, {kernel[0], kernel[1], channels});
  Value h = shader.add(shader.add(shader.mul(pixel[1], strides[0]), shader.mul(tap[0], dilations[0])), -pads[0]);
  Value w = shader.add(shader.add(shader.mul(pixel[2], strides[1]), shader.mul(tap[1], dilations[1])), -pads[1]);
  Value c = shader.add(shader.mul(z, channels), tap[2]);
  isInside = shader.both(isInside, shader.both(shader.isBelow(h, height), shader.isBelow(w, width)));
  return isPlanar ? Shader::Values{pixel[0], c, h, w} : Shader::Values{pixel[0], h, w, c};
}

Shader::Values ConvolutionIndices::weight(Shader &shader, Value z, Value k, Value n) const {
  Shader::Values tap = shader.delinearize(k, {kernel[0], kernel[1], channels});
  return {shader.add(shader.mul(z, filters), n), tap[2], tap[0], tap[1]};
}

Shader::Values ConvolutionIndices::output(Shader &shader, Value z, Value m, Value n) const {
  Shader::Values at = shader.delinearize(m, pixels);
  at.push_back(shader.add(shader.mul(z, filters), n));
  return at;
}

// Weights are [groups, kernel height * kernel width * channels of a group, filters of a group], or ONNX's where they
// are not constant.
LogicalResult buildConvolution(Shader &shader, Operation *step) {
  auto op = cast<kern::Conv2DOp>(step);
  const GpuOperand &x = shader.operand(op.getX()), &weights = shader.operand(op.getWeights());
  const auto groups = static_cast<int64_t>(op.getGroups());
  ConvolutionIndices indices(op.getKernel(), op.getStrides(), op.getPads(), op.getDilations(), x,
                             shader.operand(op.getOut()), groups, op.getPlanarInput());
  Product product{shader.builder().getF32Type(), groups, indices.m(), indices.filters, indices.k(), {}, {}, {}};
  product.weightElement = weights.element;
  product.a = [&](Value z, Value m, Value k, Value isInside) {
    Shader::Values at = indices.input(shader, z, m, k, isInside);
    return shader.loadOrZero(x, at, isInside);
  };
  product.b = [&](Value z, Value k, Value n, Value isInside) {
    return shader.loadOrZero(
        weights, weights.sizes.size() == 3 ? Shader::Values{z, k, n} : indices.weight(shader, z, k, n), isInside);
  };
  if (!op.getPlanarInput() && shader.hasFours(x) && indices.channels % 4 == 0) // four channels of one pixel
    product.fourOfA = [&](Value z, Value m, Value k, Value isInside) {
      Shader::Values at = indices.input(shader, z, m, k, isInside);
      return shader.loadFourOrZero(x, at, isInside);
    };
  if (weights.sizes.size() == 3 && shader.hasFours(weights))
    product.fourOfB = [&](Value z, Value k, Value n, Value isInside) {
      return shader.loadFourOrZero(weights, Shader::Values{z, k, n}, isInside);
    };
  product.store = [&](Value value, Value z, Value m, Value n) {
    storeResult(shader, op, value, indices.output(shader, z, m, n));
  };
  buildProduct(shader, product);
  return success();
}

} // namespace aotc::codegen
