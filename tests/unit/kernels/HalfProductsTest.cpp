// Sums of products in float16 have the bits of the model in half_products.hpp and conv2d_halves.hpp, written out here
// in double; those that overflow have the bits that floats have. Shapes: tiles of one row and of several, runs of all
// taps and of one, more channels than are copied at a time, odd numbers of them, panels that are not full, pads, tails.
#include "aotc/kernels/matmul.hpp"

#if AOTC_HAS_F16_PRODUCTS
#include "ConvReference.h"

using namespace aotc;
using namespace aotc::test;

namespace {

// The nearest float16, ties to even. A product of two of them, and its sum with a third that matters for the result, is
// exact in double.
double toHalf(double value) {
  if (!std::isfinite(value) || value == 0)
    return value;
  const int exponent = std::max(std::ilogb(value), -14);
  const double step = std::ldexp(1.0, exponent - 10), rounded = std::nearbyint(value / step) * step;
  return std::fabs(rounded) > 65504.0 ? std::copysign(HUGE_VAL, value) : rounded;
}

// Adds a run of products to `total`.
struct Run {
  std::vector<double> x, w;

  float addTo(float total) const {
    using detail::half_chains;
    const std::size_t piece = half_chain * half_chains;
    for (std::size_t begin = 0; begin < x.size(); begin += piece) {
      double sums[2] = {0, 0};
      for (std::size_t k = begin; k < std::min(begin + piece, x.size()); ++k) {
        double &sum = sums[(k - begin) % half_chains];
        sum = toHalf(x[k] * w[k] + sum);
      }
      total += static_cast<float>(half_chains == 2 ? toHalf(sums[0] + sums[1]) : sums[0]);
    }
    return total;
  }
};

// A convolution's operands, the weights as ONNX has them and packed, in both types. Weights are float16.
struct Operands {
  ConvSizes l;
  std::vector<float> x, weights, floats;
  std::vector<Float16> halves;

  explicit Operands(const ConvSizes &layout) : l(layout), x(randomInput(l)), weights(randomWeights(l)) {
    const int in = l.in_channels / l.groups, out = l.out_channels / l.groups, panels = (out + 15) / 16;
    floats.resize(static_cast<std::size_t>(l.groups * panels * l.kernel_h * l.kernel_w * in * 16));
    for (float &weight : weights)
      weight = static_cast<float>(toHalf(static_cast<double>(weight)));
    for (int o = 0; o < l.out_channels; ++o)
      for (int c = 0; c < in; ++c)
        for (int kh = 0; kh < l.kernel_h; ++kh)
          for (int kw = 0; kw < l.kernel_w; ++kw) {
            const int panel = o / out * panels + o % out / 16;
            const int row = ((panel * l.kernel_h + kh) * l.kernel_w + kw) * in + c;
            floats[static_cast<std::size_t>(row * 16 + o % out % 16)] = weightOf(l, weights, o, c, kh, kw);
          }
    for (float weight : floats)
      halves.push_back(narrow<Float16>(weight));
  }

  double input(int n, int row, int column, int c) const {
    if (row < 0 || row >= l.in_h || column < 0 || column >= l.in_w)
      return 0;
    const int at = n * l.in_image + row * l.in_row + column * l.in_pixel + c;
    return toHalf(static_cast<double>(x[static_cast<std::size_t>(at)]));
  }
  // The sum of one output; rows of the kernel outside of the image have no runs.
  float sum(int n, int h, int w, int o) const {
    const int in = l.in_channels / l.groups, group = o / (l.out_channels / l.groups);
    const bool joinsTaps = l.dilation_w == 1 && l.kernel_w > 1 && in <= detail::half_depth;
    float total = 0;
    for (int kh = 0; kh < l.kernel_h; ++kh) {
      const int row = h * l.stride_h - l.pad_top + kh * l.dilation_h;
      if (row < 0 || row >= l.in_h)
        continue;
      for (int first = 0; first < in; first += detail::half_depth) {
        Run run;
        for (int kw = 0; kw < l.kernel_w; ++kw) {
          for (int c = first; c < std::min(first + detail::half_depth, in); ++c) {
            run.x.push_back(input(n, row, w * l.stride_w - l.pad_left + kw * l.dilation_w, group * in + c));
            run.w.push_back(static_cast<double>(weightOf(l, weights, o, c, kh, kw)));
          }
          if (joinsTaps && kw < l.kernel_w - 1)
            continue;
          total = run.addTo(total);
          run = {};
        }
      }
    }
    return total;
  }
};

// As many rows of a product as only the run knows.
struct Rows {
  static constexpr int batch = 1, n = 50, k = 133, a_row = k, y_row = n;
  int m = 23, a_batch = m * k, y_batch = m * n;
};

const auto keepSum = [](auto sum, auto...) { return sum; };

// Every output; returns how many of them overflowed. `exact` are those of floats, which only these are compared with.
int expectBitsOfModel(const Operands &operands, const std::vector<float> &found, const std::vector<float> &exact) {
  const ConvSizes &l = operands.l;
  int overflows = 0;
  for (int n = 0; n < l.batch; ++n)
    for (int h = 0; h < l.out_h; ++h)
      for (int w = 0; w < l.out_w; ++w)
        for (int o = 0; o < l.out_channels; ++o) {
          const auto at = static_cast<std::size_t>(n * l.out_image + h * l.out_row + w * l.out_pixel + o);
          const float expected = operands.sum(n, h, w, o);
          overflows += std::isfinite(expected) ? 0 : 1;
          if (std::isfinite(expected))
            EXPECT_EQ(found[at], expected) << n << ", " << h << ", " << w << ", " << o;
          else if (std::isnan(exact[at]))
            EXPECT_TRUE(std::isnan(found[at])) << n << ", " << h << ", " << w << ", " << o << ": " << found[at];
          else
            EXPECT_EQ(found[at], exact[at]) << n << ", " << h << ", " << w << ", " << o;
          if (::testing::Test::HasFailure())
            return overflows;
        }
  return overflows;
}
template <class L, class W>
std::vector<float> convolve(const L &l, const Operands &operands, const std::vector<W> &weights) {
  return runStep(randomOutput(l), conv2d_units(l),
                 [&](float *y, Part part) { conv2d(l, operands.x.data(), weights.data(), y, part, keepSum); });
}
// Where nothing overflows.
template <class L> void expectBitsOfModel(const L &l) {
  const Operands operands(l);
  const std::vector<float> nothing(static_cast<std::size_t>(l.batch * l.out_image), quietNaN);
  EXPECT_EQ(expectBitsOfModel(operands, convolve(l, operands, operands.halves), nothing), 0);
}

} // namespace

TEST(HalfProductsTest, RunsOfAllTaps) {
  expectBitsOfModel(ConvLayout<5, 29, 7, 40, 3, 3, 1, 1, 1, 1, 1, 1, 1>{});
  expectBitsOfModel(ConvLayout<4, 9, 32, 24, 3, 3, 2, 1, 1, 1, 1, 1, 1, 2, 3>{});
  expectBitsOfModel(RunTimeLayout<ConvLayout<6, 31, 5, 20, 3, 3, 1, 1, 1, 1, 1, 1, 1>>{});
}

TEST(HalfProductsTest, RunsOfOneTap) {
  expectBitsOfModel(ConvLayout<9, 5, 12, 72, 1, 1, 2, 1, 2>{});
  expectBitsOfModel(ConvLayout<3, 7, 261, 48, 1, 1>{});
  expectBitsOfModel(ConvLayout<7, 12, 21, 17, 3, 3, 1, 2, 1, 2, 2, 2, 2>{});
  expectBitsOfModel(ConvLayout<4, 6, 133, 8, 2, 3, 1, 1, 1, 0, 1, 0, 1>{});
}

TEST(HalfProductsTest, SmallImages) {
  expectBitsOfModel(ConvLayout<7, 3, 33, 100, 1, 1>{});
  expectBitsOfModel(ConvLayout<1, 30, 40, 4, 1, 1>{});
  expectBitsOfModel(ConvLayout<2, 2, 64, 130, 2, 2>{});
}

// Inputs beyond float16, partial sums beyond it, infinities and NaN: their outputs are those of floats, all others keep
// their bits.
TEST(HalfProductsTest, Overflows) {
  const ConvLayout<5, 17, 36, 40, 3, 3, 1, 1, 1, 1, 1, 1, 1> l;
  Operands operands(l);
  const auto at = [&](int row, int column, int c) -> float & {
    return operands.x[static_cast<std::size_t>(row * l.in_row + column * l.in_pixel + c)];
  };
  at(1, 2, 3) = 1e5f;
  at(3, 12, 30) = infinity;
  at(0, 16, 1) = quietNaN;
  for (int c = 0; c < 36; ++c)
    at(4, 6, c) = 6e4f;
  const int overflows =
      expectBitsOfModel(operands, convolve(l, operands, operands.halves), convolve(l, operands, operands.floats));
  EXPECT_GT(overflows, 4 * 9 * 30);
  EXPECT_LE(overflows, (9 + 9 + 4 + 6) * 40);
}

TEST(HalfProductsTest, ProductsOfSeveralRows) {
  const Rows rows;
  const Operands operands{ConvLayout<1, 23, 133, 50, 1, 1>{}};
  const std::vector<float> found =
      runStep(std::vector<float>(23 * 50), matmul_packed_units(rows), [&](float *y, Part part) {
        matmul_packed(rows, operands.x.data(), operands.halves.data(), y, part, keepSum);
      });
  for (int row = 0; row < 23; ++row)
    for (int column = 0; column < 50; ++column)
      EXPECT_EQ(found[static_cast<std::size_t>(row * 50 + column)], operands.sum(0, 0, row, column));
}
#endif
