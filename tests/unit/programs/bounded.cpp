#include "compare.hpp"

static float at_most(const net::Session &session, int a, int c, int seq) {
  float sum = 0.0f;
  for (int b = 0; b < seq; ++b)
    sum += std::exp(session.u()(a, b, c));
  return sum;
}

int main() {
  constexpr int batch = 2, seq = 3;
  return run(
      [&](net::Session &session) {
        if (session.set_batch(batch) != aotc::Status::ok || session.set_seq(seq) != aotc::Status::ok)
          ++failures;
        for (std::size_t i = 0; i < batch * 192; ++i)
          session.x()[i] = value(i);
        for (std::size_t i = 0; i < 4 * seq * 6; ++i)
          session.t()[i] = value(i);
      },
      [&](net::Session &session) {
        for (int n = 0; n < batch; ++n)
          for (int p = 0; p < 64; ++p) {
            float sum = 0.0f;
            for (int k = 0; k < 27; ++k) {
              const int h = p / 8 + k / 9 - 1, w = p % 8 + k / 3 % 3 - 1;
              if (h >= 0 && h < 8 && w >= 0 && w < 8)
                sum += 0.1f * value(static_cast<std::size_t>(((n * 8 + h) * 8 + w) * 3 + k % 3));
            }
            expect("y", static_cast<std::size_t>(n * 64 + p), session.y()(n, p / 8, p % 8, 5), sum);
          }
        for (int a = 0; a < 4; ++a)
          for (int c = 0; c < 6; ++c) {
            float sum = 0.0f;
            for (int b = 0; b < seq; ++b) {
              const auto i = static_cast<std::size_t>((a * seq + b) * 6 + c);
              const float u = session.u()(a, b, c);
              sum += u;
              expect("u", i, u, std::tanh(value(i)));
              expect("v", i, session.v()(b, c, a), u);
              expect("z", i, session.z()(a, b, c), std::exp(u) / at_most(session, a, c, seq));
            }
            expect("s", static_cast<std::size_t>(a * 6 + c), session.s()(a, c), sum);
          }
      });
}
