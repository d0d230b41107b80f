// Conversion of ONNX attributes; see the header.
#include "frontend/onnx/Attributes.h"

#include "mlir/IR/Builders.h"

using namespace aotc::frontend;
using onnx::AttributeProto;

onnx::AttributeProto_AttributeType aotc::frontend::kindOf(const AttributeProto &attribute) {
  if (attribute.type() != onnx::AttributeProto_AttributeType_UNDEFINED)
    return attribute.type();
  if (attribute.has_f())
    return onnx::AttributeProto_AttributeType_FLOAT;
  if (attribute.has_i())
    return onnx::AttributeProto_AttributeType_INT;
  if (attribute.has_s())
    return onnx::AttributeProto_AttributeType_STRING;
  if (attribute.has_t())
    return onnx::AttributeProto_AttributeType_TENSOR;
  if (attribute.has_g())
    return onnx::AttributeProto_AttributeType_GRAPH;
  if (attribute.floats_size())
    return onnx::AttributeProto_AttributeType_FLOATS;
  if (attribute.ints_size())
    return onnx::AttributeProto_AttributeType_INTS;
  if (attribute.strings_size())
    return onnx::AttributeProto_AttributeType_STRINGS;
  return onnx::AttributeProto_AttributeType_UNDEFINED;
}

llvm::StringRef aotc::frontend::kindText(onnx::AttributeProto_AttributeType kind) {
  switch (kind) {
  case onnx::AttributeProto_AttributeType_FLOAT:
    return "a float";
  case onnx::AttributeProto_AttributeType_INT:
    return "an int";
  case onnx::AttributeProto_AttributeType_STRING:
    return "a string";
  case onnx::AttributeProto_AttributeType_TENSOR:
    return "a tensor";
  case onnx::AttributeProto_AttributeType_GRAPH:
    return "a graph";
  case onnx::AttributeProto_AttributeType_FLOATS:
    return "a list of floats";
  case onnx::AttributeProto_AttributeType_INTS:
    return "a list of ints";
  case onnx::AttributeProto_AttributeType_STRINGS:
    return "a list of strings";
  case onnx::AttributeProto_AttributeType_UNDEFINED:
    return "nothing";
  default:
    return "something else";
  }
}

mlir::Attribute aotc::frontend::convertAttribute(const AttributeProto &attribute, mlir::Attribute like,
                                                 mlir::MLIRContext *context) {
  mlir::Builder builder(context);
  switch (kindOf(attribute)) {
  case onnx::AttributeProto_AttributeType_FLOAT:
    return builder.getF32FloatAttr(attribute.f());
  case onnx::AttributeProto_AttributeType_INT:
    if (like && llvm::isa<mlir::BoolAttr>(like))
      return builder.getBoolAttr(attribute.i() != 0);
    return builder.getI64IntegerAttr(attribute.i());
  case onnx::AttributeProto_AttributeType_STRING:
    return builder.getStringAttr(attribute.s());
  case onnx::AttributeProto_AttributeType_FLOATS:
    return builder.getDenseF32ArrayAttr({attribute.floats().data(), static_cast<size_t>(attribute.floats_size())});
  case onnx::AttributeProto_AttributeType_INTS:
    return builder.getDenseI64ArrayAttr({attribute.ints().data(), static_cast<size_t>(attribute.ints_size())});
  default:
    return {};
  }
}
