// Boxes that are left when those are dropped that overlap a better one of their class: ONNX's NonMaxSuppression.
//
// Layout: batch, classes, boxes, centered (0: corners y1, x1, y2, x2 in any order; 1: x, y of the center, width,
// height). boxes [batch][boxes][4], scores [batch][classes][boxes]; most [1]: the number of boxes to keep of each
// class, none where it is not positive; overlap [1], least [1]: thresholds. y [found][3]: batch, class, box; by batch,
// class and falling score, equal scores by box. A box counts whose score is greater than `least`; it is dropped where
// its intersection with a kept one is greater than `overlap` times their union. scratch: 2 * boxes ints. One unit of
// work; returns how many boxes are left.
#pragma once
#include "unique.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

struct Box {
  float top, left, bottom, right;

  float area() const { return (bottom - top) * (right - left); }
};

inline Box box_at(const float* box, bool centered) {
  if (centered) return {box[1] - box[3] / 2, box[0] - box[2] / 2, box[1] + box[3] / 2, box[0] + box[2] / 2};
  const bool is_up = box[0] > box[2], is_left = box[1] > box[3];
  return {box[is_up ? 2 : 0], box[is_left ? 3 : 1], box[is_up ? 0 : 2], box[is_left ? 1 : 3]};
}

inline bool overlaps(const Box& a, const Box& b, float threshold) {
  const float top = a.top > b.top ? a.top : b.top, bottom = a.bottom < b.bottom ? a.bottom : b.bottom;
  const float left = a.left > b.left ? a.left : b.left, right = a.right < b.right ? a.right : b.right;
  if (bottom <= top || right <= left) return false;
  const float shared = (bottom - top) * (right - left);
  if (a.area() <= 0 || b.area() <= 0) return false;
  return shared / (a.area() + b.area() - shared) > threshold;
}

}  // namespace detail

template <class L>
constexpr int non_max_suppression_units(const L&) {
  return 1;
}

template <class L>
int non_max_suppression(const L& l, const float* boxes, const float* scores, const std::int64_t* most,
                        const float* overlap, const float* least, std::int64_t* y, void* scratch, Part) {
  int* const order = static_cast<int*>(scratch);
  int* const kept = order + l.boxes;
  int found = 0;
  for (int image = 0; image < l.batch; ++image)
    for (int category = 0; category < l.classes; ++category) {
      const float* const score = scores + (static_cast<std::ptrdiff_t>(image) * l.classes + category) * l.boxes;
      const float* const box = boxes + static_cast<std::ptrdiff_t>(image) * l.boxes * 4;
      int candidates = 0, count = 0;
      for (int i = 0; i < l.boxes; ++i)
        if (score[i] > *least) order[candidates++] = i;
      detail::sort_indices(order, candidates,
                           [&](int a, int b) { return score[a] > score[b] || (score[a] == score[b] && a < b); });
      for (int i = 0; i < candidates && count < *most; ++i) {
        const detail::Box candidate = detail::box_at(box + order[i] * 4, l.centered != 0);
        bool is_free = true;
        for (int k = 0; k < count && is_free; ++k)
          is_free = !detail::overlaps(candidate, detail::box_at(box + kept[k] * 4, l.centered != 0), *overlap);
        if (!is_free) continue;
        kept[count++] = order[i];
        y[0] = image;
        y[1] = category;
        y[2] = order[i];
        y += 3;
        ++found;
      }
    }
  return found;
}

AOTC_KERNELS_END
