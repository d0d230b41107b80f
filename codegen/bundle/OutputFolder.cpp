// Opening an output folder and staging files; how they are put in place is in OutputCommit.cpp.
#include "codegen/bundle/OutputFolder.h"

#include "codegen/bundle/Folders.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

#include <cassert>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace aotc::codegen {

namespace {

/// The sha256 of a file's bytes as hexadecimal digits, where it is not known beforehand.
class FileHash {
public:
  explicit FileHash(llvm::StringRef known) : known(known) {}

  void update(llvm::ArrayRef<char> bytes) {
    if (known.empty())
      hash.update({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  }
  std::string final() { return known.empty() ? llvm::toHex(hash.final(), /*LowerCase=*/true) : known.str(); }

private:
  llvm::StringRef known;
  llvm::SHA256 hash;
};

} // namespace

/// Empty, with errno set, where there is no such file.
static std::string realPath(llvm::StringRef path) {
  char *resolved = ::realpath(path.str().c_str(), nullptr);
  const int reason = errno;
  std::string result = resolved ? resolved : "";
  ::free(resolved);
  errno = reason;
  return result;
}

static llvm::StringRef parentOf(llvm::StringRef absolute) {
  const llvm::StringRef parent = absolute.rsplit('/').first;
  return parent.empty() ? "/" : parent;
}

static llvm::StringRef nameOf(llvm::StringRef absolute) { return absolute.rsplit('/').second; }

/// The name is cut so that it stays legal with our suffix.
static std::string besideStagePrefix(llvm::StringRef folder) {
  return ("." + nameOf(folder).take_front(200) + insideStagePrefix).str();
}

std::string OutputFolder::shown(llvm::StringRef path) const { return shownFolder + "/" + path.str(); }

OutputFolder::~OutputFolder() {
  if (!stage.empty())
    removeTree(stage);
  for (auto folder = madeParents.rbegin(); folder != madeParents.rend(); ++folder)
    ::rmdir(folder->c_str());
}

/// Makes the missing folders above the output folder and resolves it.
llvm::Error OutputFolder::makeParents() {
  const fs::path path = shownFolder;
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  fs::path made;
  for (const fs::path &part : parent) {
    made /= part;
    const int reason = ::mkdir(made.c_str(), 0777) == 0 ? 0 : errno;
    if (reason == 0)
      madeParents.push_back(fs::absolute(made).string());
    else if (!isFolder(made.string()))
      return systemError(shownFolder, "cannot make this folder", reason);
  }
  const std::string above = realPath(parent.string()), name = path.filename().string();
  if (above.empty() || !isFolder(above))
    return systemError(shownFolder, "cannot make this folder", above.empty() ? errno : ENOTDIR);
  if (name.empty() || name == "." || name == "..")
    return systemError(shownFolder, "cannot make this folder", ENOENT);
  folder = (above == "/" ? "" : above) + "/" + name;
  return llvm::Error::success();
}

llvm::Error OutputFolder::open(llvm::StringRef givenFolder) {
  assert(stage.empty() && "an output folder is opened once");
  shownFolder = (givenFolder.size() > 1 ? givenFolder.rtrim('/') : givenFolder).str();
  if (shownFolder.empty())
    shownFolder = givenFolder.empty() ? "" : "/";
  folder = realPath(shownFolder);
  exists = !folder.empty();
  if (!exists && errno != ENOENT)
    return systemError(shownFolder, "cannot use as output folder", errno);
  if (exists && !isFolder(folder))
    return systemError(shownFolder, "cannot use as output folder", ENOTDIR);
  if (!exists)
    if (llvm::Error error = makeParents())
      return error;
  removeStale(parentOf(folder), besideStagePrefix(folder));
  if (exists)
    removeStale(folder, insideStagePrefix);
  std::optional<FileSet> files = readManifestFiles(folder);
  if (exists && !files && !holdsNoFiles(folder))
    return llvm::make_error<FileError>(FileError::Kind::occupied,
                                       shownFolder + ": cannot replace a folder that is not empty and holds no " +
                                           manifestName.str() + " of aotc\nnote: give a new or an empty folder");
  if (files)
    previous = std::move(*files);
  return makeStage();
}

/// Makes and locks `prefix`PID-K; 0 or the error number.
int OutputFolder::tryMakeStage(llvm::StringRef prefix) {
  for (int count = 0; count < 10000; ++count) {
    const std::string path = (prefix + llvm::Twine(::getpid()) + "-" + llvm::Twine(count)).str();
    if (::mkdir(path.c_str(), 0777) != 0) {
      if (errno == EEXIST)
        continue;
      return errno;
    }
    stageLock = Descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Without locks (some network file systems) nobody will take this folder for stale.
    (void)::flock(stageLock.get(), LOCK_EX | LOCK_NB);
    struct stat made, locked;
    if (::stat(path.c_str(), &made) != 0 || ::fstat(stageLock.get(), &locked) != 0 || made.st_ino != locked.st_ino)
      continue; // another run took it for stale before the lock was ours
    stage = path;
    return 0;
  }
  return EEXIST;
}

llvm::Error OutputFolder::makeStage() {
  inPlace = exists && mustKeepFolder(folder);
  int error = EACCES;
  if (!inPlace) {
    error = tryMakeStage((parentOf(folder) == "/" ? "" : parentOf(folder)).str() + "/" + besideStagePrefix(folder));
    inPlace = exists && (error == EACCES || error == EPERM || error == EROFS);
  }
  if (inPlace)
    error = tryMakeStage(folder + "/" + insideStagePrefix.str());
  if (error)
    return systemError(shownFolder, "cannot write into this folder", error);
  struct stat status;
  if (exists && !inPlace && ::stat(folder.c_str(), &status) == 0)
    (void)::chmod(stage.c_str(), status.st_mode & 07777);
  return llvm::Error::success();
}

llvm::Expected<std::string> OutputFolder::place(llvm::StringRef path, ByteSource source, llvm::StringRef known) {
  llvm::Expected<std::string> hash = hashIfUnchanged(path, source, known);
  if (!hash || hash->empty())
    return hash ? stageNew(path, source, known) : std::move(hash);
  if (llvm::Error error = keepOld(path))
    return error;
  return hash;
}

/// The sha256 where the old output holds the same bytes as an ordinary file, else an empty string.
llvm::Expected<std::string> OutputFolder::hashIfUnchanged(llvm::StringRef path, ByteSource source,
                                                          llvm::StringRef known) {
  if (!previous.count(path.str()))
    return std::string();
  const Descriptor old(::open((folder + "/" + path).str().c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (!old || ::fstat(old.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::string();
  bool same = true;
  FileHash hash(known);
  std::vector<char> piece(256 * 1024);
  auto compare = [&](llvm::ArrayRef<char> bytes) {
    for (; same && !bytes.empty();) {
      const ssize_t count = ::read(old.get(), piece.data(), std::min(piece.size(), bytes.size()));
      same = count > 0 && std::memcmp(piece.data(), bytes.data(), static_cast<size_t>(count)) == 0;
      if (!same)
        break;
      hash.update(bytes.take_front(static_cast<size_t>(count)));
      bytes = bytes.drop_front(static_cast<size_t>(count));
    }
    return llvm::Error::success();
  };
  if (llvm::Error error = source(compare))
    return error;
  if (!same || ::read(old.get(), piece.data(), 1) != 0)
    return std::string();
  return hash.final();
}

/// An unchanged file is the same file under a second name, or where there are no hard links a copy with its time
/// stamps.
llvm::Error OutputFolder::keepOld(llvm::StringRef path) {
  if (inPlace)
    return llvm::Error::success();
  const std::string from = (folder + "/" + path).str(), to = (stage + "/" + path).str();
  if (llvm::Error error = makeFoldersAbove(to, shown(path)))
    return error;
  if (::link(from.c_str(), to.c_str()) == 0)
    return llvm::Error::success();
  struct stat status;
  std::error_code error;
  if (::stat(from.c_str(), &status) != 0 || !fs::copy_file(from, to, error))
    return systemError(shown(path), "cannot write", error ? error.value() : errno);
  const timespec times[2] = {status.st_atim, status.st_mtim};
  if (::utimensat(AT_FDCWD, to.c_str(), times, 0) != 0)
    return systemError(shown(path), "cannot keep its time stamp", errno);
  return llvm::Error::success();
}

llvm::Expected<std::string> OutputFolder::stageNew(llvm::StringRef path, ByteSource source, llvm::StringRef known) {
  const std::string to = stage + (inPlace ? "/new/" : "/") + path.str();
  if (llvm::Error error = makeFoldersAbove(to, shown(path)))
    return error;
  Descriptor file(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file)
    return systemError(shown(path), "cannot create", errno);
  FileHash hash(known);
  llvm::Error error = source([&](llvm::ArrayRef<char> bytes) {
    hash.update(bytes);
    return writeAll(file.get(), bytes, shown(path));
  });
  if (error)
    return error;
  // After a crash of the machine a lost source is found by comparing it, a lost manifest would make the folder foreign.
  if (path == manifestName && ::fsync(file.get()) != 0)
    return systemError(shown(path), "cannot write", errno);
  // A network file system may report a full disk only here.
  if (!file.reset())
    return systemError(shown(path), "cannot write", errno);
  if (inPlace)
    staged.insert(path.str());
  return hash.final();
}

/// Finishes or removes the temporary folders that killed runs left in `parent`.
void OutputFolder::removeStale(llvm::StringRef parent, llvm::StringRef prefix) {
  std::error_code error;
  std::vector<std::string> found;
  for (fs::directory_iterator entry(parent.str(), error), end; !error && entry != end; entry.increment(error))
    if (isStageName(entry->path().filename().string(), prefix))
      found.push_back(entry->path().string());
  for (const std::string &path : found) {
    const Descriptor lock(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (path == stage || !lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
      continue;
    const std::optional<FileSet> old = readManifestFiles(path);
    if (!old) {
      removeTree(path); // half-written, holds nothing but ours
      continue;
    }
    // An old output that was swapped out, perhaps with files of the user's in it.
    if (!isFolder(folder) && !listForeign(path, *old).empty())
      continue; // after the commit there is a folder to move them to
    if (llvm::Error kept = adoptForeign(path, *old, folder, shownFolder))
      llvm::consumeError(std::move(kept));
    else
      removeListed(path, *old);
  }
}

} // namespace aotc::codegen
