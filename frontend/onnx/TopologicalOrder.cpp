// Depth-first search with a stack of its own: graphs may be tens of thousands of nodes deep.
#include "frontend/onnx/TopologicalOrder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace aotc::frontend;

namespace {

enum class State : char { untouched, open, placed };

struct Sorter {
  Graph &graph;
  const Model &model;
  llvm::DenseMap<ValueId, size_t> producers;
  std::vector<State> states;
  std::vector<size_t> order;
  /// The path from a root to the node looked at: node, and the position in its list of uses.
  std::vector<std::pair<size_t, size_t>> path;

  Sorter(Graph &graph, const Model &model) : graph(graph), model(model), states(graph.nodes.size()) {
    for (auto [index, node] : llvm::enumerate(graph.nodes))
      for (ValueId output : node.outputs)
        producers.try_emplace(output, index);
    order.reserve(graph.nodes.size());
  }

  /// The `position`-th value that a node uses: its inputs, then what its subgraphs capture. Absent past the last.
  bool use(const Node &node, size_t position, ValueId &value) const {
    if (position < node.inputs.size()) {
      value = node.inputs[position];
      return true;
    }
    position -= node.inputs.size();
    if (position < node.captures.size()) {
      value = node.captures[position];
      return true;
    }
    return false;
  }

  /// Places `root` after all it needs. Returns false on a cycle, which then is the end of `path`.
  bool visit(size_t root) {
    path.push_back({root, 0});
    states[root] = State::open;
    while (!path.empty()) {
      auto &[index, position] = path.back();
      ValueId value = absentValue;
      if (!use(graph.nodes[index], position, value)) {
        states[index] = State::placed;
        order.push_back(index);
        path.pop_back();
        continue;
      }
      ++position;
      auto producer = value == absentValue ? producers.end() : producers.find(value);
      if (producer == producers.end() || states[producer->second] == State::placed)
        continue;
      if (states[producer->second] == State::open) {
        path.push_back({producer->second, 0});
        return false;
      }
      states[producer->second] = State::open;
      path.push_back({producer->second, 0});
    }
    return true;
  }

  /// The path ends where the cycle began: report the values on it, consumers after producers.
  void reportCycle(Diagnostics &diagnostics) const {
    constexpr size_t mostShown = 8;
    size_t last = path.back().first;
    std::string values;
    size_t shown = 0;
    for (size_t i = path.size() - 1; i-- > 0;) {
      const auto &[index, position] = path[i];
      ValueId value = absentValue;
      use(graph.nodes[index], position - 1, value);
      if (shown++ < mostShown)
        values += (values.empty() ? "" : " -> ") + quoted(model.value(value).name);
      if (index == last)
        break;
    }
    if (shown > mostShown)
      values += " -> …";
    diagnostics.error(model.describe(graph.nodes[last]) + ": is part of a cycle, through " + values);
  }
};

} // namespace

bool aotc::frontend::sortNodes(Graph &graph, const Model &model, Diagnostics &diagnostics) {
  Sorter sorter(graph, model);
  for (size_t index = 0; index < graph.nodes.size(); ++index) {
    if (sorter.states[index] == State::untouched && !sorter.visit(index)) {
      sorter.reportCycle(diagnostics);
      return false;
    }
  }
  std::vector<Node> sorted;
  sorted.reserve(graph.nodes.size());
  for (size_t index : sorter.order)
    sorted.push_back(std::move(graph.nodes[index]));
  graph.nodes = std::move(sorted);
  return true;
}
