// Matrix products by packed weights and of two activations: every remainder of rows and columns, one row, batches dense
// and apart, transposed operands, run-time extents, long sums, NaN and infinities.
#include "aotc/kernels/matmul.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

// Batch matrices of M x N = [M x K] [K x N], with Gap floats behind each row and each matrix of a and y.
template <int M, int N, int K, int Batch = 1, int Gap = 0> struct Packed {
  static constexpr int batch = Batch, m = M, n = N, k = K;
  static constexpr int a_row = K + Gap, a_batch = M * a_row + Gap, y_row = N + Gap, y_batch = M * y_row + Gap;
};
template <class Constant> struct PackedRunTime {
  static constexpr int n = Constant::n, k = Constant::k, a_row = Constant::a_row, y_row = Constant::y_row;
  int batch = Constant::batch, m = Constant::m, a_batch = Constant::a_batch, y_batch = Constant::y_batch;
};
// For two activations: which operand is stored transposed.
template <int M, int N, int K, int Batch = 1, bool TransposedA = false, bool TransposedB = false, int Gap = 0>
struct Activations : Packed<M, N, K, Batch, Gap> {
  static constexpr int a_row = TransposedA ? 1 : K + Gap, a_col = TransposedA ? M + Gap : 1;
  static constexpr int a_batch = (TransposedA ? K * a_col : M * a_row) + Gap;
  static constexpr int b_row = TransposedB ? 1 : N + Gap, b_col = TransposedB ? K + Gap : 1;
  static constexpr int b_batch = (TransposedB ? N * b_col : K * b_row) + Gap;
};
struct RunTime {
  int batch, m, n, k, a_batch, a_row, a_col, b_batch, b_row, b_col, y_batch, y_row;
  template <class C> static RunTime from(const C &) {
    return {C::batch, C::m,       C::n,     C::k,     C::a_batch, C::a_row,
            C::a_col, C::b_batch, C::b_row, C::b_col, C::y_batch, C::y_row};
  }
};

// Compares y = a b + bias + (what y held) with sums in double; a(b, i, k) and b(b, k, j) read the operands.
template <class L, class A, class B, class Run>
void expectProduct(const L &l, int units, const A &a, const B &b, const Run &run) {
  const std::vector<float> before = randomValues<float>(static_cast<std::size_t>(l.batch * l.y_batch), 3);
  const std::vector<float> bias = randomValues<float>(static_cast<std::size_t>(l.n), 4);
  const std::vector<float> after = runStep(before, units, [&](float *y, Part part) {
    run(y, part, [&](auto sum, auto lanes, int batch, int row, int column) {
      return sum + load(bias.data() + column, lanes) + load(y + batch * l.y_batch + row * l.y_row + column, lanes);
    });
  });
  std::vector<bool> computed(before.size());
  for (int batch = 0; batch < l.batch; ++batch)
    for (int i = 0; i < l.m; ++i)
      for (int j = 0; j < l.n; ++j) {
        double sum = 0.0, magnitude = 0.0;
        for (int k = 0; k < l.k; ++k) {
          const double product = static_cast<double>(a(batch, i, k)) * static_cast<double>(b(batch, k, j));
          sum += product;
          magnitude += std::fabs(product);
        }
        const auto at = static_cast<std::size_t>(batch * l.y_batch + i * l.y_row + j);
        const double expected =
            sum + static_cast<double>(bias[static_cast<std::size_t>(j)]) + static_cast<double>(before[at]);
        computed[at] = true;
        if (std::isnan(expected))
          ASSERT_TRUE(std::isnan(after[at])) << batch << ", " << i << ", " << j << ": " << after[at];
        else if (std::isinf(expected))
          ASSERT_EQ(after[at], expected) << batch << ", " << i << ", " << j;
        else
          ASSERT_NEAR(after[at], expected, 2e-6 * (magnitude + 4.0)) << batch << ", " << i << ", " << j;
      }
  for (std::size_t i = 0; i < after.size(); ++i)
    ASSERT_TRUE(computed[i] || after[i] == before[i]) << "element " << i << " between the rows was overwritten";
}

template <class L> void expectPacked(const L &l, float special = 0.0f) {
  std::vector<float> a = randomValues<float>(static_cast<std::size_t>(l.batch * l.a_batch), 1);
  if (special != 0.0f)
    a[a.size() / 2] = special;
  const std::vector<float> b = randomValues<float>(static_cast<std::size_t>(l.k * l.n), 2);
  const auto bAt = [&](int, int k, int j) { return b[static_cast<std::size_t>(k * l.n + j)]; };
  std::vector<float> panels;
  for (int panel = 0; panel < l.n; panel += 16)
    for (int k = 0; k < l.k; ++k)
      for (int j = panel; j < panel + 16; ++j)
        panels.push_back(j < l.n ? bAt(0, k, j) : 0.0f);
  expectProduct(
      l, matmul_packed_units(l),
      [&](int batch, int i, int k) { return a[static_cast<std::size_t>(batch * l.a_batch + i * l.a_row + k)]; }, bAt,
      [&](float *y, Part part, const auto &epilogue) { matmul_packed(l, a.data(), panels.data(), y, part, epilogue); });
}

template <class L> void expectActivations(const L &l, float special = 0.0f) {
  std::vector<float> a = randomValues<float>(static_cast<std::size_t>(l.batch * l.a_batch), 1);
  std::vector<float> b =
      randomValues<float>(static_cast<std::size_t>(l.b_batch == 0 ? l.k * l.n : l.batch * l.b_batch), 2);
  if (special != 0.0f)
    a[a.size() / 2] = special, b[b.size() / 3] = special;
  expectProduct(
      l, matmul_units(l),
      [&](int batch, int i, int k) {
        return a[static_cast<std::size_t>(batch * l.a_batch + i * l.a_row + k * l.a_col)];
      },
      [&](int batch, int k, int j) {
        return b[static_cast<std::size_t>(batch * l.b_batch + k * l.b_row + j * l.b_col)];
      },
      [&](float *y, Part part, const auto &epilogue) { matmul(l, a.data(), b.data(), y, part, epilogue); });
}

template <int... Rows> void expectPackedRows() { (expectPacked(Packed<Rows, 37, 19>{}), ...); }

} // namespace

TEST(MatmulPacked, Rows) { expectPackedRows<2, 5, 15, 31>(); }

TEST(MatmulPacked, OneRow) {
  expectPacked(Packed<1, 10, 64>{});
  expectPacked(Packed<1, 100, 333>{});
  expectPacked(PackedRunTime<Packed<1, 48, 33>>{});
}

TEST(MatmulPacked, Batches) {
  expectPacked(Packed<1, 24, 50, 7>{});
  expectPacked(Packed<3, 24, 50, 5>{});
  expectPacked(Packed<3, 24, 50, 5, 2>{}); // batches apart
  expectPacked(PackedRunTime<Packed<3, 24, 50, 5>>{});
  expectPacked(PackedRunTime<Packed<29, 24, 50, 2, 2>>{});
  expectPacked(PackedRunTime<Packed<13, 70, 50>>{});
}

TEST(MatmulPacked, LongRows) {
  expectPacked(Packed<29, 40, 1024>{}); // rows 4 KiB apart
  expectPacked(PackedRunTime<Packed<29, 20, 1024>>{});
}

TEST(MatmulPacked, NaNAndInfinity) {
  expectPacked(Packed<5, 20, 30>{}, quietNaN);
  expectPacked(Packed<5, 20, 30>{}, infinity);
  expectPacked(Packed<1, 100, 333>{}, -infinity);
}

namespace {
template <int M, int N, int K, int Batch = 1, int Gap = 0> void expectAllTranspositions(float special = 0.0f) {
  expectActivations(Activations<M, N, K, Batch, false, false, Gap>{}, special);
  expectActivations(Activations<M, N, K, Batch, false, true, Gap>{}, special);
  expectActivations(Activations<M, N, K, Batch, true, true, Gap>{}, special);
  expectActivations(RunTime::from(Activations<M, N, K, Batch, false, false, Gap>{}), special);
  expectActivations(RunTime::from(Activations<M, N, K, Batch, false, true, Gap>{}), special);
  expectActivations(RunTime::from(Activations<M, N, K, Batch, true, true, Gap>{}), special);
}
} // namespace

TEST(Matmul, Transpositions) {
  expectAllTranspositions<29, 37, 19, 2>();
  expectAllTranspositions<14, 64, 32, 1, 3>();
  expectAllTranspositions<1, 45, 70, 2>();
}

TEST(Matmul, LongSumsAndManyRows) {
  expectActivations(Activations<15, 21, 1500, 1, false, true>{});
  expectActivations(Activations<2, 21, 1500, 1, false, true>{});
  expectActivations(Activations<130, 33, 40, 1, false, true>{});
  expectActivations(RunTime::from(Activations<130, 33, 1100, 1, false, true>{}));
}

TEST(Matmul, SumsOfNothing) {
  RunTime l = RunTime::from(Activations<130, 33, 1, 2>{});
  l.k = 0;
  for (int row : {1, 33, 300}) {
    l.b_row = row, l.b_col = row == 1 ? 33 : 1;
    expectActivations(l);
  }
}

TEST(Matmul, SharedOperand) {
  RunTime l = RunTime::from(Activations<5, 18, 9, 3>{});
  l.b_batch = 0;
  expectActivations(l);
}

TEST(Matmul, NaNAndInfinity) {
  expectAllTranspositions<29, 37, 19, 2>(quietNaN);
  expectAllTranspositions<29, 37, 19, 2>(infinity);
}
