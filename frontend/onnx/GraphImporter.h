// Walks a resolved graph and builds nn ops, node by node.
#pragma once

#include "frontend/onnx/OpTable.h"

#include "llvm/ADT/DenseSet.h"

namespace aotc::frontend {

/// One per model. Values of enclosing graphs stay known while subgraphs are built.
class GraphImporter : SubgraphImporter {
public:
  GraphImporter(const Model &model, mlir::OpBuilder &builder, ExternalData &external, Diagnostics &diagnostics);

  /// Reports every node whose operator is not supported, subgraphs included. False if there is one.
  bool checkOperators(const Graph &graph);

  void setValue(ValueId id, mlir::Value value) { values[static_cast<size_t>(id)] = value; }
  /// Null where an error kept the value from being built.
  mlir::Value getValue(ValueId id) const { return values[static_cast<size_t>(id)]; }
  /// See NodeBuilder::setClassList(); null for most values.
  mlir::ArrayAttr getClassList(ValueId id) const { return classLists.lookup(id); }

  /// The entry block of the function that everything is built in.
  void setEntry(mlir::Block *block) { shapeValues.setEntry(block); }

  /// Builds the constants and nodes of `graph` at the builder's insertion point. Inputs were set before.
  void importGraph(const Graph &graph);

  /// An initializer's contents; null after an error.
  mlir::ElementsAttr readInitializer(const GraphValue &value);

  /// Checks do not hold a declared shape against the inferred one where the model leaves extents open and flags closed
  /// them.
  void setShapesWereClosed(bool value) { shapesWereClosed = value; }

private:
  void importInitializers(const Graph &graph);
  void importNode(const Node &node);
  llvm::SmallVector<mlir::Value> importSubgraph(const Graph &graph, mlir::ValueRange arguments) override;
  size_t countNodes() const override { return nodesOfSubgraphs; }
  void forgetResults(const Graph &graph);
  bool checkKinds(NodeBuilder &node, const Operator &op);
  bool checkInputs(NodeBuilder &node, const Operator &op);
  bool passClasses(NodeBuilder &node);
  bool isStrings(ValueId id) const;
  mlir::Value foldedShapeValue(NodeBuilder &node, mlir::Value value);
  void keepResults(NodeBuilder &node);
  void checkDeclared(NodeBuilder &node, ValueId id, mlir::RankedTensorType inferred);
  void markUses(const Graph &graph);

  const Model &model;
  mlir::OpBuilder &builder;
  Diagnostics &diagnostics;
  ExternalData &external;
  Constants constants;
  AttributeTensors tensors;
  ShapeValues shapeValues;
  OpTable table;
  std::vector<mlir::Value> values;
  std::vector<bool> isUsed;
  llvm::DenseMap<ValueId, mlir::ArrayAttr> classLists;
  llvm::DenseMap<ValueId, mlir::ElementsAttr> initializers; ///< read once, though bodies may be built several times
  llvm::DenseSet<ValueId> warnedOf; ///< values whose declared shape contradicts; bodies may be built several times
  size_t nodesOfSubgraphs = 0;
  bool shapesWereClosed = false;
};

} // namespace aotc::frontend
