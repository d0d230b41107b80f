// A counted reference to what several handles share. Must not know what that is.
#pragma once
#include <atomic>

#include "aotc/version.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

// T has a member `std::atomic<long> references{1}` and releases all it has in its destructor. Copies may be made and
// dropped on any thread.
template <class T>
class Reference {
 public:
  Reference() noexcept = default;
  explicit Reference(T* made) noexcept : object_(made) {}  // takes the first reference over
  Reference(const Reference& other) noexcept : object_(other.object_) {
    if (object_) object_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Reference& operator=(const Reference&) = delete;
  ~Reference() { reset(); }

  void reset() noexcept {
    if (object_ && object_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object_;
    object_ = nullptr;
  }
  T* get() const noexcept { return object_; }
  T* operator->() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

}  // namespace vulkan
AOTC_RUNTIME_END
