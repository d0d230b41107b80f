#include "detector.hpp"

#include <algorithm>

namespace {

constexpr int input_width = 320, input_height = 240, candidates = 4420;

// Where a scaled axis reads from: two neighbours and the share of the second.
struct Sample {
  int first, second;
  float share;
};

Sample sample(int position, int scaled_size, int size) {
  const float center =
      (static_cast<float>(position) + 0.5f) * static_cast<float>(size) / static_cast<float>(scaled_size) - 0.5f;
  const float inside = std::min(std::max(center, 0.0f), static_cast<float>(size - 1));
  const int first = static_cast<int>(inside);
  return {first, std::min(first + 1, size - 1), inside - static_cast<float>(first)};
}

float mix(float a, float b, float share) { return a + (b - a) * share; }

// The share of the two boxes' union that both cover.
float overlap(const Face& a, const Face& b) {
  const float width = std::max(0.0f, std::min(a.right, b.right) - std::max(a.left, b.left));
  const float height = std::max(0.0f, std::min(a.bottom, b.bottom) - std::max(a.top, b.top));
  const float common = width * height;
  return common / ((a.right - a.left) * (a.bottom - a.top) + (b.right - b.left) * (b.bottom - b.top) - common);
}

}  // namespace

void prepare(const Image& image, face_detector::Session& session) {
  const auto input = session.input();  // a view of [1, 3, 240, 320] inside the session's arena
  for (int y = 0; y < input_height; ++y) {
    const Sample row = sample(y, input_height, image.height);
    for (int x = 0; x < input_width; ++x) {
      const Sample column = sample(x, input_width, image.width);
      for (int channel = 0; channel < 3; ++channel) {
        const auto read = [&](int from_x, int from_y) {
          return static_cast<float>(image.pixel(from_x, from_y)[channel]);
        };
        const float top = mix(read(column.first, row.first), read(column.second, row.first), column.share);
        const float bottom = mix(read(column.first, row.second), read(column.second, row.second), column.share);
        input(0, channel, y, x) = (mix(top, bottom, row.share) - 127.0f) / 128.0f;
      }
    }
  }
}

std::vector<Face> faces(const Image& image, const face_detector::Session& session) {
  constexpr float min_score = 0.7f, max_overlap = 0.3f;
  const auto scores = session.scores();  // [1, 4420, 2]: no face, face
  const auto boxes = session.boxes();    // [1, 4420, 4]: corners as shares of the picture
  const float width = static_cast<float>(image.width), height = static_cast<float>(image.height);

  std::vector<Face> found;
  for (int i = 0; i < candidates; ++i)
    if (const float score = scores(0, i, 1); score > min_score)
      found.push_back(
          {boxes(0, i, 0) * width, boxes(0, i, 1) * height, boxes(0, i, 2) * width, boxes(0, i, 3) * height, score});
  std::sort(found.begin(), found.end(), [](const Face& a, const Face& b) { return a.score > b.score; });

  std::vector<Face> kept;
  for (const Face& face : found)
    if (std::none_of(kept.begin(), kept.end(), [&](const Face& better) { return overlap(better, face) > max_overlap; }))
      kept.push_back(face);
  return kept;
}
