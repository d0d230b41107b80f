// The largest of each window of integers, as quantized networks have it between convolutions on bytes: a thread for each
// result.
#include "codegen/spirv/NarrowIntegers.h"
#include "codegen/spirv/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace aotc::codegen {

static IntegerType pooledType(kern::CallOp call) {
  return dyn_cast<IntegerType>(getElementTypeOrSelf(call->getOperand(0).getType()));
}

bool isIntegerMaxPool(Operation *op) {
  auto call = dyn_cast<kern::CallOp>(op);
  return call && call.getFunction() == "max_pool2d" && pooledType(call) && pooledType(call).getWidth() <= 32;
}

static bool isUnsignedInput(kern::CallOp call) {
  auto places = call->getAttrOfType<DenseI64ArrayAttr>("unsigned_operands");
  return places && llvm::is_contained(places.asArrayRef(), 0);
}

namespace {

class IntegerPool {
public:
  IntegerPool(Shader &shader, kern::CallOp call)
      : shader(shader), call(call), b(shader.builder()), x(shader.operand(call->getOperand(0))),
        out(shader.operand(call->getOperand(1))), isUnsigned(isUnsignedInput(call)) {}

  void build() {
    shader.forEachPoint(out.sizes, [&](const Shader::Values &at) {
      Value largest = fold(at);
      IntegerType type = pooledType(call);
      shader.store(type.getWidth() < 32 ? b.create<arith::TruncIOp>(type, largest) : largest, out, at);
    });
  }

private:
  // In 32 bits.
  Value least() const {
    const unsigned width = pooledType(call).getWidth();
    const llvm::APInt value = isUnsigned ? llvm::APInt::getZero(32) : llvm::APInt::getSignedMinValue(width).sext(32);
    return b.create<arith::ConstantOp>(b.getIntegerAttr(b.getI32Type(), value));
  }

  Value larger(Value x, Value y) const {
    return isUnsigned ? b.create<arith::MaxUIOp>(x, y).getResult() : b.create<arith::MaxSIOp>(x, y).getResult();
  }

  // Taps outside the image do not count; what is read in their place is inside.
  Value fold(const Shader::Values &at) {
    const int64_t kernel[] = {memberOf(call, "kernel_h"), memberOf(call, "kernel_w")};
    return shader.loop(kernel[0] * kernel[1], least(), [&](Value tap, ValueRange totals) -> Shader::Values {
      Shader::Values place = shader.delinearize(tap, kernel);
      Value h = position(at[1], place[0], "stride_h", "dilation_h", "pad_top");
      Value w = position(at[2], place[1], "stride_w", "dilation_w", "pad_left");
      Value isInside = shader.both(shader.isBelow(h, x.sizes[1]), shader.isBelow(w, x.sizes[2]));
      Value value = shader.loadOrZero(x, Shader::Values{at[0], h, w, at[3]}, isInside);
      Value wide = widened(b, b.getLoc(), value, !isUnsigned);
      return {shader.select(isInside, larger(totals[0], wide), totals[0])};
    })[0];
  }

  Value position(Value at, Value tap, StringRef stride, StringRef dilation, StringRef pad) {
    Value start = shader.mul(at, memberOf(call, stride));
    return shader.add(shader.add(start, shader.mul(tap, memberOf(call, dilation))), -memberOf(call, pad));
  }

  Shader &shader;
  kern::CallOp call;
  ImplicitLocOpBuilder &b;
  const GpuOperand &x, &out;
  const bool isUnsigned;
};

} // namespace

LogicalResult buildIntegerMaxPool(Shader &shader, Operation *op) {
  IntegerPool(shader, cast<kern::CallOp>(op)).build();
  return success();
}

} // namespace aotc::codegen
