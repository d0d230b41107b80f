// The planner on instances with known answers, on graphs of the usual shapes, and on random ones: whatever it returns
// must pass the checker. The size of the random instances' best arena is compared with a brute force where that is
// possible.
#include "lowering/plan/ArenaPlanner.h"
#include "lowering/plan/ArenaChecker.h"
#include <algorithm>
#include <ctime>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>

using namespace aotc::plan;

namespace {

ArenaBuffer buffer(std::int64_t size, int first, int last, std::int64_t alignment = 1) {
  return {"[" + std::to_string(first) + ".." + std::to_string(last) + "]", size, alignment, first, last};
}

ArenaPlan planAndCheck(const std::vector<ArenaBuffer> &buffers) {
  ArenaPlan plan = planArena(buffers);
  EXPECT_EQ(checkArena(buffers, plan.offsetBytes, plan.totalBytes), "");
  EXPECT_GE(plan.totalBytes, plan.liveBytes);
  return plan;
}

// The smallest arena over all orders: first fit in the order of the offsets of an optimal plan gives that plan.
std::int64_t bruteForce(const std::vector<ArenaBuffer> &buffers) {
  std::vector<std::size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  do {
    std::vector<std::int64_t> offsets(buffers.size());
    std::int64_t total = 0;
    for (std::size_t k = 0; k < order.size(); ++k) { // on top of all placed before it that it meets
      const ArenaBuffer &now = buffers[order[k]];
      std::int64_t floor = 0;
      for (std::size_t j = 0; j < k; ++j)
        if (const ArenaBuffer &old = buffers[order[j]]; old.firstStep <= now.lastStep && now.firstStep <= old.lastStep)
          floor = std::max(floor, offsets[order[j]] + old.sizeBytes);
      offsets[order[k]] = (floor + now.alignmentBytes - 1) / now.alignmentBytes * now.alignmentBytes;
      total = std::max(total, offsets[order[k]] + now.sizeBytes);
    }
    best = std::min(best, total);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

// ------------------------------------------------------------------------------------------------------- known answers

TEST(ArenaPlanner, NothingAndNearlyNothing) {
  EXPECT_EQ(planAndCheck({}).totalBytes, 0);
  EXPECT_EQ(planAndCheck({buffer(0, 0, 3)}).totalBytes, 0);
  ArenaPlan plan = planAndCheck({buffer(7, 0, 3, 64)});
  EXPECT_EQ(plan.totalBytes, 7);
  EXPECT_TRUE(plan.provenOptimal);
}

TEST(ArenaPlanner, ChainTakesItsWidestPair) {
  std::vector<ArenaBuffer> chain;
  for (int i = 0; i < 50; ++i)
    chain.push_back(buffer(64 * (1 + (i * 37) % 23), i, i + 1, 64));
  ArenaPlan plan = planAndCheck(chain);
  EXPECT_EQ(plan.totalBytes, plan.liveBytes);
}

// The buffers of the hand-written sample: mlperf_resnet8 with its halos.
TEST(ArenaPlanner, Resnet8FillsItsWidestStep) {
  for (std::int64_t alignment : {4, 64}) {
    std::vector<ArenaBuffer> buffers = {buffer(12288, -1, 0, alignment), buffer(13872, 0, 1, alignment),
                                        buffer(73984, 1, 3, alignment),  buffer(73984, 2, 3, alignment),
                                        buffer(36992, 4, 6, alignment),  buffer(41472, 5, 6, alignment),
                                        buffer(16384, 7, 9, alignment),  buffer(25600, 8, 9, alignment),
                                        buffer(256, 10, 11, alignment),  buffer(40, 11, 12, alignment)};
    buffers[2].lastStep = 5; // relu_2 is computed in relu_0's place
    buffers[4].lastStep = 8; // and relu_5 in conv_3's
    buffers[6].lastStep = 10;
    EXPECT_EQ(planAndCheck(buffers).totalBytes, 152448) << "alignment " << alignment;
  }
}

// Every step holds at most 4 bytes, yet no plan fits into 4: the survivors c and e come to lie either at the outer ends
// of the halves, and g between them leaves h two separate bytes, or inside, and g itself finds two separate bytes.
//
//     |b  b  b  b |e  e  e
//     |b  b  b  b |f  f  .  g?
//     |a  a  a |d  d  d  .  g?
//     |a  a  a |c  c  c  c
//     +--------------------------> steps
TEST(ArenaPlanner, ProvesThatTheBoundCannotBeReached) {
  std::vector<ArenaBuffer> buffers = {buffer(2, 0, 2), buffer(2, 0, 3), buffer(1, 3, 6), buffer(1, 3, 5),
                                      buffer(1, 4, 6), buffer(1, 4, 5), buffer(2, 6, 7), buffer(2, 7, 7)};
  ArenaPlan plan = planAndCheck(buffers);
  EXPECT_EQ(plan.liveBytes, 4);
  EXPECT_EQ(plan.totalBytes, 5);
  EXPECT_TRUE(plan.provenOptimal);
  EXPECT_EQ(bruteForce(buffers), 5);
}

// Instances whose steps are all full, where the smallest plan is hardest to find.
TEST(ArenaPlanner, AgreesWithBruteForceWhereEveryStepIsFull) {
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    std::int64_t full = 4 + random() % 5;
    std::vector<ArenaBuffer> buffers;
    for (int step = 0; step < 8; ++step) {
      std::int64_t load = 0;
      for (const ArenaBuffer &buffer : buffers)
        load += buffer.lastStep >= step ? buffer.sizeBytes : 0;
      while (load < full && buffers.size() < 8) {
        std::int64_t size = std::min<std::int64_t>(full - load, 1 + random() % 3);
        buffers.push_back(buffer(size, step, step + static_cast<int>(random() % 4)));
        load += size;
      }
    }
    ArenaPlan plan = planAndCheck(buffers);
    EXPECT_TRUE(plan.provenOptimal);
    ASSERT_EQ(plan.totalBytes, bruteForce(buffers)) << "round " << round;
  }
}

TEST(ArenaPlanner, AgreesWithBruteForceUnderMixedAlignments) {
  std::mt19937 random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<ArenaBuffer> buffers;
    for (int i = 0; i < 7; ++i) {
      int first = random() % 6;
      buffers.push_back(buffer(1 + random() % 40, first, first + random() % 4, std::int64_t{1} << random() % 5));
    }
    ASSERT_EQ(planAndCheck(buffers).totalBytes, bruteForce(buffers)) << "round " << round;
  }
}

TEST(ArenaPlanner, SmallerAlignmentMakesASmallerArena) {
  std::vector<ArenaBuffer> loose, tight;
  for (int i = 0; i < 9; ++i) {
    loose.push_back(buffer(68, 0, 9, 64));
    tight.push_back(buffer(68, 0, 9, 4));
  }
  EXPECT_EQ(planAndCheck(loose).totalBytes, 8 * 128 + 68);
  EXPECT_EQ(planAndCheck(tight).totalBytes, 9 * 68);
}

// -------------------------------------------------------------------------------------------------- the usual networks

std::int64_t mapBytes(int side, int channels) { return std::int64_t{4} * side * side * channels; }

// Bottleneck blocks: the block's input lives on to the addition at its end.
std::vector<ArenaBuffer> residualNet() {
  std::vector<ArenaBuffer> buffers = {buffer(mapBytes(224, 3), -1, 0, 64), buffer(mapBytes(112, 64), 0, 1, 64)};
  int step = 1, side = 56;
  std::size_t trunk = buffers.size();
  buffers.push_back(buffer(mapBytes(56, 64), step, step, 64));
  for (int width : {64, 128, 256, 512}) {
    for (int block = 0; block < 3; ++block) {
      if (block == 0 && width > 64)
        side /= 2;
      buffers.push_back(buffer(mapBytes(side, width), step + 1, step + 2, 64));
      buffers.push_back(buffer(mapBytes(side, width), step + 2, step + 3, 64));
      if (block == 0) { // a projection instead of the identity, the sum is computed in its place
        buffers.push_back(buffer(mapBytes(side, 4 * width), step + 3, step + 4, 64));
        buffers[trunk].lastStep = step + 3;
        trunk = buffers.size() - 1;
      }
      buffers[trunk].lastStep = step + 4;
      step += 4;
    }
  }
  return buffers;
}

// Inception: four branches of different depths write into slices of one result.
std::vector<ArenaBuffer> inceptionNet() {
  std::vector<ArenaBuffer> buffers = {buffer(mapBytes(35, 192), -1, 0, 64)};
  int step = 0;
  std::mt19937 random(5);
  for (int block = 0; block < 11; ++block) {
    int side = block < 4 ? 35 : block < 9 ? 17 : 8, start = step;
    std::size_t input = buffers.size() - 1;
    for (int branch = 0; branch < 4; ++branch)
      for (int depth = 0; depth < branch; ++depth, ++step)
        buffers.push_back(buffer(mapBytes(side, 32 + 16 * (random() % 8)), step, step + 1, 64));
    buffers[input].lastStep = step;
    buffers.push_back(buffer(mapBytes(side, 256 + 64 * (block % 5)), start, step + 1, 64));
    ++step;
  }
  return buffers;
}

// DenseNet without concatenation in place: each layer reads the growing map and writes a larger one.
std::vector<ArenaBuffer> denseNet() {
  std::vector<ArenaBuffer> buffers;
  int step = 0, channels = 64, side = 56;
  for (int layers : {6, 12, 24, 16}) {
    for (int layer = 0; layer < layers; ++layer, step += 3, channels += 32) {
      buffers.push_back(buffer(mapBytes(side, channels), step, step + 3, 64));
      buffers.push_back(buffer(mapBytes(side, 128), step + 1, step + 2, 64));
      buffers.push_back(buffer(mapBytes(side, 32), step + 2, step + 3, 64));
    }
    channels /= 2;
    side /= 2;
  }
  return buffers;
}

// A detector: maps of several scales live on to the heads at the end, whose results live to the last step.
std::vector<ArenaBuffer> detector() {
  std::vector<ArenaBuffer> buffers;
  int heads = 6, layers = 5, last = heads * layers + 4 * heads, step = 0;
  for (int scale = 0, side = 76; scale < heads; ++scale, side = (side + 1) / 2) {
    for (int layer = 0; layer < layers; ++layer, ++step)
      buffers.push_back(buffer(mapBytes(side, 64 << std::min(scale, 3)), step, step + 1, 64));
    buffers.back().lastStep = heads * layers + 4 * scale + 2;
  }
  for (int scale = 0, side = 76; scale < heads; ++scale, side = (side + 1) / 2, step += 4)
    for (int head = 0; head < 4; ++head)
      buffers.push_back(buffer(mapBytes(side, 12 + 6 * head), step + head, head % 2 ? last : step + head + 1, 64));
  return buffers;
}

TEST(ArenaPlanner, UsualNetworksStayWithinTwoPercentOfTheirLivePeak) {
  for (const auto &[name, buffers] : {std::pair("residual", residualNet()), std::pair("inception", inceptionNet()),
                                      std::pair("dense", denseNet()), std::pair("detector", detector())}) {
    ArenaPlan plan = planAndCheck(buffers);
    EXPECT_LE(plan.totalBytes, 1.02 * plan.liveBytes) << name;
  }
}

// ------------------------------------------------------------------------------------------------ random, large, twice

std::vector<ArenaBuffer> randomBuffers(unsigned seed, int count, int steps, int longest) {
  std::mt19937 random(seed);
  std::vector<ArenaBuffer> buffers;
  for (int i = 0; i < count; ++i) {
    int first = static_cast<int>(random() % steps), length = static_cast<int>(random() % longest);
    if (random() % 10 == 0)
      length *= 8;
    buffers.push_back(buffer(4 * (random() % 4000), first, std::min(first + length, steps - 1), 4 << random() % 5));
  }
  return buffers;
}

TEST(ArenaPlanner, RandomPlansPassTheChecker) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::vector<ArenaBuffer> buffers = randomBuffers(seed, 1 + static_cast<int>(seed) * 5, 80, 1 + seed % 12);
    ArenaPlan plan = planArena(buffers, {500'000, 600});
    EXPECT_EQ(checkArena(buffers, plan.offsetBytes, plan.totalBytes), "") << "seed " << seed;
    EXPECT_LE(plan.totalBytes, 2 * plan.liveBytes) << "seed " << seed;
  }
}

TEST(ArenaPlanner, SameBuffersSamePlan) {
  std::vector<ArenaBuffer> buffers = randomBuffers(7, 300, 200, 9);
  ArenaPlan first = planArena(buffers), second = planArena(buffers);
  EXPECT_EQ(first.offsetBytes, second.offsetBytes);
  EXPECT_EQ(first.totalBytes, second.totalBytes);
}

// About half a second of processor time; the limit leaves room for sanitizers.
TEST(ArenaPlanner, TenThousandBuffersPlanQuickly) {
  for (int longest : {3, 40, 4000}) { // a chain-like program, a wide one, and one where nearly all buffers meet
    std::vector<ArenaBuffer> buffers = randomBuffers(9, 10'000, 8'000, longest);
    std::clock_t start = std::clock();
    ArenaPlan plan = planArena(buffers);
    double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    EXPECT_LT(seconds, 20) << "lifetimes up to " << longest;
    EXPECT_EQ(checkArena(buffers, plan.offsetBytes, plan.totalBytes), "");
    std::printf("  lifetimes up to %d: %.2f s, arena %.3f of the live peak\n", longest, seconds,
                static_cast<double>(plan.totalBytes) / static_cast<double>(plan.liveBytes));
  }
}

} // namespace
