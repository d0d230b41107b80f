// What can go wrong, and how to say so. Must not depend on anything else of the runtime.
#pragma once
#include <cstdint>

#include "aotc/version.hpp"

AOTC_RUNTIME_BEGIN

// The numbers are part of the C ABI: new ones are added at the end.
enum class Status : std::uint8_t {
  ok = 0,
  arena_too_small = 1,
  arena_misaligned = 2,
  out_of_memory = 3,
  weights_missing = 4,
  weights_mismatch = 5,
  version_mismatch = 6,
  cpu_unsupported = 7,
  extent_out_of_range = 8,
  index_out_of_range = 9,
  buffer_misaligned = 10,
  null_buffer = 11,
  thread_start_failed = 12,
  bound_exceeded = 13,
  device_missing = 14,
  device_failed = 15,
};

constexpr int status_count = 16;

// One lower-case sentence without a full stop; never null, and lives as long as the program.
constexpr const char* status_text(Status status) noexcept {
  switch (status) {
    case Status::ok:
      return "ok";
    case Status::arena_too_small:
      return "the arena is smaller than arena_bytes(threads)";
    case Status::arena_misaligned:
      return "the arena is not aligned to arena_alignment bytes";
    case Status::out_of_memory:
      return "memory for the arena could not be allocated";
    case Status::weights_missing:
      return "the weights file could not be opened, mapped or read";
    case Status::weights_mismatch:
      return "the weights are not those that the code was generated with";
    case Status::version_mismatch:
      return "header and library come from different generated code";
    case Status::cpu_unsupported:
      return "this processor lacks instructions that the library was built for";
    case Status::extent_out_of_range:
      return "the extent is outside the bounds of the dimension";
    case Status::index_out_of_range:
      return "an index is outside its range";
    case Status::buffer_misaligned:
      return "a buffer is not aligned for its element type";
    case Status::null_buffer:
      return "a buffer that has no place in the arena was not bound";
    case Status::thread_start_failed:
      return "a thread could not be started";
    case Status::bound_exceeded:
      return "a value grew past the bound that memory was planned for";
    case Status::device_missing:
      return "no suitable device was found";
    case Status::device_failed:
      return "the device reported an error";
  }
  return "unknown status";
}

AOTC_RUNTIME_END
