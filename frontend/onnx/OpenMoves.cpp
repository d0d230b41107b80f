#include "frontend/onnx/OpenMoves.h"

#include "frontend/onnx/Parts.h"
#include "ir/nn/Shapes.h"

using namespace mlir;

namespace aotc::frontend {

static Value integer(NodeBuilder &node, int64_t value) {
  return node.createScalar(static_cast<double>(value), node.getBuilder().getI64Type());
}

static Value createGather(NodeBuilder &node, Value x, Value places, size_t axis) {
  return node.create<nn::GatherOp>(x, places, static_cast<uint64_t>(axis));
}

Value createReversed(NodeBuilder &node, Value x, size_t axis, int64_t step) {
  AffineExpr extent = nn::extentsOf(node.typeOf(x))[axis];
  Value counts = createCounts(node, nn::quotient(nn::sum(extent, -step - 1), -step), 0, 1);
  Value back = node.create<nn::MulOp>(counts, integer(node, step));
  return createGather(node, x, node.create<nn::AddOp>(back, node.createExtents(nn::sum(extent, -1))), axis);
}

/// Where an element beyond an end, at `place`, is taken from.
static Value placeInside(NodeBuilder &node, Value place, AffineExpr extent, nn::PadMode mode) {
  Value first = integer(node, 0), last = node.createExtents(nn::sum(extent, -1));
  if (mode == nn::PadMode::Edge)
    return node.create<nn::MinOp>(node.create<nn::MaxOp>(place, first), last);
  if (mode == nn::PadMode::Reflect) { // abs() mirrors at the first element, and seen from the last one again
    Value fromLast = node.create<nn::SubOp>(last, node.create<nn::AbsOp>(place));
    return node.create<nn::SubOp>(last, node.create<nn::AbsOp>(fromLast));
  }
  Value length = node.createExtents(extent);
  Value below = node.create<nn::WhereOp>(node.create<nn::LessOp>(place, first), length, first);
  Value above = node.create<nn::WhereOp>(node.create<nn::GreaterOp>(place, last), length, first);
  return node.create<nn::SubOp>(node.create<nn::AddOp>(place, below), above);
}

Value createMirrored(NodeBuilder &node, Value x, size_t axis, int64_t low, int64_t high, nn::PadMode mode) {
  if (node.failed())
    return {};
  AffineExpr extent = nn::extentsOf(node.typeOf(x))[axis];
  int64_t wanted = std::max(low, high), least = node.boundsOf(extent).least;
  int64_t needed = mode == nn::PadMode::Reflect ? wanted + 1 : mode == nn::PadMode::Wrap ? wanted : 1;
  if (wanted > 0 && least < needed) {
    node.fail("'pads' reach beyond what is there of " + nn::describe(node.typeOf(x)) + " where dimension " +
                  llvm::Twine(axis) + " is smaller than " + llvm::Twine(needed),
              "give its dims a higher lower bound");
    return {};
  }
  Value place = createCounts(node, nn::sum(extent, low + high), 0, 1);
  place = node.create<nn::SubOp>(place, integer(node, low));
  return createGather(node, x, placeInside(node, place, extent, mode), axis);
}

} // namespace aotc::frontend
