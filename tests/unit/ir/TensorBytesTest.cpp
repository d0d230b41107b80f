#include "ir/nn/TensorBytes.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <cstdint>

namespace aotc::nn {
namespace {

bool isZero(llvm::ArrayRef<char> bytes) {
  return llvm::all_of(bytes, [](char byte) { return byte == 0; });
}

TEST(TensorBytes, AreZeroAndAligned) {
  TensorBytes bytes(1000);
  EXPECT_EQ(bytes.size(), 1000u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes.data()) % TensorBytes::alignment, 0u);
  EXPECT_TRUE(isZero(bytes));
  EXPECT_EQ(TensorBytes().size(), 0u);
  EXPECT_EQ(TensorBytes(0).size(), 0u);
}

TEST(TensorBytes, CopiesAreTheirOwn) {
  TensorBytes bytes(100);
  bytes.data()[7] = 1;
  TensorBytes copy = bytes;
  copy.data()[8] = 2;
  EXPECT_EQ(copy.data()[7], 1);
  EXPECT_EQ(bytes.data()[8], 0);
  bytes = std::move(copy);
  EXPECT_EQ(bytes.data()[8], 2);
}

TEST(TensorBytes, GoOnBeyondTheHeap) {
  TensorBytes most(TensorBytes::largestHeapBytes);
  TensorBytes mapped(1 << 20), copy = mapped;
  EXPECT_TRUE(isZero(mapped));
  mapped.data()[(1 << 20) - 1] = 3;
  EXPECT_EQ(llvm::ArrayRef<char>(mapped).back(), 3);
  EXPECT_TRUE(isZero(copy));
}

TEST(TensorBytes, BecomeABlob) {
  for (size_t size : {size_t(100), TensorBytes::largestHeapBytes + 1}) {
    TensorBytes bytes(size);
    bytes.data()[size - 1] = 4;
    const char *start = bytes.data();
    mlir::AsmResourceBlob blob = std::move(bytes).intoBlob();
    EXPECT_EQ(blob.getData().data(), start);
    EXPECT_EQ(blob.getData().back(), 4);
    EXPECT_EQ(blob.getDataAlignment(), TensorBytes::alignment);
  }
}

} // namespace
} // namespace aotc::nn
