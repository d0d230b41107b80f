// The assembly that puts bytes of files into a program, for GCC and Clang on the systems that they are on.
#ifndef AOTC_CODEGEN_CPP_EMBEDDING_H
#define AOTC_CODEGEN_CPP_EMBEDDING_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace aotc::codegen {

/// Defines `symbol` (C linkage, hidden, aligned, read-only) as the bytes that `content`, lines of directives, stands
/// for.
std::string embeddedBlock(llvm::StringRef symbol, uint64_t bytes, uint64_t alignmentBytes, llvm::StringRef content);

/// The end of every assembly file: without it a linker would make the stack of the whole program executable.
llvm::StringRef noExecutableStack();

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_EMBEDDING_H
