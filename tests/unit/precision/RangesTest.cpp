// Ranges from histograms, held against ranges that are worked out on the values themselves, the slow way.
#include "lowering/precision/Ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

using namespace aotc::precision;

namespace {

constexpr size_t bins = 2048;

Histogram histogramOf(const std::vector<double> &values) {
  Histogram histogram;
  for (double value : values)
    histogram.range = merged(histogram.range, {value, value});
  histogram.counts.resize(bins);
  for (double value : values) {
    if (value == 0) {
      ++histogram.zeros;
      continue;
    }
    double place = (value - histogram.range.low) / histogram.width();
    ++histogram.counts[std::min(bins - 1, static_cast<size_t>(place))];
  }
  return histogram;
}

// As a step rounds and its ends clip, value by value.
double errorOf(const std::vector<double> &values, Range range) {
  ByteQuantization to = byteQuantization(range);
  double sum = 0;
  for (double value : values) {
    double integer = std::clamp(std::nearbyint(value / to.scale) + static_cast<double>(to.zeroPoint), 0.0, 255.0);
    double error = (integer - static_cast<double>(to.zeroPoint)) * to.scale - value;
    sum += error * error;
  }
  return sum;
}

enum class Shape { normal, relu, longTail, fewLarge };

std::vector<double> draw(Shape shape, size_t count) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal(0.3, 1.0);
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) {
    double value = normal(random);
    if (shape == Shape::relu)
      value = std::max(value, 0.0);
    if (shape == Shape::longTail)
      value = value * value * value;
    if (shape == Shape::fewLarge && i % 5000 == 0)
      value = 60;
    values.push_back(value);
  }
  return values;
}

constexpr Shape allShapes[] = {Shape::normal, Shape::relu, Shape::longTail, Shape::fewLarge};

TEST(Ranges, MinmaxTakesAll) {
  Range range = chooseRange(histogramOf({-1.5, 0.25, 4.0}), RangeMethod::minmax);
  EXPECT_EQ(range.low, -1.5);
  EXPECT_EQ(range.high, 4.0);
}

TEST(Ranges, ZeroBelongsToAllOfThem) {
  for (RangeMethod method : {RangeMethod::minmax, RangeMethod::percentile, RangeMethod::entropy, RangeMethod::mse})
    for (Shape shape : allShapes) {
      Histogram histogram = histogramOf(draw(shape, 20000));
      Range range = chooseRange(histogram, method);
      EXPECT_LE(range.low, 0) << nameOf(method);
      EXPECT_GE(range.high, 0) << nameOf(method);
      EXPECT_GE(range.low, histogram.range.low) << nameOf(method);
      EXPECT_LE(range.high, histogram.range.high) << nameOf(method);
    }
}

TEST(Ranges, NothingAndZerosHaveARange) {
  for (RangeMethod method : {RangeMethod::minmax, RangeMethod::percentile, RangeMethod::entropy, RangeMethod::mse})
    for (const std::vector<double> &values : {std::vector<double>(), std::vector<double>(100, 0.0)}) {
      Range range = chooseRange(histogramOf(values), method);
      EXPECT_EQ(range.low, 0);
      EXPECT_EQ(range.high, 0);
    }
}

TEST(Ranges, PercentileIsThatOfTheSortedValues) {
  for (Shape shape : allShapes) {
    std::vector<double> values = draw(shape, 400000);
    Histogram histogram = histogramOf(values);
    Range range = chooseRange(histogram, RangeMethod::percentile);
    std::sort(values.begin(), values.end());
    EXPECT_NEAR(range.low, std::min(0.0, values[2]), histogram.width());
    EXPECT_NEAR(range.high, values[values.size() - 3], histogram.width());
  }
}

TEST(Ranges, SquaredErrorIsThatOfTheValues) {
  for (Shape shape : allShapes) {
    std::vector<double> values = draw(shape, 40000);
    Histogram histogram = histogramOf(values);
    for (double part : {1.0, 0.7, 0.4}) {
      Range range{histogram.range.low * part, histogram.range.high * part};
      double expected = errorOf(values, range);
      EXPECT_NEAR(squaredError(histogram, range), expected, 0.05 * expected + 1e-9);
    }
  }
}

// All pairs of ends of a coarse grid: none is better than what was chosen, but for what the histogram does not tell.
TEST(Ranges, MseIsTheLeastOfAllRanges) {
  for (Shape shape : allShapes) {
    std::vector<double> values = draw(shape, 20000);
    Histogram histogram = histogramOf(values);
    double least = std::numeric_limits<double>::infinity();
    for (int low = 0; low <= 50; ++low)
      for (int high = 1; high <= 50; ++high)
        least = std::min(least, errorOf(values, {histogram.range.low * low / 50, histogram.range.high * high / 50}));
    double chosen = errorOf(values, chooseRange(histogram, RangeMethod::mse));
    EXPECT_LE(chosen, 1.1 * least) << static_cast<int>(shape);
  }
}

// The divergence by its definition: distributions over the bins of a range, as maps.
double divergenceOf(const Histogram &histogram, size_t first, size_t last) {
  std::map<size_t, double> clipped, inside;
  double total = 0, totalInside = 0;
  for (size_t bin = 0; bin < bins; ++bin) {
    double count = histogram.counts[bin];
    clipped[std::clamp(bin, first, last - 1)] += count;
    total += count;
    if (bin >= first && bin < last) {
      inside[bin] = count;
      totalInside += count;
    }
  }
  auto levelOf = [&](size_t bin) { // the level whose part of the range the bin is in
    size_t level = 0;
    while ((level + 1) * (last - first) / 255 <= bin - first)
      ++level;
    return level;
  };
  std::map<size_t, double> sums, filled;
  for (auto [bin, count] : inside) {
    sums[levelOf(bin)] += count;
    filled[levelOf(bin)] += clipped[bin] > 0 ? 1 : 0;
  }
  double result = 0;
  for (auto [bin, count] : clipped) {
    if (count == 0)
      continue;
    double p = count / total, q = sums[levelOf(bin)] / filled[levelOf(bin)] / totalInside;
    result += p * std::log(p / std::max(q, 1e-12));
  }
  return result;
}

TEST(Ranges, EntropyIsTheLeastDivergence) {
  for (Shape shape : allShapes) {
    Histogram histogram = histogramOf(draw(shape, 20000));
    double largest = std::max(-histogram.range.low, histogram.range.high);
    double least = std::numeric_limits<double>::infinity();
    Range best;
    for (int candidate = 128; candidate > 0; --candidate) {
      Range range{std::max(histogram.range.low, -largest * candidate / 128),
                  std::min(histogram.range.high, largest * candidate / 128)};
      auto first = static_cast<size_t>(std::lround((range.low - histogram.range.low) / histogram.width()));
      auto last = static_cast<size_t>(std::lround((range.high - histogram.range.low) / histogram.width()));
      if (last < first + 255)
        break;
      double divergence = divergenceOf(histogram, first, last);
      if (divergence < least) {
        least = divergence;
        best = range;
      }
    }
    Range chosen = chooseRange(histogram, RangeMethod::entropy);
    EXPECT_EQ(chosen.low, best.low) << static_cast<int>(shape);
    EXPECT_EQ(chosen.high, best.high) << static_cast<int>(shape);
  }
}

TEST(Ranges, OutliersAreClipped) {
  Histogram histogram = histogramOf(draw(Shape::fewLarge, 40000));
  EXPECT_EQ(chooseRange(histogram, RangeMethod::minmax).high, 60);
  EXPECT_LT(chooseRange(histogram, RangeMethod::entropy).high, 30);
}

TEST(ByteQuantization, ZeroIsExact) {
  ByteQuantization to = byteQuantization({-1.0, 1.55});
  EXPECT_EQ(to.zeroPoint, 100);
  EXPECT_EQ(to.scale, static_cast<double>(static_cast<float>(0.01)));
  EXPECT_EQ(byteQuantization({0, 51}).zeroPoint, 0);
  EXPECT_EQ(byteQuantization({-51, 0}).zeroPoint, 255);
}

TEST(ByteQuantization, RangesGrowToHoldZero) {
  EXPECT_EQ(byteQuantization({2, 5.1}).zeroPoint, 0);
  EXPECT_NEAR(byteQuantization({2, 5.1}).scale, 0.02, 1e-9);
  EXPECT_EQ(byteQuantization({-5.1, -2}).zeroPoint, 255);
}

TEST(ByteQuantization, ScalesAreNeverZero) {
  for (double high : {0.0, 1e-300, 1e-38})
    EXPECT_EQ(byteQuantization({0, high}).scale, 1.0 / 1024) << high;
}

TEST(RangeMethods, NamesAreThoseOfTheCommandLine) {
  for (RangeMethod method : {RangeMethod::minmax, RangeMethod::percentile, RangeMethod::entropy, RangeMethod::mse})
    EXPECT_EQ(rangeMethodOf(nameOf(method)), method);
  EXPECT_EQ(rangeMethodOf("median"), std::nullopt);
}

} // namespace
