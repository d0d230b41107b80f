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
enum class Element : std::uint8_t {
  f32 = 1,
  u8 = 2,
  i8 = 3,
  u16 = 4,
  i16 = 5,
  i32 = 6,
  i64 = 7,
  boolean = 9,
  f16 = 10,
  f64 = 11,
  u32 = 12,
  u64 = 13,
  bf16 = 16,
  f8e4m3fn = 17,
  f8e4m3fnuz = 18,
  f8e5m2 = 19,
  f8e5m2fnuz = 20,
  u4 = 21,
  i4 = 22,
};

constexpr std::size_t element_bytes(Element element) noexcept {
  switch (element) {
    case Element::f64:
    case Element::i64:
    case Element::u64:
      return 8;
    case Element::f32:
    case Element::i32:
    case Element::u32:
      return 4;
    case Element::f16:
    case Element::bf16:
    case Element::i16:
    case Element::u16:
      return 2;
    default:
      return 1;
  }
}

struct Float16 {
  std::uint16_t bits;
};
struct BFloat16 {
  std::uint16_t bits;
};
struct Float8E4M3FN {
  std::uint8_t bits;
};
struct Float8E4M3FNUZ {
  std::uint8_t bits;
};
struct Float8E5M2 {
  std::uint8_t bits;
};
struct Float8E5M2FNUZ {
  std::uint8_t bits;
};

AOTC_RUNTIME_END
