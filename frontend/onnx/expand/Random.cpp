// Operators that draw random numbers: known, and refused.
#include "frontend/onnx/OpTable.h"

using namespace aotc::frontend;

namespace {

void refuseRandom(NodeBuilder &node) {
  node.fail("random numbers are not supported: generated code gives the same results for the same inputs");
}

} // namespace

void aotc::frontend::addRandomRules(OpTable &table) {
  for (llvm::StringRef op :
       {"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli"})
    table.add(op, 0, 1, refuseRandom);
}
