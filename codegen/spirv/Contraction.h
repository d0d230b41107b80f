// Keeps drivers from computing floats in another way than a shader says.
#ifndef AOTC_CODEGEN_SPIRV_CONTRACTION_H
#define AOTC_CODEGEN_SPIRV_CONTRACTION_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace aotc::codegen {

/// The words of a SPIR-V module with the decoration NoContraction on each sum, difference, product and quotient of
/// floats: drivers then neither fuse them nor take x - x for 0, which it is not for NaN and infinities. What is to be
/// fused is written as Fma.
std::vector<uint32_t> forbidContraction(llvm::ArrayRef<uint32_t> words);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_CONTRACTION_H
