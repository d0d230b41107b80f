// Registration of the nn dialect, and the locations that carry ONNX nodes.
#include "ir/nn/Dialect.h"

#include "ir/nn/ConstantFolding.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include "ir/nn/Dialect.cpp.inc"
#include "ir/nn/Enums.cpp.inc"
#include "ir/nn/Interfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/nn/Attributes.cpp.inc"

using namespace mlir;

namespace aotc::nn {

void NNDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/nn/Ops.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/nn/Attributes.cpp.inc"
      >();
  addConstantFolding(*this);
  getContext()->loadDialect<arith::ArithDialect, math::MathDialect>(); // scalar bodies are built when folding
}

Operation *NNDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getShapedType() != type)
    return nullptr;
  return builder.create<ConstantOp>(loc, elements);
}

Location nodeLocation(MLIRContext *context, StringRef name, StringRef op, int64_t opset) {
  return FusedLoc::get(context, {UnknownLoc::get(context)}, NodeAttr::get(context, name, op, opset));
}

SmallVector<NodeAttr> nodesOf(Location location) {
  llvm::SetVector<Attribute> found;
  // Fused locations nest as deep as fusion went: an explicit stack, visited left to right.
  SmallVector<Location> stack{location};
  while (!stack.empty()) {
    auto fused = dyn_cast<FusedLoc>(stack.pop_back_val());
    if (!fused)
      continue;
    if (auto node = dyn_cast_or_null<NodeAttr>(fused.getMetadata()))
      found.insert(node);
    llvm::append_range(stack, llvm::reverse(fused.getLocations()));
  }
  return llvm::map_to_vector(found, [](Attribute node) { return cast<NodeAttr>(node); });
}

} // namespace aotc::nn
