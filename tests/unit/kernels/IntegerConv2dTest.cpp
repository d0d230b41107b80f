// Convolutions of 8-bit integers, element by element against a scalar loop in 64 bits: odd channels, groups, strides,
// dilations, pads, zero points, signed and unsigned, both widths of weights, extremes. Results must be equal, not near.
#include "aotc/kernels/integer_conv2d.hpp"
#include "aotc/kernels/integer_depthwise.hpp"

#include "ConvReference.h"

using namespace aotc;
using namespace aotc::test;

namespace {

template <class Conv, int Unsigned, int ZeroPoint, int BlockRows = 1, int Joins = 0> struct IntegerLayout : Conv {
  static constexpr int in_unsigned = Unsigned, in_zero_point = ZeroPoint, block_rows = BlockRows, joins_taps = Joins;
  static constexpr int widens_rows = 0;
};

// The same with a zero point that a test sets.
template <class Conv, int Unsigned, int BlockRows = 1, int Joins = 0> struct AnyZeroPoint : Conv {
  static constexpr int in_unsigned = Unsigned, block_rows = BlockRows, joins_taps = Joins, widens_rows = 0;
  inline static int in_zero_point = 0;
};

// The same with rows that builds without products of bytes widen first.
template <class L> struct Widening : L { static constexpr int widens_rows = 1; };

// Any of these as data.
struct IntegerSizes : ConvSizes {
  int in_unsigned, in_zero_point, joins_taps;
  template <class L>
  IntegerSizes(const L &l)
      : ConvSizes(l), in_unsigned(l.in_unsigned), in_zero_point(l.in_zero_point), joins_taps(l.joins_taps) {}
};

// What the kernels read: weights [o][i][kh][kw] and biases as they are given, and the memory that a thread has.
struct Operands {
  std::vector<std::int8_t> x;
  std::vector<std::int16_t> weights;
  std::vector<std::int32_t> bias;
};
struct alignas(64) Line {
  std::int8_t bytes[64];
};

// [groups][panels][kh][kw][words][16][4 or 2], or [panels][words][16][4] with joined taps.
template <class W> std::vector<W> packed(const IntegerSizes &l, const std::vector<std::int16_t> &weights) {
  constexpr int perWord = 4 / static_cast<int>(sizeof(W));
  const int groupIn = l.in_channels / l.groups, groupOut = l.out_channels / l.groups, panels = ceil_div(groupOut, 16);
  const int taps = l.kernel_h * l.kernel_w, channelWords = ceil_div(groupIn, perWord);
  const int words = l.joins_taps ? ceil_div(taps * groupIn, perWord) : taps * channelWords;
  std::vector<W> result(static_cast<std::size_t>(l.groups * panels * words * 16 * perWord));
  for (int o = 0; o < l.out_channels; ++o)
    for (int c = 0; c < groupIn; ++c)
      for (int tap = 0; tap < taps; ++tap) {
        const int panel = o / groupOut * panels + o % groupOut / 16;
        const int inPanel = l.joins_taps ? tap * groupIn + c : tap * channelWords * perWord + c;
        const int at = ((panel * words + inPanel / perWord) * 16 + o % groupOut % 16) * perWord + inPanel % perWord;
        result[static_cast<std::size_t>(at)] =
            static_cast<W>(weights[static_cast<std::size_t>((o * groupIn + c) * taps + tap)]);
      }
  return result;
}

// [ceil(kh / 4)][kw][channels rounded up to 16][4]
std::vector<std::int8_t> packedDepthwise(const IntegerSizes &l, const std::vector<std::int16_t> &weights) {
  const int padded = round_up(l.out_channels, 16);
  std::vector<std::int8_t> result(static_cast<std::size_t>(ceil_div(l.kernel_h, 4) * l.kernel_w * padded * 4));
  for (int c = 0; c < l.out_channels; ++c)
    for (int h = 0; h < l.kernel_h; ++h)
      for (int w = 0; w < l.kernel_w; ++w)
        result[static_cast<std::size_t>(((h / 4 * l.kernel_w + w) * padded + c) * 4 + h % 4)] =
            static_cast<std::int8_t>(weights[static_cast<std::size_t>((c * l.kernel_h + h) * l.kernel_w + w)]);
  return result;
}

// For bytes as unsigned, then as signed.
std::vector<std::int32_t> byteOffsets(const IntegerSizes &l, const Operands &operands) {
  const std::size_t filters = operands.bias.size(), perFilter = operands.weights.size() / filters;
  const int asUnsigned = l.in_zero_point + (l.in_unsigned ? 0 : 128);
  std::vector<std::int32_t> offsets(2 * filters);
  for (std::size_t o = 0; o < filters; ++o) {
    int sum = 0;
    for (std::size_t i = 0; i < perFilter; ++i)
      sum += operands.weights[o * perFilter + i];
    offsets[o] = operands.bias[o] - asUnsigned * sum;
    offsets[filters + o] = operands.bias[o] - (asUnsigned - 128) * sum;
  }
  return offsets;
}

std::int64_t exactSum(const IntegerSizes &l, const Operands &operands, int n, int h, int w, int o) {
  const int groupIn = l.in_channels / l.groups, group = o / (l.out_channels / l.groups);
  std::int64_t sum = operands.bias[static_cast<std::size_t>(o)];
  for (int kh = 0; kh < l.kernel_h; ++kh)
    for (int kw = 0; kw < l.kernel_w; ++kw)
      for (int c = 0; c < groupIn; ++c) {
        const int row = h * l.stride_h - l.pad_top + kh * l.dilation_h;
        const int column = w * l.stride_w - l.pad_left + kw * l.dilation_w;
        if (row < 0 || row >= l.in_h || column < 0 || column >= l.in_w)
          continue;
        const std::int8_t byte = operands.x[static_cast<std::size_t>(n * l.in_image + row * l.in_row +
                                                                     column * l.in_pixel + group * groupIn + c)];
        const int value = l.in_unsigned ? static_cast<std::uint8_t>(byte) : byte;
        sum += (value - l.in_zero_point) *
               operands.weights[static_cast<std::size_t>(((o * groupIn + c) * l.kernel_h + kh) * l.kernel_w + kw)];
      }
  return sum;
}

constexpr float scale = 1.0f / 512.0f;

struct Rescale {
  template <class V, class... Rest> auto operator()(V sum, Rest...) const {
    return quantized(sum * splat<V>(scale), 3, -128, 127);
  }
};

// A kernel for a layout, and what it needs; W are its packed weights.
template <class W> struct Kernel {
  std::function<void(const std::int8_t *x, const W *w, const std::int32_t *offsets, std::int8_t *y, void *scratch,
                     Part part)>
      run;
  int units, scratchBytes;

  template <class L> static Kernel conv(const L &l) {
    const auto run = [l](const std::int8_t *x, const W *w, const std::int32_t *offsets, std::int8_t *y, void *scratch,
                         Part part) { integer_conv2d(l, x, w, offsets, y, scratch, part, Rescale{}); };
    return {run, integer_conv2d_units(l), integer_conv2d_scratch_bytes(l, static_cast<const W *>(nullptr))};
  }
  template <class L> static Kernel depthwise(const L &l) {
    const auto run = [l](const std::int8_t *x, const W *w, const std::int32_t *offsets, std::int8_t *y, void *scratch,
                         Part part) { integer_depthwise_conv2d(l, x, w, offsets, y, scratch, part, Rescale{}); };
    return {run, integer_depthwise_conv2d_units(l), integer_depthwise_scratch_bytes(l)};
  }
};

// The same layout without its zero point, which is in memory instead.
template <class Conv, int Unsigned, int BlockRows = 1, int Joins = 0> struct ZeroInMemory : Conv {
  static constexpr int in_unsigned = Unsigned, block_rows = BlockRows, joins_taps = Joins, widens_rows = 0;
};
template <class W, class L> Kernel<W> convWithZero(const L &l, int zero) {
  const auto run = [l, zero = static_cast<std::int8_t>(zero)](const std::int8_t *x, const W *w,
                                                              const std::int32_t *offsets, std::int8_t *y,
                                                              void *scratch, Part part) {
    if constexpr (detail::reads_in_place<L, W>())
      integer_conv2d(l, x, w, offsets, &zero, y, part, Rescale{});
    else
      integer_conv2d(l, x, w, offsets, &zero, y, scratch, part, Rescale{});
  };
  return {run, integer_conv2d_units(l), integer_conv2d_scratch_bytes(l, static_cast<const W *>(nullptr))};
}
template <class L> Kernel<std::int8_t> depthwiseWithZero(const L &l, int zero) {
  const auto run = [l, zero = static_cast<std::int8_t>(zero)](const std::int8_t *x, const std::int8_t *w,
                                                              const std::int32_t *offsets, std::int8_t *y,
                                                              void *scratch, Part part) {
    if constexpr (detail::has_no_pads<L>())
      integer_depthwise_conv2d(l, x, w, offsets, &zero, y, part, Rescale{});
    else
      integer_depthwise_conv2d(l, x, w, offsets, &zero, y, scratch, part, Rescale{});
  };
  return {run, integer_depthwise_conv2d_units(l), integer_depthwise_scratch_bytes(l)};
}

template <class W>
void compare(const IntegerSizes &l, const Operands &operands, const Kernel<W> &kernel, const std::vector<W> &weights) {
  const std::vector<std::int32_t> offsets = sizeof(W) == 1 ? byteOffsets(l, operands) : operands.bias;
  std::vector<Line> memory(static_cast<std::size_t>(ceil_div(kernel.scratchBytes, 64)));
  const std::vector<std::int8_t> before(static_cast<std::size_t>(l.batch * l.out_image), 77);
  const std::vector<std::int8_t> y = runStep(before, kernel.units, [&](std::int8_t *out, Part part) {
    kernel.run(operands.x.data(), weights.data(), offsets.data(), out, memory.data(), part);
  });
  std::vector<std::int8_t> expected = before;
  for (int n = 0; n < l.batch; ++n)
    for (int h = 0; h < l.out_h; ++h)
      for (int w = 0; w < l.out_w; ++w)
        for (int o = 0; o < l.out_channels; ++o) {
          const float sum = static_cast<float>(exactSum(l, operands, n, h, w, o));
          const float rounded = std::nearbyint(sum * scale) + 3.0f;
          expected[static_cast<std::size_t>(n * l.out_image + h * l.out_row + w * l.out_pixel + o)] =
              static_cast<std::int8_t>(std::fmin(std::fmax(rounded, -128.0f), 127.0f));
        }
  EXPECT_EQ(y, expected);
}

template <class W, class L> void checkConv(const L &l, const Operands &operands) {
  compare(l, operands, Kernel<W>::conv(l), packed<W>(l, operands.weights));
}
// By rows that are widened first too.
template <class L> void checkBytes(const L &l, const Operands &operands) {
  checkConv<std::int8_t>(l, operands);
  if constexpr (splits_quads)
    checkConv<std::int8_t>(Widening<L>{}, operands);
}

template <class L> void checkDepthwise(const L &l, const Operands &operands) {
  compare(l, operands, Kernel<std::int8_t>::depthwise(l), packedDepthwise(l, operands.weights));
}

Operands randomOperands(const IntegerSizes &l, int largestWeight) {
  std::mt19937 engine(1);
  std::uniform_int_distribution<int> bytes(-128, 127), wide(-largestWeight, largestWeight), biases(-9000, 9000);
  Operands operands;
  operands.x.resize(static_cast<std::size_t>(l.batch * l.in_image));
  operands.weights.resize(
      static_cast<std::size_t>(l.out_channels * (l.in_channels / l.groups) * l.kernel_h * l.kernel_w));
  operands.bias.resize(static_cast<std::size_t>(l.out_channels));
  for (std::int8_t &value : operands.x)
    value = static_cast<std::int8_t>(bytes(engine));
  for (std::int16_t &value : operands.weights)
    value = static_cast<std::int16_t>(wide(engine));
  for (std::int32_t &value : operands.bias)
    value = biases(engine);
  return operands;
}

// Weights of bytes, with and without rows that are widened first.
template <class Conv, int Unsigned = 1, int ZeroPoint = 7, int BlockRows = 2, int Joins = 0> void check() {
  constexpr IntegerLayout<Conv, Unsigned, ZeroPoint, BlockRows, Joins> l{};
  checkBytes(l, randomOperands(l, 127));
}
template <class Conv, int Unsigned = 1, int ZeroPoint = 7, int BlockRows = 2, int Joins = 0> void checkAsTheyAre() {
  constexpr IntegerLayout<Conv, Unsigned, ZeroPoint, BlockRows, Joins> l{};
  checkConv<std::int8_t>(l, randomOperands(l, 127));
}
// And of 9 bits.
template <class Conv, int Unsigned = 1, int ZeroPoint = 7, int BlockRows = 2> void checkWide() {
  constexpr IntegerLayout<Conv, Unsigned, ZeroPoint, BlockRows> l{};
  checkConv<std::int16_t>(l, randomOperands(l, 255));
}

template <class Conv, int Unsigned = 1, int ZeroPoint = 7, int BlockRows = 2> void checkDepthwise() {
  constexpr IntegerLayout<Conv, Unsigned, ZeroPoint, BlockRows> l{};
  checkDepthwise(l, randomOperands(l, 127));
}

template <class Conv, int Unsigned, int Zero, int Joins = 0, class W = std::int8_t> void checkZeroInMemory() {
  constexpr IntegerLayout<Conv, Unsigned, Zero, 2, Joins> l{};
  const Operands operands = randomOperands(l, sizeof(W) == 1 ? 127 : 255);
  constexpr ZeroInMemory<Conv, Unsigned, 2, Joins> layout{};
  compare(l, operands, convWithZero<W>(layout, Zero), packed<W>(l, operands.weights));
}
template <class Conv, int Unsigned, int Zero> void checkDepthwiseZeroInMemory() {
  constexpr IntegerLayout<Conv, Unsigned, Zero, 2> l{};
  const Operands operands = randomOperands(l, 127);
  constexpr ZeroInMemory<Conv, Unsigned, 2> layout{};
  compare(l, operands, depthwiseWithZero(layout, Zero), packedDepthwise(l, operands.weights));
}

// Calls check(l) for all 256 zero points of the layout.
template <class L, class Check> void withEveryZeroPoint(Check check) {
  const int lowest = L::in_unsigned ? 0 : -128;
  for (L::in_zero_point = lowest; L::in_zero_point < lowest + 256; ++L::in_zero_point)
    check(L{});
}
template <class L> void checkBytesOfEveryZeroPoint() {
  withEveryZeroPoint<L>([](const L &l) { checkBytes(l, randomOperands(l, 127)); });
}
template <class L> void checkWideOfEveryZeroPoint() {
  withEveryZeroPoint<L>([](const L &l) { checkConv<std::int16_t>(l, randomOperands(l, 255)); });
}

} // namespace

// Layouts of three and of sixteen channels are those of EveryZeroPoint.
TEST(IntegerConv2d, Channels) {
  checkAsTheyAre<ConvLayout<5, 6, 1, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1>, 1, 7, 1, 1>();
  checkWide<ConvLayout<4, 9, 17, 72, 1, 1>>();
}

TEST(IntegerConv2d, Windows) {
  checkAsTheyAre<ConvLayout<9, 11, 6, 20, 3, 3, 2, 1, 1, 1, 0, 1, 1>>();
  checkAsTheyAre<ConvLayout<9, 11, 6, 20, 3, 3, 1, 2, 1, 2, 2, 2, 2>, 1, 7, 2, 1>();
  checkWide<ConvLayout<9, 11, 5, 20, 2, 5, 1, 1, 1, 1, 3, 0, 2>>();
  checkAsTheyAre<ConvLayout<1, 40, 8, 16, 1, 7, 2, 1, 1, 0, 3, 0, 3>>();
  check<ConvLayout<9, 11, 8, 20, 3, 3, 2>>(); // read in place
  checkAsTheyAre<ConvLayout<2, 2, 4, 16, 3, 3, 1, 1, 1, 3, 3, 3, 3>>();
}

TEST(IntegerConv2d, GroupsBatchesAndGaps) {
  using Threes = ConvLayout<6, 6, 6, 40, 3, 3, 1, 1, 2, 1, 1, 1, 1>; // three channels in a group
  check<Threes>(), checkWide<Threes>();
  checkAsTheyAre<ConvLayout<6, 6, 8, 8, 3, 3, 1, 1, 8, 1, 1, 1, 1>>();
  check<ConvLayout<5, 7, 6, 20, 3, 3, 1, 1, 1, 1, 1, 1, 1, 2, 5>>();
  check<ConvLayout<5, 7, 8, 20, 1, 1, 1, 1, 2, 0, 0, 0, 0, 3, 4>>();
  check<ConvLayout<9, 7, 8, 20, 3, 1, 2, 1, 2>>(); // whole words of two groups, rows left out
  check<ConvLayout<9, 8, 8, 20, 1, 1, 2>>();       // a column left out, and a row in the last block
}

TEST(IntegerConv2d, BlocksOfRows) {
  using Conv = ConvLayout<7, 7, 8, 20, 3, 3, 1, 1, 1, 1, 1, 1, 1, 2>;
  check<Conv, 1, 7, 3>(), checkAsTheyAre<Conv, 1, 7, 7>();
}

// As constants.
TEST(IntegerConv2d, ZeroPoints) {
  using Conv = ConvLayout<5, 7, 6, 20, 3, 3, 1, 1, 1, 1, 1, 1, 1>;
  checkAsTheyAre<Conv, 1, 255>(), checkAsTheyAre<Conv, 0, -128>(), checkWide<Conv, 0, 127>();
}

TEST(IntegerConv2d, EveryZeroPoint) {
  using Three = ConvLayout<4, 5, 3, 20, 3, 3, 1, 1, 1, 1, 1, 1, 1>;
  checkBytesOfEveryZeroPoint<AnyZeroPoint<Three, 1>>(), checkBytesOfEveryZeroPoint<AnyZeroPoint<Three, 0>>();
  checkWideOfEveryZeroPoint<AnyZeroPoint<Three, 1>>(), checkWideOfEveryZeroPoint<AnyZeroPoint<Three, 0>>();
  // With joined taps.
  checkBytesOfEveryZeroPoint<AnyZeroPoint<Three, 1, 2, 1>>();
  checkBytesOfEveryZeroPoint<AnyZeroPoint<Three, 0, 3, 1>>();
  using InPlace = ConvLayout<4, 9, 16, 33, 1, 1>;
  checkBytesOfEveryZeroPoint<AnyZeroPoint<InPlace, 1>>(), checkBytesOfEveryZeroPoint<AnyZeroPoint<InPlace, 0>>();
}

TEST(IntegerConv2d, ZeroPointInMemory) {
  using Conv = ConvLayout<5, 7, 6, 20, 3, 3, 1, 1, 1, 1, 1, 1, 1>;
  checkZeroInMemory<Conv, 1, 200>(), checkZeroInMemory<Conv, 0, -100, 1>();
  checkZeroInMemory<Conv, 1, 200, 0, std::int16_t>();
  checkZeroInMemory<ConvLayout<4, 9, 16, 33, 1, 1>, 1, 200>(); // in place
}

TEST(IntegerConv2d, Extremes) {
  constexpr IntegerLayout<ConvLayout<3, 3, 512, 16, 3, 3>, 1, 0> l{};
  for (int weight : {255, 127, -128, -255}) {
    const Operands operands{std::vector<std::int8_t>(static_cast<std::size_t>(l.in_image), -1),
                            std::vector<std::int16_t>(16 * 512 * 9, static_cast<std::int16_t>(weight)),
                            std::vector<std::int32_t>(16, 100)};
    checkConv<std::int16_t>(l, operands);
    if (weight == 127 || weight == -128)
      checkBytes(l, operands);
  }
}

// Each of the 256 x 256 pairs of bytes, with signed and unsigned x: pixel i holds byte i, filter j weight j.
template <int Unsigned> void checkPairs() {
  constexpr IntegerLayout<ConvLayout<1, 256, 4, 256, 1, 1>, Unsigned, Unsigned ? 131 : -3> l{};
  for (int place = 0; place < 4; ++place) { // in a word
    Operands operands = randomOperands(l, 127);
    for (int i = 0; i < 256; ++i) {
      operands.x[static_cast<std::size_t>(4 * i + place)] = static_cast<std::int8_t>(i);
      operands.weights[static_cast<std::size_t>(4 * i + place)] = static_cast<std::int16_t>(i - 128);
    }
    checkBytes(l, operands);
  }
}
TEST(IntegerConv2d, AllPairsOfBytes) { checkPairs<0>(), checkPairs<1>(); }

TEST(IntegerDepthwise, Windows) {
  checkDepthwise<ConvLayout<7, 9, 40, 40, 3, 3, 2, 1, 40, 1, 0, 1, 1>>();
  checkDepthwise<ConvLayout<7, 9, 40, 40, 3, 3, 2, 1, 40>>(); // read in place
  checkDepthwise<ConvLayout<9, 9, 17, 17, 5, 5, 1, 1, 17, 2, 2, 2, 2>>();
  checkDepthwise<ConvLayout<9, 30, 8, 8, 4, 9, 1, 1, 8, 2, 4, 1, 4>>();
  checkDepthwise<ConvLayout<9, 9, 16, 16, 3, 3, 1, 2, 16, 2, 2, 2, 2>>();
  checkDepthwise<ConvLayout<9, 1, 33, 33, 9, 1, 1, 1, 33, 4, 0, 4, 0, 2, 3>>();
}

TEST(IntegerDepthwise, ZeroPointsAndBlocks) {
  using Conv = ConvLayout<7, 7, 24, 24, 3, 3, 1, 1, 24, 1, 1, 1, 1, 2>;
  checkDepthwise<Conv, 1, 0, 1>(), checkDepthwise<Conv, 1, 255, 7>(), checkDepthwise<Conv, 0, -128, 3>();
}

TEST(IntegerDepthwise, ZeroPointInMemory) {
  checkDepthwiseZeroInMemory<ConvLayout<7, 7, 24, 24, 3, 3, 1, 1, 24, 1, 1, 1, 1>, 1, 200>();
  checkDepthwiseZeroInMemory<ConvLayout<7, 9, 40, 40, 3, 3, 2, 1, 40>, 0, -100>(); // in place
}

TEST(IntegerDepthwise, EveryZeroPoint) {
  using Conv = ConvLayout<5, 6, 20, 20, 3, 3, 1, 1, 20, 1, 1, 1, 1>;
  const auto check = [](const auto &l) { checkDepthwise(l, randomOperands(l, 127)); };
  withEveryZeroPoint<AnyZeroPoint<Conv, 1>>(check);
  withEveryZeroPoint<AnyZeroPoint<Conv, 0>>(check);
}

// Row i holds byte i, channel j weight j at one of the four taps.
template <int Unsigned> void checkDepthwisePairs() {
  constexpr IntegerLayout<ConvLayout<259, 1, 256, 256, 4, 1, 1, 1, 256>, Unsigned, Unsigned ? 131 : -3> l{};
  for (int place = 0; place < 4; ++place) {
    Operands operands = randomOperands(l, 0);
    for (int i = 0; i < 259; ++i)
      std::fill_n(operands.x.begin() + i * 256, 256, static_cast<std::int8_t>(i));
    for (int j = 0; j < 256; ++j)
      operands.weights[static_cast<std::size_t>(4 * j + place)] = static_cast<std::int16_t>(j - 128);
    checkDepthwise(l, operands);
  }
}
TEST(IntegerDepthwise, AllPairsOfBytes) { checkDepthwisePairs<0>(), checkDepthwisePairs<1>(); }
