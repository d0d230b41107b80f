// Constants and control flow.
#include "ir/nn/Dialect.h"

using namespace mlir;

namespace aotc::nn {

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult IfOp::verify() {
  for (Region *region : {&getThenRegion(), &getElseRegion()}) {
    TypeRange yielded = region->front().getTerminator()->getOperandTypes();
    if (yielded != getResultTypes())
      return emitError("both branches must yield ") << getResultTypes() << ", found " << yielded;
  }
  return success();
}

} // namespace aotc::nn
