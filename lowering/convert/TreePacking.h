// The records of templates/kernels/trees.hpp, out of the tables of nn.trees. Plain C++ on numbers: knows nothing of
// tensors.
#ifndef AOTC_LOWERING_CONVERT_TREEPACKING_H
#define AOTC_LOWERING_CONVERT_TREEPACKING_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace aotc::convert {

// As in nn.trees: a child is a node, or leaf l as -1 - l; nodes lead to nodes before them.
struct TreeTables {
  llvm::ArrayRef<int32_t> features, passed, failed, roots;
  std::vector<double> thresholds;
  std::vector<bool> missingPasses;
  int64_t leaves = 0, featureCount = 0;
  // Of the rows that are tested.
  bool isDouble = false;
};

struct PackedTrees {
  std::vector<int32_t> words;
  bool isWide = false;
  int64_t featureBits = 0;
  // Layout member `missing` of the kernel.
  int64_t missing = 0;
  // Of each group of trees.
  std::vector<int32_t> depths;
};

PackedTrees packTrees(const TreeTables &tables);

} // namespace aotc::convert

#endif
