// Bytes that a kernel reads as the real values they stand for. A kernel that takes its input as X, which is a pointer
// or this, computes on T = value_of<X>: it may step along an X, load vectors from it and ask for single elements.
// Nothing is stored to one.
#pragma once
#include "bytes.hpp"

AOTC_KERNELS_BEGIN

// float(byte - zero_point) * scale: the difference is exact, the product rounds once.
template <class Byte>
struct Dequantized {
  const Byte* bytes;
  float scale, zero_point;

  AOTC_INLINE float operator[](std::ptrdiff_t i) const { return (static_cast<float>(bytes[i]) - zero_point) * scale; }
};
template <class Byte>
AOTC_INLINE Dequantized<Byte> dequantized(const Byte* bytes, float scale, int zero_point) {
  return {bytes, scale, static_cast<float>(zero_point)};
}
template <class Byte>
AOTC_INLINE Dequantized<Byte> operator+(Dequantized<Byte> x, std::ptrdiff_t distance) {
  return {x.bytes + distance, x.scale, x.zero_point};
}
template <class Byte, class Lanes>
AOTC_INLINE Vec<float> load(Dequantized<Byte> x, Lanes lanes) {
  return (to_float(load_integer(x.bytes, lanes)) - Vec<float>(x.zero_point)) * Vec<float>(x.scale);
}

namespace detail {
template <class X>
struct ValueOf;
template <class T>
struct ValueOf<const T*> {
  using type = T;
};
template <class T>
struct ValueOf<T*> {
  using type = T;
};
template <class Byte>
struct ValueOf<Dequantized<Byte>> {
  using type = float;
};
}  // namespace detail

// What elements of an X are to a kernel.
template <class X>
using value_of = typename detail::ValueOf<X>::type;

AOTC_KERNELS_END
