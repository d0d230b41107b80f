// Model-local functions. `overload` and the default values of attributes are younger than the protobuf classes of
// Debian's libonnx, so they are read from the unknown fields.
#include "frontend/onnx/Functions.h"

#include <google/protobuf/unknown_field_set.h>

using namespace aotc::frontend;

namespace {

// Field numbers of onnx.proto.
constexpr int nodeOverload = 8;
constexpr int functionOverload = 13;
constexpr int functionAttributeDefaults = 11;

std::string unknownString(const google::protobuf::UnknownFieldSet &fields, int number) {
  std::string text;
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::UnknownField &field = fields.field(i);
    if (field.number() == number && field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      text = field.length_delimited();
  }
  return text;
}

bool readDefaults(Function &function, Diagnostics &diagnostics) {
  const google::protobuf::UnknownFieldSet &fields = function.proto->unknown_fields();
  for (int i = 0; i < fields.field_count(); ++i) {
    const google::protobuf::UnknownField &field = fields.field(i);
    if (field.number() != functionAttributeDefaults ||
        field.type() != google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      continue;
    onnx::AttributeProto attribute;
    if (!attribute.ParsePartialFromString(field.length_delimited())) {
      diagnostics.error("function " + quoted(function.proto->name()) + ": cannot parse a default attribute");
      return false;
    }
    function.defaults.push_back(std::move(attribute));
  }
  return true;
}

std::string keyOf(llvm::StringRef domain, llvm::StringRef name, llvm::StringRef overload) {
  std::string key = canonicalDomain(domain).str();
  key += '\0';
  key += name;
  key += '\0';
  return key + overload.str();
}

} // namespace

llvm::StringRef aotc::frontend::canonicalDomain(llvm::StringRef domain) { return domain == "ai.onnx" ? "" : domain; }

bool aotc::frontend::readOpsets(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &imports,
                                std::map<std::string, int64_t> &opsets, const std::string &what,
                                Diagnostics &diagnostics) {
  for (const onnx::OperatorSetIdProto &import : imports) {
    std::string domain = canonicalDomain(import.domain()).str();
    auto [place, isNew] = opsets.emplace(domain, import.version());
    if (!isNew && place->second != import.version()) {
      diagnostics.error(what + " imports operator set " + quoted(domain.empty() ? "ai.onnx" : domain) +
                        " in two versions, " + llvm::Twine(place->second) + " and " + llvm::Twine(import.version()));
      return false;
    }
  }
  return true;
}

bool FunctionTable::build(onnx::ModelProto &model, Diagnostics &diagnostics) {
  for (onnx::FunctionProto &proto : *model.mutable_functions()) {
    Function function;
    function.proto = &proto;
    function.overload = unknownString(proto.unknown_fields(), functionOverload);
    std::string what = "function " + quoted(proto.name());
    if (!readDefaults(function, diagnostics) || !readOpsets(proto.opset_import(), function.opsets, what, diagnostics))
      return false;
    std::string key = keyOf(proto.domain(), proto.name(), function.overload);
    if (!functions.emplace(std::move(key), std::move(function)).second) {
      diagnostics.error(what + " of domain " + quoted(proto.domain()) + " is defined twice");
      return false;
    }
  }
  return true;
}

Function *FunctionTable::find(const onnx::NodeProto &node) {
  if (functions.empty())
    return nullptr;
  auto place = functions.find(keyOf(node.domain(), node.op_type(), unknownString(node.unknown_fields(), nodeOverload)));
  return place == functions.end() ? nullptr : &place->second;
}

llvm::SmallVector<NodeAttribute, 4> aotc::frontend::bindAttributes(Function &function,
                                                                   llvm::ArrayRef<NodeAttribute> call) {
  llvm::SmallVector<NodeAttribute, 4> bound(call.begin(), call.end());
  for (onnx::AttributeProto &attribute : function.defaults) {
    auto isSame = [&](const NodeAttribute &given) { return given.name == attribute.name(); };
    if (llvm::none_of(call, isSame))
      bound.push_back({attribute.name(), &attribute});
  }
  return bound;
}
