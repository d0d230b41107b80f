// std::filesystem with error codes, plus statx for mount points.
#include "codegen/bundle/Folders.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace aotc::codegen {

bool isStageName(llvm::StringRef name, llvm::StringRef prefix) {
  if (!name.consume_front(prefix))
    return false;
  const auto [pid, count] = name.split('-');
  const llvm::StringRef digits = "0123456789";
  return !pid.empty() && !count.empty() && pid.find_first_not_of(digits) == llvm::StringRef::npos &&
         count.find_first_not_of(digits) == llvm::StringRef::npos;
}

bool isFolder(llvm::StringRef path) {
  std::error_code ignored;
  return fs::is_directory(path.str(), ignored);
}

static bool isFolderItself(const fs::path &path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() == fs::file_type::directory;
}

static bool holdsNoFilesAt(const fs::path &path) {
  std::error_code error;
  fs::directory_iterator entry(path, error), end;
  for (; !error && entry != end; entry.increment(error))
    if (!isStageName(entry->path().filename().string(), insideStagePrefix) &&
        !(isFolderItself(entry->path()) && holdsNoFilesAt(entry->path())))
      return false;
  return !error;
}

bool holdsNoFiles(llvm::StringRef path) { return holdsNoFilesAt(path.str()); }

static void removeEmptyFolders(const fs::path &root) {
  std::error_code error;
  std::vector<fs::path> folders;
  for (fs::directory_iterator entry(root, error), end; !error && entry != end; entry.increment(error))
    if (isFolderItself(entry->path()))
      folders.push_back(entry->path());
  for (const fs::path &folder : folders)
    removeEmptyFolders(folder);
  ::rmdir(root.c_str());
}

static bool isMountPoint(llvm::StringRef path) {
#ifdef STATX_ATTR_MOUNT_ROOT
  struct statx status;
  if (::statx(AT_FDCWD, path.str().c_str(), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &status) == 0 &&
      (status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT))
    return (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#endif
  struct stat here, above;
  return ::stat(path.str().c_str(), &here) == 0 && ::stat((path + "/..").str().c_str(), &above) == 0 &&
         (here.st_dev != above.st_dev || here.st_ino == above.st_ino);
}

bool mustKeepFolder(llvm::StringRef path) {
  std::error_code error;
  const std::string current = fs::current_path(error).string();
  const bool holdsCurrent = !error && (current == path || llvm::StringRef(current).starts_with((path + "/").str()));
  return holdsCurrent || path == "/" || isMountPoint(path);
}

static void collectForeign(const fs::path &root, const std::string &below, const FileSet &ours,
                           std::vector<std::string> &found) {
  std::error_code error;
  for (fs::directory_iterator entry(root / below, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const std::string path = below.empty() ? name : below + "/" + name;
    if (isStageName(name, insideStagePrefix))
      continue;
    const bool folder = isFolderItself(entry->path());
    if (folder && ours.hasBelow(path))
      collectForeign(root, path, ours, found);
    else if (folder ? !holdsNoFilesAt(entry->path()) : !ours.count(path))
      found.push_back(path);
  }
}

std::vector<std::string> listForeign(llvm::StringRef root, const FileSet &ours) {
  std::vector<std::string> found;
  collectForeign(root.str(), "", ours, found);
  std::sort(found.begin(), found.end());
  return found;
}

llvm::Error adoptForeign(llvm::StringRef from, const FileSet &ours, llvm::StringRef to, llvm::StringRef shownTo) {
  for (const std::string &path : listForeign(from, ours)) {
    const std::string target = (to + "/" + path).str(), shown = (shownTo + "/" + path).str();
    struct stat status;
    if (::lstat(target.c_str(), &status) == 0)
      return systemError(shown, "cannot keep this file, it is now in " + from.str(), EEXIST);
    if (llvm::Error error = makeFoldersAbove(target, shown))
      return error;
    if (::rename((from + "/" + path).str().c_str(), target.c_str()) != 0 && errno != ENOENT)
      return systemError(shown, "cannot keep this file, it is now in " + from.str(), errno);
  }
  return llvm::Error::success();
}

void removeListed(llvm::StringRef root, const FileSet &files) {
  // The manifest goes last: a run killed here leaves a tree that still says which files are ours.
  for (const std::string &path : files)
    if (path != manifestName)
      ::unlink((root + "/" + path).str().c_str());
  ::unlink((root + "/" + manifestName).str().c_str());
  removeEmptyFolders(root.str());
}

void removeTree(llvm::StringRef root) {
  std::error_code ignored;
  fs::remove_all(root.str(), ignored);
}

llvm::Error makeFoldersAbove(llvm::StringRef path, llvm::StringRef shownPath) {
  std::error_code error;
  fs::create_directories(fs::path(path.str()).parent_path(), error);
  if (error)
    return systemError(shownPath, "cannot make its folder", error.value());
  return llvm::Error::success();
}

void removeEmptyAbove(llvm::StringRef root, llvm::StringRef path) {
  while (path.contains('/')) {
    path = path.rsplit('/').first;
    if (::rmdir((root + "/" + path).str().c_str()) != 0)
      return;
  }
}

} // namespace aotc::codegen
