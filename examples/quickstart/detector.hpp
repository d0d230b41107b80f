// Finds faces in a picture with the UltraFace network: what goes in before the network runs, and what its raw outputs
// mean afterwards. The network itself is the generated library.
#pragma once
#include <vector>

#include "face_detector/face_detector.hpp"
#include "image.hpp"

struct Face {
  float left, top, right, bottom;  // pixels of the picture
  float score;                     // 0..1
};

// Writes the picture into the network's input: RGB, scaled to 320 x 240 (the aspect ratio is not kept, as in training),
// (value - 127) / 128, channels first.
void prepare(const Image& image, face_detector::Session& session);

// Reads the network's outputs: candidates above a score of 0.7, best first, each other's doubles (an overlap above 0.3)
// removed.
std::vector<Face> faces(const Image& image, const face_detector::Session& session);
