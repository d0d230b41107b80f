#include "ir/nn/Halves.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;

namespace aotc::nn {

bool isHalf(Type element) { return element.isF16() || element.isBF16(); }

uint16_t toFloat16(float value) {
  auto bits = llvm::bit_cast<uint32_t>(value);
  uint32_t sign = bits >> 16 & 0x8000;
  float magnitude = std::fabs(value);
  if (std::isnan(value))
    return static_cast<uint16_t>(sign | 0x7e00);
  if (magnitude >= 65520.0f)
    return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 0x1p-14f) // a subnormal: in [0.5, 1) floats are as far apart as those
    return static_cast<uint16_t>(sign | (llvm::bit_cast<uint32_t>(magnitude + 0.5f) - llvm::bit_cast<uint32_t>(0.5f)));
  bits &= 0x7fffffff;
  bits += 0xfff + (bits >> 13 & 1);
  return static_cast<uint16_t>(sign | ((bits >> 13) - (112u << 10)));
}

uint16_t toBFloat16(float value) {
  auto bits = llvm::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float fromFloat16(uint16_t half) {
  uint32_t magnitude = half & 0x7fffu;
  auto bits = llvm::bit_cast<uint32_t>(llvm::bit_cast<float>(magnitude << 13) * 0x1p112f); // moves the exponent
  if (magnitude >= 0x7c00)
    bits |= 0x7f800000;
  return llvm::bit_cast<float>(bits | (half & 0x8000u) << 16);
}

float fromBFloat16(uint16_t half) { return llvm::bit_cast<float>(static_cast<uint32_t>(half) << 16); }

namespace {
struct Format {
  uint16_t (*encode)(float);
  float (*decode)(uint16_t);
};
} // namespace

static Format formatOf(Type half) {
  assert(isHalf(half) && "a float of 16 bits");
  return half.isF16() ? Format{toFloat16, fromFloat16} : Format{toBFloat16, fromBFloat16};
}

HostTensor toHalves(const HostTensor &floats, Type half) {
  HostTensor result(RankedTensorType::get(floats.type().getShape(), half));
  llvm::transform(floats.as<float>(), result.asMutable<uint16_t>().begin(), formatOf(half).encode);
  return result;
}

HostTensor toFloats(const HostTensor &tensor) {
  Type element = tensor.type().getElementType();
  if (element.isF32())
    return tensor;
  HostTensor result(RankedTensorType::get(tensor.type().getShape(), Float32Type::get(element.getContext())));
  llvm::transform(tensor.as<uint16_t>(), result.asMutable<float>().begin(), formatOf(element).decode);
  return result;
}

template <class IsBad> static int64_t findValue(const HostTensor &floats, Type half, IsBad isBad) {
  Format format = formatOf(half);
  ArrayRef<float> values = floats.as<float>();
  auto found = llvm::find_if(values, [&](float value) { return isBad(value, format.decode(format.encode(value))); });
  return found == values.end() ? -1 : found - values.begin();
}

int64_t findInexact(const HostTensor &floats, Type half) {
  return findValue(floats, half, [](float value, float nearest) { return nearest != value && !std::isnan(value); });
}

int64_t findOverflow(const HostTensor &floats, Type half) {
  return findValue(floats, half,
                   [](float value, float nearest) { return std::isinf(nearest) && std::isfinite(value); });
}

} // namespace aotc::nn
