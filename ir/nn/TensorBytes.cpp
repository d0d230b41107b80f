#include "ir/nn/TensorBytes.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemAlloc.h"
#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace aotc::nn {

static std::atomic<size_t> heapBytes = 0;

// Of `size` bytes that the file system has set aside: writing to them cannot fail for want of space. Null where it has
// not.
static char *mapTemporaryFile(size_t size) {
  llvm::SmallString<128> path;
  int file;
  if (llvm::sys::fs::createTemporaryFile("aotc", "weights", file, path))
    return nullptr;
  ::unlink(path.c_str());
  void *memory = MAP_FAILED;
  if (::posix_fallocate(file, 0, static_cast<off_t>(size)) == 0)
    memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  ::close(file);
  return memory == MAP_FAILED ? nullptr : static_cast<char *>(memory);
}

TensorBytes::TensorBytes(size_t size) : count(size) {
  if (size == 0)
    return;
  if (heapBytes + size > largestHeapBytes)
    start = mapTemporaryFile(size);
  isMapped = start != nullptr;
  if (isMapped)
    return;
  start = static_cast<char *>(llvm::allocate_buffer(size, alignment));
  std::memset(start, 0, size);
  heapBytes += size;
}

TensorBytes::TensorBytes(const TensorBytes &other) : TensorBytes(other.count) {
  std::memcpy(start, other.start, count);
}

TensorBytes::~TensorBytes() {
  if (!start)
    return;
  if (isMapped) {
    ::munmap(start, count);
    return;
  }
  llvm::deallocate_buffer(start, count, alignment);
  heapBytes -= count;
}

mlir::AsmResourceBlob TensorBytes::intoBlob() && {
  llvm::ArrayRef<char> bytes = *this;
  auto release = [owner = std::move(*this)](void *, size_t, size_t) mutable { owner = TensorBytes(); };
  return mlir::AsmResourceBlob(bytes, alignment, std::move(release), /*dataIsMutable=*/false);
}

} // namespace aotc::nn
