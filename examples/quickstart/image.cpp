#include "image.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

// The next number of a PPM header, with comments and blanks before it skipped; -1 where there is none.
int read_header_number(std::FILE* file) {
  int character = std::fgetc(file);
  while (character == '#' || character == ' ' || character == '\t' || character == '\n' || character == '\r') {
    if (character == '#')
      while (character != '\n' && character != EOF) character = std::fgetc(file);
    character = std::fgetc(file);
  }
  int number = -1;
  for (; character >= '0' && character <= '9' && number < 100000; character = std::fgetc(file))
    number = (number < 0 ? 0 : number * 10) + (character - '0');
  return number;  // exactly one character after the number is consumed, as the format wants it
}

using Bytes = std::vector<std::uint8_t>;

void append_u32(Bytes& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
}

std::uint32_t crc32(const std::uint8_t* data, std::size_t size) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (std::size_t i = 0; i < size; ++i) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0xEDB88320u & (0u - (crc & 1u)));
  }
  return ~crc;
}

std::uint32_t adler32(const Bytes& bytes) {
  std::uint32_t a = 1, b = 0;
  for (std::uint8_t byte : bytes) {
    a = (a + byte) % 65521u;
    b = (b + a) % 65521u;
  }
  return b << 16 | a;
}

void append_chunk(Bytes& png, const char* type, const Bytes& payload) {
  append_u32(png, static_cast<std::uint32_t>(payload.size()));
  const std::size_t start = png.size();
  png.insert(png.end(), type, type + 4);
  png.insert(png.end(), payload.begin(), payload.end());
  append_u32(png, crc32(&png[start], png.size() - start));
}

// A zlib stream of stored blocks: valid for every reader, as large as the data.
Bytes store(const Bytes& data) {
  constexpr std::size_t max_block = 65535;
  Bytes stream = {0x78, 0x01};
  for (std::size_t begin = 0; begin < data.size(); begin += max_block) {
    const std::size_t size = data.size() - begin < max_block ? data.size() - begin : max_block;
    stream.push_back(begin + size == data.size());  // last block?
    for (std::size_t length : {size, ~size}) {
      stream.push_back(static_cast<std::uint8_t>(length & 255));
      stream.push_back(static_cast<std::uint8_t>(length >> 8 & 255));
    }
    stream.insert(stream.end(), &data[begin], &data[begin] + size);
  }
  append_u32(stream, adler32(data));
  return stream;
}

}  // namespace

bool read_ppm(const std::string& path, Image& image) {
  const File file{std::fopen(path.c_str(), "rb")};
  if (!file || std::fgetc(file.get()) != 'P' || std::fgetc(file.get()) != '6') return false;
  image.width = read_header_number(file.get());
  image.height = read_header_number(file.get());
  const int maximum = read_header_number(file.get());
  if (image.width <= 0 || image.height <= 0 || maximum != 255 || image.width > 16384 || image.height > 16384)
    return false;
  image.rgb.resize(static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height) * 3);
  return std::fread(image.rgb.data(), 1, image.rgb.size(), file.get()) == image.rgb.size();
}

bool write_png(const std::string& path, const Image& image) {
  const std::size_t row_bytes = static_cast<std::size_t>(image.width) * 3;
  Bytes rows;
  for (int y = 0; y < image.height; ++y) {
    rows.push_back(0);  // no filter
    rows.insert(rows.end(), image.pixel(0, y), image.pixel(0, y) + row_bytes);
  }
  Bytes header;
  append_u32(header, static_cast<std::uint32_t>(image.width));
  append_u32(header, static_cast<std::uint32_t>(image.height));
  header.insert(header.end(), {8, 2, 0, 0, 0});  // 8 bits, RGB, deflate, no filter, not interlaced

  Bytes png = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", store(rows));
  append_chunk(png, "IEND", {});

  File file{std::fopen(path.c_str(), "wb")};
  if (!file || std::fwrite(png.data(), 1, png.size(), file.get()) != png.size()) return false;
  return std::fclose(file.release()) == 0;
}

void draw_box(Image& image, float left, float top, float right, float bottom) {
  constexpr int thickness = 2;
  constexpr std::array<std::uint8_t, 3> color = {64, 255, 64};
  const int x0 = static_cast<int>(std::lround(left)), x1 = static_cast<int>(std::lround(right));
  const int y0 = static_cast<int>(std::lround(top)), y1 = static_cast<int>(std::lround(bottom));
  for (int y = y0 < 0 ? 0 : y0; y <= y1 && y < image.height; ++y)
    for (int x = x0 < 0 ? 0 : x0; x <= x1 && x < image.width; ++x)
      if (x - x0 < thickness || x1 - x < thickness || y - y0 < thickness || y1 - y < thickness)
        std::memcpy(image.pixel(x, y), color.data(), color.size());
}
