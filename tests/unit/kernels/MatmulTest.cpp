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
template <int N, int K, int Gap = 0> struct PackedRunTime {
  static constexpr int n = N, k = K, a_row = K + Gap, y_row = N + Gap;
  int m, batch = 1, a_batch = m * a_row + Gap, y_batch = m * y_row + Gap;
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
  // Of a product by the matrix that is to be packed.
  template <class L> static RunTime packed(const L &l) {
    return {l.batch, l.m, l.n, l.k, l.a_batch, l.a_row, 1, 0, l.n, 1, l.y_batch, l.y_row};
  }
};

// What is stored: sum + bias + (what y held).
struct AddBiasAndSkip {
  const float *bias, *y;
  int y_batch, y_row;
  template <class V, class Lanes> V operator()(V sum, Lanes lanes, int batch, int row, int column) const {
    return sum + load(bias + column, lanes) + load(y + batch * y_batch + row * y_row + column, lanes);
  }
};
using Run = std::function<void(float *y, Part part, const AddBiasAndSkip &epilogue)>;

// Compares y = a b + bias + (what y held) with sums in double.
void expectProduct(const RunTime &l, int units, const std::vector<float> &a, const std::vector<float> &b,
                   const Run &run) {
  const std::vector<float> before = randomValues<float>(static_cast<std::size_t>(l.batch * l.y_batch), 3);
  const std::vector<float> bias = randomValues<float>(static_cast<std::size_t>(l.n), 4);
  const std::vector<float> after = runStep(before, units, [&](float *y, Part part) {
    run(y, part, {bias.data(), y, l.y_batch, l.y_row});
  });
  std::vector<bool> computed(before.size());
  for (int batch = 0; batch < l.batch; ++batch)
    for (int i = 0; i < l.m; ++i)
      for (int j = 0; j < l.n; ++j) {
        double sum = 0.0, magnitude = 0.0;
        for (int k = 0; k < l.k; ++k) {
          const auto left = static_cast<std::size_t>(batch * l.a_batch + i * l.a_row + k * l.a_col);
          const auto right = static_cast<std::size_t>(batch * l.b_batch + k * l.b_row + j * l.b_col);
          const double product = static_cast<double>(a[left]) * static_cast<double>(b[right]);
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

// [ceil(n / 16)][k][16] of [k][n].
std::vector<float> panelsOf(const RunTime &l, const std::vector<float> &b) {
  std::vector<float> panels;
  for (int panel = 0; panel < l.n; panel += 16)
    for (int k = 0; k < l.k; ++k)
      for (int j = panel; j < panel + 16; ++j)
        panels.push_back(j < l.n ? b[static_cast<std::size_t>(k * l.n + j)] : 0.0f);
  return panels;
}

using RunPacked =
    std::function<void(const float *a, const float *panels, float *y, Part part, const AddBiasAndSkip &epilogue)>;
void expectPacked(const RunTime &l, int units, float special, const RunPacked &run) {
  std::vector<float> a = randomValues<float>(static_cast<std::size_t>(l.batch * l.a_batch), 1);
  if (special != 0.0f)
    a[a.size() / 2] = special;
  const std::vector<float> b = randomValues<float>(static_cast<std::size_t>(l.k * l.n), 2), panels = panelsOf(l, b);
  expectProduct(l, units, a, b, [&](float *y, Part part, const AddBiasAndSkip &epilogue) {
    run(a.data(), panels.data(), y, part, epilogue);
  });
}
template <class L> void expectPacked(const L &l, float special = 0.0f) {
  expectPacked(RunTime::packed(l), matmul_packed_units(l), special,
               [&](auto... arguments) { matmul_packed(l, arguments...); });
}

void expectActivations(const RunTime &l, int units, float special, const RunPacked &run) {
  std::vector<float> a = randomValues<float>(static_cast<std::size_t>(l.batch * l.a_batch), 1);
  std::vector<float> b =
      randomValues<float>(static_cast<std::size_t>(l.b_batch == 0 ? l.k * l.n : l.batch * l.b_batch), 2);
  if (special != 0.0f)
    a[a.size() / 2] = special, b[b.size() / 3] = special;
  expectProduct(l, units, a, b, [&](float *y, Part part, const AddBiasAndSkip &epilogue) {
    run(a.data(), b.data(), y, part, epilogue);
  });
}
void expectActivations(const RunTime &l, float special = 0.0f) {
  expectActivations(l, matmul_units(l), special, [&](auto... arguments) { matmul(l, arguments...); });
}
template <class L> void expectConstantActivations(float special = 0.0f) {
  constexpr L l{};
  expectActivations(RunTime::from(l), matmul_units(l), special, [&](auto... arguments) { matmul(l, arguments...); });
}

} // namespace

TEST(MatmulPacked, Rows) {
  expectPacked(Packed<2, 37, 19>{});
  expectPacked(Packed<31, 37, 19>{});
}

TEST(MatmulPacked, OneRow) {
  expectPacked(Packed<1, 100, 333>{});
  expectPacked(PackedRunTime<10, 64>{1});
}

TEST(MatmulPacked, Batches) {
  expectPacked(Packed<3, 24, 50, 5>{});
  expectPacked(Packed<3, 24, 50, 5, 2>{}); // batches apart
  for (int rows : {1, 3, 13})
    for (int batch : {1, 5})
      expectPacked(PackedRunTime<70, 50>{rows, batch});
  expectPacked(PackedRunTime<24, 50, 2>{29, 2});
}

TEST(MatmulPacked, LongRows) {
  expectPacked(Packed<29, 40, 1024>{}); // rows 4 KiB apart
  expectPacked(PackedRunTime<20, 1024>{29});
}

TEST(MatmulPacked, NaNAndInfinity) {
  expectPacked(Packed<31, 37, 19>{}, quietNaN);
  expectPacked(Packed<31, 37, 19>{}, infinity);
  expectPacked(Packed<1, 100, 333>{}, -infinity);
}

namespace {
template <int M, int N, int K, int Batch = 1, int Gap = 0> void expectTranspositions(float special = 0.0f) {
  expectActivations(RunTime::from(Activations<M, N, K, Batch, false, false, Gap>{}), special);
  expectActivations(RunTime::from(Activations<M, N, K, Batch, false, true, Gap>{}), special);
  expectActivations(RunTime::from(Activations<M, N, K, Batch, true, true, Gap>{}), special);
}
template <int M, int N, int K, int Batch> void expectConstantTranspositions(float special = 0.0f) {
  expectConstantActivations<Activations<M, N, K, Batch, false, false>>(special);
  expectConstantActivations<Activations<M, N, K, Batch, false, true>>(special);
  expectConstantActivations<Activations<M, N, K, Batch, true, true>>(special);
}
} // namespace

TEST(Matmul, Transpositions) {
  expectTranspositions<29, 37, 19, 2>();
  expectTranspositions<14, 64, 32, 1, 3>();
  expectTranspositions<1, 45, 70, 2>();
  expectConstantTranspositions<29, 37, 19, 2>();
  expectConstantActivations<Activations<14, 64, 32, 1, false, false, 3>>();
  expectConstantActivations<Activations<1, 45, 70, 2, false, true>>(); // dot products
}

TEST(Matmul, LongSumsAndManyRows) {
  expectConstantActivations<Activations<15, 21, 1500, 1, false, true>>();
  expectConstantActivations<Activations<130, 33, 40, 1, false, true>>();
  expectActivations(RunTime::from(Activations<15, 21, 1500, 1, false, true>{}));
  expectActivations(RunTime::from(Activations<2, 21, 1500, 1, false, true>{}));
  expectActivations(RunTime::from(Activations<130, 33, 40, 1, false, true>{}));
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
  for (float special : {quietNaN, infinity}) {
    expectTranspositions<29, 37, 19, 2>(special);
    expectConstantTranspositions<29, 37, 19, 2>(special);
  }
}
