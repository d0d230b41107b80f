// Detects faces in a photograph with a network that aotc compiled into this program, prints them and the latency, and
// writes the photograph with the boxes drawn.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "detector.hpp"

namespace {

// Times single runs for about a second. Empty where a run fails.
std::vector<double> measure_milliseconds(const Image& image, face_detector::Session& session) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> milliseconds;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(1);
  while (milliseconds.size() < 10 || Clock::now() < end) {
    prepare(image, session);  // run() may have overwritten the input; scaling the picture is not part of the figure
    const Clock::time_point start = Clock::now();
    if (session.run() != aotc::Status::ok) return {};
    milliseconds.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  return milliseconds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::fprintf(stderr, "usage: quickstart PHOTO.ppm FACES.png [THREADS]\n");
    return 2;
  }
  Image image;
  if (!read_ppm(argv[1], image)) {
    std::fprintf(stderr, "%s: cannot be read as a binary PPM\n", argv[1]);
    return 3;
  }

  static const face_detector::Model model;  // the weights: part of this program, shared by all sessions
  face_detector::SessionOptions options;
  options.threads = argc == 4 ? std::max(1, std::atoi(argv[3])) : 1;
  face_detector::Session session{model, options};  // one arena; nothing is allocated after this line

  prepare(image, session);
  if (const aotc::Status status = session.run(); status != aotc::Status::ok) {
    std::fprintf(stderr, "the network did not run: %s\n", aotc::status_text(status));
    return 1;
  }
  const std::vector<Face> found = faces(image, session);
  for (const Face& face : found)
    std::printf("face at (%.0f, %.0f) to (%.0f, %.0f), score %.3f\n", face.left, face.top, face.right, face.bottom,
                face.score);
  if (found.empty()) std::printf("no face found\n");

  const std::vector<double> milliseconds = measure_milliseconds(image, session);
  if (milliseconds.empty()) return 1;
  std::printf("latency: %.2f ms median, %.2f ms best of %zu runs, threads: %d\n", milliseconds[milliseconds.size() / 2],
              milliseconds.front(), milliseconds.size(), options.threads);

  for (const Face& face : found) draw_box(image, face.left, face.top, face.right, face.bottom);
  if (!write_png(argv[2], image)) {
    std::fprintf(stderr, "%s: cannot be written\n", argv[2]);
    return 3;
  }
  return 0;
}
