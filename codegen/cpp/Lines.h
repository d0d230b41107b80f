// Folds the lines of generated files that names of a model make longer than a page is wide, so that no printer need
// know how long they are.
#ifndef AOTC_CODEGEN_CPP_LINES_H
#define AOTC_CODEGEN_CPP_LINES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace aotc::codegen {

constexpr size_t pageWidth = 120;

/// "// ---- title", as wide as a page, with the end of its line.
std::string rulerLine(llvm::StringRef title);

/// A comment of one line in as many as it needs, broken at blanks; the others begin with `prefix`.
std::string foldComment(llvm::StringRef line, llvm::StringRef prefix);

/// C or C++ code without lines that are too long: comments are broken at blanks, those behind code go above it; code
/// is broken behind commas and the like, and continued below the innermost bracket. Lines that a backslash joins, as in
/// C++, are taken as one: texts with placeholders say so where a line may have to be folded.
std::string foldLines(llvm::StringRef text);

/// Lines with comments behind them in one column, which those leave out of account that are too long in any case.
void printAligned(llvm::raw_ostream &os, const std::vector<std::string> &lines,
                  const std::vector<std::string> &comments);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_LINES_H
