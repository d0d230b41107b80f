// What aotc assumes of the GPUs that it makes shaders for: one record per class of devices. Data and look-ups only.
#ifndef AOTC_CODEGEN_TARGET_GPUPROFILE_H
#define AOTC_CODEGEN_TARGET_GPUPROFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <vector>

namespace aotc::codegen {

/// A part of a matrix product that a workgroup computes, and the part of it that a thread keeps in registers.
struct GpuTile {
  int64_t rows, columns;             ///< of the tile
  int64_t threadRows, threadColumns; ///< of a thread's part

  int64_t lanes() const { return columns / threadColumns; } ///< threads side by side
  int64_t threads() const { return rows / threadRows * lanes(); }
};

struct GpuProfile {
  llvm::StringLiteral name;    ///< as after --gpu
  llvm::StringLiteral summary; ///< one line for --help
  int64_t threads;             ///< of a workgroup, a power of two
  int64_t sharedBytes;         ///< the most that a workgroup's threads share
  std::vector<GpuTile> tiles;  ///< each for as many threads
  /// Workgroups that keep a device busy: fewer of large tiles are no better than as many small ones.
  int64_t fillingGroups;
  int64_t loadWidth;  ///< elements that a thread loads at once where they lie side by side: 1 or 4
  bool usesSubgroups; ///< threads of a subgroup fold values without shared memory

  /// Of the dimension that a product sums over, what goes through shared memory at once.
  static constexpr int64_t depth = 16;
};

/// In the order of --help; the first is the default, which asks for nothing that a device of Vulkan 1.1 may lack.
llvm::ArrayRef<GpuProfile> gpuProfiles();
/// Null where there is none of that name.
const GpuProfile *findGpuProfile(llvm::StringRef name);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_TARGET_GPUPROFILE_H
