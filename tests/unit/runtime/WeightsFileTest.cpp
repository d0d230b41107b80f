// Mapped weights: refused unless they are the right ones, alive as long as anybody refers to them.
#include "aotc/weights_file.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace {

using aotc::Status;
using aotc::WeightsFile;
using aotc::WeightsHeader;

struct WeightsFileTest : testing::Test {
  void SetUp() override { ASSERT_GE(file = mkstemp(path), 0); }
  void TearDown() override {
    close(file);
    unlink(path);
  }
  void append(const void *data, std::size_t bytes) { ASSERT_EQ(write(file, data, bytes), static_cast<ssize_t>(bytes)); }

  char path[32] = "/tmp/aotc_weights_XXXXXX";
  int file = -1;
  WeightsHeader header{{'a', 'o', 't', 'c', 'w', 'g', 't', '1'}, 5, {'1', 'f'}};
};

TEST_F(WeightsFileTest, StaysMappedUntilTheLastReferenceGoes) {
  append(&header, sizeof header);
  append("12345", 5);
  std::optional<WeightsFile> model{std::in_place, path, header};
  ASSERT_EQ(model->status(), Status::ok);
  const std::optional<WeightsFile> session = *model;
  model.reset();
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(session->weights()), 5), "12345");
}

TEST_F(WeightsFileTest, RefusesOtherWeights) {
  WeightsHeader other = header;
  other.hash[0] = '2';
  append(&other, sizeof other);
  append("12345", 5);
  const WeightsFile weights(path, header);
  EXPECT_EQ(weights.status(), Status::weights_mismatch);
  EXPECT_EQ(weights.weights(), nullptr);
}

TEST_F(WeightsFileTest, RefusesATruncatedFile) {
  append(&header, sizeof header);
  append("123", 3);
  EXPECT_EQ(WeightsFile(path, header).status(), Status::weights_mismatch);
}

TEST_F(WeightsFileTest, SaysThatNoFileIsThere) {
  EXPECT_EQ(WeightsFile("/tmp/aotc_no_such_file", header).status(), Status::weights_missing);
  EXPECT_EQ(WeightsFile(nullptr, header).status(), Status::weights_missing);
}

} // namespace
