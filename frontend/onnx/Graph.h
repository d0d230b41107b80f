// The model as the importer walks it: names resolved to values, nodes in an order in which each value is made before it
// is used, model-local functions inlined, versions of operators known. It is a view: attributes and weights stay in the
// protobuf, which must outlive it. Nothing here knows what an operator means.
#pragma once

#include "frontend/onnx/OutputBounds.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <onnx/onnx_pb.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace aotc::frontend {

/// Index into Model::values.
using ValueId = int32_t;
/// An optional input or output that was left out ("").
constexpr ValueId absentValue = -1;

struct Graph;

enum class ValueKind {
  input,       ///< of its graph, to be given by the caller
  initializer, ///< a constant
  result       ///< made by a node
};

struct GraphValue {
  std::string name; ///< as in the model; inside an inlined function "call/name"
  ValueKind kind = ValueKind::result;
  const Graph *graph = nullptr;                   ///< where it is defined
  const onnx::ValueInfoProto *declared = nullptr; ///< its declared type and shape, if any
  onnx::TensorProto *initializer = nullptr;       ///< contents, or the default of an input that has one
};

/// An attribute of a node. Within functions, references to the caller's attributes are already followed.
struct NodeAttribute {
  llvm::StringRef name;
  onnx::AttributeProto *value = nullptr;
};

struct Subgraph {
  llvm::StringRef attribute; ///< "then_branch", "body", …
  std::unique_ptr<Graph> graph;
};

struct Node {
  Node() = default;
  Node(Node &&) noexcept = default; // or a vector that grows would copy
  Node &operator=(Node &&) noexcept = default;

  std::string name; ///< may be empty
  llvm::StringRef opType;
  llvm::StringRef domain;               ///< "" for ONNX's own operators
  int64_t opset = 0;                    ///< version of the domain's operator set
  llvm::SmallVector<ValueId, 4> inputs; ///< without trailing absent ones
  llvm::SmallVector<ValueId, 2> outputs;
  llvm::SmallVector<NodeAttribute, 4> attributes;
  llvm::SmallVector<Subgraph, 0> subgraphs;
  llvm::SmallVector<ValueId, 0> captures; ///< values of enclosing graphs, this one or outer ones, that subgraphs use

  /// Null where the node does not have it.
  const NodeAttribute *findAttribute(llvm::StringRef name) const;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes; ///< producers before consumers; otherwise in the file's order
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs; ///< may be inputs, initializers, or values of an enclosing graph
  std::vector<ValueId> initializers;
  std::vector<ValueId> captures; ///< values of enclosing graphs that are used here or deeper, each once
};

struct GraphOptions {
  /// Initializers that are inputs too: defaults that the caller may replace. Empty: ONNX's rule, see buildModel.
  std::vector<std::string> variableInputs;
  /// All initializers that are inputs too are constants.
  bool constantInputs = false;
  /// "NAME=FILE.npy", as on the command line: inputs that are constants of this value (InputValues.h).
  std::vector<std::string> inputValues;
  /// "NAME=N": the most that the unknown extent of a node's output may be, which is found at run time.
  std::vector<std::string> outputBounds;
};

struct Model {
  int64_t irVersion = 0;
  std::map<std::string, int64_t> opsets; ///< by domain, "" for ONNX's own
  std::vector<GraphValue> values;
  Graph graph;
  OutputBounds outputBounds;
  std::vector<std::string>
      fixedDefaults; ///< inputs that became constants: they have an initializer, or were given a value
  std::shared_ptr<const void> functions; ///< owns default attributes that nodes point to

  const GraphValue &value(ValueId id) const { return values[static_cast<size_t>(id)]; }
  /// "node 'conv1' (Conv, opset 17)"; for a node without a name "node of 'y' (…)" after its first output.
  std::string describe(const Node &node) const;
};

/// Checks and resolves a model, after giving it the values of the options. Null after errors, which were reported:
/// missing or doubly defined values, cycles, unknown domains, functions that call themselves. Initializers that are
/// also inputs are constants before IR version 4 and where every initializer is an input too (one note says so); where
/// only some are, those are inputs with a default.
std::unique_ptr<Model> buildModel(onnx::ModelProto &proto, const GraphOptions &options, Diagnostics &diagnostics);

} // namespace aotc::frontend
