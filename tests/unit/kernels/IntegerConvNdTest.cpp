// Convolution of integers against a loop over all taps in 64 bits: dimensions, groups, zero points, padding.
#include "aotc/kernels/integer_conv_nd.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Geometry {
  int batch, groups, channels, filters, w_zeros;
  int in[3], out[3], kernel[3], stride[3], dilation[3], pad[3];
};

template <class T> std::vector<T> bytes(int size, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<T> result(static_cast<std::size_t>(size));
  for (T &value : result)
    value = static_cast<T>(engine());
  return result;
}

int volume(const int (&extents)[3]) { return extents[0] * extents[1] * extents[2]; }

// One result, or what lies outside the image left out.
template <class X, class W>
std::int64_t expected(const Geometry &l, const std::vector<X> &x, const std::vector<W> &w, X xZero, W wZero, int image,
                      int filter, const int (&place)[3]) {
  const int group = filter / l.filters;
  std::int64_t sum = 0;
  for (int c = 0; c < l.channels; ++c)
    for (int tap = 0; tap < volume(l.kernel); ++tap) {
      const int k[3] = {tap / (l.kernel[1] * l.kernel[2]), tap / l.kernel[2] % l.kernel[1], tap % l.kernel[2]};
      int i[3];
      bool isInside = true;
      for (int d = 0; d < 3; ++d) {
        i[d] = place[d] * l.stride[d] - l.pad[d] + k[d] * l.dilation[d];
        isInside = isInside && i[d] >= 0 && i[d] < l.in[d];
      }
      if (!isInside)
        continue;
      const int plane = (image * l.groups + group) * l.channels + c;
      const auto from = static_cast<std::size_t>(((plane * l.in[0] + i[0]) * l.in[1] + i[1]) * l.in[2] + i[2]);
      const auto weight = static_cast<std::size_t>((filter * l.channels + c) * volume(l.kernel) + tap);
      sum += (std::int64_t{x[from]} - xZero) * (std::int64_t{w[weight]} - wZero);
    }
  return sum;
}

template <class X, class W> void check(const Geometry &l, std::vector<X> xZero = bytes<X>(1, 3)) {
  const int filters = l.groups * l.filters, pixels = volume(l.out);
  const auto x = bytes<X>(l.batch * l.groups * l.channels * volume(l.in), 1);
  const auto w = bytes<W>(filters * l.channels * volume(l.kernel), 2);
  const auto wZero = bytes<W>(l.w_zeros, 4);
  const std::vector<std::int32_t> initial(static_cast<std::size_t>(l.batch * filters * pixels));
  const auto y = runStep(initial, integer_conv_nd_units(l), [&](std::int32_t *to, Part part) {
    integer_conv_nd(l, x.data(), w.data(), xZero.data(), wZero.data(), to, part);
  });
  std::size_t at = 0;
  for (int image = 0; image < l.batch; ++image)
    for (int filter = 0; filter < filters; ++filter)
      for (int pixel = 0; pixel < pixels; ++pixel, ++at) {
        const int place[3] = {pixel / (l.out[1] * l.out[2]), pixel / l.out[2] % l.out[1], pixel % l.out[2]};
        const W zero = wZero[static_cast<std::size_t>(l.w_zeros == 1 ? 0 : filter)];
        ASSERT_EQ(y[at], expected(l, x, w, xZero[0], zero, image, filter, place)) << "at " << at;
      }
}

TEST(IntegerConvNdTest, TwoDimensions) {
  const Geometry l{2, 1, 3, 5, 1, {1, 6, 7}, {1, 6, 4}, {1, 3, 2}, {1, 1, 2}, {1, 1, 1}, {0, 1, 1}};
  check<std::uint8_t, std::uint8_t>(l);
  check<std::uint8_t, std::int8_t>(l);
  check<std::int8_t, std::int8_t>(l);
}

TEST(IntegerConvNdTest, GroupsWithZeroPointsPerFilter) {
  check<std::uint8_t, std::int8_t>({1, 4, 1, 2, 8, {1, 5, 5}, {1, 5, 5}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}});
  check<std::uint8_t, std::int8_t>({1, 2, 3, 1, 2, {1, 1, 20}, {1, 1, 8}, {1, 1, 5}, {1, 1, 2}, {1, 1, 2}, {0, 0, 1}});
}

TEST(IntegerConvNdTest, EveryZeroPoint) {
  const Geometry l{1, 1, 2, 3, 1, {1, 4, 5}, {1, 4, 5}, {1, 3, 3}, {1, 1, 1}, {1, 1, 1}, {0, 1, 1}};
  for (int zero = 0; zero < 256; ++zero) {
    check<std::uint8_t, std::int8_t>(l, {static_cast<std::uint8_t>(zero)});
    check<std::int8_t, std::int8_t>(l, {static_cast<std::int8_t>(zero - 128)});
  }
}

TEST(IntegerConvNdTest, ThreeDimensions) {
  check<std::int8_t, std::uint8_t>({2, 1, 2, 3, 3, {3, 4, 5}, {2, 3, 4}, {2, 2, 2}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}});
}

TEST(IntegerConvNdTest, ManyPixels) {
  check<std::uint8_t, std::int8_t>(
      {1, 1, 1, 1, 1, {1, 70, 75}, {1, 70, 75}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}});
}

} // namespace
