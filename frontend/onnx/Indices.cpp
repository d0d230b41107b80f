#include "frontend/onnx/Indices.h"

#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

bool aotc::frontend::areIndices(NodeBuilder &node, size_t index) {
  Type element = node.typeOf(index).getElementType();
  if (element.isSignlessInteger(32) || element.isSignlessInteger(64))
    return true;
  node.fail(node.describeInput(index) + " must be int32 or int64, found " + nn::describe(node.typeOf(index)));
  return false;
}

void aotc::frontend::checkKnownIndices(NodeBuilder &node, size_t index, llvm::ArrayRef<int64_t> extents) {
  std::optional<nn::HostTensor> known = NodeBuilder::viewConstant(node.getInput(index));
  if (!known || extents.empty())
    return;
  for (int64_t i = 0; i < known->size(); ++i) {
    int64_t extent = extents[static_cast<size_t>(i) % extents.size()], value = known->toInteger(i);
    if (!ShapedType::isDynamic(extent) && (value < -extent || value >= extent))
      return node.fail(node.describeInput(index) + " must be within the extent " + llvm::Twine(extent) + ", found " +
                       llvm::Twine(value));
  }
}

int64_t aotc::frontend::readInt(NodeBuilder &node, size_t index, int64_t byDefault) {
  Value input = node.getInput(index);
  if (!input || node.failed())
    return byDefault;
  std::optional<nn::HostTensor> known = NodeBuilder::viewConstant(input);
  if (known && known->size() == 1)
    return known->toInteger(0);
  node.fail(node.describeInput(index) + " must be one number that is known when compiling");
  return byDefault;
}
