// What aotc knows of the processors that it can compile for: one record per target, one per instruction-set level. Data
// and look-ups only. How a build turns a level into compiler options stands in templates/project/aotc_model.cmake once
// more, since aotc_add_model() needs it before any output exists; a unit test holds the two together.
#ifndef AOTC_CODEGEN_TARGET_TARGET_H
#define AOTC_CODEGEN_TARGET_TARGET_H

#include "codegen/bundle/Shipped.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace aotc::codegen {

/// An instruction set that kernels are compiled for.
struct InstructionSet {
  llvm::StringLiteral name; ///< as after --target, such as "v4+vnni"
  /// What GCC and Clang are given. Flags of a microcontroller come from the toolchain file of its build, which needs
  /// them for all code; here they say which ones fit.
  std::vector<std::string> compilerFlags;
  /// What __builtin_cpu_supports() must all confirm; empty where there is nothing to ask.
  std::vector<std::string> cpuFeatures;
  int vectorBits; ///< 0: no vector unit that the kernels use (the one-lane stand-in)
  /// Adds nothing but dot products of bytes to another level: among several, of use to models that have some.
  bool isForIntegers = false;

  /// The name as part of C++ and CMake identifiers: "v4_vnni".
  std::string identifier() const;
  bool isScalar() const { return vectorBits == 0; }
};

struct Target {
  llvm::StringLiteral name;                   ///< as after --target
  llvm::StringLiteral summary;                ///< one line for --help
  std::vector<const InstructionSet *> levels; ///< best first
  VectorUnit unit;                            ///< which part of xsimd goes along
  bool hasThreads;
  bool usesWinograd; ///< speed counts for more than weights four times as large and scratch memory
  /// Steps become compute shaders, called by C++ on the Vulkan API; the levels are for those that have none.
  bool isGpu = false;

  /// Whether kernels of all levels multiply bytes as they are, by instructions or one at a time.
  bool multipliesBytes() const;
};

/// All targets, single levels among them, in the order of --help.
llvm::ArrayRef<Target> targets();
/// Null where there is none of that name.
const Target *findTarget(llvm::StringRef name);
/// "x86-64" where aotc runs on x86-64, "aarch64" on AArch64, else "generic".
llvm::StringRef defaultTargetName();

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_TARGET_TARGET_H
