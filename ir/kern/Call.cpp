// What kern.call tells the planner and the printer: all of it stands in its attributes.
#include "ir/kern/Dialect.h"
#include "ir/kern/Effects.h"
#include "ir/kern/Literal.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace aotc::kern {

StringRef CallOp::getKernelHeader() { return getHeader(); }
StringRef CallOp::getKernelFunction() { return getFunction(); }
SmallVector<Value> CallOp::getKernelInputs() { return llvm::to_vector(getInputs()); }
StringRef CallOp::getInputRole(unsigned position) {
  auto roles = (*this)->getAttrOfType<ArrayAttr>("roles");
  return roles ? cast<StringAttr>(roles[position]).getValue() : StringRef();
}
int64_t CallOp::getScratchBytesPerThread() { return getScratchBytes(); }
int64_t CallOp::getMacs(ExtentOf) { return static_cast<int64_t>(getMacCount()); }
StringRef CallOp::getKernelFailure() { return getFailure().value_or(""); }
bool CallOp::acceptsHalves(unsigned operand) {
  auto inputs = (*this)->getAttrOfType<DenseI64ArrayAttr>("half_inputs");
  return inputs && llvm::is_contained(inputs.asArrayRef(), static_cast<int64_t>(operand));
}

void CallOp::getLayout(SmallVectorImpl<LayoutMember> &members) {
  auto extent = getExtents().begin();
  for (auto [name, value] : llvm::zip(getMembers().getAsValueRange<StringAttr>(), getValues())) {
    LayoutMember member{name, ShapedType::kDynamic};
    if (auto number = dyn_cast<IntegerAttr>(value))
      member.value = number.getInt();
    else if (auto list = dyn_cast<DenseI64ArrayAttr>(value))
      member.list = getAsIndexOpFoldResult(getContext(), list);
    else if (auto mixed = dyn_cast<ArrayAttr>(value))
      member.list = llvm::map_to_vector(mixed, [&](Attribute entry) -> OpFoldResult {
        return isa<UnitAttr>(entry) ? OpFoldResult(*extent++) : OpFoldResult(entry);
      });
    else
      member.extent = *extent++;
    members.push_back(member);
  }
}

SmallVector<std::string> CallOp::getKernelArguments() {
  SmallVector<std::string> texts;
  for (Attribute argument : getCallArguments())
    if (auto text = dyn_cast<StringAttr>(argument))
      texts.push_back(text.str());
    else
      texts.push_back(literal(cast<TypedAttr>(argument)).value_or(""));
  return texts;
}

void CallOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  destinationEffects(*this, effects);
  if (getFound()) // extents follow from it
    effects.emplace_back(MemoryEffects::Write::get());
}

} // namespace aotc::kern
