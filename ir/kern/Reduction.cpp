// Reductions, normalisation and softmax: their layouts, as templates/kernels/reduce.hpp, normalize.hpp and softmax.hpp
// document them.
#include "ir/kern/Dialect.h"
#include "ir/kern/Layout.h"
#include "ir/kern/Literal.h"

using namespace mlir;

namespace aotc::kern {

// Whether x is rows, [outer, length], along which the kernel's vectors run: its epilogue's last index is that of `length`.
static bool isByRows(Value x) { return cast<ShapedType>(x.getType()).getRank() == 2; }

static void appendRun(Value x, SmallVectorImpl<LayoutMember> &members) {
  members.push_back(extentMember("outer", x, 0));
  members.push_back(extentMember("length", x, 1));
  if (!isByRows(x))
    members.push_back(extentMember("inner", x, 2));
}

static SmallVector<StringRef> runIndices(Value x) {
  if (isByRows(x))
    return {"o", "l"};
  return {"o", "l", "i"};
}

StringRef ReduceOp::getKernelFunction() { return "reduce"; }
SmallVector<Value> ReduceOp::getKernelInputs() { return {getX()}; }
void ReduceOp::getLayout(SmallVectorImpl<LayoutMember> &members) { appendRun(getX(), members); }
SmallVector<std::string> ReduceOp::getKernelArguments() {
  static constexpr const char *functors[] = {"Sum{}", "Max{}", "Min{}", "Product{}"};
  return {functors[static_cast<int>(getKind())]};
}

StringRef NormalizeOp::getKernelFunction() { return isByRows(getX()) ? "normalize_rows" : "normalize_columns"; }
SmallVector<Value> NormalizeOp::getKernelInputs() { return {getX()}; }
void NormalizeOp::getLayout(SmallVectorImpl<LayoutMember> &members) { appendRun(getX(), members); }
SmallVector<std::string> NormalizeOp::getKernelArguments() {
  return {getRootMeanSquare() ? "aotc::RootMeanSquare{}" : "aotc::Deviation{}", literal(getEpsilonAttr()).value_or("")};
}
SmallVector<StringRef> NormalizeOp::getEpilogueIndices() { return runIndices(getX()); }

StringRef SoftmaxOp::getKernelFunction() {
  if (isByRows(getX()))
    return getLogarithm() ? "log_softmax_rows" : "softmax_rows";
  return getLogarithm() ? "log_softmax_columns" : "softmax_columns";
}
SmallVector<Value> SoftmaxOp::getKernelInputs() { return {getX()}; }
void SoftmaxOp::getLayout(SmallVectorImpl<LayoutMember> &members) { appendRun(getX(), members); }
SmallVector<StringRef> SoftmaxOp::getEpilogueIndices() { return runIndices(getX()); }

} // namespace aotc::kern
