// The inner loop that convolution and matrix product share: `Pixels` x `Vectors` sums in registers, fed by one
// broadcast value per pixel and one vector of weights per channel vector. Also the rule that chooses the shape of that
// tile. Knows nothing of kernels, borders or threads; must not touch memory other than the operands.
#pragma once
#include "math.hpp"

AOTC_KERNELS_BEGIN

// ------------------------------------------------------------------------------------------------------------- the
// tile table
struct RegisterFile {
  int registers;    // vector registers, less those the compiler needs for temporaries
  int sums_ahead;   // sums that must be in flight to hide the latency of fma
  int max_vectors;  // channel vectors of one tile
};
#if defined(AOTC_SCALAR)
constexpr RegisterFile register_file = {24, 4, 4};
#elif defined(__AVX512F__)
constexpr RegisterFile register_file = {32, 8, 8};  // 14 x 2 vectors of 16
#elif defined(__FMA__)
constexpr RegisterFile register_file = {16, 8, 8};  // 6 x 2 vectors of 8
#elif defined(__aarch64__)
constexpr RegisterFile register_file = {32, 8, 8};  // 14 x 2 or 6 x 4 vectors of 4
#else
constexpr RegisterFile register_file = {15, 8, 8};  // 6 x 2 vectors of 4, one register for the product
#endif

struct TileShape {
  int pixels;   // at most this many neighbouring output pixels
  int rows;     // made of this many rows of the image; more than 1 only where a whole row is narrower than a tile
  int vectors;  // channel vectors
};

// Pixels that fit beside `vectors` channel vectors: all sums, one vector of weights each, one broadcast value.
constexpr int pixels_beside(int vectors) { return (register_file.registers - vectors - 1) / vectors; }

// Cycles, in fma slots, that one step of k costs for a tile: arithmetic, loads (two per cycle, as fma), or latency.
constexpr int tile_cost(int pixels, int vectors) {
  return max_of(max_of(pixels * vectors, pixels + vectors), register_file.sums_ahead);
}

// The cheapest shape for a row of `width` pixels (one of `height` equal ones) and `vectors` channel vectors. Every tile
// also streams its weights from the second-level cache: half a slot for each vector.
constexpr TileShape choose_tile(int height, int width, int vectors) {
  TileShape best = {1, 1, 1};
  double least = 1e30;
  for (int v = min_of(vectors, register_file.max_vectors); v > 0; --v) {
    const int most = pixels_beside(v);
    if (most < 1 || (v != vectors && (v & (v - 1)) != 0)) continue;  // blocks must not straddle panels unevenly
    const int rows = min_of(max_of(1, most / width), height);
    const int tiles = ceil_div(width, most) * ceil_div(height, rows);
    const double mean = static_cast<double>(width) * height / tiles;
    const int pixels = static_cast<int>(mean + 0.999);
    const double whole = (vectors / v) * tile_cost(pixels, v);
    const double rest = vectors % v ? tile_cost(pixels, vectors % v) : 0;
    const double cost = tiles * (whole + rest + 0.5 * vectors);
    if (cost < least) {
      least = cost;
      best = {rows * ceil_div(width, ceil_div(width, most)), rows, v};
    }
  }
  return best;
}

// --------------------------------------------------------------------------------------------------------------- the
// inner loop
template <int Pixels, int Vectors>
using Sums = Vec<float>[Pixels][Vectors];

template <int Pixels, int Vectors>
AOTC_INLINE void clear(Sums<Pixels, Vectors>& sum) {
  AOTC_UNROLL(32)
  for (int i = 0; i < Pixels; ++i) {
    AOTC_UNROLL(8)
    for (int j = 0; j < Vectors; ++j) sum[i][j] = Vec<float>(0.0f);
  }
}

// The pixels of a tile that take part, as constants.
template <int First, int End>
struct PixelRange {};

// sum[i][j] += x[pixel(i) + k * x_step] * w[vector(j) + k * w_step] for the pixels First <= i < End and all 0 <= k <
// count. `pixel` and `vector` map to element offsets; where strides are constants they become displacements.
template <int Pixels, int Vectors, int First, int End, class PixelOffset, class VectorOffset>
AOTC_INLINE void multiply(PixelRange<First, End>, Sums<Pixels, Vectors>& sum, const float* x, std::ptrdiff_t x_step,
                          PixelOffset pixel, const float* w, std::ptrdiff_t w_step, VectorOffset vector, int count) {
  AOTC_UNROLL(1)
  for (int k = 0; k < count; ++k, x += x_step, w += w_step) {
    Vec<float> weight[Vectors];
    AOTC_UNROLL(8)
    for (int j = 0; j < Vectors; ++j) weight[j] = load(w + vector(j), Full{});
    AOTC_UNROLL(32)
    for (int i = First; i < End; ++i) {
      const Vec<float> value = broadcast(x + pixel(i), Full{});
      AOTC_UNROLL(8)
      for (int j = 0; j < Vectors; ++j) sum[i][j] = fma(value, weight[j], sum[i][j]);
    }
  }
}

// Hands each sum to finish(value, lanes, pixel, first channel). The last vector of a pixel holds `LastLanes` channels.
// The sums pass through memory, once per tile, so that a long epilogue is compiled once and not once per register.
template <int LastLanes, int Pixels, int Vectors, class Finish>
AOTC_INLINE void finish_tile(const Sums<Pixels, Vectors>& sum, Finish finish) {
  constexpr int lanes = vec_lanes<float>;
  alignas(64) float buffer[Pixels * Vectors * lanes];
  AOTC_UNROLL(32)
  for (int i = 0; i < Pixels; ++i) {
    AOTC_UNROLL(8)
    for (int j = 0; j < Vectors; ++j) store(buffer + (i * Vectors + j) * lanes, sum[i][j], Full{});
  }
  AOTC_UNROLL(1)
  for (int i = 0; i < Pixels; ++i) {
    const float* pixel = buffer + i * Vectors * lanes;
    AOTC_UNROLL(8)
    for (int j = 0; j < Vectors - 1; ++j) finish(load(pixel + j * lanes, Full{}), Full{}, i, j * lanes);
    const Vec<float> last = load(pixel + (Vectors - 1) * lanes, Full{});
    if constexpr (LastLanes == lanes)
      finish(last, Full{}, i, (Vectors - 1) * lanes);
    else
      finish(last, Tail{LastLanes}, i, (Vectors - 1) * lanes);
  }
}

AOTC_KERNELS_END
