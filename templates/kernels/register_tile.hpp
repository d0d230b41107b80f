// The inner loop that convolution and matrix product share: `Pixels` x `Vectors` sums in registers, fed by one
// broadcast value per pixel and one vector of weights per channel vector. Elements are float, and weights halves
// perhaps, or words of small integers whose products are summed in 32 bits (dot.hpp). Also the rule that chooses the
// shape of that tile. Knows nothing of kernels, borders or threads; must not touch memory other than the operands.
#pragma once
#include "bytes.hpp"
#include "dot.hpp"
#include "halves.hpp"

AOTC_KERNELS_BEGIN

// ------------------------------------------------------------------------------------------------------ the tile table
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
constexpr RegisterFile register_file = {14, 8, 8};  // 5 x 2 vectors of 4, the product and one for constants
#endif

struct TileShape {
  int pixels;   // at most this many neighbouring output pixels
  int rows;     // made of this many rows of the image; more than 1 only where a whole row is narrower than a tile
  int vectors;  // channel vectors
};

// Pixels that fit beside `vectors` channel vectors: all sums, one vector of weights each, one broadcast value.
constexpr int pixels_beside(int vectors) { return (register_file.registers - vectors - 1) / vectors; }

// What one step of k costs for a tile, in fma slots: arithmetic, loads (as many per cycle as fma) or latency, whichever
// is longest; and a little for each load and for each vector of weights, which come from the second-level cache.
constexpr double tile_cost(int pixels, int vectors) {
  return max_of(max_of(pixels * vectors, pixels + vectors), register_file.sums_ahead) + 0.15 * (pixels + vectors) +
         0.25 * vectors;
}
constexpr double tile_cost(int pixels, int vectors, int all_vectors) {
  const int rest = all_vectors % vectors;
  return all_vectors / vectors * tile_cost(pixels, vectors) + (rest > 0 ? tile_cost(pixels, rest) : 0.0);
}

// The cheapest shape for `height` rows of `width` pixels and `vectors` channel vectors. A tile spans rows only where
// whole rows are narrower than a tile, and only up to `max_rows`.
constexpr TileShape choose_tile(int height, int width, int vectors, int max_rows) {
  TileShape best = {1, 1, 1};
  double least = 0;
  for (int v = min_of(vectors, register_file.max_vectors); v > 0; --v) {
    const int most = pixels_beside(v);
    const bool straddles_panels = v != vectors && (v & (v - 1)) != 0;
    if (most < 1 || straddles_panels) continue;
    const int rows = max_of(1, min_of(min_of(most / width, max_rows), height));
    const int tiles = ceil_div(width, most), narrow = width / tiles, wide_tiles = width % tiles;
    const double row_cost =
        wide_tiles * tile_cost(narrow + 1, v, vectors) + (tiles - wide_tiles) * tile_cost(narrow, v, vectors);
    const double cost =
        rows > 1 ? height / rows * tile_cost(rows * width, v, vectors) + height % rows * row_cost : height * row_cost;
    if (least > 0 && cost >= least) continue;
    least = cost;
    best = {rows * ceil_div(width, tiles), rows, v};
  }
  return best;
}

// ------------------------------------------------------------------------------------------------------ the inner loop
template <int Pixels, int Vectors, class T = float>
using Sums = Vec<sum_of<T>>[Pixels][Vectors];

template <int Pixels, int Vectors, class V>
AOTC_INLINE void clear(V (&sum)[Pixels][Vectors]) {
  AOTC_UNROLL(32)
  for (int i = 0; i < Pixels; ++i) {
    AOTC_UNROLL(8)
    for (int j = 0; j < Vectors; ++j) sum[i][j] = V(element_of<V>(0));
  }
}

// All pixels begin at the same values, of which the last vector has `last` lanes.
template <int Pixels, int Vectors, class V, class Last>
AOTC_INLINE void begin_at(V (&sum)[Pixels][Vectors], const element_of<V>* values, Last last) {
  AOTC_UNROLL(8)
  for (int j = 0; j < Vectors; ++j) {
    const V value =
        j < Vectors - 1 ? load(values + j * vec_lanes<float>, Full{}) : load(values + j * vec_lanes<float>, last);
    AOTC_UNROLL(32)
    for (int i = 0; i < Pixels; ++i) sum[i][j] = value;
  }
}

// The pixels of a tile that take part, as constants.
template <int First, int End>
struct PixelRange {};

#if AOTC_HAS_BF16_DOT
template <int Pixels, int Vectors, int First, int End, class PixelOffset, class VectorOffset>
AOTC_INLINE void multiply_rounded(PixelRange<First, End> range, Sums<Pixels, Vectors>& sum, const float* x,
                                  PixelOffset pixel, const BFloat16* w, std::ptrdiff_t w_step, VectorOffset vector,
                                  int count);
#endif

// sum[i][j] += x[pixel(i)] * weight[j].
template <int Pixels, int Vectors, int First, int End, class T, class PixelOffset>
AOTC_INLINE void multiply_step(Sums<Pixels, Vectors, T>& sum, const T* x, PixelOffset pixel,
                               const SecondFactor<T> (&weight)[Vectors]) {
  AOTC_UNROLL(32)
  for (int i = First; i < End; ++i) {
    const auto value = Products<T>::first(broadcast(x + pixel(i), Full{}));
    AOTC_UNROLL(8)
    for (int j = 0; j < Vectors; ++j) sum[i][j] = Products<T>::add(value, weight[j], sum[i][j]);
  }
}

// multiply() by weights in pairs. The second ones are made when the first have served, for want of registers.
template <int Pixels, int Vectors, int First, int End, class PixelOffset, class VectorOffset>
AOTC_INLINE void multiply_pairs(Sums<Pixels, Vectors>& sum, const float* x, std::ptrdiff_t x_step, PixelOffset pixel,
                                const BFloat16* w, std::ptrdiff_t w_step, VectorOffset vector, int count) {
  AOTC_UNROLL(1)
  for (int k = 0; k < count; k += 2, x += 2 * x_step, w += 2 * w_step) {
    Vec<float> weight[Vectors];
    AOTC_UNROLL(8)
    for (int j = 0; j < Vectors; ++j) weight[j] = load_first(w + vector(j));
    multiply_step<Pixels, Vectors, First, End>(sum, x, pixel, weight);
    if (k + 1 == count) return;  // what lies behind x is not read
    AOTC_UNROLL(8)
    for (int j = 0; j < Vectors; ++j) weight[j] = load_second(w + vector(j));
    multiply_step<Pixels, Vectors, First, End>(sum, x + x_step, pixel, weight);
  }
}

// Asks for the weights of 64 steps later, a line at a time, which are on the next page: what the machine fetches by
// itself ends with a page. Measured to pay for integers, and not for floats.
template <int Vectors, class W, class VectorOffset>
AOTC_INLINE void fetch_ahead([[maybe_unused]] const W* w, [[maybe_unused]] std::ptrdiff_t w_step,
                             [[maybe_unused]] VectorOffset vector) {
#if !defined(AOTC_SCALAR)
  constexpr int steps = 64, vectors_of_line = max_of(16 / vec_lanes<float>, 1);
  AOTC_UNROLL(8)
  for (int j = 0; j < Vectors; j += vectors_of_line) {
    // As an integer: it may lie behind the weights.
    const std::ptrdiff_t bytes = steps * w_step * std::ptrdiff_t{sizeof(W)};
    const auto address = reinterpret_cast<std::uintptr_t>(w + vector(j)) + static_cast<std::uintptr_t>(bytes);
    __builtin_prefetch(reinterpret_cast<const void*>(address));
  }
#endif
}

// multiply() by bytes of which x is widened already. First all with even numbers, for want of registers, so the weights
// are read twice; the compiler must not see that it is from one place.
template <int Pixels, int Vectors, int First, int End, class T, class PixelOffset, class VectorOffset>
AOTC_INLINE void multiply_widened(Sums<Pixels, Vectors, T>& sum, const T* x, std::ptrdiff_t x_step, PixelOffset pixel,
                                  const Int8Quad* w, std::ptrdiff_t w_step, VectorOffset vector, int count) {
  const auto* even = reinterpret_cast<const Int16Pair*>(x);
  const auto* odd = even + Products<T>::odd_distance;
  const Int8Quad* again = w;
#if defined(__GNUC__)
  asm("" : "+r"(again));
#endif
  AOTC_UNROLL(1)
  for (int k = 0; k < count; ++k, even += x_step, odd += x_step, w += w_step, again += w_step) {
    Vec<std::int32_t> weight[Vectors];
    AOTC_UNROLL(8)
    for (int j = 0; j < Vectors; ++j) weight[j] = Products<Int8Quad>::second(load(w + vector(j), Full{})).even;
    fetch_ahead<Vectors>(w, w_step, vector);
    multiply_step<Pixels, Vectors, First, End>(sum, even, pixel, weight);
    AOTC_UNROLL(8)
    for (int j = 0; j < Vectors; ++j) weight[j] = Products<Int8Quad>::second(load(again + vector(j), Full{})).odd;
    multiply_step<Pixels, Vectors, First, End>(sum, odd, pixel, weight);
  }
}

// sum[i][j] += x[pixel(i) + k * x_step] * w[vector(j) + k * w_step] for the pixels First <= i < End and all 0 <= k <
// count. `pixel` and `vector` map to element offsets; where strides are constants they become displacements. Weights
// that are halves become floats once for all pixels of a tile; by bfloat16 in pairs (PackedDepth) the machine
// multiplies numbers that are rounded to it, where it can.
template <int Pixels, int Vectors, int First, int End, class T, class W, class PixelOffset, class VectorOffset,
          class Last = Full>
AOTC_INLINE void multiply(PixelRange<First, End>, Sums<Pixels, Vectors, T>& sum, const T* x, std::ptrdiff_t x_step,
                          PixelOffset pixel, const W* w, std::ptrdiff_t w_step, VectorOffset vector, int count,
                          Last last = {}) {
  if constexpr (PackedDepth<W>::in_pairs) {
#if AOTC_HAS_BF16_DOT
    if (x_step == 1)
      return multiply_rounded<Pixels, Vectors>(PixelRange<First, End>{}, sum, x, pixel, w, w_step, vector, count);
#endif
    return multiply_pairs<Pixels, Vectors, First, End>(sum, x, x_step, pixel, w, w_step, vector, count);
  } else if constexpr (is_widened<T>) {
    static_assert(std::is_same_v<Last, Full>, "packed weights fill their vectors");
    multiply_widened<Pixels, Vectors, First, End>(sum, x, x_step, pixel, w, w_step, vector, count);
  } else {
    AOTC_UNROLL(1)
    for (int k = 0; k < count; ++k, x += x_step, w += w_step) {
      SecondFactor<T> weight[Vectors];
      AOTC_UNROLL(8)
      for (int j = 0; j < Vectors - 1; ++j) weight[j] = Products<T>::second(load(w + vector(j), Full{}));
      weight[Vectors - 1] = Products<T>::second(load(w + vector(Vectors - 1), last));
      if constexpr (!std::is_same_v<T, float>) fetch_ahead<Vectors>(w, w_step, vector);
      multiply_step<Pixels, Vectors, First, End>(sum, x, pixel, weight);
    }
  }
}

#if AOTC_HAS_BF16_DOT
// On a rounded copy of some of each pixel's numbers at a time.
template <int Pixels, int Vectors, int First, int End, class PixelOffset, class VectorOffset>
AOTC_INLINE void multiply_rounded(PixelRange<First, End> range, Sums<Pixels, Vectors>& sum, const float* x,
                                  PixelOffset pixel, const BFloat16* w, std::ptrdiff_t w_step, VectorOffset vector,
                                  int count) {
  constexpr int chunk = 128, distance = chunk / 2 + 16;
  alignas(64) BFloat16Pair copy[Pixels * distance];
  const auto copied_pixel = [](int i) AOTC_INLINE_LAMBDA { return i * distance; };
  const auto word_vector = [&](int j) AOTC_INLINE_LAMBDA { return vector(j) / 2; };
  AOTC_UNROLL(1)
  for (int k = 0; k < count; k += chunk) {
    const int length = min_of(chunk, count - k);
    AOTC_UNROLL(1)
    for (int i = First; i < End; ++i) detail::round_to_pairs(x + pixel(i) + k, length, copy + i * distance);
    multiply<Pixels, Vectors>(range, sum, static_cast<const BFloat16Pair*>(copy), 1, copied_pixel,
                              reinterpret_cast<const BFloat16Pair*>(w + k * w_step), w_step, word_vector,
                              (length + 1) / 2);
  }
}
#endif

// Whether `pixels` rows of x at this distance fall into so few sets of a first-level cache (64 sets of 8 lines) that
// they would evict one another before their lines are used up.
constexpr bool evicts_itself(int pixels, std::ptrdiff_t step_floats) {
  std::ptrdiff_t step_bytes = step_floats * 4, period = 4096;
  while (step_bytes % period != 0) period /= 2;  // the largest power of two in the step
  return pixels * period > 7 * 4096;
}

// The same as multiply() for x_step 1, on a copy of a few lines of each pixel at a time.
template <int Pixels, int Vectors, int First, int End, class T, class W, class PixelOffset, class VectorOffset,
          class Last = Full>
AOTC_INLINE void multiply_copied(PixelRange<First, End> range, Sums<Pixels, Vectors, T>& sum, const T* x,
                                 PixelOffset pixel, const W* w, std::ptrdiff_t w_step, VectorOffset vector, int count,
                                 Last last = {}) {
  constexpr int chunk = 64, distance = chunk + 16;
  alignas(64) T copy[Pixels * distance];
  AOTC_UNROLL(1)
  for (int k = 0; k < count; k += chunk) {
    const int length = min_of(chunk, count - k);
    AOTC_UNROLL(1)
    for (int i = First; i < End; ++i)
      for_each_vector<float>(length, [&](int c, auto lanes) AOTC_INLINE_LAMBDA {
        store(copy + i * distance + c, load(x + pixel(i) + k + c, lanes), lanes);
      });
    const auto copied_pixel = [](int i) AOTC_INLINE_LAMBDA { return i * distance; };
    multiply<Pixels, Vectors>(range, sum, static_cast<const T*>(copy), 1, copied_pixel, w + k * w_step, w_step, vector,
                              length, last);
  }
}

// Sums of at most this many products go straight to the epilogue. Longer ones pass through memory first, which then
// costs next to nothing, so that a long epilogue is compiled once for a tile and not once for each of its registers.
constexpr int short_sum = 128;

// Nothing is in a vector register here. GCC else moves constants of an epilogue out of all loops, to registers that the
// sums then lack: they would be in memory throughout the products. Requantization has few constants, which may stay.
AOTC_INLINE void leave_registers() {
#if defined(__GNUC__) && !defined(__clang__) && !defined(AOTC_SCALAR)
#if defined(__AVX512F__)
  asm volatile("" ::
                   : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                     "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22",
                     "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31");
#elif defined(__SSE2__)
  asm volatile("" ::
                   : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                     "xmm12", "xmm13", "xmm14", "xmm15");
#endif
#endif
}

// Hands each sum to finish(value, lanes, pixel, first channel); `last` are the lanes of the last vector of a pixel.
template <bool Short, int Pixels, int Vectors, class V, class Last, class Finish>
AOTC_INLINE void finish_tile(const V (&sum)[Pixels][Vectors], Last last, Finish finish) {
  constexpr int lanes = vec_lanes<float>;
  if constexpr (Short) {
    AOTC_UNROLL(32)
    for (int i = 0; i < Pixels; ++i) {
      AOTC_UNROLL(8)
      for (int j = 0; j < Vectors - 1; ++j) finish(sum[i][j], Full{}, i, j * lanes);
      finish(sum[i][Vectors - 1], last, i, (Vectors - 1) * lanes);
    }
  } else {
    alignas(64) element_of<V> buffer[Pixels * Vectors * lanes];
    AOTC_UNROLL(32)
    for (int i = 0; i < Pixels; ++i) {
      AOTC_UNROLL(8)
      for (int j = 0; j < Vectors; ++j) store(buffer + (i * Vectors + j) * lanes, sum[i][j], Full{});
    }
    if constexpr (std::is_same_v<element_of<V>, float>) leave_registers();
    AOTC_UNROLL(1)
    for (int i = 0; i < Pixels; ++i) {
      const element_of<V>* pixel = buffer + i * Vectors * lanes;
      AOTC_UNROLL(8)
      for (int j = 0; j < Vectors - 1; ++j) finish(load(pixel + j * lanes, Full{}), Full{}, i, j * lanes);
      finish(load(pixel + (Vectors - 1) * lanes, Full{}), last, i, (Vectors - 1) * lanes);
    }
  }
}

template <int I>
struct Constant {
  static constexpr int value = I;
};

// Calls body(first, Constant<count>) for `Total` things in the fewest pieces of at most Most; their sizes differ by one
// at most, so that no small rest is left over.
template <int Total, int Most, class Body>
AOTC_INLINE void each_even_piece(Body body) {
  constexpr int pieces = ceil_div(Total, Most), narrow = Total / pieces, wide_pieces = Total % pieces;
  int first = 0;
  AOTC_UNROLL(1)
  for (; first < wide_pieces * (narrow + 1); first += narrow + 1) body(first, Constant<narrow + 1>{});
  AOTC_UNROLL(1)
  for (; first < Total; first += narrow) body(first, Constant<narrow>{});
}

// The same for a number known at run time only: pieces of Most, then one of Most / 2, Most / 4, ... 1 as needed.
template <int Most, class Body>
AOTC_INLINE void each_piece(int first, int end, Body body) {
  AOTC_UNROLL(1)
  for (; first + Most <= end; first += Most) body(first, Constant<Most>{});
  if constexpr (Most > 1) each_piece<(Most + 1) / 2>(first, end, body);
}

// Full where all lanes are valid, else the Tail: for counts that are constants.
template <int Lanes>
constexpr auto lanes_of() {
  if constexpr (Lanes == vec_lanes<float>)
    return Full{};
  else
    return Tail{Lanes};
}

AOTC_KERNELS_END
