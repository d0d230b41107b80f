// Attention: one block of scores and several, every remainder of rows and keys, transposed operands, shared keys,
// masks, run-time extents, rows that are masked throughout or in their first block, NaN and infinities.
#include "aotc/kernels/attention.hpp"

#include "StepRunner.h"

#include <algorithm>

using namespace aotc;
using namespace aotc::test;

namespace {

// As attention comes: heads beside each other in rows of `Batch` heads, keys transposed.
template <int M, int N, int Depth, int Width, int Batch = 1> struct Heads {
  static constexpr int batch = Batch, m = M, n = N, depth = Depth, width = Width;
  static constexpr int q_batch = Depth, q_row = Batch * Depth, q_col = 1;
  static constexpr int k_batch = Depth, k_row = 1, k_col = Batch * Depth;
  static constexpr int v_batch = Width, v_row = Batch * Width, v_col = 1;
  static constexpr int y_batch = Width, y_row = Batch * Width;
  static constexpr int block_rows = std::min(M, 112), block_keys = std::min(N, 256);
};
// Dense matrices, one after the other; k as it is multiplied, v transposed.
template <int M, int N, int Depth, int Width, int Batch = 1> struct Stacks {
  static constexpr int batch = Batch, m = M, n = N, depth = Depth, width = Width;
  static constexpr int q_batch = M * Depth, q_row = 1, q_col = M;
  static constexpr int k_batch = N * Depth, k_row = N, k_col = 1;
  static constexpr int v_batch = N * Width, v_row = 1, v_col = N;
  static constexpr int y_batch = M * Width, y_row = Width;
  static constexpr int block_rows = std::min(M, 28), block_keys = std::min(N, 100);
};
struct RunTime {
  static constexpr int block_rows = 112, block_keys = 256;
  int batch, m, n, depth, width, q_batch, q_row, q_col, k_batch, k_row, k_col, v_batch, v_row, v_col, y_batch, y_row;
  template <class C> static RunTime from(const C &) {
    return {C::batch,   C::m,     C::n,     C::depth,   C::width, C::q_batch, C::q_row,   C::q_col,
            C::k_batch, C::k_row, C::k_col, C::v_batch, C::v_row, C::v_col,   C::y_batch, C::y_row};
  }
};

struct Operands {
  std::vector<float> q, k, v, mask; // mask [m][n] is added to the scores of every batch
  static Operands of(const RunTime &l) {
    auto values = [](int count, unsigned seed) { return randomValues<float>(static_cast<std::size_t>(count), seed); };
    return {values(l.batch * l.m * l.depth, 1), values(l.batch * l.n * l.depth, 2), values(l.batch * l.n * l.width, 3),
            values(l.m * l.n, 4)};
  }
};

// What the kernel computes, in double.
std::vector<double> reference(const RunTime &l, const Operands &x) {
  auto at = [](const std::vector<float> &values, int index) {
    return static_cast<double>(values[static_cast<std::size_t>(index)]);
  };
  std::vector<double> y(static_cast<std::size_t>(l.batch * l.m * l.width), 0.0);
  for (int b = 0; b < l.batch; ++b)
    for (int i = 0; i < l.m; ++i) {
      std::vector<double> term(static_cast<std::size_t>(l.n));
      double most = -std::numeric_limits<double>::infinity(), total = 0.0;
      for (int j = 0; j < l.n; ++j) {
        double &sum = term[static_cast<std::size_t>(j)] = 0.0;
        for (int d = 0; d < l.depth; ++d)
          sum +=
              at(x.q, b * l.q_batch + i * l.q_row + d * l.q_col) * at(x.k, b * l.k_batch + d * l.k_row + j * l.k_col);
        sum = sum / std::sqrt(l.depth) + at(x.mask, i * l.n + j);
        most = std::isnan(most) || std::isnan(sum) ? std::nan("") : std::max(most, sum);
      }
      for (double &value : term)
        total += value = std::exp(value - most);
      for (int c = 0; c < l.width; ++c) {
        double sum = 0.0;
        for (int j = 0; j < l.n; ++j)
          sum += term[static_cast<std::size_t>(j)] / total * at(x.v, b * l.v_batch + j * l.v_row + c * l.v_col);
        y[static_cast<std::size_t>(b * l.y_batch + i * l.y_row + c)] = sum;
      }
    }
  return y;
}

// How scores are scaled and masked.
struct Masked {
  float scale;
  const float *mask;
  int keys;
  template <class V, class Lanes> V operator()(V sum, Lanes lanes, int, int row, int key) const {
    return fma(sum, V(scale), load(mask + row * keys + key, lanes));
  }
};
// The kernel for a layout, and what it needs.
struct Kernel {
  std::function<void(const Operands &x, float *y, float *scratch, Part part)> run;
  int units, scratchFloats;
  template <class L> static Kernel of(const L &l) {
    const auto run = [l](const Operands &x, float *y, float *scratch, Part part) {
      const Masked scores{1.0f / std::sqrt(static_cast<float>(l.depth)), x.mask.data(), l.n};
      attention(l, x.q.data(), x.k.data(), x.v.data(), y, scratch, part, scores);
    };
    return {run, attention_units(l), attention_scratch_floats(l)};
  }
};

void check(const RunTime &l, const Kernel &kernel, const Operands &x, double tolerance = 3e-6) {
  std::vector<float> scratch(static_cast<std::size_t>(kernel.scratchFloats), quietNaN);
  const std::vector<float> before(static_cast<std::size_t>(l.batch * l.m * l.width), 77.0f);
  const auto after =
      runStep(before, kernel.units, [&](float *y, Part part) { kernel.run(x, y, scratch.data(), part); });
  expectAllNear(after, reference(l, x), tolerance, "attention");
}
void check(const RunTime &l, const Operands &x, double tolerance = 3e-6) { check(l, Kernel::of(l), x, tolerance); }
// With all extents known at run time only.
void check(const RunTime &l) { check(l, Operands::of(l)); }
// With constants.
template <class L> void checkConstant() {
  const RunTime l = RunTime::from(L{});
  check(l, Kernel::of(L{}), Operands::of(l));
}

template <int M, int N, int Depth, int Width, int Batch> void checkRunTime() {
  check(RunTime::from(Heads<M, N, Depth, Width, Batch>{}));
  check(RunTime::from(Stacks<M, N, Depth, Width, Batch>{}));
}

} // namespace

TEST(Attention, OneBlock) {
  checkRunTime<16, 16, 8, 16, 2>();
  checkRunTime<50, 50, 19, 21, 3>();
  checkRunTime<1, 7, 32, 32, 2>();
  checkConstant<Heads<50, 50, 19, 21, 3>>();
  checkConstant<Stacks<1, 7, 32, 32, 2>>();
}

TEST(Attention, SeveralBlocks) {
  checkRunTime<130, 300, 32, 48, 2>();
  checkRunTime<113, 513, 20, 7, 1>();
  checkConstant<Heads<113, 513, 20, 7, 1>>();
  checkConstant<Stacks<130, 300, 32, 48, 2>>();
}

// Heads whose rows are too far apart to be read in place, with more keys than one packed panel takes; at this width the
// product with v has lower tiles than that with k.
TEST(Attention, ManyWideHeads) { checkConstant<Heads<130, 300, 32, 80, 8>>(); }

TEST(Attention, LongSums) {
  checkRunTime<120, 40, 600, 24, 1>();
  checkConstant<Heads<120, 40, 600, 24, 1>>();
}

TEST(Attention, SharedKeys) {
  RunTime l = RunTime::from(Stacks<20, 30, 16, 24, 3>{});
  l.k_batch = l.v_batch = 0;
  check(l);
}

TEST(Attention, NoKeysGiveZero) {
  RunTime l = RunTime::from(Stacks<3, 1, 4, 5>{});
  l.n = 0;
  const Kernel kernel = Kernel::of(l);
  std::vector<float> y(15, 77.0f), scratch(static_cast<std::size_t>(kernel.scratchFloats));
  kernel.run(Operands::of(l), y.data(), scratch.data(), Part{0, kernel.units, 0});
  EXPECT_EQ(y, std::vector<float>(15, 0.0f));
}

TEST(Attention, LargeScoresNeitherOverflowNorVanish) {
  const RunTime l = RunTime::from(Heads<30, 600, 16, 16>{});
  Operands x = Operands::of(l);
  for (std::size_t i = 0; i < x.mask.size(); ++i)
    x.mask[i] = static_cast<float>(i % 600) - 300.0f; // the largest in the last block
  check(l, x, 1e-4);
  for (std::size_t i = 0; i < x.mask.size(); ++i)
    x.mask[i] = 300.0f - static_cast<float>(i % 600);
  check(l, x, 1e-4);
}

TEST(Attention, LargeValuesDoNotOverflow) {
  const RunTime l = RunTime::from(Heads<30, 600, 16, 16>{});
  Operands x = Operands::of(l);
  for (float &value : x.v)
    value = 3e38f;
  check(l, x);
}

TEST(Attention, Masks) {
  const RunTime l = RunTime::from(Heads<30, 600, 16, 16>{});
  Operands x = Operands::of(l);
  for (int i = 0; i < l.m; ++i)
    for (int j = 0; j < l.n; ++j)
      if (i == 3 || (i < 20 ? j > i : j < 20 * i)) // nothing left; causal; whole blocks at the start
        x.mask[static_cast<std::size_t>(i * l.n + j)] = -infinity;
  check(l, x);
}

TEST(Attention, NaNAndInfinity) {
  const RunTime l = RunTime::from(Heads<30, 600, 16, 16>{});
  for (float special : {quietNaN, infinity})
    for (std::size_t key : {0u, 255u, 256u, 599u}) {
      Operands x = Operands::of(l);
      x.mask[7 * 600 + key] = special;
      check(l, x);
    }
}

// lowering/select counts with these.
TEST(Attention, Scratch) {
  EXPECT_EQ(attention_scratch_floats(Heads<1500, 1500, 64, 64, 6>{}), 112 * (272 + 64 + 3));
  EXPECT_EQ(attention_scratch_floats(Heads<50, 40, 20, 20>{}), 50 * (64 + 32 + 3));
  EXPECT_EQ(attention_scratch_floats(RunTime::from(Heads<50, 40, 20, 20>{})), 112 * (272 + 32 + 3));
}
