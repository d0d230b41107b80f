// Data movement: layouts, as templates/kernels/resize2d.hpp and gather.hpp document them.
#include "ir/kern/Dialect.h"
#include "ir/kern/Layout.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace aotc::kern {

// -------------------------------------------------------------------------------------------------------------- resize

StringRef Resize2DOp::getKernelFunction() { return "resize2d"; }
SmallVector<Value> Resize2DOp::getKernelInputs() {
  return {getX(), getRows(), getRowWeights(), getColumns(), getColumnWeights()};
}

void Resize2DOp::getLayout(SmallVectorImpl<LayoutMember> &members) {
  members.push_back(extentMember("batch", getOut(), 0));
  members.push_back(extentMember("in_h", getX(), 1));
  members.push_back(extentMember("in_w", getX(), 2));
  members.push_back(extentMember("out_h", getOut(), 1));
  members.push_back(extentMember("out_w", getOut(), 2));
  members.push_back(extentMember("channels", getOut(), 3));
  members.push_back(extentMember("taps_h", getRows(), 1));
  members.push_back(extentMember("taps_w", getColumns(), 1));
  members.push_back(strideMember("in_image", getX(), 0));
  members.push_back(strideMember("in_row", getX(), 1));
  members.push_back(strideMember("in_pixel", getX(), 2));
  members.push_back(strideMember("out_image", getOut(), 0));
  members.push_back(strideMember("out_row", getOut(), 1));
  members.push_back(strideMember("out_pixel", getOut(), 2));
}

// -------------------------------------------------------------------------------------------------------------- gather

StringRef GatherOp::getKernelFunction() { return "gather"; }
SmallVector<Value> GatherOp::getKernelInputs() { return {getX(), getIndices()}; }
bool GatherOp::acceptsHalves(unsigned operand) {
  return operand == 0 && cast<ShapedType>(getOut().getType()).getElementType().isF32();
}

StringRef GatherOp::getKernelFailure() {
  // Constant ones were checked, against an extent that was known.
  const bool isKnown =
      getIndices().getDefiningOp<memref::GetGlobalOp>() && !cast<ShapedType>(getX().getType()).isDynamicDim(1);
  return isKnown ? "" : "index_out_of_range";
}

void GatherOp::getLayout(SmallVectorImpl<LayoutMember> &members) {
  members.push_back(extentMember("outer", getX(), 0));
  members.push_back(extentMember("axis_length", getX(), 1));
  members.push_back(extentMember("inner", getX(), 2));
  members.push_back(extentMember("count", getIndices(), 0));
}

} // namespace aotc::kern
