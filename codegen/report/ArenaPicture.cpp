// Draws the arena over time. Coordinates are in units of the view box; text stays upright and readable at any width.
#include "codegen/report/Report.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace aotc::codegen {

using llvm::format;
using llvm::raw_ostream;

namespace {

constexpr double pictureWidth = 1000, pictureHeight = 380, left = 74, right = 10, top = 12, bottom = 30;
constexpr int colours = 8;

/// From steps and bytes to the picture.
class Scale {
public:
  explicit Scale(const Report &report)
      : steps(std::max<size_t>(report.steps.size(), 1)), bytes(std::max<uint64_t>(report.arenaBytes, 1)) {
    for (const ReportBuffer &buffer : report.buffers)
      bytes = std::max(bytes, buffer.offsetBytes + buffer.bytes);
  }

  /// The left edge of a step; -1 stands for the time before the first.
  double x(int step) const {
    return left + (step + 1) * (pictureWidth - left - right) / (static_cast<double>(steps) + 1);
  }
  double y(uint64_t offsetBytes) const {
    return pictureHeight - bottom -
           static_cast<double>(offsetBytes) / static_cast<double>(bytes) * (pictureHeight - top - bottom);
  }
  int lastStep() const { return static_cast<int>(steps) - 1; }
  uint64_t arenaBytes() const { return bytes; }

private:
  size_t steps;
  uint64_t bytes;
};

} // namespace

static void printAxes(raw_ostream &os, const Scale &scale) {
  for (int i = 0; i <= 4; ++i) {
    const uint64_t bytes = scale.arenaBytes() * static_cast<uint64_t>(i) / 4;
    const double y = scale.y(bytes);
    os << format("<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", left, y,
                 pictureWidth - right, y)
       << format("<text class=\"axis\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", left - 6, y + 4) << bytesText(bytes)
       << "</text>\n";
  }
  const int stride = std::max(1, (scale.lastStep() + 10) / 10);
  for (int step = 0; step <= scale.lastStep(); step += stride)
    os << format("<text class=\"axis\" x=\"%.1f\" y=\"%.1f\">", scale.x(step), pictureHeight - bottom + 16) << step
       << "</text>\n";
}

static void printBuffer(raw_ostream &os, const Scale &scale, const ReportBuffer &buffer, size_t index) {
  const double x = scale.x(buffer.firstStep), width = scale.x(buffer.lastStep + 1) - x;
  const double y = scale.y(buffer.offsetBytes + buffer.bytes), height = scale.y(buffer.offsetBytes) - y;
  os << "<g class=\"b" << index % colours << "\"><title>" << htmlText(buffer.name) << " " << htmlText(buffer.shape)
     << "\n"
     << bytesText(buffer.bytes) << " at " << buffer.offsetBytes << ", steps " << buffer.firstStep << " to "
     << buffer.lastStep << "</title>"
     << format("<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>", x, y, width, height);
  // About 6.5 units per letter.
  const size_t letters = static_cast<size_t>(std::max(0.0, (width - 6) / 6.5));
  if (letters >= 3 && height >= 13)
    os << format("<text x=\"%.1f\" y=\"%.1f\">", x + 3, y + height / 2 + 4)
       << htmlText(llvm::StringRef(buffer.name).take_front(letters)) << "</text>";
  os << "</g>\n";
}

std::string printArenaPicture(const Report &report) {
  const Scale scale(report);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << format("<svg class=\"arena\" viewBox=\"0 0 %.0f %.0f\" role=\"img\">", pictureWidth, pictureHeight)
     << "<title>The arena over time: steps to the right, offsets upwards</title>\n";
  printAxes(os, scale);
  // Long-lived ones first: what lies in another buffer is drawn over it.
  std::vector<size_t> order(report.buffers.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  const auto area = [&](size_t i) {
    const ReportBuffer &buffer = report.buffers[i];
    return static_cast<double>(buffer.bytes) * (buffer.lastStep - buffer.firstStep + 1);
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return area(a) > area(b); });
  for (const size_t index : order)
    printBuffer(os, scale, report.buffers[index], index);
  os << "</svg>\n";
  return text;
}

} // namespace aotc::codegen
