// The records of classes of GPUs. Threads of one keep up to 32 sums, on a desktop's 64, which has the registers for it.
#include "codegen/target/GpuProfile.h"

#include "llvm/ADT/STLExtras.h"

namespace aotc::codegen {

static const GpuProfile allProfiles[] = {
    {"generic",
     "any device of Vulkan 1.1, within what it guarantees",
     128,
     16 << 10,
     {{64, 64, 8, 4}, {32, 32, 4, 2}, {64, 16, 8, 1}, {8, 64, 4, 1}, {1, 128, 1, 1}},
     1,
     1,
     false},
    {"desktop",
     "graphics cards: workgroups of 256 threads, 32 KiB that they share, subgroups that add",
     256,
     32 << 10,
     {{128, 128, 8, 8},
      {128, 64, 8, 4},
      {64, 128, 4, 8},
      {64, 64, 4, 4},
      {32, 32, 2, 2},
      {128, 16, 8, 1},
      {8, 128, 4, 1},
      {1, 256, 1, 1}},
     64,
     4,
     true},
    {"mobile",
     "phones and single-board computers: workgroups of 64 threads, subgroups that add",
     64,
     16 << 10,
     {{64, 32, 8, 4}, {32, 32, 4, 4}, {16, 64, 4, 4}, {16, 16, 2, 2}, {64, 8, 8, 1}, {4, 64, 4, 1}, {1, 64, 1, 1}},
     8,
     4,
     true},
};

llvm::ArrayRef<GpuProfile> gpuProfiles() { return allProfiles; }

const GpuProfile *findGpuProfile(llvm::StringRef name) {
  const GpuProfile *found = llvm::find_if(allProfiles, [&](const GpuProfile &profile) { return profile.name == name; });
  return found == std::end(allProfiles) ? nullptr : found;
}

} // namespace aotc::codegen
