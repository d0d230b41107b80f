#include "ir/kern/Dequantization.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace aotc::kern {

static constexpr llvm::StringLiteral attributeName = "dequantized";

std::optional<Dequantization> dequantizationOf(Operation *op) {
  auto fields = op->getAttrOfType<DictionaryAttr>(attributeName);
  if (!fields)
    return std::nullopt;
  return Dequantization{cast<FloatAttr>(fields.get("scale")).getValue().convertToFloat(),
                        cast<IntegerAttr>(fields.get("zero_point")).getInt(), fields.contains("unsigned")};
}

void setDequantization(Operation *op, const Dequantization &dequantization) {
  Builder builder(op->getContext());
  NamedAttrList fields;
  fields.set("scale", builder.getF32FloatAttr(dequantization.scale));
  fields.set("zero_point", builder.getI64IntegerAttr(dequantization.zeroPoint));
  if (dequantization.isUnsigned)
    fields.set("unsigned", builder.getUnitAttr());
  op->setAttr(attributeName, fields.getDictionary(builder.getContext()));
}

} // namespace aotc::kern
