// Loop nests: a thread for each point of the parallel loops, which it stores; what is folded goes through loops of its
// own.
#include "codegen/spirv/kernels/Kernels.h"

#include "codegen/cpp/LoopNest.h"

using namespace mlir;

namespace aotc::codegen {

namespace {

// A nest whose operands are seen through the shader's bindings.
struct Nest {
  SmallVector<int64_t> extents;
  SmallVector<GpuOperand> operands; ///< with a stride for each loop
  size_t parallel = 0;
  SmallVector<int> loopOfDim;

  ArrayRef<int64_t> parallelExtents() const { return ArrayRef(extents).take_front(parallel); }
};

} // namespace

// Steps of the printers' nest are in elements of the buffer; where the buffer lies in its binding, the shader knows.
static Nest makeNest(Shader &shader, const LoopNest &loops, ArrayRef<Value> memrefs, BufferTable &buffers,
                     Operation *step) {
  Nest nest;
  for (const Count &extent : loops.extents)
    nest.extents.push_back(extent.bound());
  nest.parallel = static_cast<size_t>(llvm::count(loops.isReduction, false));
  nest.loopOfDim = loops.loopOfDim;
  for (auto [operand, memref] : llvm::zip(loops.operands, memrefs)) {
    GpuOperand seen = shader.operand(memref);
    seen.offset += operand.place.offset.bound() - buffers.placeOf(memref, step)->offset.bound();
    seen.sizes = nest.extents;
    seen.strides = llvm::map_to_vector(operand.strides, [](const Count &stride) { return stride.bound(); });
    nest.operands.push_back(std::move(seen));
  }
  return nest;
}

LogicalResult buildCopy(Shader &shader, memref::CopyOp op, BufferTable &buffers) {
  LoopNest loops = copyNest(*buffers.placeOf(op.getSource(), op), *buffers.placeOf(op.getTarget(), op));
  simplify(loops);
  Nest nest = makeNest(shader, loops, {op.getSource(), op.getTarget()}, buffers, op);
  shader.forEachPoint(nest.parallelExtents(), [&](const Shader::Values &at) {
    shader.store(shader.load(nest.operands[0], at), nest.operands[1], at);
  });
  return success();
}

// The point of the nest at work: one index for each of its loops.
class PointOfNest {
public:
  PointOfNest(Shader &shader, linalg::LinalgOp op, const Nest &nest) : shader(shader), op(op), nest(nest) {}

  void build(const Shader::Values &at) {
    Shader::Values zeros(nest.extents.size() - nest.parallel, shader.index(0));
    Shader::Values start = at;
    start.append(zeros);
    Shader::Values values;
    for (const GpuOperand &target : targets())
      values.push_back(usesTargets() ? shader.load(target, start) : Value());
    values = fold(at, values);
    for (auto [value, target] : llvm::zip(values, targets()))
      shader.store(value, target, start);
  }

private:
  ArrayRef<GpuOperand> targets() { return ArrayRef(nest.operands).take_back(static_cast<size_t>(op.getNumDpsInits())); }
  bool usesTargets() {
    return llvm::any_of(op.getRegionOutputArgs(), [](BlockArgument argument) { return !argument.use_empty(); });
  }

  // The loops that are left, outside in.
  Shader::Values fold(const Shader::Values &at, ArrayRef<Value> totals) {
    if (at.size() == nest.extents.size())
      return body(at, totals);
    return shader.loop(nest.extents[at.size()], totals, [&](Value i, ValueRange inner) {
      Shader::Values next = at;
      next.push_back(i);
      return fold(next, llvm::to_vector(inner));
    });
  }

  Shader::Values body(const Shader::Values &at, ArrayRef<Value> totals) {
    Shader::Values arguments, indices;
    size_t memref = 0, init = 0;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()))
        arguments.push_back(importValue(shader, operand.get()));
      else if (op.isDpsInit(&operand))
        arguments.push_back(argumentOfTarget(operand, totals[init++]));
      else
        arguments.push_back(shader.load(nest.operands[memref++], at));
    }
    for (int loop : nest.loopOfDim)
      indices.push_back(loop < 0 ? shader.index(0) : at[static_cast<size_t>(loop)]);
    return inlineBody(shader, *op.getBlock(), arguments, indices);
  }

  // Something of its type where nobody reads it.
  Value argumentOfTarget(OpOperand &operand, Value total) {
    if (total)
      return total;
    ImplicitLocOpBuilder &b = shader.builder();
    Type element = cast<MemRefType>(operand.get().getType()).getElementType();
    return b.create<arith::ConstantOp>(b.getZeroAttr(element));
  }

  Shader &shader;
  linalg::LinalgOp op;
  const Nest &nest;
};

LogicalResult buildMap(Shader &shader, linalg::LinalgOp op, BufferTable &buffers) {
  FailureOr<LoopNest> loops = loopNestOf(op, buffers);
  if (failed(loops))
    return failure();
  simplify(*loops, op.hasIndexSemantics());
  SmallVector<Value> memrefs = memrefsOf(op);
  Nest nest = makeNest(shader, *loops, memrefs, buffers, op);
  shader.forEachPoint(nest.parallelExtents(),
                      [&](const Shader::Values &at) { PointOfNest(shader, op, nest).build(at); });
  return success();
}

} // namespace aotc::codegen
