// Regions of images resampled to one size, planar, float or double: each cell of a region is the average of samples
// within it, or the maximum over samples of their four neighbours times the weights of these.
//
//   x [batch][channels][height][width], rois [regions][4] (x1, y1, x2, y2), images [regions]
//     -> y [regions][channels][out_height][out_width]
//
// Layout: batch, channels, height, width, regions, out_height, out_width, sampling_ratio (samples per cell and
// dimension, 0: as many as the cell has pixels), half_pixel (0 or 1: pixels' centres lie half a pixel off; without it
// regions are at least one pixel large), maximum (0 or 1). An image outside [0, batch) is the nearest there is; samples
// more than a pixel outside count as 0. x, rois and y do not overlap.
#pragma once
#include "math.hpp"
#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// Of one dimension: the region's first position, a cell's extent and how many samples it has.
template <class T>
struct RoiAxis {
  T start, cell;
  int samples;

  AOTC_INLINE T position(int cell_index, int sample) const {
    return start + static_cast<T>(cell_index) * cell +
           (static_cast<T>(sample) + T(0.5)) * cell / static_cast<T>(samples);
  }
};

template <class L, class T>
AOTC_INLINE RoiAxis<T> roi_axis(const L& l, T begin, T end, int cells, T scale) {
  const T offset = l.half_pixel != 0 ? T(0.5) : T(0);
  const T start = begin * scale - offset;
  T extent = end * scale - offset - start;
  if (l.half_pixel == 0 && !(extent > T(1))) extent = T(1);
  const T cell = extent / static_cast<T>(cells);
  constexpr int most = 1 << 12;  // samples of a cell: none of any image in use has so many pixels
  int samples = l.sampling_ratio;
  if (samples == 0) {
    const T pixels = ceil(cell);
    samples = !(pixels > T(0)) ? 0 : pixels < static_cast<T>(most) ? static_cast<int>(pixels) : most;
  }
  return {start, cell, samples};
}

// Two neighbours along one dimension and how much of the second there is; none outside.
template <class T>
struct RoiTap {
  int low = 0, high = 0;
  T rest = T(0);
  bool is_inside = false;
};

template <class T>
AOTC_INLINE RoiTap<T> roi_tap(T position, int extent) {
  RoiTap<T> tap;
  tap.is_inside = position >= T(-1) && position <= static_cast<T>(extent);
  if (!tap.is_inside) return tap;
  if (position <= T(0)) position = T(0);
  tap.low = static_cast<int>(position);
  if (tap.low >= extent - 1) {
    tap.low = tap.high = extent - 1;
  } else {
    tap.high = tap.low + 1;
    tap.rest = position - static_cast<T>(tap.low);
  }
  return tap;
}

template <class L, class T>
AOTC_INLINE T roi_cell(const L& l, const T* x, const RoiAxis<T>& rows, const RoiAxis<T>& columns, int h, int w) {
  T total = T(0);
  bool is_first = true;
  for (int i = 0; i < rows.samples; ++i) {
    const RoiTap<T> row = roi_tap(rows.position(h, i), l.height);
    for (int j = 0; j < columns.samples; ++j) {
      const RoiTap<T> column = roi_tap(columns.position(w, j), l.width);
      T corner[4] = {T(0), T(0), T(0), T(0)};
      if (row.is_inside && column.is_inside) {
        const T* const upper = x + static_cast<std::ptrdiff_t>(row.low) * l.width;
        const T* const lower = x + static_cast<std::ptrdiff_t>(row.high) * l.width;
        corner[0] = (T(1) - row.rest) * (T(1) - column.rest) * upper[column.low];
        corner[1] = (T(1) - row.rest) * column.rest * upper[column.high];
        corner[2] = row.rest * (T(1) - column.rest) * lower[column.low];
        corner[3] = row.rest * column.rest * lower[column.high];
      }
      if (l.maximum == 0) {
        total += corner[0] + corner[1] + corner[2] + corner[3];
      } else {
        const T most = max(max(corner[0], corner[1]), max(corner[2], corner[3]));
        total = is_first ? most : max(total, most);
        is_first = false;
      }
    }
  }
  return l.maximum != 0 ? total : total / static_cast<T>(max_of(1, rows.samples * columns.samples));
}

template <class L>
constexpr Blocks roi_blocks(const L& l) {
  return {l.regions * l.channels, 1, max_of(1, unit_elements / (64 * l.out_height * l.out_width)), 1};
}

}  // namespace detail

template <class L>
constexpr int roi_align_units(const L& l) {
  return detail::roi_blocks(l).count();
}

template <class L, class T>
void roi_align(const L& l, const T* x, const T* rois, const std::int64_t* images, T* y, Part part, float scale) {
  for_each_block(detail::roi_blocks(l), part, [&](int begin, int end, int, int) AOTC_INLINE_LAMBDA {
    for (int at = begin; at < end; ++at) {
      const int region = at / l.channels;
      const T* const box = rois + 4 * static_cast<std::ptrdiff_t>(region);
      const auto columns = detail::roi_axis(l, box[0], box[2], l.out_width, static_cast<T>(scale));
      const auto rows = detail::roi_axis(l, box[1], box[3], l.out_height, static_cast<T>(scale));
      const std::int64_t image = images[region] < 0 ? 0 : images[region] < l.batch ? images[region] : l.batch - 1;
      const T* const from =
          x + (static_cast<std::ptrdiff_t>(image) * l.channels + at % l.channels) * l.height * l.width;
      T* const to = y + static_cast<std::ptrdiff_t>(at) * l.out_height * l.out_width;
      for (int h = 0; h < l.out_height; ++h)
        for (int w = 0; w < l.out_width; ++w) to[h * l.out_width + w] = detail::roi_cell(l, from, rows, columns, h, w);
    }
  });
}

AOTC_KERNELS_END
