// On the binary: the serializer of LLVM 19 knows no such decoration. Layout and numbers are those of the SPIR-V
// specification, sections 2.3, 2.4 and 3.
#include "codegen/spirv/Contraction.h"

#include "mlir/Dialect/SPIRV/IR/SPIRVEnums.h"

namespace aotc::codegen {

using mlir::spirv::Opcode;

static constexpr size_t headerWords = 5;

namespace {

struct Instruction {
  size_t begin, words;
  Opcode opcode;
};

} // namespace

static Instruction instructionAt(llvm::ArrayRef<uint32_t> words, size_t begin) {
  return {begin, words[begin] >> 16, static_cast<Opcode>(words[begin] & 0xffff)};
}

static bool isFloatArithmetic(Opcode opcode) {
  return opcode == Opcode::OpFAdd || opcode == Opcode::OpFSub || opcode == Opcode::OpFMul || opcode == Opcode::OpFDiv;
}

// Decorations end where types begin.
static bool isType(Opcode opcode) { return opcode >= Opcode::OpTypeVoid && opcode <= Opcode::OpTypeForwardPointer; }

std::vector<uint32_t> forbidContraction(llvm::ArrayRef<uint32_t> words) {
  constexpr uint32_t decorate = 3 << 16 | static_cast<uint32_t>(Opcode::OpDecorate);
  constexpr auto noContraction = static_cast<uint32_t>(mlir::spirv::Decoration::NoContraction);
  std::vector<uint32_t> decorations;
  size_t place = 0; // of the decorations
  for (size_t begin = headerWords; begin < words.size(); begin += instructionAt(words, begin).words) {
    const Instruction instruction = instructionAt(words, begin);
    if (!place && isType(instruction.opcode))
      place = begin;
    if (isFloatArithmetic(instruction.opcode)) // its type, and its result
      decorations.insert(decorations.end(), {decorate, words[begin + 2], noContraction});
  }
  std::vector<uint32_t> result(words.begin(), words.end());
  result.insert(result.begin() + static_cast<ptrdiff_t>(place), decorations.begin(), decorations.end());
  return result;
}

} // namespace aotc::codegen
