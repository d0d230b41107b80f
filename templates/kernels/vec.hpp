// The vector type of the kernels and what moves values in and out of it. Vec<T> is xsimd's widest batch for this build,
// or T itself where xsimd knows no vector unit (microcontrollers; AOTC_SCALAR forces it): the same source runs on both.
// Must not compute anything beyond single instructions: functions are in math.hpp.
//
// `lanes` says how many elements a value stands for. Kernels pass it to epilogues, which pass it on to load():
//   Full         vec_lanes<T> elements, a Vec<T>
//   Tail{count}  the first `count` of a Vec<T>, 1 <= count < vec_lanes<T>; memory behind them is not touched
//   Scalar       one element, a T
#pragma once
#include <utility>

#include "config.hpp"

#if !defined(AOTC_SCALAR) && !defined(__SSE2__) && !defined(__ARM_NEON) && !defined(__ARM_NEON__) && \
    !defined(__riscv_v_fixed_vlen)
#define AOTC_SCALAR 1
#endif

#ifndef AOTC_SCALAR
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push  // GCC 12 takes `__Y = __Y` in its own intrinsics for a use without a value
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
// xsimd's functions are symbols too where the compiler does not inline them: they get the level into their
// names as well.
#define xsimd AOTC_JOIN_EXPANDED(xsimd, AOTC_NAMESPACE)
#include <xsimd/xsimd.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#if defined(__aarch64__)
// xsimd's quotients and roots are estimates on Arm, off by a unit in the last place: quantized results would be others
// than elsewhere.
namespace xsimd {
namespace kernel {
template <>
inline batch<float, neon64> div<neon64>(batch<float, neon64> const& a, batch<float, neon64> const& b,
                                        requires_arch<neon>) noexcept {
  return vdivq_f32(a, b);
}
template <>
inline batch<float, neon64> sqrt<neon64>(batch<float, neon64> const& x, requires_arch<neon>) noexcept {
  return vsqrtq_f32(x);
}
}  // namespace kernel
}  // namespace xsimd
#endif
#endif

AOTC_KERNELS_BEGIN

#ifdef AOTC_SCALAR
template <class T>
using Vec = T;
template <class T>
using Mask = bool;
template <class T>
constexpr int vec_lanes = 1;
#else
template <class T>
using Vec = xsimd::batch<T>;
template <class T>
using Mask = xsimd::batch_bool<T>;
template <class T>
constexpr int vec_lanes = static_cast<int>(Vec<T>::size);
#endif

struct Full {};
struct Tail {
  int count;
};
struct Scalar {};

namespace detail {
template <class V>
struct ElementOf {
  using type = V;
};
#ifndef AOTC_SCALAR
template <class T, class A>
struct ElementOf<xsimd::batch<T, A>> {
  using type = T;
};
#endif
}  // namespace detail

// float for Vec<float> and for float.
template <class V>
using element_of = typename detail::ElementOf<V>::type;

// Every lane holds `value`.
template <class V>
AOTC_INLINE V splat(element_of<V> value) {
  return V(value);
}

// ---------------------------------------------------------------------------------------------- whole vectors, scalars
template <class T>
AOTC_INLINE T load(const T* p, Scalar) {
  return *p;
}
template <class T>
AOTC_INLINE void store(T* p, T value, Scalar) {
  *p = value;
}
template <class T>
AOTC_INLINE T broadcast(const T* p, Scalar) {
  return *p;
}
template <class T>
AOTC_INLINE T load_strided(const T* p, std::ptrdiff_t, Scalar) {
  return *p;
}
template <class T>
AOTC_INLINE void store_strided(T* p, std::ptrdiff_t, T value, Scalar) {
  *p = value;
}
template <class T>
AOTC_INLINE Vec<T> broadcast(const T* p, Full) {
  return Vec<T>(*p);
}
template <class T>
AOTC_INLINE Vec<T> broadcast(const T* p, Tail) {
  return Vec<T>(*p);
}

#ifdef AOTC_SCALAR
template <class T>
AOTC_INLINE T load(const T* p, Full) {
  return *p;
}
template <class T>
AOTC_INLINE T load(const T* p, Tail) {
  return *p;
}
template <class T>
AOTC_INLINE void store(T* p, T value, Full) {
  *p = value;
}
template <class T>
AOTC_INLINE void store(T* p, T value, Tail) {
  *p = value;
}
template <class T>
AOTC_INLINE T load_strided(const T* p, std::ptrdiff_t, Full) {
  return *p;
}
template <class T>
AOTC_INLINE T load_strided(const T* p, std::ptrdiff_t, Tail) {
  return *p;
}
template <class T>
AOTC_INLINE void store_strided(T* p, std::ptrdiff_t, T value, Full) {
  *p = value;
}
template <class T>
AOTC_INLINE void store_strided(T* p, std::ptrdiff_t, T value, Tail) {
  *p = value;
}
// Lane `i` of a value; the smallest building block of tests and horizontal sums.
template <class T>
AOTC_INLINE T lane(T value, int) {
  return value;
}
#else
template <class T>
AOTC_INLINE Vec<T> load(const T* p, Full) {
  return Vec<T>::load_unaligned(p);
}
template <class T>
AOTC_INLINE void store(T* p, Vec<T> value, Full) {
  value.store_unaligned(p);
}

// --------------------------------------------------------------------------------------------------------------- tails
namespace detail {
template <class T>
AOTC_INLINE Vec<T> gather(const T* p, std::ptrdiff_t stride, int count) {
  alignas(64) T values[vec_lanes<T>] = {};
  // Not a loop up to count: GCC makes that a memcpy, and warns of a length which no tail has.
  AOTC_UNROLL(16)
  for (int i = 0; i < vec_lanes<T>; ++i)
    if (i < count) values[i] = p[i * stride];
  return Vec<T>::load_aligned(values);
}
#if defined(__AVX512F__)
AOTC_INLINE __mmask16 first_lanes(int count) { return static_cast<__mmask16>((1u << count) - 1u); }
#elif defined(__AVX2__)
AOTC_INLINE __m256i first_lanes(int count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
#endif
}  // namespace detail

// The lanes behind `count` are zero.
template <class T>
AOTC_INLINE Vec<T> load(const T* p, Tail lanes) {
  return detail::gather(p, 1, lanes.count);
}
template <class T>
AOTC_INLINE void store(T* p, Vec<T> value, Tail lanes) {
  alignas(64) T values[vec_lanes<T>];
  value.store_aligned(values);
  AOTC_UNROLL(16)
  for (int i = 0; i < vec_lanes<T>; ++i)
    if (i < lanes.count) p[i] = values[i];
}
#if defined(__AVX512F__)
AOTC_INLINE Vec<float> load(const float* p, Tail lanes) {
  return _mm512_maskz_loadu_ps(detail::first_lanes(lanes.count), p);
}
AOTC_INLINE void store(float* p, Vec<float> value, Tail lanes) {
  _mm512_mask_storeu_ps(p, detail::first_lanes(lanes.count), value);
}
AOTC_INLINE Vec<std::int32_t> load(const std::int32_t* p, Tail lanes) {
  return _mm512_maskz_loadu_epi32(detail::first_lanes(lanes.count), p);
}
AOTC_INLINE void store(std::int32_t* p, Vec<std::int32_t> value, Tail lanes) {
  _mm512_mask_storeu_epi32(p, detail::first_lanes(lanes.count), value);
}
#elif defined(__AVX2__)
AOTC_INLINE Vec<float> load(const float* p, Tail lanes) {
  return _mm256_maskload_ps(p, detail::first_lanes(lanes.count));
}
AOTC_INLINE void store(float* p, Vec<float> value, Tail lanes) {
  _mm256_maskstore_ps(p, detail::first_lanes(lanes.count), value);
}
AOTC_INLINE Vec<std::int32_t> load(const std::int32_t* p, Tail lanes) {
  return _mm256_maskload_epi32(p, detail::first_lanes(lanes.count));
}
AOTC_INLINE void store(std::int32_t* p, Vec<std::int32_t> value, Tail lanes) {
  _mm256_maskstore_epi32(p, detail::first_lanes(lanes.count), value);
}
#endif

#if AOTC_HAS_SHUFFLES
namespace detail {
template <class T>
using Lanes = std::make_integer_sequence<int, vec_lanes<T>>;

// p[0], p[2], p[4] and so on, the second half of them from a vector that ends with the last one: nothing
// behind is read.
template <class T, int... I>
AOTC_INLINE Vec<T> load_pairs(const T* p, std::integer_sequence<int, I...>) {
  const Vec<T> first = load(p, Full{}), second = load(p + vec_lanes<T> - 1, Full{});
  return Vec<T>(__builtin_shufflevector(first.data, second.data, (I < vec_lanes<T> / 2 ? 2 * I : 2 * I + 1)...));
}
template <class T, int... I>
AOTC_INLINE void store_pairs(T* p, Vec<T> a, Vec<T> b, std::integer_sequence<int, I...>) {
  constexpr int n = vec_lanes<T>;
  store(p, Vec<T>(__builtin_shufflevector(a.data, b.data, (I / 2 + I % 2 * n)...)), Full{});
  store(p + n, Vec<T>(__builtin_shufflevector(a.data, b.data, (n / 2 + I / 2 + I % 2 * n)...)), Full{});
}
}  // namespace detail
#endif

// Elements p[0], p[stride], p[2 * stride] and so on.
template <class T>
AOTC_INLINE Vec<T> load_strided(const T* p, std::ptrdiff_t stride, Full) {
#if AOTC_HAS_SHUFFLES
  if (stride == 2) return detail::load_pairs(p, detail::Lanes<T>());
#endif
  return detail::gather(p, stride, vec_lanes<T>);
}
template <class T>
AOTC_INLINE Vec<T> load_strided(const T* p, std::ptrdiff_t stride, Tail lanes) {
  return detail::gather(p, stride, lanes.count);
}
// To the same places.
template <class T>
AOTC_INLINE void store_strided(T* p, std::ptrdiff_t stride, Vec<T> value, Tail lanes) {
  alignas(64) T values[vec_lanes<T>];
  value.store_aligned(values);
  AOTC_UNROLL(16)
  for (int i = 0; i < vec_lanes<T>; ++i)
    if (i < lanes.count) p[i * stride] = values[i];
}
template <class T>
AOTC_INLINE void store_strided(T* p, std::ptrdiff_t stride, Vec<T> value, Full) {
  store_strided(p, stride, value, Tail{vec_lanes<T>});
}
// a to p[0], p[2] and so on, b to the places between.
template <class T>
AOTC_INLINE void store_interleaved(T* p, Vec<T> a, Vec<T> b, Full) {
#if AOTC_HAS_SHUFFLES
  detail::store_pairs(p, a, b, detail::Lanes<T>());
#else
  store_strided(p, 2, a, Full{});
  store_strided(p + 1, 2, b, Full{});
#endif
}
// Lane `i` of a value; the smallest building block of tests and horizontal sums.
template <class T>
AOTC_INLINE T lane(Vec<T> value, int i) {
  alignas(64) T values[vec_lanes<T>];
  value.store_aligned(values);
  return values[i];
}
#endif

// A value that is used several times stays in its register: GCC would load it from memory again for each use.
template <class V>
AOTC_INLINE V in_register(V value) {
#if !defined(AOTC_SCALAR) && defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__)
  asm("" : "+v"(value.data));
#endif
  return value;
}

// All lanes of `value` combined by f(T, T) in one fixed order: neighbours at half the distance, then a quarter,
// and so on.
template <class V, class F>
AOTC_INLINE element_of<V> fold_lanes(V value, F f) {
  using T = element_of<V>;
  alignas(64) T values[vec_lanes<T>];
  store(values, value, Full{});
  for (int half = vec_lanes<T> / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) values[i] = f(values[i], values[i + half]);
  return values[0];
}

// Calls f(index, lanes) for 0, vec_lanes<T>, 2 * vec_lanes<T> ... below `count`, the last time with a Tail where
// one is left.
template <class T, class F>
AOTC_INLINE void for_each_vector(int count, F f) {
  int i = 0;
  for (; i + vec_lanes<T> <= count; i += vec_lanes<T>) f(i, Full{});
  if (i < count) f(i, Tail{count - i});
}

AOTC_KERNELS_END
