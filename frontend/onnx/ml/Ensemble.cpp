// Rewrites the tests of an ensemble:
//
//   x < t            x <= the number below t
//   x >= t, x > t    the opposite, with its branches exchanged
//   x == t           x <= t and not x <= the number below t
//   x in {…}         a search for x among the members, by halves
//
// A NaN goes where the node says and never where the comparison would send it. Leaves that stand for the same become
// one, and a test whose branches both lead to the same is no test.
#include "frontend/onnx/ml/Ensemble.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <limits>

using namespace aotc::frontend;
using namespace mlir;
using llvm::ArrayRef;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double below(double x) { return std::nextafter(x, -infinite); }

/// The tables of nn.trees, as they grow. References are those of nn.trees: node i, or leaf l as -1 - l.
class Tables {
public:
  int32_t addLeaf(ArrayRef<LeafEntry> entries, bool skipsZeros);
  int32_t addTest(const EnsembleNode &node, int32_t ifTrue, int32_t ifFalse);
  void addRoot(int32_t root) { roots.push_back(root); }
  Value build(NodeBuilder &node, Value x, nn::ReduceKind kind, ArrayRef<double> base, Type element);

private:
  int32_t leq(int64_t feature, double threshold, int32_t passed, int32_t failed, bool missingPasses);
  int32_t equal(int64_t feature, double value, int32_t ifTrue, int32_t ifFalse, bool missingIsTrue);
  int32_t among(int64_t feature, ArrayRef<double> members, int32_t ifTrue, int32_t ifFalse);
  int32_t member(const EnsembleNode &node, int32_t ifTrue, int32_t ifFalse);
  int32_t never(int64_t feature, int32_t ifTrue, int32_t ifFalse, bool missingIsTrue);

  std::vector<int32_t> features, passed, failed, roots, leafBegins = {0}, leafTargets;
  std::vector<double> thresholds, leafWeights;
  std::vector<bool> missingPasses;
  std::map<std::vector<std::pair<int64_t, uint64_t>>, int32_t> knownLeaves;
};

int32_t Tables::addLeaf(ArrayRef<LeafEntry> entries, bool skipsZeros) {
  std::vector<std::pair<int64_t, uint64_t>> key;
  for (const LeafEntry &entry : entries)
    if (!skipsZeros || entry.weight != 0)
      key.push_back({entry.target, llvm::bit_cast<uint64_t>(entry.weight)});
  // Kernels for a single target read one weight for each leaf.
  if (key.empty() && skipsZeros)
    key.push_back({0, 0});
  auto [place, isNew] = knownLeaves.try_emplace(key, -static_cast<int32_t>(leafBegins.size()));
  if (!isNew)
    return place->second;
  for (auto [target, bits] : key) {
    leafTargets.push_back(static_cast<int32_t>(target));
    leafWeights.push_back(llvm::bit_cast<double>(bits));
  }
  leafBegins.push_back(static_cast<int32_t>(leafTargets.size()));
  return place->second;
}

int32_t Tables::leq(int64_t feature, double threshold, int32_t ifPassed, int32_t ifFailed, bool missing) {
  if (ifPassed == ifFailed)
    return ifPassed;
  features.push_back(static_cast<int32_t>(feature));
  thresholds.push_back(threshold);
  passed.push_back(ifPassed);
  failed.push_back(ifFailed);
  missingPasses.push_back(missing);
  return static_cast<int32_t>(features.size() - 1);
}

/// A comparison that no number passes.
int32_t Tables::never(int64_t feature, int32_t ifTrue, int32_t ifFalse, bool missingIsTrue) {
  return leq(feature, infinite, ifFalse, missingIsTrue ? ifTrue : ifFalse, /*missing=*/false);
}

int32_t Tables::equal(int64_t feature, double value, int32_t ifTrue, int32_t ifFalse, bool missingIsTrue) {
  if (std::isnan(value))
    return never(feature, ifTrue, ifFalse, missingIsTrue);
  int32_t notLess = value == -infinite ? ifTrue : leq(feature, below(value), ifFalse, ifTrue, /*missing=*/false);
  return leq(feature, value, notLess, ifFalse, missingIsTrue);
}

/// For numbers; NaN goes to ifFalse. The members are sorted.
int32_t Tables::among(int64_t feature, ArrayRef<double> members, int32_t ifTrue, int32_t ifFalse) {
  if (members.empty())
    return ifFalse;
  if (members.size() == 1)
    return equal(feature, members.front(), ifTrue, ifFalse, /*missingIsTrue=*/false);
  size_t half = members.size() / 2;
  int32_t low = among(feature, members.take_front(half), ifTrue, ifFalse);
  int32_t high = among(feature, members.drop_front(half), ifTrue, ifFalse);
  return leq(feature, members[half - 1], low, high, /*missing=*/false);
}

int32_t Tables::member(const EnsembleNode &node, int32_t ifTrue, int32_t ifFalse) {
  llvm::SmallVector<double> members(node.members.begin(), node.members.end());
  llvm::sort(members);
  members.erase(std::unique(members.begin(), members.end()), members.end());
  int32_t found = among(node.feature, members, ifTrue, ifFalse);
  return node.missingIsTrue ? leq(node.feature, infinite, found, ifTrue, /*missing=*/false) : found;
}

int32_t Tables::addTest(const EnsembleNode &node, int32_t ifTrue, int32_t ifFalse) {
  int64_t feature = node.feature;
  double threshold = node.threshold;
  bool missing = node.missingIsTrue, isNan = std::isnan(threshold);
  switch (node.test) {
  case Test::Member:
    return member(node, ifTrue, ifFalse);
  case Test::Eq:
    return equal(feature, threshold, ifTrue, ifFalse, missing);
  case Test::Neq:
    return equal(feature, threshold, ifFalse, ifTrue, !missing);
  case Test::Leq:
    return isNan ? never(feature, ifTrue, ifFalse, missing) : leq(feature, threshold, ifTrue, ifFalse, missing);
  case Test::Gt:
    return isNan ? never(feature, ifTrue, ifFalse, missing) : leq(feature, threshold, ifFalse, ifTrue, !missing);
  case Test::Lt:
    if (isNan || threshold == -infinite)
      return never(feature, ifTrue, ifFalse, missing);
    return leq(feature, below(threshold), ifTrue, ifFalse, missing);
  case Test::Gte:
    if (isNan)
      return never(feature, ifTrue, ifFalse, missing);
    if (threshold == -infinite) // all numbers
      return never(feature, ifFalse, ifTrue, !missing);
    return leq(feature, below(threshold), ifFalse, ifTrue, !missing);
  }
  llvm_unreachable("a test without a rule");
}

template <class T> Value numbers(NodeBuilder &node, const std::vector<T> &values, Type element) {
  nn::HostTensor tensor(RankedTensorType::get({static_cast<int64_t>(values.size())}, element));
  for (size_t i = 0; i < values.size(); ++i)
    if (isa<FloatType>(element))
      tensor.set(static_cast<int64_t>(i), static_cast<double>(values[i]));
    else
      tensor.setInteger(static_cast<int64_t>(i), static_cast<int64_t>(values[i]));
  return node.createConstant(tensor.toAttr());
}

Value Tables::build(NodeBuilder &node, Value x, nn::ReduceKind kind, ArrayRef<double> base, Type element) {
  Type i32 = node.getBuilder().getI32Type(), f64 = node.getBuilder().getF64Type(), i1 = node.getBuilder().getI1Type();
  // Tables without elements would have no place in memory.
  if (features.empty()) {
    features.push_back(0);
    thresholds.push_back(0);
    passed.push_back(-1);
    failed.push_back(-1);
    missingPasses.push_back(false);
  }
  if (leafTargets.empty()) {
    leafTargets.push_back(0);
    leafWeights.push_back(0);
  }
  return node.create<nn::TreesOp>(x, numbers(node, features, i32), numbers(node, thresholds, f64),
                                  numbers(node, passed, i32), numbers(node, failed, i32),
                                  numbers(node, missingPasses, i1), numbers(node, roots, i32),
                                  numbers(node, leafBegins, i32), numbers(node, leafTargets, i32),
                                  numbers(node, leafWeights, element), numbers(node, base.vec(), element), kind);
}

/// Walks the trees of an ensemble, children first, and checks them on the way.
class Walker {
public:
  Walker(NodeBuilder &node, const Ensemble &ensemble, int64_t featureCount)
      : node(node), ensemble(ensemble), featureCount(featureCount), states(ensemble.nodes.size(), State::unseen),
        places(ensemble.nodes.size()) {}

  /// False after an error.
  bool addLeaves();
  bool addTree(int64_t root);
  Tables &getTables() { return tables; }

private:
  enum class State : char { unseen, open, done };

  bool check(int64_t reference);
  bool visit(int64_t index, std::vector<int64_t> &stack);
  int32_t place(int64_t reference) const {
    return reference < 0 ? leaves[static_cast<size_t>(-1 - reference)] : places[static_cast<size_t>(reference)];
  }

  NodeBuilder &node;
  const Ensemble &ensemble;
  int64_t featureCount;
  Tables tables;
  std::vector<State> states;
  std::vector<int32_t> places, leaves;
};

bool Walker::addLeaves() {
  bool skipsZeros = ensemble.kind == nn::ReduceKind::Sum || ensemble.kind == nn::ReduceKind::Mean;
  int64_t targets = static_cast<int64_t>(ensemble.base.size());
  for (const auto &entries : ensemble.leaves) {
    for (const LeafEntry &entry : entries)
      if (entry.target < 0 || entry.target >= targets) {
        node.fail("a leaf is of target " + Twine(entry.target) + ", expected 0 to " + Twine(targets - 1));
        return false;
      }
    leaves.push_back(tables.addLeaf(entries, skipsZeros));
  }
  return true;
}

bool Walker::check(int64_t reference) {
  int64_t nodes = static_cast<int64_t>(ensemble.nodes.size()), leafCount = static_cast<int64_t>(leaves.size());
  if (reference >= nodes || -1 - reference >= leafCount) {
    node.fail("a tree leads to " + (reference < 0 ? "leaf " + Twine(-1 - reference) : "node " + Twine(reference)) +
              ", which is not there");
    return false;
  }
  if (reference < 0)
    return true;
  const EnsembleNode &tested = ensemble.nodes[static_cast<size_t>(reference)];
  if (tested.feature < 0 || tested.feature >= featureCount) {
    node.fail("a tree tests feature " + Twine(tested.feature) + ", the input has " + Twine(featureCount));
    return false;
  }
  if (states[static_cast<size_t>(reference)] == State::open) {
    node.fail("a tree leads back to its node " + Twine(reference));
    return false;
  }
  return true;
}

/// One look at the node on top of the stack: its children go on top of it, or it is done.
bool Walker::visit(int64_t index, std::vector<int64_t> &stack) {
  const EnsembleNode &tested = ensemble.nodes[static_cast<size_t>(index)];
  State &state = states[static_cast<size_t>(index)];
  if (state == State::unseen) {
    state = State::open;
    for (int64_t child : {tested.ifTrue, tested.ifFalse}) {
      if (!check(child))
        return false;
      if (child >= 0 && states[static_cast<size_t>(child)] == State::unseen)
        stack.push_back(child);
    }
    return true;
  }
  stack.pop_back();
  if (state == State::open)
    places[static_cast<size_t>(index)] = tables.addTest(tested, place(tested.ifTrue), place(tested.ifFalse));
  state = State::done;
  return true;
}

bool Walker::addTree(int64_t root) {
  if (!check(root))
    return false;
  std::vector<int64_t> stack;
  if (root >= 0)
    stack.push_back(root);
  while (!stack.empty())
    if (!visit(stack.back(), stack))
      return false;
  tables.addRoot(place(root));
  return true;
}

} // namespace

Value aotc::frontend::buildTrees(NodeBuilder &node, Value x, const Ensemble &ensemble, Type element) {
  if (node.failed())
    return {};
  if (ensemble.roots.empty()) {
    node.fail("the ensemble has no trees");
    return {};
  }
  Walker walker(node, ensemble, node.typeOf(x).getDimSize(1));
  if (!walker.addLeaves() || !llvm::all_of(ensemble.roots, [&](int64_t root) { return walker.addTree(root); }))
    return {};
  return walker.getTables().build(node, x, ensemble.kind, ensemble.base, element);
}
