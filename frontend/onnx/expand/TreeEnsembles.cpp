// Decision trees: TreeEnsemble, and the two operators that it replaces.
#include "frontend/onnx/ml/Ensemble.h"
#include "frontend/onnx/ml/Scores.h"

#include "frontend/onnx/OpTable.h"
#include "ir/nn/Shapes.h"

#include "llvm/ADT/StringExtras.h"

using namespace aotc::frontend;
using namespace mlir;
using llvm::StringRef;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

constexpr int64_t mostTargets = 1 << 20;

/// A list of the node as long as its others.
IntList readInts(NodeBuilder &node, StringRef name, size_t count) {
  IntList values = node.getInts(name).value_or(IntList());
  if (values.size() != count)
    node.fail(quoted(name) + " must have " + Twine(count) + " values, found " + Twine(values.size()));
  values.resize(count);
  return values;
}

std::vector<double> readDoubles(NodeBuilder &node, StringRef name, size_t count) {
  std::vector<double> values = readNumbers(node, name).value_or(std::vector<double>());
  if (values.size() != count)
    node.fail(quoted(name) + " must have " + Twine(count) + " values, found " + Twine(values.size()));
  values.resize(count);
  return values;
}

IntList readMissing(NodeBuilder &node, size_t count) {
  std::optional<IntList> given = node.getInts("nodes_missing_value_tracks_true");
  return given && !given->empty() ? readInts(node, "nodes_missing_value_tracks_true", count) : IntList(count, 0);
}

nn::ReduceKind kindOf(size_t aggregate) {
  constexpr nn::ReduceKind kinds[] = {nn::ReduceKind::Mean, nn::ReduceKind::Sum, nn::ReduceKind::Min,
                                      nn::ReduceKind::Max};
  return kinds[aggregate];
}

int64_t readTargets(NodeBuilder &node) {
  int64_t targets = node.getInt("n_targets", 1);
  if (targets < 1 || targets > mostTargets)
    node.fail("'n_targets' must be 1 to " + Twine(mostTargets) + ", found " + Twine(targets));
  return node.failed() ? 1 : targets;
}

// --------------------------------------------------------------------------------- classifiers and regressors, up to 5

/// Nodes and leaves in one list, found by the ids of their tree and node.
class NodeList {
public:
  explicit NodeList(NodeBuilder &node) : node(node) {}
  /// `entries`: "class" or "target", what the attributes of the leaves' entries are called by. Errors are the node's.
  Ensemble read(StringRef entries);

private:
  using Id = std::pair<int64_t, int64_t>;

  void readIds();
  void readTests(Ensemble &ensemble);
  void readEntries(Ensemble &ensemble, StringRef name);
  int64_t find(Id id, StringRef what);

  NodeBuilder &node;
  llvm::SmallVector<std::string, 4> modes;
  IntList trees, ids;
  /// References as in Ensemble.
  std::map<Id, int64_t> places;
  int64_t leafCount = 0;
};

void NodeList::readIds() {
  modes = node.getStrings("nodes_modes").value_or(llvm::SmallVector<std::string, 4>());
  trees = readInts(node, "nodes_treeids", modes.size());
  ids = readInts(node, "nodes_nodeids", modes.size());
  int64_t testCount = 0;
  for (size_t i = 0; i < modes.size() && !node.failed(); ++i) {
    int64_t place = modes[i] == "LEAF" ? -1 - leafCount++ : testCount++;
    if (!places.try_emplace({trees[i], ids[i]}, place).second)
      node.fail("tree " + Twine(trees[i]) + " has two nodes " + Twine(ids[i]));
  }
}

int64_t NodeList::find(Id id, StringRef what) {
  auto place = places.find(id);
  if (place != places.end())
    return place->second;
  node.fail(what + " of tree " + Twine(id.first) + " is node " + Twine(id.second) + ", which is not there");
  return 0;
}

void NodeList::readTests(Ensemble &ensemble) {
  constexpr StringRef names[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"};
  IntList features = readInts(node, "nodes_featureids", modes.size());
  IntList ifTrue = readInts(node, "nodes_truenodeids", modes.size());
  IntList ifFalse = readInts(node, "nodes_falsenodeids", modes.size());
  IntList missing = readMissing(node, modes.size());
  std::vector<double> values = readDoubles(node, "nodes_values", modes.size());
  std::set<int64_t> seen;
  for (size_t i = 0; i < modes.size() && !node.failed(); ++i) {
    if (seen.insert(trees[i]).second)
      ensemble.roots.push_back(places[{trees[i], ids[i]}]);
    if (modes[i] == "LEAF")
      continue;
    const StringRef *mode = llvm::find(names, modes[i]);
    if (mode == std::end(names))
      return node.fail("'nodes_modes' must be one of LEAF, " + llvm::join(llvm::ArrayRef(names), ", ") + ", found " +
                       quoted(modes[i]));
    EnsembleNode test{static_cast<Test>(mode - names), features[i], values[i], {}, 0, 0, missing[i] != 0};
    test.ifTrue = find({trees[i], ifTrue[i]}, "a child");
    test.ifFalse = find({trees[i], ifFalse[i]}, "a child");
    ensemble.nodes.push_back(std::move(test));
  }
}

void NodeList::readEntries(Ensemble &ensemble, StringRef name) {
  std::string prefix = name.str();
  size_t count = node.getInts(prefix + "_ids").value_or(IntList()).size();
  IntList targets = readInts(node, prefix + "_ids", count);
  IntList treeIds = readInts(node, prefix + "_treeids", count), nodeIds = readInts(node, prefix + "_nodeids", count);
  std::vector<double> weights = readDoubles(node, prefix + "_weights", count);
  ensemble.leaves.resize(static_cast<size_t>(leafCount));
  for (size_t i = 0; i < count && !node.failed(); ++i) {
    int64_t place = find({treeIds[i], nodeIds[i]}, "a leaf");
    if (place < 0) // what stands at an inner node is never reached
      ensemble.leaves[static_cast<size_t>(-1 - place)].push_back({targets[i], weights[i]});
  }
}

Ensemble NodeList::read(StringRef entries) {
  Ensemble ensemble;
  node.ignoreAttribute("nodes_hitrates");
  node.ignoreAttribute("nodes_hitrates_as_tensor");
  readIds();
  readTests(ensemble);
  readEntries(ensemble, entries);
  return ensemble;
}

void buildRegressor(NodeBuilder &node) {
  Value x = getMatrix(node, /*keepsDouble=*/true);
  Transform transform = readTransform(node);
  size_t aggregate = readChoice(node, "aggregate_function", {"AVERAGE", "SUM", "MIN", "MAX"}, "SUM");
  size_t targets = static_cast<size_t>(readTargets(node));
  Ensemble ensemble = NodeList(node).read("target");
  ensemble.kind = kindOf(aggregate);
  ensemble.base = readNumbers(node, "base_values").value_or(std::vector<double>());
  if (ensemble.base.empty())
    ensemble.base.resize(targets);
  if (ensemble.base.size() != targets)
    return node.fail("'base_values' must have " + Twine(targets) + " values, found " + Twine(ensemble.base.size()));
  if (node.failed())
    return;
  Value scores = buildTrees(node, x, ensemble, node.typeOf(x).getElementType());
  node.setResult(0, applyTransform(node, castTo(node, scores, node.getBuilder().getF32Type()), transform));
}

/// Base values of the classes; a single one belongs to the single score.
std::vector<double> readClassBase(NodeBuilder &node, size_t classes, std::optional<int64_t> onlyClass) {
  std::vector<double> base = readNumbers(node, "base_values").value_or(std::vector<double>());
  if (base.empty())
    base.resize(classes);
  if (base.size() == 1 && onlyClass && *onlyClass >= 0 && *onlyClass < static_cast<int64_t>(classes)) {
    double value = base.front();
    base.assign(classes, 0);
    base[static_cast<size_t>(*onlyClass)] = value;
  }
  if (base.size() != classes)
    node.fail("'base_values' must have " + Twine(classes) + " values, found " + Twine(base.size()));
  base.resize(classes);
  return base;
}

/// The class that all leaves vote for, where there is only one.
std::optional<int64_t> findOnlyClass(const Ensemble &ensemble) {
  std::optional<int64_t> only;
  for (const auto &entries : ensemble.leaves)
    for (const LeafEntry &entry : entries) {
      if (only && *only != entry.target)
        return std::nullopt;
      only = entry.target;
    }
  return only;
}

bool hasNegativeWeights(const Ensemble &ensemble) {
  return llvm::any_of(ensemble.leaves, [](const auto &entries) {
    return llvm::any_of(entries, [](const LeafEntry &entry) { return entry.weight < 0; });
  });
}

/// One class that may be or not: its label above 0, and label 0 otherwise.
void buildSingleClass(NodeBuilder &node, Value score, ClassLabels classes, Transform transform) {
  if (!classes.names.empty())
    return node.fail("a single label must be an integer");
  Value transformed = applyTransform(node, castTo(node, score, node.getBuilder().getF32Type()), transform);
  classes.labels.insert(classes.labels.begin(), 0);
  setBinaryResults(node, score, classes, Transform::None, SingleScore::margin);
  node.setResult(1, transformed);
}

/// Two classes, the first one's votes alone given: they are those of the second one.
void buildBinary(NodeBuilder &node, Value x, Ensemble ensemble, const ClassLabels &classes, Transform transform) {
  ensemble.base.resize(1);
  Value score = buildTrees(node, x, ensemble, node.typeOf(x).getElementType());
  setBinaryResults(node, score, classes, transform,
                   hasNegativeWeights(ensemble) ? SingleScore::margin : SingleScore::probability);
}

/// Two classes, the second one's votes alone given: ONNX Runtime compares them as if they were the first one's, and
/// leaves the first one's score at 0.
void buildSecondOnly(NodeBuilder &node, Value x, const Ensemble &ensemble, const ClassLabels &classes,
                     Transform transform) {
  Value scores = buildTrees(node, x, ensemble, node.typeOf(x).getElementType());
  if (!scores)
    return;
  Value second = node.createSliceAlong(scores, 1, 1, 1);
  setBinaryResults(node, second, classes, Transform::None,
                   hasNegativeWeights(ensemble) ? SingleScore::margin : SingleScore::probability);
  node.setResult(1, applyTransform(node, castTo(node, scores, node.getBuilder().getF32Type()), transform));
}

void buildClassifier(NodeBuilder &node) {
  Value x = getMatrix(node, /*keepsDouble=*/true);
  Transform transform = readTransform(node);
  ClassLabels classes = readLabels(node, "classlabels_int64s", "classlabels_strings");
  Ensemble ensemble = NodeList(node).read("class");
  std::optional<int64_t> only = findOnlyClass(ensemble);
  ensemble.base = readClassBase(node, classes.size(), classes.size() == 2 ? only : std::nullopt);
  if (node.failed())
    return;
  if (classes.size() == 2 && only == 0)
    return buildBinary(node, x, std::move(ensemble), classes, transform);
  if (classes.size() == 2 && only == 1)
    return buildSecondOnly(node, x, ensemble, classes, transform);
  Value scores = buildTrees(node, x, ensemble, node.typeOf(x).getElementType());
  if (classes.size() == 1)
    return buildSingleClass(node, scores, classes, transform);
  setClassResults(node, scores, classes, transform);
}

// ------------------------------------------------------------------------------------------------------ TreeEnsemble,
// 5
std::vector<double> readTensor(NodeBuilder &node, StringRef name) {
  std::vector<double> values;
  if (ElementsAttr tensor = node.getTensor(name)) {
    nn::HostTensor view = nn::HostTensor::view(tensor);
    bool isFloat = isa<FloatType>(view.type().getElementType());
    for (int64_t i = 0; i < view.size(); ++i)
      values.push_back(isFloat ? view.toDouble(i) : static_cast<double>(view.toInteger(i)));
  }
  return values;
}

/// The members of each node of that mode, in the order of the nodes, a NaN behind each set.
void readMembers(NodeBuilder &node, Ensemble &ensemble) {
  std::vector<double> members = readTensor(node, "membership_values");
  auto next = members.begin();
  for (EnsembleNode &test : ensemble.nodes) {
    if (test.test != Test::Member)
      continue;
    auto end = std::find_if(next, members.end(), [](double value) { return value != value; });
    if (end == members.end())
      return node.fail("'membership_values' must have a set that ends with NaN for each node of mode BRANCH_MEMBER");
    test.members.assign(next, end);
    next = end + 1;
  }
}

void readTests(NodeBuilder &node, Ensemble &ensemble) {
  std::vector<double> splits = readTensor(node, "nodes_splits"), modes = readTensor(node, "nodes_modes");
  size_t count = splits.size();
  if (modes.size() != count)
    return node.fail("'nodes_modes' must have " + Twine(count) + " values, found " + Twine(modes.size()));
  IntList features = readInts(node, "nodes_featureids", count), missing = readMissing(node, count);
  IntList ifTrue = readInts(node, "nodes_truenodeids", count), ifFalse = readInts(node, "nodes_falsenodeids", count);
  IntList trueLeafs = readInts(node, "nodes_trueleafs", count), falseLeafs = readInts(node, "nodes_falseleafs", count);
  auto reference = [&](int64_t index, int64_t isLeaf) {
    if (index < 0)
      node.fail("a tree leads to node " + Twine(index) + ", which is not there");
    return isLeaf ? -1 - index : index;
  };
  for (size_t i = 0; i < count && !node.failed(); ++i) {
    if (!(modes[i] >= 0 && modes[i] <= static_cast<double>(Test::Member)))
      return node.fail("'nodes_modes' must be 0 to 6, found " + Twine(static_cast<int64_t>(modes[i])));
    ensemble.nodes.push_back({static_cast<Test>(modes[i]),
                              features[i],
                              splits[i],
                              {},
                              reference(ifTrue[i], trueLeafs[i]),
                              reference(ifFalse[i], falseLeafs[i]),
                              missing[i] != 0});
  }
}

void buildEnsemble(NodeBuilder &node) {
  Value x = getMatrix(node, /*keepsDouble=*/true);
  Ensemble ensemble;
  int64_t aggregate = node.getInt("aggregate_function", 1), transform = node.getInt("post_transform", 0);
  if (aggregate < 0 || aggregate > 3 || transform < 0 || transform > 4)
    return node.fail("'aggregate_function' must be 0 to 3 and 'post_transform' 0 to 4, found " + Twine(aggregate) +
                     " and " + Twine(transform));
  ensemble.kind = kindOf(static_cast<size_t>(aggregate));
  ensemble.base.resize(static_cast<size_t>(readTargets(node)));
  readTests(node, ensemble);
  readMembers(node, ensemble);
  std::vector<double> weights = readTensor(node, "leaf_weights");
  IntList targets = readInts(node, "leaf_targetids", weights.size());
  for (auto [target, weight] : llvm::zip_equal(targets, weights))
    ensemble.leaves.push_back({{target, weight}});
  if (auto roots = node.getInts("tree_roots"))
    ensemble.roots.assign(roots->begin(), roots->end());
  if (llvm::any_of(ensemble.roots, [](int64_t root) { return root < 0; }))
    return node.fail("'tree_roots' must be nodes, found a negative number");
  node.ignoreAttribute("nodes_hitrates");
  if (node.failed())
    return;
  Value scores = buildTrees(node, x, ensemble, node.typeOf(x).getElementType());
  scores = applyTransform(node, scores, static_cast<Transform>(transform));
  node.setResult(0, castTo(node, scores, node.typeOf(0).getElementType()));
}

} // namespace

void aotc::frontend::addTreeEnsemblesRules(OpTable &table) {
  table.add("ai.onnx.ml.TreeEnsemble", 1, 1, buildEnsemble, floats);
  table.add("ai.onnx.ml.TreeEnsembleRegressor", 1, 1, buildRegressor, floats | signedInts);
  table.add("ai.onnx.ml.TreeEnsembleClassifier", 1, 1, buildClassifier, floats | signedInts);
}
