// Products of integers: the few dot-product instructions that xsimd lacks, each with a portable form that gives the
// same bits, and what moves pairs of 16-bit integers and 8-bit results in and out of vectors. Nothing else may use
// intrinsics for them.
#pragma once
#include <cstring>

#include "math.hpp"

AOTC_KERNELS_BEGIN

// Two neighbours along the summed dimension; a Vec<std::int32_t> holds one in each lane.
struct Int16Pair {
  std::int16_t first, second;
};

// What multiply() in register_tile.hpp works on: elements T, and sums of their products.
template <class T>
struct Products {
  using Sum = T;
  AOTC_INLINE static Vec<T> add(Vec<T> a, Vec<T> b, Vec<T> sum) { return fma(a, b, sum); }
};
template <>
struct Products<Int16Pair> {
  using Sum = std::int32_t;
  // sum + a.first * b.first + a.second * b.second in each lane; wraps around.
  AOTC_INLINE static Vec<std::int32_t> add(Vec<std::int32_t> a, Vec<std::int32_t> b, Vec<std::int32_t> sum) {
#if defined(AOTC_SCALAR)
    const auto part = [](std::int32_t pair, int shift) { return static_cast<std::int16_t>(pair >> shift); };
    const std::int64_t products = std::int64_t{part(a, 0)} * part(b, 0) + std::int64_t{part(a, 16)} * part(b, 16);
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(products));
#elif defined(__AVX512VNNI__)
    return _mm512_dpwssd_epi32(sum, a, b);
#elif defined(__AVX512BW__)
    return _mm512_add_epi32(sum, _mm512_madd_epi16(a, b));
#elif defined(__AVX2__)
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
#elif defined(__SSE2__)
    return _mm_add_epi32(sum, _mm_madd_epi16(a, b));
#elif defined(__aarch64__)
    const int16x8_t x = vreinterpretq_s16_s32(a), y = vreinterpretq_s16_s32(b);
    return vaddq_s32(sum, vpaddq_s32(vmull_s16(vget_low_s16(x), vget_low_s16(y)), vmull_high_s16(x, y)));
#else
    return sum + ((a << 16) >> 16) * ((b << 16) >> 16) + (a >> 16) * (b >> 16);
#endif
  }
};
template <class T>
using sum_of = typename Products<T>::Sum;

// ------------------------------------------------------------------------------------------------------ pairs in
// memory
AOTC_INLINE const std::int32_t* words(const Int16Pair* p) { return reinterpret_cast<const std::int32_t*>(p); }
AOTC_INLINE std::int32_t* words(Int16Pair* p) { return reinterpret_cast<std::int32_t*>(p); }
AOTC_INLINE Vec<std::int32_t> load(const Int16Pair* p, Full lanes) { return load(words(p), lanes); }
AOTC_INLINE Vec<std::int32_t> load(const Int16Pair* p, Tail lanes) { return load(words(p), lanes); }
AOTC_INLINE void store(Int16Pair* p, Vec<std::int32_t> value, Full lanes) { store(words(p), value, lanes); }
AOTC_INLINE void store(Int16Pair* p, Vec<std::int32_t> value, Tail lanes) { store(words(p), value, lanes); }
AOTC_INLINE Vec<std::int32_t> broadcast(const Int16Pair* p, Full) {
  std::int32_t bits;
  std::memcpy(&bits, p, sizeof bits);
  return Vec<std::int32_t>(bits);
}

// ------------------------------------------------------------------------------------------------- integers and floats
#ifdef AOTC_SCALAR
AOTC_INLINE float to_float(std::int32_t value) { return static_cast<float>(value); }
namespace detail {
AOTC_INLINE void store_low_bytes(std::int8_t* p, float value, int) {
  *p = static_cast<std::int8_t>(static_cast<std::int32_t>(value));
}
}  // namespace detail
#else
AOTC_INLINE Vec<float> to_float(Vec<std::int32_t> value) { return xsimd::to_float(value); }
namespace detail {
AOTC_INLINE void store_low_bytes(std::int8_t* p, Vec<float> value, int count) {
  alignas(64) std::int32_t values[vec_lanes<float>];
  store(values, Vec<std::int32_t>(xsimd::to_int(value)), Full{});
  AOTC_UNROLL(16)
  for (int i = 0; i < vec_lanes<float>; ++i)
    if (i < count) p[i] = static_cast<std::int8_t>(values[i]);
}
}  // namespace detail
#endif
// Whole numbers as 8-bit integers, signed or unsigned: their low bytes.
AOTC_INLINE void store(std::int8_t* p, Vec<float> value, Full) { detail::store_low_bytes(p, value, vec_lanes<float>); }
AOTC_INLINE void store(std::int8_t* p, Vec<float> value, Tail lanes) { detail::store_low_bytes(p, value, lanes.count); }

AOTC_KERNELS_END
