// Convolution by Winograd's transforms: extents that tiles do not divide, channels that vectors do not divide, pads and
// halos, batches, run-time extents, and how far a NaN reaches. Tolerances are those of the transforms, not of plain
// sums.
#include "aotc/kernels/winograd.hpp"

#include "ConvReference.h"

using namespace aotc;
using namespace aotc::test;

namespace {

// G g G^T of each kernel, in panels of 16.
std::vector<float> transformed(const ConvSizes &l, const std::vector<float> &weights) {
  constexpr double g[6][3] = {{1.0 / 4, 0, 0},
                              {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                              {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                              {1.0 / 6, 1.0 / 3, 2.0 / 3},
                              {1.0 / 6, -1.0 / 3, 2.0 / 3},
                              {0, 0, 1}};
  std::vector<float> result;
  for (int panel = 0; panel < l.out_channels; panel += 16)
    for (int point = 0; point < 36; ++point)
      for (int c = 0; c < l.in_channels; ++c)
        for (int o = panel; o < panel + 16; ++o) {
          double sum = 0.0;
          for (int kh = 0; kh < 3 && o < l.out_channels; ++kh)
            for (int kw = 0; kw < 3; ++kw)
              sum += g[point / 6][kh] * g[point % 6][kw] * static_cast<double>(weightOf(l, weights, o, c, kh, kw));
          result.push_back(static_cast<float>(sum));
        }
  return result;
}

template <class L> std::vector<float> scratchFor(const L &l) {
  return std::vector<float>(static_cast<std::size_t>(winograd_conv2d_scratch_floats(l)), quietNaN);
}

template <class L> void expectConvolves(const L &l) {
  const std::vector<float> weights = randomWeights(l), panels = transformed(l, weights);
  std::vector<float> scratch = scratchFor(l);
  const auto run = [&](const float *input, float *y, const float *bias, Part part) {
    winograd_conv2d(
        l, input, panels.data(), y, scratch.data(), part, [&](auto sum, auto lanes, int n, int h, int w, int c) {
          return sum + load(bias + c, lanes) + load(y + n * l.out_image + h * l.out_row + w * l.out_pixel + c, lanes);
        });
  };
  expectConvolves(l, randomInput(l), weights, winograd_conv2d_units(l), run, 2e-5);
}

template <int H, int W, int InC, int OutC, int Pad, int Batch = 1, int Gap = 0>
using Layout = ConvLayout<H, W, InC, OutC, 3, 3, 1, 1, 1, Pad, Pad, Pad, Pad, Batch, Gap>;

} // namespace

TEST(Winograd, Extents) {
  expectConvolves(Layout<4, 4, 5, 16, 1>{});
  expectConvolves(Layout<27, 23, 5, 16, 1>{}); // two blocks, one tile apart
  expectConvolves(Layout<1, 1, 5, 16, 1>{});
}

TEST(Winograd, Channels) {
  expectConvolves(Layout<9, 9, 1, 1, 1>{});
  expectConvolves(Layout<9, 9, 20, 50, 1>{});
  expectConvolves(Layout<9, 9, 8, 136, 1>{});
}

TEST(Winograd, BatchesWithGapsAndOneSidedPads) {
  expectConvolves(Layout<10, 11, 12, 20, 1, 3, 5>{});
  expectConvolves(ConvLayout<10, 11, 12, 20, 3, 3, 1, 1, 1, 1, 0, 0, 1>{});
}

TEST(Winograd, RunTimeExtents) { expectConvolves(RunTimeLayout<Layout<10, 11, 12, 20, 1, 2>>{}); }

TEST(Winograd, ScratchDependsOnTheShapeAlone) {
  EXPECT_EQ(winograd_conv2d_scratch_floats(Layout<14, 14, 256, 256, 1>{}), 36 * 16 * (256 + 48));
  EXPECT_EQ(winograd_conv2d_scratch_floats(Layout<28, 28, 100, 16, 1>{}), 36 * 25 * (112 + 48));
}

TEST(Winograd, NaNReachesTheTilesThatReadItOnly) {
  using L = Layout<12, 12, 4, 16, 1>;
  const L l{};
  std::vector<float> x = randomInput(l), scratch = scratchFor(l), y = randomOutput(l);
  x[static_cast<std::size_t>(5 * L::in_row + 5 * L::in_pixel)] = quietNaN; // in the middle of tile (1, 1)
  const std::vector<float> panels = transformed(l, randomWeights(l));
  winograd_conv2d(l, x.data(), panels.data(), y.data(), scratch.data(), Part{0, winograd_conv2d_units(l), 0},
                  [](auto sum, auto, int, int, int, int) { return sum; });
  for (int h = 0; h < 12; ++h)
    for (int w = 0; w < 12; ++w)
      EXPECT_EQ(std::isnan(y[static_cast<std::size_t>(h * L::out_row + w * L::out_pixel)]), h / 4 == 1 && w / 4 == 1);
}
