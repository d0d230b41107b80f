// How the C interface makes its objects: on the heap, or in memory of the caller's. Must not know any model.
#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "aotc/status.hpp"

AOTC_RUNTIME_BEGIN

// Base is a Model or a Session; both say by status() whether their construction worked. An object that did not come to
// be leaves *result null.
template <class Base>
struct CObject : Base {
  using Base::Base;
  bool on_heap = false;
};

template <class Object>
void destroy(Object* object) noexcept {
#ifndef AOTC_NO_HEAP
  if (object && object->on_heap) return delete object;
#endif
  if (object) object->~Object();
}

#ifndef AOTC_NO_HEAP
template <class Object, class... Arguments>
Status create(Object** result, const Arguments&... arguments) noexcept {
  Object* object = *result = new (std::nothrow) Object(arguments...);
  if (!object) return Status::out_of_memory;
  object->on_heap = true;
  const Status status = object->status();
  if (status != Status::ok) destroy(std::exchange(*result, nullptr));
  return status;
}
#endif

template <class Object, class... Arguments>
Status create_in(void* memory, std::size_t bytes, Object** result, const Arguments&... arguments) noexcept {
  *result = nullptr;
  if (!memory || bytes < sizeof(Object)) return Status::arena_too_small;
  if (reinterpret_cast<std::uintptr_t>(memory) % alignof(Object) != 0) return Status::arena_misaligned;
  Object* object = *result = ::new (memory) Object(arguments...);
  const Status status = object->status();
  if (status != Status::ok) destroy(std::exchange(*result, nullptr));
  return status;
}

AOTC_RUNTIME_END
