// The scale and the zero point by which a tensor is quantized to unsigned bytes when the model runs, as ONNX's
// DynamicQuantizeLinear has them, rounding for rounding: with low and high the ends of x and 0,
//
//   scale = (high - low) / 255, or 1 where they are equal        zero_point = saturate(round_half_even(-low / scale))
//
// Layout: outer, length, inner, whose product is the number of elements, and parts; x is contiguous. Two steps:
// extremes() finds the ends of at most that many equal parts of x, y [2][parts], which dynamic_scale() joins. Least and
// greatest do not depend on how x is cut. A NaN goes through Max and Min (fold.hpp).
#pragma once
#include "bytes.hpp"
#include "fold.hpp"
#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {
template <class L>
constexpr int element_count(const L& l) {
  return l.outer * l.length * l.inner;
}
}  // namespace detail

template <class L>
constexpr int extremes_units(const L& l) {
  return min_of(l.parts, max_of(1, detail::element_count(l) / unit_elements));
}

template <class L>
void extremes(const L& l, const float* x, float* y, Part part) {
  const int count = detail::element_count(l), unit = ceil_div(count, extremes_units(l));
  for (int u = part.begin; u < part.end; ++u) {
    const int unit_end = min_of(count, (u + 1) * unit);
    float low = Min::identity<float>(), high = Max::identity<float>();
    for (int begin = u * unit; begin < unit_end; begin += unit_elements) {  // the second pass is in the cache
      const int length = min_of(unit_elements, unit_end - begin);
      const auto element = [&](int i, auto lanes) AOTC_INLINE_LAMBDA { return load(x + begin + i, lanes); };
      low = Min{}(low, fold_row<float>(length, Min{}, element));
      high = Max{}(high, fold_row<float>(length, Max{}, element));
    }
    y[u] = low;
    y[l.parts + u] = high;
  }
}

// One unit.
template <class L>
constexpr int dynamic_scale_units(const L&) {
  return 1;
}

template <class L>
void dynamic_scale(const L& l, const float* extremes, float* scale, std::uint8_t* zero_point, Part part) {
  if (part.begin == part.end) return;
  float low = 0, high = 0;
  for (int u = 0; u < extremes_units(l); ++u) {
    low = Min{}(low, extremes[u]);
    high = Max{}(high, extremes[l.parts + u]);
  }
  const float range = high - low;
  *scale = range == 0 ? 1.0f : range / 255.0f;
  *zero_point = static_cast<std::uint8_t>(quantized(-low / *scale, 0, 0, 255));
}

AOTC_KERNELS_END
