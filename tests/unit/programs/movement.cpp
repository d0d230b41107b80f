#include "compare.hpp"

// x[n][h][w][c] of the input.
static float x(int n, int h, int w, int c) { return value(static_cast<std::size_t>(((n * 3 + h) * 4 + w) * 5 + c)); }

// Calls body(i, n, h, w, c) for each element of the input.
template <class Body> static void each(const Body &body) {
  for (int i = 0; i < 120; ++i)
    body(static_cast<std::size_t>(i), i / 60, i / 20 % 3, i / 5 % 4, i % 5);
}

static void check_copies(const net::Session &session) {
  each([&](std::size_t i, int n, int h, int w, int c) {
    expect("permuted", i, session.permuted()(n, w, c, h), 2.0f * x(n, h, w, c));
    expect("transposed", i, session.transposed()(c, h, n, w), x(n, h, w, c));
    expect("shifted", i, session.shifted()(n, h, w, c), x(n, h, w, c) - 3.5f);
    if (h >= 1 && w % 2 == 0 && c >= 1 && c < 4)
      expect("slice", i, session.slice()(n, h - 1, w / 2, c - 1), x(n, h, w, c));
    if (h < 2)
      expect("pooled", i, session.pooled()(n, h, w, c), std::fmax(x(n, h, w, c), x(n, h + 1, w, c)));
  });
  for (std::size_t i = 0; i < 5; ++i) {
    const float row = value(i + 7);
    expect("reversed", i, session.reversed()[i], value(11 - i));
    expect("expanded", i, session.expanded()[i], row);
    expect("expanded", i + 5, session.expanded()[i + 5], row);
    expect("joined", i, session.joined()[i], row);
    expect("joined", i + 5, session.joined()[i + 5], row * row);
    expect("first", i, session.first()[i], row);
    expect("second", i, session.second()[i], 0.0f);
  }
  for (std::size_t i = 0; i < 12; ++i)
    expect("filled", i, session.filled()[i], -HUGE_VALF);
  expect("point", 0, session.point()[0], 12.25f);
}

static void check_folds(const net::Session &session) {
  for (int n = 0; n < 2; ++n)
    for (int c = 0; c < 5; ++c) {
      float sum = 0.0f;
      for (int h = 0; h < 3; ++h) {
        float mean = 0.0f;
        for (int w = 0; w < 4; ++w)
          mean += 0.25f * x(n, h, w, c);
        sum += 4.0f * mean;
        expect("means", static_cast<std::size_t>(n * 3 + h), session.means()(n * 3 + h, c), mean);
        for (int k = 0; k < 3; ++k) // indices 2, -1, 0
          expect("gathered", static_cast<std::size_t>(k), session.gathered()(n * 3 + h, k, c),
                 x(n, h, k == 1 ? 3 : 2 - k, c));
      }
      expect("sums", static_cast<std::size_t>(n * 5 + c), session.sums()(n, c), sum);
      for (int h = 0; h < 4; ++h)
        for (int w = 0; w < 2; ++w)
          expect("resized", static_cast<std::size_t>(h), session.resized()(n, h, w, c),
                 x(n, h / 2 + h / 3, w ? 1 : 3, c));
    }
  for (int i = 0; i < 24; ++i) {
    int most = 0;
    for (int c = 1; c < 5; ++c)
      if (x(i / 12, i / 4 % 3, i % 4, c) > x(i / 12, i / 4 % 3, i % 4, most))
        most = c;
    expect("largest", static_cast<std::size_t>(i), session.largest()[static_cast<std::size_t>(i)], std::int64_t{most});
  }
}

int main() {
  return run(
      [](net::Session &session) {
        for (std::size_t i = 0; i < 120; ++i)
          session.x()[i] = value(i);
        for (std::size_t i = 0; i < 5; ++i)
          session.row()[i] = value(i + 7);
        const std::int64_t index[] = {2, -1, 0};
        std::memcpy(session.index().data, index, sizeof index);
        session.yes()[0] = true;
        session.no()[0] = false;
        session.s()[0] = 3.5f;
      },
      [](net::Session &session) {
        check_copies(session);
        check_folds(session);
      });
}
