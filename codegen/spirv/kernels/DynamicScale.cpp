// Quantization whose scale the run finds, in two steps (templates/kernels/dynamic_scale.hpp has the formulas): a
// workgroup for each part finds the ends of what its threads read, one thread joins them. Parts are read in turns, as
// far apart as all threads of all groups reach: least and greatest do not depend on the order.
#include "codegen/spirv/ExactQuotients.h"
#include "codegen/spirv/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace aotc::codegen {

static bool isExtremes(kern::CallOp call) { return call.getFunction() == "extremes"; }

bool isDynamicScale(Operation *op) {
  auto call = dyn_cast<kern::CallOp>(op);
  return call && (isExtremes(call) || call.getFunction() == "dynamic_scale") &&
         getElementTypeOrSelf(call->getOperand(0).getType()).isF32();
}

namespace {

class DynamicScale {
public:
  DynamicScale(Shader &shader, kern::CallOp call) : shader(shader), call(call), b(shader.builder()) {}

  void buildExtremes() {
    const GpuOperand &x = operand(0), &ends = operand(1);
    const int64_t parts = ends.sizes[1],
                  count = memberOf(call, "outer") * memberOf(call, "length") * memberOf(call, "inner");
    Value group = shader.groupOf(parts), thread = shader.thread();
    Value first = shader.add(shader.mul(group, shader.threads()), thread), memory = shader.shared(shader.threads());
    const double infinity = std::numeric_limits<double>::infinity();
    Shader::Values found = shader.loop(first, shader.index(count), parts * shader.threads(),
                                       {shader.number(infinity), shader.number(-infinity)},
                                       [&](Value i, ValueRange ends) -> Shader::Values {
                                         Value value = shader.loadAt(x, shader.add(i, x.offset));
                                         return {smaller(ends[0], value), larger(ends[1], value)};
                                       });
    Value low = shader.meet(found[0], memory, 1, {[&](Value x, Value y) { return smaller(x, y); }});
    Value high = shader.meet(found[1], memory, 1, {[&](Value x, Value y) { return larger(x, y); }});
    shader.ifTrue(shader.both(isFirst(thread), shader.isBelow(group, parts)), [&] {
      shader.store(low, ends, Shader::Values{shader.index(0), group});
      shader.store(high, ends, Shader::Values{shader.index(1), group});
    });
  }

  void buildScale() {
    shader.ifTrue(isFirst(shader.thread()), [&] {
      const auto [low, high] = join(operand(0));
      Value range = b.create<arith::SubFOp>(high, low);
      Value isEmpty = b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, range, shader.number(0));
      Value scale = shader.select(isEmpty, shader.number(1), exactQuotient(b, range, shader.number(255)));
      Value zeroPoint = b.create<arith::DivFOp>(b.create<arith::NegFOp>(low), scale); // exact, as it is rounded
      shader.store(scale, operand(1), {});
      shader.store(quantize(shader, zeroPoint, shader.number(0), 0, 255), operand(2), {});
    });
  }

private:
  const GpuOperand &operand(unsigned i) const { return shader.operand(call->getOperand(i)); }
  Value smaller(Value x, Value y) { return b.create<arith::MinimumFOp>(x, y); }
  Value larger(Value x, Value y) { return b.create<arith::MaximumFOp>(x, y); }
  Value isFirst(Value thread) { return b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, thread, shader.index(0)); }

  // The ends of all parts and 0.
  std::pair<Value, Value> join(const GpuOperand &ends) {
    Shader::Values found = shader.loop(ends.sizes[1], {shader.number(0), shader.number(0)},
                                       [&](Value part, ValueRange so) -> Shader::Values {
                                         Value low = shader.load(ends, Shader::Values{shader.index(0), part});
                                         Value high = shader.load(ends, Shader::Values{shader.index(1), part});
                                         return {smaller(so[0], low), larger(so[1], high)};
                                       });
    return {found[0], found[1]};
  }

  Shader &shader;
  kern::CallOp call;
  ImplicitLocOpBuilder &b;
};

} // namespace

LogicalResult buildDynamicScale(Shader &shader, Operation *op) {
  auto call = cast<kern::CallOp>(op);
  isExtremes(call) ? DynamicScale(shader, call).buildExtremes() : DynamicScale(shader, call).buildScale();
  return success();
}

} // namespace aotc::codegen
