#include "compare.hpp"

// y[8][8][16] = sum over a 3x3 window of x[8][8][channels], all weights equal: the same for every output channel.
static double window(const std::vector<double> &x, int channels, int h, int w) {
  double sum = 0.0;
  for (int i = h - 1; i <= h + 1; ++i)
    for (int j = w - 1; j <= w + 1; ++j)
      for (int c = 0; c < channels; ++c)
        if (i >= 0 && i < 8 && j >= 0 && j < 8)
          sum += x[static_cast<std::size_t>((i * 8 + j) * channels + c)];
  return sum;
}

int main() {
  std::vector<double> image(192), first(1024), features(1024), scores(10);
  for (std::size_t i = 0; i < image.size(); ++i)
    image[i] = static_cast<double>(value(i));
  for (int p = 0; p < 64; ++p)
    for (int c = 0; c < 16; ++c)
      first[static_cast<std::size_t>(p * 16 + c)] = std::fmax(0.0, 0.1 * window(image, 3, p / 8, p % 8) + 0.1 * c);
  double sum = 0.0;
  for (int p = 0; p < 64; ++p)
    for (int c = 0; c < 16; ++c) {
      const auto i = static_cast<std::size_t>(p * 16 + c);
      const double x = std::fmax(0.0, 0.01 * window(first, 16, p / 8, p % 8) * 0.1 * c + first[i]);
      features[i] = x / (1.0 + std::exp(-x)) * 0.1 * c;
      sum += features[i] / 64.0;
    }
  double total = 0.0;
  for (int i = 0; i < 10; ++i)
    total += scores[static_cast<std::size_t>(i)] = std::exp(0.3 * sum + 0.1 * i);
  return run(
      [&](net::Session &session) {
        for (std::size_t i = 0; i < image.size(); ++i)
          session.image()[i] = value(i);
      },
      [&](net::Session &session) {
        for (std::size_t i = 0; i < features.size(); ++i)
          expect("features", i, session.features()[i], static_cast<float>(features[i]));
        for (std::size_t i = 0; i < scores.size(); ++i)
          expect("probabilities", i, session.probabilities()[i], static_cast<float>(scores[i] / total));
      });
}
