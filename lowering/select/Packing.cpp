#include "lowering/select/Packing.h"

#include "ir/kern/Dialect.h"

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
