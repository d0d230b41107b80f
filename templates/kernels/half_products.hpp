// Products of float16 that are summed in float16, where the machine has them (AOTC_HAS_F16_PRODUCTS): AVX-512 FP16 and
// NEON FP16. Sums of a few products only: each is then added to a float. Knows nothing of kernels or borders; nothing
// else may use intrinsics for such products.
//
// Weights are panels [depth][16] of float16, as on every other processor, so that kernels can be built for one without.
// A register of sums, HalfSums, holds half_channels neighbouring channels. On AVX-512 it has twice as many lanes as a
// panel has channels, so it takes two rows of one: it has two sums for each channel (half_chains), of the even and of
// the odd places of a run. The sum of a run of products x[k] * w[k] is, in this order:
//
//   pieces of half_chain * half_chains products, and for each piece
//     sum[c] = 0, then sum[c] = f16(x[k] * w[k] + sum[c]) for the k of chain c in order       (one rounding: fma)
//     total = total + float(f16(sum[0] + sum[1]))                                           (or sum[0], if it is alone)
//
// It so depends on the run alone, neither on tiles nor on threads. What overflows is infinite or NaN from there on, in
// the total too, which its reader has to look for.
#pragma once
#include "register_tile.hpp"

#if !defined(AOTC_SCALAR) && (defined(__AVX512FP16__) || defined(__ARM_FEATURE_FP16_VECTOR_ARITHMETIC))
#define AOTC_HAS_F16_PRODUCTS 1
#else
#define AOTC_HAS_F16_PRODUCTS 0
#endif

#if AOTC_HAS_F16_PRODUCTS
AOTC_KERNELS_BEGIN

// Products that are added up in float16, one after the other, before a float takes them.
constexpr int half_chain = 32;

namespace detail {

// ------------------------------------------------------------------------------------------------ the instructions
// A step is half_chains products of each channel. add_products() adds those of half_steps steps to the sums of up to
// half_pixels pixels, whose numbers x points to; add_single() adds one product alone.
template <int Pixels>
using HalfPixels = const Float16* [Pixels];

#if defined(__AVX512FP16__)
constexpr int half_chains = 2, half_channels = 16, half_steps = 1, half_pixels = 1;
using HalfSums = __m512h;

AOTC_INLINE HalfSums no_half_sums() { return _mm512_setzero_ph(); }

// Two rows a and b of a panel, each in both halves of a register, become the pairs
//   a0 b1 a2 b3 ... a14 b15   a1 b0 a3 b2 ... a15 b14
// of which even lanes are always a's. A permutation of lanes of 16 bits would take longer.
constexpr __mmask32 lanes_of_second_row = 0x5555aaaa;
AOTC_INLINE HalfSums as_pairs(__m512i lanes) {
  asm("" : "+v"(lanes));  // Clang would make that permutation of it
  return _mm512_castsi512_ph(_mm512_mask_rol_epi32(lanes, 0xff00, lanes, 16));
}
AOTC_INLINE __m512i row_twice(const Float16* row) { return _mm512_broadcast_i64x4(load_bits(row)); }
template <int Vectors>
AOTC_INLINE HalfSums load_half_weights(const Float16* w) {
  return as_pairs(_mm512_mask_blend_epi16(lanes_of_second_row, row_twice(w), row_twice(w + panel_channels)));
}
template <int Vectors>
AOTC_INLINE HalfSums load_single_half_weights(const Float16* w) {
  return as_pairs(_mm512_maskz_mov_epi16(~lanes_of_second_row, row_twice(w)));
}

AOTC_INLINE void add_products(const HalfPixels<1>& x, const HalfSums (&weights)[half_steps], HalfSums (&sums)[1]) {
  std::int32_t pair;
  std::memcpy(&pair, x[0], sizeof pair);
  sums[0] = _mm512_fmadd_ph(_mm512_castsi512_ph(_mm512_set1_epi32(pair)), weights[0], sums[0]);
}
AOTC_INLINE HalfSums add_single(const Float16* x, HalfSums weights, HalfSums sums) {
  return _mm512_fmadd_ph(_mm512_castsi512_ph(_mm512_set1_epi32(x->bits)), weights, sums);
}

// Adds the two sums of each channel to total[0]; exchanging neighbours in one half of a register puts both in line.
template <int Vectors>
AOTC_INLINE void add_half_sums(HalfSums sums, Vec<float>* total) {
  const __m512i lanes = _mm512_castph_si512(sums);
  const __m256i high = _mm256_rol_epi32(_mm512_extracti64x4_epi64(lanes, 1), 16);
  const __m256h both = _mm256_add_ph(_mm256_castsi256_ph(_mm512_castsi512_si256(lanes)), _mm256_castsi256_ph(high));
  total[0] = total[0] + to_floats(_mm256_castph_si256(both), Float16{});
}
#else
constexpr int half_chains = 1, half_channels = 8, half_steps = 4, half_pixels = 2;
using HalfSums = float16x8_t;

AOTC_INLINE HalfSums no_half_sums() { return vreinterpretq_f16_u16(vdupq_n_u16(0)); }

AOTC_INLINE float16x4_t load_four(const Float16* p) {
  return vreinterpret_f16_u16(vld1_u16(reinterpret_cast<const std::uint16_t*>(p)));
}
// Those of one vector of floats only must not be read beyond: its panel may end there.
template <int Vectors>
AOTC_INLINE HalfSums load_half_weights(const Float16* w) {
  if constexpr (Vectors == 1)
    return vcombine_f16(load_four(w), vreinterpret_f16_u16(vdup_n_u16(0)));
  else
    return vreinterpretq_f16_u16(vld1q_u16(reinterpret_cast<const std::uint16_t*>(w)));
}
template <int Vectors>
AOTC_INLINE HalfSums load_single_half_weights(const Float16* w) {
  return load_half_weights<Vectors>(w);
}

#if defined(__GNUC__) && !defined(__clang__)
// Lanes can only be taken of the first 16 registers. GCC knows that too late: it keeps sums there, and moves each
// number once for each product. Loaded here, none is moved. Two pixels take turns, for processors that wait for a sum.
#define AOTC_FMLA(sum, x, lane) "fmla %[" #sum "].8h, %[w" #lane "].8h, %[" #x "].h[" #lane "]\n\t"
#define AOTC_WEIGHTS [w0] "w"(weights[0]), [w1] "w"(weights[1]), [w2] "w"(weights[2]), [w3] "w"(weights[3])
AOTC_INLINE void add_products(const HalfPixels<1>& x, const HalfSums (&weights)[half_steps], HalfSums (&sums)[1]) {
  HalfSums numbers;
  asm("ldr %d[x], %[from]\n\t" AOTC_FMLA(a, x, 0) AOTC_FMLA(a, x, 1) AOTC_FMLA(a, x, 2) AOTC_FMLA(a, x, 3)
      : [a] "+&w"(sums[0]), [x] "=&x"(numbers)
      : AOTC_WEIGHTS, [from] "m"(*reinterpret_cast<const Float16(*)[half_steps]>(x[0])));
}
AOTC_INLINE void add_products(const HalfPixels<2>& x, const HalfSums (&weights)[half_steps], HalfSums (&sums)[2]) {
  HalfSums numbers[2];
  asm("ldr %d[x], %[from]\n\t"
      "ldr %d[y], %[other]\n\t"                                                    //
      AOTC_FMLA(a, x, 0) AOTC_FMLA(b, y, 0) AOTC_FMLA(a, x, 1) AOTC_FMLA(b, y, 1)  //
      AOTC_FMLA(a, x, 2) AOTC_FMLA(b, y, 2) AOTC_FMLA(a, x, 3) AOTC_FMLA(b, y, 3)
      : [a] "+&w"(sums[0]), [b] "+&w"(sums[1]), [x] "=&x"(numbers[0]), [y] "=&x"(numbers[1])
      : AOTC_WEIGHTS, [from] "m"(*reinterpret_cast<const Float16(*)[half_steps]>(x[0])),
        [other] "m"(*reinterpret_cast<const Float16(*)[half_steps]>(x[1])));
}
#undef AOTC_FMLA
#undef AOTC_WEIGHTS
#else
template <int Pixels>
AOTC_INLINE void add_products(const HalfPixels<Pixels>& x, const HalfSums (&weights)[half_steps],
                              HalfSums (&sums)[Pixels]) {
  for (int i = 0; i < Pixels; ++i) {
    const float16x4_t numbers = load_four(x[i]);
    sums[i] = vfmaq_lane_f16(sums[i], weights[0], numbers, 0);
    sums[i] = vfmaq_lane_f16(sums[i], weights[1], numbers, 1);
    sums[i] = vfmaq_lane_f16(sums[i], weights[2], numbers, 2);
    sums[i] = vfmaq_lane_f16(sums[i], weights[3], numbers, 3);
  }
}
#endif
AOTC_INLINE HalfSums add_single(const Float16* x, HalfSums weights, HalfSums sums) {
  return vfmaq_f16(sums, weights, vreinterpretq_f16_u16(vdupq_n_u16(x->bits)));
}

template <int Vectors>
AOTC_INLINE void add_half_sums(HalfSums sums, Vec<float>* total) {
  total[0] = total[0] + Vec<float>(vcvt_f32_f16(vget_low_f16(sums)));
  if constexpr (Vectors > 1) total[1] = total[1] + Vec<float>(vcvt_high_f32_f16(sums));
}
#endif

// ----------------------------------------------------------------------------------------------------------- the tile
// Half vectors that hold the channels of `Vectors` vectors of floats, and how many of those the j-th one holds.
constexpr int vectors_of_sums = half_channels / vec_lanes<float>;
template <int Vectors>
constexpr int half_vectors = ceil_div(Vectors, vectors_of_sums);
template <int Vectors, int J>
constexpr int vectors_of = min_of(vectors_of_sums, Vectors - J * vectors_of_sums);

// Calls body(Constant<j>) for 0 <= j < Count.
template <int Count, int J = 0, class Body>
AOTC_INLINE void each_constant(Body body) {
  if constexpr (J < Count) {
    body(Constant<J>{});
    each_constant<Count, J + 1>(body);
  }
}

template <int Pixels, int Vectors>
using HalfTile = HalfSums[Pixels][half_vectors<Vectors>];

// sum[i][j] += x[pixel(i) + k] * w[vector(j) + 16 * k] for the k of half_steps steps.
template <int Pixels, int Vectors, class PixelOffset, class VectorOffset>
AOTC_INLINE void add_steps(HalfTile<Pixels, Vectors>& sum, const Float16* x, PixelOffset pixel, const Float16* w,
                           VectorOffset vector) {
  HalfSums weights[half_vectors<Vectors>][half_steps];
  each_constant<half_vectors<Vectors>>([&](auto j) AOTC_INLINE_LAMBDA {
    AOTC_UNROLL(4)
    for (int step = 0; step < half_steps; ++step) {
      const Float16* row = w + step * half_chains * panel_channels;
      weights[j.value][step] = load_half_weights<vectors_of<Vectors, j.value>>(row + vector(j.value * vectors_of_sums));
    }
  });
  const auto add = [&](int i, auto count) AOTC_INLINE_LAMBDA {
    HalfPixels<count.value> from;
    for (int p = 0; p < count.value; ++p) from[p] = x + pixel(i + p);
    AOTC_UNROLL(8)
    for (int j = 0; j < half_vectors<Vectors>; ++j) {
      HalfSums sums[count.value];
      for (int p = 0; p < count.value; ++p) sums[p] = sum[i + p][j];
      add_products(from, weights[j], sums);
      for (int p = 0; p < count.value; ++p) sum[i + p][j] = sums[p];
    }
  };
  constexpr int whole = Pixels / half_pixels * half_pixels;
  AOTC_UNROLL(32)
  for (int i = 0; i < whole; i += half_pixels) add(i, Constant<half_pixels>{});
  if constexpr (whole < Pixels) add(whole, Constant<1>{});
}
// The same for k = 0 alone.
template <int Pixels, int Vectors, class PixelOffset, class VectorOffset>
AOTC_INLINE void add_single_step(HalfTile<Pixels, Vectors>& sum, const Float16* x, PixelOffset pixel, const Float16* w,
                                 VectorOffset vector) {
  HalfSums weights[half_vectors<Vectors>];
  each_constant<half_vectors<Vectors>>([&](auto j) AOTC_INLINE_LAMBDA {
    weights[j.value] = load_single_half_weights<vectors_of<Vectors, j.value>>(w + vector(j.value * vectors_of_sums));
  });
  AOTC_UNROLL(32)
  for (int i = 0; i < Pixels; ++i) {
    AOTC_UNROLL(8)
    for (int j = 0; j < half_vectors<Vectors>; ++j) sum[i][j] = add_single(x + pixel(i), weights[j], sum[i][j]);
  }
}

// For 0 <= k < count, which is one piece of a run at most.
template <int Pixels, int Vectors, class PixelOffset, class VectorOffset>
AOTC_INLINE void add_piece(HalfTile<Pixels, Vectors>& sum, const Float16* x, PixelOffset pixel, const Float16* w,
                           VectorOffset vector, int count) {
  const Float16* const end = x + count;
  constexpr int products = half_steps * half_chains, columns = half_vectors<Vectors>;
  constexpr bool has_registers = columns * (half_steps + Pixels) + half_pixels <= register_file.registers;
  static_assert(has_registers || half_chains == 1, "single steps leave a chain out");
  if constexpr (has_registers) {
    AOTC_UNROLL(1)
    for (; x + products <= end; x += products, w += products * panel_channels)
      add_steps<Pixels, Vectors>(sum, x, pixel, w, vector);
  }
  AOTC_UNROLL(1)
  for (; x < end; ++x, w += panel_channels) add_single_step<Pixels, Vectors>(sum, x, pixel, w, vector);
}

}  // namespace detail

// total[i][j] += the sum of x[pixel(i) + k] * w[vector(j) + 16 * k] for all 0 <= k < count, a run. The totals stay in
// memory, registers are for sums in float16.
template <int Pixels, int Vectors, class PixelOffset, class VectorOffset>
AOTC_INLINE void multiply_halves(Vec<float> (&total)[Pixels][Vectors], const Float16* x, PixelOffset pixel,
                                 const Float16* w, VectorOffset vector, int count) {
  using namespace detail;
  constexpr int piece = half_chain * half_chains;
  AOTC_UNROLL(1)
  for (int k = 0; k < count; k += piece) {
    HalfTile<Pixels, Vectors> sum;
    AOTC_UNROLL(32)
    for (int i = 0; i < Pixels; ++i) {
      AOTC_UNROLL(8)
      for (int j = 0; j < half_vectors<Vectors>; ++j) sum[i][j] = no_half_sums();
    }
    add_piece<Pixels, Vectors>(sum, x + k, pixel, w + std::ptrdiff_t{k} * panel_channels, vector,
                               min_of(piece, count - k));
    asm volatile("" : : "r"(&total) : "memory");  // or the totals would be taken to registers and spilled around this
    AOTC_UNROLL(32)
    for (int i = 0; i < Pixels; ++i)
      each_constant<half_vectors<Vectors>>([&](auto j) AOTC_INLINE_LAMBDA {
        add_half_sums<vectors_of<Vectors, j.value>>(sum[i][j.value], &total[i][j.value * vectors_of_sums]);
      });
  }
}

AOTC_KERNELS_END
#endif
