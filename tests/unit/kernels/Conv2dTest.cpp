// 2-D convolution: widths that tiles do not divide, channels that vectors do not divide, strides, dilations, groups,
// pads on each side, NCHW input, batches, run-time extents, NaN and infinities.
#include "aotc/kernels/conv2d.hpp"

#include "ConvReference.h"

using namespace aotc;
using namespace aotc::test;

namespace {

std::vector<float> packed(const ConvSizes &l, const std::vector<float> &weights) {
  const int groupIn = l.in_channels / l.groups, groupOut = l.out_channels / l.groups, panels = (groupOut + 15) / 16;
  std::vector<float> result;
  for (int g = 0; g < l.groups; ++g)
    for (int panel = 0; panel < panels; ++panel)
      for (int kh = 0; kh < l.kernel_h; ++kh)
        for (int kw = 0; kw < l.kernel_w; ++kw)
          for (int c = 0; c < groupIn; ++c)
            for (int o = panel * 16; o < panel * 16 + 16; ++o)
              result.push_back(o < groupOut ? weightOf(l, weights, g * groupOut + o, c, kh, kw) : 0.0f);
  return result;
}

template <class L> void expectConvolves(const L &l, const std::vector<float> &x) {
  const std::vector<float> weights = randomWeights(l), panels = packed(l, weights);
  expectConvolves(l, x, weights, conv2d_units(l), [&](const float *input, float *y, const float *bias, Part part) {
    conv2d(l, input, panels.data(), y, part, [&](auto sum, auto lanes, int n, int h, int w, int c) {
      return sum + load(bias + c, lanes) + load(y + n * l.out_image + h * l.out_row + w * l.out_pixel + c, lanes);
    });
  });
}
template <class L> void expectConvolves(const L &l) { expectConvolves(l, randomInput(l)); }

template <int... Widths> void expectConvolvesWidths() {
  (expectConvolves(ConvLayout<3, Widths + 1, 3, 5, 2, 2>{}), ...);
}
template <int... Channels> void expectConvolvesChannels() {
  (expectConvolves(ConvLayout<4, 6, 5, Channels, 2, 2, 1, 1, 1, 0, 0, 0, 0, 1, 1>{}), ...);
}

} // namespace

TEST(Conv2d, Widths) { expectConvolvesWidths<1, 5, 57>(); }

TEST(Conv2d, Channels) { expectConvolvesChannels<1, 48, 71>(); }

TEST(Conv2d, SmallImagesUseTilesOfSeveralRows) {
  expectConvolves(ConvLayout<9, 9, 32, 32, 3, 3>{});
  expectConvolves(ConvLayout<7, 7, 9, 33, 3, 3, 1, 1, 1, 1, 0, 1, 0>{});
}

TEST(Conv2d, PadsOnEachSide) {
  expectConvolves(ConvLayout<6, 29, 4, 17, 3, 3, 1, 1, 1, 1, 0, 0, 1>{});
  expectConvolves(ConvLayout<6, 29, 4, 17, 3, 3, 1, 1, 1, 0, 1, 1, 0>{});
  expectConvolves(ConvLayout<7, 58, 3, 32, 3, 3, 1, 1, 1, 1, 1, 1, 1>{});
  expectConvolves(ConvLayout<4, 18, 3, 16, 3, 15, 1, 1, 1, 1, 7, 1, 7>{}); // tiles that are all clipped
  expectConvolves(ConvLayout<2, 2, 3, 16, 7, 7, 1, 1, 1, 3, 3, 3, 3>{});   // a kernel larger than its image
}

TEST(Conv2d, StridesAndDilations) {
  expectConvolves(ConvLayout<11, 27, 3, 16, 3, 3, 2>{});
  expectConvolves(ConvLayout<12, 33, 4, 24, 3, 3, 1, 6, 1, 6, 6, 6, 6>{});
  expectConvolves(ConvLayout<12, 33, 4, 24, 3, 2, 3, 2, 1, 1, 2, 0, 1>{});
}

TEST(Conv2d, Groups) {
  expectConvolves(ConvLayout<5, 17, 8, 72, 3, 3, 1, 1, 4, 1, 1, 1, 1>{});
  expectConvolves(ConvLayout<5, 9, 12, 36, 1, 1, 1, 1, 3>{});
}

TEST(Conv2d, Pointwise) {
  expectConvolves(ConvLayout<5, 13, 24, 40, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2>{});
  expectConvolves(ConvLayout<5, 13, 24, 40, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 3>{}); // rows with gaps
  expectConvolves(ConvLayout<1, 1, 100, 50, 1, 1>{});
}

TEST(Conv2d, ManyChannels) {
  expectConvolves(ConvLayout<3, 7, 1024, 48, 1, 1>{}); // pixels 4 KiB apart
  expectConvolves(ConvLayout<9, 9, 512, 16, 3, 3>{});
  expectConvolves(
      ConvLayout<4, 4, 300, 600, 3, 3, 1, 1, 1, 0, 0, 0, 0, 3>{}); // weights larger than the second-level cache
}

namespace {
// The image as a camera or a file gives it: planes; here of two groups.
struct Planes : ConvLayout<17, 19, 4, 24, 3, 3, 2, 1, 2, 1, 1, 1, 1, 2> {
  static constexpr int in_channel = 17 * 19, in_pixel = 1, in_row = 19, in_image = 4 * in_channel;
};
} // namespace
TEST(Conv2d, ReadsPlanes) {
  expectConvolves(Planes{});
  expectConvolves(RunTimeLayout<Planes>{});
}

namespace {
using Gaps = ConvLayout<6, 19, 5, 20, 3, 3, 1, 1, 1, 1, 1, 1, 1, 3, 5>;
} // namespace
TEST(Conv2d, BatchesWithGaps) { expectConvolves(Gaps{}); }

TEST(Conv2d, RunTimeExtents) {
  expectConvolves(RunTimeLayout<ConvLayout<6, 31, 5, 20, 3, 3, 1, 1, 1, 1, 1, 1, 1, 2>>{});
  expectConvolves(RunTimeLayout<ConvLayout<4, 5, 8, 16, 5, 5, 1, 1, 2, 2, 2, 2, 2>>{});
}

TEST(Conv2d, NaNAndInfinityReachTheirOutputsOnly) {
  using L = Gaps;
  std::vector<float> x = randomInput(L{});
  x[0] = quietNaN;
  x[static_cast<std::size_t>(L::in_row * 3 + L::in_pixel * 9 + 2)] = infinity;
  x[static_cast<std::size_t>(L::in_row * 5 + L::in_pixel * 18 + 3)] = -infinity;
  expectConvolves(L{}, x);
}
