// The records themselves, and that generated projects compile for the same levels.
#include "codegen/target/Target.h"
#include "codegen/target/GpuProfile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdio>
#include <gtest/gtest.h>

using namespace aotc::codegen;

namespace {

/// What the shipped CMake code says of a target.
std::string askCMake(const Target &target) {
  std::string command = std::string(CMAKE_PROGRAM " -DTARGET=") + target.name.str() + " -P " LEVELS_SCRIPT " 2>&1";
  FILE *pipe = popen(command.c_str(), "r");
  std::string text;
  char buffer[256];
  while (std::fgets(buffer, sizeof buffer, pipe))
    text += buffer;
  EXPECT_EQ(pclose(pipe), 0) << text;
  return text;
}

/// The same from the record. The flag of AArch64 without additions is what every AArch64 compiler starts from, and those
/// of a microcontroller are the toolchain file's: neither is given for single files.
std::string recordText(const Target &target) {
  std::string text;
  for (const InstructionSet *level : llvm::reverse(target.levels)) {
    bool isGiven = target.hasThreads && level->name != "aarch64";
    text += level->identifier() + "|" + (isGiven ? llvm::join(level->compilerFlags, " ") : "") + "|" +
            (level->isScalar() ? "AOTC_SCALAR=1" : "") + "\n";
  }
  return text;
}

TEST(Target, RecordsAreFoundByName) {
  for (const Target &target : targets())
    EXPECT_EQ(findTarget(target.name), &target);
  EXPECT_EQ(findTarget("v5"), nullptr);
  EXPECT_EQ(findTarget(""), nullptr);
  EXPECT_NE(findTarget(defaultTargetName()), nullptr);
}

TEST(Target, LevelsStandBestFirst) {
  for (const Target &target : targets())
    for (size_t i = 1; i < target.levels.size(); ++i)
      EXPECT_GE(target.levels[i - 1]->vectorBits, target.levels[i]->vectorBits) << target.name.str();
}

TEST(Target, VectorUnitsFitTheirHeaders) {
  for (const Target &target : targets())
    for (const InstructionSet *level : target.levels)
      EXPECT_EQ(level->isScalar(), target.unit == VectorUnit::none) << target.name.str();
}

TEST(Target, BytesAreWidenedWhereALevelCannotMultiplyThem) {
  for (const char *name : {"x86-64", "v2", "v3", "v4", "v4+fp16"})
    EXPECT_FALSE(findTarget(name)->multipliesBytes()) << name;
  for (const char *name : {"v3+avxvnni", "v4+vnni", "aarch64", "generic", "cortex-m7", "vulkan"})
    EXPECT_TRUE(findTarget(name)->multipliesBytes()) << name;
}

TEST(Target, IdentifiersAreFitForCpp) {
  EXPECT_EQ(findTarget("v4+vnni")->levels.front()->identifier(), "v4_vnni");
  EXPECT_EQ(findTarget("cortex-m7")->levels.front()->identifier(), "cortex_m7");
}

TEST(Target, GeneratedProjectsKnowTheSameLevels) {
  for (const Target &target : targets())
    EXPECT_EQ(askCMake(target), recordText(target)) << target.name.str();
}

TEST(GpuProfile, TheDefaultStaysWithinWhatVulkanGuarantees) {
  const GpuProfile &generic = gpuProfiles().front();
  EXPECT_LE(generic.threads, 128);
  EXPECT_LE(generic.sharedBytes, 16 << 10);
  EXPECT_FALSE(generic.usesSubgroups);
}

TEST(GpuProfile, TilesFitTheWorkgroup) {
  for (const GpuProfile &profile : gpuProfiles()) {
    EXPECT_EQ(findGpuProfile(profile.name), &profile);
    EXPECT_EQ(profile.threads & (profile.threads - 1), 0) << profile.name.str();
    for (const GpuTile &tile : profile.tiles) {
      EXPECT_EQ(tile.threads(), profile.threads) << profile.name.str() << " " << tile.rows << "x" << tile.columns;
      EXPECT_LE((tile.rows + 2 + tile.columns) * GpuProfile::depth * 4, profile.sharedBytes) << profile.name.str();
      EXPECT_EQ(tile.columns % profile.loadWidth, 0) << profile.name.str();
    }
  }
  EXPECT_EQ(findGpuProfile("console"), nullptr);
}

} // namespace
