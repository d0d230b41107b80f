// A scratch folder for one test, and short ways to look at files in it.
#ifndef AOTC_TESTS_UNIT_BUNDLE_TESTFOLDER_H
#define AOTC_TESTS_UNIT_BUNDLE_TESTFOLDER_H

#include "llvm/Support/Error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace aotc::codegen {

class TestFolder : public ::testing::Test {
protected:
  TestFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "aotc-test-XXXXXX").string();
    root = std::filesystem::canonical(mkdtemp(pattern.data()));
    std::filesystem::permissions(root, std::filesystem::perms::all);
  }
  ~TestFolder() override {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }

  std::string at(const std::string &path) const { return (root / path).string(); }

  void put(const std::string &path, const std::string &text) const {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream(root / path, std::ios::binary) << text;
  }

  std::string get(const std::string &path) const {
    std::ifstream file(root / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  bool has(const std::string &path) const { return std::filesystem::exists(root / path); }

  /// Everything below `path`, hidden names too, sorted.
  std::vector<std::string> list(const std::string &path = "") const {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(root / path))
      names.push_back(std::filesystem::relative(entry.path(), root / path).string());
    std::sort(names.begin(), names.end());
    return names;
  }

  std::filesystem::path root;
};

inline std::string textOf(llvm::Error error) { return llvm::toString(std::move(error)); }

} // namespace aotc::codegen

#endif // AOTC_TESTS_UNIT_BUNDLE_TESTFOLDER_H
