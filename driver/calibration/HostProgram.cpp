#include "driver/calibration/HostProgram.h"

#include "codegen/bundle/FileIo.h"
#include "codegen/bundle/Folders.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Threading.h"

#include <cstdlib>
#include <deque>

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace aotc::driver {

Expected<TemporaryFolder> TemporaryFolder::create(StringRef prefix) {
  llvm::SmallString<128> path;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory(prefix, path))
    return codegen::systemError("temporary folder", "cannot create", error.value());
  return TemporaryFolder(path.str().str());
}

TemporaryFolder::~TemporaryFolder() {
  if (!path.empty())
    codegen::removeTree(path);
}

Expected<std::vector<std::string>> findHostCompiler() {
  const char *wanted = std::getenv("CXX");
  bool isGiven = wanted && *wanted;
  llvm::SmallVector<StringRef> words;
  StringRef(isGiven ? wanted : "c++").split(words, ' ', -1, /*KeepEmpty=*/false);
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(words.empty() ? "" : words.front());
  if (!program)
    return llvm::createStringError(
        std::make_error_code(std::errc::no_such_file_or_directory),
        isGiven
            ? "cannot find the compiler that CXX names, '" + llvm::Twine(wanted) + "'"
            : llvm::Twine("cannot find a C++ compiler for this machine\nnote: the environment variable CXX names it"));
  std::vector<std::string> command = {*program};
  for (StringRef word : llvm::drop_begin(words))
    command.push_back(word.str());
  return command;
}

namespace {

/// A command that runs, and the file that takes its output.
struct Running {
  llvm::sys::ProcessInfo process;
  std::string name, log;
};

constexpr size_t mostLines = 8;

/// The first lines of what it wrote.
std::string messageOf(const std::string &log) {
  Expected<std::string> text = codegen::readText(log);
  if (!text) {
    llvm::consumeError(text.takeError());
    return "";
  }
  llvm::SmallVector<StringRef> lines;
  StringRef(*text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  lines.truncate(std::min(lines.size(), mostLines));
  return llvm::join(lines, "\n");
}

Expected<Running> start(const std::vector<std::string> &command, StringRef log, bool showsErrors) {
  llvm::SmallVector<StringRef> arguments(command.begin(), command.end());
  std::optional<StringRef> redirects[] = {StringRef(""), log, showsErrors ? std::nullopt : std::optional(log)};
  std::string reason;
  bool failed = false;
  Running running{{}, llvm::sys::path::filename(command.front()).str(), log.str()};
  running.process = llvm::sys::ExecuteNoWait(command.front(), arguments, std::nullopt, redirects, 0, &reason, &failed);
  if (failed)
    return llvm::createStringError("cannot run '" + command.front() + "': " + reason);
  return running;
}

Error finish(const Running &running) {
  std::string reason;
  llvm::sys::ProcessInfo ended = llvm::sys::Wait(running.process, std::nullopt, &reason);
  if (ended.ReturnCode == 0)
    return Error::success();
  std::string message = messageOf(running.log), text = "'" + running.name + "' ";
  text += ended.ReturnCode < 0 ? "ended abnormally" : "ended with code " + std::to_string(ended.ReturnCode);
  return llvm::createStringError(text + (message.empty() ? "" : ":\n" + message));
}

} // namespace

Error runCommands(llvm::ArrayRef<std::vector<std::string>> commands, StringRef folder, bool showsErrors) {
  const unsigned most = std::max(1u, llvm::hardware_concurrency().compute_thread_count());
  std::deque<Running> running;
  Error error = Error::success();
  for (const auto &[index, command] : llvm::enumerate(commands)) {
    if (running.size() == most) {
      error = llvm::joinErrors(std::move(error), finish(running.front()));
      running.pop_front();
    }
    Expected<Running> next = start(command, (folder + "/log_" + llvm::Twine(index)).str(), showsErrors);
    if (next)
      running.push_back(std::move(*next));
    else
      error = llvm::joinErrors(std::move(error), next.takeError());
  }
  for (const Running &each : running)
    error = llvm::joinErrors(std::move(error), finish(each));
  return error;
}

} // namespace aotc::driver
