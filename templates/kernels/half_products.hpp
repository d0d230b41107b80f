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
//     total = total + float(f16(sum[0] + sum[1]))                                             (or sum[0], if it is alone)
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
// A step is half_chains products of each channel. HalfSource stands for some steps of a pixel, of which
// add_product<Step> takes one; half_steps(pixels, sums) are as many as their weights have registers for beside the sums,
// 0 for none.
#if defined(__AVX512FP16__)
constexpr int half_chains = 2, half_channels = 16;
using HalfSums = __m512h;
using HalfSource = const Float16*;

AOTC_INLINE HalfSums no_half_sums() { return _mm512_setzero_ph(); }

// Two rows a and b of a panel, each in both halves of a register, become the pairs
//   a0 b1 a2 b3 … a14 b15   a1 b0 a3 b2 … a15 b14
// the first of which is always for an even step. A permutation of 16-bit lanes would take longer.
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

constexpr int half_steps(int, int) { return 1; }
template <int>
AOTC_INLINE HalfSource half_source(const Float16* x) {
  return x;
}
template <int>
AOTC_INLINE HalfSums add_product(HalfSource x, HalfSums weights, HalfSums sums) {
  std::int32_t pair;
  std::memcpy(&pair, x, sizeof pair);
  return _mm512_fmadd_ph(_mm512_castsi512_ph(_mm512_set1_epi32(pair)), weights, sums);
}
AOTC_INLINE HalfSums add_single_product(const Float16* x, HalfSums weights, HalfSums sums) {
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
constexpr int half_chains = 1, half_channels = 8;
using HalfSums = float16x8_t;
using HalfSource = float16x8_t;

AOTC_INLINE HalfSums no_half_sums() { return vreinterpretq_f16_u16(vdupq_n_u16(0)); }

// Those of one vector of floats only must not be read beyond: its panel may end there.
template <int Vectors>
AOTC_INLINE HalfSums load_half_weights(const Float16* w) {
  const auto* bits = reinterpret_cast<const std::uint16_t*>(w);
  if constexpr (Vectors == 1)
    return vreinterpretq_f16_u16(vcombine_u16(vld1_u16(bits), vdup_n_u16(0)));
  else
    return vreinterpretq_f16_u16(vld1q_u16(bits));
}
template <int Vectors>
AOTC_INLINE HalfSums load_single_half_weights(const Float16* w) {
  return load_half_weights<Vectors>(w);
}

constexpr int half_steps(int pixels, int vectors) {
  const int most = (register_file.registers - 2) / vectors - pixels;
  return most >= 8 ? 8 : most >= 4 ? 4 : 0;
}
template <int Steps>
AOTC_INLINE HalfSource half_source(const Float16* x) {
  return load_half_weights<Steps / 4>(x);
}
template <int Step>
AOTC_INLINE HalfSums add_product(HalfSource x, HalfSums weights, HalfSums sums) {
#if defined(__GNUC__) && !defined(__clang__)  // which would spread each lane over a register first
  asm("fmla %0.8h, %1.8h, %2.h[%3]" : "+w"(sums) : "w"(weights), "x"(x), "i"(Step));
  return sums;
#else
  return vfmaq_laneq_f16(sums, weights, x, Step);
#endif
}
AOTC_INLINE HalfSums add_single_product(const Float16* x, HalfSums weights, HalfSums sums) {
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

template <int Vectors>
using HalfWeights = HalfSums[half_vectors<Vectors>];
template <int Pixels, int Vectors>
using HalfTile = HalfSums[Pixels][half_vectors<Vectors>];

// sum[i][j] += x[pixel(i) + k] * w[vector(j) + 16 * k] for the k of `Steps` steps. Pixel by pixel, so that each lives in
// a register for a short time: on Arm only the first 16 can hold it.
template <int Steps, int Pixels, int Vectors, class PixelOffset, class VectorOffset>
AOTC_INLINE void add_steps(HalfTile<Pixels, Vectors>& sum, const Float16* x, PixelOffset pixel, const Float16* w,
                           VectorOffset vector) {
  HalfWeights<Vectors> weight[Steps];
  AOTC_UNROLL(8)
  for (int step = 0; step < Steps; ++step)
    each_constant<half_vectors<Vectors>>([&](auto j) AOTC_INLINE_LAMBDA {
      const Float16* row = w + step * half_chains * panel_channels;
      weight[step][j.value] = load_half_weights<vectors_of<Vectors, j.value>>(row + vector(j.value * vectors_of_sums));
    });
  AOTC_UNROLL(32)
  for (int i = 0; i < Pixels; ++i) {
    const HalfSource source = half_source<Steps>(x + pixel(i));
    each_constant<Steps>([&](auto step) AOTC_INLINE_LAMBDA {
      AOTC_UNROLL(8)
      for (int j = 0; j < half_vectors<Vectors>; ++j)
        sum[i][j] = add_product<step.value>(source, weight[step.value][j], sum[i][j]);
    });
  }
}
// The same for k = 0 alone.
template <int Pixels, int Vectors, class PixelOffset, class VectorOffset>
AOTC_INLINE void add_single(HalfTile<Pixels, Vectors>& sum, const Float16* x, PixelOffset pixel, const Float16* w,
                            VectorOffset vector) {
  HalfWeights<Vectors> weight;
  each_constant<half_vectors<Vectors>>([&](auto j) AOTC_INLINE_LAMBDA {
    weight[j.value] = load_single_half_weights<vectors_of<Vectors, j.value>>(w + vector(j.value * vectors_of_sums));
  });
  AOTC_UNROLL(32)
  for (int i = 0; i < Pixels; ++i) {
    AOTC_UNROLL(8)
    for (int j = 0; j < half_vectors<Vectors>; ++j) sum[i][j] = add_single_product(x + pixel(i), weight[j], sum[i][j]);
  }
}

// For 0 <= k < count, which is one piece of a run at most.
template <int Pixels, int Vectors, class PixelOffset, class VectorOffset>
AOTC_INLINE void add_piece(HalfTile<Pixels, Vectors>& sum, const Float16* x, PixelOffset pixel, const Float16* w,
                           VectorOffset vector, int count) {
  const Float16* const end = x + count;
  constexpr int steps = half_steps(Pixels, half_vectors<Vectors>), products = steps * half_chains;
  if constexpr (steps > 0) {
    AOTC_UNROLL(1)
    for (; x + products <= end; x += products, w += products * panel_channels)
      add_steps<steps, Pixels, Vectors>(sum, x, pixel, w, vector);
  }
  AOTC_UNROLL(1)
  for (; x < end; ++x, w += panel_channels) add_single<Pixels, Vectors>(sum, x, pixel, w, vector);
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
