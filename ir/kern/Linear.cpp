// Matrix products: their layouts, as templates/kernels/matmul.hpp documents them.
#include "ir/kern/Dialect.h"
#include "ir/kern/Layout.h"

using namespace mlir;

namespace aotc::kern {

StringRef MatMulOp::getKernelFunction() { return getPacked() ? "matmul_packed" : "matmul"; }
SmallVector<Value> MatMulOp::getKernelInputs() { return {getA(), getWeights()}; }

// The stride from batch to batch: none where all batches share one matrix.
static LayoutMember batchMember(StringRef name, Value matrices, Value out) {
  auto extent = [](Value value) { return cast<ShapedType>(value.getType()).getDimSize(0); };
  bool isShared = extent(matrices) == 1 && extent(out) != 1;
  return isShared ? LayoutMember{name, 0} : strideMember(name, matrices, 0);
}

void MatMulOp::getLayout(SmallVectorImpl<LayoutMember> &members) {
  members.push_back(extentMember("batch", getOut(), 0));
  members.push_back(extentMember("m", getOut(), 1));
  members.push_back(extentMember("n", getOut(), 2));
  members.push_back(extentMember("k", getA(), 2));
  members.push_back(batchMember("a_batch", getA(), getOut()));
  members.push_back(strideMember("a_row", getA(), 1));
  members.push_back(strideMember("y_batch", getOut(), 0));
  members.push_back(strideMember("y_row", getOut(), 1));
  if (getPacked())
    return;
  members.push_back(strideMember("a_col", getA(), 2));
  members.push_back(batchMember("b_batch", getWeights(), getOut()));
  members.push_back(strideMember("b_row", getWeights(), 1));
  members.push_back(strideMember("b_col", getWeights(), 2));
}

int64_t MatMulOp::getMacs() {
  int64_t count = 1;
  for (int64_t extent : cast<ShapedType>(getOut().getType()).getShape())
    count *= ShapedType::isDynamic(extent) ? 1 : extent;
  return count * cast<ShapedType>(getA().getType()).getDimSize(2);
}

} // namespace aotc::kern
