// nn to linalg and kern: what the family files share.
//
// Image ops arrive channels-last (lowering/layout). Every result gets a fresh destination (tensor.empty): in-place is
// decided later, on memrefs, by the planner.
#ifndef AOTC_LOWERING_CONVERT_CONVERT_H
#define AOTC_LOWERING_CONVERT_CONVERT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Transforms/DialectConversion.h"

namespace aotc::convert {

// populate<File>() for each file of families/, called by the pass.
#define FAMILY(name) void populate##name(mlir::RewritePatternSet &patterns, const mlir::TypeConverter &types);
#include "lowering/convert/Families.inc"
#undef FAMILY

// Turns the importer's attributes of arguments and results (nn.name ...) into those of a planned module (aotc.name
// ...), and notes element types whose sign the conversion drops.
void describeInterface(mlir::func::FuncOp function);

// Reports every op of nn that computes with elements of a type that generated code has no arithmetic for.
mlir::LogicalResult checkElementTypes(mlir::ModuleOp module);

// The shape of `value`, a ranked tensor.
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
mlir::Type elementOf(mlir::Value value);

// A destination of the given shape whose contents do not matter. Where an extent of `shape` is unknown, it is that of
// the same dimension of `like`.
mlir::Value emptyTensor(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> shape, mlir::Type element,
                        mlir::Value like = {});

// The same for extents that may be expressions (Extents.h), or those of a type of nn.
mlir::Value createDestination(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::AffineExpr> extents,
                              mlir::Type element);
mlir::Value createDestination(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType onnxType);

// Says so where an operand has an unknown extent: what ops cannot have whose geometry is worked out in numbers.
mlir::LogicalResult checkStatic(mlir::Operation *op);

// The same elements in another shape, as tensor.collapse_shape / expand_shape; a constant is reshaped at once.
mlir::Value reshapeTo(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                      llvm::ArrayRef<mlir::AffineExpr> extents);
// The same; at most one entry may be unknown, and is what the others leave.
mlir::Value reshape(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, llvm::ArrayRef<int64_t> shape);

// A constant tensor.
mlir::Value constant(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
                     llvm::ArrayRef<float> values);
mlir::Value constant(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type,
                     llvm::ArrayRef<int32_t> values);

// `value` reordered by `permutation`, as a linalg.transpose into a fresh destination.
mlir::Value transpose(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                      llvm::ArrayRef<int64_t> permutation);

// x[o, l, i] -> x[o, indices[j], i] along `axis`, with constant indices.
mlir::Value select(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t axis,
                   llvm::ArrayRef<int32_t> indices);

// x[o, l, i] -> x[o, indices[j…], i] along `axis`.
mlir::Value gather(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t axis, mlir::Value indices);

// Dimensions [first, first + count) as one, between one of all before and one of all behind them.
llvm::SmallVector<mlir::AffineExpr> runAround(llvm::ArrayRef<mlir::AffineExpr> extents, int64_t first, int64_t count);

// The values of extents as a tensor, i64 [n].
mlir::Value extentValues(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::AffineExpr> extents);

// How an operand of a broadcasting op is read from the result's indices: the operand, with its unit dimensions dropped
// where it is broadcast, and the projected permutation that finds its element.
struct BroadcastOperand {
  mlir::Value value;
  mlir::AffineMap map;
};
BroadcastOperand broadcastOperand(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                                  llvm::ArrayRef<int64_t> resultShape);

// A parallel linalg.generic over `out` with the operands read by their maps.
using BodyBuilder = llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;
mlir::Value buildGeneric(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value out,
                         llvm::ArrayRef<BroadcastOperand> operands, BodyBuilder body);

// `value` written out with ONNX's broadcasting rule in the given shape.
mlir::Value broadcast(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                      llvm::ArrayRef<mlir::AffineExpr> extents);

} // namespace aotc::convert

#endif
