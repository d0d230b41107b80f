// Whatever fails, the old output stays as it was, nothing temporary is left, and the error names the file.
#include "codegen/bundle/Bundle.h"

#include "TestFolder.h"

#include <csignal>
#include <fcntl.h>
#include <functional>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace aotc::codegen;
namespace fs = std::filesystem;

namespace {

class BundleFailureTest : public TestFolder {
protected:
  BundleFailureTest() {
    Bundle bundle;
    bundle.addText("a", "old");
    bundle.addText("src/gone", "old");
    EXPECT_EQ(textOf(bundle.write(at("out"), {})), "");
    before = list();
  }

  /// The bundle that replaces the old output where nothing fails.
  static Bundle newBundle() {
    Bundle bundle;
    bundle.addText("a", "new");
    bundle.addText("src/b", std::string(5000, 'b'));
    return bundle;
  }

  void expectOldOutput() {
    EXPECT_EQ(list(), before);
    EXPECT_EQ(get("out/a"), "old");
    EXPECT_EQ(get("out/src/gone"), "old");
  }

  void expectNewOutput() {
    EXPECT_EQ(list(), (std::vector<std::string>{"out", "out/MANIFEST.json", "out/a", "out/src", "out/src/b"}));
    EXPECT_EQ(get("out/a"), "new");
  }

  /// Runs `body` in a process of its own; its result is that process's exit code, the expectations inside count.
  static void inChild(const std::function<void()> &body) {
    const pid_t child = fork();
    if (child == 0) {
      body();
      fflush(nullptr);
      _exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }

  /// From here on permissions count, also where the tests run as root.
  static void becomeNobody() {
    if (geteuid() == 0) {
      ASSERT_EQ(setegid(65534), 0);
      ASSERT_EQ(seteuid(65534), 0);
    }
  }

  static constexpr fs::perms readOnly = fs::perms::owner_read | fs::perms::owner_exec | fs::perms::group_read |
                                        fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec;

  std::vector<std::string> before;
};

TEST_F(BundleFailureTest, WriteThatFailsHalfway) {
  inChild([&] {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    EXPECT_EQ(textOf(newBundle().write(at("out"), {})), at("out/src/b") + ": cannot write: file too large");
    EXPECT_NE(textOf(newBundle().write(at("new/deep"), {})), "");
  });
  expectOldOutput();
}

TEST_F(BundleFailureTest, SourceThatCannotBeRead) {
  Bundle bundle = newBundle();
  bundle.addFile("z", "/proc/self/mem");
  EXPECT_EQ(textOf(bundle.write(at("out"), {})), "/proc/self/mem: cannot read: input/output error");
  Bundle missing = newBundle();
  missing.addFile("z", at("missing"));
  EXPECT_EQ(textOf(missing.write(at("out"), {})), at("missing") + ": cannot open: no such file or directory");
  expectOldOutput();
}

TEST_F(BundleFailureTest, FolderThatIsAFile) {
  EXPECT_EQ(textOf(newBundle().write(at("out/a"), {})), at("out/a") + ": cannot use as output folder: not a directory");
  EXPECT_EQ(textOf(newBundle().write(at("out/a/b"), {})),
            at("out/a/b") + ": cannot use as output folder: not a directory");
  EXPECT_NE(textOf(newBundle().write("", {})), "");
  EXPECT_NE(textOf(newBundle().write(at("missing/.."), {})), "");
  expectOldOutput();
}

TEST_F(BundleFailureTest, FolderThatIsNotWritable) {
  fs::permissions(root / "out", readOnly);
  fs::permissions(root, readOnly);
  inChild([&] {
    becomeNobody();
    EXPECT_EQ(textOf(newBundle().write(at("out"), {})),
              at("out") + ": cannot write into this folder: permission denied");
    EXPECT_EQ(textOf(newBundle().write(at("new"), {})),
              at("new") + ": cannot write into this folder: permission denied");
    EXPECT_EQ(textOf(newBundle().write(at("new/deep"), {})),
              at("new/deep") + ": cannot make this folder: permission denied");
  });
  fs::permissions(root, fs::perms::all);
  fs::permissions(root / "out", fs::perms::all);
  expectOldOutput();
}

TEST_F(BundleFailureTest, ParentThatIsNotWritableIsNotNeeded) {
  fs::permissions(root / "out", fs::perms::all);
  fs::permissions(root / "out/src", fs::perms::all);
  fs::permissions(root, readOnly);
  inChild([&] {
    becomeNobody();
    EXPECT_EQ(textOf(newBundle().write(at("out"), {})), "");
  });
  fs::permissions(root, fs::perms::all);
  expectNewOutput();
}

TEST_F(BundleFailureTest, CurrentFolderStaysWhereItIs) {
  put("out/build/x", "mine");
  inChild([&] {
    ASSERT_EQ(chdir((root / "out/build").c_str()), 0);
    struct stat first, second;
    ASSERT_EQ(stat("..", &first), 0);
    EXPECT_EQ(textOf(newBundle().write("..", {})), "");
    ASSERT_EQ(stat(at("out").c_str(), &second), 0);
    EXPECT_EQ(first.st_ino, second.st_ino);
    EXPECT_TRUE(has("out/build/x"));
  });
  fs::remove_all(root / "out/build");
  expectNewOutput();
}

TEST_F(BundleFailureTest, InPlaceFailurePutsOldFilesBack) {
  Bundle old;
  old.addText("a", "old");
  old.addText("src/gone", "old");
  old.addText("zz/last", "old");
  ASSERT_EQ(textOf(old.write(at("out"), {})), "");
  put("out/src/deep/mine", "1");
  const std::string manifest = get("out/MANIFEST.json");
  before = list();
  fs::permissions(root / "out", fs::perms::all);
  fs::permissions(root / "out/src", fs::perms::all);
  fs::permissions(root / "out/zz",
                  fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read | fs::perms::others_exec);
  inChild([&] {
    becomeNobody();
    ASSERT_EQ(chdir((root / "out").c_str()), 0);
    // All files but the last one in order are in place when that one cannot be replaced.
    Bundle bundle = newBundle();
    bundle.addText("new/deep/c", "new");
    bundle.addText("zz/last", "new");
    EXPECT_EQ(textOf(bundle.write(".", {})), "./zz/last: cannot replace: permission denied");
  });
  fs::permissions(root / "out/zz", fs::perms::owner_all);
  expectOldOutput();
  EXPECT_EQ(get("out/zz/last"), "old");
  EXPECT_EQ(get("out/MANIFEST.json"), manifest);
}

TEST_F(BundleFailureTest, KilledRunLeavesTheOldOutputAndTheNextRunCleansUp) {
  ASSERT_EQ(mkfifo(at("slow").c_str(), 0600), 0);
  for (const bool inPlace : {false, true}) {
    const pid_t child = fork();
    if (child == 0) {
      if (inPlace && chdir((root / "out").c_str()) != 0)
        _exit(1);
      Bundle bundle = newBundle();
      bundle.addFile("z", at("slow"));
      llvm::consumeError(bundle.write(at("out"), {}));
      _exit(0);
    }
    const int pipe = open(at("slow").c_str(), O_WRONLY); // returns when the child reads: all else is staged by then
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(pipe);
    EXPECT_EQ(get("out/a"), "old");
    EXPECT_EQ(get("out/src/gone"), "old");
    EXPECT_GT(list().size(), before.size() + 1);
    // A run that fails cleans up as well.
    EXPECT_NE(textOf(newBundle().write(at("out/a"), {})), "");
    Bundle failing;
    failing.addFile("x", at("missing"));
    EXPECT_NE(textOf(failing.write(at("out"), {})), "");
    EXPECT_EQ(list().size(), before.size() + 1);
  }
  fs::remove(root / "slow");
  expectOldOutput();
}

TEST_F(BundleFailureTest, RunThatLivesIsNotTakenForStale) {
  ASSERT_EQ(mkfifo(at("slow").c_str(), 0600), 0);
  const pid_t child = fork();
  if (child == 0) {
    Bundle bundle = newBundle();
    bundle.addFile("z", at("slow"));
    const std::string text = textOf(bundle.write(at("out"), {}));
    _exit(text.empty() ? 0 : 1);
  }
  const int pipe = open(at("slow").c_str(), O_WRONLY);
  EXPECT_EQ(textOf(newBundle().write(at("out"), {})), "");
  close(pipe);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(has("out/z"));
}

TEST_F(BundleFailureTest, SwappedOutFolderGivesBackFilesOfTheUser) {
  // What a run killed right after the swap leaves: the old output under a temporary name.
  Bundle bundle = newBundle();
  fs::copy(root / "out", root / ".out.aotc-999999-0", fs::copy_options::recursive);
  put(".out.aotc-999999-0/build/x", "mine");
  ASSERT_EQ(textOf(bundle.write(at("out"), {})), "");
  EXPECT_EQ(get("out/build/x"), "mine");
  fs::remove_all(root / "out/build");
  expectNewOutput();
}

TEST_F(BundleFailureTest, FolderLostBetweenTwoRenamesGivesBackFilesOfTheUser) {
  fs::rename(root / "out", root / ".out.aotc-999999-00");
  put(".out.aotc-999999-00/build/x", "mine");
  ASSERT_EQ(textOf(newBundle().write(at("out"), {})), "");
  EXPECT_EQ(get("out/build/x"), "mine");
  fs::remove_all(root / "out/build");
  expectNewOutput();
}

} // namespace
