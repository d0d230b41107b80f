// An 8-bit RGB picture: read from binary PPM, written as PNG, a rectangle drawn on it. No library is needed for any of
// it: the PNG is stored, not compressed. Knows nothing of models.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // height rows of width pixels of 3 bytes

  std::uint8_t* pixel(int x, int y) {
    return &rgb[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) * 3];
  }
  const std::uint8_t* pixel(int x, int y) const { return const_cast<Image*>(this)->pixel(x, y); }
};

// False where the file cannot be read, or is not a binary PPM ("P6") with 8 bits per channel.
bool read_ppm(const std::string& path, Image& image);

// False where the file cannot be written.
bool write_png(const std::string& path, const Image& image);

// A frame of 2 pixels just inside [left, right] x [top, bottom] (in pixels; parts outside the picture are not drawn).
void draw_box(Image& image, float left, float top, float right, float bottom);
