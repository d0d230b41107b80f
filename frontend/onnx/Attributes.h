// ONNX attributes: their kinds, and their generic conversion to MLIR attributes.
#pragma once

#include "mlir/IR/Attributes.h"

#include <onnx/onnx_pb.h>

namespace aotc::frontend {

/// The attribute's type; files before IR version 2 leave it out, then it follows from the field that is set.
onnx::AttributeProto_AttributeType kindOf(const onnx::AttributeProto &attribute);

/// "a float", "a list of ints", … for messages.
llvm::StringRef kindText(onnx::AttributeProto_AttributeType kind);

/// float -> f32, int -> i64, string, lists of floats and ints -> dense arrays. `like`, where it is not null, is an
/// attribute of the wanted kind: an int becomes a bool for a BoolAttr. Null for kinds that have no such form.
mlir::Attribute convertAttribute(const onnx::AttributeProto &attribute, mlir::Attribute like,
                                 mlir::MLIRContext *context);

} // namespace aotc::frontend
