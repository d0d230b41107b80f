// The functions that kernels and fused expressions use, on Vec<T> and on T alike: exp(x), select(mask, a, b), relu(x)
// and so on. A value gives the same bits in any lane and as a scalar, because both run the same sequence of exactly
// rounded steps: the float functions below are polynomials over a type V that is either; the rest goes lane by lane
// through libm.
// Errors of exp, log, tanh, erf, sigmoid, expm1 and log1p are below 2.5 ulp (float); NaN, infinities and subnormals are
// treated as libm does.
#pragma once
#include "vec.hpp"

AOTC_KERNELS_BEGIN

// --------------------------------------------------------------------------------------- comparisons, masks, selection

// On scalars a mask is a bool. Masks combine by both(), either(), differ() and invert().
template <class V>
AOTC_INLINE auto lt(V a, V b) {
  return a < b;
}
template <class V>
AOTC_INLINE auto le(V a, V b) {
  return a <= b;
}
template <class V>
AOTC_INLINE auto gt(V a, V b) {
  return a > b;
}
template <class V>
AOTC_INLINE auto ge(V a, V b) {
  return a >= b;
}
template <class V>
AOTC_INLINE auto eq(V a, V b) {
  return a == b;
}
AOTC_INLINE bool invert(bool mask) { return !mask; }
AOTC_INLINE bool both(bool a, bool b) { return a && b; }
AOTC_INLINE bool either(bool a, bool b) { return a || b; }
AOTC_INLINE bool differ(bool a, bool b) { return a != b; }
template <class T>
AOTC_INLINE T select(bool mask, T a, T b) {
  return mask ? a : b;
}
#ifndef AOTC_SCALAR
template <class T, class A>
AOTC_INLINE auto invert(xsimd::batch_bool<T, A> mask) {
  return ~mask;
}
template <class T, class A>
AOTC_INLINE auto both(xsimd::batch_bool<T, A> a, xsimd::batch_bool<T, A> b) {
  return a & b;
}
template <class T, class A>
AOTC_INLINE auto either(xsimd::batch_bool<T, A> a, xsimd::batch_bool<T, A> b) {
  return a | b;
}
// xsimd's own ^ on AVX-512 is an or.
template <class T, class A>
AOTC_INLINE auto differ(xsimd::batch_bool<T, A> a, xsimd::batch_bool<T, A> b) {
  return (a & ~b) | (~a & b);
}
template <class T>
AOTC_INLINE Vec<T> select(Mask<T> mask, Vec<T> a, Vec<T> b) {
  return xsimd::select(mask, a, b);
}
#if defined(__AVX512F__)
// xsimd's own does not compile without optimization.
AOTC_INLINE Vec<std::int32_t> select(Mask<std::int32_t> mask, Vec<std::int32_t> a, Vec<std::int32_t> b) {
  return _mm512_mask_blend_epi32(mask, b, a);
}
#endif
#endif
// xsimd's own != on AVX-512 is false for NaN; this one is true, as in C++.
template <class V>
AOTC_INLINE auto ne(V a, V b) {
  return invert(a == b);
}
template <class V>
AOTC_INLINE auto is_nan(V x) {
  return invert(x == x);
}

// -------------------------------------------------------------------------------------------------- fused multiply-add

// a * b + c: rounded once where the level has such an instruction, twice elsewhere; never both on one level.
#if defined(__FMA__) || defined(__aarch64__) || defined(__ARM_FEATURE_FMA) || defined(__riscv_f)
AOTC_INLINE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
AOTC_INLINE float fma(float a, float b, float c) { return a * b + c; }
#endif
#if defined(__FMA__) || defined(__aarch64__) || defined(__riscv_d)
AOTC_INLINE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
AOTC_INLINE double fma(double a, double b, double c) { return a * b + c; }
#endif
#ifndef AOTC_SCALAR
#if defined(__AVX512F__)
AOTC_INLINE Vec<float> fma(Vec<float> a, Vec<float> b, Vec<float> c) { return _mm512_fmadd_ps(a, b, c); }
AOTC_INLINE Vec<double> fma(Vec<double> a, Vec<double> b, Vec<double> c) { return _mm512_fmadd_pd(a, b, c); }
#elif defined(__AVX__) && defined(__FMA__)
AOTC_INLINE Vec<float> fma(Vec<float> a, Vec<float> b, Vec<float> c) { return _mm256_fmadd_ps(a, b, c); }
AOTC_INLINE Vec<double> fma(Vec<double> a, Vec<double> b, Vec<double> c) { return _mm256_fmadd_pd(a, b, c); }
#elif defined(__aarch64__)
AOTC_INLINE Vec<float> fma(Vec<float> a, Vec<float> b, Vec<float> c) { return vfmaq_f32(c, a, b); }
AOTC_INLINE Vec<double> fma(Vec<double> a, Vec<double> b, Vec<double> c) { return vfmaq_f64(c, a, b); }
#elif defined(__ARM_NEON) && defined(__ARM_FEATURE_FMA)
AOTC_INLINE Vec<float> fma(Vec<float> a, Vec<float> b, Vec<float> c) { return vfmaq_f32(c, a, b); }
#else
AOTC_INLINE Vec<float> fma(Vec<float> a, Vec<float> b, Vec<float> c) { return a * b + c; }
AOTC_INLINE Vec<double> fma(Vec<double> a, Vec<double> b, Vec<double> c) { return a * b + c; }
#endif
#endif

// -------------------------------------------------------------------------------------------------- max, min, rounding

// A NaN in either place gives NaN. The machine's max returns its second operand when one is NaN, hence the selection.
template <class T>
AOTC_INLINE T max(T a, T b) {
  return !(a == a) ? a : (a > b ? a : b);
}
template <class T>
AOTC_INLINE T min(T a, T b) {
  return !(a == a) ? a : (a < b ? a : b);
}
AOTC_INLINE float abs(float x) { return __builtin_fabsf(x); }
AOTC_INLINE double abs(double x) { return __builtin_fabs(x); }
AOTC_INLINE std::int32_t abs(std::int32_t x) {
  return x < 0 ? static_cast<std::int32_t>(0u - static_cast<std::uint32_t>(x)) : x;
}
AOTC_INLINE float sqrt(float x) { return __builtin_sqrtf(x); }
AOTC_INLINE double sqrt(double x) { return __builtin_sqrt(x); }
AOTC_INLINE float floor(float x) { return __builtin_floorf(x); }
AOTC_INLINE double floor(double x) { return __builtin_floor(x); }
AOTC_INLINE float ceil(float x) { return __builtin_ceilf(x); }
AOTC_INLINE double ceil(double x) { return __builtin_ceil(x); }
// To the nearest integer, halves to the even one.
AOTC_INLINE float round_even(float x) { return __builtin_nearbyintf(x); }
AOTC_INLINE double round_even(double x) { return __builtin_nearbyint(x); }
#ifndef AOTC_SCALAR
template <class T>
AOTC_INLINE Vec<T> max(Vec<T> a, Vec<T> b) {
  if constexpr (static_cast<T>(0.5) == T{0})
    return xsimd::max(a, b);
  else
    return xsimd::select(a == a, xsimd::max(a, b), a);
}
template <class T>
AOTC_INLINE Vec<T> min(Vec<T> a, Vec<T> b) {
  if constexpr (static_cast<T>(0.5) == T{0})
    return xsimd::min(a, b);
  else
    return xsimd::select(a == a, xsimd::min(a, b), a);
}
template <class T>
AOTC_INLINE Vec<T> abs(Vec<T> x) {
  return xsimd::abs(x);
}
template <class T>
AOTC_INLINE Vec<T> sqrt(Vec<T> x) {
  return xsimd::sqrt(x);
}
template <class T>
AOTC_INLINE Vec<T> floor(Vec<T> x) {
  return xsimd::floor(x);
}
template <class T>
AOTC_INLINE Vec<T> ceil(Vec<T> x) {
  return xsimd::ceil(x);
}
template <class T>
AOTC_INLINE Vec<T> round_even(Vec<T> x) {
  return xsimd::nearbyint(x);
}
#endif
// x limited to [low, high], which are not NaN; a NaN in x stays a NaN. One instruction less each than max() and min().
template <class V>
AOTC_INLINE V clip(V x, element_of<V> low, element_of<V> high) {
#ifdef AOTC_SCALAR
  return x < low ? low : x > high ? high : x;
#else
  if constexpr (vec_lanes < element_of < V >>> 1 && sizeof(V) > sizeof(element_of<V>))
    return xsimd::min(V(high), xsimd::max(V(low), x));  // in this order a NaN stays a NaN
  else
    return x < low ? low : x > high ? high : x;
#endif
}
template <class V>
AOTC_INLINE V relu(V x) {
#ifdef AOTC_SCALAR
  return x < V(0) ? V(0) : x;
#else
  if constexpr (vec_lanes < element_of < V >>> 1 && sizeof(V) > sizeof(element_of<V>))
    return xsimd::max(V(element_of<V>(0)), x);  // in this order a NaN stays a NaN
  else
    return x < V(0) ? V(0) : x;
#endif
}
// Exactly rounded steps, not the machine's estimate.
AOTC_INLINE float rsqrt(float x) { return 1.0f / sqrt(x); }
AOTC_INLINE double rsqrt(double x) { return 1.0 / sqrt(x); }
#ifndef AOTC_SCALAR
template <class T>
AOTC_INLINE Vec<T> rsqrt(Vec<T> x) {
  return Vec<T>(T(1)) / xsimd::sqrt(x);
}
#endif
template <class V>
AOTC_INLINE auto is_inf(V x) {
  return abs(x) == V(static_cast<element_of<V>>(__builtin_inf()));
}

// ---------------------------------------------------------------------------------------------- bits and integer lanes
namespace detail {

AOTC_INLINE std::int32_t bits_of(float x) {
  std::int32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
AOTC_INLINE float from_bits(std::int32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}
AOTC_INLINE float to_float(std::int32_t x) { return static_cast<float>(x); }
#ifndef AOTC_SCALAR
// Registers of one size convert by a cast; the name and form of xsimd's own cast changed between its versions.
AOTC_INLINE Vec<std::int32_t> bits_of(Vec<float> x) { return (typename Vec<std::int32_t>::register_type)x.data; }
AOTC_INLINE Vec<float> from_bits(Vec<std::int32_t> bits) { return (typename Vec<float>::register_type)bits.data; }
AOTC_INLINE Vec<float> to_float(Vec<std::int32_t> x) { return xsimd::to_float(x); }
#endif

// 2^n for integers -126 <= n <= 127; any value, but no undefined step, for others (the n of a NaN).
AOTC_INLINE float power_of_two(std::int32_t n) {
  return from_bits(static_cast<std::int32_t>((static_cast<std::uint32_t>(n) + 127u) << 23));
}
#ifndef AOTC_SCALAR
AOTC_INLINE Vec<float> power_of_two(Vec<std::int32_t> n) { return from_bits((n + Vec<std::int32_t>(127)) << 23); }
#endif

// `magnitude`, which must not be negative, with the sign of `x`.
template <class V>
AOTC_INLINE V with_sign(V magnitude, V x) {
  using I = decltype(bits_of(x));
  return from_bits(bits_of(magnitude) | (bits_of(x) & I(INT32_MIN)));
}

// c[0] + x * (c[1] + x * (c[2] + ...)).
template <class V>
AOTC_INLINE V horner(V, float last) {
  return V(last);
}
template <class V, class... Rest>
AOTC_INLINE V horner(V x, float first, Rest... rest) {
  return fma(horner(x, rest...), x, V(first));
}

// ------------------------------------------------------------------------------------ float functions, V: Vec or float

// e^x = 2^n e^r with |r| <= ln(2) / 2. The power is applied in two halves so that results may be subnormal or infinite.
template <class V>
AOTC_INLINE V exp(V x) {
  const V clamped = select(gt(x, V(100.0f)), V(100.0f), select(lt(x, V(-110.0f)), V(-110.0f), x));
  const V magic(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer and leaves that integer in the low bits
  const V shifted = fma(clamped, V(1.44269504088896341f), magic);
  const V n = shifted - magic;
  const V r = fma(n, V(2.12194440e-4f), fma(n, V(-0.693359375f), clamped));
  const V q = horner(r, 5.0000001201e-1f, 1.6666665459e-1f, 4.1665795894e-2f, 8.3334519073e-3f, 1.3981999507e-3f,
                     1.9875691500e-4f);
  const V e = fma(q, r * r, r) + V(1.0f);
  const auto whole = bits_of(shifted) - bits_of(magic);
  const auto half = whole >> 1;
  return e * power_of_two(half) * power_of_two(whole - half);
}

// e^x - 1, by the same steps: e^r - 1 = p keeps its digits near 0, and 2^n e^r - 1 = 2^n p + (2^n - 1). Half of it is
// put together, so that 2^n stays finite.
template <class V>
AOTC_INLINE V expm1(V x) {
  const V clamped = select(gt(x, V(89.0f)), V(89.0f), select(lt(x, V(-20.0f)), V(-20.0f), x));
  const V magic(12582912.0f);
  const V shifted = fma(clamped, V(1.44269504088896341f), magic);
  const V n = shifted - magic;
  const V r = fma(n, V(2.12194440e-4f), fma(n, V(-0.693359375f), clamped));
  const V q = horner(r, 5.0000001201e-1f, 1.6666665459e-1f, 4.1665795894e-2f, 8.3334519073e-3f, 1.3981999507e-3f,
                     1.9875691500e-4f);
  const V p = fma(q, r * r, r);
  const V half_scale = power_of_two(bits_of(shifted) - bits_of(magic) - decltype(bits_of(x))(1));
  const V half = fma(half_scale, p, half_scale - V(0.5f));
  return select(lt(abs(x), V(1e-20f)), x, half + half);
}

// log(2^e m) = e ln(2) + log(m) with m in [sqrt(1/2), sqrt(2)).
template <class V>
AOTC_INLINE V log(V x) {
  using I = decltype(bits_of(x));
  const auto subnormal = lt(x, V(1.17549435e-38f));
  const I sqrt_half(0x3f3504f3);
  const I offset = bits_of(abs(select(subnormal, x * V(8388608.0f), x))) - sqrt_half;
  const V e = to_float(offset >> 23) - select(subnormal, V(23.0f), V(0.0f));
  const V f = from_bits((offset & I(0x007fffff)) + sqrt_half) - V(1.0f);
  const V z = f * f;
  const V p = horner(f, 3.3333331174e-1f, -2.4999993993e-1f, 2.0000714765e-1f, -1.6668057665e-1f, 1.4249322787e-1f,
                     -1.2420140846e-1f, 1.1676998740e-1f, -1.1514610310e-1f, 7.0376836292e-2f);
  const V tail = fma(e, V(-2.12194440e-4f), p * f * z) - V(0.5f) * z;
  const V result = fma(e, V(0.693359375f), f + tail);
  const V infinity(__builtin_inff());
  const V special = select(eq(x, V(0.0f)), -infinity, select(gt(x, V(0.0f)), x, V(__builtin_nanf(""))));
  return select(both(gt(x, V(0.0f)), lt(x, infinity)), result, select(eq(x, x), special, x));
}

// log(1 + x). What the sum u = 1 + x loses of x is made up for to the first order.
template <class V>
AOTC_INLINE V log1p(V x) {
  const V u = V(1.0f) + x;
  const V lost = x - (u - V(1.0f));
  const V result = detail::log(u);
  const auto is_whole = either(eq(u, V(0.0f)), eq(u, V(__builtin_inff())));
  return select(eq(u, V(1.0f)), x, select(is_whole, result, result + lost / u));
}

// An odd polynomial near zero, where 1 - 2 / (e^2x + 1) would cancel.
template <class V>
AOTC_INLINE V tanh(V x) {
  const V z = x * x;
  const V p =
      horner(z, -3.33332819422e-1f, 1.33314422036e-1f, -5.37397155531e-2f, 2.06390887954e-2f, -5.70498872745e-3f);
  const V magnitude = abs(x);
  const V small = fma(p * z, magnitude, magnitude);
  const V large = V(1.0f) - V(2.0f) / (detail::exp(magnitude + magnitude) + V(1.0f));
  return with_sign(select(lt(magnitude, V(0.625f)), small, large), x);
}

// Below 0.92 a polynomial; above, 1 - e^q(|x|). Coefficients: N. Juffa, "erff with error below 1 ulp".
template <class V>
AOTC_INLINE V erf(V x) {
  const V t = abs(x);
  const V s = x * x;
  const V p =
      horner(s, 1.28379166e-1f, -3.76125336e-1f, 1.12819925e-1f, -2.67681349e-2f, 4.99119423e-3f, -5.96761703e-4f);
  const V small = fma(p, t, t);
  const V u = fma(V(-1.72853470e-5f), t, V(3.83197126e-4f));
  const V v = fma(V(-3.88396438e-3f), t, V(2.42546219e-2f));
  const V w = fma(fma(fma(fma(u, s, v), t, V(-1.06777877e-1f)), t, V(-6.34846687e-1f)), t, V(-1.28717512e-1f));
  const V large = V(1.0f) - detail::exp(fma(w, t, -t));
  return with_sign(select(gt(t, V(0.927734375f)), large, small), x);
}

// One exponential of a negative number for both signs: nothing overflows, and tiny results keep their digits.
template <class V>
AOTC_INLINE V sigmoid(V x) {
  const V e = detail::exp(-abs(x));
  return select(lt(x, V(0.0f)), e, V(1.0f)) / (V(1.0f) + e);
}

#ifndef AOTC_SCALAR
template <class T, class F>
AOTC_INLINE Vec<T> by_lane(Vec<T> x, Vec<T> y, F f) {
  alignas(64) T xs[vec_lanes<T>], ys[vec_lanes<T>];
  x.store_aligned(xs);
  y.store_aligned(ys);
  for (int i = 0; i < vec_lanes<T>; ++i) xs[i] = f(xs[i], ys[i]);
  return Vec<T>::load_aligned(xs);
}
#endif
AOTC_INLINE double sigmoid(double x) { return 1.0 / (1.0 + __builtin_exp(-x)); }

}  // namespace detail

// ------------------------------------------------------------------------------------------------ the public functions
#ifdef AOTC_SCALAR
#define AOTC_VECTOR_FORM(name, type, form)
#else
#define AOTC_VECTOR_FORM(name, type, form) \
  AOTC_INLINE Vec<type> name(Vec<type> x) { return form; }
#endif
// Own float form, libm for double; libm for both.
#define AOTC_FUNCTION(name, libm64)                           \
  AOTC_INLINE float name(float x) { return detail::name(x); } \
  AOTC_INLINE double name(double x) { return libm64(x); }     \
  AOTC_VECTOR_FORM(name, float, detail::name(x))              \
  AOTC_VECTOR_FORM(name, double, detail::by_lane<double>(x, x, [](double a, double) { return libm64(a); }))
#define AOTC_LIBM_FUNCTION(name)                                                                                     \
  AOTC_INLINE float name(float x) { return __builtin_##name##f(x); }                                                 \
  AOTC_INLINE double name(double x) { return __builtin_##name(x); }                                                  \
  AOTC_VECTOR_FORM(name, float, detail::by_lane<float>(x, x, [](float a, float) { return __builtin_##name##f(a); })) \
  AOTC_VECTOR_FORM(name, double, detail::by_lane<double>(x, x, [](double a, double) { return __builtin_##name(a); }))

AOTC_FUNCTION(exp, __builtin_exp)
AOTC_FUNCTION(log, __builtin_log)
AOTC_FUNCTION(tanh, __builtin_tanh)
AOTC_FUNCTION(erf, __builtin_erf)
AOTC_FUNCTION(sigmoid, detail::sigmoid)
AOTC_FUNCTION(expm1, __builtin_expm1)
AOTC_FUNCTION(log1p, __builtin_log1p)
AOTC_LIBM_FUNCTION(sin)
AOTC_LIBM_FUNCTION(cos)
AOTC_LIBM_FUNCTION(tan)
AOTC_LIBM_FUNCTION(asin)
AOTC_LIBM_FUNCTION(acos)
AOTC_LIBM_FUNCTION(atan)
AOTC_LIBM_FUNCTION(sinh)
AOTC_LIBM_FUNCTION(cosh)
AOTC_LIBM_FUNCTION(asinh)
AOTC_LIBM_FUNCTION(acosh)
AOTC_LIBM_FUNCTION(atanh)

AOTC_INLINE float pow(float x, float y) { return __builtin_powf(x, y); }
AOTC_INLINE double pow(double x, double y) { return __builtin_pow(x, y); }
// The rest of x / y, cut off: exact, with the sign of x.
AOTC_INLINE float fmod(float x, float y) { return __builtin_fmodf(x, y); }
AOTC_INLINE double fmod(double x, double y) { return __builtin_fmod(x, y); }
#ifndef AOTC_SCALAR
template <class T>
AOTC_INLINE Vec<T> fmod(Vec<T> x, Vec<T> y) {
  return detail::by_lane<T>(x, y, [](T a, T b) { return aotc::fmod(a, b); });
}
AOTC_INLINE Vec<float> pow(Vec<float> x, Vec<float> y) {
  return detail::by_lane<float>(x, y, [](float a, float b) { return __builtin_powf(a, b); });
}
AOTC_INLINE Vec<double> pow(Vec<double> x, Vec<double> y) {
  return detail::by_lane<double>(x, y, [](double a, double b) { return __builtin_pow(a, b); });
}
#endif

#undef AOTC_VECTOR_FORM
#undef AOTC_FUNCTION
#undef AOTC_LIBM_FUNCTION

// The epilogue of a kernel whose results are stored as they are.
struct Identity {
  template <class V, class... Rest>
  AOTC_INLINE V operator()(V value, Rest...) const {
    return value;
  }
};

AOTC_KERNELS_END
