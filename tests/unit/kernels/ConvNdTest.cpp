// Plain convolution, and pooling with indices, against loops in double: groups, strides, dilation, padding, one to
// three dimensions, NaN.
#include "aotc/kernels/pool_indices.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Conv {
  int batch, groups, channels, filters;
  int in[3], kernel[3], stride[3], dilation[3], pad[3], out[3];
  int images = batch * groups * channels;
  int index_stride[3] = {in[1] * in[2], in[2], 1};
};

int countOf(const int (&extents)[3]) { return extents[0] * extents[1] * extents[2]; }

// Calls visit(tap, position in the image) for the taps of output pixel `at` that lie inside.
template <class Visit> void forEachTap(const Conv &l, int at, const Visit &visit) {
  const int pixel[3] = {at / l.out[2] / l.out[1], at / l.out[2] % l.out[1], at % l.out[2]};
  for (int tap = 0; tap < countOf(l.kernel); ++tap) {
    const int k[3] = {tap / l.kernel[2] / l.kernel[1], tap / l.kernel[2] % l.kernel[1], tap % l.kernel[2]};
    int position = 0;
    bool isInside = true;
    for (int d = 0; d < 3; ++d) {
      const int i = pixel[d] * l.stride[d] - l.pad[d] + k[d] * l.dilation[d];
      isInside = isInside && i >= 0 && i < l.in[d];
      position = position * l.in[d] + i;
    }
    if (isInside)
      visit(tap, position);
  }
}

template <class T> void checkConv(const Conv &l, double tolerance) {
  const int channels = l.groups * l.channels, filters = l.groups * l.filters, pixels = countOf(l.out);
  const auto x = randomValues<T>(static_cast<std::size_t>(l.batch * countOf(l.in) * channels));
  const auto w = randomValues<T>(static_cast<std::size_t>(countOf(l.kernel) * l.channels * filters), 2);
  const auto bias = randomValues<T>(static_cast<std::size_t>(filters), 3);
  const std::vector<T> initial(static_cast<std::size_t>(l.batch * pixels * filters));
  const auto y = runStep(initial, conv_nd_bias_units(l),
                         [&](T *out, Part part) { conv_nd_bias(l, x.data(), w.data(), bias.data(), out, part); });
  const auto plain =
      runStep(initial, conv_nd_units(l), [&](T *out, Part part) { conv_nd(l, x.data(), w.data(), out, part); });
  for (int n = 0; n < l.batch; ++n)
    for (int at = 0; at < pixels; ++at)
      for (int f = 0; f < filters; ++f) {
        double sum = 0;
        forEachTap(l, at, [&](int tap, int position) {
          for (int c = 0; c < l.channels; ++c)
            sum += static_cast<double>(x[static_cast<std::size_t>((n * countOf(l.in) + position) * channels +
                                                                  f / l.filters * l.channels + c)]) *
                   static_cast<double>(w[static_cast<std::size_t>((tap * l.channels + c) * filters + f)]);
        });
        const auto to = static_cast<std::size_t>((n * pixels + at) * filters + f);
        expectNear(static_cast<double>(plain[to]), sum, tolerance, "conv", to);
        expectNear(static_cast<double>(y[to]), sum + static_cast<double>(bias[static_cast<std::size_t>(f)]), tolerance,
                   "conv with bias", to);
      }
}

const Conv convs[] = {
    {1, 1, 3, 70, {1, 1, 9}, {1, 1, 3}, {1, 1, 2}, {1, 1, 2}, {0, 0, 1}, {1, 1, 4}},
    {2, 2, 2, 5, {1, 6, 7}, {1, 3, 2}, {1, 1, 1}, {1, 1, 1}, {0, 1, 0}, {1, 6, 6}},
    {1, 4, 1, 1, {4, 5, 6}, {2, 3, 3}, {2, 1, 2}, {1, 2, 1}, {1, 2, 1}, {3, 5, 3}},
    {1, 1, 17, 33, {3, 3, 3}, {3, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 0, 0}, {3, 3, 3}},
};

TEST(ConvNdTest, AgreesWithDouble) {
  for (const Conv &l : convs) {
    checkConv<float>(l, 1e-5);
    checkConv<double>(l, 1e-13);
  }
}

template <class T> void checkPool(const Conv &l, const std::vector<T> &x) {
  const int pixels = countOf(l.out), size = countOf(l.in);
  std::vector<std::int64_t> indices(static_cast<std::size_t>(l.images * pixels));
  const auto y = runStep(std::vector<T>(indices.size()), max_pool_indices_units(l),
                         [&](T *out, Part part) { max_pool_indices(l, x.data(), out, indices.data(), part); });
  for (int at = 0; at < l.images * pixels; ++at) {
    std::int64_t best = -1;
    forEachTap(l, at % pixels, [&](int, int position) {
      const std::int64_t i = at / pixels * size + position;
      const T value = x[static_cast<std::size_t>(i)];
      if (best < 0 || value > x[static_cast<std::size_t>(best)] ||
          (value != value && x[static_cast<std::size_t>(best)] == x[static_cast<std::size_t>(best)]))
        best = i;
    });
    ASSERT_EQ(indices[static_cast<std::size_t>(at)], best);
    if (x[static_cast<std::size_t>(best)] == x[static_cast<std::size_t>(best)]) {
      ASSERT_EQ(y[static_cast<std::size_t>(at)], x[static_cast<std::size_t>(best)]);
    }
  }
}

TEST(ConvNdTest, PoolingFindsTheFirstLargest) {
  for (const Conv &l : convs) {
    const auto size = static_cast<std::size_t>(l.images * countOf(l.in));
    auto x = randomValues<float>(size);
    x[size / 2] = quietNaN;
    x[0] = -infinity;
    checkPool(l, x);
    checkPool(l, randomValues<std::int8_t>(size)); // many are equal
    checkPool(l, randomValues<double>(size));
  }
}

TEST(ConvNdTest, UnpoolingWritesNothingOutside) {
  const struct { int count, size; } l{4, 6};
  const std::vector<float> x = {1, 2, 3, 4};
  const std::vector<std::int64_t> indices = {5, -1, 6, 0};
  const auto y = runStep(std::vector<float>(6, 9.0f), max_unpool_units(l),
                         [&](float *out, Part part) { max_unpool(l, x.data(), indices.data(), out, part); });
  EXPECT_EQ(y, (std::vector<float>{4, 0, 0, 0, 0, 1}));
}

} // namespace
