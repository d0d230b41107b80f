#include "lowering/select/ReplaceConstant.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace aotc::select {

void replaceConstant(OpOperand &operand, nn::HostTensor value, nn::LargeConstants &constants) {
  OpBuilder builder(operand.getOwner());
  auto original = operand.get().getDefiningOp<arith::ConstantOp>();
  ElementsAttr elements = std::move(value).toAttr();
  constants.retain(elements);
  operand.set(builder.create<arith::ConstantOp>(operand.get().getLoc(), cast<TypedAttr>(Attribute(elements))));
  if (!original || !original->use_empty())
    return;
  Attribute replaced = original.getValue();
  original.erase();
  constants.release(replaced);
}

} // namespace aotc::select
