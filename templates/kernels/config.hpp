// What every kernel header starts from: the namespace that keeps instruction-set levels apart, the few compiler
// attributes in use, and constants of the packed layouts. Holds no code, and includes nothing that emits a symbol.
//
// Kernels are compiled once per instruction-set level into one library. Without the level in their names the
// linker would merge weak symbols of two levels and the wrong copy could win: so all shipped kernel code lives in
// an inline namespace.
#pragma once
#include <cstddef>
#include <cstdint>

#include "aotc/part.hpp"

#ifdef __FAST_MATH__
#error "aotc kernels rely on NaN, infinities and exact rounding: compile without -ffast-math"
#endif

#ifndef AOTC_NAMESPACE
#define AOTC_NAMESPACE v0_1_native
#endif
#ifndef AOTC_LEVEL
#define AOTC_LEVEL native
#endif
// AOTC_OF_LEVEL(steps) names what there is one of for each level: steps_native.
#define AOTC_JOIN_NAMES(name, level) name##_##level
#define AOTC_JOIN_EXPANDED(name, level) AOTC_JOIN_NAMES(name, level)
#define AOTC_OF_LEVEL(name) AOTC_JOIN_EXPANDED(name, AOTC_LEVEL)

#define AOTC_PRAGMA(text) _Pragma(#text)

// GCC 12, where all extents are constants, follows loops into iterations that are never reached, and warns of them.
#if defined(__GNUC__) && !defined(__clang__)
#define AOTC_WARNINGS_BEGIN \
  AOTC_PRAGMA(GCC diagnostic push) AOTC_PRAGMA(GCC diagnostic ignored "-Waggressive-loop-optimizations")
#define AOTC_WARNINGS_END AOTC_PRAGMA(GCC diagnostic pop)
#else
#define AOTC_WARNINGS_BEGIN
#define AOTC_WARNINGS_END
#endif

#define AOTC_KERNELS_BEGIN \
  AOTC_WARNINGS_BEGIN      \
  namespace aotc {         \
  inline namespace AOTC_NAMESPACE {
#define AOTC_KERNELS_END \
  }                      \
  }                      \
  AOTC_WARNINGS_END

// Inlined in debug builds too: register tiles and generic lambdas must never become calls.
#define AOTC_INLINE [[gnu::always_inline]] inline
// The same for a lambda, between its parameter list and its body.
#define AOTC_INLINE_LAMBDA __attribute__((always_inline))

// AOTC_UNROLL(n) before a loop whose trip count is a constant of at most n; AOTC_UNROLL(1) keeps a loop rolled.
#define AOTC_UNROLL(n) AOTC_PRAGMA(GCC unroll n)

// Whether the compiler has __builtin_shufflevector for vectors of any type.
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define AOTC_HAS_SHUFFLES 1
#endif
#endif
#ifndef AOTC_HAS_SHUFFLES
#define AOTC_HAS_SHUFFLES 0
#endif

AOTC_KERNELS_BEGIN

// Packed weights hold their output channels in panels of this many, zero filled at the end: one AVX-512 vector, two of
// AVX2, four of NEON or SSE. The same packing serves every level.
constexpr int panel_channels = 16;

constexpr int ceil_div(int a, int b) { return (a + b - 1) / b; }
constexpr int round_up(int a, int b) { return ceil_div(a, b) * b; }
constexpr int min_of(int a, int b) { return a < b ? a : b; }
constexpr int max_of(int a, int b) { return a < b ? b : a; }

AOTC_KERNELS_END
