#include "lowering/select/Packing.h"

#include "ir/kern/Dialect.h"

#include <array>

using namespace mlir;

namespace aotc::select {

constexpr int64_t panel = kern::panelColumns;

static int64_t panels(int64_t columns) { return (columns + panel - 1) / panel; }

nn::HostTensor packConvolution(const nn::HostTensor &weights, int64_t groups) {
  ArrayRef<int64_t> shape = weights.type().getShape();
  int64_t filters = shape[0] / groups, channels = shape[1], taps = shape[2] * shape[3];
  nn::HostTensor packed(RankedTensorType::get({groups, panels(filters), shape[2], shape[3], channels, panel},
                                              weights.type().getElementType()));
  ArrayRef<float> from = weights.as<float>();
  MutableArrayRef<float> to = packed.asMutable<float>();
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t o = 0; o < filters; ++o)
      for (int64_t i = 0; i < channels; ++i)
        for (int64_t tap = 0; tap < taps; ++tap) {
          int64_t column = (((g * panels(filters) + o / panel) * taps + tap) * channels + i) * panel + o % panel;
          to[column] = from[((g * filters + o) * channels + i) * taps + tap];
        }
  return packed;
}

nn::HostTensor packIntegerConvolution(const nn::HostTensor &weights, int64_t groups) {
  ArrayRef<int64_t> shape = weights.type().getShape();
  int64_t filters = shape[0] / groups, channels = shape[1], taps = shape[2] * shape[3], pairs = (channels + 1) / 2;
  nn::HostTensor packed(RankedTensorType::get({groups, panels(filters), shape[2], shape[3], pairs, panel, 2},
                                              weights.type().getElementType()));
  for (int64_t o = 0; o < shape[0]; ++o)
    for (int64_t i = 0; i < channels; ++i)
      for (int64_t tap = 0; tap < taps; ++tap) {
        int64_t filter = o % filters, column = o / filters * panels(filters) + filter / panel;
        int64_t pair = ((column * taps + tap) * pairs + i / 2) * panel + filter % panel;
        packed.asMutable<int16_t>()[2 * pair + i % 2] = weights.as<int16_t>()[(o * channels + i) * taps + tap];
      }
  return packed;
}

// G g G^T. The points of F(4x4, 3x3) are 0, 1, -1, 2, -2 and infinity: A. Lavin and S. Gray, Fast Algorithms for
// Convolutional Neural Networks, 2015.
static std::array<std::array<double, 6>, 6> winogradTransform(ArrayRef<float> kernel) {
  static constexpr double g[6][3] = {{1.0 / 4, 0, 0},
                                     {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                     {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                     {1.0 / 24, 1.0 / 12, 1.0 / 6},
                                     {1.0 / 24, -1.0 / 12, 1.0 / 6},
                                     {0, 0, 1}};
  double rows[6][3] = {};
  for (int i = 0; i < 6; ++i)
    for (int column = 0; column < 3; ++column)
      for (int k = 0; k < 3; ++k)
        rows[i][column] += g[i][k] * static_cast<double>(kernel[3 * k + column]);
  std::array<std::array<double, 6>, 6> result = {};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      for (int k = 0; k < 3; ++k)
        result[i][j] += rows[i][k] * g[j][k];
  return result;
}

nn::HostTensor packWinograd(const nn::HostTensor &weights) {
  constexpr int64_t points = 36;
  int64_t filters = weights.type().getDimSize(0), channels = weights.type().getDimSize(1);
  nn::HostTensor packed(
      RankedTensorType::get({panels(filters), points, channels, panel}, weights.type().getElementType()));
  ArrayRef<float> from = weights.as<float>();
  MutableArrayRef<float> to = packed.asMutable<float>();
  for (int64_t o = 0; o < filters; ++o)
    for (int64_t i = 0; i < channels; ++i) {
      auto transformed = winogradTransform(from.slice((o * channels + i) * 9, 9));
      for (int64_t point = 0; point < points; ++point)
        to[((o / panel * points + point) * channels + i) * panel + o % panel] =
            static_cast<float>(transformed[point / 6][point % 6]);
    }
  return packed;
}

nn::HostTensor packDepthwise(const nn::HostTensor &weights) {
  ArrayRef<int64_t> shape = weights.type().getShape();
  int64_t channels = shape[0], taps = shape[2] * shape[3], padded = panels(channels) * panel;
  nn::HostTensor packed(RankedTensorType::get({shape[2], shape[3], padded}, weights.type().getElementType()));
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t tap = 0; tap < taps; ++tap)
      packed.asMutable<float>()[tap * padded + c] = weights.as<float>()[c * taps + tap];
  return packed;
}

nn::HostTensor packMatrix(const nn::HostTensor &matrix) {
  int64_t rows = matrix.type().getDimSize(1), columns = matrix.type().getDimSize(2);
  nn::HostTensor packed(RankedTensorType::get({panels(columns), rows, panel}, matrix.type().getElementType()));
  for (int64_t k = 0; k < rows; ++k)
    for (int64_t n = 0; n < columns; ++n)
      packed.asMutable<float>()[(n / panel * rows + k) * panel + n % panel] = matrix.as<float>()[k * columns + n];
  return packed;
}

} // namespace aotc::select
