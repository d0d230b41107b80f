// Where the memrefs of a planned module lie: follows views to the buffer of the arena, the input, output or weight that
// they show, and prints pointers to it. Does not decide names beyond asking for unique ones.
#ifndef AOTC_CODEGEN_CPP_VALUES_H
#define AOTC_CODEGEN_CPP_VALUES_H

#include "codegen/cpp/Count.h"
#include "codegen/cpp/Description.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

#include <deque>

namespace aotc::codegen {

/// A block of memory that steps read and write. Weights are those of one memref.global.
struct Buffer {
  enum class Kind { Arena, Input, Output, Weight, Scratch };

  Buffer(Kind kind, mlir::MemRefType type) : kind(kind), type(type) {}

  Kind kind;
  mlir::MemRefType type;    ///< of the whole block
  std::string identifier;   ///< unique among the buffers of its kind; empty until it has been named
  std::string symbol;       ///< of a weight: the global's
  int index = 0;            ///< of an input or output
  uint64_t offsetBytes = 0; ///< in the arena (Arena, Output, the first thread's Scratch) or among the weights (Weight)
  uint64_t bytes = 0;       ///< with every bounded dim at its bound
  std::string shape;        ///< as shapeText() has it
  std::vector<int> steps;   ///< those that use it, in order, each once
  int firstStep = -1, lastStep = -1;
  int writer = -1;   ///< the first step that writes it
  int rewriter = -1; ///< the last one that reads it as well
};

/// A view: a buffer, and where in it the view's elements are, in elements.
struct Place {
  Buffer *buffer = nullptr;
  mlir::Type element;
  Count offset;
  llvm::SmallVector<Count> sizes, strides;

  friend bool operator==(const Place &a, const Place &b) {
    return a.buffer == b.buffer && a.element == b.element && a.offset == b.offset;
  }
};

class BufferTable {
public:
  /// Finds all buffers of `function`. Returned views become outputs; fails, with a diagnostic, where one is no buffer
  /// of the arena of its own. The identifiers of inputs and outputs are those of `model`.
  mlir::LogicalResult collect(mlir::func::FuncOp function, const ModelDescription &model);

  /// Fails, with a diagnostic at `user`, on memory that no view op of a planned module makes.
  mlir::FailureOr<Place> placeOf(mlir::Value memref, mlir::Operation *user);
  /// An index value: a constant, an extent of a bounded dim, or sums and products of such.
  mlir::FailureOr<Count> countOf(mlir::OpFoldResult value, mlir::Operation *user);

  /// Makes a buffer of the scratch memory that the planner gave a step, if it did, and finds it again.
  void addScratch(mlir::Operation *step);
  Buffer *scratchOf(mlir::Operation *step) const { return byStep.lookup(step); }

  /// In the order in which they were found. Their addresses stay.
  std::deque<Buffer> &all() { return buffers; }
  /// `call`, a C++ expression, as statements that store its value as the extent of the dim called `onnxName`, and what
  /// follows from it. With `mayExceedBound` the run fails where it does.
  std::string storedExtent(llvm::StringRef onnxName, llvm::StringRef call, bool mayExceedBound) const;
  /// The bounded dims whose index `text` names, for declarations: position in the model's list.
  const llvm::MapVector<mlir::Value, std::pair<std::string, int>> &dims() const { return dimNames; }

private:
  Buffer *rootBuffer(mlir::Value root);
  mlir::FailureOr<Place> rootPlace(mlir::Value root, mlir::Operation *user);
  mlir::FailureOr<Place> viewPlace(mlir::Operation *view, mlir::Operation *user);
  mlir::LogicalResult collectArguments(mlir::func::FuncOp function, const ModelDescription &model);
  mlir::LogicalResult collectOutputs(mlir::func::FuncOp function, const ModelDescription &model);

  std::vector<BoundedDim> boundedDims;
  std::deque<Buffer> buffers;
  llvm::DenseMap<mlir::Value, Buffer *> byRoot;
  llvm::DenseMap<mlir::Attribute, Buffer *> byGlobal;
  llvm::DenseMap<mlir::Operation *, Buffer *> byStep;
  llvm::MapVector<mlir::Value, std::pair<std::string, int>> dimNames;
  llvm::DenseMap<mlir::Value, Count> dimCounts;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Count>> argumentSizes;
};

/// `f.at<float>(buffer::relu_0) + 544 + 16`, `f.weight<float>(weight::conv)`, `f.input<float>(input::image)`.
std::string pointerText(const Place &place, bool isUnsigned = false);

/// "[batch,34,34,16]", with the element type in front where it is not f32.
std::string shapeText(const Place &place);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_VALUES_H
