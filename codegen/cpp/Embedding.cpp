// Three object formats: the section, how a symbol is kept inside the library, and the prefix of C symbols differ.
#include "codegen/cpp/Embedding.h"

#include "codegen/bundle/Template.h"

namespace aotc::codegen {

static constexpr llvm::StringLiteral block = R"(#if defined(__APPLE__) || (defined(_WIN32) && defined(__i386__))
#define AOTC_SYMBOL _@SYMBOL@
#else
#define AOTC_SYMBOL @SYMBOL@
#endif

#if defined(__APPLE__)
  .section __TEXT,__const
  .private_extern AOTC_SYMBOL
#elif defined(_WIN32)
  .section .rdata,"dr"
#else
  .section .rodata.@SYMBOL@,"a",%progbits
  .hidden AOTC_SYMBOL
  .type AOTC_SYMBOL, %object
  .size AOTC_SYMBOL, @SIZE@
#endif
  .globl AOTC_SYMBOL
  .balign @ALIGNMENT@
AOTC_SYMBOL:
@CONTENT@)";

std::string embeddedBlock(llvm::StringRef symbol, uint64_t bytes, uint64_t alignmentBytes, llvm::StringRef content) {
  return llvm::cantFail(fillTemplate("embedding", block,
                                     {{"SYMBOL", symbol.str()},
                                      {"SIZE", std::to_string(bytes)},
                                      {"ALIGNMENT", std::to_string(alignmentBytes)},
                                      {"CONTENT", content.str()}}));
}

llvm::StringRef noExecutableStack() {
  return R"(
#if defined(__linux__) && defined(__ELF__)
  .section .note.GNU-stack,"",%progbits
#endif
)";
}

} // namespace aotc::codegen
