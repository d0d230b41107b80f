#include "compare.hpp"

static const std::int8_t first[] = {-128, -1, 0, 1, 5, 100, 127, -77}, second[] = {-1, 0, 0, 3, -2, 100, 1, 7};
// Division as the generated code defines it.
static std::int8_t divided(int a, int b) { return static_cast<std::int8_t>(b == 0 ? 0 : a / b); }

int main() {
  constexpr std::size_t size = 40;
  const float nan = std::nanf(""), infinity = HUGE_VALF;
  const auto x = [&](std::size_t i) { return i == 3 ? nan : i == 5 ? infinity : i == 6 ? 3e9f : 100.0f * value(i); };
  const auto y = [&](std::size_t i) { return i == 4 ? nan : i == 5 ? -infinity : value(i + 11); };
  const auto mask = [](std::size_t i) { return i % 3 == 0; };
  return run(
      [&](net::Session &session) {
        for (std::size_t k = 0; k < size; ++k) {
          session.x()[k] = x(k);
          session.y()[k] = y(k);
          session.m()[k] = mask(k);
          session.d()[k] = static_cast<double>(value(k));
          session.i()[k] = first[k % 8];
          session.j()[k] = second[k % 8];
        }
      },
      [&](net::Session &session) {
        for (std::size_t k = 0; k < size; ++k) {
          const float a = x(k), b = y(k);
          const double d = static_cast<double>(value(k));
          const int i = first[k % 8], j = second[k % 8], ui = i & 255, uj = j & 255;
          expect("compare", k, session.compare()[k], a < b);
          expect("unordered", k, session.unordered()[k], !(a < b));
          expect("chosen", k, session.chosen()[k], a > b ? a : 1.5f);
          expect("masked", k, session.masked()[k], (!(a < b) && a > 0.0f) || std::isnan(b) ? a : -b);
          expect("where", k, session.where()[k], mask(k) ? a : b);
          expect("logic", k, session.logic()[k], !mask(k));
          expect("wide", k, session.wide()[k], std::tanh(d) * std::exp(d));
          expect("narrowed", k, session.narrowed()[k], static_cast<float>(std::fmod(d, 0.3)));
          expect("added", k, session.added()[k], static_cast<std::int8_t>(i + j));
          expect("quotient", k, session.quotient()[k], divided(i, j));
          expect("unsigned_quotient", k, session.unsigned_quotient()[k], divided(ui, uj));
          expect("below", k, session.below()[k], ui < uj);
          expect("bits", k, session.bits()[k], static_cast<std::int8_t>((i & j) | (i ^ 85)));
          expect("shifted", k, session.shifted()[k], static_cast<std::int8_t>(i >> 1));
          expect("scaled", k, session.scaled()[k], static_cast<float>(ui) * 0.1f);
          expect("extended", k, session.extended()[k], std::int64_t{3} * i);
          const std::int32_t whole = a > -2147483648.0f && a < 2147483648.0f ? static_cast<std::int32_t>(a) : INT32_MIN;
          expect("truncated", k, session.truncated()[k], whole);
          expect("numbered", k, session.numbered()[k], static_cast<float>(k) + a);
        }
      });
}
