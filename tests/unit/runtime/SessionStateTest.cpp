// What all sessions share: arena checks, bindings, extents, failures that steps report.
#include "aotc/session.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace {

using aotc::Status;

constexpr aotc::DimInfo dims[] = {{"batch", 1, 8, true}, {"found", 0, 100, false}};
constexpr aotc::Extent imageShape[] = {{8, 0}, {4}};
constexpr aotc::Extent scaleShape[] = {{4}};
constexpr aotc::Extent boxesShape[] = {{100, 1}, {4}};
constexpr aotc::TensorInfo inputs[] = {{"image", "image:0", aotc::Element::f32, 2, imageShape, 0},
                                       {"table", "table", aotc::Element::i64, 1, scaleShape, aotc::no_offset},
                                       {"scale", "scale", aotc::Element::f32, 1, scaleShape, aotc::no_offset, 64}};
constexpr aotc::TensorInfo outputs[] = {{"boxes", "boxes", aotc::Element::f32, 2, boxesShape, 128}};
constexpr aotc::ModelInfo info{"test", inputs, 3,   outputs, 1, dims, 2, 1, aotc::max_pool_threads < 4 ? 1 : 4,
                               64,     2048,   256, 0};

using Session = aotc::SessionState<3, 1, 2>;

struct SessionStateTest : testing::Test {
  alignas(64) std::byte weights[128]{};
  alignas(64) std::byte arena[4096]{};
  std::int64_t table[4]{};
  aotc::Step steps[1]{{[](const aotc::Frame &, aotc::Part) {}, 4}};
  aotc::ModelParts model{weights, steps, Status::ok};

  Status statusOf(void *memory, std::size_t bytes, int threads) {
    return Session(info, model, memory, bytes, {threads}).status();
  }
};

TEST_F(SessionStateTest, ChecksTheCallersArena) {
  EXPECT_EQ(statusOf(arena, 2048, 1), Status::ok);
  EXPECT_EQ(statusOf(arena, 2047, 1), Status::arena_too_small);
  EXPECT_EQ(statusOf(arena + 8, 4000, 1), Status::arena_misaligned);
  EXPECT_EQ(statusOf(nullptr, 4096, 1), Status::arena_too_small);
  const int most = info.max_threads;
  EXPECT_EQ(statusOf(arena, info.arena_bytes(most), 1000), Status::ok) << "1000 threads are taken as max_threads";
  EXPECT_EQ(info.arena_bytes(1000), 2048u + 256u * static_cast<unsigned>(most - 1));
}

TEST_F(SessionStateTest, GivesThreadsScratchMemoryOfTheirOwn) {
  Session session(info, model, arena, info.arena_bytes(info.max_threads), {info.max_threads});
  const aotc::Frame &frame = session.frame();
  EXPECT_EQ(frame.scratch(512, 0), arena + 512) << "the first thread's is a part of the arena";
  EXPECT_EQ(frame.scratch(512, 1), arena + 2048);
  EXPECT_EQ(frame.scratch(512, 3), arena + 2048 + 2 * 256);
}

TEST_F(SessionStateTest, AllocatesAnAlignedArena) {
  Session session(info, model, {2});
  EXPECT_EQ(session.status(), Status::ok);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(session.input(0)) % 64, 0u);
}

TEST_F(SessionStateTest, PassesTheModelsStatusOn) {
  model.status = Status::cpu_unsupported;
  Session session(info, model, {2});
  EXPECT_EQ(session.status(), Status::cpu_unsupported);
  EXPECT_EQ(session.begin_run(), Status::cpu_unsupported);
  EXPECT_EQ(session.threads(), 1);
  EXPECT_EQ(session.input(0), nullptr);
  EXPECT_EQ(session.output(0), nullptr);
}

TEST_F(SessionStateTest, ReadsInputsWhereTheyAre) {
  Session session(info, model, arena, sizeof arena, {});
  EXPECT_EQ(session.frame().inputs[0], arena) << "in the arena at first";
  EXPECT_EQ(session.frame().inputs[1], nullptr) << "bound only";
  EXPECT_EQ(session.frame().inputs[2], weights + 64) << "a default among the weights";
  EXPECT_EQ(session.begin_run(), Status::null_buffer);

  EXPECT_EQ(session.bind_input(1, table), Status::ok);
  EXPECT_EQ(session.frame().input<std::int64_t>(1), table);
  EXPECT_EQ(session.begin_run(), Status::ok);

  float image[32];
  EXPECT_EQ(session.bind_input(0, image), Status::ok);
  EXPECT_EQ(session.frame().inputs[0], image);
  EXPECT_EQ(session.bind_input(0, nullptr), Status::ok);
  EXPECT_EQ(session.frame().inputs[0], arena) << "null takes the binding back";
}

TEST_F(SessionStateTest, RefusesBindingsThatCannotWork) {
  Session session(info, model, arena, sizeof arena, {});
  EXPECT_EQ(session.bind_input(1, reinterpret_cast<char *>(table) + 4), Status::buffer_misaligned);
  EXPECT_EQ(session.bind_input(3, table), Status::index_out_of_range);
  EXPECT_EQ(session.bind_input(-1, table), Status::index_out_of_range);
  EXPECT_EQ(session.bind_output(1, table), Status::index_out_of_range);
  EXPECT_EQ(session.input(3), nullptr);
  EXPECT_EQ(session.output(-1), nullptr);
}

TEST_F(SessionStateTest, BindsOutputs) {
  Session session(info, model, arena, sizeof arena, {});
  EXPECT_EQ(session.output(0), arena + 128);
  float boxes[400];
  EXPECT_EQ(session.bind_output(0, boxes), Status::ok);
  EXPECT_EQ(session.output(0), boxes);
}

TEST_F(SessionStateTest, ExtentsStartAtTheBoundAndStick) {
  Session session(info, model, arena, sizeof arena, {});
  EXPECT_EQ(session.frame().extents[0], 8);
  EXPECT_EQ(session.set_dim(0, 3), Status::ok);
  EXPECT_EQ(session.frame().extents[0], 3);
  EXPECT_EQ(session.set_dim(0, 9), Status::extent_out_of_range);
  EXPECT_EQ(session.set_dim(0, 0), Status::extent_out_of_range);
  EXPECT_EQ(session.set_dim(1, 5), Status::index_out_of_range) << "not the caller's to set";
  EXPECT_EQ(session.set_dim(2, 5), Status::index_out_of_range);
  EXPECT_EQ(session.frame().extents[0], 3);

  const auto image = session.input_view<float, 2>(0);
  EXPECT_EQ(image.shape[0], 3);
  EXPECT_EQ(image.size, 12u);
  EXPECT_EQ(image.end() - image.begin(), 12);
  EXPECT_EQ(&image(2, 1), image.data + 9);
}

TEST_F(SessionStateTest, ReportsWhatAStepReported) {
  steps[0].run = [](const aotc::Frame &frame, aotc::Part part) {
    if (part.begin == 0)
      frame.fail(Status::index_out_of_range);
  };
  Session session(info, model, arena, sizeof arena, {2});
  ASSERT_EQ(session.bind_input(1, table), Status::ok);
  ASSERT_EQ(session.begin_run(), Status::ok);
  session.pool().run(session.steps()[0], session.frame());
  EXPECT_EQ(session.end_run(), Status::index_out_of_range);
  EXPECT_EQ(session.begin_run(), Status::ok) << "the next run starts afresh";
  EXPECT_EQ(session.end_run(), Status::ok);
}

TEST(TensorTest, KnowsShapeAndStrides) {
  float data[24];
  const aotc::Tensor<float, 2, 3, 4> tensor{data};
  static_assert(tensor.rank == 3 && tensor.size == 24 && tensor.shape[1] == 3);
  EXPECT_EQ(&tensor(1, 2, 3), data + 23);
  EXPECT_EQ(tensor.end(), data + 24);
  const aotc::Tensor<float> scalar{data};
  static_assert(scalar.rank == 0 && scalar.size == 1);
  EXPECT_EQ(&scalar(), data);
  static_assert(aotc::Tensor<float, 3, 0>::size == 0);
}

TEST(StatusTest, EveryCodeHasAText) {
  for (int i = 0; i < aotc::status_count; ++i)
    EXPECT_STRNE(aotc::status_text(static_cast<Status>(i)), "unknown status") << i;
  EXPECT_STREQ(aotc::status_text(static_cast<Status>(aotc::status_count)), "unknown status");
}

} // namespace
