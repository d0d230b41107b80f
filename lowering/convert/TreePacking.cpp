// Roots first, one record for each tree, so that a group of trees starts from neighbours; then, tree by tree and from
// the root down, the two children of each node side by side. A node that is reached on several ways has several
// records, all of which lead to the same two children.
#include "lowering/convert/TreePacking.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using llvm::ArrayRef;

namespace aotc::convert {

namespace {

constexpr size_t lanes = 8; // aotc::tree_lanes
enum Missing { missingFails = 0, missingPasses = 1, missingByNode = 2 };

class Packer {
public:
  explicit Packer(const TreeTables &tables) : tables(tables), children(tables.features.size(), 0) {}

  PackedTrees pack();

private:
  void chooseMissing();
  void placeChildren(int32_t root);
  void chooseForm();
  void findDepths();
  void write(uint32_t record, int32_t to);
  void writeNarrow(uint32_t record, float threshold, uint32_t feature, bool passes, uint32_t child);
  void writeWide(uint32_t record, double threshold, uint32_t feature, bool passes, uint32_t child);

  const TreeTables &tables;
  PackedTrees result;
  // By node: the record of its first child, 0 where there is none yet.
  std::vector<uint32_t> children;
  // Nodes that have records for their children, in the order of these.
  std::vector<int32_t> placed;
  uint32_t recordCount = 0;
};

void Packer::chooseMissing() {
  size_t passing = 0;
  for (bool passes : tables.missingPasses)
    passing += passes;
  result.missing = passing == 0 ? missingFails : passing == tables.missingPasses.size() ? missingPasses : missingByNode;
}

// Breadth first: the upper levels, which every row visits, share cache lines.
void Packer::placeChildren(int32_t root) {
  size_t next = placed.size();
  auto place = [&](int32_t node) {
    if (node < 0 || children[static_cast<size_t>(node)] != 0)
      return;
    children[static_cast<size_t>(node)] = recordCount;
    recordCount += 2;
    placed.push_back(node);
  };
  place(root);
  for (; next < placed.size(); ++next) {
    int32_t node = placed[next];
    place(tables.passed[static_cast<size_t>(node)]);
    place(tables.failed[static_cast<size_t>(node)]);
  }
}

// Thresholds of f32 will do for rows of f32, whatever the tables hold: see write().
void Packer::chooseForm() {
  constexpr int64_t mostNarrowLeaves = int64_t(1) << 22;
  result.featureBits = llvm::Log2_64_Ceil(static_cast<uint64_t>(std::max<int64_t>(tables.featureCount, 1)));
  int64_t flagBits = result.missing == missingByNode;
  int64_t recordBits = llvm::Log2_64_Ceil(uint64_t(recordCount) + 1);
  result.isWide =
      tables.isDouble || tables.leaves > mostNarrowLeaves || result.featureBits + flagBits + recordBits > 32;
}

void Packer::findDepths() {
  std::vector<int32_t> depths(tables.features.size());
  auto depthOf = [&](int32_t to) { return to < 0 ? 0 : depths[static_cast<size_t>(to)]; };
  for (size_t node = 0; node < depths.size(); ++node)
    depths[node] = 1 + std::max(depthOf(tables.passed[node]), depthOf(tables.failed[node]));
  result.depths.assign((tables.roots.size() + lanes - 1) / lanes, 0);
  for (size_t tree = 0; tree < tables.roots.size(); ++tree)
    result.depths[tree / lanes] = std::max(result.depths[tree / lanes], depthOf(tables.roots[tree]));
}

void Packer::writeNarrow(uint32_t record, float threshold, uint32_t feature, bool passes, uint32_t child) {
  uint32_t flagBits = result.missing == missingByNode;
  uint32_t packed = (child << flagBits | (flagBits & uint32_t(passes))) << result.featureBits | feature;
  result.words[2 * size_t(record)] = llvm::bit_cast<int32_t>(threshold);
  result.words[2 * size_t(record) + 1] = static_cast<int32_t>(packed);
}

void Packer::writeWide(uint32_t record, double threshold, uint32_t feature, bool passes, uint32_t child) {
  uint64_t bits = llvm::bit_cast<uint64_t>(threshold);
  int32_t *words = &result.words[4 * size_t(record)];
  words[0] = static_cast<int32_t>(static_cast<uint32_t>(bits));
  words[1] = static_cast<int32_t>(static_cast<uint32_t>(bits >> 32));
  words[2] = static_cast<int32_t>(feature << 1 | uint32_t(passes));
  words[3] = static_cast<int32_t>(child);
}

// The largest f32 that is not above: a test of an f32 gives the same against both.
float roundDown(double x) {
  float rounded = static_cast<float>(x);
  return static_cast<double>(rounded) > x ? std::nextafter(rounded, -std::numeric_limits<float>::infinity()) : rounded;
}

void Packer::write(uint32_t record, int32_t to) {
  if (to < 0) {
    uint32_t leaf = static_cast<uint32_t>(-1 - to);
    if (result.isWide)
      writeWide(record, llvm::bit_cast<double>(uint64_t(0x7ff80000) << 32 | leaf), 0, true, record);
    else
      writeNarrow(record, llvm::bit_cast<float>(0x7fc00000u | leaf), 0, true, record);
    return;
  }
  size_t node = static_cast<size_t>(to);
  uint32_t feature = static_cast<uint32_t>(tables.features[node]);
  if (result.isWide)
    writeWide(record, tables.thresholds[node], feature, tables.missingPasses[node], children[node]);
  else
    writeNarrow(record, roundDown(tables.thresholds[node]), feature, tables.missingPasses[node], children[node]);
}

PackedTrees Packer::pack() {
  chooseMissing();
  findDepths();
  recordCount = static_cast<uint32_t>(result.depths.size() * lanes);
  for (int32_t root : tables.roots)
    placeChildren(root);
  chooseForm();
  result.words.resize(size_t(recordCount) * (result.isWide ? 4 : 2));
  for (size_t tree = 0; tree < result.depths.size() * lanes; ++tree)
    write(static_cast<uint32_t>(tree), tree < tables.roots.size() ? tables.roots[tree] : -1);
  for (int32_t node : placed) {
    int32_t passed = tables.passed[static_cast<size_t>(node)], failed = tables.failed[static_cast<size_t>(node)];
    bool passedFirst = result.missing != missingFails;
    write(children[static_cast<size_t>(node)], passedFirst ? passed : failed);
    write(children[static_cast<size_t>(node)] + 1, passedFirst ? failed : passed);
  }
  return std::move(result);
}

} // namespace

PackedTrees packTrees(const TreeTables &tables) { return Packer(tables).pack(); }

} // namespace aotc::convert
