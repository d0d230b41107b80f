// From gpu to SPIR-V: upstream's conversions, and the binary.
#ifndef AOTC_CODEGEN_SPIRV_SERIALIZE_H
#define AOTC_CODEGEN_SPIRV_SERIALIZE_H

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>
#include <vector>

namespace aotc::codegen {

struct SpirvBinary {
  std::vector<uint32_t> words;
  std::vector<std::string> features; ///< as ShaderDescription has them
};

/// Of a module: the numbers of bindings that are written, and of those that overlap others where one is written.
constexpr llvm::StringLiteral writtenBindingsAttrName = "aotc.written_bindings";
constexpr llvm::StringLiteral overlappingBindingsAttrName = "aotc.overlapping_bindings";

/// The one gpu.func in `module`, which is consumed. Fails with a diagnostic, at the op, on what Vulkan has no form for.
mlir::FailureOr<SpirvBinary> serializeShader(mlir::ModuleOp module);

/// What shaders are built in.
void loadShaderDialects(mlir::MLIRContext &context);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_SERIALIZE_H
