// Weights that are a file beside the program: mapped read-only when a Model is made, and unmapped when the Model and
// the last of its sessions are gone. Must not be used for embedded weights.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "aotc/status.hpp"

#ifndef AOTC_NO_FILES
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <new>
#endif

AOTC_RUNTIME_BEGIN

// The first 64 bytes of the file; the weights follow.
struct WeightsHeader {
  char magic[8];        // "aotcwgt"
  std::uint64_t bytes;  // of the weights, without this header; little-endian
  char hash[48];        // of their content: 40 hexadecimal digits
};
static_assert(sizeof(WeightsHeader) == 64, "the weights behind it stay aligned");

// Whether `memory` holds the file that begins with `expected`.
inline Status check_weights(const void* memory, std::size_t bytes, const WeightsHeader& expected) noexcept {
  if (!memory) return Status::weights_missing;
  if (reinterpret_cast<std::uintptr_t>(memory) % sizeof expected != 0) return Status::buffer_misaligned;
  const bool same = bytes == sizeof expected + expected.bytes && std::memcmp(memory, &expected, sizeof expected) == 0;
  return same ? Status::ok : Status::weights_mismatch;
}

// Where the weights are in such memory.
inline const std::byte* weights_in(const void* memory) noexcept {
  return memory ? static_cast<const std::byte*>(memory) + sizeof(WeightsHeader) : nullptr;
}

#ifndef AOTC_NO_FILES

// A counted reference to a mapped file. Copies may be made and dropped on any thread.
class WeightsFile {
 public:
  WeightsFile() noexcept = default;
  // expected: header of the file that belongs to the code.
  WeightsFile(const char* path, const WeightsHeader& expected) noexcept { status_ = open(path, expected); }
  WeightsFile(const WeightsFile& other) noexcept : mapping_(other.mapping_), status_(other.status_) {
    if (mapping_) mapping_->references.fetch_add(1, std::memory_order_relaxed);
  }
  WeightsFile& operator=(const WeightsFile&) = delete;
  ~WeightsFile() {
    if (!mapping_ || mapping_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    ::munmap(mapping_->address, mapping_->bytes);
    delete mapping_;
  }

  Status status() const noexcept { return status_; }
  const std::byte* weights() const noexcept { return weights_in(mapping_ ? mapping_->address : nullptr); }

 private:
  struct Mapping {
    void* address;
    std::size_t bytes;
    std::atomic<long> references{1};
  };

  Status open(const char* path, const WeightsHeader& expected) noexcept {
    const int file = path ? ::open(path, O_RDONLY | O_CLOEXEC) : -1;
    const Status status = file < 0 ? Status::weights_missing : map(file, expected);
    if (file >= 0) ::close(file);  // the mapping stays
    return status;
  }

  Status map(int file, const WeightsHeader& expected) noexcept {
    struct stat info;
    if (::fstat(file, &info) != 0) return Status::weights_missing;
    const std::size_t bytes = sizeof expected + static_cast<std::size_t>(expected.bytes);
    if (static_cast<std::uint64_t>(info.st_size) != bytes) return Status::weights_mismatch;
    void* address = ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (address == MAP_FAILED) return Status::weights_missing;
    Status status = check_weights(address, bytes, expected);
    if (status == Status::ok) {
      mapping_ = new (std::nothrow) Mapping{address, bytes};
      if (!mapping_) status = Status::out_of_memory;
    }
    if (status != Status::ok) ::munmap(address, bytes);
    return status;
  }

  Mapping* mapping_ = nullptr;
  Status status_ = Status::weights_missing;
};

#endif  // AOTC_NO_FILES

AOTC_RUNTIME_END
