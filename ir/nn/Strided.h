// Walks over the elements of one tensor in the order of another, in constant folding.
#ifndef AOTC_IR_NN_STRIDED_H
#define AOTC_IR_NN_STRIDED_H

#include "ir/nn/HostTensor.h"

#include "mlir/IR/BuiltinTypes.h"

namespace aotc::nn {

// Calls visit(row-major index, offset) for every element of `shape`, where
// offset = base + sum(index[d] * strides[d]).
template <class Visit>
void forEachStrided(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> strides, int64_t base, Visit visit) {
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  int64_t count = mlir::ShapedType::getNumElements(shape), offset = base;
  for (int64_t i = 0; i < count; ++i) {
    visit(i, offset);
    for (int64_t d = static_cast<int64_t>(shape.size()) - 1; d >= 0; --d) {
      offset += strides[d];
      if (++index[d] < shape[d])
        break;
      offset -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

// The strides with which `from` is read as `to`: 0 along broadcast dimensions.
inline llvm::SmallVector<int64_t> broadcastStrides(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to) {
  llvm::SmallVector<int64_t> strides(to.size(), 0), own = rowMajorStrides(from);
  size_t lead = to.size() - from.size();
  for (size_t i = 0; i < from.size(); ++i)
    strides[lead + i] = from[i] == 1 ? 0 : own[i];
  return strides;
}

} // namespace aotc::nn

#endif
