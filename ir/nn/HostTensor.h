// A constant's elements in the compiler's own memory: what constant folding and weight packing read and write.
#ifndef AOTC_IR_NN_HOST_TENSOR_H
#define AOTC_IR_NN_HOST_TENSOR_H

#include "ir/nn/TensorBytes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace aotc::nn {

// Bytes of one element in memory: a bool takes one byte, 4-bit types a byte each.
int64_t elementBytes(mlir::Type element);

// Row-major elements. Copies of the attribute's bytes only where it is a splat or stores bools as bits; otherwise
// `bytes()` views the attribute's own storage, which lives as long as the context (or the resource blob).
class HostTensor {
public:
  // elements: DenseElementsAttr or DenseResourceElementsAttr.
  static HostTensor view(mlir::ElementsAttr elements);
  // Zero-filled, owning.
  explicit HostTensor(mlir::RankedTensorType type);

  mlir::RankedTensorType type() const { return tensorType; }
  llvm::ArrayRef<char> bytes() const { return viewed.empty() ? static_cast<llvm::ArrayRef<char>>(owned) : viewed; }
  llvm::MutableArrayRef<char> mutableBytes() { return owned; }
  int64_t size() const { return tensorType.getNumElements(); }

  template <class T> llvm::ArrayRef<T> as() const {
    return {reinterpret_cast<const T *>(bytes().data()), bytes().size() / sizeof(T)};
  }
  template <class T> llvm::MutableArrayRef<T> asMutable() {
    return {reinterpret_cast<T *>(owned.data()), owned.size() / sizeof(T)};
  }

  // Element `index` as a number: exact for every integer up to 64 bits with toInteger, every float with toDouble.
  double toDouble(int64_t index) const;
  int64_t toInteger(int64_t index) const;
  void set(int64_t index, double value);
  void setInteger(int64_t index, int64_t value);

  // DenseElementsAttr for integers, bools and anything up to 1 KiB; a resource named by its content beyond that. The
  // second form hands over the bytes that this object owns.
  mlir::ElementsAttr toAttr() const & { return HostTensor(*this).moveToAttr(); }
  mlir::ElementsAttr toAttr() && { return moveToAttr(); }

private:
  HostTensor() = default;
  mlir::ElementsAttr moveToAttr();

  mlir::RankedTensorType tensorType;
  llvm::ArrayRef<char> viewed;
  TensorBytes owned;
};

// The row-major strides of a static shape, in elements.
llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

} // namespace aotc::nn

#endif
