// What can go wrong, and how to say so. Must not depend on anything else of the runtime.
#pragma once
#include <cstdint>

#include "aotc/version.hpp"

AOTC_RUNTIME_BEGIN

// The numbers are part of the C ABI: new ones are added at the end.
enum class [[nodiscard]] Status : std::uint8_t{
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
    feature_missing = 16,
};

constexpr int status_count = 17;

// One lower-case sentence without a full stop; never null, and lives as long as the program.
constexpr const char* status_text(Status status) noexcept {
  constexpr const char* texts[status_count] = {
      "ok",
      "the arena is smaller than arena_bytes(threads)",
      "the arena is not aligned to arena_alignment bytes",
      "memory could not be allocated",
      "the weights file could not be opened, mapped or read",
      "the weights are not those that the code was generated with",
      "header and library come from different generated code",
      "this processor lacks instructions that the library was built for",
      "the extent is outside the bounds of the dimension",
      "an index is outside its range",
      "a buffer is not aligned for its element type",
      "a buffer that has no place in the arena was not bound",
      "a thread could not be started",
      "a value grew past the bound that memory was planned for",
      "no suitable device was found",
      "the device reported an error",
      "the device lacks a feature or a limit that the model needs",
  };
  const int index = static_cast<int>(status);
  return index < status_count ? texts[index] : "unknown status";
}

AOTC_RUNTIME_END
