// What a bundle writes, what it keeps of an earlier output, and what it refuses.
#include "codegen/bundle/Bundle.h"

#include "TestFolder.h"

#include <chrono>

using namespace aotc::codegen;
namespace fs = std::filesystem;

namespace {

class BundleTest : public TestFolder {
protected:
  static Manifest manifest() { return {"0.1.0", {"--target", "native"}, {{"m.onnx", std::string(64, 'a')}}, {}}; }

  /// Writes files to `out` and returns the error's text.
  std::string write(const std::vector<std::pair<std::string, std::string>> &files, const std::string &out = "out") {
    Bundle bundle;
    for (const auto &[path, text] : files)
      bundle.addText(path, text);
    return textOf(bundle.write(at(out), manifest()));
  }

  /// Sets all time stamps of `path` to a moment in the past.
  void age(const std::string &path) {
    fs::last_write_time(root / path, fs::file_time_type::clock::now() - std::chrono::hours(5));
  }
  bool isOld(const std::string &path) {
    return fs::file_time_type::clock::now() - fs::last_write_time(root / path) > std::chrono::hours(4);
  }
};

TEST_F(BundleTest, WritesFilesAndManifest) {
  put("shipped.hpp", "shipped");
  const std::string first = "ab", second = "cd";
  Bundle bundle;
  bundle.addText("src/b.cpp", "b");
  bundle.addBytes("src/w.bin", {{first.data(), 2}, {second.data(), 2}});
  bundle.addFile("runtime/aotc/shipped.hpp", at("shipped.hpp"));
  ASSERT_EQ(textOf(bundle.write(at("out"), manifest())), "");
  EXPECT_EQ(get("out/src/b.cpp"), "b");
  EXPECT_EQ(get("out/src/w.bin"), "abcd");
  EXPECT_EQ(get("out/runtime/aotc/shipped.hpp"), "shipped");
  EXPECT_EQ(list(), (std::vector<std::string>{"out", "out/MANIFEST.json", "out/runtime", "out/runtime/aotc",
                                              "out/runtime/aotc/shipped.hpp", "out/src", "out/src/b.cpp",
                                              "out/src/w.bin", "shipped.hpp"}));
  EXPECT_EQ(bundle.sourceFiles(), std::vector<std::string>{at("shipped.hpp")});
}

TEST_F(BundleTest, ManifestIsSortedAndHoldsHashes) {
  ASSERT_EQ(write({{"z", ""}, {"a/b", "abc"}}), "");
  EXPECT_EQ(get("out/MANIFEST.json"), R"({
  "tool": "aotc",
  "version": "0.1.0",
  "flags": [
    "--target",
    "native"
  ],
  "inputs": [
    {
      "name": "m.onnx",
      "sha256": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    }
  ],
  "files": {
    "a/b": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "z": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  }
}
)");
}

TEST_F(BundleTest, SameInputsGiveTheSameBytesAnywhere) {
  ASSERT_EQ(write({{"a", "1"}}, "one"), "");
  ASSERT_EQ(write({{"a", "1"}}, "deep/er/two"), "");
  EXPECT_EQ(get("one/MANIFEST.json"), get("deep/er/two/MANIFEST.json"));
}

TEST_F(BundleTest, UnchangedFilesKeepTheirTimeStamps) {
  ASSERT_EQ(write({{"src/same", "1"}, {"src/other", "1"}}), "");
  age("out/src/same");
  age("out/src/other");
  age("out/MANIFEST.json");
  ASSERT_EQ(write({{"src/same", "1"}, {"src/other", "12"}}), "");
  EXPECT_TRUE(isOld("out/src/same"));
  EXPECT_FALSE(isOld("out/src/other"));
  EXPECT_FALSE(isOld("out/MANIFEST.json"));
  age("out/src/other");
  age("out/MANIFEST.json");
  ASSERT_EQ(write({{"src/same", "1"}, {"src/other", "12"}}), "");
  EXPECT_TRUE(isOld("out/src/other"));
  EXPECT_TRUE(isOld("out/MANIFEST.json"));
}

TEST_F(BundleTest, FilesThatAreNoLongerMadeDisappear) {
  ASSERT_EQ(write({{"a", "1"}, {"gone/deep/b", "1"}}), "");
  ASSERT_EQ(write({{"a", "1"}}), "");
  EXPECT_EQ(list("out"), (std::vector<std::string>{"MANIFEST.json", "a"}));
}

TEST_F(BundleTest, FilesOfTheUserStay) {
  ASSERT_EQ(write({{"src/a", "1"}, {"old/b", "1"}}), "");
  put("out/build/a.o", "object");
  put("out/src/notes", "mine");
  put("out/old/notes", "mine too");
  ASSERT_EQ(write({{"src/a", "2"}}), "");
  EXPECT_EQ(list(), (std::vector<std::string>{"out", "out/MANIFEST.json", "out/build", "out/build/a.o", "out/old",
                                              "out/old/notes", "out/src", "out/src/a", "out/src/notes"}));
  EXPECT_EQ(get("out/old/notes"), "mine too");
}

TEST_F(BundleTest, RefusesAFolderThatIsNotOurs) {
  put("out/precious", "1");
  EXPECT_EQ(write({{"a", "1"}}), at("out") +
                                     ": cannot replace a folder that is not empty and holds no MANIFEST.json of "
                                     "aotc\nnote: give a new or an empty folder");
  put("out/MANIFEST.json", "{\"files\": {}}");
  EXPECT_NE(write({{"a", "1"}}), "");
  EXPECT_EQ(list("out"), (std::vector<std::string>{"MANIFEST.json", "precious"}));
}

TEST_F(BundleTest, RefusesToReplaceAFileOfTheUser) {
  ASSERT_EQ(write({{"a", "1"}}), "");
  put("out/b", "mine");
  EXPECT_EQ(write({{"a", "2"}, {"b", "2"}}),
            at("out/b") + ": cannot replace a file that aotc did not write\nnote: move it away");
  EXPECT_EQ(write({{"a", "2"}, {"b/c", "2"}}),
            at("out/b") + ": cannot replace a file that aotc did not write\nnote: move it away");
  EXPECT_EQ(get("out/a"), "1");
  EXPECT_EQ(get("out/b"), "mine");
  EXPECT_EQ(list().size(), 4u);
}

TEST_F(BundleTest, AFileMayBecomeAFolderAndBack) {
  ASSERT_EQ(write({{"a", "1"}}), "");
  ASSERT_EQ(write({{"a/b", "1"}}), "");
  EXPECT_EQ(get("out/a/b"), "1");
  ASSERT_EQ(write({{"a", "1"}}), "");
  EXPECT_EQ(get("out/a"), "1");
}

TEST_F(BundleTest, TakesAnEmptyFolderAndKeepsItsMode) {
  fs::create_directory(root / "out");
  fs::permissions(root / "out", fs::perms::owner_all);
  ASSERT_EQ(write({{"a", "1"}}, "out/"), "");
  EXPECT_EQ(fs::status(root / "out").permissions(), fs::perms::owner_all);
}

TEST_F(BundleTest, FoldersWithoutFilesDoNotCount) {
  fs::create_directories(root / "out/src/deep");
  fs::create_directories(root / "out/include/net");
  ASSERT_EQ(write({{"src/a", "1"}}), "");
  EXPECT_EQ(list("out"), (std::vector<std::string>{"MANIFEST.json", "src", "src/a"}));
  fs::create_directories(root / "out/src/deep");
  ASSERT_EQ(write({{"src/deep", "1"}}), "");
  EXPECT_EQ(get("out/src/deep"), "1");
  EXPECT_EQ(list().size(), 4u);
}

TEST_F(BundleTest, FollowsALinkToTheFolder) {
  fs::create_directory(root / "real");
  fs::create_directory_symlink("real", root / "out");
  ASSERT_EQ(write({{"a", "1"}}), "");
  ASSERT_EQ(write({{"a", "2"}}), "");
  EXPECT_TRUE(fs::is_symlink(root / "out"));
  EXPECT_EQ(get("real/a"), "2");
}

TEST_F(BundleTest, ReplacesALinkAmongItsFiles) {
  ASSERT_EQ(write({{"a", "1"}}), "");
  put("elsewhere", "1");
  fs::remove(root / "out/a");
  fs::create_symlink("../elsewhere", root / "out/a");
  ASSERT_EQ(write({{"a", "1"}}), "");
  EXPECT_FALSE(fs::is_symlink(root / "out/a"));
  EXPECT_TRUE(has("elsewhere"));
}

TEST_F(BundleTest, DepfileEscapesNames) {
  EXPECT_EQ(renderDepfile("a b.stamp", {"/m#1.onnx", "c$d"}), "a\\ b.stamp: \\\n  /m\\#1.onnx \\\n  c$$d\n");
}

} // namespace
