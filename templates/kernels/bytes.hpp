// 8-bit integers in memory, floats or 32-bit integers in registers: loads, quantization, and stores of integers that
// fit. Signed or unsigned is the pointer's affair when loading; a store keeps the low byte, so that it serves both.
#pragma once
#include <cstring>
#include <type_traits>

#include "math.hpp"

AOTC_KERNELS_BEGIN

// ----------------------------------------------------------------------------------------------------------- elements
template <class Byte>
constexpr bool is_byte = std::is_same_v<Byte, std::int8_t> || std::is_same_v<Byte, std::uint8_t>;
template <class Byte, class V>
using IfByte = std::enable_if_t<is_byte<Byte>, V>;

#ifdef AOTC_SCALAR
AOTC_INLINE float to_float(std::int32_t value) { return static_cast<float>(value); }
template <class Byte, class Lanes>
AOTC_INLINE IfByte<Byte, std::int32_t> load_integer(const Byte* p, Lanes) {
  return *p;
}
template <class Byte, class Lanes>
AOTC_INLINE IfByte<Byte, void> store(Byte* p, std::int32_t value, Lanes) {
  *p = static_cast<Byte>(value);
}
#else
AOTC_INLINE float to_float(std::int32_t value) { return static_cast<float>(value); }
template <class Byte>
AOTC_INLINE IfByte<Byte, std::int32_t> load_integer(const Byte* p, Scalar) {
  return *p;
}
template <class Byte>
AOTC_INLINE IfByte<Byte, void> store(Byte* p, std::int32_t value, Scalar) {
  *p = static_cast<Byte>(value);
}
AOTC_INLINE Vec<float> to_float(Vec<std::int32_t> value) { return xsimd::to_float(value); }

// ------------------------------------------------------------------------------------------------------ whole vectors
namespace detail {
#if defined(__AVX512F__)
AOTC_INLINE Vec<std::int32_t> widened(__m128i bytes, std::int8_t) { return _mm512_cvtepi8_epi32(bytes); }
AOTC_INLINE Vec<std::int32_t> widened(__m128i bytes, std::uint8_t) { return _mm512_cvtepu8_epi32(bytes); }
template <class Byte>
AOTC_INLINE Vec<std::int32_t> load_widened(const Byte* p) {
  return widened(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)), Byte{});
}
AOTC_INLINE void store_low_bytes(void* p, Vec<std::int32_t> value) {
  _mm_storeu_si128(static_cast<__m128i*>(p), _mm512_cvtepi32_epi8(value));
}
#elif defined(__AVX2__)
AOTC_INLINE Vec<std::int32_t> widened(__m128i bytes, std::int8_t) { return _mm256_cvtepi8_epi32(bytes); }
AOTC_INLINE Vec<std::int32_t> widened(__m128i bytes, std::uint8_t) { return _mm256_cvtepu8_epi32(bytes); }
template <class Byte>
AOTC_INLINE Vec<std::int32_t> load_widened(const Byte* p) {
  return widened(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p)), Byte{});
}
AOTC_INLINE void store_low_bytes(void* p, Vec<std::int32_t> value) {
  const __m256i picks = _mm256_broadcastsi128_si256(_mm_setr_epi32(0x0C080400, -1, -1, -1));
  const __m256i bytes = _mm256_shuffle_epi8(value, picks);
  _mm_storel_epi64(static_cast<__m128i*>(p),
                   _mm_unpacklo_epi32(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1)));
}
#elif defined(__SSE4_1__)
template <class Byte>
AOTC_INLINE Vec<std::int32_t> load_widened(const Byte* p) {
  std::int32_t four;
  std::memcpy(&four, p, 4);
  const __m128i bytes = _mm_cvtsi32_si128(four);
  if constexpr (std::is_signed_v<Byte>)
    return _mm_cvtepi8_epi32(bytes);
  else
    return _mm_cvtepu8_epi32(bytes);
}
AOTC_INLINE void store_low_bytes(void* p, Vec<std::int32_t> value) {
  const std::int32_t four = _mm_cvtsi128_si32(_mm_shuffle_epi8(value, _mm_setr_epi32(0x0C080400, -1, -1, -1)));
  std::memcpy(p, &four, 4);
}
#elif defined(__aarch64__)
template <class Byte>
AOTC_INLINE Vec<std::int32_t> load_widened(const Byte* p) {
  std::uint32_t four;
  std::memcpy(&four, p, 4);
  const uint8x8_t bytes = vcreate_u8(four);
  if constexpr (std::is_signed_v<Byte>)
    return vmovl_s16(vget_low_s16(vmovl_s8(vreinterpret_s8_u8(bytes))));
  else
    return vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(vmovl_u8(bytes))));
}
AOTC_INLINE void store_low_bytes(void* p, Vec<std::int32_t> value) {
  const uint16x4_t halves = vmovn_u32(vreinterpretq_u32_s32(value));
  const std::uint32_t four = vget_lane_u32(vreinterpret_u32_u8(vmovn_u16(vcombine_u16(halves, halves))), 0);
  std::memcpy(p, &four, 4);
}
#else
template <class Byte>
AOTC_INLINE Vec<std::int32_t> load_widened(const Byte* p) {
  alignas(64) std::int32_t values[vec_lanes<std::int32_t>];
  for (int i = 0; i < vec_lanes<std::int32_t>; ++i) values[i] = p[i];
  return load(values, Full{});
}
AOTC_INLINE void store_low_bytes(void* p, Vec<std::int32_t> value) {
  alignas(64) std::int32_t values[vec_lanes<std::int32_t>];
  store(values, value, Full{});
  for (int i = 0; i < vec_lanes<std::int32_t>; ++i)
    static_cast<std::int8_t*>(p)[i] = static_cast<std::int8_t>(values[i]);
}
#endif
}  // namespace detail

template <class Byte>
AOTC_INLINE IfByte<Byte, Vec<std::int32_t>> load_integer(const Byte* p, Full) {
  return detail::load_widened(p);
}
template <class Byte>
AOTC_INLINE IfByte<Byte, void> store(Byte* p, Vec<std::int32_t> value, Full) {
  detail::store_low_bytes(p, value);
}

// -------------------------------------------------------------------------------------------------------------- tails
#if defined(__AVX512BW__)
template <class Byte>
AOTC_INLINE IfByte<Byte, Vec<std::int32_t>> load_integer(const Byte* p, Tail lanes) {
  return detail::widened(_mm_maskz_loadu_epi8(detail::first_lanes(lanes.count), p), Byte{});
}
template <class Byte>
AOTC_INLINE IfByte<Byte, void> store(Byte* p, Vec<std::int32_t> value, Tail lanes) {
  _mm512_mask_cvtepi32_storeu_epi8(p, detail::first_lanes(lanes.count), value);
}
#else
template <class Byte>
AOTC_INLINE IfByte<Byte, Vec<std::int32_t>> load_integer(const Byte* p, Tail lanes) {
  alignas(64) Byte bytes[vec_lanes<float>] = {};
  AOTC_UNROLL(16)
  for (int i = 0; i < vec_lanes<float>; ++i)
    if (i < lanes.count) bytes[i] = p[i];
  return load_integer(static_cast<const Byte*>(bytes), Full{});
}
template <class Byte>
AOTC_INLINE IfByte<Byte, void> store(Byte* p, Vec<std::int32_t> value, Tail lanes) {
  alignas(64) Byte bytes[vec_lanes<float>];
  store(bytes, value, Full{});
  AOTC_UNROLL(16)
  for (int i = 0; i < vec_lanes<float>; ++i)
    if (i < lanes.count) p[i] = bytes[i];
}
#endif
#endif

// -------------------------------------------------------------------------------------------------------- quantization
namespace detail {
// NaN becomes `least`.
AOTC_INLINE float limited(float value, float least, float most) {
  return value > least ? value < most ? value : most : least;
}
AOTC_INLINE std::int32_t rounded(float value) { return static_cast<std::int32_t>(round_even(value)); }
AOTC_INLINE std::int32_t as_integer(float value) { return static_cast<std::int32_t>(value); }
#ifndef AOTC_SCALAR
AOTC_INLINE Vec<float> limited(Vec<float> value, Vec<float> least, Vec<float> most) {
#ifdef __aarch64__
  return xsimd::min(Vec<float>(vmaxnmq_f32(value, least)), most);
#else
  return xsimd::min(xsimd::max(value, least), most);  // the second operand where one is NaN
#endif
}
AOTC_INLINE Vec<std::int32_t> rounded(Vec<float> value) { return xsimd::nearbyint_as_int(value); }
AOTC_INLINE Vec<std::int32_t> as_integer(Vec<float> value) { return xsimd::to_int(value); }
#endif
}  // namespace detail

// clamp(round_half_even(value) + zero_point, low, high); NaN becomes low. A zero point is a whole number, and so are
// the bounds, so that to clamp first and round then gives the same, and nothing is out of range.
template <class V>
AOTC_INLINE auto quantized(V value, V zero_point, int low, int high) {
  const V least = V(static_cast<float>(low)) - zero_point, most = V(static_cast<float>(high)) - zero_point;
  return detail::rounded(detail::limited(value, least, most)) + detail::as_integer(zero_point);
}
template <class V>
AOTC_INLINE auto quantized(V value, int zero_point, int low, int high) {
  return quantized(value, V(static_cast<float>(zero_point)), low, high);
}
// quantized() less its zero point, as a float: what dequantization multiplies by the scale. `low` and `high` are less
// the zero point too. An integer has no -0.
template <class V>
AOTC_INLINE V quantized_steps(V value, int low, int high) {
  return round_even(detail::limited(value, V(static_cast<float>(low)), V(static_cast<float>(high)))) + V(0.0f);
}

// ------------------------------------------------------------------------------------------- for generated expressions
// Bytes of either kind behind one type of pointer, as floats; as load, broadcast and load_strided in vec.hpp.
template <class Lanes>
AOTC_INLINE auto load_i8(const std::int8_t* p, Lanes lanes) {
  return to_float(load_integer(p, lanes));
}
template <class Lanes>
AOTC_INLINE auto load_u8(const std::int8_t* p, Lanes lanes) {
  return to_float(load_integer(reinterpret_cast<const std::uint8_t*>(p), lanes));
}
template <class Lanes>
AOTC_INLINE Vec<float> broadcast_i8(const std::int8_t* p, Lanes) {
  return Vec<float>(static_cast<float>(*p));
}
template <class Lanes>
AOTC_INLINE Vec<float> broadcast_u8(const std::int8_t* p, Lanes) {
  return Vec<float>(static_cast<float>(static_cast<std::uint8_t>(*p)));
}
AOTC_INLINE float broadcast_i8(const std::int8_t* p, Scalar lanes) { return load_i8(p, lanes); }
AOTC_INLINE float broadcast_u8(const std::int8_t* p, Scalar lanes) { return load_u8(p, lanes); }
AOTC_INLINE float load_strided_i8(const std::int8_t* p, std::ptrdiff_t, Scalar lanes) { return load_i8(p, lanes); }
AOTC_INLINE float load_strided_u8(const std::int8_t* p, std::ptrdiff_t, Scalar lanes) { return load_u8(p, lanes); }
namespace detail {
AOTC_INLINE int count_of(Full) { return vec_lanes<float>; }
AOTC_INLINE int count_of(Tail lanes) { return lanes.count; }
template <class Byte>
AOTC_INLINE Vec<float> gather_bytes(const std::int8_t* p, std::ptrdiff_t stride, int count) {
  alignas(64) float values[vec_lanes<float>] = {};
  AOTC_UNROLL(16)
  for (int i = 0; i < vec_lanes<float>; ++i)
    if (i < count) values[i] = static_cast<float>(static_cast<Byte>(p[i * stride]));
  return load(static_cast<const float*>(values), Full{});
}
}  // namespace detail
template <class Lanes>
AOTC_INLINE Vec<float> load_strided_i8(const std::int8_t* p, std::ptrdiff_t stride, Lanes lanes) {
  return detail::gather_bytes<std::int8_t>(p, stride, detail::count_of(lanes));
}
template <class Lanes>
AOTC_INLINE Vec<float> load_strided_u8(const std::int8_t* p, std::ptrdiff_t stride, Lanes lanes) {
  return detail::gather_bytes<std::uint8_t>(p, stride, detail::count_of(lanes));
}

AOTC_KERNELS_END
