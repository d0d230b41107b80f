// Typed views of dense tensors, the last dimension contiguous. A view owns nothing and is as cheap to copy as a
// pointer.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include "aotc/version.hpp"

AOTC_RUNTIME_BEGIN

// Elements before the one at the given index, counting the last dimension fastest.
template <class Shape, class... Index>
constexpr std::size_t dense_offset(const Shape& shape, Index... index) noexcept {
  std::size_t offset = 0, dim = 0;
  ((offset = offset * static_cast<std::size_t>(shape[dim++]) + static_cast<std::size_t>(index)), ...);
  return offset;
}

// A tensor whose shape is known when the code is generated.
template <class T, int... Dims>
struct Tensor {
  static constexpr int rank = sizeof...(Dims);
  static constexpr std::array<int, sizeof...(Dims)> shape{{Dims...}};
  static constexpr std::size_t size = (std::size_t{1} * ... * static_cast<std::size_t>(Dims));  // in elements

  T* data;

  constexpr T* begin() const noexcept { return data; }
  constexpr T* end() const noexcept { return data + size; }
  constexpr T& operator[](std::size_t i) const noexcept { return data[i]; }
  // The element at one index per dimension, not checked.
  template <class... Index>
  constexpr T& operator()(Index... index) const noexcept {
    static_assert(sizeof...(Index) == sizeof...(Dims), "one index per dimension");
    return data[dense_offset(shape, index...)];
  }
};

// A tensor some of whose extents are only known at run time. Its elements are dense at the actual extents.
template <class T, int Rank>
struct BoundedTensor {
  static constexpr int rank = Rank;

  T* data;
  std::array<std::int64_t, static_cast<std::size_t>(Rank)> shape;
  std::size_t size;  // in elements

  constexpr T* begin() const noexcept { return data; }
  constexpr T* end() const noexcept { return data + size; }
  constexpr T& operator[](std::size_t i) const noexcept { return data[i]; }
  template <class... Index>
  constexpr T& operator()(Index... index) const noexcept {
    static_assert(sizeof...(Index) == static_cast<std::size_t>(Rank), "one index per dimension");
    return data[dense_offset(shape, index...)];
  }
};

AOTC_RUNTIME_END
