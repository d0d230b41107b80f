// An owned POSIX file descriptor.
#pragma once

#include <unistd.h>
#include <utility>

namespace aotc::frontend {

/// Closes what it holds. Negative: nothing.
class FileDescriptor {
public:
  FileDescriptor() = default;
  explicit FileDescriptor(int descriptor) : descriptor(descriptor) {}
  FileDescriptor(FileDescriptor &&other) noexcept : descriptor(std::exchange(other.descriptor, -1)) {}
  FileDescriptor &operator=(FileDescriptor &&other) noexcept {
    std::swap(descriptor, other.descriptor);
    return *this;
  }
  ~FileDescriptor() {
    if (isOpen())
      ::close(descriptor);
  }

  bool isOpen() const { return descriptor >= 0; }
  int get() const { return descriptor; }

private:
  int descriptor = -1;
};

} // namespace aotc::frontend
