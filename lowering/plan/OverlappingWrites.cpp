#include "lowering/plan/OverlappingWrites.h"

#include "lowering/plan/Buffers.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <map>

using namespace mlir;

namespace aotc::plan {

namespace {

// The views between a buffer and a memref, the outermost first.
using ViewChain = SmallVector<Operation *>;

ViewChain viewChainOf(Value memref) {
  ViewChain chain;
  for (Operation *op = memref.getDefiningOp(); op && isView(op); op = op->getOperand(0).getDefiningOp())
    chain.push_back(op);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

// What a subview with constant offsets and sizes shows of its source: begin and end along each dimension.
using Box = std::vector<std::pair<int64_t, int64_t>>;

std::optional<Box> boxOf(const ViewChain &chain, size_t depth) {
  auto view = depth < chain.size() ? dyn_cast<memref::SubViewOp>(chain[depth]) : nullptr;
  if (!view)
    return std::nullopt;
  Box box;
  for (auto [offset, size, stride] : llvm::zip(view.getStaticOffsets(), view.getStaticSizes(), view.getStaticStrides()))
    if (ShapedType::isDynamic(offset) || ShapedType::isDynamic(size) || stride != 1)
      return std::nullopt;
    else
      box.emplace_back(offset, offset + size);
  return box;
}

using ChainsByBox = std::map<Box, SmallVector<const ViewChain *>>;

// Along one dimension at least, each ends before the next one begins.
bool haveDisjointBoxes(const ChainsByBox &groups) {
  size_t rank = groups.begin()->first.size();
  for (size_t dim = 0; dim < rank; ++dim) {
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (const auto &[box, chains] : groups)
      ranges.push_back(box[dim]);
    llvm::sort(ranges);
    bool overlap = false;
    for (size_t i = 1; i < ranges.size(); ++i)
      overlap |= ranges[i].first < ranges[i - 1].second;
    if (!overlap)
      return true;
  }
  return false;
}

// Chains that agree up to `depth`. Those with the same box there may still differ further in.
bool areDisjointFrom(ArrayRef<const ViewChain *> chains, size_t depth) {
  if (chains.size() < 2)
    return true;
  ChainsByBox groups;
  for (const ViewChain *chain : chains) {
    std::optional<Box> box = boxOf(*chain, depth);
    if (!box)
      return false;
    groups[*box].push_back(chain);
  }
  return haveDisjointBoxes(groups) &&
         llvm::all_of(groups, [&](const auto &group) { return areDisjointFrom(group.second, depth + 1); });
}

} // namespace

bool areDisjoint(ArrayRef<Value> memrefs) {
  std::vector<ViewChain> chains;
  for (Value memref : memrefs)
    chains.push_back(viewChainOf(memref));
  SmallVector<const ViewChain *> pointers;
  for (const ViewChain &chain : chains)
    pointers.push_back(&chain);
  return areDisjointFrom(pointers, 0);
}

} // namespace aotc::plan
