// Constants in the compiler's memory: what was set is read back, for every element type.
#include "ir/nn/HostTensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace mlir;
using aotc::nn::HostTensor;

namespace {

struct HostTensorTest : testing::Test {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  Builder builder{&context};

  HostTensor make(Type element, int64_t count = 2) { return HostTensor(RankedTensorType::get({count}, element)); }
  // Sets element 1 through `set`, and reads it back from an attribute made of the tensor.
  double roundTrip(Type element, double value) {
    HostTensor tensor = make(element);
    tensor.set(1, value);
    return HostTensor::view(tensor.toAttr()).toDouble(1);
  }
  int64_t roundTripInteger(Type element, int64_t value) {
    HostTensor tensor = make(element);
    tensor.setInteger(1, value);
    return HostTensor::view(tensor.toAttr()).toInteger(1);
  }
  Type unsignedType(unsigned bits) { return IntegerType::get(&context, bits, IntegerType::Unsigned); }
};

TEST_F(HostTensorTest, SignedIntegersKeepTheirSign) {
  for (unsigned bits : {4u, 8u, 16u, 32u, 64u}) {
    Type type = builder.getIntegerType(bits);
    int64_t least = bits == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (bits - 1));
    EXPECT_EQ(roundTripInteger(type, least), least) << bits;
    EXPECT_EQ(roundTripInteger(type, -1), -1) << bits;
    EXPECT_EQ(roundTripInteger(type, -(least + 1)), -(least + 1)) << bits;
  }
}

TEST_F(HostTensorTest, UnsignedIntegersHaveNone) {
  for (unsigned bits : {8u, 16u, 32u}) {
    int64_t most = (int64_t{1} << bits) - 1;
    EXPECT_EQ(roundTripInteger(unsignedType(bits), most), most) << bits;
    EXPECT_EQ(roundTrip(unsignedType(bits), static_cast<double>(most)), static_cast<double>(most)) << bits;
  }
  HostTensor tensor = make(unsignedType(64));
  tensor.setInteger(0, -1);
  EXPECT_EQ(tensor.toDouble(0), 18446744073709551616.0);
}

TEST_F(HostTensorTest, FloatsRoundToNearestEven) {
  EXPECT_EQ(roundTrip(builder.getF64Type(), 0.1), 0.1);
  EXPECT_EQ(roundTrip(builder.getF32Type(), 0.1), static_cast<double>(0.1f));
  EXPECT_EQ(roundTrip(builder.getF16Type(), 2049.0), 2048.0);
  EXPECT_EQ(roundTrip(builder.getF16Type(), 2051.0), 2052.0);
  EXPECT_EQ(roundTrip(builder.getBF16Type(), 257.0), 256.0);
  EXPECT_EQ(roundTrip(builder.getFloat8E5M2Type(), 3.0), 3.0);
  EXPECT_EQ(roundTrip(builder.getFloat8E4M3FNType(), 448.0), 448.0);
}

TEST_F(HostTensorTest, SpecialFloatsSurvive) {
  for (Type type : {Type(builder.getF16Type()), Type(builder.getBF16Type()), Type(builder.getF32Type()),
                    Type(builder.getF64Type())}) {
    EXPECT_TRUE(std::isnan(roundTrip(type, std::nan(""))));
    EXPECT_EQ(roundTrip(type, -std::numeric_limits<double>::infinity()), -std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::signbit(roundTrip(type, -0.0)));
  }
}

TEST_F(HostTensorTest, BoolsAreBytesHereAndBitsInAttributes) {
  auto type = RankedTensorType::get({10}, builder.getI1Type());
  SmallVector<bool> values{true, false, false, true, true, false, true, false, true, true};
  HostTensor tensor = HostTensor::view(DenseElementsAttr::get(type, values));
  ASSERT_EQ(tensor.bytes().size(), 10u);
  for (int64_t i = 0; i < 10; ++i)
    EXPECT_EQ(tensor.toInteger(i), values[i]) << i;
  EXPECT_EQ(tensor.toAttr(), DenseElementsAttr::get(type, values));
  EXPECT_EQ(HostTensor::view(DenseElementsAttr::get(type, true)).toInteger(9), 1);
}

TEST_F(HostTensorTest, SplatsAreWrittenOut) {
  auto type = RankedTensorType::get({2, 3}, builder.getI16Type());
  HostTensor tensor = HostTensor::view(DenseElementsAttr::get(type, static_cast<int16_t>(-7)));
  ASSERT_EQ(tensor.as<int16_t>().size(), 6u);
  for (int16_t value : tensor.as<int16_t>())
    EXPECT_EQ(value, -7);
}

TEST_F(HostTensorTest, ScalarsAndEmptyTensors) {
  HostTensor scalar(RankedTensorType::get({}, builder.getF32Type()));
  scalar.set(0, 1.5);
  EXPECT_EQ(HostTensor::view(scalar.toAttr()).toDouble(0), 1.5);
  HostTensor empty(RankedTensorType::get({0, 4}, builder.getF32Type()));
  HostTensor again = HostTensor::view(empty.toAttr());
  EXPECT_EQ(again.size(), 0);
  EXPECT_TRUE(again.bytes().empty());
}

TEST_F(HostTensorTest, LargeFloatsBecomeResources) {
  HostTensor small = make(builder.getF32Type(), 256), large = make(builder.getF32Type(), 257);
  large.set(256, 3.0);
  EXPECT_TRUE(isa<DenseElementsAttr>(small.toAttr()));
  EXPECT_TRUE(isa<DenseElementsAttr>(make(builder.getI64Type(), 10000).toAttr()));
  ElementsAttr attribute = large.toAttr();
  ASSERT_TRUE(isa<DenseResourceElementsAttr>(attribute));
  HostTensor viewed = HostTensor::view(attribute);
  EXPECT_EQ(viewed.toDouble(256), 3.0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(viewed.bytes().data()) % 64, 0u);
}

TEST_F(HostTensorTest, EqualResourcesAreOne) {
  HostTensor tensor = make(builder.getF32Type(), 300), other = make(builder.getF32Type(), 300);
  other.set(7, 1.0);
  EXPECT_EQ(tensor.toAttr(), make(builder.getF32Type(), 300).toAttr());
  EXPECT_NE(tensor.toAttr(), other.toAttr());
  // The same bytes in another shape are another constant on the same data.
  HostTensor square(RankedTensorType::get({15, 20}, builder.getF32Type()));
  EXPECT_EQ(HostTensor::view(square.toAttr()).bytes().data(), HostTensor::view(tensor.toAttr()).bytes().data());
}

TEST_F(HostTensorTest, RowMajorStrides) {
  EXPECT_EQ(aotc::nn::rowMajorStrides({2, 3, 4}), (SmallVector<int64_t>{12, 4, 1}));
  EXPECT_TRUE(aotc::nn::rowMajorStrides({}).empty());
}

} // namespace
