// Halves in memory: every one of the 65,536 codes of float16 and bfloat16 is loaded as widen() has it, and what is stored
// or rounded is what narrow() has: ties, subnormals, the limits and NaN, whole vectors, tails and single numbers.
// NarrowTest holds widen() and narrow() against a search among all numbers.
#include "aotc/kernels/halves.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

constexpr int lanes = vec_lanes<float>;

template <class T> class HalvesTest : public ::testing::Test {};
using Formats = ::testing::Types<Float16, BFloat16>;
TYPED_TEST_SUITE(HalvesTest, Formats);

template <class T> std::vector<T> allCodes() {
  std::vector<T> codes;
  for (std::uint32_t code = 0; code <= 0xffff; ++code)
    codes.push_back(T{static_cast<std::uint16_t>(code)});
  return codes;
}

bool isSame(float a, float b) { return std::isnan(a) ? std::isnan(b) : detail::bits_of(a) == detail::bits_of(b); }
template <class T> bool isSameCode(T a, T b) {
  return a.bits == b.bits || (std::isnan(widen(a)) && std::isnan(widen(b)));
}

template <class T> void expectStores(const float (&values)[lanes]) {
  T whole[lanes], part[lanes] = {};
  const Vec<float> vector = load(static_cast<const float *>(values), Full{});
  store(whole, vector, Full{});
  const int count = lanes > 1 ? lanes - 1 : 1;
  store(part, vector, Tail{count});
  for (int i = 0; i < lanes; ++i) {
    const T expected = narrow<T>(values[i]);
    ASSERT_TRUE(isSameCode(whole[i], expected)) << values[i] << ": " << whole[i].bits << ", not " << expected.bits;
    ASSERT_TRUE(i < count ? isSameCode(part[i], expected) : part[i].bits == 0) << values[i];
    T single;
    store(&single, values[i], Scalar{});
    ASSERT_TRUE(isSameCode(single, expected)) << values[i];
  }
}

template <class T> Vec<float> rounded(Vec<float> x) {
  return std::is_same_v<T, Float16> ? round_to_f16(x) : round_to_bf16(x);
}

// Every 65,521st float, and the neighbours of every number and of the middle between two.
template <class Body> void forEachFloat(Body body) {
  float values[lanes];
  int count = 0;
  const auto add = [&](std::uint32_t bits) {
    values[count++] = detail::from_bits(static_cast<std::int32_t>(bits));
    if (count == lanes)
      body(values), count = 0;
  };
  for (std::uint64_t bits = 0; bits <= 0xffffffff; bits += 65521)
    add(static_cast<std::uint32_t>(bits));
  for (std::uint32_t high = 0; high <= 0xffff; ++high)
    for (std::uint32_t low : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      add(high << 16 | low);
  while (count > 0)
    add(0);
}

} // namespace

TYPED_TEST(HalvesTest, EveryCodeIsLoaded) {
  const std::vector<TypeParam> codes = allCodes<TypeParam>();
  for (std::size_t at = 0; at + static_cast<std::size_t>(lanes) <= codes.size(); at += lanes) {
    const TypeParam *p = codes.data() + at;
    for (int i = 0; i < lanes; ++i) {
      const float expected = widen(p[i]);
      ASSERT_TRUE(isSame(lane<float>(load(p, Full{}), i), expected)) << p[i].bits;
      ASSERT_TRUE(isSame(load(p + i, Scalar{}), expected)) << p[i].bits;
      ASSERT_TRUE(isSame(lane<float>(broadcast(p + i, Full{}), lanes - 1), expected)) << p[i].bits;
      const float tail = lane<float>(load(p, Tail{lanes - 1}), i);
      ASSERT_TRUE(lanes == 1 || isSame(tail, i < lanes - 1 ? expected : 0.0f)) << p[i].bits;
    }
  }
}

TYPED_TEST(HalvesTest, LoadsAtDistances) {
  std::vector<TypeParam> codes = allCodes<TypeParam>();
  const TypeParam *p = codes.data() + 0x3f80;
  for (int stride : {1, 2, 3})
    for (int i = 0; i < lanes; ++i)
      EXPECT_EQ(lane<float>(load_strided(p, stride, Full{}), i), widen(p[i * stride]));
}

TYPED_TEST(HalvesTest, StoresTheNearest) {
  forEachFloat([](const float(&values)[lanes]) { expectStores<TypeParam>(values); });
}

TYPED_TEST(HalvesTest, RoundsAsItStores) {
  forEachFloat([](const float(&values)[lanes]) {
    const Vec<float> all = rounded<TypeParam>(load(static_cast<const float *>(values), Full{}));
    for (int i = 0; i < lanes; ++i)
      ASSERT_TRUE(isSame(lane<float>(all, i), widen(narrow<TypeParam>(values[i])))) << values[i];
  });
}
