#include "codegen/cpp/Elements.h"

#include "codegen/cpp/Text.h"

using namespace mlir;

namespace aotc::codegen {

static std::optional<ElementType> integerTypeOf(unsigned width, bool isUnsigned) {
  switch (width) {
  case 1:
    return ElementType::Bool;
  case 4:
    return isUnsigned ? ElementType::U4 : ElementType::I4;
  case 8:
    return isUnsigned ? ElementType::U8 : ElementType::I8;
  case 16:
    return isUnsigned ? ElementType::U16 : ElementType::I16;
  case 32:
    return isUnsigned ? ElementType::U32 : ElementType::I32;
  case 64:
    return isUnsigned ? ElementType::U64 : ElementType::I64;
  default:
    return std::nullopt;
  }
}

std::optional<ElementType> elementTypeOf(Type type, bool isUnsigned) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integerTypeOf(integer.getWidth(), isUnsigned || integer.isUnsigned());
  if (type.isF32())
    return ElementType::F32;
  if (type.isF64())
    return ElementType::F64;
  if (type.isF16())
    return ElementType::F16;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isFloat8E4M3FN())
    return ElementType::F8E4M3FN;
  if (type.isFloat8E4M3FNUZ())
    return ElementType::F8E4M3FNUZ;
  if (type.isFloat8E5M2())
    return ElementType::F8E5M2;
  if (type.isFloat8E5M2FNUZ())
    return ElementType::F8E5M2FNUZ;
  return std::nullopt;
}

std::string cppType(Type type, bool isUnsigned) {
  if (type.isIndex())
    return "int";
  std::optional<ElementType> element = elementTypeOf(type, isUnsigned);
  assert(element && "an element type of ONNX");
  return elementText(*element).cpp;
}

} // namespace aotc::codegen
