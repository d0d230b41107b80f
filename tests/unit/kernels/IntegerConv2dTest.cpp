// Convolution of 8-bit integers, element by element against a scalar loop in 64 bits: odd channels, groups, strides,
// dilations, pads, zero points, signed and unsigned, extremes. Results must be equal, not near.
#include "aotc/kernels/integer_conv2d.hpp"

#include "ConvReference.h"

using namespace aotc;
using namespace aotc::test;

namespace {

template <class Conv, int Unsigned, int ZeroPoint> struct IntegerLayout : Conv {
  static constexpr int in_unsigned = Unsigned, in_zero_point = ZeroPoint;
};

// [groups][panels][kh][kw][pairs][16][2] of [o][i][kh][kw].
template <class L> std::vector<std::int16_t> packed(const L &l, const std::vector<std::int16_t> &weights) {
  const int groupIn = l.in_channels / l.groups, groupOut = l.out_channels / l.groups, pairs = ceil_div(groupIn, 2);
  std::vector<std::int16_t> result(
      static_cast<std::size_t>(l.groups * ceil_div(groupOut, 16) * l.kernel_h * l.kernel_w * pairs * 32));
  for (int o = 0; o < l.out_channels; ++o)
    for (int c = 0; c < groupIn; ++c)
      for (int tap = 0; tap < l.kernel_h * l.kernel_w; ++tap) {
        const int group = o / groupOut, filter = o % groupOut, panel = group * ceil_div(groupOut, 16) + filter / 16;
        const int at = ((panel * l.kernel_h * l.kernel_w + tap) * pairs + c / 2) * 32 + filter % 16 * 2 + c % 2;
        result[static_cast<std::size_t>(at)] =
            weights[static_cast<std::size_t>((o * groupIn + c) * l.kernel_h * l.kernel_w + tap)];
      }
  return result;
}

template <class L>
std::int64_t exactSum(const L &l, const std::vector<std::int8_t> &x, const std::vector<std::int16_t> &weights, int n,
                      int h, int w, int o) {
  const int groupIn = l.in_channels / l.groups, group = o / (l.out_channels / l.groups);
  std::int64_t sum = 0;
  for (int kh = 0; kh < l.kernel_h; ++kh)
    for (int kw = 0; kw < l.kernel_w; ++kw)
      for (int c = 0; c < groupIn; ++c) {
        const int row = h * l.stride_h - l.pad_top + kh * l.dilation_h;
        const int column = w * l.stride_w - l.pad_left + kw * l.dilation_w;
        if (row < 0 || row >= l.in_h || column < 0 || column >= l.in_w)
          continue;
        const std::int8_t byte =
            x[static_cast<std::size_t>(n * l.in_image + row * l.in_row + column * l.in_pixel + group * groupIn + c)];
        const int value = L::in_unsigned ? static_cast<std::uint8_t>(byte) : byte;
        sum += (value - L::in_zero_point) *
               weights[static_cast<std::size_t>(((o * groupIn + c) * l.kernel_h + kh) * l.kernel_w + kw)];
      }
  return sum;
}

// What the epilogue makes of a sum: near enough to a requantization, and whole.
template <class V> V lowBits(V sum) {
  const V scaled = sum * V(1.0f / 512.0f);
  return clip(round_even(scaled) + V(3.0f), -128.0f, 127.0f);
}

template <class L> void check(const L &l, const std::vector<std::int8_t> &x, const std::vector<std::int16_t> &weights) {
  const std::vector<std::int16_t> panels = packed(l, weights);
  std::vector<std::int64_t> memory(static_cast<std::size_t>(integer_conv2d_scratch_bytes(l)) / 8 + 9);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  void *scratch = memory.data() + (64 - address % 64) % 64 / 8;
  const std::vector<std::int8_t> before(static_cast<std::size_t>(l.batch * l.out_image), 77);
  const std::vector<std::int8_t> y = runStep(before, integer_conv2d_units(l), [&](std::int8_t *out, Part part) {
    integer_conv2d(l, x.data(), panels.data(), out, scratch, part,
                   [](auto sum, auto, int, int, int, int) { return lowBits(sum); });
  });
  std::vector<std::int8_t> expected = before;
  for (int n = 0; n < l.batch; ++n)
    for (int h = 0; h < l.out_h; ++h)
      for (int w = 0; w < l.out_w; ++w)
        for (int o = 0; o < l.out_channels; ++o)
          expected[static_cast<std::size_t>(n * l.out_image + h * l.out_row + w * l.out_pixel + o)] =
              static_cast<std::int8_t>(lowBits(static_cast<float>(exactSum(l, x, weights, n, h, w, o))));
  EXPECT_EQ(y, expected);
}

template <class Conv, int Unsigned = 1, int ZeroPoint = 7> void check() {
  using L = IntegerLayout<Conv, Unsigned, ZeroPoint>;
  const L l{};
  std::mt19937 engine(1);
  std::uniform_int_distribution<int> bytes(-128, 127), wide(-255, 255);
  std::vector<std::int8_t> x(static_cast<std::size_t>(l.batch * l.in_image));
  std::vector<std::int16_t> weights(
      static_cast<std::size_t>(l.out_channels * (l.in_channels / l.groups) * l.kernel_h * l.kernel_w));
  for (std::int8_t &value : x)
    value = static_cast<std::int8_t>(bytes(engine));
  for (std::int16_t &value : weights)
    value = static_cast<std::int16_t>(wide(engine));
  check(l, x, weights);
}

} // namespace

TEST(IntegerConv2d, Channels) {
  check<ConvLayout<5, 6, 1, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1>>();
  check<ConvLayout<5, 6, 3, 8, 3, 3, 1, 1, 1, 1, 1, 1, 1>>();
  check<ConvLayout<4, 9, 16, 33, 1, 1>>();
  check<ConvLayout<4, 9, 17, 72, 1, 1>>();
  check<ConvLayout<3, 30, 10, 16, 3, 3, 1, 1, 1, 1, 1, 1, 1>>();
}

TEST(IntegerConv2d, Windows) {
  check<ConvLayout<9, 11, 6, 20, 3, 3, 2, 1, 1, 1, 0, 1, 1>>();
  check<ConvLayout<9, 11, 6, 20, 3, 3, 1, 2, 1, 2, 2, 2, 2>>();
  check<ConvLayout<9, 11, 5, 20, 2, 5, 1, 1, 1, 1, 3, 0, 2>>();
  check<ConvLayout<1, 40, 8, 16, 1, 7, 2, 1, 1, 0, 3, 0, 3>>();
}

TEST(IntegerConv2d, GroupsBatchesAndGaps) {
  check<ConvLayout<6, 6, 6, 40, 3, 3, 1, 1, 2, 1, 1, 1, 1>>(); // three channels in a group
  check<ConvLayout<6, 6, 8, 8, 3, 3, 1, 1, 8, 1, 1, 1, 1>>();
  check<ConvLayout<5, 7, 6, 20, 3, 3, 1, 1, 1, 1, 1, 1, 1, 2, 5>>();
}

TEST(IntegerConv2d, ZeroPoints) {
  using Conv = ConvLayout<5, 7, 6, 20, 3, 3, 1, 1, 1, 1, 1, 1, 1>;
  check<Conv, 1, 0>(), check<Conv, 1, 128>(), check<Conv, 1, 255>();
  check<Conv, 0, 0>(), check<Conv, 0, -128>(), check<Conv, 0, 127>();
}

TEST(IntegerConv2d, Extremes) {
  using L = IntegerLayout<ConvLayout<3, 3, 512, 16, 3, 3>, 1, 0>;
  const L l{};
  for (int weight : {255, -255})
    check(l, std::vector<std::int8_t>(static_cast<std::size_t>(l.in_image), -1),
          std::vector<std::int16_t>(16 * 512 * 9, static_cast<std::int16_t>(weight)));
}
