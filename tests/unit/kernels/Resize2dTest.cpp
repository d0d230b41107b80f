// Resizing by tables: one, two and four taps each way, strided images, other types with one tap.
#include "aotc/kernels/resize2d.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

template <int TapsH, int TapsW> struct Resize {
  static constexpr int taps_h = TapsH, taps_w = TapsW;
  int batch, in_h, in_w, out_h, out_w, channels;
  int in_pixel = channels + 2, in_row = in_w * in_pixel + 1, in_image = in_h * in_row + 5;
  int out_pixel = channels + 1, out_row = out_w * out_pixel + 3, out_image = out_h * out_row;
};

std::vector<std::int32_t> randomIndices(int size, int below) {
  auto result = randomValues<std::int32_t>(static_cast<std::size_t>(size), 9);
  for (std::int32_t &index : result)
    index = (index + 1000) % below;
  return result;
}

template <class T, class L> void check(const L &l, bool weights) {
  const auto x = randomValues<T>(static_cast<std::size_t>(l.batch * l.in_image));
  const auto ih = randomIndices(l.out_h * l.taps_h, l.in_h), iw = randomIndices(l.out_w * l.taps_w, l.in_w);
  const auto wh = randomValues<float>(ih.size(), 5), ww = randomValues<float>(iw.size(), 6);
  const float *row_weights = weights ? wh.data() : nullptr, *column_weights = weights ? ww.data() : nullptr;
  const std::vector<T> initial(static_cast<std::size_t>(l.batch * l.out_image), T(77));
  const auto y = runStep(initial, resize2d_units(l), [&](T *out, Part part) {
    resize2d(l, x.data(), ih.data(), row_weights, iw.data(), column_weights, out, part);
  });
  std::vector<bool> written(y.size());
  for (int n = 0; n < l.batch; ++n)
    for (int h = 0; h < l.out_h; ++h)
      for (int w = 0; w < l.out_w; ++w)
        for (int c = 0; c < l.channels; ++c) {
          double sum = 0.0;
          for (int i = h * l.taps_h; i < (h + 1) * l.taps_h; ++i)
            for (int j = w * l.taps_w; j < (w + 1) * l.taps_w; ++j) {
              const auto at = static_cast<std::size_t>(i), to = static_cast<std::size_t>(j);
              const auto value = static_cast<double>(
                  x[static_cast<std::size_t>(n * l.in_image + ih[at] * l.in_row + iw[to] * l.in_pixel + c)]);
              sum += weights ? static_cast<double>(wh[at]) * ww[to] * value : value;
            }
          const auto at = static_cast<std::size_t>(n * l.out_image + h * l.out_row + w * l.out_pixel + c);
          written[at] = true;
          expectNear(static_cast<double>(y[at]), sum, 4e-6, "resize", at);
        }
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_TRUE(written[i] || y[i] == T(77)) << "wrote between pixels at " << i;
}

TEST(Resize2dTest, LinearAndCubicTaps) {
  for (int channels : {1, 3, 16, 21, 64}) {
    check<float>(Resize<2, 2>{2, 5, 6, 9, 13, channels}, true);
    check<float>(Resize<4, 4>{1, 7, 6, 9, 5, channels}, true);
    check<float>(Resize<1, 3>{1, 7, 6, 4, 5, channels}, true);
  }
}

TEST(Resize2dTest, NearestCopiesAnyType) {
  for (int channels : {1, 3, 16, 21}) {
    check<float>(Resize<1, 1>{2, 5, 6, 10, 12, channels}, false);
    check<std::uint8_t>(Resize<1, 1>{2, 5, 6, 10, 12, channels}, false);
    check<double>(Resize<1, 1>{2, 5, 6, 10, 12, channels}, false);
  }
}

TEST(Resize2dTest, EpilogueSeesItsPlace) {
  const Resize<1, 1> l{1, 2, 2, 3, 3, 5};
  const auto x = randomValues<float>(static_cast<std::size_t>(l.in_image));
  const std::int32_t index[] = {0, 1, 1};
  const auto y =
      runStep(std::vector<float>(static_cast<std::size_t>(l.out_image)), resize2d_units(l), [&](float *out, Part part) {
        resize2d(l, x.data(), index, nullptr, index, nullptr, out, part,
                 [](auto value, auto lanes, int, int h, int w, int) {
                   const float place = static_cast<float>(h * 10 + w);
                   return value + broadcast(&place, lanes);
                 });
      });
  for (int h = 0; h < 3; ++h)
    for (int w = 0; w < 3; ++w)
      for (int c = 0; c < 5; ++c)
        EXPECT_EQ(y[static_cast<std::size_t>(h * l.out_row + w * l.out_pixel + c)],
                  x[static_cast<std::size_t>(index[h] * l.in_row + index[w] * l.in_pixel + c)] +
                      static_cast<float>(h * 10 + w));
}

TEST(Resize2dTest, LargeImagesAreManyUnits) {
  EXPECT_GE(resize2d_units(Resize<2, 2>{1, 20, 20, 40, 40, 256}), 32);
  EXPECT_EQ(resize2d_units(Resize<1, 1>{1, 4, 4, 8, 8, 16}), 1);
}

} // namespace
