// The compiler's own conversions of halves against LLVM's, which are slow and known to be right: all codes, and floats
// around every number and every tie.
#include "ir/nn/Halves.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include <gtest/gtest.h>

using namespace aotc::nn;
using namespace mlir;

namespace {

float decode(uint16_t bits, const llvm::fltSemantics &format) {
  llvm::APFloat value(format, llvm::APInt(16, bits));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value.convertToFloat();
}

uint16_t encode(float x, const llvm::fltSemantics &format) {
  llvm::APFloat value(x);
  bool losesInfo;
  value.convert(format, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue());
}

bool isNan(uint16_t bits, const llvm::fltSemantics &format) { return std::isnan(decode(bits, format)); }

void expectConverts(uint16_t (*to)(float), float (*from)(uint16_t), const llvm::fltSemantics &format) {
  for (uint32_t high = 0; high <= 0xffff; ++high) {
    auto code = static_cast<uint16_t>(high);
    float expected = decode(code, format);
    ASSERT_TRUE(std::isnan(expected) ? std::isnan(from(code)) : from(code) == expected) << high;
    ASSERT_EQ(std::signbit(from(code)), std::signbit(expected)) << high;
    for (uint32_t low : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      auto x = llvm::bit_cast<float>(high << 16 | low);
      uint16_t nearest = encode(x, format), found = to(x);
      ASSERT_TRUE(isNan(nearest, format) ? isNan(found, format) : found == nearest) << x << ": " << found;
    }
  }
}

} // namespace

TEST(Halves, ConvertAsLlvmDoes) {
  expectConverts(toFloat16, fromFloat16, llvm::APFloat::IEEEhalf());
  expectConverts(toBFloat16, fromBFloat16, llvm::APFloat::BFloat());
}

TEST(Halves, FindsWhatDoesNotFit) {
  MLIRContext context;
  HostTensor floats(RankedTensorType::get({4}, Float32Type::get(&context)));
  Type half = Float16Type::get(&context), brain = BFloat16Type::get(&context);
  constexpr double values[] = {0.5, 1.00048828125, HUGE_VAL, 65520.0}; // the second has 11 bits of fraction
  for (int64_t i = 0; i < 4; ++i)
    floats.set(i, values[i]);
  EXPECT_EQ(findInexact(floats, half), 1);
  EXPECT_EQ(findInexact(floats, brain), 1);
  EXPECT_EQ(findOverflow(floats, half), 3);
  EXPECT_EQ(findOverflow(floats, brain), -1);
}

TEST(Halves, TensorsThereAndBack) {
  MLIRContext context;
  HostTensor floats(RankedTensorType::get({3}, Float32Type::get(&context)));
  for (int64_t i = 0; i < 3; ++i)
    floats.set(i, 0.25 * static_cast<double>(i - 1));
  for (Type half : {Type(Float16Type::get(&context)), Type(BFloat16Type::get(&context))}) {
    HostTensor halves = toHalves(floats, half);
    EXPECT_EQ(halves.type().getElementType(), half);
    EXPECT_EQ(toFloats(halves).as<float>(), floats.as<float>());
  }
}
