// Reductions and softmax: their layouts, as templates/kernels/reduce.hpp and softmax.hpp document them.
#include "ir/kern/Dialect.h"
#include "ir/kern/Layout.h"

using namespace mlir;

namespace aotc::kern {

static void appendRun(Value x, SmallVectorImpl<LayoutMember> &members) {
  members.push_back(extentMember("outer", x, 0));
  members.push_back(extentMember("length", x, 1));
  members.push_back(extentMember("inner", x, 2));
}

StringRef ReduceOp::getKernelFunction() { return "reduce"; }
SmallVector<Value> ReduceOp::getKernelInputs() { return {getX()}; }
void ReduceOp::getLayout(SmallVectorImpl<LayoutMember> &members) { appendRun(getX(), members); }
SmallVector<std::string> ReduceOp::getKernelArguments() {
  static constexpr const char *functors[] = {"Sum{}", "Max{}", "Min{}", "Product{}"};
  return {functors[static_cast<int>(getKind())]};
}

StringRef SoftmaxOp::getKernelFunction() { return getLogarithm() ? "log_softmax" : "softmax"; }
SmallVector<Value> SoftmaxOp::getKernelInputs() { return {getX()}; }
void SoftmaxOp::getLayout(SmallVectorImpl<LayoutMember> &members) { appendRun(getX(), members); }

} // namespace aotc::kern
