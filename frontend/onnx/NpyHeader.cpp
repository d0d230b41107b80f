// A .npy file starts with a magic text, a version, the length of a header and the header, which is a Python dictionary:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 24, 24), }
#include "frontend/onnx/NpyHeader.h"
#include "frontend/onnx/FileDescriptor.h"

#include <fcntl.h>

using namespace aotc::frontend;
using llvm::StringRef;

namespace {

constexpr size_t mostHeaderBytes = 64 * 1024;

/// Up to mostHeaderBytes from the start of the file.
bool readStart(const std::string &path, std::string &bytes) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.isOpen())
    return false;
  bytes.resize(mostHeaderBytes);
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return false;
    if (got == 0)
      break;
    done += static_cast<size_t>(got);
  }
  bytes.resize(done);
  return true;
}

std::optional<StringRef> headerText(StringRef bytes) {
  if (!bytes.consume_front("\x93NUMPY") || bytes.size() < 6)
    return std::nullopt;
  auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(bytes[i])); };
  size_t length = byte(2) | byte(3) << 8;
  size_t start = 4;
  if (byte(0) >= 2) {
    length |= byte(4) << 16 | byte(5) << 24;
    start = 6;
  }
  if (length > bytes.size() - start)
    return std::nullopt;
  return bytes.substr(start, length);
}

std::optional<llvm::SmallVector<int64_t, 4>> shapeIn(StringRef header) {
  size_t key = header.find("'shape'");
  if (key == StringRef::npos)
    return std::nullopt;
  StringRef rest = header.substr(key + strlen("'shape'")).ltrim();
  if (!rest.consume_front(":"))
    return std::nullopt;
  rest = rest.ltrim();
  if (!rest.consume_front("(") || !rest.contains(')'))
    return std::nullopt;
  llvm::SmallVector<StringRef> parts;
  rest.take_until([](char c) { return c == ')'; }).split(parts, ',', -1, /*KeepEmpty=*/false);
  llvm::SmallVector<int64_t, 4> shape;
  for (StringRef part : parts) {
    int64_t extent = 0;
    if (part.trim().empty())
      continue;
    if (part.trim().getAsInteger(10, extent) || extent < 0)
      return std::nullopt;
    shape.push_back(extent);
  }
  return shape;
}

} // namespace

std::optional<llvm::SmallVector<int64_t, 4>> aotc::frontend::readNpyShape(const std::string &path,
                                                                          Diagnostics &diagnostics) {
  std::string bytes;
  if (!readStart(path, bytes)) {
    diagnostics.error("cannot read " + quoted(path) + ": " + systemReason(errno), ErrorClass::file);
    return std::nullopt;
  }
  std::optional<StringRef> header = headerText(bytes);
  auto shape = header ? shapeIn(*header) : std::nullopt;
  if (!shape)
    diagnostics.error("cannot parse " + quoted(path) + ": not a .npy file");
  return shape;
}
