// Integer arithmetic at its edges: every operand has a defined result.
#include "aotc/kernels/scalar.hpp"

#include "../FloatToInteger.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace aotc;

namespace {

TEST(ScalarTest, WrapsAround) {
  EXPECT_EQ(wrapping_add<std::int8_t>(127, 1), -128);
  EXPECT_EQ(wrapping_add(INT32_MAX, 1), INT32_MIN);
  EXPECT_EQ(wrapping_subtract(INT64_MIN, std::int64_t{1}), INT64_MAX);
  EXPECT_EQ(wrapping_multiply<std::int16_t>(300, 300), static_cast<std::int16_t>(90000));
  EXPECT_EQ(wrapping_multiply(INT64_MIN, std::int64_t{-1}), INT64_MIN);
  EXPECT_EQ(wrapping_abs(INT32_MIN), INT32_MIN);
  EXPECT_EQ(wrapping_abs(-5), 5);
}

TEST(ScalarTest, DividesByAnything) {
  EXPECT_EQ(divide(7, -2), -3);
  EXPECT_EQ(divide(7, 0), 0);
  EXPECT_EQ(divide(INT32_MIN, -1), INT32_MIN);
  EXPECT_EQ(remainder_of(-7, 2), -1);
  EXPECT_EQ(remainder_of(INT64_MIN, std::int64_t{-1}), 0);
  EXPECT_EQ(remainder_of(7, 0), 7);
  EXPECT_EQ(divide_unsigned<std::int8_t>(-1, 2), 127);
  EXPECT_EQ(remainder_unsigned<std::int8_t>(-1, 2), 1);
  EXPECT_EQ(max_unsigned(-1, 1), -1);
  EXPECT_EQ(min_unsigned(-1, 1), 1);
}

TEST(ScalarTest, ShiftsByAnything) {
  EXPECT_EQ(shift_left<std::int8_t>(3, 7), -128);
  EXPECT_EQ(shift_left(1, 32), 0);
  EXPECT_EQ(shift_left(1, -1), 0);
  EXPECT_EQ(shift_right<std::int8_t>(-128, 3), -16);
  EXPECT_EQ(shift_right(-128, 100), -1);
  EXPECT_EQ(shift_right_unsigned<std::int8_t>(-1, 4), 15);
  EXPECT_EQ(shift_right_unsigned(-1, 32), 0);
}

// Signed types stand for unsigned ones in generated code.
template <class F> void expectRow(F x, const FloatToInteger &row) {
  SCOPED_TRACE(x);
  EXPECT_EQ(to_integer<std::int8_t>(x), row.i8);
  EXPECT_EQ(as_unsigned(to_unsigned<std::int8_t>(x)), row.u8);
  EXPECT_EQ(to_integer<std::int16_t>(x), row.i16);
  EXPECT_EQ(as_unsigned(to_unsigned<std::int16_t>(x)), row.u16);
  EXPECT_EQ(to_integer<std::int32_t>(x), row.i32);
  EXPECT_EQ(as_unsigned(to_unsigned<std::int32_t>(x)), row.u32);
  EXPECT_EQ(to_integer<std::int64_t>(x), row.i64);
  EXPECT_EQ(as_unsigned(to_unsigned<std::int64_t>(x)), row.u64);
}

TEST(ScalarTest, CutsFloats) {
  for (const FloatToInteger &row : floatToInteger) {
    expectRow(row.x, row);
    if (row.isFloat32())
      expectRow(static_cast<float>(row.x), row);
  }
}

} // namespace
