// Offsets, sharing and padding of the weights block, and what its assembly file says.
#include "codegen/cpp/WeightsFile.h"

#include <gtest/gtest.h>

using namespace aotc::codegen;

namespace {

llvm::ArrayRef<char> bytes(const std::string &text) { return {text.data(), text.size()}; }

std::string blockOf(const WeightsFile &weights) {
  std::string block;
  for (const llvm::ArrayRef<char> piece : weights.pieces())
    block.append(piece.data(), piece.size());
  return block;
}

TEST(WeightsFile, AlignsAndPads) {
  WeightsFile weights;
  EXPECT_EQ(weights.append(bytes("abc")), 0u);
  EXPECT_EQ(weights.append(bytes("d")), 64u);
  EXPECT_EQ(weights.append(bytes("ef"), 4), 68u);
  EXPECT_EQ(weights.append(bytes("g"), 1), 70u);
  EXPECT_EQ(weights.sizeBytes(), 192u); // 71 and a tail of 64, rounded up
  std::string expected(192, '\0');
  expected.replace(0, 3, "abc").replace(64, 1, "d").replace(68, 3, "efg");
  EXPECT_EQ(blockOf(weights), expected);
}

TEST(WeightsFile, SharesEqualTensors) {
  WeightsFile weights;
  const std::string first(100, 'a'), same(100, 'a'), longer(101, 'a');
  EXPECT_EQ(weights.append(bytes(first)), 0u);
  EXPECT_EQ(weights.appendReference(bytes(same)), 0u);
  EXPECT_EQ(weights.append(std::vector<char>(100, 'a')), 0u);
  EXPECT_EQ(weights.append(bytes(longer)), 128u);
}

TEST(WeightsFile, AnEqualTensorMustFitTheAlignment) {
  WeightsFile weights;
  weights.append(bytes("four"), 4);
  EXPECT_EQ(weights.append(bytes("y"), 4), 4u);
  EXPECT_EQ(weights.append(bytes("y"), 64), 64u);
  EXPECT_EQ(weights.append(bytes("y"), 64), 64u);
}

TEST(WeightsFile, IsEmptyWithoutTensors) {
  const WeightsFile weights;
  EXPECT_EQ(weights.sizeBytes(), 0u);
  EXPECT_TRUE(weights.pieces().empty());
  EXPECT_EQ(weights.assembly("m").find(".incbin"), std::string::npos);
}

TEST(WeightsFile, AssemblyNamesContentAndSymbol) {
  WeightsFile weights;
  weights.append(bytes("abc"));
  const std::string text = weights.assembly("net");
  EXPECT_NE(text.find("// net_weights.bin: 128 bytes, sha256 " + weights.sha256()), std::string::npos);
  EXPECT_NE(text.find(".incbin \"net_weights.bin\""), std::string::npos);
  EXPECT_NE(text.find(".section .rodata.net_weights,\"a\",%progbits"), std::string::npos);
  EXPECT_EQ(weights.assembly("net", /*embed=*/false).find(".incbin"), std::string::npos);
  WeightsFile other;
  other.append(bytes("abd"));
  EXPECT_NE(other.assembly("net"), text);
}

} // namespace
