// The C++ interface as printed: a made-up model with unusual names, types and dims is compiled in and used.
#include "constant/constant.hpp"
#include "embedded/embedded.hpp"
#include "filed/filed.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace embedded {
#include "SampleSteps.hpp"
}
namespace filed {
#include "SampleSteps.hpp"
}
namespace constant {
extern const aotc::Step steps_test[];
const aotc::Step steps_test[] = {{nullptr, 0}};
} // namespace constant

// 16 floats of nothing, then the default scale.
extern "C" {
extern const float embedded_weights[];
alignas(64) const float embedded_weights[32] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4};
}

namespace {

using aotc::Status;

static_assert(std::is_same_v<decltype(std::declval<embedded::Session>().int_()), aotc::BoundedTensor<float, 2>>);
static_assert(embedded::Class::rank == 0 && std::is_same_v<embedded::Class, aotc::Tensor<bool>>);
static_assert(embedded::arena_bytes(1) == 1024);
static_assert(embedded::arena_bytes(3) == 1024 + 64 * (std::min(3, embedded::max_threads) - 1));

const aotc::Float16 unused[4] = {};

// Binds what must be bound, writes ones, runs, and returns the results.
template <class Session> std::vector<float> runOnes(Session &session, std::int32_t *positions) {
  EXPECT_EQ(session.status(), Status::ok) << aotc::status_text(session.status());
  EXPECT_EQ(session.bind_x(unused), Status::ok);
  EXPECT_EQ(session.bind_output_1st_out_0(positions), Status::ok);
  const auto input = session.int_();
  std::fill(input.begin(), input.end(), 1.0f);
  *session.class_().data = false;
  EXPECT_EQ(session.run(), Status::ok);
  const auto result = session.run_output();
  return {result.begin(), result.end()};
}

TEST(GeneratedCppTest, RunsOnItsOwnArena) {
  const embedded::Model model;
  ASSERT_EQ(model.status(), Status::ok);
  for (int threads : {1, 2, 4, 100}) {
    embedded::SessionOptions options;
    options.threads = threads;
    embedded::Session session{model, options};
    EXPECT_EQ(session.threads(), std::min(threads, embedded::max_threads));
    std::int32_t positions[100];
    const std::vector<float> result = runOnes(session, positions);
    ASSERT_EQ(result.size(), 32u);
    EXPECT_EQ(result[7], 4.0f);
    EXPECT_EQ(*session.int_output().data, 32);
  }
}

TEST(GeneratedCppTest, RunsOnTheCallersArena) {
  alignas(embedded::arena_alignment) std::byte arena[embedded::arena_bytes(1)];
  embedded::Session session{embedded::Model(), arena, sizeof arena};
  std::int32_t positions[100];
  EXPECT_EQ(runOnes(session, positions)[5], 2.0f);
  EXPECT_EQ(static_cast<void *>(session.int_().data), arena);

  embedded::Session small{embedded::Model(), arena, sizeof arena - 1};
  EXPECT_EQ(small.status(), Status::arena_too_small);
  EXPECT_EQ(small.run(), Status::arena_too_small);
}

TEST(GeneratedCppTest, OutputsReportActualExtents) {
  const embedded::Model model;
  embedded::Session session{model};
  EXPECT_EQ(session.set_batch(3), Status::ok);
  EXPECT_EQ(session.set_batch(9), Status::extent_out_of_range);
  EXPECT_EQ(session.set_dim(1, 2), Status::index_out_of_range) << "follows from batch";
  EXPECT_EQ(session.half().shape[0], 2) << "known before run()";

  std::int32_t positions[100];
  EXPECT_EQ(runOnes(session, positions).size(), 12u);
  EXPECT_EQ(session.run_output().shape[0], 3);
  EXPECT_EQ(session.output_1st_out_0().size, 12u) << "found by run()";
  EXPECT_EQ(session.output_extent(2, 0), 12);
  EXPECT_EQ(session.output_1st_out_0()[11], 11);
}

TEST(GeneratedCppTest, ReadsBoundInputsInPlace) {
  const embedded::Model model;
  embedded::Session session{model};
  std::int32_t positions[100];
  EXPECT_EQ(session.run(), Status::null_buffer) << "x and an output are not bound";
  const std::vector<float> image(32, 10.0f), scale{-1, 0, 1, 2};
  EXPECT_EQ(session.bind_int_(image.data()), Status::ok);
  EXPECT_EQ(session.bind_scale(scale.data()), Status::ok) << "replaces the default";
  EXPECT_EQ(runOnes(session, positions)[3], 20.0f);
  EXPECT_EQ(*session.int_output().data, 16);

  EXPECT_EQ(session.bind_scale(nullptr), Status::ok);
  EXPECT_EQ(session.bind_int_(nullptr), Status::ok);
  EXPECT_EQ(runOnes(session, positions)[3], 4.0f) << "default scale, input in the arena";

  float result[32] = {};
  EXPECT_EQ(session.bind_run_output(result), Status::ok);
  EXPECT_EQ(session.run(), Status::ok);
  EXPECT_EQ(result[31], 4.0f);
  EXPECT_EQ(session.run_output().data, result);
}

TEST(GeneratedCppTest, ReportsWhatAStepReports) {
  const embedded::Model model;
  embedded::Session session{model};
  std::int32_t positions[100];
  runOnes(session, positions);
  *session.class_().data = true;
  EXPECT_EQ(session.run(), Status::bound_exceeded);
}

TEST(GeneratedCppTest, TellsAboutItself) {
  const aotc::ModelInfo &info = embedded::info();
  EXPECT_STREQ(info.name, "embedded");
  EXPECT_EQ(info.input_count, 4);
  EXPECT_STREQ(info.outputs[2].name, "output_1st_out_0");
  EXPECT_STREQ(info.outputs[2].onnx_name, "1st.out/0:0");
  EXPECT_EQ(info.inputs[0].bytes(), 128u);
  EXPECT_EQ(info.inputs[0].shape[0].dim, 0);
  EXPECT_EQ(info.arena_bytes(4), embedded::arena_bytes(4));
  EXPECT_EQ(info.step_count, 2);
}

TEST(GeneratedCppTest, SessionsRunAtTheSameTime) {
  const embedded::Model model;
  std::vector<std::thread> callers;
  for (int threads : {1, 2, 3})
    callers.emplace_back([&model, threads] {
      embedded::Session session{model, {threads}};
      std::int32_t positions[100];
      for (int i = 0; i < 100; ++i)
        EXPECT_EQ(runOnes(session, positions)[2], 3.0f);
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(GeneratedCppTest, AModelWithoutInputsAndWeights) {
  const constant::Model model;
  constant::Session session{model, {8}};
  EXPECT_EQ(session.threads(), 1);
  EXPECT_EQ(session.run(), Status::ok);
  EXPECT_EQ(constant::Y::size, 0u);
}

struct WeightsFileTest : testing::Test {
  void SetUp() override {
    std::FILE *header = std::fopen(AOTC_WEIGHTS_HEADER, "rb");
    ASSERT_NE(header, nullptr);
    ASSERT_EQ(std::fread(content, 1, 64, header), 64u);
    std::fclose(header);
    const float scale[4] = {1, 2, 3, 4};
    std::copy_n(reinterpret_cast<const std::byte *>(scale), sizeof scale, content + 128);
    std::FILE *file = std::fopen(path, "wb");
    ASSERT_EQ(std::fwrite(content, 1, sizeof content, file), sizeof content);
    std::fclose(file);
  }
  void TearDown() override { std::remove(path); }

  const char *path = "filed_weights.bin";
  alignas(64) std::byte content[64 + 128] = {};
};

TEST_F(WeightsFileTest, IsMappedUntilTheLastSessionGoes) {
  std::optional<filed::Model> model{std::in_place, path};
  ASSERT_EQ(model->status(), Status::ok) << aotc::status_text(model->status());
  filed::Session session{*model};
  model.reset();
  std::int32_t positions[100];
  EXPECT_EQ(runOnes(session, positions)[3], 4.0f);
}

TEST_F(WeightsFileTest, MayLieInTheCallersMemory) {
  const filed::Model model{content, sizeof content};
  ASSERT_EQ(model.status(), Status::ok);
  filed::Session session{model};
  std::int32_t positions[100];
  EXPECT_EQ(runOnes(session, positions)[3], 4.0f);
  EXPECT_EQ(filed::Model(content, sizeof content - 1).status(), Status::weights_mismatch);
  EXPECT_EQ(filed::Model(nullptr, 0).status(), Status::weights_missing);
}

TEST_F(WeightsFileTest, MustBeTheRightOne) {
  EXPECT_EQ(filed::Model("no_such_file").status(), Status::weights_missing);
  EXPECT_EQ(filed::Model(AOTC_WEIGHTS_HEADER).status(), Status::weights_mismatch) << "no weights behind the header";
  const filed::Model model{"no_such_file"};
  filed::Session session{model};
  EXPECT_EQ(session.run(), Status::weights_missing);
}

} // namespace
