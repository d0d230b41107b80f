// Opens, checks and maps external data. The path is resolved first, so that links inside the folder work, and then
// walked component by component without following links, so that nothing can be swapped in between.
#include "frontend/onnx/ExternalData.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Path.h"

#include <climits>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

using namespace aotc::frontend;

namespace {

// Below this a copy is cheaper than a mapping, of which a process may hold only some tens of thousands.
constexpr uint64_t smallestMappingBytes = 64 * 1024;

bool staysInside(llvm::StringRef path) {
  if (path.empty() || path.starts_with("/") || path.contains('\0'))
    return false;
  llvm::SmallVector<llvm::StringRef> parts;
  path.split(parts, '/');
  return !llvm::is_contained(parts, "..");
}

/// The canonical path, empty where there is none.
std::string canonical(const std::string &path) {
  std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
  return resolved ? resolved.get() : "";
}

/// Opens `relative` below `root`, refusing links on the way. Neither holds "..".
FileDescriptor openBelow(const std::string &root, llvm::StringRef relative) {
  FileDescriptor current(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  llvm::SmallVector<llvm::StringRef> parts;
  relative.split(parts, '/', -1, /*KeepEmpty=*/false);
  for (size_t i = 0; i < parts.size() && current.isOpen(); ++i) {
    int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    if (i + 1 < parts.size())
      flags |= O_DIRECTORY;
    current = FileDescriptor(::openat(current.get(), parts[i].str().c_str(), flags));
  }
  return current;
}

/// Owns one mapping; the address range starts at a page.
struct Mapping {
  Mapping(void *address, size_t sizeBytes) : address(address), sizeBytes(sizeBytes) {}
  Mapping(const Mapping &) = delete;
  ~Mapping() { ::munmap(address, sizeBytes); }
  void *address;
  size_t sizeBytes;
};

bool mapRange(int file, uint64_t offset, uint64_t length, SharedBytes &result) {
  uint64_t page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  uint64_t skipped = offset % page;
  void *address = ::mmap(nullptr, length + skipped, PROT_READ, MAP_PRIVATE, file, static_cast<off_t>(offset - skipped));
  if (address == MAP_FAILED)
    return false;
  result.owner = std::make_shared<Mapping>(address, length + skipped);
  result.bytes = llvm::ArrayRef<char>(static_cast<const char *>(address) + skipped, length);
  return true;
}

bool copyRange(int file, uint64_t offset, uint64_t length, SharedBytes &result) {
  auto buffer = std::make_shared<std::string>(length, '\0');
  for (uint64_t done = 0; done < length;) {
    ssize_t got = ::pread(file, buffer->data() + done, length - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      errno = got == 0 ? EIO : errno;
      return false;
    }
    done += static_cast<uint64_t>(got);
  }
  result.bytes = llvm::ArrayRef<char>(buffer->data(), length);
  result.owner = std::move(buffer);
  return true;
}

} // namespace

bool ExternalData::open(llvm::StringRef path, llvm::StringRef what, Diagnostics &diagnostics) {
  if (openFile.isOpen() && path == openPath)
    return true;
  openFile = FileDescriptor();
  auto refuse = [&](const llvm::Twine &why, ErrorClass errorClass = ErrorClass::content) {
    diagnostics.error(what + ": external data " + quoted(path) + " " + why, errorClass);
    return false;
  };
  if (!staysInside(path))
    return refuse("is outside the model's folder, and is not read");
  std::string written = folder + "/" + path.str();
  std::string root = canonical(folder);
  std::string resolved = canonical(written);
  if (root.empty() || resolved.empty())
    return refuse("cannot be opened: " + systemReason(errno), ErrorClass::file);
  llvm::StringRef relative = resolved;
  bool inside = relative.consume_front(root) && (root == "/" || relative.starts_with("/"));
  if (!inside)
    return refuse("is a link that leads outside the model's folder, and is not read");
  openFile = openBelow(root, relative);
  struct stat status {};
  if (!openFile.isOpen() || ::fstat(openFile.get(), &status) != 0)
    return refuse("cannot be opened: " + systemReason(errno), ErrorClass::file);
  bool regular = S_ISREG(status.st_mode);
  if (!regular || status.st_nlink > 1) {
    openFile = FileDescriptor();
    if (!regular)
      return refuse("is not a regular file");
    refuse("has a second hard link, which may lie outside the model's folder, and is not read");
    diagnostics.note("copy the file");
    return false;
  }
  openPath = path.str();
  openSizeBytes = static_cast<uint64_t>(status.st_size);
  files.insert(written);
  return true;
}

bool ExternalData::read(const ExternalLocation &location, llvm::StringRef what, SharedBytes &result,
                        Diagnostics &diagnostics) {
  if (!open(location.path, what, diagnostics))
    return false;
  if (location.offsetBytes > openSizeBytes || location.lengthBytes > openSizeBytes - location.offsetBytes) {
    diagnostics.error(what + ": " + llvm::Twine(location.lengthBytes) + " bytes at offset " +
                      llvm::Twine(location.offsetBytes) + " are asked for, but external data " + quoted(location.path) +
                      " has only " + llvm::Twine(openSizeBytes));
    return false;
  }
  bool small = location.lengthBytes < smallestMappingBytes;
  if ((small ? copyRange : mapRange)(openFile.get(), location.offsetBytes, location.lengthBytes, result))
    return true;
  diagnostics.error(what + ": external data " + quoted(location.path) + " cannot be read: " + systemReason(errno),
                    ErrorClass::file);
  return false;
}
