// What a support vector machine of several classes does with the values of its kernel: a score for every pair of
// classes, votes, and probabilities out of the scores. Pairs (a, b), a < b, come in the order (0, 1), (0, 2), …
// (1, 2) …
//
// Layouts: rows, classes; vectors (svm_votes only). Both follow libsvm, whose sums are in double and whose
// probabilities are in the type of the model: an iteration that stops early must stop where ONNX Runtime's does.
#pragma once
#include "math.hpp"
#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

template <class L>
constexpr Blocks svm_blocks(const L& l, int cost) {
  return blocks_of(l.rows, 1, max_of(1, min_of(unit_elements, cost)));
}

// In four interleaved sums.
AOTC_INLINE double dot_in_double(const float* a, const float* b, int length) {
  double sums[4] = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= length; i += 4) {
    AOTC_UNROLL(4)
    for (int j = 0; j < 4; ++j) sums[j] += static_cast<double>(a[i + j]) * static_cast<double>(b[i + j]);
  }
  for (; i < length; ++i) sums[0] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace detail

template <class L>
constexpr int svm_votes_units(const L& l) {
  return detail::svm_blocks(l, l.vectors * (l.classes - 1)).count();
}

// similarities [rows][vectors], the vectors sorted by class: those of class c stand at begins[c] to begins[c + 1].
// coefficients [classes - 1][vectors]: those of class c against class d stand in row d - (d > c).
// scores [rows][pairs], votes [rows][classes]: how many pairs a class wins.
template <class L>
void svm_votes(const L& l, const float* similarities, const float* coefficients, const float* rho,
               const std::int32_t* begins, float* scores, float* votes, Part part) {
  const int pairs = l.classes * (l.classes - 1) / 2;
  const std::ptrdiff_t vectors = l.vectors;
  for_each_block(detail::svm_blocks(l, l.vectors * (l.classes - 1)), part, [&](int row_begin, int row_end, int, int) {
    for (int r = row_begin; r < row_end; ++r) {
      const float* x = similarities + r * vectors;
      float* score = scores + static_cast<std::ptrdiff_t>(r) * pairs;
      float* vote = votes + static_cast<std::ptrdiff_t>(r) * l.classes;
      for (int c = 0; c < l.classes; ++c) vote[c] = 0;
      int pair = 0;
      for (int a = 0; a < l.classes; ++a)
        for (int b = a + 1; b < l.classes; ++b, ++pair) {
          const std::ptrdiff_t at_a = begins[a], at_b = begins[b];
          double sum =
              detail::dot_in_double(x + at_a, coefficients + (b - 1) * vectors + at_a, begins[a + 1] - begins[a]);
          sum += detail::dot_in_double(x + at_b, coefficients + a * vectors + at_b, begins[b + 1] - begins[b]);
          sum += static_cast<double>(rho[pair]);
          score[pair] = static_cast<float>(sum);
          vote[sum > 0 ? a : b] += 1;
        }
    }
  });
}

namespace detail {

// Of the first class of a pair, by its score.
AOTC_INLINE float pair_probability(float score, float a, float b) {
  const float value = score * a + b;
  const float positive = 1.0f / (1.0f + exp(-abs(value)));
  const float probability = value < 0 ? positive : 1.0f - positive;
  return min(max(probability, 1.0e-7f), 1.0f - 1.0e-7f);
}

// The second method of Wu, Lin and Weng (2004). q holds the probabilities of pairs, r[a][b] that of a against b, and
// becomes the matrix of the quadratic form that is made least.
inline void quadratic_form(float* q, int n) {
  for (int a = 0; a < n; ++a) {
    float sum = 0;
    for (int b = 0; b < n; ++b)
      if (b != a) sum += q[b * n + a] * q[b * n + a];
    q[a * n + a] = sum;
  }
  for (int a = 0; a < n; ++a)
    for (int b = a + 1; b < n; ++b) q[a * n + b] = q[b * n + a] = -(q[b * n + a] * q[a * n + b]);
}

// qp = q p; returns p q p.
AOTC_INLINE float apply_form(const float* q, const float* p, float* qp, int n) {
  float pqp = 0;
  for (int a = 0; a < n; ++a) {
    qp[a] = 0;
    for (int b = 0; b < n; ++b) qp[a] += q[a * n + b] * p[b];
    pqp += p[a] * qp[a];
  }
  return pqp;
}

inline void couple(const float* q, float* p, float* qp, int n) {
  const float enough = 0.005f / static_cast<float>(n);
  for (int a = 0; a < n; ++a) p[a] = 1.0f / static_cast<float>(n);
  for (int round = 0; round < max_of(100, n); ++round) {
    float pqp = apply_form(q, p, qp, n);
    float error = 0;
    for (int a = 0; a < n; ++a) error = max(error, abs(qp[a] - pqp));
    if (error < enough) return;
    for (int a = 0; a < n; ++a) {
      const float change = (pqp - qp[a]) / q[a * n + a];
      p[a] += change;
      pqp = (pqp + change * (change * q[a * n + a] + 2 * qp[a])) / (1 + change) / (1 + change);
      for (int b = 0; b < n; ++b) {
        qp[b] = (qp[b] + change * q[a * n + b]) / (1 + change);
        p[b] /= 1 + change;
      }
    }
  }
}

}  // namespace detail

template <class L>
constexpr int svm_probabilities_units(const L& l) {
  return detail::svm_blocks(l, 20 * l.classes * l.classes).count();
}

// scores [rows][pairs], slopes and offsets [pairs], y [rows][classes]; scratch: (classes + 1) * classes floats.
template <class L>
void svm_probabilities(const L& l, const float* scores, const float* slopes, const float* offsets, float* y,
                       void* scratch, Part part) {
  const int n = l.classes, pairs = n * (n - 1) / 2;
  float* q = static_cast<float*>(scratch);
  for_each_block(detail::svm_blocks(l, 20 * n * n), part, [&](int row_begin, int row_end, int, int) {
    for (int r = row_begin; r < row_end; ++r) {
      const float* score = scores + static_cast<std::ptrdiff_t>(r) * pairs;
      int pair = 0;
      for (int a = 0; a < n; ++a)
        for (int b = a + 1; b < n; ++b, ++pair) {
          q[a * n + b] = detail::pair_probability(score[pair], slopes[pair], offsets[pair]);
          q[b * n + a] = 1.0f - q[a * n + b];
        }
      detail::quadratic_form(q, n);
      detail::couple(q, y + static_cast<std::ptrdiff_t>(r) * n, q + n * n, n);
    }
  });
}

AOTC_KERNELS_END
