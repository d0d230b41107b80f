// Products of integers: the few dot-product instructions that xsimd lacks, each with a portable form that gives the
// same bits, and what moves words of small integers in and out of vectors. Nothing else may use intrinsics for them.
// And products of bfloat16, where there is an instruction for those (AOTC_HAS_BF16_DOT); halves.hpp has what other
// builds do.
//
// A word is 32 bits of neighbours along the summed dimension; a Vec<std::int32_t> holds one in each lane:
//   Int16Pair      two 16-bit integers, a product's both operands alike
//   Int8Quad       four bytes: the first operand of a product as this build's instructions want them (reads_unsigned),
//                  the second signed
//   Int8QuadOther  the same, with the first operand's bytes of the other kind: x and x ^ 0x80 differ by 128
//   BFloat16Pair   two bfloat16, whose products are summed in float; subnormals count as zero
//   WidenedQuad    two 16-bit integers, the first and the third of four bytes; the two others lie OddDistance words
//                  behind. For builds without products of bytes (splits_quads), which else widen in the inner loop
#pragma once
#include <cstring>
#include <type_traits>

#include "math.hpp"
#if defined(AOTC_SCALAR) && defined(__ARM_FEATURE_DSP)
#include <arm_acle.h>
#endif

AOTC_KERNELS_BEGIN

template <class Kind>
struct Word {
  std::int8_t bytes[4];
};
using Int16Pair = Word<struct Int16PairKind>;
using Int8Quad = Word<struct Int8QuadKind>;
using Int8QuadOther = Word<struct Int8QuadOtherKind>;
using BFloat16Pair = Word<struct BFloat16PairKind>;
template <int OddDistance>
struct WidenedQuadKind {};
template <int OddDistance>
using WidenedQuad = Word<WidenedQuadKind<OddDistance>>;

// Whether a product of quads takes its first operand's bytes as unsigned.
#if !defined(AOTC_SCALAR) && defined(__aarch64__) && !defined(__ARM_FEATURE_MATMUL_INT8)
constexpr bool reads_unsigned = false;
#else
constexpr bool reads_unsigned = true;
#endif

namespace detail {

// A sum of products that stays in its register: given the intrinsic, GCC copies every sum to another one and back, and
// spills what no longer fits.
#if defined(__GNUC__) && !defined(__clang__)
#define AOTC_DOT(instruction, intrinsic, sum, a, b) \
  asm(instruction " %2, %1, %0" : "+v"(sum.data) : "v"(a.data), "v"(b.data))
// By two instructions. Given intrinsics, GCC adds products to one another first, and needs more registers.
#define AOTC_DOT_AND_ADD(instruction, product, add, sum, a, b) \
  do {                                                         \
    decltype(sum) products;                                    \
    asm(instruction " %3, %2, %1\n\tvpaddd %1, %0, %0"         \
        : "+v"(sum.data), "=&v"(products.data)                 \
        : "v"(a.data), "v"(b.data));                           \
  } while (0)
#else
#define AOTC_DOT(instruction, intrinsic, sum, a, b) sum = intrinsic(sum, a, b)
#define AOTC_DOT_AND_ADD(instruction, product, add, sum, a, b) sum = add(sum, product(a, b))
#endif

// --------------------------------------------------------------------------------------------------- pairs of 16 bits
// sum + a.first * b.first + a.second * b.second in each lane; wraps around.
AOTC_INLINE Vec<std::int32_t> add_pairs(Vec<std::int32_t> a, Vec<std::int32_t> b, Vec<std::int32_t> sum) {
#if defined(AOTC_SCALAR)
  const auto part = [](std::int32_t pair, int shift) { return static_cast<std::int16_t>(pair >> shift); };
  const std::int64_t products = std::int64_t{part(a, 0)} * part(b, 0) + std::int64_t{part(a, 16)} * part(b, 16);
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) + static_cast<std::uint32_t>(products));
#elif defined(__AVX512VNNI__)
  AOTC_DOT("vpdpwssd", _mm512_dpwssd_epi32, sum, a, b);
  return sum;
#elif defined(__AVX512BW__)
  AOTC_DOT_AND_ADD("vpmaddwd", _mm512_madd_epi16, _mm512_add_epi32, sum, a, b);
  return sum;
#elif defined(__AVXVNNI__)
  AOTC_DOT("%{vex%} vpdpwssd", _mm256_dpwssd_avx_epi32, sum, a, b);
  return sum;
#elif defined(__AVX2__)
  AOTC_DOT_AND_ADD("vpmaddwd", _mm256_madd_epi16, _mm256_add_epi32, sum, a, b);
  return sum;
#elif defined(__SSE2__)
  return _mm_add_epi32(sum, _mm_madd_epi16(a, b));
#elif defined(__aarch64__)
  const int16x8_t x = vreinterpretq_s16_s32(a), y = vreinterpretq_s16_s32(b);
  return vaddq_s32(sum, vpaddq_s32(vmull_s16(vget_low_s16(x), vget_low_s16(y)), vmull_high_s16(x, y)));
#else
  return sum + ((a << 16) >> 16) * ((b << 16) >> 16) + (a >> 16) * (b >> 16);
#endif
}

// ------------------------------------------------------------------------------------------------------ quads of bytes
// Whether products of bytes are made of products of 16-bit integers.
#if !defined(AOTC_SCALAR) && defined(__SSE2__) && !defined(__AVX512VNNI__) && \
    !(defined(__AVXVNNI__) && !defined(__AVX512F__))
#define AOTC_SPLITS_QUADS 1
#else
#define AOTC_SPLITS_QUADS 0
#endif
#if defined(AOTC_SCALAR)
AOTC_INLINE std::int32_t add_quads(std::int32_t a, std::int32_t b, std::int32_t sum) {
#if defined(__ARM_FEATURE_DSP)
  const auto x = static_cast<std::uint32_t>(a), w = static_cast<std::uint32_t>(b);
  // Bytes 0 and 2, then 1 and 3, as pairs of 16 bits.
  sum = __smlad(static_cast<int16x2_t>(__uxtb16(x)), __sxtb16(static_cast<int8x4_t>(w)), sum);
  return __smlad(static_cast<int16x2_t>(__uxtb16(x >> 8)), __sxtb16(static_cast<int8x4_t>(w >> 8)), sum);
#else
  std::uint32_t result = static_cast<std::uint32_t>(sum);
  for (int shift = 0; shift < 32; shift += 8)
    result += static_cast<std::uint32_t>(static_cast<std::uint8_t>(a >> shift) * static_cast<std::int8_t>(b >> shift));
  return static_cast<std::int32_t>(result);
#endif
}
#elif defined(__AVX512VNNI__)
AOTC_INLINE Vec<std::int32_t> add_quads(Vec<std::int32_t> a, Vec<std::int32_t> b, Vec<std::int32_t> sum) {
  AOTC_DOT("vpdpbusd", _mm512_dpbusd_epi32, sum, a, b);
  return sum;
}
#elif defined(__AVXVNNI__) && !defined(__AVX512F__)
AOTC_INLINE Vec<std::int32_t> add_quads(Vec<std::int32_t> a, Vec<std::int32_t> b, Vec<std::int32_t> sum) {
  AOTC_DOT("%{vex%} vpdpbusd", _mm256_dpbusd_avx_epi32, sum, a, b);
  return sum;
}
#elif defined(__aarch64__)
AOTC_INLINE Vec<std::int32_t> add_quads(Vec<std::int32_t> a, Vec<std::int32_t> b, Vec<std::int32_t> sum) {
  const int8x16_t y = vreinterpretq_s8_s32(b);
#if defined(__ARM_FEATURE_MATMUL_INT8)
  return vusdotq_s32(sum, vreinterpretq_u8_s32(a), y);
#elif defined(__ARM_FEATURE_DOTPROD)
  return vdotq_s32(sum, vreinterpretq_s8_s32(a), y);
#else
  const int8x16_t x = vreinterpretq_s8_s32(a);
  const int32x4_t low = vpaddlq_s16(vmull_s8(vget_low_s8(x), vget_low_s8(y))), high = vpaddlq_s16(vmull_high_s8(x, y));
  return vaddq_s32(sum, vpaddq_s32(low, high));
#endif
}
#elif AOTC_SPLITS_QUADS
// Bytes 0 and 2, then 1 and 3, as pairs of 16 bits: multiplying bytes as they are (pmaddubsw) would saturate.
struct SplitQuads {
  Vec<std::int32_t> even, odd;
};
AOTC_INLINE SplitQuads split_unsigned(Vec<std::int32_t> quads) {
  const Vec<std::int32_t> low_bytes(0x00FF00FF);
#if defined(__AVX512BW__)
  return {quads & low_bytes, _mm512_srli_epi16(quads, 8)};
#elif defined(__AVX2__)
  return {quads & low_bytes, _mm256_srli_epi16(quads, 8)};
#else
  return {quads & low_bytes, _mm_srli_epi16(quads, 8)};
#endif
}
AOTC_INLINE SplitQuads split_signed(Vec<std::int32_t> quads) {
#if defined(__AVX512BW__)
  return {_mm512_srai_epi16(_mm512_slli_epi16(quads, 8), 8), _mm512_srai_epi16(quads, 8)};
#elif defined(__AVX2__)
  return {_mm256_srai_epi16(_mm256_slli_epi16(quads, 8), 8), _mm256_srai_epi16(quads, 8)};
#else
  return {_mm_srai_epi16(_mm_slli_epi16(quads, 8), 8), _mm_srai_epi16(quads, 8)};
#endif
}
#endif

// ------------------------------------------------------------------------------------------------- pairs of bfloat16
#if !defined(AOTC_SCALAR) && (defined(__AVX512BF16__) || defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC))
#define AOTC_HAS_BF16_DOT 1
#if defined(__aarch64__)
AOTC_INLINE Vec<float> add_bf16_pairs(Vec<std::int32_t> a, Vec<std::int32_t> b, Vec<float> sum) {
  return vbfdotq_f32(sum, vreinterpretq_bf16_s32(a), vreinterpretq_bf16_s32(b));
}
AOTC_INLINE auto round_both(Vec<float> first, Vec<float> second) {
  return vcvtq_high_bf16_f32(vcvtq_low_bf16_f32(first), second);
}
#else
AOTC_INLINE Vec<float> add_bf16_pairs(Vec<std::int32_t> a, Vec<std::int32_t> b, Vec<float> sum) {
#if defined(__GNUC__) && !defined(__clang__)
  AOTC_DOT("vdpbf16ps", none, sum, a, b);
  return sum;
#else
  return _mm512_dpbf16_ps(sum, (__m512bh)a.data, (__m512bh)b.data);
#endif
}
AOTC_INLINE auto round_both(Vec<float> first, Vec<float> second) { return _mm512_cvtne2ps_pbh(second, first); }
#endif
// `count` floats as pairs, rounded; filled up with zeros to whole vectors.
AOTC_INLINE void round_to_pairs(const float* x, int count, BFloat16Pair* pairs) {
  constexpr int lanes = vec_lanes<float>;
  for (int i = 0; i < count; i += 2 * lanes) {
    const Vec<float> first = i + lanes <= count ? load(x + i, Full{}) : load(x + i, Tail{count - i});
    const Vec<float> second = i + 2 * lanes <= count ? load(x + i + lanes, Full{})
                              : i + lanes < count    ? load(x + i + lanes, Tail{count - i - lanes})
                                                     : Vec<float>(0.0f);
    const auto both = round_both(first, second);
    __builtin_memcpy(pairs + i / 2, &both, sizeof both);
  }
}
#else
#define AOTC_HAS_BF16_DOT 0
#endif

#undef AOTC_DOT_AND_ADD
#undef AOTC_DOT
}  // namespace detail

// What multiply() in register_tile.hpp works on: elements T, what vectors hold of them, and sums of their products, in
// each lane: add(first(a), second(b), sum), where first() and second() serve for many products. Sums of words of
// integers wrap around.
template <class T>
struct Products {
  using Sum = T;
  using Operand = T;
  AOTC_INLINE static Vec<T> first(Vec<T> a) { return a; }
  AOTC_INLINE static Vec<T> second(Vec<T> b) { return b; }
  AOTC_INLINE static Vec<T> add(Vec<T> a, Vec<T> b, Vec<T> sum) { return fma(a, b, sum); }
};
template <>
struct Products<Int16Pair> : Products<std::int32_t> {
  AOTC_INLINE static Vec<Sum> add(Vec<Sum> a, Vec<Sum> b, Vec<Sum> sum) { return detail::add_pairs(a, b, sum); }
};
template <>
struct Products<Int8Quad> : Products<std::int32_t> {
#if AOTC_SPLITS_QUADS
  using Split = detail::SplitQuads;
  AOTC_INLINE static Split first(Vec<Operand> a) { return detail::split_unsigned(a); }
  AOTC_INLINE static Split second(Vec<Operand> b) { return detail::split_signed(b); }
  AOTC_INLINE static Vec<Sum> add(const Split& a, const Split& b, Vec<Sum> sum) {
    return detail::add_pairs(a.odd, b.odd, detail::add_pairs(a.even, b.even, sum));
  }
#else
  AOTC_INLINE static Vec<Sum> add(Vec<Sum> a, Vec<Sum> b, Vec<Sum> sum) { return detail::add_quads(a, b, sum); }
#endif
};
template <>
struct Products<Int8QuadOther> : Products<Int8Quad> {
  AOTC_INLINE static auto first(Vec<Operand> a) {
    return Products<Int8Quad>::first(a ^ Vec<Operand>(static_cast<Operand>(0x80808080u)));
  }
};
#if AOTC_HAS_BF16_DOT
template <>
struct Products<BFloat16Pair> : Products<std::int32_t> {
  using Sum = float;
  AOTC_INLINE static Vec<Sum> add(Vec<Operand> a, Vec<Operand> b, Vec<Sum> sum) {
    return detail::add_bf16_pairs(a, b, sum);
  }
};
#endif
template <class T>
using sum_of = typename Products<T>::Sum;
template <class T>
using SecondFactor = decltype(Products<T>::second(Vec<typename Products<T>::Operand>()));

template <int OddDistance>
struct Products<WidenedQuad<OddDistance>> : Products<Int16Pair> {
  static constexpr int odd_distance = OddDistance;
};
constexpr bool splits_quads = AOTC_SPLITS_QUADS != 0;
template <class T>
constexpr bool is_widened = false;
template <int OddDistance>
constexpr bool is_widened<WidenedQuad<OddDistance>> = true;

// The quads to read bytes as, signed or not.
template <bool IsUnsigned>
using QuadOf = std::conditional_t<reads_unsigned ? IsUnsigned : !IsUnsigned, Int8Quad, Int8QuadOther>;

// ----------------------------------------------------------------------------------------------------- words in memory
template <class Kind>
AOTC_INLINE Vec<std::int32_t> broadcast(const Word<Kind>* p, Full) {
  std::int32_t bits;
  std::memcpy(&bits, p, sizeof bits);
  return Vec<std::int32_t>(bits);
}
namespace detail {
// The bytes of a tail, fewer than a vector's, which compilers cannot tell from its count.
AOTC_INLINE std::size_t bytes_of(Tail lanes) {
  return static_cast<std::size_t>(lanes.count & (vec_lanes<std::int32_t> - 1)) * sizeof(std::int32_t);
}
}  // namespace detail

#ifdef AOTC_SCALAR
template <class Kind>
AOTC_INLINE std::int32_t load(const Word<Kind>* p, Full) {
  return broadcast(p, Full{});
}
template <class Kind>
AOTC_INLINE void store(Word<Kind>* p, std::int32_t value, Full) {
  std::memcpy(p, &value, sizeof value);
}
#else
// Vector loads and stores reach memory of any type, tails by elements do not: those go through memory of their own.
template <class Kind>
AOTC_INLINE Vec<std::int32_t> load(const Word<Kind>* p, Full lanes) {
  return load(reinterpret_cast<const std::int32_t*>(p), lanes);
}
template <class Kind>
AOTC_INLINE void store(Word<Kind>* p, Vec<std::int32_t> value, Full lanes) {
  store(reinterpret_cast<std::int32_t*>(p), value, lanes);
}
#endif
template <class Kind>
AOTC_INLINE Vec<std::int32_t> load(const Word<Kind>* p, Tail lanes) {
#if defined(__AVX2__)
  return load(reinterpret_cast<const std::int32_t*>(p), lanes);
#else
  alignas(64) std::int32_t words[vec_lanes<std::int32_t>] = {};
  std::memcpy(words, p, detail::bytes_of(lanes));
  return load(static_cast<const std::int32_t*>(words), Full{});
#endif
}
template <class Kind>
AOTC_INLINE void store(Word<Kind>* p, Vec<std::int32_t> value, Tail lanes) {
#if defined(__AVX2__)
  store(reinterpret_cast<std::int32_t*>(p), value, lanes);
#else
  alignas(64) std::int32_t words[vec_lanes<std::int32_t>];
  store(words, value, Full{});
  std::memcpy(p, words, detail::bytes_of(lanes));
#endif
}

// sum - a * b in each lane; wraps around.
#ifdef AOTC_SCALAR
AOTC_INLINE std::int32_t less_product(std::int32_t sum, std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) -
                                   static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}
#else
AOTC_INLINE Vec<std::int32_t> less_product(Vec<std::int32_t> sum, Vec<std::int32_t> a, Vec<std::int32_t> b) {
  return sum - a * b;
}
#endif

AOTC_KERNELS_END
