// What the programs share: inputs, comparison, and a run with one and with three threads.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "net/net.hpp"

inline int failures = 0;

// Values between -2 and 2 that differ from place to place.
inline float value(std::size_t i) { return static_cast<float>(i * 37 % 81) / 20.0f - 2.0f; }

template <class T> void expect(const char *what, std::size_t i, T actual, T expected) {
  const auto a = static_cast<double>(actual), b = static_cast<double>(expected);
  if (a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= 1e-5 * std::fmax(1.0, std::fabs(b)))
    return;
  if (failures++ < 20)
    std::printf("%s[%zu] is %.9g instead of %.9g\n", what, i, a, b);
}

// Sets the inputs by fill(session), runs, and looks at the outputs by check(session).
template <class Fill, class Check> int run(const Fill &fill, const Check &check) {
  static const net::Model model;
  for (int threads : {1, 3}) {
    net::SessionOptions options;
    options.threads = threads;
    net::Session session{model, options};
    fill(session);
    if (const aotc::Status status = session.run(); status != aotc::Status::ok) {
      std::puts(aotc::status_text(status));
      return 1;
    }
    check(session);
  }
  return failures != 0;
}
