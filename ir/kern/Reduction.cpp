// Reductions, normalisation and softmax: their layouts, as templates/kernels/reduce.hpp, normalize.hpp and softmax.hpp
// document them.
#include "ir/kern/Dialect.h"
#include "ir/kern/Layout.h"
#include "ir/kern/Literal.h"

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

static bool isByRows(NormalizeOp op) { return cast<ShapedType>(op.getX().getType()).getRank() == 2; }

StringRef NormalizeOp::getKernelFunction() { return isByRows(*this) ? "normalize_rows" : "normalize_columns"; }
SmallVector<Value> NormalizeOp::getKernelInputs() { return {getX()}; }
void NormalizeOp::getLayout(SmallVectorImpl<LayoutMember> &members) {
  members.push_back(extentMember("outer", getX(), 0));
  members.push_back(extentMember("length", getX(), 1));
  if (!isByRows(*this))
    members.push_back(extentMember("inner", getX(), 2));
}
SmallVector<std::string> NormalizeOp::getKernelArguments() {
  return {getRootMeanSquare() ? "aotc::RootMeanSquare{}" : "aotc::Deviation{}", literal(getEpsilonAttr()).value_or("")};
}
SmallVector<StringRef> NormalizeOp::getEpilogueIndices() {
  if (isByRows(*this))
    return {"o", "l"};
  return {"o", "l", "i"};
}

StringRef SoftmaxOp::getKernelFunction() { return getLogarithm() ? "log_softmax" : "softmax"; }
SmallVector<Value> SoftmaxOp::getKernelInputs() { return {getX()}; }
void SoftmaxOp::getLayout(SmallVectorImpl<LayoutMember> &members) { appendRun(getX(), members); }

} // namespace aotc::kern
