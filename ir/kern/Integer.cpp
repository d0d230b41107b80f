// Products of 8-bit integers: their layout, as templates/kernels/integer_matmul_packed.hpp documents it.
#include "ir/kern/Dialect.h"
#include "ir/kern/Layout.h"

using namespace mlir;

namespace aotc::kern {

StringRef IntegerMatMulOp::getKernelFunction() { return "integer_matmul_packed"; }
SmallVector<Value> IntegerMatMulOp::getKernelInputs() { return {getA(), getWeights(), getWeightSums(), getAZero()}; }

void IntegerMatMulOp::getLayout(SmallVectorImpl<LayoutMember> &members) {
  members.push_back(extentMember("batch", getOut(), 0));
  members.push_back(extentMember("m", getOut(), 1));
  members.push_back(extentMember("n", getOut(), 2));
  members.push_back(extentMember("k", getA(), 2));
  members.push_back(strideMember("a_batch", getA(), 0));
  members.push_back(strideMember("a_row", getA(), 1));
  members.push_back(strideMember("y_batch", getOut(), 0));
  members.push_back(strideMember("y_row", getOut(), 1));
  members.push_back({"a_unsigned", getAUnsigned() ? 1 : 0});
  members.push_back({"widened_rows", static_cast<int64_t>(getWidenedRows())});
}

int64_t IntegerMatMulOp::getMacs(ExtentOf extentOf) { return countElements(getOut(), extentOf) * extentOf(getA(), 2); }

// As templates/kernels/integer_matmul_packed.hpp has it: 16 bits for each byte.
int64_t IntegerMatMulOp::getScratchBytesPerThread() {
  return 2 * static_cast<int64_t>(getWidenedRows()) * cast<ShapedType>(getA().getType()).getDimSize(2);
}

} // namespace aotc::kern
