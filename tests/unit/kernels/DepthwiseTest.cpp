// Depthwise convolution: widths and channels of every remainder, strides, dilations, pads on each side, wide kernels,
// batches, run-time extents, NaN and infinities.
#include "aotc/kernels/depthwise.hpp"

#include "ConvReference.h"

using namespace aotc;
using namespace aotc::test;

namespace {

template <class L> void expectConvolves(const L &l, const std::vector<float> &x) {
  const std::vector<float> weights = randomWeights(l);
  std::vector<float> packed;
  for (int kh = 0; kh < l.kernel_h; ++kh)
    for (int kw = 0; kw < l.kernel_w; ++kw)
      for (int c = 0; c < (l.out_channels + 15) / 16 * 16; ++c)
        packed.push_back(c < l.out_channels ? weightOf(l, weights, c, 0, kh, kw) : 0.0f);
  expectConvolves(
      l, x, weights, depthwise_conv2d_units(l), [&](const float *input, float *y, const float *bias, Part part) {
        depthwise_conv2d(l, input, packed.data(), y, part, [&](auto sum, auto lanes, int n, int h, int w, int c) {
          return sum + load(bias + c, lanes) + load(y + n * l.out_image + h * l.out_row + w * l.out_pixel + c, lanes);
        });
      });
}

template <int InH, int InW, int Channels, int Kernel, int Stride = 1, int Dilation = 1, int PadTop = 0, int PadLeft = 0,
          int PadBottom = 0, int PadRight = 0, int Batch = 1, int Gap = 0>
using Depthwise = ConvLayout<InH, InW, Channels, Channels, Kernel, Kernel, Stride, Dilation, Channels, PadTop, PadLeft,
                             PadBottom, PadRight, Batch, Gap>;

template <class L> void expectConvolves(const L &l) { expectConvolves(l, randomInput(l)); }

template <int... Widths> void expectConvolvesWidths() {
  (expectConvolves(Depthwise<4, Widths, 5, 3, 1, 1, 1, 1, 1, 1>{}), ...);
}

} // namespace

TEST(Depthwise, Widths) { expectConvolvesWidths<1, 9, 17>(); }

TEST(Depthwise, Channels) {
  expectConvolves(Depthwise<5, 9, 1, 3, 1, 1, 1, 1, 1, 1>{});
  expectConvolves(Depthwise<3, 30, 333, 3, 1, 1, 1, 1, 1, 1>{}); // several blocks of channels
}

TEST(Depthwise, PadsStridesAndDilations) {
  expectConvolves(Depthwise<9, 25, 20, 3, 1, 1, 1, 0, 0, 1>{});
  expectConvolves(Depthwise<9, 25, 20, 3, 1, 1, 0, 1, 1, 0>{});
  expectConvolves(Depthwise<9, 25, 20, 3, 2, 1, 0, 0, 0, 0>{});
  expectConvolves(Depthwise<9, 26, 20, 3, 2, 1, 1, 1, 1, 1>{});
  expectConvolves(Depthwise<9, 25, 20, 3, 3, 2, 2, 2, 2, 2>{});
  expectConvolves(Depthwise<9, 25, 20, 3, 1, 9, 9, 9, 9, 9>{});
}

TEST(Depthwise, WideKernels) {
  expectConvolves(Depthwise<9, 17, 20, 5, 1, 1, 2, 2, 2, 2>{});
  expectConvolves(Depthwise<7, 7, 20, 7, 1, 1, 3, 3, 3, 3>{});
  expectConvolves(Depthwise<11, 29, 20, 9, 1, 1, 4, 4, 4, 4>{});
}

namespace {
using Gaps = Depthwise<6, 19, 24, 3, 1, 1, 1, 1, 1, 1, 2, 3>;
} // namespace
TEST(Depthwise, BatchesWithGapsAndRunTimeExtents) {
  expectConvolves(Gaps{});
  expectConvolves(RunTimeLayout<Depthwise<9, 39, 24, 5, 2, 1, 2, 2, 2, 2>>{});
  expectConvolves(RunTimeLayout<Depthwise<9, 21, 5, 9, 1, 1, 4, 4, 4, 4>>{});
}

TEST(Depthwise, NaNAndInfinityReachTheirOutputsOnly) {
  using L = Gaps;
  std::vector<float> x = randomInput(L{});
  x[0] = quietNaN;
  x[static_cast<std::size_t>(L::in_row * 3 + L::in_pixel * 9 + 2)] = infinity;
  x[static_cast<std::size_t>(L::in_row * 5 + L::in_pixel * 18 + 17)] = -infinity;
  expectConvolves(L{}, x);
}
