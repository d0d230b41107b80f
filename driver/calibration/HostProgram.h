// What it takes to run generated code while compiling: a folder that disappears, the compiler of this machine, and a
// program's end as an error text.
#ifndef AOTC_DRIVER_CALIBRATION_HOSTPROGRAM_H
#define AOTC_DRIVER_CALIBRATION_HOSTPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace aotc::driver {

/// A new folder among the system's temporary files, removed with all that it holds.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> create(llvm::StringRef prefix);
  TemporaryFolder(TemporaryFolder &&other) : path(std::move(other.path)) { other.path.clear(); }
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder();

  const std::string &getPath() const { return path; }

private:
  explicit TemporaryFolder(std::string path) : path(std::move(path)) {}
  std::string path;
};

/// A command line to come before all arguments, such as {"/usr/bin/g++"}: what the environment's CXX says, else c++.
/// Fails where there is no such program.
llvm::Expected<std::vector<std::string>> findHostCompiler();

/// Runs all commands, as many at a time as there are processors. Their output goes to files in `folder`, but what they
/// write to the standard error where `showsErrors`. Fails with what the first of them that failed had to say.
llvm::Error runCommands(llvm::ArrayRef<std::vector<std::string>> commands, llvm::StringRef folder, bool showsErrors);

} // namespace aotc::driver

#endif // AOTC_DRIVER_CALIBRATION_HOSTPROGRAM_H
