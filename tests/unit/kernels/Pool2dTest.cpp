// Pooling: strides, dilations, paddings on either side, ceil mode, halos, whole-map averages, NaN, integers.
#include "aotc/kernels/pool2d.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

template <int KernelW> struct Pool {
  static constexpr int kernel_w = KernelW;
  int batch, in_h, in_w, in_channels, kernel_h, stride_h, stride_w, dilation_h, dilation_w;
  int pad_top, pad_left, pad_bottom, pad_right, count_include_pad, extra_h, extra_w; // extra: what ceil mode adds
  int halo = 0; // pixels around x that are not read

  int out_h = (in_h + pad_top + pad_bottom - (kernel_h - 1) * dilation_h - 1) / stride_h + 1 + extra_h;
  int out_w = (in_w + pad_left + pad_right - (kernel_w - 1) * dilation_w - 1) / stride_w + 1 + extra_w;
  int in_pixel = in_channels, in_row = (in_w + 2 * halo) * in_pixel, in_image = (in_h + 2 * halo) * in_row;
  int out_pixel = in_channels + 1, out_row = out_w * out_pixel + 2, out_image = out_h * out_row + 3;

  std::size_t inSize() const { return static_cast<std::size_t>(batch * in_image); }
  std::size_t outSize() const { return static_cast<std::size_t>(batch * out_image); }
};

// Any layout as data.
struct Shape {
  int batch, in_h, in_w, in_channels, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
  int pad_top, pad_left, pad_bottom, pad_right, count_include_pad;
  int in_pixel, in_row, in_image, out_pixel, out_row, out_image;
  template <class L>
  Shape(const L &l)
      : batch(l.batch), in_h(l.in_h), in_w(l.in_w), in_channels(l.in_channels), out_h(l.out_h), out_w(l.out_w),
        kernel_h(l.kernel_h), kernel_w(l.kernel_w), stride_h(l.stride_h), stride_w(l.stride_w),
        dilation_h(l.dilation_h), dilation_w(l.dilation_w), pad_top(l.pad_top), pad_left(l.pad_left),
        pad_bottom(l.pad_bottom), pad_right(l.pad_right), count_include_pad(l.count_include_pad), in_pixel(l.in_pixel),
        in_row(l.in_row), in_image(l.in_image), out_pixel(l.out_pixel), out_row(l.out_row), out_image(l.out_image) {}
};

// One output element in double.
template <class T> double reference(const Shape &l, const T *x, bool average, int n, int h, int w, int c) {
  double most = static_cast<double>(Max::identity<T>()), sum = 0.0;
  int cells = 0;
  for (int kh = 0; kh < l.kernel_h; ++kh)
    for (int kw = 0; kw < l.kernel_w; ++kw) {
      const int row = h * l.stride_h - l.pad_top + kh * l.dilation_h,
                column = w * l.stride_w - l.pad_left + kw * l.dilation_w;
      const bool inside = row >= 0 && row < l.in_h && column >= 0 && column < l.in_w;
      cells += inside || (l.count_include_pad != 0 && row < l.in_h + l.pad_bottom && column < l.in_w + l.pad_right);
      if (!inside)
        continue;
      const auto value = static_cast<double>(x[n * l.in_image + row * l.in_row + column * l.in_pixel + c]);
      most = std::isnan(most) || std::isnan(value) ? std::nan("") : std::max(most, value);
      sum += value;
    }
  return average ? sum / cells : most;
}

template <class T> void compare(const Shape &l, const T *x, const std::vector<T> &y, bool average) {
  std::vector<bool> written(y.size());
  for (int n = 0; n < l.batch; ++n)
    for (int h = 0; h < l.out_h; ++h)
      for (int w = 0; w < l.out_w; ++w)
        for (int c = 0; c < l.in_channels; ++c) {
          const auto at = static_cast<std::size_t>(n * l.out_image + h * l.out_row + w * l.out_pixel + c);
          written[at] = true;
          expectNear(static_cast<double>(y[at]), reference(l, x, average, n, h, w, c), average ? 2e-6 : 0.0,
                     average ? "average" : "max", at);
        }
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_TRUE(written[i] || y[i] == T(77)) << "wrote between pixels at " << i;
}

template <class T, class L> void check(const L &l, bool special = false) {
  auto x = randomValues<T>(l.inSize());
  if constexpr (!std::is_integral_v<T>)
    for (std::size_t i = 0; special && i < x.size(); i += 41)
      x[i] = static_cast<T>(i % 3 == 0 ? quietNaN : i % 3 == 1 ? infinity : -infinity);
  const T *origin = x.data() + l.halo * (l.in_row + l.in_pixel);
  const std::vector<T> initial(l.outSize(), T(77));
  compare(l, origin, runStep(initial, max_pool2d_units(l), [&](T *y, Part part) { max_pool2d(l, origin, y, part); }),
          false);
  if constexpr (std::is_same_v<T, float>)
    compare(l, origin,
            runStep(initial, average_pool2d_units(l), [&](T *y, Part part) { average_pool2d(l, origin, y, part); }),
            true);
}

struct Fixed {
  static constexpr int batch = 1, in_h = 8, in_w = 8, in_channels = 20, out_h = 4, out_w = 4, kernel_h = 2,
                       kernel_w = 2;
  static constexpr int stride_h = 2, stride_w = 2, dilation_h = 1, dilation_w = 1, pad_top = 0, pad_left = 0;
  static constexpr int pad_bottom = 0, pad_right = 0, count_include_pad = 0;
  static constexpr int in_pixel = 20, in_row = 160, in_image = 1280, out_pixel = 20, out_row = 80, out_image = 320;
};

TEST(Pool2dTest, CommonWindowsAtOddChannelCounts) {
  for (int channels : {1, 3, 4, 7, 16, 17, 64, 70, 300}) {
    check<float>(Pool<3>{2, 9, 11, channels, 3, 2, 2, 1, 1, 1, 1, 1, 1, 0, 0, 0});
    check<float>(Pool<2>{1, 8, 10, channels, 2, 2, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0});
    check<float>(Pool<7>{1, 7, 7, channels, 7, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0});
  }
}

TEST(Pool2dTest, PaddingOnEitherSideAndCounting) {
  for (int include : {0, 1}) {
    check<float>(Pool<3>{1, 7, 6, 5, 3, 1, 1, 1, 1, 2, 0, 0, 2, include, 0, 0});
    check<float>(Pool<3>{1, 7, 6, 5, 3, 2, 2, 1, 1, 0, 1, 1, 0, include, 1, 1});
    check<float>(Pool<3>{1, 5, 5, 17, 2, 1, 3, 2, 2, 1, 3, 1, 3, include, 0, 0});
    check<float>(Pool<7>{1, 5, 20, 17, 5, 1, 1, 1, 1, 2, 3, 2, 4, include, 0, 0});
  }
}

TEST(Pool2dTest, HalosAreNotRead) {
  check<float>(Pool<3>{2, 6, 6, 20, 3, 2, 2, 1, 1, 1, 1, 1, 1, 0, 0, 0, 2});
  check<float>(Pool<8>{2, 8, 8, 20, 8, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1});
}

TEST(Pool2dTest, CarriesNaNAndInfinities) {
  check<float>(Pool<3>{2, 9, 11, 19, 3, 2, 2, 1, 1, 1, 1, 1, 1, 0, 0, 0}, true);
  check<float>(Pool<8>{2, 12, 8, 70, 12, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}, true);
}

TEST(Pool2dTest, NaNIsFoundAtEveryTap) {
  for (std::size_t tap = 0; tap < 64; ++tap) {
    const Pool<8> l{1, 8, 8, 1, 8, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0};
    auto x = randomValues<float>(64);
    x[tap] = quietNaN;
    float y[6] = {};
    max_pool2d(l, static_cast<const float *>(x.data()), y, Part{0, 1, 0});
    EXPECT_TRUE(std::isnan(y[0])) << tap;
  }
}

TEST(Pool2dTest, MaxTakesOtherTypes) {
  check<std::int8_t>(Pool<3>{1, 9, 11, 70, 3, 2, 2, 1, 1, 1, 1, 1, 1, 0, 0, 0});
  check<std::uint8_t>(Pool<2>{1, 8, 8, 3, 2, 2, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0});
  check<std::int32_t>(Pool<3>{1, 9, 11, 20, 3, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0});
  check<double>(Pool<3>{1, 9, 11, 20, 3, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0}, true);
}

TEST(Pool2dTest, ConstantLayoutAndEpilogue) {
  const auto x = randomValues<float>(1280), bias = randomValues<float>(20, 2);
  const float *b = bias.data();
  const auto y = runStep(std::vector<float>(320), average_pool2d_units(Fixed{}), [&](float *out, Part part) {
    average_pool2d(Fixed{}, x.data(), out, part,
                   [=](auto mean, auto lanes, int, int, int, int c) { return mean + load(b + c, lanes); });
  });
  for (int at = 0; at < 320; ++at) {
    const auto i = static_cast<std::size_t>(at);
    expectNear(y[i], reference(Fixed{}, x.data(), true, 0, at / 80, at / 20 % 4, at % 20) + bias[i % 20], 2e-6,
               "average", i);
  }
}

TEST(Pool2dTest, WholeMapsAndManyRowsAreSplit) {
  EXPECT_GE(average_pool2d_units(Pool<7>{1, 7, 7, 2048, 7, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}), 8);
  EXPECT_GE(max_pool2d_units(Pool<3>{1, 112, 112, 64, 3, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0, 0}), 32);
  EXPECT_EQ(max_pool2d_units(Pool<2>{1, 8, 8, 16, 2, 2, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0}), 1);
}

} // namespace
