// There are kernels for floats; other types get the steps that those consist of.
#include "frontend/onnx/AlongAxes.h"

#include "ir/nn/Shapes.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
namespace nn = aotc::nn;

namespace aotc::frontend {

static Value softmaxInSteps(NodeBuilder &node, Value x, int64_t axis, bool logarithm) {
  IntList axes{axis};
  Value most = node.create<nn::ReduceOp>(x, nn::ReduceKind::Max, axes, true);
  Value distance = node.create<nn::SubOp>(x, most);
  Value power = node.create<nn::ExpOp>(distance);
  Value sum = node.create<nn::ReduceOp>(power, nn::ReduceKind::Sum, axes, true);
  if (logarithm)
    return node.create<nn::SubOp>(distance, node.create<nn::LogOp>(sum));
  return node.create<nn::DivOp>(power, sum);
}

Value createSoftmax(NodeBuilder &node, Value x, int64_t axis, bool logarithm) {
  if (node.failed())
    return {};
  if (node.typeOf(x).getElementType().isF64())
    return softmaxInSteps(node, x, axis, logarithm);
  return node.create<nn::SoftmaxOp>(x, static_cast<uint64_t>(axis), logarithm);
}

/// How many elements make one; nothing, and an error, where only the run knows.
static std::optional<int64_t> countReduced(NodeBuilder &node, RankedTensorType x, ArrayRef<int64_t> axes) {
  int64_t count = 1;
  for (int64_t axis : axes) {
    int64_t extent = x.getDimSize(static_cast<unsigned>(axis));
    if (ShapedType::isDynamic(extent)) {
      node.fail("the extents along the axes must be known when compiling");
      return std::nullopt;
    }
    count *= extent;
  }
  return count;
}

Value createMean(NodeBuilder &node, Value x, ArrayRef<int64_t> axes, bool keepDims) {
  if (node.failed())
    return {};
  auto type = node.typeOf(x);
  if (type.getElementType().isF32()) // the kernel scales its sum
    return node.create<nn::ReduceOp>(x, nn::ReduceKind::Mean, axes, keepDims);
  Value sum = node.create<nn::ReduceOp>(x, nn::ReduceKind::Sum, axes, keepDims);
  std::optional<int64_t> count = countReduced(node, type, axes);
  if (!count)
    return {};
  return node.create<nn::DivOp>(sum, node.createScalar(static_cast<double>(*count), type.getElementType()));
}

std::optional<int64_t> channelsOf(NodeBuilder &node, Value x) {
  if (!node.typeOf(x).isDynamicDim(1))
    return node.typeOf(x).getDimSize(1);
  node.fail("the number of channels must be known when compiling, found " + nn::describe(x));
  return std::nullopt;
}

Value createPlaces(NodeBuilder &node, int64_t count, int64_t axis, int64_t rank) {
  IntList shape(static_cast<size_t>(rank), 1);
  shape[static_cast<size_t>(axis)] = count;
  return node.createReshape(node.createInts(llvm::to_vector(llvm::seq<int64_t>(0, count))), shape);
}

} // namespace aotc::frontend
