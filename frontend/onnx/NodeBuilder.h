// What the rules of the importer work with: one ONNX node, its inputs as values of the module being built, its
// attributes, and a builder that infers types, reports errors in terms of the node, and folds at once.
//
// Errors are sticky: after the first one, getters return defaults and create() returns null values, so that a rule
// reads straight down. A rule that looks into a value it created checks it first.
#pragma once

#include "frontend/onnx/Constants.h"
#include "frontend/onnx/Graph.h"
#include "frontend/onnx/ShapeValues.h"

#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

#include <optional>

namespace aotc::frontend {

using IntList = llvm::SmallVector<int64_t, 4>;

/// Reads tensors that are attributes, each once: functions may be inlined several times.
class AttributeTensors {
public:
  AttributeTensors(Constants &constants, ExternalData &external, Diagnostics &diagnostics)
      : constants(constants), external(external), diagnostics(diagnostics) {}
  /// Null after an error.
  mlir::ElementsAttr get(onnx::TensorProto &tensor, const std::string &what);

private:
  Constants &constants;
  ExternalData &external;
  Diagnostics &diagnostics;
  std::map<const onnx::TensorProto *, mlir::ElementsAttr> known;
};

/// Builds the graphs that nodes of control flow carry as attributes; what they use of enclosing graphs is built before.
class SubgraphImporter {
public:
  virtual ~SubgraphImporter() = default;
  /// Builds the nodes of `graph` at the builder's insertion point, its inputs being `arguments`, one for each. Returns
  /// its outputs; those are null that an error kept from being built.
  virtual llvm::SmallVector<mlir::Value> importSubgraph(const Graph &graph, mlir::ValueRange arguments) = 0;
  /// Nodes of graphs that were built so far, each time counted.
  virtual size_t countNodes() const = 0;
};

class NodeBuilder {
public:
  NodeBuilder(const Model &model, const Node &node, llvm::SmallVector<mlir::Value, 4> inputs, mlir::OpBuilder &builder,
              AttributeTensors &tensors, ShapeValues &shapeValues, SubgraphImporter &subgraphs,
              Diagnostics &diagnostics);

  // ------------------------------------------------------------------------------------------------------------ errors

  /// Reports "node 'conv1' (Conv, opset 17): " + why, and a note about the way out, unless something was reported for
  /// the node before.
  void fail(const llvm::Twine &why, const llvm::Twine &wayOut = "");
  bool failed() const { return hasFailed; }
  /// Fails without a report: what went wrong was said by other nodes.
  void giveUp() { hasFailed = true; }

  // ------------------------------------------------------------------------------------------------------------ inputs

  int64_t getOpset() const { return node.opset; }
  const Node &getNode() const { return node; }
  size_t getInputCount() const { return inputs.size(); }
  /// Null where the input is left out.
  mlir::Value getInput(size_t index) const { return index < inputs.size() ? inputs[index] : mlir::Value(); }
  llvm::ArrayRef<mlir::Value> getInputs() const { return inputs; }
  void setInput(size_t index, mlir::Value value);
  /// "input 1 ('shape')".
  std::string describeInput(size_t index) const;

  /// Null where the value is not known when compiling.
  static mlir::ElementsAttr getConstant(mlir::Value value);
  /// Its elements; those of a splat that is too large to be spread out are one element.
  static std::optional<nn::HostTensor> viewConstant(mlir::Value value);
  /// The elements of a constant input of integers; nothing where it is left out, and an error where it is not known.
  std::optional<IntList> getConstantInts(size_t index);
  std::optional<llvm::SmallVector<double, 4>> getConstantFloats(size_t index);
  /// The same as getConstantInts for lists of extents: elements may be expressions of the dims that the run knows.
  std::optional<nn::Extents> getExtents(size_t index);
  /// The same for any small integers; nothing, and no error, where they are not known.
  std::optional<nn::Extents> evaluate(size_t index) { return shapeValues.evaluate(getInput(index)); }

  // -------------------------------------------------------------------------------------------------------- attributes

  bool hasAttribute(llvm::StringRef name) const { return node.findAttribute(name) != nullptr; }
  int64_t getInt(llvm::StringRef name, int64_t byDefault);
  /// An error where the attribute is missing.
  int64_t getInt(llvm::StringRef name);
  bool getBool(llvm::StringRef name, bool byDefault) { return getInt(name, byDefault) != 0; }
  float getFloat(llvm::StringRef name, float byDefault);
  std::string getString(llvm::StringRef name, llvm::StringRef byDefault);
  std::optional<IntList> getInts(llvm::StringRef name);
  std::optional<llvm::SmallVector<float, 4>> getFloats(llvm::StringRef name);
  std::optional<llvm::SmallVector<std::string, 4>> getStrings(llvm::StringRef name);
  mlir::ElementsAttr getTensor(llvm::StringRef name);
  /// The attribute in MLIR's form, of the same kind as `like` unless that is null. Null where it is missing.
  mlir::Attribute getAttributeLike(llvm::StringRef name, mlir::Attribute like);
  /// Known, but without effect on what is computed.
  void ignoreAttribute(llvm::StringRef name) { read.insert(name); }
  /// The graph under this name; null, and an error, where there is none.
  const Graph *getGraph(llvm::StringRef name);
  SubgraphImporter &getSubgraphs() { return subgraphs; }
  /// An error for the first attribute that no getter has asked for.
  void checkAllAttributesRead();

  // ------------------------------------------------------------------------------------------------------------ checks

  /// -rank … rank-1 to 0 … rank-1, an error outside.
  int64_t normalizeAxis(int64_t axis, int64_t rank, llvm::StringRef name = "axis");
  /// The same for a list, sorted; duplicates are an error.
  IntList normalizeAxes(llvm::ArrayRef<int64_t> axes, int64_t rank);
  mlir::RankedTensorType typeOf(mlir::Value value) const { return llvm::cast<mlir::RankedTensorType>(value.getType()); }
  mlir::RankedTensorType typeOf(size_t index) const { return typeOf(inputs[index]); }
  nn::Extents extentsOf(size_t index) const { return nn::extentsOf(typeOf(index)); }
  /// The entry block of the function that is being built.
  mlir::Block *getEntry() const { return shapeValues.getEntry(); }
  /// To be called when ops were erased, or dims taken back: what was worked out before may be about them.
  void forgetValues() {
    shapeValues.forget();
    dims.reset();
  }
  /// The dims that the run knows, and what they are called in messages.
  llvm::ArrayRef<nn::Dim> getDims();
  nn::Interval boundsOf(mlir::AffineExpr extent) { return nn::boundsOf(extent, getDims()); }
  /// A dim that an op of this node finds, at most `most`: for the op's attribute. Named after the output, or the first
  /// one that has a name.
  mlir::AffineMap createFoundDim(int64_t most, size_t output = 0);
  /// What `--output-bound` says of the output `index`.
  std::optional<int64_t> givenBound(size_t index) const;
  /// The most that the unknown extent of output `index` may be: as given, else `derived`. An error that tells of the
  /// flag where there is neither.
  int64_t outputBound(size_t index, std::optional<int64_t> derived);
  /// One element of i64 as an extent that is found at run time, from 0 to `limit` and to `most`: a dim.
  mlir::AffineExpr createReadExtent(mlir::Value value, mlir::AffineExpr limit, int64_t most);
  /// "[batch,3]"
  std::string describe(llvm::ArrayRef<mlir::AffineExpr> extents);
  mlir::AffineExpr number(int64_t value) { return mlir::getAffineConstantExpr(value, getContext()); }

  // ---------------------------------------------------------------------------------------------------------- building

  /// Builds an op, its result type inferred; folds it. Null after an error.
  template <class Op, class... Args> mlir::Value create(Args &&...args) {
    if (hasFailed)
      return {};
    mlir::OperationState state(location, Op::getOperationName());
    Op::build(builder, state, mlir::Type(), std::forward<Args>(args)...);
    return finish<Op>(state);
  }

  /// The same for an op of several results.
  template <class Op, class... Args> llvm::SmallVector<mlir::Value> createAll(size_t count, Args &&...args) {
    if (hasFailed)
      return llvm::SmallVector<mlir::Value>(count);
    mlir::OperationState state(location, Op::getOperationName());
    llvm::SmallVector<mlir::Type> unknown(count);
    Op::build(builder, state, mlir::TypeRange(unknown), std::forward<Args>(args)...);
    return finishAll<Op>(state);
  }

  /// The second half of create(), for operations that are put together otherwise.
  template <class Op> mlir::Value finish(mlir::OperationState &state) {
    llvm::SmallVector<mlir::Value> values = finishAll<Op>(state);
    return values.empty() ? mlir::Value() : values.front();
  }
  /// Nothing after an error.
  template <class Op> llvm::SmallVector<mlir::Value> finishAll(mlir::OperationState &state) {
    state.types.clear();
    if (mlir::failed(Op::inferReturnTypes(builder.getContext(), location, state.operands,
                                          state.attributes.getDictionary(builder.getContext()),
                                          state.getRawProperties(), state.regions, state.types))) {
      hasFailed = true;
      return {};
    }
    return insertAndFold(state);
  }

  mlir::Value createConstant(mlir::ElementsAttr value);
  mlir::Value createSplat(double value, mlir::RankedTensorType type);
  /// A vector of i64.
  mlir::Value createInts(llvm::ArrayRef<int64_t> values);
  /// A scalar of `element` type, rounded.
  mlir::Value createScalar(double value, mlir::Type element);
  /// In row-major order; no op where the shape is the same already. One unknown entry (kDynamic) is what the others
  /// leave; several are the unknown extents of x in their order, and must be as many.
  mlir::Value createReshape(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  mlir::Value createReshapeTo(mlir::Value x, llvm::ArrayRef<mlir::AffineExpr> extents);
  /// Their values, i64 [n]: a constant where all are numbers.
  mlir::Value createExtents(llvm::ArrayRef<mlir::AffineExpr> extents);
  /// Broadcast to these extents.
  mlir::Value createExpand(mlir::Value x, llvm::ArrayRef<mlir::AffineExpr> extents);
  mlir::Value createExpand(mlir::Value x, llvm::ArrayRef<int64_t> shape);
  /// `sizes` elements from `starts` on, in steps that are positive wherever one of the two is no number.
  mlir::Value createSlice(mlir::Value x, llvm::ArrayRef<mlir::AffineExpr> starts,
                          llvm::ArrayRef<mlir::AffineExpr> sizes, llvm::ArrayRef<int64_t> steps);
  mlir::Value createSlice(mlir::Value x, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> sizes,
                          llvm::ArrayRef<int64_t> steps);
  /// `size` elements of one dimension from `start` on, all of the others.
  mlir::Value createSliceAlong(mlir::Value x, size_t axis, int64_t start, int64_t size);
  mlir::Value createTranspose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);

  // -------------------------------------- floats narrower than f32: a node computes in f32 and rounds its results once

  static bool isNarrowFloat(mlir::Type element);
  /// f32 in the place of narrower floats, all others as they are.
  mlir::Value widened(mlir::Value value);
  /// Replaces the inputs by widened ones, and notes the type that the results have to be rounded to.
  void widenInputs();
  /// Rounds the results that are f32, where the first float input was narrower.
  void narrowResults();

  // ----------------------------------------------------------------------------------------------------------- results

  void setResult(size_t index, mlir::Value value);
  void setResults(mlir::ValueRange values);
  /// Whether the node gives its output `index` a name; rules may leave the others unset.
  bool wantsResult(size_t index) const { return index < node.outputs.size() && node.outputs[index] != absentValue; }
  llvm::ArrayRef<mlir::Value> getResults() const { return results; }
  /// What the generated header says of a result: the classes, integers or strings, that its columns stand for; or, for
  /// integers in the place of strings, the strings.
  void setClassList(size_t result, mlir::ArrayAttr classes) { classLists.push_back({result, classes}); }
  llvm::ArrayRef<std::pair<size_t, mlir::ArrayAttr>> getClassLists() const { return classLists; }

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::MLIRContext *getContext() { return builder.getContext(); }
  mlir::Location getLocation() const { return location; }

private:
  const onnx::AttributeProto *find(llvm::StringRef name, onnx::AttributeProto_AttributeType kind);
  std::optional<nn::HostTensor> viewList(size_t index, bool isFloat);
  bool checkResult(mlir::RankedTensorType type);
  llvm::SmallVector<mlir::Value> insertAndFold(mlir::OperationState &state);

  const Model &model;
  const Node &node;
  llvm::SmallVector<mlir::Value, 4> inputs;
  llvm::SmallVector<mlir::Value, 2> results;
  llvm::SmallVector<std::pair<size_t, mlir::ArrayAttr>, 0> classLists;
  mlir::OpBuilder &builder;
  mlir::Location location;
  AttributeTensors &tensors;
  ShapeValues &shapeValues;
  SubgraphImporter &subgraphs;
  Diagnostics &diagnostics;
  std::optional<llvm::SmallVector<nn::Dim>> dims;
  llvm::StringSet<> read;
  mlir::Type narrowType; ///< of the results; null where it is theirs already
  bool hasFailed = false;
};

} // namespace aotc::frontend
