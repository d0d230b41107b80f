// From a .onnx file to a module of the nn dialect, through everything in this folder.
#pragma once

#include "frontend/onnx/Graph.h"
#include "frontend/onnx/InputShapes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <set>

namespace aotc::frontend {

struct ImportOptions {
  GraphOptions graph;
  ShapeFlags shapes;
  /// "IN=OUT" as on the command line: an input of the model that is its output of the run before.
  std::vector<std::string> states;
  /// "NAME=TYPE" as on the command line: an input or output that callers see as another type.
  std::vector<std::string> ioTypes;
};

struct ImportedModel {
  /// One function `main`. Its arguments are the graph's inputs and its results the outputs, in order, with the
  /// attributes
  ///   nn.name     the ONNX name
  ///   nn.bounds   (arguments with an extent that is set before a run) the largest extent per dimension, array<i64>
  ///   nn.minimums (the same arguments) the smallest extent per dimension
  ///   nn.symbols  (the same arguments) the name of each such dimension, "" elsewhere; equal names are equal extents
  ///   nn.default  (arguments that a caller need not give) the value that holds then
  ///   nn.state    (arguments that no caller gives) the result of the run before that it is, by number
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// External data that was read, as paths that start with the model's folder.
  std::set<std::string> externalFiles;
};

/// Registers the dialects that importModel uses.
void loadDialects(mlir::MLIRContext &context);

/// Nothing after errors, all of which were reported; Diagnostics::exitCode tells their class. The module owns all it
/// needs: no file stays open but mappings of external data, which go with the resources.
std::optional<ImportedModel> importModel(llvm::StringRef path, const ImportOptions &options, mlir::MLIRContext &context,
                                         Diagnostics &diagnostics);

/// The same for a model in memory; external data is read from `folder`. `proto` loses its weights.
std::optional<ImportedModel> importModel(onnx::ModelProto &proto, const std::string &folder,
                                         const ImportOptions &options, mlir::MLIRContext &context,
                                         Diagnostics &diagnostics);

} // namespace aotc::frontend
