// The table behind ElementType.h.
#include "frontend/onnx/ElementType.h"

#include <iterator>

using namespace aotc::frontend;

namespace {

struct Row {
  const char *name;
  unsigned bits;
};

constexpr Row rows[] = {
    {"unknown", 0},        {"float32", 32},  {"uint8", 8},        {"int8", 8},           {"uint16", 16},
    {"int16", 16},         {"int32", 32},    {"int64", 64},       {"string", 0},         {"bool", 8},
    {"float16", 16},       {"float64", 64},  {"uint32", 32},      {"uint64", 64},        {"complex64", 64},
    {"complex128", 128},   {"bfloat16", 16}, {"float8e4m3fn", 8}, {"float8e4m3fnuz", 8}, {"float8e5m2", 8},
    {"float8e5m2fnuz", 8}, {"uint4", 4},     {"int4", 4},         {"float4e2m1", 4},     {"float8e8m0", 8},
    {"uint2", 2},          {"int2", 2}};

const Row &rowOf(int32_t elementType) {
  bool known = elementType >= 0 && elementType < static_cast<int32_t>(std::size(rows));
  return rows[known ? elementType : 0];
}

} // namespace

unsigned aotc::frontend::elementBits(int32_t elementType) { return rowOf(elementType).bits; }

llvm::StringRef aotc::frontend::elementTypeName(int32_t elementType) { return rowOf(elementType).name; }
