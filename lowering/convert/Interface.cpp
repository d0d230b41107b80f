// What the function says about its inputs and outputs, in terms of the planned module.
//
//   %arg0: tensor<4xui8> {nn.name = "x"}   ==>   %arg0: tensor<4xui8> {aotc.name = "x", aotc.element = "u8"}
//
// Signless element types follow by conversion; so does all else that the printers read of them.
#include "lowering/convert/Convert.h"

using namespace mlir;

namespace aotc::convert {

namespace {

// The element type where the signless one does not tell it.
std::string unsignedName(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isUnsignedInteger() ? "u" + std::to_string(element.getIntOrFloatBitWidth()) : "";
}

// `attributes` of a tensor of `type`, with the importer's names replaced.
DictionaryAttr describe(Type type, DictionaryAttr attributes, MLIRContext *context) {
  NamedAttrList result;
  if (attributes)
    for (NamedAttribute attribute : attributes) {
      StringRef name = attribute.getName();
      if (name == "nn.symbols")
        name = "nn.dims";
      result.append(name.consume_front("nn.") ? StringAttr::get(context, "aotc." + name) : attribute.getName(),
                    attribute.getValue());
    }
  if (std::string element = unsignedName(type); !element.empty())
    result.set("aotc.element", StringAttr::get(context, element));
  return result.getDictionary(context);
}

} // namespace

void describeInterface(func::FuncOp function) {
  SmallVector<DictionaryAttr> arguments, results;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    arguments.push_back(describe(type, function.getArgAttrDict(i), function.getContext()));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    results.push_back(describe(type, function.getResultAttrDict(i), function.getContext()));
  function.setAllArgAttrs(arguments);
  function.setAllResultAttrs(results);
}

} // namespace aotc::convert
