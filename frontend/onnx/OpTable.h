// Which ONNX operators the importer knows. Rows come from two places: ops of the nn dialect that name an ONNX operator
// (one fold over the dialect's op list, nothing to edit when one is added), and the rules of opset/ and expand/.
#pragma once

#include "frontend/onnx/NodeBuilder.h"

#include "llvm/ADT/StringMap.h"

namespace aotc::frontend {

/// Builds a node: reads inputs and attributes, sets the results, or reports an error.
using BuildRule = void (*)(NodeBuilder &node);
/// Brings a node of an older opset into the form of the newest one.
using UpgradeRule = void (*)(NodeBuilder &node);

constexpr size_t anyNumber = SIZE_MAX;

/// Element types that the tensors of a node may have, as a set.
enum ElementClass : unsigned {
  floats = 1,
  signedInts = 2,
  unsignedInts = 4,
  bools = 8,
  ints = signedInts | unsignedInts,
  numbers = floats | ints,
  anything = numbers | bools
};

struct Operator {
  BuildRule build = nullptr;
  size_t leastInputs = 0;
  size_t mostInputs = 0;
  unsigned elements = anything; ///< of the first input
  bool isGeneric = false;       ///< from the dialect's op list; a rule of the same name replaces it
  /// Whether the rule takes floats narrower than f32 as they are: it moves or converts elements and computes nothing.
  /// All others get them as f32, and their results are rounded.
  bool takesNarrowFloats = false;
  /// Whether inputs may be sequences or optionals (SequenceValues.h).
  bool takesSequences = false;
  /// Applied in this order where the node's opset is lower.
  llvm::SmallVector<std::pair<int64_t, UpgradeRule>, 0> upgrades;
};

class OpTable {
public:
  OpTable();

  /// Null where the operator is not supported. `domain` is "" for ONNX's own.
  const Operator *find(llvm::StringRef domain, llvm::StringRef opType) const;

  /// A row from the dialect's op list.
  void addGeneric(llvm::StringRef opType, size_t leastInputs, size_t mostInputs, BuildRule build);

  /// Everywhere, `opType` is the operator's name, behind its domain where that is not ONNX's own: "ai.onnx.ml.Scaler",
  /// "com.microsoft.QGemm". Inputs are counted with those that may be left out at the end.
  void add(llvm::StringRef opType, size_t leastInputs, size_t mostInputs, BuildRule build,
           unsigned elements = anything);
  /// For nodes of an opset lower than `before`. Lower numbers first.
  void addUpgrade(llvm::StringRef opType, int64_t before, UpgradeRule upgrade);
  /// The types that the first input may have; the others follow by the op's own rule.
  void restrict(llvm::StringRef opType, unsigned elements);
  void takeNarrowFloats(llvm::ArrayRef<llvm::StringRef> opTypes);
  /// Nor are the elements of these computed with.
  void takeSequences(llvm::ArrayRef<llvm::StringRef> opTypes);

private:
  llvm::StringMap<Operator> operators;
};

// add<File>Rules() for each file of expand/.
#define FAMILY(name) void add##name##Rules(OpTable &table);
#include "frontend/onnx/Families.inc"
#undef FAMILY
/// Those of opset/, for operators of several families.
void addUpgradeRules(OpTable &table);

} // namespace aotc::frontend
