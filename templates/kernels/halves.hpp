// Floats of 16 bits in memory, floats in registers: float16 and bfloat16 loaded, stored and rounded, by the few
// instructions there are for it, else by shifts and one product. Every number converts exactly, subnormals, infinities
// and NaN among them, and is rounded to the nearest, ties to even: the same on every level, except for a NaN's bits.
//
//   load, broadcast, load_strided   as in vec.hpp, from Float16* or BFloat16*: a Vec<float> or a float
//   store                           the other way round
//   round_to_f16, round_to_bf16     float to float, on Vec<float> and on float alike
//
// What is too large for a float16, from 65520 on, becomes infinity. Nothing else may use intrinsics for halves.
//
// Packed weights whose summed dimension runs over panels of 16 have another order where they are bfloat16: two
// neighbours along that dimension side by side, [depth / 2][16][2], the last one with a zero where the depth is odd
// (PackedDepth). That is what dot products want, and it takes one shift and one mask to make two vectors of floats of
// it.
#pragma once
#include <cstring>

#include "narrow.hpp"

AOTC_KERNELS_BEGIN

template <Element Type>
using Half = Encoded<std::uint16_t, Type>;

// How weights stored as W lie along the summed dimension of a packed panel.
template <class W>
struct PackedDepth {
  static constexpr bool in_pairs = std::is_same_v<W, BFloat16>;
  static constexpr int column = in_pairs ? 2 : 1;  // from one column of a panel to the next
  static constexpr int rows(int depth) { return in_pairs ? (depth + 1) / 2 * 2 : depth; }
};

namespace detail {

// ------------------------------------------------------------------------------------------------------- without help
// The float whose bits begin like these of a half, on Vec<std::int32_t> and on int alike.
template <class I>
AOTC_INLINE auto widened(I bits, BFloat16) {
  return from_bits(bits << 16);
}
// The exponent is moved by a product, which makes normal numbers of subnormal ones; those of infinity and NaN are what
// is then too small.
template <class I>
AOTC_INLINE auto widened(I bits, Float16) {
  const I magnitude = bits & I(0x7fff);
  const auto value = from_bits(magnitude << 13) * decltype(from_bits(bits))(exact_power_of_two(112));
  const I infinite = select(gt(magnitude, I(0x7bff)), I(0x7f800000), I(0));
  return from_bits(bits_of(value) | infinite | ((bits ^ magnitude) << 16));
}

#if defined(AOTC_SCALAR) && defined(__ARM_FP) && !defined(__aarch64__)
#if __ARM_FP & 2  // microcontrollers with a floating-point unit
AOTC_INLINE float widened(std::int32_t bits, Float16) {
  float value;
  asm("vcvtb.f32.f16 %0, %1" : "=t"(value) : "t"(from_bits(bits)));
  return value;
}
#endif
#endif

#ifndef AOTC_SCALAR
// ------------------------------------------------------------------------------------------------------ whole vectors
#if defined(__AVX512F__)
using HalfBits = __m256i;
AOTC_INLINE HalfBits load_bits(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
AOTC_INLINE void store_bits(void* p, HalfBits bits) { _mm256_storeu_si256(static_cast<__m256i*>(p), bits); }
AOTC_INLINE Vec<std::int32_t> to_words(HalfBits bits) { return _mm512_cvtepu16_epi32(bits); }
AOTC_INLINE HalfBits to_halves(Vec<std::int32_t> words) { return _mm512_cvtepi32_epi16(words); }
AOTC_INLINE Vec<float> to_floats(HalfBits bits, Float16) { return _mm512_cvtph_ps(bits); }
AOTC_INLINE HalfBits to_bits(Vec<float> value, Float16) {
  return _mm512_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
#elif defined(__AVX2__)
using HalfBits = __m128i;
AOTC_INLINE HalfBits load_bits(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
AOTC_INLINE void store_bits(void* p, HalfBits bits) { _mm_storeu_si128(static_cast<__m128i*>(p), bits); }
AOTC_INLINE Vec<std::int32_t> to_words(HalfBits bits) { return _mm256_cvtepu16_epi32(bits); }
// Of words below 2^16.
AOTC_INLINE HalfBits to_halves(Vec<std::int32_t> words) {
  return _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
}
AOTC_INLINE Vec<float> to_floats(HalfBits bits, Float16) { return _mm256_cvtph_ps(bits); }
AOTC_INLINE HalfBits to_bits(Vec<float> value, Float16) { return _mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT); }
#elif defined(__SSE4_1__)
using HalfBits = __m128i;
AOTC_INLINE HalfBits load_bits(const void* p) { return _mm_loadl_epi64(static_cast<const __m128i*>(p)); }
AOTC_INLINE void store_bits(void* p, HalfBits bits) { _mm_storel_epi64(static_cast<__m128i*>(p), bits); }
AOTC_INLINE Vec<std::int32_t> to_words(HalfBits bits) { return _mm_cvtepu16_epi32(bits); }
AOTC_INLINE HalfBits to_halves(Vec<std::int32_t> words) { return _mm_packus_epi32(words, words); }
#elif defined(__aarch64__)
using HalfBits = uint16x4_t;
AOTC_INLINE HalfBits load_bits(const void* p) { return vld1_u16(static_cast<const std::uint16_t*>(p)); }
AOTC_INLINE void store_bits(void* p, HalfBits bits) { vst1_u16(static_cast<std::uint16_t*>(p), bits); }
AOTC_INLINE Vec<std::int32_t> to_words(HalfBits bits) { return vreinterpretq_s32_u32(vmovl_u16(bits)); }
AOTC_INLINE HalfBits to_halves(Vec<std::int32_t> words) { return vmovn_u32(vreinterpretq_u32_s32(words)); }
AOTC_INLINE Vec<float> to_floats(HalfBits bits, Float16) { return vcvt_f32_f16(vreinterpret_f16_u16(bits)); }
AOTC_INLINE HalfBits to_bits(Vec<float> value, Float16) { return vreinterpret_u16_f16(vcvt_f16_f32(value)); }
#else
struct HalfBits {
  std::uint16_t bits[vec_lanes<float>];
};
AOTC_INLINE HalfBits load_bits(const void* p) {
  HalfBits bits;
  std::memcpy(&bits, p, sizeof bits);
  return bits;
}
AOTC_INLINE void store_bits(void* p, HalfBits bits) { std::memcpy(p, &bits, sizeof bits); }
AOTC_INLINE Vec<std::int32_t> to_words(HalfBits halves) {
  alignas(64) std::int32_t words[vec_lanes<float>];
  for (int i = 0; i < vec_lanes<float>; ++i) words[i] = halves.bits[i];
  return load(static_cast<const std::int32_t*>(words), Full{});
}
AOTC_INLINE HalfBits to_halves(Vec<std::int32_t> words) {
  HalfBits halves;
  alignas(64) std::int32_t values[vec_lanes<float>];
  store(values, words, Full{});
  for (int i = 0; i < vec_lanes<float>; ++i) halves.bits[i] = static_cast<std::uint16_t>(values[i]);
  return halves;
}
#endif

#if !defined(__F16C__) && !defined(__AVX512F__) && !defined(__aarch64__)
AOTC_INLINE Vec<float> to_floats(HalfBits bits, Float16) { return widened(to_words(bits), Float16{}); }
// The number's own exponent below that of float; a subnormal is a whole number of smallest steps.
AOTC_INLINE HalfBits to_bits(Vec<float> value, Float16) {
  using F = NarrowFormat<Float16>;
  using I = Vec<std::int32_t>;
  const Vec<float> rounded = round_to<Float16>(value);
  const I bits = bits_of(rounded), magnitude = bits & I(0x7fffffff);
  const Vec<float> steps =
      select(is_nan(rounded), Vec<float>(0.0f), aotc::abs(rounded)) * Vec<float>(1.0f / smallest_step<F>);
  const I subnormal = xsimd::to_int(min(steps, Vec<float>(1024.0f)));
  const I normal = select(lt(magnitude, I(0x7f800000)), (magnitude >> 13) - I(112 << 10), I(0x7c00));
  const I finite = select(lt(magnitude, I(113 << 23)), subnormal, normal);
  const I sign = (bits >> 16) & I(0x8000);
  return to_halves(select(gt(magnitude, I(0x7f800000)), I(0x7e00), finite) | sign);
}
#endif
AOTC_INLINE Vec<float> to_floats(HalfBits bits, BFloat16) { return widened(to_words(bits), BFloat16{}); }
AOTC_INLINE HalfBits to_bits(Vec<float> value, BFloat16) {
  using I = Vec<std::int32_t>;
  const I words = (bits_of(round_to<BFloat16>(value)) >> 16) & I(0xffff);
  const I magnitude = bits_of(value) & I(0x7fffffff);
  return to_halves(select(gt(magnitude, I(0x7f800000)), I(0x7fc0), words));  // a NaN's last bits may be all it has
}
#endif

}  // namespace detail

// ------------------------------------------------------------------------------------------------------ single numbers
template <Element Type>
AOTC_INLINE float load(const Half<Type>* p, Scalar) {
  return detail::widened(static_cast<std::int32_t>(p->bits), Half<Type>{});
}
template <Element Type>
AOTC_INLINE void store(Half<Type>* p, float value, Scalar) {
  *p = narrow<Half<Type>>(value);
}
template <Element Type>
AOTC_INLINE float broadcast(const Half<Type>* p, Scalar lanes) {
  return load(p, lanes);
}
template <Element Type>
AOTC_INLINE float load_strided(const Half<Type>* p, std::ptrdiff_t, Scalar lanes) {
  return load(p, lanes);
}

// ------------------------------------------------------------------------------------------------------ whole vectors
#ifdef AOTC_SCALAR
template <Element Type>
AOTC_INLINE float load(const Half<Type>* p, Full) {
  return load(p, Scalar{});
}
template <Element Type>
AOTC_INLINE float load(const Half<Type>* p, Tail) {
  return load(p, Scalar{});
}
template <Element Type>
AOTC_INLINE void store(Half<Type>* p, float value, Full) {
  store(p, value, Scalar{});
}
template <Element Type>
AOTC_INLINE void store(Half<Type>* p, float value, Tail) {
  store(p, value, Scalar{});
}
#else
template <Element Type>
AOTC_INLINE Vec<float> load(const Half<Type>* p, Full) {
  return detail::to_floats(detail::load_bits(p), Half<Type>{});
}
template <Element Type>
AOTC_INLINE void store(Half<Type>* p, Vec<float> value, Full) {
  detail::store_bits(p, detail::to_bits(value, Half<Type>{}));
}

// -------------------------------------------------------------------------------------------------------------- tails
namespace detail {
template <Element Type>
AOTC_INLINE Vec<float> gather_halves(const Half<Type>* p, std::ptrdiff_t stride, int count) {
  alignas(64) Half<Type> halves[vec_lanes<float>] = {};
  AOTC_UNROLL(16)
  for (int i = 0; i < vec_lanes<float>; ++i)
    if (i < count) halves[i] = p[i * stride];
  return load(static_cast<const Half<Type>*>(halves), Full{});
}
}  // namespace detail
template <Element Type>
AOTC_INLINE Vec<float> load(const Half<Type>* p, Tail lanes) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  return detail::to_floats(_mm256_maskz_loadu_epi16(detail::first_lanes(lanes.count), p), Half<Type>{});
#else
  return detail::gather_halves(p, 1, lanes.count);
#endif
}
template <Element Type>
AOTC_INLINE void store(Half<Type>* p, Vec<float> value, Tail lanes) {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
  _mm256_mask_storeu_epi16(p, detail::first_lanes(lanes.count), detail::to_bits(value, Half<Type>{}));
#else
  alignas(64) Half<Type> halves[vec_lanes<float>];
  store(halves, value, Full{});
  AOTC_UNROLL(16)
  for (int i = 0; i < vec_lanes<float>; ++i)
    if (i < lanes.count) p[i] = halves[i];
#endif
}
#endif

// -------------------------------------------------------------------------------------------------------------- pairs
// p[0], p[2], p[4] and so on: the first numbers of pairs. And the second ones.
#ifdef AOTC_SCALAR
AOTC_INLINE float load_first(const BFloat16* p) { return load(p, Scalar{}); }
AOTC_INLINE float load_second(const BFloat16* p) { return load(p + 1, Scalar{}); }
#else
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#error "pairs of bfloat16 are read as words of a little-endian machine"
#endif
AOTC_INLINE Vec<float> load_first(const BFloat16* p) {
  return detail::from_bits(load(reinterpret_cast<const std::int32_t*>(p), Full{}) << 16);
}
AOTC_INLINE Vec<float> load_second(const BFloat16* p) {
  const Vec<std::int32_t> high(static_cast<std::int32_t>(0xffff0000u));
  return detail::from_bits(load(reinterpret_cast<const std::int32_t*>(p), Full{}) & high);
}
#endif

// --------------------------------------------------------------------------------------------- one number, far numbers
template <Element Type>
AOTC_INLINE Vec<float> broadcast(const Half<Type>* p, Full) {
  return Vec<float>(load(p, Scalar{}));
}
template <Element Type>
AOTC_INLINE Vec<float> broadcast(const Half<Type>* p, Tail) {
  return Vec<float>(load(p, Scalar{}));
}
#ifdef AOTC_SCALAR
template <Element Type>
AOTC_INLINE float load_strided(const Half<Type>* p, std::ptrdiff_t, Full) {
  return load(p, Scalar{});
}
template <Element Type>
AOTC_INLINE float load_strided(const Half<Type>* p, std::ptrdiff_t, Tail) {
  return load(p, Scalar{});
}
#else
template <Element Type>
AOTC_INLINE Vec<float> load_strided(const Half<Type>* p, std::ptrdiff_t stride, Full) {
  return detail::gather_halves(p, stride, vec_lanes<float>);
}
template <Element Type>
AOTC_INLINE Vec<float> load_strided(const Half<Type>* p, std::ptrdiff_t stride, Tail lanes) {
  return detail::gather_halves(p, stride, lanes.count);
}
#endif

// ----------------------------------------------------------------------------------------------------------- rounding
AOTC_INLINE float round_to_f16(float x) { return detail::round_to<Float16>(x); }
AOTC_INLINE float round_to_bf16(float x) { return detail::round_to<BFloat16>(x); }
#ifndef AOTC_SCALAR
AOTC_INLINE Vec<float> round_to_f16(Vec<float> x) {
#if defined(__F16C__) || defined(__aarch64__)
  return detail::to_floats(detail::to_bits(x, Float16{}), Float16{});
#else
  return detail::round_to<Float16>(x);
#endif
}
AOTC_INLINE Vec<float> round_to_bf16(Vec<float> x) { return detail::round_to<BFloat16>(x); }
#endif

AOTC_KERNELS_END
