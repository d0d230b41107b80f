// Putting staged files in place: the swap of whole folders, and the file-by-file way with a journal to undo it.
#include "codegen/bundle/OutputFolder.h"

#include "codegen/bundle/Folders.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace aotc::codegen {

static bool isThere(const std::string &path) {
  struct stat status;
  return ::lstat(path.c_str(), &status) == 0;
}

static bool exchangeFolders(const std::string &a, const std::string &b) {
#ifdef RENAME_EXCHANGE
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
#else
  errno = ENOSYS;
  return false;
#endif
}

/// For file systems without the exchange: the old folder steps aside first, and back if the new one cannot come.
static bool exchangeByRenames(const std::string &stage, const std::string &folder) {
  const std::string aside = stage + "0"; // still the name of a temporary folder
  if (::rename(folder.c_str(), aside.c_str()) != 0)
    return false;
  if (::rename(stage.c_str(), folder.c_str()) != 0) {
    const int reason = errno;
    (void)::rename(aside.c_str(), folder.c_str());
    errno = reason;
    return false;
  }
  return ::rename(aside.c_str(), stage.c_str()) == 0;
}

/// The names in the folder, the manifest's above all, are on the disk before the old ones go.
static void flushToDisk(const std::string &folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor)
    (void)::fsync(descriptor.get());
}

llvm::Error OutputFolder::commit(const Manifest &manifest) {
  FileSet files = manifest.fileSet();
  files.insert(manifestName.str());
  // Another run may have been quicker since open(): what it wrote is ours to replace as well.
  exists = isFolder(folder);
  if (std::optional<FileSet> now = readManifestFiles(folder))
    previous.insert(now->begin(), now->end());
  if (llvm::Error error = checkCollisions(files))
    return error;
  llvm::Error error = inPlace ? commitInPlace(manifest, files) : llvm::Error::success();
  if (error)
    return error;
  if (!inPlace) {
    const std::string text = manifest.render();
    llvm::Expected<std::string> hash = place(manifestName, [&](ByteSink sink) {
      return sink({text.data(), text.size()});
    });
    if (!hash)
      return hash.takeError();
    if (llvm::Error swapError = commitBySwap())
      return swapError;
  }
  madeParents.clear();
  removeStale(llvm::StringRef(folder).rsplit('/').first,
              ("." + llvm::StringRef(folder).rsplit('/').second.take_front(200) + insideStagePrefix).str());
  return llvm::Error::success();
}

/// A file of the user's own stands where the new output wants one.
llvm::Error OutputFolder::checkCollisions(const FileSet &files) {
  for (const std::string &path : listForeign(folder, previous)) {
    llvm::StringRef above = path;
    bool collides = files.count(path) || (files.hasBelow(path) && !isFolder(folder + "/" + path));
    while (!collides && above.contains('/')) {
      above = above.rsplit('/').first;
      collides = files.count(above.str());
    }
    if (collides)
      return llvm::make_error<FileError>(FileError::Kind::occupied,
                                         shown(path) +
                                             ": cannot replace a file that aotc did not write\nnote: move it away");
  }
  return llvm::Error::success();
}

llvm::Error OutputFolder::commitBySwap() {
  flushToDisk(stage);
  if (!exists) {
    if (::rename(stage.c_str(), folder.c_str()) != 0)
      return systemError(shownFolder, "cannot make this folder", errno);
    stage.clear();
    return llvm::Error::success();
  }
  // The lock keeps other runs from finishing for us what follows.
  const Descriptor oldLock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (oldLock)
    (void)::flock(oldLock.get(), LOCK_EX | LOCK_NB);
  if (!exchangeFolders(stage, folder)) {
    const bool unsupported = errno == ENOSYS || errno == EINVAL || errno == ENOTSUP;
    if (!unsupported || !exchangeByRenames(stage, folder))
      return systemError(shownFolder, "cannot replace this folder", errno);
  }
  const std::string old = std::move(stage);
  stage.clear();
  if (llvm::Error error = adoptForeign(old, previous, folder, shownFolder))
    return error;
  removeListed(old, previous);
  return llvm::Error::success();
}

llvm::Error OutputFolder::commitInPlace(const Manifest &manifest, const FileSet &files) {
  std::vector<Moved> journal;
  auto placeManifest = [&](const Manifest &content) -> llvm::Error {
    const std::string text = content.render();
    llvm::Expected<std::string> hash = place(manifestName, [&](ByteSink sink) {
      return sink({text.data(), text.size()});
    });
    if (!hash)
      return hash.takeError();
    return isThere(stage + "/new/" + manifestName.str()) ? moveIntoPlace(manifestName, journal)
                                                         : llvm::Error::success();
  };
  auto moveAll = [&]() -> llvm::Error {
    // While files move, the manifest lists old and new ones: a run killed here leaves no file that seems foreign.
    Manifest both = manifest;
    for (const std::string &path : previous)
      if (path != manifestName)
        both.files.emplace(path, "");
    if (llvm::Error error = placeManifest(both))
      return error;
    for (const std::string &path : staged)
      if (path != manifestName)
        if (llvm::Error error = moveIntoPlace(path, journal))
          return error;
    for (const std::string &path : previous)
      if (!files.count(path) && isThere(folder + "/" + path))
        if (llvm::Error error = moveIntoPlace(path, journal))
          return error;
    previous.insert(manifestName.str());
    return placeManifest(manifest);
  };
  if (llvm::Error error = moveAll()) {
    rollBack(journal);
    return error;
  }
  for (const std::string &path : previous)
    if (!files.count(path))
      removeEmptyAbove(folder, path);
  removeTree(stage);
  stage.clear();
  return llvm::Error::success();
}

/// Replaces folder/path by stage/new/path, or removes it where no such file is staged. The old one stays in stage/old.
llvm::Error OutputFolder::moveIntoPlace(llvm::StringRef path, std::vector<Moved> &journal) {
  const std::string target = (folder + "/" + path).str(), fresh = (stage + "/new/" + path).str(),
                    backup = (stage + "/old/" + path).str();
  const bool firstTime = !isThere(backup), hasNew = isThere(fresh), hasOld = isThere(target);
  if (hasOld && firstTime) {
    if (llvm::Error error = makeFoldersAbove(backup, shown(path)))
      return error;
    // A second name for the old file, so that its own never vanishes; without hard links it is moved for a moment.
    if ((!hasNew || ::link(target.c_str(), backup.c_str()) != 0) && ::rename(target.c_str(), backup.c_str()) != 0)
      return systemError(shown(path), "cannot replace", errno);
  }
  if (firstTime)
    journal.push_back({path.str(), hasOld});
  if (!hasNew)
    return llvm::Error::success();
  if (llvm::Error error = makeFoldersAbove(target, shown(path)))
    return error;
  if (::rename(fresh.c_str(), target.c_str()) != 0)
    return systemError(shown(path), "cannot replace", errno);
  return llvm::Error::success();
}

void OutputFolder::rollBack(const std::vector<Moved> &journal) {
  for (auto moved = journal.rbegin(); moved != journal.rend(); ++moved) {
    const std::string target = folder + "/" + moved->path;
    // Renaming onto another name of the same file does nothing, and that is right too.
    if (moved->hadOld)
      (void)::rename((stage + "/old/" + moved->path).c_str(), target.c_str());
    else
      (void)::unlink(target.c_str());
    removeEmptyAbove(folder, moved->path);
  }
}

} // namespace aotc::codegen
