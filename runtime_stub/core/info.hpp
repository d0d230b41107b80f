// What a program can ask about a model at run time: names, types and shapes of its inputs and outputs, its bounded
// dimensions, its memory. Plain constant tables; holds no code.
#pragma once
#include <cstddef>
#include <cstdint>

#include "aotc/element.hpp"

AOTC_RUNTIME_BEGIN

constexpr std::size_t no_offset = static_cast<std::size_t>(-1);

// One extent of a tensor's shape: a constant, or the bounded dimension `dim` of which `extent` is then the bound.
struct Extent {
  std::int64_t extent;
  int dim = -1;
};

struct TensorInfo {
  const char* name;       // as in the generated code
  const char* onnx_name;  // as in the model
  Element element;
  int rank;
  const Extent* shape;       // `rank` of them
  std::size_t arena_offset;  // in bytes; no_offset: the caller binds a buffer
  std::size_t default_offset =
      no_offset;  // in bytes from the start of the weights: what an input holds until one is bound

  // Bytes of the tensor, every bounded dimension at its bound.
  constexpr std::size_t bytes() const noexcept {
    std::size_t elements = 1;
    for (int d = 0; d < rank; ++d) elements *= static_cast<std::size_t>(shape[d].extent);
    return elements * element_bytes(element);
  }
};

struct DimInfo {
  const char* name;
  std::int64_t minimum, maximum;  // both included
  bool settable;                  // by the caller before run(); otherwise it follows from others or is found by run()
};

// As many threads as a session gets when it asks for `threads`.
constexpr int usable_threads(int threads, int max_threads) noexcept {
  return threads < 1 ? 1 : threads > max_threads ? max_threads : threads;
}

// Everything about a model that does not change from session to session.
struct ModelInfo {
  const char* name;
  const TensorInfo* inputs;
  int input_count;
  const TensorInfo* outputs;
  int output_count;
  const DimInfo* dims;
  int dim_count;
  int step_count;
  int max_threads;
  std::size_t arena_alignment;
  std::size_t arena_bytes_shared;      // of the arena: this much once
  std::size_t arena_bytes_per_thread;  // and this much for every thread after the first
  std::size_t weights_bytes;
  // Writes the extents that follow from those the caller set; null where there are none.
  void (*derive_extents)(std::int64_t* extents) = nullptr;
  // What a session keeps in its arena from run to run.
  const TensorInfo* states = nullptr;
  int state_count = 0;

  constexpr std::size_t arena_bytes(int threads) const noexcept {
    const int more = usable_threads(threads, max_threads) - 1;
    return arena_bytes_shared + arena_bytes_per_thread * static_cast<std::size_t>(more);
  }
};

AOTC_RUNTIME_END
