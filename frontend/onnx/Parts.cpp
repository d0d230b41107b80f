#include "frontend/onnx/Parts.h"

#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

Value aotc::frontend::createPart(NodeBuilder &node, Value x, int64_t axis, int64_t begin, int64_t end) {
  if (node.failed())
    return {};
  auto type = node.typeOf(x);
  if (begin == 0 && end == type.getShape()[axis])
    return x;
  auto rank = static_cast<size_t>(type.getRank());
  IntList starts(rank, 0), sizes(type.getShape()), steps(rank, 1);
  starts[axis] = begin;
  sizes[axis] = end - begin;
  return node.create<nn::SliceOp>(x, starts, sizes, steps);
}

Value aotc::frontend::createSlot(NodeBuilder &node, Value x, int64_t axis, int64_t index) {
  Value part = createPart(node, x, axis, index, index + 1);
  if (node.failed())
    return {};
  IntList shape(node.typeOf(part).getShape());
  shape.erase(shape.begin() + axis);
  return node.createReshape(part, shape);
}

Value aotc::frontend::createStack(NodeBuilder &node, llvm::ArrayRef<Value> values, int64_t axis) {
  llvm::SmallVector<Value> slots;
  for (Value value : values) {
    if (value.getType() != values.front().getType()) {
      node.fail("what is put together must have one type, found " + nn::describe(values.front().getType()) + " and " +
                nn::describe(value.getType()));
      return {};
    }
    IntList shape(node.typeOf(value).getShape());
    shape.insert(shape.begin() + axis, 1);
    slots.push_back(node.createReshape(value, shape));
  }
  return node.create<nn::ConcatOp>(ValueRange(slots), static_cast<uint64_t>(axis));
}
