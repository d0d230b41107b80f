// Resolves the names of a model. One builder walks the main graph, its subgraphs and the functions that are called; the
// depth and the number of nodes are limited, since a few lines of nested functions can ask for billions of nodes.
#include "frontend/onnx/Functions.h"
#include "frontend/onnx/InputValues.h"
#include "frontend/onnx/TopologicalOrder.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace aotc::frontend;
using llvm::StringRef;
using llvm::Twine;

namespace {

constexpr size_t mostNodes = 1'000'000;
constexpr int deepestNesting = 100;

/// Names that nodes may use: of the graph or function body at hand, then of the enclosing graphs. A function's body
/// sees nothing of its caller.
struct Scope {
  llvm::StringMap<ValueId> names;
  const Scope *parent = nullptr;

  const ValueId *find(StringRef name) const {
    for (const Scope *scope = this; scope; scope = scope->parent) {
      auto place = scope->names.find(name);
      if (place != scope->names.end())
        return &place->second;
    }
    return nullptr;
  }
};

/// Where nodes are being added, and what surrounds them.
struct Context {
  Graph &graph;
  Scope &scope;
  const std::map<std::string, int64_t> &opsets;
  /// Attributes of the call, inside a function; null outside.
  llvm::ArrayRef<NodeAttribute> *bound = nullptr;
  /// "call/" inside a function: values and nodes of its body are named after the call.
  std::string prefix;
};

class GraphBuilder {
public:
  GraphBuilder(Model &model, FunctionTable &functions, const GraphOptions &options, Diagnostics &diagnostics)
      : model(model), functions(functions), options(options), diagnostics(diagnostics) {}

  bool buildMain(onnx::GraphProto &proto);

private:
  bool buildGraph(onnx::GraphProto &proto, Context &context);
  bool declareInputs(onnx::GraphProto &proto, Context &context);
  bool declareInitializers(onnx::GraphProto &proto, Context &context);
  void attachDeclaredTypes(onnx::GraphProto &proto, Context &context);
  bool addNodes(google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes, Context &context);
  bool declareOutputs(const onnx::NodeProto &proto, Context &context);
  bool addNode(onnx::NodeProto &proto, Context &context);
  bool resolveInputs(const onnx::NodeProto &proto, Node &node, const Context &context);
  bool resolveAttributes(onnx::NodeProto &proto, Node &node, const Context &context);
  bool buildSubgraphs(Node &node, Context &context);
  bool inlineCall(Function &function, const Node &call, Context &context);
  bool declareBody(Function &function, const Node &call, Context &body);
  bool bindFormals(Function &function, const Node &call, Scope &scope, Context &context);
  void addCopy(ValueId from, ValueId to, StringRef name, Context &context);
  void collectCaptures(Graph &graph);
  int64_t opsetOf(const onnx::NodeProto &proto, const Context &context);
  ValueId addValue(StringRef name, ValueKind kind, const Context &context);
  ValueId define(StringRef name, ValueKind kind, Context &context, const Twine &by);
  bool isVariable(StringRef name) const;
  void tellOfDefaults();

  Model &model;
  FunctionTable &functions;
  const GraphOptions &options;
  Diagnostics &diagnostics;
  std::vector<const Function *> active;
  llvm::StringSet<> unknownDomains;
  size_t nodeCount = 0;
  int depth = 0;
  bool defaultsAreVariable = false;
};

/// Counts nesting for as long as it lives.
struct Nesting {
  explicit Nesting(int &depth) : depth(depth) { ++depth; }
  ~Nesting() { --depth; }
  int &depth;
};

std::string nodeText(const onnx::NodeProto &proto) {
  const std::string &name = proto.name();
  if (!name.empty())
    return "node " + quoted(name);
  return "node of " + quoted(proto.output_size() ? proto.output(0) : "?");
}

ValueId GraphBuilder::addValue(StringRef name, ValueKind kind, const Context &context) {
  GraphValue value;
  value.name = context.prefix + name.str();
  value.kind = kind;
  value.graph = &context.graph;
  model.values.push_back(std::move(value));
  return static_cast<ValueId>(model.values.size() - 1);
}

/// A new value with a name of its own in the scope; absent after an error.
ValueId GraphBuilder::define(StringRef name, ValueKind kind, Context &context, const Twine &by) {
  if (context.scope.names.count(name)) {
    diagnostics.error(by + ": value " + quoted(name) + " is defined twice");
    return absentValue;
  }
  ValueId id = addValue(name, kind, context);
  context.scope.names[name] = id;
  return id;
}

bool GraphBuilder::isVariable(StringRef name) const {
  if (options.constantInputs || isGivenValue(options.inputValues, name))
    return false;
  if (!options.variableInputs.empty())
    return llvm::is_contained(options.variableInputs, name.str());
  return defaultsAreVariable;
}

bool GraphBuilder::declareInputs(onnx::GraphProto &proto, Context &context) {
  for (const onnx::ValueInfoProto &input : proto.input()) {
    if (input.name().empty()) {
      diagnostics.error("an input of graph " + quoted(proto.name()) + " has no name");
      return false;
    }
    ValueId id = define(input.name(), ValueKind::input, context, "input " + Twine(quoted(input.name())));
    if (id == absentValue)
      return false;
    model.values[static_cast<size_t>(id)].declared = &input;
    context.graph.inputs.push_back(id);
  }
  return true;
}

bool GraphBuilder::declareInitializers(onnx::GraphProto &proto, Context &context) {
  for (onnx::TensorProto &tensor : *proto.mutable_initializer()) {
    if (tensor.name().empty()) {
      diagnostics.error("an initializer of graph " + quoted(proto.name()) + " has no name");
      return false;
    }
    auto place = context.scope.names.find(tensor.name());
    bool isInput = place != context.scope.names.end();
    ValueId id =
        isInput ? place->second
                : define(tensor.name(), ValueKind::initializer, context, "initializer " + Twine(quoted(tensor.name())));
    GraphValue &value = model.values[static_cast<size_t>(id)];
    if (value.initializer) {
      diagnostics.error("initializer " + quoted(tensor.name()) + ": value " + quoted(tensor.name()) +
                        " is defined twice");
      return false;
    }
    value.initializer = &tensor;
    bool keepsInput = isInput && &context.graph == &model.graph && isVariable(tensor.name());
    if (keepsInput)
      continue;
    if (isInput)
      model.fixedDefaults.push_back(value.name);
    value.kind = ValueKind::initializer;
    context.graph.initializers.push_back(id);
  }
  llvm::erase_if(context.graph.inputs, [&](ValueId id) { return model.value(id).kind == ValueKind::initializer; });
  return true;
}

/// Types of inputs are attached already; those of results and outputs serve as checks. In functions they are not used.
void GraphBuilder::attachDeclaredTypes(onnx::GraphProto &proto, Context &context) {
  auto attach = [&](const onnx::ValueInfoProto &info) {
    auto place = context.scope.names.find(info.name());
    if (place == context.scope.names.end())
      return;
    GraphValue &value = model.values[static_cast<size_t>(place->second)];
    if (!value.declared && info.has_type())
      value.declared = &info;
  };
  llvm::for_each(proto.output(), attach);
  llvm::for_each(proto.value_info(), attach);
}

bool GraphBuilder::declareOutputs(const onnx::NodeProto &proto, Context &context) {
  for (const std::string &name : proto.output())
    if (!name.empty() && define(name, ValueKind::result, context, nodeText(proto)) == absentValue)
      return false;
  return true;
}

bool GraphBuilder::addNodes(google::protobuf::RepeatedPtrField<onnx::NodeProto> &nodes, Context &context) {
  for (onnx::NodeProto &node : nodes)
    if (!addNode(node, context))
      return false;
  return true;
}

/// 0 after an error. Each unknown domain is reported with its first node only.
int64_t GraphBuilder::opsetOf(const onnx::NodeProto &proto, const Context &context) {
  StringRef domain = canonicalDomain(proto.domain());
  for (const auto *opsets : {&context.opsets, static_cast<const std::map<std::string, int64_t> *>(&model.opsets)}) {
    auto place = opsets->find(domain.str());
    if (place != opsets->end())
      return place->second;
  }
  if (unknownDomains.insert(domain).second)
    diagnostics.error(nodeText(proto) + " (" + quoted(proto.op_type()) +
                      "): the model imports no operator set of domain " + quoted(domain.empty() ? "ai.onnx" : domain));
  return 0;
}

bool GraphBuilder::resolveInputs(const onnx::NodeProto &proto, Node &node, const Context &context) {
  bool resolved = true;
  for (auto [index, name] : llvm::enumerate(proto.input())) {
    const ValueId *id = name.empty() ? &absentValue : context.scope.find(name);
    if (!id) {
      diagnostics.error(model.describe(node) + ": input " + Twine(index) + ", " + quoted(name) +
                        ", is not defined anywhere");
      resolved = false;
    }
    node.inputs.push_back(id ? *id : absentValue);
  }
  while (!node.inputs.empty() && node.inputs.back() == absentValue)
    node.inputs.pop_back();
  return resolved;
}

bool GraphBuilder::resolveAttributes(onnx::NodeProto &proto, Node &node, const Context &context) {
  llvm::StringSet<> names;
  for (onnx::AttributeProto &attribute : *proto.mutable_attribute()) {
    onnx::AttributeProto *value = &attribute;
    if (!attribute.ref_attr_name().empty()) {
      if (!context.bound) {
        diagnostics.error(model.describe(node) + ": attribute " + quoted(attribute.name()) +
                          " refers to the attribute of a function, outside of any function");
        return false;
      }
      auto isWanted = [&](const NodeAttribute &given) { return given.name == attribute.ref_attr_name(); };
      const auto *given = llvm::find_if(*context.bound, isWanted);
      if (given == context.bound->end())
        continue; // neither the call nor the function gives it: the operator's own default holds
      value = given->value;
    }
    if (!names.insert(attribute.name()).second) {
      diagnostics.error(model.describe(node) + ": attribute " + quoted(attribute.name()) + " is given twice");
      return false;
    }
    node.attributes.push_back({attribute.name(), value});
  }
  return true;
}

bool GraphBuilder::buildSubgraphs(Node &node, Context &context) {
  llvm::DenseSet<ValueId> seen;
  for (const NodeAttribute &attribute : node.attributes) {
    if (!attribute.value->has_g())
      continue;
    Subgraph subgraph{attribute.name, std::make_unique<Graph>()};
    Scope scope;
    scope.parent = &context.scope;
    Context inner{*subgraph.graph, scope, context.opsets, context.bound, context.prefix};
    if (!buildGraph(*attribute.value->mutable_g(), inner))
      return false;
    for (ValueId id : subgraph.graph->captures)
      if (seen.insert(id).second)
        node.captures.push_back(id);
    node.subgraphs.push_back(std::move(subgraph));
  }
  return true;
}

bool GraphBuilder::addNode(onnx::NodeProto &proto, Context &context) {
  if (++nodeCount > mostNodes) {
    diagnostics.error("more than " + Twine(mostNodes) + " nodes, functions inlined");
    return false;
  }
  Node node;
  node.name = proto.name().empty() ? "" : context.prefix + proto.name();
  node.opType = proto.op_type();
  node.domain = canonicalDomain(proto.domain());
  for (const std::string &output : proto.output())
    node.outputs.push_back(output.empty() ? absentValue : *context.scope.find(output));
  Function *function = functions.find(proto);
  if (!function)
    node.opset = opsetOf(proto, context);
  bool resolved = resolveInputs(proto, node, context);
  if (!resolved || !resolveAttributes(proto, node, context))
    return true; // reported; the other nodes may have errors of their own
  if (function)
    return inlineCall(*function, node, context);
  if (!buildSubgraphs(node, context))
    return false;
  context.graph.nodes.push_back(std::move(node));
  return true;
}

/// A value that is only passed on needs a node: outputs of a function have names of their own.
void GraphBuilder::addCopy(ValueId from, ValueId to, StringRef name, Context &context) {
  Node node;
  node.name = name.str();
  node.opType = "Identity";
  node.opset = model.opsets.count("") ? model.opsets[""] : 1;
  node.inputs.push_back(from);
  node.outputs.push_back(to);
  context.graph.nodes.push_back(std::move(node));
}

/// Formal inputs become the call's inputs, and formal outputs that a node of the body makes become the call's outputs.
bool GraphBuilder::bindFormals(Function &function, const Node &call, Scope &scope, Context &context) {
  const onnx::FunctionProto &proto = *function.proto;
  auto tooMany = [&](size_t found, int most, StringRef kind) {
    if (found <= static_cast<size_t>(most))
      return false;
    diagnostics.error(model.describe(call) + ": the function has " + Twine(most) + " " + kind + ", found " +
                      Twine(found));
    return true;
  };
  if (tooMany(call.inputs.size(), proto.input_size(), "inputs") ||
      tooMany(call.outputs.size(), proto.output_size(), "outputs"))
    return false;
  for (auto [index, name] : llvm::enumerate(proto.input()))
    if (!scope.names.try_emplace(name, index < call.inputs.size() ? call.inputs[index] : absentValue).second) {
      diagnostics.error(model.describe(call) + ": input " + quoted(name) + " of the function is defined twice");
      return false;
    }
  for (auto [index, name] : llvm::enumerate(proto.output())) {
    ValueId output = index < call.outputs.size() ? call.outputs[index] : absentValue;
    auto place = scope.names.find(name);
    if (output == absentValue)
      continue;
    if (place == scope.names.end())
      continue;
    if (place->second == absentValue) {
      diagnostics.error(model.describe(call) + ": output " + quoted(name) +
                        " of the function is one of its inputs, which is left out");
      return false;
    }
    addCopy(place->second, output, call.name, context);
  }
  return true;
}

/// Declares what the body makes: the function's outputs are the call's own values, the rest is new.
bool GraphBuilder::declareBody(Function &function, const Node &call, Context &body) {
  llvm::StringMap<ValueId> results;
  for (auto [index, name] : llvm::enumerate(function.proto->output())) {
    ValueId output = index < call.outputs.size() ? call.outputs[index] : absentValue;
    if (output != absentValue && !results.try_emplace(name, output).second) {
      diagnostics.error(model.describe(call) + ": output " + quoted(name) + " of the function is listed twice");
      return false;
    }
  }
  for (const onnx::NodeProto &node : function.proto->node()) {
    for (const std::string &name : node.output()) {
      auto result = results.find(name);
      if (name.empty())
        continue;
      if (result == results.end()) {
        if (define(name, ValueKind::result, body, nodeText(node)) == absentValue)
          return false;
      } else if (!body.scope.names.try_emplace(name, result->second).second) {
        diagnostics.error(nodeText(node) + ": value " + quoted(name) + " is defined twice");
        return false;
      }
    }
  }
  for (const auto &result : results)
    if (!body.scope.names.count(result.getKey())) {
      diagnostics.error(model.describe(call) + ": output " + quoted(result.getKey()) +
                        " of the function is not made in its body");
      return false;
    }
  return true;
}

bool GraphBuilder::inlineCall(Function &function, const Node &call, Context &context) {
  Nesting nesting(depth);
  if (llvm::is_contained(active, &function) || depth > deepestNesting) {
    diagnostics.error(model.describe(call) +
                      (depth > deepestNesting ? ": functions are nested too deep" : ": the function calls itself"));
    return false;
  }
  active.push_back(&function);
  llvm::SmallVector<NodeAttribute, 4> attributes = bindAttributes(function, call.attributes);
  llvm::ArrayRef<NodeAttribute> bound = attributes;
  std::string callName = call.name;
  if (callName.empty() && !call.outputs.empty() && call.outputs[0] != absentValue)
    callName = model.value(call.outputs[0]).name;
  Scope scope;
  Context body{context.graph, scope, function.opsets, &bound, callName + "/"};
  bool done = bindFormals(function, call, scope, context) && declareBody(function, call, body) &&
              addNodes(*function.proto->mutable_node(), body);
  active.pop_back();
  return done;
}

/// Values of enclosing graphs, used by nodes, deeper graphs or as outputs; in the order of their first use.
void GraphBuilder::collectCaptures(Graph &graph) {
  llvm::DenseSet<ValueId> seen;
  auto use = [&](ValueId id) {
    if (id != absentValue && model.value(id).graph != &graph && seen.insert(id).second)
      graph.captures.push_back(id);
  };
  for (const Node &node : graph.nodes) {
    llvm::for_each(node.inputs, use);
    llvm::for_each(node.captures, use);
  }
  llvm::for_each(graph.outputs, use);
}

bool GraphBuilder::buildGraph(onnx::GraphProto &proto, Context &context) {
  Nesting nesting(depth);
  if (depth > deepestNesting) {
    diagnostics.error("graph " + quoted(proto.name()) + " is nested more than " + Twine(deepestNesting) + " deep");
    return false;
  }
  context.graph.name = proto.name();
  if (proto.sparse_initializer_size() != 0) {
    diagnostics.error("initializer " + quoted(proto.sparse_initializer(0).values().name()) +
                      ": sparse tensors are not supported");
    return false;
  }
  if (!declareInputs(proto, context) || !declareInitializers(proto, context))
    return false;
  for (const onnx::NodeProto &node : proto.node())
    if (!declareOutputs(node, context))
      return false;
  attachDeclaredTypes(proto, context);
  unsigned errorsBefore = diagnostics.getErrorCount();
  if (!addNodes(*proto.mutable_node(), context))
    return false;
  for (const onnx::ValueInfoProto &output : proto.output()) {
    const ValueId *id = context.scope.find(output.name());
    if (!id)
      diagnostics.error("output " + quoted(output.name()) + " of graph " + quoted(proto.name()) +
                        " is not defined anywhere");
    else
      context.graph.outputs.push_back(*id);
  }
  if (diagnostics.getErrorCount() != errorsBefore)
    return false;
  collectCaptures(context.graph);
  return sortNodes(context.graph, model, diagnostics);
}

/// That inputs of the file are none of the generated code, unless the user said so.
void GraphBuilder::tellOfDefaults() {
  llvm::SmallVector<StringRef> names;
  for (const std::string &name : model.fixedDefaults)
    if (!isGivenValue(options.inputValues, name))
      names.push_back(name);
  if (!names.empty())
    diagnostics.remark(Twine(names.size()) + " inputs have an initializer and are taken as constants, " +
                       quoted(names.front()) + " first");
}

bool GraphBuilder::buildMain(onnx::GraphProto &proto) {
  llvm::StringSet<> inputs;
  for (const onnx::ValueInfoProto &input : proto.input())
    inputs.insert(input.name());
  auto isInput = [&](const onnx::TensorProto &tensor) { return inputs.contains(tensor.name()); };
  defaultsAreVariable = model.irVersion >= 4 && !llvm::all_of(proto.initializer(), isInput);
  for (const std::string &name : options.variableInputs)
    if (!inputs.contains(name)) {
      diagnostics.error("the model has no input " + quoted(name), ErrorClass::usage);
      return false;
    }
  Scope scope;
  Context context{model.graph, scope, model.opsets, nullptr, ""};
  if (!buildGraph(proto, context))
    return false;
  if (model.graph.outputs.empty()) {
    diagnostics.error("the graph has no outputs");
    return false;
  }
  tellOfDefaults();
  return true;
}

} // namespace

std::unique_ptr<Model> aotc::frontend::buildModel(onnx::ModelProto &proto, const GraphOptions &options,
                                                  Diagnostics &diagnostics) {
  if (!addInputValues(proto, options.inputValues, diagnostics))
    return nullptr;
  auto model = std::make_unique<Model>();
  auto functions = std::make_shared<FunctionTable>();
  model->irVersion = proto.ir_version();
  model->functions = functions;
  model->outputBounds = OutputBounds(options.outputBounds);
  if (!readOpsets(proto.opset_import(), model->opsets, "the model", diagnostics))
    return nullptr;
  if (model->irVersion < 3)
    model->opsets.emplace("", 1); // operator sets came with IR version 3
  if (!functions->build(proto, diagnostics))
    return nullptr;
  GraphBuilder builder(*model, *functions, options, diagnostics);
  if (!builder.buildMain(*proto.mutable_graph()))
    return nullptr;
  return model;
}
