// Blocks summed into images of one to three dimensions, against the same sums in double.
#include "aotc/kernels/col2im.hpp"

#include "StepRunner.h"

#include <array>

using namespace aotc;
using namespace aotc::test;

namespace {

template <int Rank> struct Blocking {
  static constexpr int rank = Rank;
  int images;
  int image[Rank], block[Rank], positions[Rank], stride[Rank], dilation[Rank], pad[Rank];
};

/// Missing dimensions come first, of extent 1.
template <int Rank> std::array<int, 3> threeOf(const int (&values)[Rank], int filler) {
  std::array<int, 3> result{filler, filler, filler};
  for (int d = 0; d < Rank; ++d)
    result[static_cast<std::size_t>(3 - Rank + d)] = values[d];
  return result;
}

template <class T, int Rank> void check(const Blocking<Rank> &l) {
  const auto image = threeOf(l.image, 1), block = threeOf(l.block, 1), positions = threeOf(l.positions, 1),
             stride = threeOf(l.stride, 1), dilation = threeOf(l.dilation, 1), pad = threeOf(l.pad, 0);
  const int pixels = image[0] * image[1] * image[2],
            columns = block[0] * block[1] * block[2] * positions[0] * positions[1] * positions[2];
  const auto x = randomValues<T>(static_cast<std::size_t>(l.images * columns));
  std::vector<double> expected(static_cast<std::size_t>(l.images * pixels));
  std::size_t next = 0;
  for (int n = 0; n < l.images; ++n)
    for_each_index<3>(block.data(), 0, block[0] * block[1] * block[2], [&](int k0, int k1, int k2) {
      for_each_index<3>(positions.data(), 0, positions[0] * positions[1] * positions[2], [&](int p0, int p1, int p2) {
        const int at[3] = {p0 * stride[0] + k0 * dilation[0] - pad[0], p1 * stride[1] + k1 * dilation[1] - pad[1],
                           p2 * stride[2] + k2 * dilation[2] - pad[2]};
        const double value = static_cast<double>(x[next++]);
        for (std::size_t d = 0; d < 3; ++d)
          if (at[d] < 0 || at[d] >= image[d])
            return;
        expected[static_cast<std::size_t>(((n * image[0] + at[0]) * image[1] + at[1]) * image[2] + at[2])] += value;
      });
    });
  const auto y = runStep(std::vector<T>(expected.size(), T(99)), col2im_units(l),
                         [&](T *out, Part part) { col2im(l, x.data(), out, part); });
  for (std::size_t i = 0; i < y.size(); ++i)
    expectNear(static_cast<double>(y[i]), expected[i], 1e-5, "sum", i);
}

TEST(Col2ImTest, SumsWhereBlocksOverlap) {
  check<float, 2>({6, {5, 5}, {2, 3}, {4, 3}, {1, 1}, {1, 1}, {0, 0}});
  check<float, 2>({2, {7, 6}, {3, 2}, {4, 3}, {2, 2}, {1, 2}, {1, 0}});
  check<double, 1>({70, {9}, {3}, {4}, {2}, {2}, {1}});
  check<std::int32_t, 3>({3, {4, 3, 5}, {2, 2, 3}, {3, 2, 3}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}});
}

} // namespace
