// The checker finds each kind of fault, and accepts what only touches.
#include "lowering/plan/ArenaChecker.h"
#include <gtest/gtest.h>
#include <vector>

using namespace aotc::plan;

namespace {

ArenaBuffer buffer(const char *name, std::int64_t size, int first, int last, std::int64_t alignment = 4) {
  return {name, size, alignment, first, last};
}

TEST(ArenaChecker, AcceptsBuffersThatTouchInSpaceOrFollowInTime) {
  std::vector<ArenaBuffer> buffers = {buffer("a", 16, 0, 1), buffer("b", 16, 1, 2), buffer("c", 16, 2, 3),
                                      buffer("empty", 0, 0, 3)};
  EXPECT_EQ(checkArena(buffers, {0, 16, 0, 8}, 32), "");
  EXPECT_EQ(checkArena({}, {}, 0), "");
}

TEST(ArenaChecker, NamesBothBuffersOfAnOverlap) {
  std::vector<ArenaBuffer> buffers = {buffer("a", 16, -1, 5), buffer("b", 16, 5, 7)};
  EXPECT_EQ(checkArena(buffers, {0, 12}, 64),
            "arena: buffers 'a' [0, 16) and 'b' [12, 28) overlap, both are live at step 5 (live -1..5 and 5..7)");
}

TEST(ArenaChecker, FindsOverlapsFromAboveFromBelowAndFromInside) {
  std::vector<ArenaBuffer> buffers = {buffer("a", 64, 0, 9), buffer("b", 64, 0, 9), buffer("c", 16, 3, 3)};
  EXPECT_EQ(checkArena(buffers, {0, 64, 128}, 256), "");
  for (std::int64_t offset : {0, 32, 48, 56, 64, 112, 124})
    EXPECT_NE(checkArena(buffers, {0, 64, offset}, 256), "") << offset;
  buffers[2].sizeBytes = 200; // spans both
  EXPECT_NE(checkArena(buffers, {16, 80, 0}, 256), "");
}

TEST(ArenaChecker, ForgetsNoBufferThatDiesInTheSameStep) {
  std::vector<ArenaBuffer> buffers = {buffer("a", 16, 0, 0), buffer("b", 16, 0, 0), buffer("c", 16, 1, 1)};
  EXPECT_EQ(checkArena(buffers, {0, 16, 8}, 32), "");
  buffers[1].lastStep = 1;
  EXPECT_NE(checkArena(buffers, {0, 16, 8}, 32), "");
}

TEST(ArenaChecker, FindsBuffersOutsideOrMisaligned) {
  std::vector<ArenaBuffer> buffers = {buffer("a", 16, 0, 1, 64)};
  EXPECT_EQ(checkArena(buffers, {64}, 80), "");
  EXPECT_EQ(checkArena(buffers, {64}, 79), "arena: buffer 'a' [64, 80) must lie inside [0, 79)");
  EXPECT_EQ(checkArena(buffers, {-64}, 80), "arena: buffer 'a' [-64, -48) must lie inside [0, 80)");
  EXPECT_EQ(checkArena(buffers, {32}, 80), "arena: buffer 'a' [32, 48) must start at a multiple of 64");
}

TEST(ArenaChecker, FindsContradictoryInput) {
  std::vector<ArenaBuffer> buffers = {buffer("a", 16, 3, 2)};
  EXPECT_EQ(checkArena(buffers, {0}, 16), "arena: buffer 'a' dies before it is born, found steps 3..2");
  EXPECT_EQ(checkArena(buffers, {}, 16), "arena: expected 1 offsets, found 0");
  buffers = {buffer("a", -1, 0, 0)};
  EXPECT_EQ(checkArena(buffers, {0}, 16), "arena: buffer 'a' has a negative size, found -1");
}

} // namespace
