// Sources: percentile and entropy after S. Migacz, "8-bit Inference with TensorRT" (GTC 2017), the latter generalized to
// ranges that are not symmetric; squared error after R. Banner et al., "Post training 4-bit quantization of convolutional
// networks for rapid-deployment" (NeurIPS 2019), searched on the histogram in place of a fitted distribution.
#include "lowering/precision/Ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace aotc::precision {

static constexpr double steps = 255;

static constexpr std::pair<const char *, RangeMethod> methods[] = {{"minmax", RangeMethod::minmax},
                                                                   {"percentile", RangeMethod::percentile},
                                                                   {"entropy", RangeMethod::entropy},
                                                                   {"mse", RangeMethod::mse}};

std::optional<RangeMethod> rangeMethodOf(std::string_view name) {
  for (auto [text, method] : methods)
    if (name == text)
      return method;
  return std::nullopt;
}

const char *nameOf(RangeMethod method) {
  for (auto [text, each] : methods)
    if (method == each)
      return text;
  return "";
}

Range merged(Range a, Range b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

ByteQuantization byteQuantization(Range range) {
  double low = std::min(0.0, range.low), high = std::max(0.0, range.high);
  float scale = static_cast<float>((high - low) / steps);
  // Of zeros, or what is as good as zeros, any scale holds them. Biases behind them are counted in its units.
  constexpr double ofZeros = 1.0 / 1024;
  if (!(scale >= std::numeric_limits<float>::min()))
    return {ofZeros, 0};
  double zeroPoint = std::nearbyint(-low / static_cast<double>(scale));
  return {static_cast<double>(scale), static_cast<int64_t>(std::clamp(zeroPoint, 0.0, steps))};
}

// -------------------------------------------------------------------------------------------------------- percentile
static Range percentile(const Histogram &histogram) {
  constexpr double cutAtEachEnd = 0.5e-5;
  double total = std::accumulate(histogram.counts.begin(), histogram.counts.end(), histogram.zeros);
  double most = total * cutAtEachEnd;
  size_t first = 0, last = histogram.counts.size();
  for (double cut = histogram.counts[first]; cut <= most && first + 1 < last; cut += histogram.counts[first])
    ++first;
  for (double cut = histogram.counts[last - 1]; cut <= most && first + 1 < last; cut += histogram.counts[last - 1])
    --last;
  double low = histogram.range.low + static_cast<double>(first) * histogram.width();
  double high = histogram.range.low + static_cast<double>(last) * histogram.width();
  return {std::clamp(low, histogram.range.low, 0.0), std::clamp(high, 0.0, histogram.range.high)};
}

// ------------------------------------------------------------------------------------------------------------ entropy
// The Kullback-Leibler divergence of the bins [first, last) with all that is clipped added at the ends, from the same
// bins merged to 255 and spread again over those that hold something.
static double divergence(const std::vector<double> &counts, size_t first, size_t last, double total) {
  std::vector<double> clipped(counts.begin() + static_cast<std::ptrdiff_t>(first),
                              counts.begin() + static_cast<std::ptrdiff_t>(last));
  clipped.front() += std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(first), 0.0);
  clipped.back() += std::accumulate(counts.begin() + static_cast<std::ptrdiff_t>(last), counts.end(), 0.0);
  double inside = std::accumulate(counts.begin() + static_cast<std::ptrdiff_t>(first),
                                  counts.begin() + static_cast<std::ptrdiff_t>(last), 0.0);
  const size_t size = last - first, levels = static_cast<size_t>(steps);
  double result = 0;
  for (size_t level = 0; level < levels; ++level) {
    size_t begin = level * size / levels, end = (level + 1) * size / levels;
    double sum = 0, filled = 0;
    for (size_t i = begin; i < end; ++i) {
      sum += counts[first + i];
      filled += clipped[i] > 0 ? 1 : 0;
    }
    for (size_t i = begin; i < end; ++i)
      if (clipped[i] > 0) {
        double p = clipped[i] / total, q = sum / filled / inside;
        result += p * std::log(p / std::max(q, 1e-12)); // an empty level cannot stand for what is clipped to it
      }
  }
  return result;
}

// Candidates clip magnitudes, so that both ends come in together.
static Range entropy(const Histogram &histogram) {
  const size_t bins = histogram.counts.size(), least = static_cast<size_t>(steps);
  double total = std::accumulate(histogram.counts.begin(), histogram.counts.end(), 0.0);
  double width = histogram.width(), largest = std::max(-histogram.range.low, histogram.range.high);
  Range best = histogram.range;
  double bestValue = std::numeric_limits<double>::infinity();
  constexpr int candidates = 128;
  for (int candidate = candidates; candidate > 0 && total > 0; --candidate) {
    double magnitude = largest * candidate / candidates;
    Range range{std::max(histogram.range.low, -magnitude), std::min(histogram.range.high, magnitude)};
    size_t first = static_cast<size_t>(std::lround((range.low - histogram.range.low) / width));
    size_t last = std::min(bins, static_cast<size_t>(std::lround((range.high - histogram.range.low) / width)));
    if (last < first + least)
      break;
    double inside = std::accumulate(histogram.counts.begin() + static_cast<std::ptrdiff_t>(first),
                                    histogram.counts.begin() + static_cast<std::ptrdiff_t>(last), 0.0);
    double value = inside > 0 ? divergence(histogram.counts, first, last, total) : bestValue;
    if (value < bestValue) {
      bestValue = value;
      best = range;
    }
  }
  return best;
}

// ------------------------------------------------------------------------------------------------------ squared error
// The squared error of rounding, added up from 0 to `value`, with both in steps.
static double roundingError(double value) {
  double whole = std::nearbyint(value), rest = value - whole;
  return whole / 12 + rest * rest * rest / 3;
}

// Values are spread evenly over their bin, steps count from 0.
double squaredError(const Histogram &histogram, Range range) {
  const double step = (range.high - range.low) / steps, width = histogram.width();
  double rounding = 0, clipping = 0, before = 0;
  size_t previous = histogram.counts.size(); // the bin that `before` is the end of
  for (size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    if (histogram.counts[bin] == 0)
      continue;
    double value = histogram.middle(bin), beyond = std::max({0.0, range.low - value, value - range.high});
    if (beyond > 0) {
      clipping += histogram.counts[bin] * beyond * beyond;
      continue;
    }
    double begin = previous + 1 == bin ? before : roundingError((value - width / 2) / step);
    before = roundingError((value + width / 2) / step);
    previous = bin;
    rounding += histogram.counts[bin] * (before - begin);
  }
  return clipping + rounding * step * step * step / width;
}

// One end after the other, twice: the error is that of both ends together, but each has one minimum nearly alone.
static Range leastSquaredError(const Histogram &histogram) {
  constexpr int candidates = 100;
  Range best = histogram.range;
  double bestError = squaredError(histogram, best);
  for (int round = 0; round < 2; ++round)
    for (double Range::*end : {&Range::high, &Range::low})
      for (int candidate = candidates; candidate > 0; --candidate) {
        Range range = best;
        range.*end = histogram.range.*end * candidate / candidates;
        double error = squaredError(histogram, range);
        if (range.low < range.high && error < bestError) {
          bestError = error;
          best = range;
        }
      }
  return best;
}

Range chooseRange(const Histogram &histogram, RangeMethod method) {
  if (histogram.counts.empty() || !(histogram.range.low < histogram.range.high))
    return histogram.range;
  switch (method) {
  case RangeMethod::minmax:
    return histogram.range;
  case RangeMethod::percentile:
    return percentile(histogram);
  case RangeMethod::entropy:
    return entropy(histogram);
  case RangeMethod::mse:
    return leastSquaredError(histogram);
  }
  return histogram.range;
}

} // namespace aotc::precision
