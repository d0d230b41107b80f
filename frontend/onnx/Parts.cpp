#include "frontend/onnx/Parts.h"

#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

Value aotc::frontend::createPart(NodeBuilder &node, Value x, int64_t axis, int64_t begin, int64_t end) {
  return node.createSliceAlong(x, static_cast<size_t>(axis), begin, end - begin);
}

Value aotc::frontend::createSlot(NodeBuilder &node, Value x, int64_t axis, int64_t index) {
  Value part = createPart(node, x, axis, index, index + 1);
  if (node.failed())
    return {};
  nn::Extents extents = nn::extentsOf(part);
  extents.erase(extents.begin() + axis);
  return node.createReshapeTo(part, extents);
}

Value aotc::frontend::createStack(NodeBuilder &node, llvm::ArrayRef<Value> values, int64_t axis) {
  llvm::SmallVector<Value> slots;
  for (Value value : values) {
    if (value.getType() != values.front().getType()) {
      node.fail("what is put together must have one type, found " + nn::describe(values.front().getType()) + " and " +
                nn::describe(value.getType()));
      return {};
    }
    nn::Extents extents = nn::extentsOf(value);
    extents.insert(extents.begin() + axis, node.number(1));
    slots.push_back(node.createReshapeTo(value, extents));
  }
  return node.create<nn::ConcatOp>(ValueRange(slots), static_cast<uint64_t>(axis));
}

Value aotc::frontend::createCounts(NodeBuilder &node, AffineExpr count, size_t dim, size_t rank) {
  int64_t most = node.boundsOf(count).most;
  if (most > mostCounted)
    node.fail("there may be " + llvm::Twine(mostCounted) + " positions along a dimension, found " + llvm::Twine(most));
  if (node.failed())
    return {};
  IntList values;
  for (int64_t i = 0; i < most; ++i)
    values.push_back(i);
  Value counts = node.createSlice(node.createInts(values), node.number(0), count, llvm::ArrayRef<int64_t>(1));
  nn::Extents shape(rank, node.number(1));
  shape[dim] = count;
  return node.failed() ? Value() : node.createReshapeTo(counts, shape);
}
