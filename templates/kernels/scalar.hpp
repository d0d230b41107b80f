// What fused expressions use beside math.hpp: constants, and arithmetic on integers that is defined for every operand.
// Sums, products and shifts wrap around; a division by zero gives 0; floats become integers as on x86. The compiler
// folds constants by the same rules (ir/nn/ScalarInterpreter.cpp). Values of any width, never vectors; signed types
// stand for unsigned ones too, where a function of that name says so.
#pragma once
#include <cstdint>
#include <type_traits>

#include "config.hpp"

AOTC_KERNELS_BEGIN

constexpr float infinity = __builtin_inff();
constexpr float not_a_number = __builtin_nanf("");

// The bits of an integer as the unsigned type of its size.
template <class T>
AOTC_INLINE constexpr std::make_unsigned_t<T> as_unsigned(T x) {
  return static_cast<std::make_unsigned_t<T>>(x);
}

template <class T>
AOTC_INLINE constexpr T wrapping_add(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
template <class T>
AOTC_INLINE constexpr T wrapping_subtract(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
template <class T>
AOTC_INLINE constexpr T wrapping_multiply(T a, T b) {
  return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}
template <class T>
AOTC_INLINE constexpr T wrapping_abs(T x) {
  return x < 0 ? wrapping_subtract(T{0}, x) : x;
}

// Towards zero.
template <class T>
AOTC_INLINE constexpr T divide(T a, T b) {
  if (b == T{0}) return T{0};
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return wrapping_subtract(T{0}, a);
  return static_cast<T>(a / b);
}
template <class T>
AOTC_INLINE constexpr T remainder_of(T a, T b) {
  return wrapping_subtract(a, wrapping_multiply(divide(a, b), b));
}
template <class T>
AOTC_INLINE constexpr T divide_unsigned(T a, T b) {
  return static_cast<T>(divide(as_unsigned(a), as_unsigned(b)));
}
template <class T>
AOTC_INLINE constexpr T remainder_unsigned(T a, T b) {
  return static_cast<T>(remainder_of(as_unsigned(a), as_unsigned(b)));
}
template <class T>
AOTC_INLINE constexpr T max_unsigned(T a, T b) {
  return as_unsigned(a) < as_unsigned(b) ? b : a;
}
template <class T>
AOTC_INLINE constexpr T min_unsigned(T a, T b) {
  return as_unsigned(b) < as_unsigned(a) ? b : a;
}

// By `count` bits, taken as unsigned; all bits are gone where that is the width or more.
template <class T>
AOTC_INLINE constexpr T shift_left(T x, T count) {
  return as_unsigned(count) < 8 * sizeof(T) ? static_cast<T>(static_cast<std::uint64_t>(x) << as_unsigned(count))
                                            : T{0};
}
template <class T>
AOTC_INLINE constexpr T shift_right_unsigned(T x, T count) {
  return as_unsigned(count) < 8 * sizeof(T) ? static_cast<T>(as_unsigned(x) >> as_unsigned(count)) : T{0};
}
// Copies of the sign come in from the left.
template <class T>
AOTC_INLINE constexpr T shift_right(T x, T count) {
  const auto most = static_cast<std::make_unsigned_t<T>>(8 * sizeof(T) - 1);
  return static_cast<T>(x >> (as_unsigned(count) < most ? as_unsigned(count) : most));
}

// Towards zero. What a type cannot hold becomes what x86 processors make of it, and so NumPy and ONNX Runtime on them:
// types of up to 32 bits get the low bits of a 32-bit integer, unsigned ones of 32 bits those of a 64-bit integer; and
// where that cannot hold the number either, or it is NaN, the least integer of that size stands for it.
template <class F>
AOTC_INLINE constexpr std::int32_t to_int32(F x) {
  return x > F(-2147483648.0) && x < F(2147483648.0) ? static_cast<std::int32_t>(x) : INT32_MIN;
}
template <class F>
AOTC_INLINE constexpr std::int64_t to_int64(F x) {
  return x > F(-9223372036854775808.0) && x < F(9223372036854775808.0) ? static_cast<std::int64_t>(x) : INT64_MIN;
}
template <class T, class F>
AOTC_INLINE constexpr T to_integer(F x) {
  if constexpr (sizeof(T) <= 4)
    return static_cast<T>(to_int32(x));
  else
    return static_cast<T>(to_int64(x));
}
// Numbers from 2^63 on have a 64-bit unsigned type to themselves.
template <class T, class F>
AOTC_INLINE constexpr T to_unsigned(F x) {
  if constexpr (sizeof(T) < 4)
    return static_cast<T>(to_int32(x));
  else if (sizeof(T) == 8 && x >= F(9223372036854775808.0))
    return x < F(18446744073709551616.0) ? static_cast<T>(static_cast<std::uint64_t>(x)) : T{0};
  else
    return static_cast<T>(to_int64(x));
}

AOTC_KERNELS_END
