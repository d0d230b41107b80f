// Which range of real values 256 integers should stand for, from how often values occur. Plain numbers: knows no tensors
// and no compiler.
#ifndef AOTC_LOWERING_PRECISION_RANGES_H
#define AOTC_LOWERING_PRECISION_RANGES_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace aotc::precision {

// Real values between two ends, both included.
struct Range {
  double low = 0, high = 0;
};

// How many values of a tensor lie in each of equally wide parts of a range, which 0 belongs to. Zeros are counted apart:
// they are exact in whatever range, and in the results of relu more than half of all.
struct Histogram {
  Range range;
  double zeros = 0;
  std::vector<double> counts;

  double width() const { return (range.high - range.low) / static_cast<double>(counts.size()); }
  double middle(size_t bin) const { return range.low + (static_cast<double>(bin) + 0.5) * width(); }
};

enum class RangeMethod {
  minmax,     // all of it
  percentile, // all but a hundred-thousandth of the values, half of it at each end
  entropy,    // that which loses the least information
  mse,        // that with the least mean squared error
};
std::optional<RangeMethod> rangeMethodOf(std::string_view name);
const char *nameOf(RangeMethod method);

// Never wider than the histogram, and with 0 in it.
Range chooseRange(const Histogram &histogram, RangeMethod method);

// The expected squared error, summed over all values, if 255 steps make up `range` and what lies outside is clipped.
double squaredError(const Histogram &histogram, Range range);

// Scale and zero point of unsigned bytes for a range around 0: the scale is one of f32 and not 0, and 0 is exact.
struct ByteQuantization {
  double scale;
  int64_t zeroPoint;
};
ByteQuantization byteQuantization(Range range);

// The smallest range that holds both.
Range merged(Range a, Range b);

} // namespace aotc::precision

#endif
