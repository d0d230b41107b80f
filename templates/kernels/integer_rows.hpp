// Copies of the rows of an image of 8-bit integers, pads written out: what convolutions of integers read where they
// cannot read the image in place. And bytes widened to 16 bits, for builds that cannot multiply bytes: done once for
// all filters. Layouts are those of integer_conv2d.hpp.
#pragma once
#include <cstdint>
#include <cstring>

#include "dot.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// `count` words of bytes: [count] words at `to`, [count] more OddDistance behind, where x may lie as well.
template <bool IsUnsigned, int OddDistance>
AOTC_INLINE void widen_quads([[maybe_unused]] const std::int8_t* x, [[maybe_unused]] int count,
                             [[maybe_unused]] WidenedQuad<OddDistance>* to) {
  static_assert(splits_quads && OddDistance > 0, "this build multiplies bytes");
#if AOTC_SPLITS_QUADS
  const auto* quads = reinterpret_cast<const Int8Quad*>(x);
  for_each_vector<float>(count, [&](int i, auto lanes) AOTC_INLINE_LAMBDA {
    const Vec<std::int32_t> word = load(quads + i, lanes);
    const SplitQuads split = IsUnsigned ? split_unsigned(word) : split_signed(word);
    store(to + i, split.even, lanes);
    store(to + i + OddDistance, split.odd, lanes);
  });
#endif
}

// Whether no tap falls outside the image.
template <class L>
constexpr bool has_no_pads() {
  return L::pad_top == 0 && L::pad_left == 0 &&
         (L::out_h - 1) * L::stride_h + (L::kernel_h - 1) * L::dilation_h < L::in_h &&
         (L::out_w - 1) * L::stride_w + (L::kernel_w - 1) * L::dilation_w < L::in_w;
}

// The rows of input under `Rows` rows of output. The channels of a pixel are groups of `Group`, which begin `Step`
// integers apart.
template <class L, int Rows, int Group, int Step>
struct PaddedRows {
  static constexpr int height = (Rows - 1) * L::stride_h + (L::kernel_h - 1) * L::dilation_h + 1;
  static constexpr int width = (L::out_w - 1) * L::stride_w + (L::kernel_w - 1) * L::dilation_w + 1;
  static constexpr int group = Group, step = Step, pixel = L::in_channels / Group * Step, row = width * pixel;
};

// `count` adjacent integers: bytes as they are, 16-bit integers less the zero point.
template <class L>
AOTC_INLINE void copy_integers(const std::int8_t* x, int count, [[maybe_unused]] int zero, std::int8_t* to) {
  std::memcpy(to, x, static_cast<std::size_t>(count));
}
template <class L>
AOTC_INLINE void copy_integers(const std::int8_t* x, int count, int zero, std::int16_t* to) {
  for (int c = 0; c < count; ++c) {
    const int value = L::in_unsigned != 0 ? static_cast<std::uint8_t>(x[c]) : x[c];
    to[c] = static_cast<std::int16_t>(value - zero);
  }
}
// What stands for taps outside the image.
AOTC_INLINE void fill_pad(int count, int zero, std::int8_t* to) {
  std::memset(to, zero & 0xFF, static_cast<std::size_t>(count));
}
AOTC_INLINE void fill_pad(int count, [[maybe_unused]] int zero, std::int16_t* to) {
  std::memset(to, 0, static_cast<std::size_t>(count) * sizeof *to);
}

template <class L, class Padded, class W>
AOTC_INLINE void copy_pixel(const std::int8_t* x, int zero, W* to) {
  constexpr int rest = Padded::step - Padded::group;
  for (int c = 0; c < L::in_channels; c += Padded::group, to += Padded::step) {
    copy_integers<L>(x + c, Padded::group, zero, to);
    if constexpr (rest > 0) std::memset(to + Padded::group, 0, rest * sizeof *to);
  }
}
// From column -pad_left on; x is the first pixel of the row, or null where that lies outside.
template <class Padded, class L, class W>
AOTC_INLINE void copy_row(const L& l, const std::int8_t* x, int zero, W* to) {
  constexpr int left = min_of(L::pad_left, Padded::width), inside = max_of(0, min_of(L::in_w, Padded::width - left));
  if (x == nullptr) return fill_pad(Padded::row, zero, to);
  fill_pad(left * Padded::pixel, zero, to);
  to += left * Padded::pixel;
  if (Padded::pixel == L::in_channels && l.in_pixel == L::in_channels) {
    copy_integers<L>(x, inside * Padded::pixel, zero, to);
  } else {
    AOTC_UNROLL(1)
    for (int i = 0; i < inside; ++i)
      copy_pixel<L, Padded>(x + std::ptrdiff_t{i} * l.in_pixel, zero, to + i * Padded::pixel);
  }
  fill_pad((Padded::width - left - inside) * Padded::pixel, zero, to + inside * Padded::pixel);
}
// x is the image, `zero` its zero point, `row` the first row of output.
template <class Padded, class L, class W>
AOTC_INLINE void copy_rows(const L& l, const std::int8_t* x, int zero, int row, W* to) {
  AOTC_UNROLL(1)
  for (int i = 0; i < Padded::height; ++i, to += Padded::row) {
    const int in_row = row * L::stride_h - L::pad_top + i;
    const bool is_inside = in_row >= 0 && in_row < L::in_h;
    copy_row<Padded>(l, is_inside ? x + std::ptrdiff_t{in_row} * l.in_row : nullptr, zero, to);
  }
}
// A zero point in memory.
template <class L>
AOTC_INLINE int zero_at(const std::int8_t* in_zero) {
  return L::in_unsigned != 0 ? static_cast<std::uint8_t>(*in_zero) : *in_zero;
}

}  // namespace detail

AOTC_KERNELS_END
