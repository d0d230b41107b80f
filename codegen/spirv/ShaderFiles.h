// The shaders of a program as files: SPIR-V binaries, and the assembly file that embeds them. Makes no shader.
#ifndef AOTC_CODEGEN_SPIRV_SHADERFILES_H
#define AOTC_CODEGEN_SPIRV_SHADERFILES_H

#include "codegen/spirv/GpuProgram.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace aotc::codegen {

/// What a .spv file holds: the words, little-endian.
std::string shaderBytes(const ShaderDescription &shader);

/// Text of src/<name>_shaders.S: the symbol `<name>_shaders` (C linkage, hidden, read-only) holds all shaders, one
/// behind the other. The hashes in the text make a build see that a shader changed.
std::string shaderAssembly(llvm::StringRef name, const GpuProgram &program);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_SHADERFILES_H
