// ONNX's element types as plain numbers, so that types newer than the protobuf classes at hand need no new classes.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace aotc::frontend {

/// The numbers of TensorProto.DataType.
enum ElementType : int32_t {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  complex64 = 14,
  complex128 = 15,
  bfloat16 = 16,
  float8e4m3fn = 17,
  float8e4m3fnuz = 18,
  float8e5m2 = 19,
  float8e5m2fnuz = 20,
  uint4 = 21,
  int4 = 22,
  float4e2m1 = 23,
  float8e8m0 = 24,
  uint2 = 25,
  int2 = 26
};

/// Bits of one element as stored in raw data; 0 for strings and for numbers that no version of ONNX defines.
unsigned elementBits(int32_t elementType);

/// "float32", "int64", … or "unknown" for a number that no version of ONNX defines.
llvm::StringRef elementTypeName(int32_t elementType);

} // namespace aotc::frontend
