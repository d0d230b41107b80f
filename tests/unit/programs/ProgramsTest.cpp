// Prints each planned module of this folder, compiles it with the program beside it, and runs that: it computes the
// same in plain loops and compares. What kernels compute is tested elsewhere; this is about pointers, strides and
// expressions.
#include "tests/unit/codegen/PlannedModule.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace aotc;
using namespace aotc::test;
namespace fs = std::filesystem;

namespace {

std::string read(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ProgramsTest : public testing::Test {
protected:
  ProgramsTest() {
    std::string pattern = (fs::temp_directory_path() / "aotc-programs-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  ~ProgramsTest() override {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }

  bool shell(const std::string &command) const {
    const std::string log = (folder / "log").string();
    const bool good = std::system((command + " > " + log + " 2>&1").c_str()) == 0;
    if (!good)
      ADD_FAILURE() << command << "\n" << read(log);
    return good;
  }

  void write(const codegen::GeneratedCode &code) const {
    for (const auto &[path, text] : code.files) {
      fs::create_directories((folder / path).parent_path());
      std::ofstream(folder / path, std::ios::binary) << text;
    }
    std::ofstream weights(folder / "src/net_weights.bin", std::ios::binary);
    for (llvm::ArrayRef<char> piece : code.weights.pieces())
      weights.write(piece.data(), static_cast<std::streamsize>(piece.size()));
  }

  // Compiles and runs <program>.cpp with the code printed from <program>.mlir.
  void check(const std::string &program, const std::string &flags = "") const {
    PlannedModule module(read(fs::path(PROGRAMS) / (program + ".mlir")));
    ASSERT_TRUE(module.code) << module.diagnostics;
    write(*module.code);
    llvm::SmallVector<llvm::StringRef> compilers;
    llvm::StringRef(COMPILERS).split(compilers, '|');
    for (llvm::StringRef compiler : compilers) {
      const std::string start = "cd " + folder.string() + " && " + compiler.str() + " -std=c++17 -O1 -march=native " +
                                "-ffp-contract=off " + flags + " -Iinclude -Isrc " INCLUDES " ";
      const std::string warnings = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror ";
      if (shell(start + "-c src/net_weights.S -o weights.o") &&
          shell(start + warnings + "src/*.cpp " POOL " " PROGRAMS "/" + program + ".cpp weights.o -pthread -o program"))
        shell((folder / "program").string());
    }
  }

  fs::path folder;
};

TEST_F(ProgramsTest, ConvolutionsWithHalosAndResiduals) { check("network"); }
TEST_F(ProgramsTest, ConvolutionsWithoutAVectorUnit) { check("network", "-DAOTC_SCALAR"); }
TEST_F(ProgramsTest, ElementwiseOperatorsOfAllTypes) { check("operators"); }
TEST_F(ProgramsTest, MovementReductionsAndBranches) { check("movement"); }
TEST_F(ProgramsTest, BoundedDimensions) { check("bounded"); }

} // namespace
