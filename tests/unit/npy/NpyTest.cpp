// The .npy files that <name>_run reads and writes: round trips, the versions of the format, and what is refused.
#include "templates/project/tools/npy.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace {

class NpyTest : public ::testing::Test {
protected:
  NpyTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "aotc-npy-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    path = folder + "/a.npy";
  }
  ~NpyTest() override { std::filesystem::remove_all(folder); }

  /// Writes a file with that header (padded as numpy does) and that many bytes of elements, and returns what reading
  /// says.
  std::string readText(std::string header, size_t bytes, char version = 1) {
    header += '\n';
    std::string text = std::string("\x93NUMPY", 6) + version + '\0';
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
      text += static_cast<char>(header.size() >> (8 * i));
    std::ofstream(path, std::ios::binary) << text << header << std::string(bytes, '\1');
    bool refused = false;
    const std::string error = npy::read(path, array, refused);
    EXPECT_FALSE(refused);
    return error;
  }

  std::string folder, path;
  npy::Array array;
};

TEST_F(NpyTest, ReadsWhatItWrites) {
  bool refused = false;
  for (const npy::Type &type : npy::types)
    for (const std::vector<std::int64_t> &shape :
         {std::vector<std::int64_t>{}, {3}, {2, 3}, {1, 0, 5}, {1, 2, 3, 4, 5, 6}}) {
      std::string bytes(static_cast<size_t>(npy::count(shape)) * type.bytes, 'x');
      for (size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<char>(i * 7);
      ASSERT_EQ(npy::write(path, type.element, shape, bytes.data()), "");
      ASSERT_EQ(npy::read(path, array, refused), "");
      EXPECT_TRUE(npy::fits(array, type.element)) << type.name;
      EXPECT_EQ(array.shape, shape);
      EXPECT_EQ(std::string(array.buffer.data(), array.buffer.size()), bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.buffer.data()) % 64, 0u);
      EXPECT_EQ(std::filesystem::file_size(path) % 64, bytes.size() % 64);
    }
}

TEST_F(NpyTest, ReadsHeadersOfAllVersions) {
  for (const char version : {1, 2, 3}) {
    EXPECT_EQ(readText("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   ", 24, version), "");
    EXPECT_EQ(array.shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(array.element, 1);
  }
}

TEST_F(NpyTest, ReadsOtherSpellings) {
  EXPECT_EQ(readText("{\"shape\":(2,),\"fortran_order\":True,\"descr\":\"<i1\"}", 2), "");
  EXPECT_EQ(array.element, 3);
  EXPECT_EQ(readText("{'descr': '<V2', 'fortran_order': False, 'shape': ()}", 2), "");
  EXPECT_TRUE(npy::fits(array, 16));
  EXPECT_FALSE(npy::fits(array, 10));
}

TEST_F(NpyTest, RefusesWhatItCannotRead) {
  EXPECT_EQ(readText("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", 4),
            "element type '>f4' is not supported");
  EXPECT_EQ(readText("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2)}", 8),
            "is in Fortran order, save numpy.ascontiguousarray() of it");
  EXPECT_EQ(readText("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)}", 7),
            "must hold 8 bytes for shape [1,2], found 7");
  EXPECT_EQ(readText("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 4), "has no shape in its header");
  EXPECT_EQ(readText("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999, 99999999, 99999999)}", 4),
            "has no shape in its header");
  EXPECT_EQ(readText("{'descr': '<f4', 'fortran_order': False, 'shape': (x,)}", 4), "has no shape in its header");
  EXPECT_EQ(readText("{'descr': '<f4', 'shape': ", 4), "has no shape in its header");
  EXPECT_EQ(readText("{'descr': [('a', '<f4')], 'shape': (1,)}", 4), "has no element type in its header");
  EXPECT_EQ(readText("{}", 4, 9), "is a .npy file of an unknown version");
  std::ofstream(path) << "a text";
  bool refused = false;
  EXPECT_EQ(npy::read(path, array, refused), "is not a .npy file");
}

TEST_F(NpyTest, SaysWhatTheSystemRefuses) {
  bool refused = false;
  EXPECT_EQ(npy::read(folder + "/none.npy", array, refused), "cannot open: no such file or directory");
  EXPECT_TRUE(refused);
  EXPECT_EQ(npy::write(folder + "/none/a.npy", 1, {}, nullptr), "cannot create: no such file or directory");
  EXPECT_EQ(npy::write("/dev/full", 1, {1}, "1234"), "cannot write: no space left on device");
}

} // namespace
