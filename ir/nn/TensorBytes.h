// Memory for the elements of large constants. What all of them hold beyond `largestHeapBytes` lies in unlinked
// temporary files that are mapped: the system can write those pages out, so a model may have more weights than the
// machine memory.
#ifndef AOTC_IR_NN_TENSOR_BYTES_H
#define AOTC_IR_NN_TENSOR_BYTES_H

#include "mlir/IR/AsmState.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstddef>
#include <utility>

namespace aotc::nn {

class TensorBytes {
public:
  static constexpr size_t alignment = 64;
  static constexpr size_t largestHeapBytes = size_t(256) << 20;

  TensorBytes() = default;
  // Zero-filled. On the heap where no temporary file can be made.
  explicit TensorBytes(size_t size);
  TensorBytes(const TensorBytes &other);
  TensorBytes(TensorBytes &&other) noexcept { swap(other); }
  TensorBytes &operator=(TensorBytes other) noexcept {
    swap(other);
    return *this;
  }
  ~TensorBytes();

  char *data() { return start; }
  size_t size() const { return count; }
  operator llvm::ArrayRef<char>() const { return {start, count}; }
  operator llvm::MutableArrayRef<char>() { return {start, count}; }

  // Hands the memory over.
  mlir::AsmResourceBlob intoBlob() &&;

private:
  void swap(TensorBytes &other) noexcept {
    std::swap(start, other.start);
    std::swap(count, other.count);
    std::swap(isMapped, other.isMapped);
  }

  char *start = nullptr;
  size_t count = 0;
  bool isMapped = false;
};

} // namespace aotc::nn

#endif
