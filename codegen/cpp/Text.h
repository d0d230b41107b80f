// Numbers, shapes and types as the generated files spell them. Prints no declarations.
#ifndef AOTC_CODEGEN_CPP_TEXT_H
#define AOTC_CODEGEN_CPP_TEXT_H

#include "codegen/cpp/Description.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace aotc::codegen {

/// How an element type is called.
struct ElementText {
  ElementType type;
  const char *comment;    ///< in comments, such as "f32"
  const char *enumerator; ///< of aotc::Element
  const char *cpp;        ///< the C++ type, valid where aotc/element.hpp is included
};
llvm::ArrayRef<ElementText> elementTexts();
const ElementText &elementText(ElementType type);

/// Groups of three digits: 152,448.
std::string groupDigits(uint64_t value);

/// "640 MAC", "0.44 MMAC", "12.5 MMAC", "3.86 GMAC"; empty for 0.
std::string macsText(uint64_t macs);

/// "[1,32,32,3]", bounded dims by name: "[batch,128]".
std::string shapeText(const ModelDescription &model, const TensorDescription &tensor);

/// "8" or "1..8".
std::string boundsText(const BoundedDim &dim);

/// True if a dimension is bounded, so that views are made at run time.
bool isBounded(const TensorDescription &tensor);

/// A C string literal that holds the bytes of `text`, quotes included.
std::string quoted(llvm::StringRef text);

/// `text` as part of one line of a comment: no control characters, no end of a C comment.
std::string commentText(llvm::StringRef text);

/// The first line of every generated file: `what`, and right-aligned whose work it is.
std::string titleLine(llvm::StringRef what, const ModelDescription &model);

/// A number that changes whenever something changes that callers compile in: names, types, shapes, sizes, versions.
uint32_t interfaceHash(const ModelDescription &model);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_TEXT_H
