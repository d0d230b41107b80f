// The layout structs of a generated model: what a kernel knows of a step ahead of time, or is told at run time. Equal
// layouts are one struct. Does not know what the members mean, beyond a summary of well-known ones for the comment.
#ifndef AOTC_CODEGEN_CPP_LAYOUTS_H
#define AOTC_CODEGEN_CPP_LAYOUTS_H

#include "codegen/cpp/Count.h"
#include "codegen/cpp/Names.h"

#include "llvm/Support/raw_ostream.h"

#include <deque>

namespace aotc::codegen {

/// A member: one value, or an array of them.
struct LayoutField {
  std::string name;
  std::vector<Count> values;
  bool isArray = false;
};

/// How a step names its layout.
struct LayoutUse {
  std::string object;  ///< "Conv1{}", or "Conv1{batch}" where members are known at run time only
  std::string atBound; ///< the same with every run-time member at its bound: a constant expression
  bool isConstant;
};

class LayoutTable {
public:
  explicit LayoutTable(llvm::ArrayRef<llvm::StringRef> taken) : names(taken) {}

  /// The layout with these fields for the step `step`, which names it if it is the first with it. Of steps that are
  /// only loops, many unrelated ones have the same: with a `kind` such as "Map" it is named after that and its extents.
  LayoutUse use(std::vector<LayoutField> fields, llvm::StringRef step, llvm::StringRef kind = "");

  /// All structs, in order of first use.
  void print(llvm::raw_ostream &os) const;

private:
  struct Layout {
    std::string identifier;
    std::vector<LayoutField> fields;
    bool isNamedByStep;
    std::vector<std::string> steps; ///< that have it
  };

  NameTable names;
  std::deque<Layout> layouts;
  llvm::StringMap<Layout *> byText;
};

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_LAYOUTS_H
