// Element types of memrefs as the generated files know them. Must not look at ops.
#ifndef AOTC_CODEGEN_CPP_ELEMENTS_H
#define AOTC_CODEGEN_CPP_ELEMENTS_H

#include "codegen/cpp/Description.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace aotc::codegen {

/// Nothing for types that ONNX does not have. Signless integers count as signed unless `isUnsigned`.
std::optional<ElementType> elementTypeOf(mlir::Type type, bool isUnsigned = false);

/// "float", "std::int8_t", "bool"; "int" for index. The type must be one that elementTypeOf() knows, or index.
std::string cppType(mlir::Type type, bool isUnsigned = false);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_ELEMENTS_H
