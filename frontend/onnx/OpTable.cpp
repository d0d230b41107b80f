// The generic rows: a node becomes the nn op of its name, input by input and attribute by attribute.
#include "frontend/onnx/OpTable.h"

#include "frontend/onnx/Attributes.h"

using namespace aotc::frontend;
using namespace mlir;

namespace {

template <class Op> constexpr std::pair<size_t, size_t> operandRange() {
  if constexpr (Op::template hasTrait<OpTrait::OneOperand>())
    return {1, 1};
  else if constexpr (Op::template hasTrait<OpTrait::NOperands<2>::Impl>())
    return {2, 2};
  else if constexpr (Op::template hasTrait<OpTrait::NOperands<3>::Impl>())
    return {3, 3};
  else if constexpr (Op::template hasTrait<OpTrait::AtLeastNOperands<1>::Impl>())
    return {1, anyNumber};
  else if constexpr (Op::template hasTrait<OpTrait::AtLeastNOperands<2>::Impl>())
    return {2, anyNumber};
  else
    return {0, anyNumber};
}

template <class Op, class = void> struct HasProperties : std::false_type {};
template <class Op> struct HasProperties<Op, std::void_t<decltype(Op::getInherentAttr)>> : std::true_type {};
template <class Op, class = void> struct HasDefaults : std::false_type {};
template <class Op> struct HasDefaults<Op, std::void_t<decltype(Op::populateDefaultProperties)>> : std::true_type {};

/// Sets the ODS attributes that the node gives; the others keep the defaults of their definition.
template <class Op> void setAttributes(NodeBuilder &node, OperationState &state) {
  if constexpr (HasProperties<Op>::value) {
    auto &properties = state.getOrAddProperties<typename Op::Properties>();
    if constexpr (HasDefaults<Op>::value)
      Op::populateDefaultProperties(state.name, properties);
    for (StringRef name : Op::getAttributeNames()) {
      mlir::Attribute like = Op::getInherentAttr(node.getContext(), properties, name).value_or(mlir::Attribute());
      mlir::Attribute value = node.getAttributeLike(name, like);
      if (!value)
        continue;
      Op::setInherentAttr(properties, name, value);
      if (Op::getInherentAttr(node.getContext(), properties, name) != value)
        node.fail(quoted(name) + " has the wrong type");
    }
  }
}

template <class Op> void buildGeneric(NodeBuilder &node) {
  OperationState state(node.getLocation(), Op::getOperationName());
  for (Value input : node.getInputs())
    if (input)
      state.addOperands(input);
  setAttributes<Op>(node, state);
  if (!node.failed())
    node.setResults(node.finishAll<Op>(state));
}

template <class Op> void addRow(OpTable &table) {
  if constexpr (!Op::onnxName.empty()) {
    auto [least, most] = operandRange<Op>();
    table.addGeneric(Op::onnxName, least, most, buildGeneric<Op>);
  }
}

/// Folds over the op list of the dialect.
template <class... Ops> void addRows(OpTable &table) { (addRow<Ops>(table), ...); }

} // namespace

OpTable::OpTable() {
  addRows<
#define GET_OP_LIST
#include "ir/nn/Ops.cpp.inc"
      >(*this);
#define FAMILY(name) add##name##Rules(*this);
#include "frontend/onnx/Families.inc"
#undef FAMILY
  addUpgradeRules(*this);
}

const Operator *OpTable::find(StringRef domain, StringRef opType) const {
  auto place = operators.find(domain.empty() ? opType.str() : (domain + "." + opType).str());
  return place == operators.end() ? nullptr : &place->second;
}

void OpTable::add(StringRef opType, size_t leastInputs, size_t mostInputs, BuildRule build, unsigned elements) {
  Operator &row = operators[opType];
  assert((!row.build || row.isGeneric) && "an ONNX operator has two rules");
  row.isGeneric = false;
  row.build = build;
  row.leastInputs = leastInputs;
  row.mostInputs = mostInputs;
  row.elements = elements;
}

void OpTable::addGeneric(StringRef opType, size_t leastInputs, size_t mostInputs, BuildRule build) {
  add(opType, leastInputs, mostInputs, build);
  operators[opType].isGeneric = true;
}

void OpTable::addUpgrade(StringRef opType, int64_t before, UpgradeRule upgrade) {
  assert(operators.count(opType) && "an upgrade of an unknown operator");
  operators[opType].upgrades.push_back({before, upgrade});
}

void OpTable::restrict(StringRef opType, unsigned elements) {
  assert(operators.count(opType) && "a restriction of an unknown operator");
  operators[opType].elements = elements;
}

void OpTable::takeNarrowFloats(llvm::ArrayRef<StringRef> opTypes) {
  for (StringRef opType : opTypes) {
    assert(operators.count(opType) && "an unknown operator");
    operators[opType].takesNarrowFloats = true;
  }
}

void OpTable::takeSequences(llvm::ArrayRef<StringRef> opTypes) {
  takeNarrowFloats(opTypes);
  for (StringRef opType : opTypes)
    operators[opType].takesSequences = true;
}
