// Builds a kern.call: what the lowering of an op with a plain kernel consists of.
//
//   KernelCall call(rewriter, op.getLoc(), "top_k", "top_k");
//   call.run(adaptor.getX(), axis).member("k", k);
//   call.input(adaptor.getX(), op.getX().getType()).argument("aotc::Largest{}");
//   rewriter.replaceOp(op, call.create(op.getResultTypes()));
#ifndef AOTC_LOWERING_CONVERT_KERNELCALL_H
#define AOTC_LOWERING_CONVERT_KERNELCALL_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace aotc::convert {

class KernelCall {
public:
  // templates/kernels/<header>.hpp, function aotc::<function>.
  KernelCall(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef header, llvm::StringRef function);

  // ------------------------------------------------------------------------------------------ members of the layout
  KernelCall &member(llvm::StringRef name, int64_t value);
  KernelCall &member(llvm::StringRef name, llvm::ArrayRef<int64_t> values);
  // The extent of a dimension, known or not.
  KernelCall &extent(llvm::StringRef name, mlir::Value tensor, int64_t dim);
  // Extents as expressions of the function's dims (Extents.h): one, or a list.
  KernelCall &extent(llvm::StringRef name, mlir::AffineExpr extent);
  KernelCall &extentList(llvm::StringRef name, llvm::ArrayRef<mlir::AffineExpr> list);
  // outer, length, inner: the tensor as [outer][length][inner] around one dimension.
  KernelCall &run(mlir::Value tensor, int64_t axis);

  // ------------------------------------------------------------------------------------------------------- operands
  // `onnxType` is the tensor's type in nn, which knows signs; that of `tensor` where it is left out.
  KernelCall &input(mlir::Value tensor, mlir::Type onnxType = {});
  // `role`, such as "weights", is what generated code calls the input where it is a constant.
  KernelCall &input(llvm::StringRef role, mlir::Value tensor, mlir::Type onnxType = {});
  KernelCall &inputs(mlir::ValueRange tensors, mlir::TypeRange onnxTypes);
  // This input, added before, may be of halves where it is a constant.
  KernelCall &mayBeHalves(int64_t input);
  // The output may be written over this input, which was added before.
  KernelCall &inPlaceOf(int64_t input);

  // The kernel returns whether it did not fail; the run ends with this aotc::Status where it did.
  KernelCall &canFail(llvm::StringRef status);

  // ---------------------------------------------------------------------------------------------- further arguments
  KernelCall &argument(mlir::TypedAttr number);
  // C++ text, such as a functor: "aotc::Largest{}".
  KernelCall &argument(llvm::StringRef text);
  KernelCall &argument(const char *text) { return argument(llvm::StringRef(text)); }
  KernelCall &argument(bool flag);
  KernelCall &argument(float number);
  KernelCall &argument(int number);
  // The dim, a symbol of the function, whose extent the call returns.
  KernelCall &finds(mlir::AffineExpr dim);
  // Bytes of memory that each thread has to itself during the call.
  KernelCall &scratch(int64_t bytesPerThread);
  // What the call multiplies and adds, for reports: `perElement` for each element of these extents.
  KernelCall &macs(llvm::ArrayRef<mlir::AffineExpr> extents, int64_t perElement);

  // The call, writing into fresh destinations of these ranked tensor types (nn's). Unknown extents are those of the
  // same dimension of `like`. The results are in the types' order.
  llvm::SmallVector<mlir::Value> create(mlir::TypeRange onnxTypes, mlir::Value like = {});
  // The same, writing into these destinations: tensors, or memory, which makes no results.
  llvm::SmallVector<mlir::Value> createInto(mlir::ValueRange outs, mlir::TypeRange onnxTypes);

private:
  void addValue(llvm::StringRef name, mlir::Attribute value);
  mlir::Attribute valueOf(mlir::AffineExpr extent);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::string header, function;
  llvm::SmallVector<mlir::Attribute> names, values, arguments, roles;
  llvm::SmallVector<mlir::Value> operands, extents;
  llvm::SmallVector<int64_t> unsignedOperands, halfInputs;
  std::optional<int64_t> inPlace;
  std::string failure;
  int64_t scratchBytes = 0, macCount = 0;
  mlir::StringAttr found;
};

} // namespace aotc::convert

#endif
