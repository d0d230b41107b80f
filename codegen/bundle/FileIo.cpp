// Thin wrappers of open, read, write and rename that retry after signals and word their errors.
#include "codegen/bundle/FileIo.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <vector>

namespace aotc::codegen {

char FileError::ID = 0;

void FileError::log(llvm::raw_ostream &os) const { os << text; }

std::error_code FileError::convertToErrorCode() const { return std::make_error_code(std::errc::io_error); }

llvm::Error systemError(llvm::StringRef path, llvm::StringRef action, int errorNumber) {
  std::string reason = std::generic_category().message(errorNumber);
  // Abbreviations such as "I/O error" keep their capitals.
  if (reason.size() > 1 && llvm::isLower(reason[1]))
    reason[0] = llvm::toLower(reason[0]);
  return llvm::make_error<FileError>(FileError::Kind::system, (path + ": " + action + ": " + reason).str());
}

Descriptor &Descriptor::operator=(Descriptor &&other) {
  if (this != &other) {
    reset();
    value = other.release();
  }
  return *this;
}

bool Descriptor::reset() {
  const int old = release();
  // EINTR leaves the descriptor closed on Linux: closing again could hit another file's.
  return old < 0 || ::close(old) == 0 || errno == EINTR;
}

int Descriptor::release() {
  const int old = value;
  value = -1;
  return old;
}

static Descriptor openToRead(llvm::StringRef path) {
  int descriptor;
  do
    descriptor = ::open(path.str().c_str(), O_RDONLY | O_CLOEXEC);
  while (descriptor < 0 && errno == EINTR);
  return Descriptor(descriptor);
}

llvm::Error readInPieces(llvm::StringRef path, ByteSink sink) {
  const Descriptor file = openToRead(path);
  if (!file)
    return systemError(path, "cannot open", errno);
  std::vector<char> piece(256 * 1024);
  while (true) {
    const ssize_t count = ::read(file.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError(path, "cannot read", errno);
    if (count == 0)
      return llvm::Error::success();
    if (llvm::Error error = sink(llvm::ArrayRef<char>(piece.data(), static_cast<size_t>(count))))
      return error;
  }
}

llvm::Expected<std::string> readText(llvm::StringRef path) {
  std::string text;
  llvm::Error error = readInPieces(path, [&](llvm::ArrayRef<char> bytes) {
    text.append(bytes.data(), bytes.size());
    return llvm::Error::success();
  });
  if (error)
    return error;
  return text;
}

llvm::Error writeAll(int descriptor, llvm::ArrayRef<char> bytes, llvm::StringRef shownPath) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError(shownPath, "cannot write", errno);
    bytes = bytes.drop_front(static_cast<size_t>(count));
  }
  return llvm::Error::success();
}

static llvm::ArrayRef<uint8_t> asBytes(llvm::ArrayRef<char> bytes) {
  return {reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()};
}

std::string sha256Hex(llvm::ArrayRef<char> bytes) {
  return llvm::toHex(llvm::SHA256::hash(asBytes(bytes)), /*LowerCase=*/true);
}

llvm::Expected<std::string> sha256OfFile(llvm::StringRef path) {
  llvm::SHA256 hash;
  llvm::Error error = readInPieces(path, [&](llvm::ArrayRef<char> bytes) {
    hash.update(asBytes(bytes));
    return llvm::Error::success();
  });
  if (error)
    return error;
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

llvm::Error writeFileAtomically(llvm::StringRef path, llvm::StringRef text) {
  const std::string temporary = (path + ".tmp-" + llvm::Twine(::getpid())).str();
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file)
    return systemError(path, "cannot create", errno);
  llvm::Error error = writeAll(file.get(), {text.data(), text.size()}, path);
  if (!error && !file.reset())
    error = systemError(path, "cannot write", errno);
  if (!error && ::rename(temporary.c_str(), path.str().c_str()) != 0)
    error = systemError(path, "cannot replace", errno);
  if (error)
    ::unlink(temporary.c_str());
  return error;
}

} // namespace aotc::codegen
