// Floats narrower than float: float16, bfloat16 and the 8-bit ones. Kernels compute in float; here is what a narrow
// number is as a float, and the narrow number nearest to a float or double, ties to even.
//
//   widen(x)            the float that x is
//   narrow<Float16>(x)  from float or double, rounded once
//   round_to_f8e5m2(x)  float to float, on Vec<float> and on float alike: widen(narrow<Float8E5M2>(x)); halves.hpp has
//                       those of 16 bits
//
// What is too large becomes infinity, or NaN where the type has no infinity (ONNX's Cast with saturate
// limits it before).
#pragma once
#include "aotc/element.hpp"
#include "math.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// largest: the largest finite number. has_infinity: as in IEEE 754; elsewhere NaN is the code `nan`.
template <class T>
struct NarrowFormat;
template <>
struct NarrowFormat<Float16> {
  static constexpr int exponent_bits = 5, mantissa_bits = 10, bias = 15, nan = 0x7e00;
  static constexpr float largest = 65504.0f;
  static constexpr bool has_infinity = true, has_negative_zero = true;
};
template <>
struct NarrowFormat<BFloat16> {
  static constexpr int exponent_bits = 8, mantissa_bits = 7, bias = 127, nan = 0x7fc0;
  static constexpr float largest = 3.38953139e38f;
  static constexpr bool has_infinity = true, has_negative_zero = true;
};
template <>
struct NarrowFormat<Float8E4M3FN> {
  static constexpr int exponent_bits = 4, mantissa_bits = 3, bias = 7, nan = 0x7f;
  static constexpr float largest = 448.0f;
  static constexpr bool has_infinity = false, has_negative_zero = true;
};
template <>
struct NarrowFormat<Float8E4M3FNUZ> {
  static constexpr int exponent_bits = 4, mantissa_bits = 3, bias = 8, nan = 0x80;
  static constexpr float largest = 240.0f;
  static constexpr bool has_infinity = false, has_negative_zero = false;
};
template <>
struct NarrowFormat<Float8E5M2> {
  static constexpr int exponent_bits = 5, mantissa_bits = 2, bias = 15, nan = 0x7e;
  static constexpr float largest = 57344.0f;
  static constexpr bool has_infinity = true, has_negative_zero = true;
};
template <>
struct NarrowFormat<Float8E5M2FNUZ> {
  static constexpr int exponent_bits = 5, mantissa_bits = 2, bias = 16, nan = 0x80;
  static constexpr float largest = 57344.0f;
  static constexpr bool has_infinity = false, has_negative_zero = false;
};

// 2^n for -149 <= n <= 127, at compile time.
constexpr float exact_power_of_two(int n) {
  float power = 1.0f;
  for (; n > 0; --n) power *= 2.0f;
  for (; n < 0; ++n) power *= 0.5f;
  return power;
}

template <class F>
constexpr float smallest_normal = exact_power_of_two(1 - F::bias);
// The distance between numbers below that.
template <class F>
constexpr float smallest_step = exact_power_of_two(1 - F::bias - F::mantissa_bits);

constexpr float infinite_float = __builtin_inff();

// As round_to_f16(), for the number type T.
template <class T, class V>
AOTC_INLINE V round_to(V x) {
  using F = NarrowFormat<T>;
  using I = decltype(bits_of(x));
  constexpr int dropped = 23 - F::mantissa_bits;
  const auto unordered = is_nan(x);
  const I bits = bits_of(select(unordered, V(0.0f), x));  // a NaN's bits could overflow
  const I odd = (bits >> dropped) & I(1);
  V y = from_bits((bits + I((1 << (dropped - 1)) - 1) + odd) & I(-(1 << dropped)));
  if constexpr (F::exponent_bits < 8) {  // elsewhere subnormals lie as far apart as float's do
    // Adding 1.5 * 2^23 steps leaves a whole number of steps.
    constexpr float shift = 12582912.0f * smallest_step<F>;
    const V magnitude = aotc::abs(x);
    y = select(lt(magnitude, V(smallest_normal<F>)), with_sign((magnitude + V(shift)) - V(shift), x), y);
  }
  const V beyond = V(F::has_infinity ? infinite_float : __builtin_nanf(""));
  y = select(gt(aotc::abs(y), V(F::largest)), with_sign(beyond, x), y);
  if constexpr (!F::has_negative_zero) y = y + V(0.0f);
  return select(unordered, x, y);
}

// The bits of a float that is a number of the type already.
template <class T>
AOTC_INLINE T encode(float x) {
  using F = NarrowFormat<T>;
  using Bits = decltype(T::bits);
  constexpr int dropped = 23 - F::mantissa_bits;
  const auto bits = static_cast<std::uint32_t>(bits_of(x));
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t sign = (bits >> 31) << (F::exponent_bits + F::mantissa_bits);
  std::uint32_t code;
  if (magnitude > 0x7f800000u)
    code = static_cast<std::uint32_t>(F::nan) | sign;
  else if (magnitude == 0x7f800000u)  // only where there is an infinity
    code = (((1u << F::exponent_bits) - 1u) << F::mantissa_bits) | sign;
  else if (F::exponent_bits < 8 && from_bits(static_cast<std::int32_t>(magnitude)) < smallest_normal<F>)
    code = static_cast<std::uint32_t>(from_bits(static_cast<std::int32_t>(magnitude)) / smallest_step<F>) | sign;
  else
    code = ((magnitude >> dropped) - (static_cast<std::uint32_t>(127 - F::bias) << F::mantissa_bits)) | sign;
  return T{static_cast<Bits>(code)};
}

// A float that rounds to any narrower type as x does: cut off, with its last bit set where anything was lost (rounding
// to odd: S. Boldo, G. Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
AOTC_INLINE float round_to_odd(double x) {
  const float nearest = static_cast<float>(x);
  if (!(static_cast<double>(nearest) != x) || x != x) return nearest;
  std::int32_t bits = bits_of(nearest);
  if (__builtin_fabs(static_cast<double>(nearest)) > __builtin_fabs(x)) --bits;
  return from_bits(bits | 1);
}

}  // namespace detail

template <class T>
AOTC_INLINE T narrow(float x) {
  return detail::encode<T>(detail::round_to<T>(x));
}
template <class T>
AOTC_INLINE T narrow(double x) {
  return narrow<T>(detail::round_to_odd(x));
}

template <class Bits, Element Type>
AOTC_INLINE float widen(Encoded<Bits, Type> x) {
  using F = detail::NarrowFormat<Encoded<Bits, Type>>;
  const std::uint32_t code = x.bits;
  constexpr std::uint32_t mantissas = (1u << F::mantissa_bits) - 1u, exponents = (1u << F::exponent_bits) - 1u;
  const std::uint32_t sign = code >> (F::exponent_bits + F::mantissa_bits);
  const std::uint32_t exponent = (code >> F::mantissa_bits) & exponents, mantissa = code & mantissas;
  const std::uint32_t magnitude = (exponent << F::mantissa_bits) | mantissa;
  float value;
  if (F::has_infinity ? exponent == exponents && mantissa != 0
                      : (F::has_negative_zero ? magnitude : code) == static_cast<std::uint32_t>(F::nan))
    value = __builtin_nanf("");
  else if (F::has_infinity && exponent == exponents)
    value = detail::infinite_float;
  else if (F::exponent_bits < 8 && exponent == 0)
    value = static_cast<float>(mantissa) * detail::smallest_step<F>;
  else
    value = detail::from_bits(static_cast<std::int32_t>(
        (magnitude + (static_cast<std::uint32_t>(127 - F::bias) << F::mantissa_bits)) << (23 - F::mantissa_bits)));
  return sign ? -value : value;
}

template <class V>
AOTC_INLINE V round_to_f8e4m3fn(V x) {
  return detail::round_to<Float8E4M3FN>(x);
}
template <class V>
AOTC_INLINE V round_to_f8e4m3fnuz(V x) {
  return detail::round_to<Float8E4M3FNUZ>(x);
}
template <class V>
AOTC_INLINE V round_to_f8e5m2(V x) {
  return detail::round_to<Float8E5M2>(x);
}
template <class V>
AOTC_INLINE V round_to_f8e5m2fnuz(V x) {
  return detail::round_to<Float8E5M2FNUZ>(x);
}

AOTC_KERNELS_END
