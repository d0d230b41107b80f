// Matrix products and attention: their layouts, as templates/kernels/matmul.hpp and attention.hpp document them.
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

// Of one matrix for all batches, which is packed; others are read as activations are.
bool MatMulOp::acceptsHalves(unsigned operand) {
  return operand == 1 && cast<ShapedType>(getWeights().getType()).getDimSize(0) == 1;
}

int64_t MatMulOp::getMacs(ExtentOf extentOf) { return countElements(getOut(), extentOf) * extentOf(getA(), 2); }

// ----------------------------------------------------------------------------------------------------------- attention
StringRef AttentionOp::getKernelFunction() { return "attention"; }
SmallVector<Value> AttentionOp::getKernelInputs() { return {getQ(), getKeys(), getValues()}; }

void AttentionOp::getLayout(SmallVectorImpl<LayoutMember> &members) {
  members.push_back(extentMember("batch", getOut(), 0));
  members.push_back(extentMember("m", getOut(), 1));
  members.push_back(extentMember("n", getKeys(), 2));
  members.push_back(extentMember("depth", getQ(), 2));
  members.push_back(extentMember("width", getOut(), 2));
  static constexpr StringRef names[][3] = {
      {"q_batch", "q_row", "q_col"}, {"k_batch", "k_row", "k_col"}, {"v_batch", "v_row", "v_col"}};
  for (auto [operand, name] : llvm::zip(getKernelInputs(), names)) {
    members.push_back(batchMember(name[0], operand, getOut()));
    members.push_back(strideMember(name[1], operand, 1));
    members.push_back(strideMember(name[2], operand, 2));
  }
  members.push_back(strideMember("y_batch", getOut(), 0));
  members.push_back(strideMember("y_row", getOut(), 1));
  members.push_back({"block_rows", static_cast<int64_t>(getBlockRows())});
  members.push_back({"block_keys", static_cast<int64_t>(getBlockKeys())});
}

// Operands may be shared by all batches: each batch multiplies q by its keys, and the weights by values.
int64_t AttentionOp::getMacs(ExtentOf extentOf) {
  int64_t scores = extentOf(getOut(), 0) * extentOf(getOut(), 1) * extentOf(getKeys(), 2);
  return scores * (extentOf(getQ(), 2) + extentOf(getOut(), 2));
}

// As templates/kernels/attention.hpp has it: a block of scores, results under way, and three numbers for each row.
int64_t AttentionOp::getScratchBytesPerThread() {
  int64_t width = cast<ShapedType>(getOut().getType()).getDimSize(2);
  int64_t step = llvm::alignTo(getBlockKeys(), panelColumns) + panelColumns;
  return 4 * static_cast<int64_t>(getBlockRows()) * (step + llvm::alignTo(width, panelColumns) + 3);
}

} // namespace aotc::kern
