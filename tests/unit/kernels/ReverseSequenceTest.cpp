// Sequences of every length, both orders of the two dimensions, lengths that are none.
#include "aotc/kernels/reverse_sequence.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Sequences {
  int time, batch, inner, batch_first;
};

template <class T, class Length>
void check(const Sequences &l, const std::vector<Length> &lengths, bool isGood = true) {
  const auto x = randomValues<T>(static_cast<std::size_t>(l.time * l.batch * l.inner));
  bool found = true;
  const auto y = runStep(std::vector<T>(x.size()), reverse_sequence_units(l),
                         [&](T *out, Part part) { found &= reverse_sequence(l, x.data(), lengths.data(), out, part); });
  EXPECT_EQ(found, isGood);
  const auto at = [&](int t, int b, int i) {
    return static_cast<std::size_t>((l.batch_first ? b * l.time + t : t * l.batch + b) * l.inner + i);
  };
  for (int b = 0; b < l.batch; ++b) {
    const auto given = static_cast<std::int64_t>(lengths[static_cast<std::size_t>(b)]);
    const int length = static_cast<int>(std::min<std::int64_t>(std::max<std::int64_t>(given, 0), l.time));
    for (int t = 0; t < l.time; ++t)
      for (int i = 0; i < l.inner; ++i)
        ASSERT_EQ(y[at(t, b, i)], x[at(t < length ? length - 1 - t : t, b, i)]);
  }
}

TEST(ReverseSequenceTest, TurnsWhatBelongsToTheSequence) {
  check<float, std::int64_t>({5, 4, 3, 0}, {0, 1, 4, 5});
  check<float, std::int64_t>({5, 4, 3, 1}, {5, 4, 1, 0});
  check<std::int8_t, std::int32_t>({7, 2, 10000, 0}, {3, 7});
  check<double, std::int64_t>({3000, 3, 1, 1}, {2999, 3000, 2});
}

TEST(ReverseSequenceTest, ReportsLengthsThatAreNone) {
  check<float, std::int64_t>({5, 2, 1, 0}, {6, 1}, false);
  check<float, std::int64_t>({5, 2, 1, 1}, {2, std::numeric_limits<std::int64_t>::min()}, false);
  check<float, std::int32_t>({5, 2, 1, 1}, {std::numeric_limits<std::int32_t>::max(), 0}, false);
}

} // namespace
