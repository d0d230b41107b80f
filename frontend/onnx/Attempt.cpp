#include "frontend/onnx/Attempt.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

Attempt::Attempt(NodeBuilder &node)
    : node(node), before(node.getBuilder().saveInsertionPoint()), dimsBefore(nn::getFoundDims(node.getEntry())) {
  node.getBuilder().setInsertionPointToStart(&region.emplaceBlock());
}

Attempt::~Attempt() {
  node.getBuilder().restoreInsertionPoint(before);
  if (isKept)
    return;
  nn::setFoundDims(node.getEntry(), dimsBefore);
  node.forgetValues();
}

void Attempt::keepOps() {
  before.getBlock()->getOperations().splice(before.getPoint(), region.front().getOperations());
  isKept = true;
}

void Attempt::keepBlock(Region &place) {
  place.takeBody(region);
  isKept = true;
}
