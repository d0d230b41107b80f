// The element types of ONNX that tensors can have, and what stands for those that C++17 has no type for. Must not do
// arithmetic: kernels have their own conversions.
//
//   f16 bf16 f8…   the bits, in a struct of their own so that they are not taken for integers
//   i4 u4          one element per byte, in std::int8_t and std::uint8_t
//   boolean        one byte, 0 or 1
#pragma once
#include <cstddef>
#include <cstdint>

#include "aotc/version.hpp"

AOTC_RUNTIME_BEGIN

// The numbers are those of onnx.TensorProto.DataType and part of the C ABI.
// clang-format off
enum class Element : std::uint8_t {
  f32 = 1, u8 = 2, i8 = 3, u16 = 4, i16 = 5, i32 = 6, i64 = 7, boolean = 9, f16 = 10, f64 = 11, u32 = 12, u64 = 13,
  bf16 = 16, f8e4m3fn = 17, f8e4m3fnuz = 18, f8e5m2 = 19, f8e5m2fnuz = 20, u4 = 21, i4 = 22,
};
// clang-format on

constexpr std::size_t element_bytes(Element element) noexcept {
  constexpr unsigned char bytes[] = {0, 4, 1, 1, 2, 2, 4, 8, 0, 1, 2, 8, 4, 8, 0, 0, 2, 1, 1, 1, 1, 1, 1};
  return bytes[static_cast<std::size_t>(element)];
}

// An element as its bits.
template <class Bits, Element Type>
struct Encoded {
  Bits bits;
};
using Float16 = Encoded<std::uint16_t, Element::f16>;
using BFloat16 = Encoded<std::uint16_t, Element::bf16>;
using Float8E4M3FN = Encoded<std::uint8_t, Element::f8e4m3fn>;
using Float8E4M3FNUZ = Encoded<std::uint8_t, Element::f8e4m3fnuz>;
using Float8E5M2 = Encoded<std::uint8_t, Element::f8e5m2>;
using Float8E5M2FNUZ = Encoded<std::uint8_t, Element::f8e5m2fnuz>;

AOTC_RUNTIME_END
