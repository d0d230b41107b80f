// Distances, votes and coupled probabilities of support vector machines against sums in double.
#include "aotc/kernels/svm.hpp"
#include "aotc/kernels/distances.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Distances {
  int rows, length, count;
};

void checkDistances(const Distances &l, float far) {
  auto x = randomValues<float>(static_cast<std::size_t>(l.rows * l.length));
  auto points = randomValues<float>(static_cast<std::size_t>(l.length * l.count), 2);
  for (float &value : x)
    value += far;
  for (float &value : points)
    value += far;
  const auto y = runStep(std::vector<float>(static_cast<std::size_t>(l.rows * l.count)), squared_distances_units(l),
                         [&](float *to, Part part) { squared_distances(l, x.data(), points.data(), to, part); });
  for (int r = 0; r < l.rows; ++r)
    for (int c = 0; c < l.count; ++c) {
      double sum = 0;
      for (int k = 0; k < l.length; ++k) {
        const double d = static_cast<double>(x[static_cast<std::size_t>(r * l.length + k)]) -
                         static_cast<double>(points[static_cast<std::size_t>(k * l.count + c)]);
        sum += d * d;
      }
      const std::size_t place = static_cast<std::size_t>(r * l.count + c);
      expectNear(static_cast<double>(y[place]), sum, 1e-5, "distance", place);
    }
}

TEST(SvmTest, Distances) {
  for (int count : {1, 5, 16, 63, 300})
    checkDistances({3, 7, count}, 0);
  checkDistances({2, 1, 9}, 0);
  checkDistances({2, 300, 90}, 1000); // digits that a difference of products would lose
  checkDistances({0, 4, 4}, 0);
}

TEST(SvmTest, DistancesKeepNaN) {
  const std::vector<float> x = {1, quietNaN}, points = {1, 2, 3, 4};
  std::vector<float> y(2);
  squared_distances(Distances{1, 2, 2}, x.data(), points.data(), y.data(), Part{0, 1, 0});
  EXPECT_TRUE(std::isnan(y[0]) && std::isnan(y[1]));
}

struct Machine {
  int rows, classes, vectors;
};

TEST(SvmTest, Votes) {
  const Machine l{5, 3, 11};
  const std::vector<std::int32_t> begins = {0, 4, 4, 11}; // the second class has no vectors
  const auto kernel = randomValues<float>(55), coefficients = randomValues<float>(22, 2),
             rho = randomValues<float>(3, 3);
  std::vector<float> votes(15);
  const auto scores = runStep(std::vector<float>(15), svm_votes_units(l), [&](float *to, Part part) {
    svm_votes(l, kernel.data(), coefficients.data(), rho.data(), begins.data(), to, votes.data(), part);
  });
  for (std::size_t r = 0; r < 5; ++r) {
    std::vector<float> want(3);
    std::size_t pair = 0;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = a + 1; b < 3; ++b, ++pair) {
        double sum = static_cast<double>(rho[pair]);
        const auto add = [&](std::size_t of, std::size_t row) {
          for (std::size_t v = static_cast<std::size_t>(begins[of]); v < static_cast<std::size_t>(begins[of + 1]); ++v)
            sum += static_cast<double>(kernel[r * 11 + v]) * static_cast<double>(coefficients[row * 11 + v]);
        };
        add(a, b - 1);
        add(b, a);
        expectNear(static_cast<double>(scores[r * 3 + pair]), sum, 1e-6, "score", r * 3 + pair);
        want[sum > 0 ? a : b] += 1;
      }
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_EQ(votes[r * 3 + c], want[c]);
  }
}

std::vector<float> probabilities(const Machine &l, const std::vector<float> &scores) {
  const std::size_t pairs = static_cast<std::size_t>(l.classes * (l.classes - 1) / 2);
  const std::vector<float> slopes(pairs, -2.0f), offsets(pairs, 0.0f);
  std::vector<float> scratch(static_cast<std::size_t>((l.classes + 1) * l.classes));
  return runStep(std::vector<float>(static_cast<std::size_t>(l.rows * l.classes)), svm_probabilities_units(l),
                 [&](float *to, Part part) {
                   svm_probabilities(l, scores.data(), slopes.data(), offsets.data(), to, scratch.data(), part);
                 });
}

// With two classes the coupled probabilities are those of the pair.
TEST(SvmTest, ProbabilitiesOfTwoClasses) {
  const auto y = probabilities({3, 2, 0}, {0.0f, 0.7f, -3.0f});
  for (std::size_t r = 0; r < 3; ++r) {
    const double score = r == 0 ? 0 : r == 1 ? 0.7 : -3.0;
    const double want = 1 / (1 + std::exp(-2 * score));
    EXPECT_NEAR(static_cast<double>(y[2 * r]), want, 3e-3); // it stops once it is that close
    EXPECT_NEAR(static_cast<double>(y[2 * r] + y[2 * r + 1]), 1, 1e-5);
  }
}

TEST(SvmTest, ProbabilitiesOfConsistentPairs) {
  // pairs that agree with 0.5, 0.3, 0.2: p(a | a or b) = p_a / (p_a + p_b)
  const double p[] = {0.5, 0.3, 0.2};
  std::vector<float> scores;
  for (int a = 0; a < 3; ++a)
    for (int b = a + 1; b < 3; ++b)
      scores.push_back(static_cast<float>(std::log(p[a] / p[b]) / 2));
  const auto y = probabilities({1, 3, 0}, scores);
  for (std::size_t c = 0; c < 3; ++c)
    EXPECT_NEAR(static_cast<double>(y[c]), p[c], 3e-3);
}

} // namespace
