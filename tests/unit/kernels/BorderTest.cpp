// Borders: each side alone, all together, none, images further apart than they are large, pixels wider than their
// channels.
#include "aotc/kernels/border.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Border {
  int batch, h, w, c, top, left, bottom, right, image, row, pixel;
};

template <class T> void check(const Border &l, T value) {
  const auto size = static_cast<std::size_t>(l.batch * l.image);
  const auto initial = randomValues<T>(size);
  const auto y = runStep(initial, fill_border_units(l), [&](T *out, Part part) { fill_border(l, out, part, value); });
  auto expected = initial;
  for (int n = 0; n < l.batch; ++n)
    for (int h = 0; h < l.top + l.h + l.bottom; ++h)
      for (int w = 0; w < l.left + l.w + l.right; ++w)
        for (int c = 0; c < l.c; ++c)
          if (h < l.top || h >= l.top + l.h || w < l.left || w >= l.left + l.w)
            expected[static_cast<std::size_t>(n * l.image + h * l.row + w * l.pixel + c)] = value;
  EXPECT_EQ(y, expected);
}

TEST(BorderTest, FillsEachSide) {
  check<float>({2, 5, 6, 3, 1, 2, 3, 4, 9 * 12 * 3, 12 * 3, 3}, -1.5f);
  check<float>({1, 5, 6, 3, 1, 0, 0, 0, 6 * 6 * 3, 6 * 3, 3}, 9.0f);
  check<float>({1, 5, 6, 3, 0, 1, 0, 0, 5 * 7 * 3, 7 * 3, 3}, 9.0f);
  check<float>({1, 5, 6, 3, 0, 0, 1, 0, 6 * 6 * 3, 6 * 3, 3}, 9.0f);
  check<float>({1, 5, 6, 3, 0, 0, 0, 1, 5 * 7 * 3, 7 * 3, 3}, 9.0f);
  check<float>({3, 5, 6, 3, 0, 0, 0, 0, 5 * 6 * 3, 6 * 3, 3}, 9.0f);
}

TEST(BorderTest, LeavesWhatLiesBetweenPixelsRowsAndImages) {
  check<float>({2, 4, 5, 3, 1, 1, 1, 1, 6 * 60 + 7, 60, 8}, 4.0f);
  check<std::int8_t>({2, 4, 5, 16, 1, 1, 1, 1, 700, 112, 16}, std::int8_t{-128});
}

TEST(BorderTest, LargeBordersAreManyUnits) {
  const Border large{1, 300, 300, 64, 3, 3, 3, 3, 306 * 306 * 64, 306 * 64, 64};
  EXPECT_GE(fill_border_units(large), 16);
  EXPECT_LE(fill_border_units(Border{1, 8, 8, 64, 1, 1, 1, 1, 6400, 640, 64}), 2);
  check(large, 2.0f);
}

} // namespace
