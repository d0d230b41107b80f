// Weights that are halves: each kernel gives the bits that it gives for the same weights as floats, which the kernels'
// own tests hold against loops in double; where the machine multiplies halves, nearly so. Shapes: tiles of one row and
// of several, panels that are not full, one row, extents at run time, tails.
#include "aotc/kernels/depthwise.hpp"
#include "aotc/kernels/gather.hpp"
#include "aotc/kernels/matmul.hpp"
#include "aotc/kernels/recurrent.hpp"
#include "aotc/kernels/winograd.hpp"

#include "ConvReference.h"

using namespace aotc;
using namespace aotc::test;

namespace {

template <class T> class HalfWeightsTest : public ::testing::Test {};
using Formats = ::testing::Types<Float16, BFloat16>;
TYPED_TEST_SUITE(HalfWeightsTest, Formats);

// Random weights in the kernel's own order, halves and the floats that these are. Of panels, [outer][depth][16], bfloat16
// lie in pairs; elsewhere depth is 0.
template <class Half> struct Weights {
  std::vector<Half> halves;
  std::vector<float> floats;

  explicit Weights(int outer, int depth = 0) {
    const bool isPanel = depth > 0;
    const int columns = isPanel ? 16 : 1, rows = isPanel ? PackedDepth<Half>::rows(depth) : 1;
    depth = isPanel ? depth : 1;
    floats = randomValues<float>(static_cast<std::size_t>(outer * depth * columns), 3);
    halves.resize(static_cast<std::size_t>(outer * rows * columns), Half{});
    for (std::size_t i = 0; i < floats.size(); ++i) {
      const int at = static_cast<int>(i), panel = at / (depth * columns), k = at / columns % depth, n = at % columns;
      const bool inPairs = isPanel && PackedDepth<Half>::in_pairs;
      const int place = panel * rows * columns + (inPairs ? (k / 2 * columns + n) * 2 + k % 2 : k * columns + n);
      Half &half = halves[static_cast<std::size_t>(place)];
      half = narrow<Half>(floats[i]);
      floats[i] = widen(half);
    }
  }
};

// bfloat16, so that instructions for them take the inputs as they are.
std::vector<float> roundInput(std::vector<float> values) {
  for (float &value : values)
    value = round_to_bf16(value);
  return values;
}

// How far results are off where the machine multiplies halves: pairs of bfloat16 are not added up one by one, and sums of
// float16 are rounded to it (HalfProductsTest.cpp).
template <class Half>
constexpr float ofProducts = std::is_same_v<Half, BFloat16> ? (AOTC_HAS_BF16_DOT ? 2e-4f : 0.0f)
                                                            : (AOTC_HAS_F16_PRODUCTS ? 0.5f : 0.0f);

void expectSameOutputs(int outputs, int units, float tolerance, const StepOf<float>::Run &runFloats,
                       const StepOf<float>::Run &runHalves) {
  const std::vector<float> before = randomValues<float>(static_cast<std::size_t>(outputs), 2);
  const auto expected = runStep(before, units, runFloats), found = runStep(before, units, runHalves);
  for (std::size_t i = 0; i < before.size(); ++i)
    if (tolerance > 0.0f)
      ASSERT_NEAR(found[i], expected[i], tolerance) << "output " << i;
    else
      ASSERT_EQ(found[i], expected[i]) << "output " << i;
}
// run(weights, y, part), for either kind of weights.
template <class Half, class Run>
void expectSameBits(const Weights<Half> &weights, int outputs, int units, Run run, float tolerance = 0.0f) {
  expectSameOutputs(
      outputs, units, tolerance, [&](float *y, Part part) { run(weights.floats.data(), y, part); },
      [&](float *y, Part part) { run(weights.halves.data(), y, part); });
}

const auto keepSum = [](auto sum, auto...) { return sum; };

template <class Half, class L> void expectConvolves(const L &l) {
  const int panels = l.groups * ((l.out_channels / l.groups + 15) / 16);
  const Weights<Half> weights(panels * l.kernel_h * l.kernel_w, l.in_channels / l.groups);
  const std::vector<float> x = roundInput(randomInput(l));
  expectSameBits(
      weights, l.batch * l.out_image, conv2d_units(l),
      [&](const auto *w, float *y, Part part) { conv2d(l, x.data(), w, y, part, keepSum); }, ofProducts<Half>);
}

template <class Half, class L> void expectConvolvesDepthwise(const L &l) {
  const Weights<Half> weights(l.kernel_h * l.kernel_w * ((l.out_channels + 15) / 16 * 16));
  const std::vector<float> x = randomInput(l);
  expectSameBits(weights, l.batch * l.out_image, depthwise_conv2d_units(l),
                 [&](const auto *w, float *y, Part part) { depthwise_conv2d(l, x.data(), w, y, part, keepSum); });
}

template <class Half, class L> void expectConvolvesByWinograd(const L &l) {
  const Weights<Half> weights((l.out_channels + 15) / 16 * 36 * l.in_channels * 16);
  const std::vector<float> x = randomInput(l);
  std::vector<float> scratch(static_cast<std::size_t>(winograd_conv2d_scratch_floats(l)));
  expectSameBits(weights, l.batch * l.out_image, winograd_conv2d_units(l), [&](const auto *w, float *y, Part part) {
    winograd_conv2d(l, x.data(), w, y, scratch.data(), part, keepSum);
  });
}

template <int M, int N, int K> struct Rows {
  static constexpr int batch = 1, m = M, n = N, k = K, a_row = K, a_batch = M * K, y_row = N, y_batch = M * N;
};

template <class Half, class L> void expectMultiplies(const L &l) {
  const Weights<Half> weights((l.n + 15) / 16, l.k);
  const auto a = roundInput(randomValues<float>(static_cast<std::size_t>(l.m * l.k), 1));
  expectSameBits(
      weights, l.m * l.n, matmul_packed_units(l),
      [&](const auto *w, float *y, Part part) { matmul_packed(l, a.data(), w, y, part, keepSum); },
      l.m > 1 ? ofProducts<Half> : 0.0f);
}

template <int Batch> struct Recurrence {
  static constexpr int steps = 3, batch = Batch, directions = 1, hidden = 21, reverse = 0, batch_first = 0;
  static constexpr int has_scales = 0, has_bias = 0, has_peepholes = 0, has_initial_h = 0, has_initial_c = 0,
                       has_lengths = 0;
  static constexpr int has_y = 1, has_y_h = 0, has_y_c = 0;
};

// call(gates, weights, y, scratch, part)
template <class Half, class L, class Call> void expectRecurs(const L &l, int gates, int units, Call call) {
  const Weights<Half> weights(2 * 16 * l.hidden * gates);
  const auto input = randomValues<float>(static_cast<std::size_t>(l.steps * l.batch * l.hidden * gates), 1);
  std::vector<float> scratch(static_cast<std::size_t>(recurrent_states * l.batch * 32));
  expectSameBits(weights, l.steps * l.batch * l.hidden, units,
                 [&](const auto *w, float *y, Part part) { call(input.data(), w, y, scratch.data(), part); });
}

} // namespace

TYPED_TEST(HalfWeightsTest, Convolutions) {
  expectConvolves<TypeParam>(ConvLayout<5, 29, 7, 40, 3, 3, 1, 1, 1, 1, 1, 1, 1>{});
  expectConvolves<TypeParam>(ConvLayout<9, 5, 12, 72, 1, 1, 2, 1, 2>{});
  expectConvolves<TypeParam>(ConvLayout<3, 7, 1024, 48, 1, 1>{}); // inputs that are copied first
  expectConvolves<TypeParam>(RunTimeLayout<ConvLayout<6, 31, 5, 20, 3, 3, 1, 1, 1, 1, 1, 1, 1>>{});
}

TYPED_TEST(HalfWeightsTest, DepthwiseConvolutions) {
  expectConvolvesDepthwise<TypeParam>(ConvLayout<5, 17, 37, 37, 3, 3, 1, 1, 37, 1, 1, 1, 1>{});
  expectConvolvesDepthwise<TypeParam>(ConvLayout<11, 29, 20, 20, 9, 9, 1, 1, 20, 4, 4, 4, 4>{});
}

TEST(HalfWinogradTest, Winograd) {
  expectConvolvesByWinograd<Float16>(ConvLayout<9, 11, 20, 20, 3, 3, 1, 1, 1, 1, 1, 1, 1>{});
}

TYPED_TEST(HalfWeightsTest, Products) {
  expectMultiplies<TypeParam>(Rows<1, 50, 133>{});
  expectMultiplies<TypeParam>(Rows<23, 50, 133>{});
}

TYPED_TEST(HalfWeightsTest, Recurrences) {
  using activation::Sigmoid, activation::Tanh;
  constexpr Recurrence<1> one{};
  constexpr Recurrence<5> five{};
  const LstmCell<Sigmoid, Tanh, Tanh> lstmCell{{}, {}, {}, unclipped};
  const GruCell<Sigmoid, Tanh> gruCell{{}, {}, unclipped};
  // Of several sequences only the products differ, which are those of gru.
  expectRecurs<TypeParam>(one, 4, lstm_units(one), [&](const auto *gates, const auto *w, auto... rest) {
    lstm(one, gates, w, rest..., lstmCell);
  });
  expectRecurs<TypeParam>(five, 3, gru_units(five), [&](const auto *gates, const auto *w, auto... rest) {
    gru(five, gates, w, rest..., gruCell);
  });
}

TYPED_TEST(HalfWeightsTest, Gathers) {
  struct {
    int outer = 1, axis_length = 40, inner = 37, count = 3;
  } l;
  const Weights<TypeParam> table(l.axis_length * l.inner);
  const std::int64_t indices[] = {39, 0, -2};
  expectSameBits(table, l.count * l.inner, gather_units(l),
                 [&](const auto *x, float *y, Part part) { EXPECT_TRUE(gather(l, x, indices, y, part)); });
}
