// The records of targets and of instruction sets.
#include "codegen/target/Target.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace aotc::codegen {

std::string InstructionSet::identifier() const {
  std::string result = name.str();
  std::replace_if(
      result.begin(), result.end(), [](char c) { return c == '-' || c == '+'; }, '_');
  return result;
}

namespace {

const InstructionSet v2{"v2", {"-march=x86-64-v2"}, {"x86-64-v2"}, 128};
const InstructionSet v3{"v3", {"-march=x86-64-v3"}, {"x86-64-v3"}, 256};
const InstructionSet v3AvxVnni{"v3+avxvnni", {"-march=x86-64-v3", "-mavxvnni"}, {"x86-64-v3", "avxvnni"}, 256, true};
const InstructionSet v4{"v4", {"-march=x86-64-v4"}, {"x86-64-v4"}, 512};
const InstructionSet v4Vnni{"v4+vnni", {"-march=x86-64-v4", "-mavx512vnni"}, {"x86-64-v4", "avx512vnni"}, 512, true};
const InstructionSet v4Bf16{"v4+bf16", {"-march=x86-64-v4", "-mavx512bf16"}, {"x86-64-v4", "avx512bf16"}, 512};
const InstructionSet v4Fp16{"v4+fp16", {"-march=x86-64-v4", "-mavx512fp16"}, {"x86-64-v4", "avx512fp16"}, 512};

// What the machine at hand has shows only when the output is compiled; the widths are the least that it has.
#if defined(__aarch64__)
const InstructionSet native{"native", {"-mcpu=native"}, {}, 128};
constexpr VectorUnit nativeUnit = VectorUnit::arm;
#elif defined(__x86_64__)
const InstructionSet native{"native", {"-march=native"}, {}, 128};
constexpr VectorUnit nativeUnit = VectorUnit::x86;
#else
const InstructionSet native{"native", {"-march=native"}, {}, 0};
constexpr VectorUnit nativeUnit = VectorUnit::none;
#endif

const InstructionSet aarch64{"aarch64", {"-march=armv8-a"}, {}, 128};
const InstructionSet aarch64Fp16{"aarch64+fp16", {"-march=armv8.2-a+fp16"}, {}, 128};
const InstructionSet aarch64Bf16{"aarch64+bf16", {"-march=armv8.2-a+bf16"}, {}, 128};
const InstructionSet generic{"generic", {}, {}, 0};
const InstructionSet cortexM7{"cortex-m7", {"-mcpu=cortex-m7", "-mthumb", "-mfpu=fpv5-d16", "-mfloat-abi=hard"}, {}, 0};

const Target allTargets[] = {
    {"x86-64",
     "several levels in one library, v2, v3, v4 and for integers those with VNNI, the best one chosen at start",
     {&v4Vnni, &v4, &v3AvxVnni, &v3, &v2},
     VectorUnit::x86,
     true,
     true},
    {"native", "the machine that compiles the output, and no other", {&native}, nativeUnit, true, true},
    {"v2", "x86-64-v2: SSE 4.2", {&v2}, VectorUnit::x86, true, true},
    {"v3", "x86-64-v3: AVX2 and FMA", {&v3}, VectorUnit::x86, true, true},
    {"v3+avxvnni", "v3 with AVX-VNNI", {&v3AvxVnni}, VectorUnit::x86, true, true},
    {"v4", "x86-64-v4: AVX-512", {&v4}, VectorUnit::x86, true, true},
    {"v4+vnni", "v4 with AVX-512 VNNI", {&v4Vnni}, VectorUnit::x86, true, true},
    {"v4+bf16", "v4 with AVX-512 BF16", {&v4Bf16}, VectorUnit::x86, true, true},
    {"v4+fp16", "v4 with AVX-512 FP16", {&v4Fp16}, VectorUnit::x86, true, true},
    {"aarch64", "64-bit Arm with NEON", {&aarch64}, VectorUnit::arm, true, true},
    {"aarch64+fp16",
     "Armv8.2 with products of float16, as from Cortex-A55 and A75 on",
     {&aarch64Fp16},
     VectorUnit::arm,
     true,
     true},
    {"aarch64+bf16",
     "Armv8.2 with products of bfloat16, as from Cortex-A510 and A710 on",
     {&aarch64Bf16},
     VectorUnit::arm,
     true,
     true},
    {"generic", "any processor with a C++17 compiler, no vectors", {&generic}, VectorUnit::none, true, true},
    {"cortex-m7",
     "a microcontroller with a double-precision FPU, no threads",
     {&cortexM7},
     VectorUnit::none,
     false,
     false},
    {"vulkan",
     "a GPU with Vulkan 1.1: compute shaders, and C++ that calls them",
     {&generic},
     VectorUnit::none,
     false,
     false,
     true},
};

} // namespace

bool Target::multipliesBytes() const {
  return unit != VectorUnit::x86 ||
         llvm::all_of(levels, [](const InstructionSet *level) { return level->isForIntegers; });
}

llvm::ArrayRef<Target> targets() { return allTargets; }

const Target *findTarget(llvm::StringRef name) {
  const Target *found = llvm::find_if(allTargets, [&](const Target &target) { return target.name == name; });
  return found == std::end(allTargets) ? nullptr : found;
}

llvm::StringRef defaultTargetName() {
#if defined(__x86_64__)
  return "x86-64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "generic";
#endif
}

} // namespace aotc::codegen
