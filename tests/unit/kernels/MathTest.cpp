// The functions of math.hpp: accuracy against double, special values, and the same bits in every lane and as a scalar.
#include "aotc/kernels/math.hpp"

#include "StepRunner.h"

namespace aotc::test { // not a using-directive: exp(double) would be ambiguous with the one of <math.h>
namespace {

// Units in the last place of float between a result and the exact value.
double ulps(float actual, double exact) {
  if (std::isnan(exact))
    return std::isnan(actual) ? 0.0 : 1e9;
  if (std::isinf(static_cast<float>(exact)) || !std::isfinite(actual))
    return actual == static_cast<float>(exact) ? 0.0 : 1e9;
  const int exponent = exact == 0.0 ? -149 : std::max(std::ilogb(exact), -126);
  return std::fabs(static_cast<double>(actual) - exact) / std::ldexp(1.0, exponent - 23);
}

float fromBits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
bool sameBits(float a, float b) { return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b)); }

// Walks through all exponents and signs, in steps that are no multiple of a power of two.
template <class Function, class Exact> void expectAccurate(double limit, Function function, Exact exact) {
  constexpr int lanes = vec_lanes<float>;
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 40009 * lanes) {
    float x[lanes], y[lanes];
    for (int i = 0; i < lanes; ++i)
      x[i] = fromBits(static_cast<std::uint32_t>(bits + static_cast<std::uint64_t>(i) * 40009));
    store(y, function(load(x, Full{})), Full{});
    for (int i = 0; i < lanes; ++i) {
      ASSERT_LE(ulps(y[i], exact(static_cast<double>(x[i]))), limit) << "x = " << x[i] << ", y = " << y[i];
      ASSERT_TRUE(sameBits(function(x[i]), y[i])) << "scalar and vector differ at " << x[i];
    }
  }
  for (float x :
       {0.0f, -0.0f, 1.0f, -1.0f, infinity, -infinity, quietNaN, 1e-45f, -1e-45f, 3.4e38f, 88.72f, -87.4f, -103.9f}) {
    const float y = function(x);
    EXPECT_LE(ulps(y, exact(static_cast<double>(x))), limit) << "x = " << x << ", y = " << y;
    EXPECT_TRUE(exact(static_cast<double>(x)) != 0.0 || std::signbit(y) == std::signbit(exact(static_cast<double>(x))))
        << "x = " << x;
  }
}

} // namespace

TEST(Math, FunctionsAreAccurate) {
  expectAccurate(
      1.1, [](auto x) { return exp(x); }, [](double x) { return std::exp(x); });
  expectAccurate(
      1.1, [](auto x) { return log(x); }, [](double x) { return std::log(x); });
  expectAccurate(
      1.5, [](auto x) { return tanh(x); }, [](double x) { return std::tanh(x); });
  expectAccurate(
      1.5, [](auto x) { return erf(x); }, [](double x) { return std::erf(x); });
  expectAccurate(
      2.5, [](auto x) { return sigmoid(x); },
      [](double x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); });
  expectAccurate(
      1.5, [](auto x) { return rsqrt(x); }, [](double x) { return 1 / std::sqrt(x); });
  expectAccurate(
      1.0, [](auto x) { return sin(x); }, [](double x) { return std::sin(x); });
  expectAccurate(
      2.5, [](auto x) { return log1p(x); }, [](double x) { return std::log1p(x); });
  expectAccurate(
      2.5, [](auto x) { return expm1(x); }, [](double x) { return std::expm1(x); });
  expectAccurate(
      1.0, [](auto x) { return cos(x); }, [](double x) { return std::cos(x); });
}

TEST(Math, SingleStepsAreExact) {
  expectAccurate(
      0.5, [](auto x) { return sqrt(x); }, [](double x) { return std::sqrt(x); });
  expectAccurate(
      0.0, [](auto x) { return floor(x); }, [](double x) { return std::floor(x); });
  expectAccurate(
      0.0, [](auto x) { return ceil(x); }, [](double x) { return std::ceil(x); });
  expectAccurate(
      0.0, [](auto x) { return round_even(x); }, [](double x) { return std::nearbyint(x); });
  expectAccurate(
      0.0, [](auto x) { return abs(x); }, [](double x) { return std::fabs(x); });
  expectAccurate(
      0.0, [](auto x) { return fmod(x, splat<decltype(x)>(3.5f)); }, [](double x) { return std::fmod(x, 3.5); });
  expectAccurate(
      0.0, [](auto x) { return relu(x); }, [](double x) { return x < 0 ? 0.0 : x; });
  expectAccurate(
      0.0, [](auto x) { return clip(x, -1.5f, 6.0f); }, [](double x) { return x < -1.5  ? -1.5
                                                                              : x > 6.0 ? 6.0
                                                                                        : x; });
}

TEST(Math, NaNPassesThroughMaxAndMinFromBothSides) {
  const auto other = [](auto x, float y) { return splat<decltype(x)>(y); };
  for (float y : {quietNaN, 1.0f}) {
    const auto maxOf = [=](double x) { return std::isnan(x) || std::isnan(y) ? std::nan("") : std::max(x, 1.0); };
    const auto minOf = [=](double x) { return std::isnan(x) || std::isnan(y) ? std::nan("") : std::min(x, 1.0); };
    expectAccurate(
        0.0, [=](auto x) { return max(x, other(x, y)); }, maxOf);
    expectAccurate(
        0.0, [=](auto x) { return max(other(x, y), x); }, maxOf);
    expectAccurate(
        0.0, [=](auto x) { return min(x, other(x, y)); }, minOf);
    expectAccurate(
        0.0, [=](auto x) { return min(other(x, y), x); }, minOf);
  }
}

TEST(Math, ComparisonsAndSelection) {
  const auto weigh = [](auto x) {
    using V = decltype(x);
    const V zero(0.0f), one(1.0f), half(0.5f);
    return select(lt(x, half), one, zero) + select(le(x, half), V(2.0f), zero) + select(gt(x, half), V(4.0f), zero) +
           select(ge(x, half), V(8.0f), zero) + select(eq(x, half), V(16.0f), zero) +
           select(ne(x, half), V(32.0f), zero) + select(is_nan(x), V(64.0f), zero) +
           select(is_inf(x), V(128.0f), zero) + select(both(gt(x, zero), lt(x, one)), V(256.0f), zero) +
           select(either(lt(x, zero), is_nan(x)), V(512.0f), zero) + select(invert(lt(x, one)), V(1024.0f), zero) +
           select(differ(lt(x, one), gt(x, zero)), V(2048.0f), zero);
  };
  const auto expected = [](double x) {
    return (x < 0.5) * 1.0 + (x <= 0.5) * 2.0 + (x > 0.5) * 4.0 + (x >= 0.5) * 8.0 + (x == 0.5) * 16.0 +
           (x != 0.5) * 32.0 + std::isnan(x) * 64.0 + std::isinf(x) * 128.0 + (x > 0 && x < 1) * 256.0 +
           (x < 0 || std::isnan(x)) * 512.0 + !(x < 1) * 1024.0 + ((x < 1) != (x > 0)) * 2048.0;
  };
  expectAccurate(0.0, weigh, expected);
}

TEST(Math, TailsTouchNothingBehindThem) {
  constexpr int lanes = vec_lanes<float>;
  for (int count = 1; count < lanes; ++count) {
    const std::vector<float> source =
        randomValues<float>(static_cast<std::size_t>(count)); // the sanitizer sees one more
    std::vector<float> target(static_cast<std::size_t>(lanes), 7.0f);
    const Vec<float> value = load(source.data(), Tail{count});
    store(target.data(), value + Vec<float>(1.0f), Tail{count});
    for (int i = 0; i < lanes; ++i) {
      EXPECT_EQ(lane(value, i), i < count ? source[static_cast<std::size_t>(i)] : 0.0f);
      EXPECT_EQ(target[static_cast<std::size_t>(i)], i < count ? source[static_cast<std::size_t>(i)] + 1.0f : 7.0f);
    }
  }
}

TEST(Math, OtherElementTypes) {
  EXPECT_EQ(lane(abs(Vec<std::int32_t>(-3)), 0), 3);
  EXPECT_EQ(lane(max(Vec<std::int32_t>(-3), Vec<std::int32_t>(2)), 0), 2);
  EXPECT_EQ(max(std::int64_t{-3}, std::int64_t{2}), 2);
  EXPECT_EQ(lane(exp(Vec<double>(0.3)), 0), exp(0.3));
  EXPECT_EQ(lane(pow(Vec<float>(1.7f), Vec<float>(2.5f)), 0), pow(1.7f, 2.5f));
  EXPECT_EQ(lane(fma(Vec<double>(0.1), Vec<double>(0.2), Vec<double>(0.3)), 0), fma(0.1, 0.2, 0.3));
  EXPECT_EQ(fold_lanes(Vec<float>(2.0f), [](float a, float b) { return a + b; }),
            2.0f * static_cast<float>(vec_lanes<float>));
}

} // namespace aotc::test
