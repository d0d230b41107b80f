// Kernels that read images between pixels: places whose values are known, agreement with convolution, places that are
// no numbers or far outside.
#include "aotc/kernels/deform_conv.hpp"
#include "aotc/kernels/grid_sample.hpp"
#include "aotc/kernels/roi_align.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

// ----------------------------------------------------------------------------------------------------- grid_sample
struct Grid {
  int batch, channels, points, rank;
  int in[3];
  int mode, padding, align_corners;
};

template <class T> std::vector<T> sample(const Grid &l, const std::vector<T> &x, const std::vector<T> &grid) {
  const std::vector<T> initial(static_cast<std::size_t>(l.batch * l.channels * l.points));
  return runStep(initial, grid_sample_units(l),
                 [&](T *y, Part part) { grid_sample(l, x.data(), grid.data(), y, part); });
}

// The place of a pixel of `extent`.
template <class T> T placeOf(T pixel, int extent, int alignCorners) {
  return alignCorners ? 2 * pixel / static_cast<T>(extent - 1) - 1 : (2 * pixel + 1) / static_cast<T>(extent) - 1;
}

TEST(SamplingTest, EveryModeGivesPixelsAtTheirPlaces) {
  for (int mode = 0; mode < 3; ++mode)
    for (int align = 0; align < 2; ++align) {
      const Grid l{2, 3, 20, 2, {1, 4, 5}, mode, 0, align};
      const auto x = randomValues<float>(2 * 3 * 20);
      std::vector<float> grid;
      for (int n = 0; n < 2; ++n)
        for (int i = 0; i < 20; ++i) {
          grid.push_back(placeOf(static_cast<float>(i % 5), 5, align));
          grid.push_back(placeOf(static_cast<float>(i / 5), 4, align));
        }
      const auto y = sample(l, x, grid);
      for (std::size_t i = 0; i < y.size(); ++i)
        expectNear(static_cast<double>(y[i]), static_cast<double>(x[i]), 1e-5, "grid_sample", i);
    }
}

TEST(SamplingTest, LinearIsLinearInThreeDimensions) {
  const Grid l{1, 1, 30, 3, {3, 4, 5}, 1, 1, 1};
  std::vector<double> x(60), grid = randomValues<double>(90);
  for (int i = 0; i < 60; ++i)
    x[static_cast<std::size_t>(i)] = i / 20 * 100 + i / 5 % 4 * 10 + i % 5;
  for (double &place : grid)
    place /= 2;
  const auto y = sample(l, x, grid);
  for (std::size_t i = 0; i < y.size(); ++i)
    expectNear(y[i], (grid[3 * i + 2] + 1) * 100 + (grid[3 * i + 1] + 1) * 15 + (grid[3 * i] + 1) * 2, 1e-12, "linear",
               i);
}

TEST(SamplingTest, PaddingsOutside) {
  const std::vector<float> x = {1, 2, 4};
  // Beyond both edges by a pixel and by many; not aligned, the edges are at -0.5 and 2.5.
  const std::vector<float> grid = {-1.2f, 0, 1.2f, 0, 1e30f, 0, -infinity, 0, quietNaN, 0};
  const auto at = [&](int padding) { return sample(Grid{1, 1, 5, 2, {1, 1, 3}, 0, padding, 0}, x, grid); };
  EXPECT_EQ(at(0), (std::vector<float>{0, 0, 0, 0, 0}));
  EXPECT_EQ(at(1)[0], 1);
  EXPECT_EQ(at(1)[1], 4);
  EXPECT_EQ(at(1)[2], 4);
  EXPECT_EQ(at(2)[0], 1);
  EXPECT_EQ(at(2)[1], 4);
}

// -------------------------------------------------------------------------------------------------------- roi_align
struct Regions {
  int batch, channels, height, width, regions, out_height, out_width, sampling_ratio, half_pixel, maximum;
};

TEST(SamplingTest, RegionsOfALinearImageAreTheirCentres) {
  const Regions l{2, 1, 10, 12, 3, 2, 4, 0, 1, 0};
  std::vector<float> x(240);
  for (int i = 0; i < 240; ++i)
    x[static_cast<std::size_t>(i)] = static_cast<float>(i / 120 * 1000 + i / 12 % 10 * 20 + i % 12);
  const std::vector<float> rois = {1, 1, 9, 5, 2.5f, 3, 8.5f, 7, 1, 1, 9, 5};
  const std::vector<std::int64_t> images = {0, 1, 7}; // the last one is none: the nearest counts
  const auto y = runStep(std::vector<float>(24), roi_align_units(l), [&](float *out, Part part) {
    roi_align(l, x.data(), rois.data(), images.data(), out, part, 1.0f);
  });
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float *box = &rois[i / 8 * 4];
    const auto row = static_cast<float>(i / 4 % 2), column = static_cast<float>(i % 4);
    const double h = static_cast<double>(box[1] + (row + 0.5f) * (box[3] - box[1]) / 2) - 0.5;
    const double w = static_cast<double>(box[0] + (column + 0.5f) * (box[2] - box[0]) / 4) - 0.5;
    expectNear(static_cast<double>(y[i]), (i < 8 ? 0 : 1000) + h * 20 + w, 1e-6, "roi_align", i);
  }
}

TEST(SamplingTest, RegionsThatAreNoneGiveZeros) {
  const Regions l{1, 1, 3, 3, 4, 1, 1, 0, 0, 1};
  const std::vector<float> x(9, 5.0f),
      rois = {50, 50, 60, 60, quietNaN, 0, 1, 1, -infinity, 0, infinity, 1, 2, 2, 1, 1};
  const std::vector<std::int64_t> images(4);
  const auto y = runStep(std::vector<float>(4), roi_align_units(l), [&](float *out, Part part) {
    roi_align(l, x.data(), rois.data(), images.data(), out, part, 1.0f);
  });
  EXPECT_EQ(y[0], 0); // outside
}

// ------------------------------------------------------------------------------------------------------ deform_conv
struct Deform {
  int batch, groups, channels, filters, offset_groups, has_mask, in_h, in_w, out_h, out_w, kernel_h, kernel_w;
  int stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
};

TEST(SamplingTest, OffsetsMoveTheTapsOfAConvolution) {
  const Deform l{2, 2, 2, 3, 1, 1, 6, 7, 4, 4, 3, 2, 1, 2, 1, 1, 0, 1};
  const int pixels = l.out_h * l.out_w, taps = 6;
  const auto x = randomValues<float>(2 * 4 * 42), w = randomValues<float>(6 * 2 * 6, 2);
  std::vector<float> offset(static_cast<std::size_t>(2 * taps * 2 * pixels)), mask(offset.size() / 2, 0.5f);
  for (std::size_t i = 0; i < offset.size(); ++i)
    offset[i] = i / static_cast<std::size_t>(pixels) % 2 == 0 ? 1.0f : 0.5f; // one down, half right
  std::vector<float> scratch(12);
  const auto y = runStep(std::vector<float>(static_cast<std::size_t>(2 * 6 * pixels)), deform_conv_units(l),
                         [&](float *out, Part part) {
                           deform_conv(l, x.data(), w.data(), offset.data(), mask.data(), out, scratch.data(), part);
                         });
  const auto pixel = [&](int n, int c, int h, int column) {
    return h < 0 || h >= 6 || column < 0 || column >= 7
               ? 0.0
               : static_cast<double>(x[static_cast<std::size_t>(((n * 4 + c) * 6 + h) * 7 + column)]);
  };
  for (std::size_t i = 0; i < y.size(); ++i) {
    const int at = static_cast<int>(i), n = at / pixels / 6, f = at / pixels % 6, h = at % pixels / 4, column = at % 4;
    double sum = 0;
    for (int c = 0; c < 2; ++c)
      for (int k = 0; k < taps; ++k) {
        const int row = h + k / 2 + 1, left = column * 2 - 1 + k % 2, channel = f / 3 * 2 + c;
        sum += 0.5 * static_cast<double>(w[static_cast<std::size_t>((f * 2 + c) * taps + k)]) *
               (pixel(n, channel, row, left) + pixel(n, channel, row, left + 1)) / 2;
      }
    expectNear(static_cast<double>(y[i]), sum, 1e-6, "deform_conv", i);
  }
}

} // namespace
