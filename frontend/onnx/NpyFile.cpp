// A .npy file starts with a magic text, a version, the length of a header and the header, which is a Python dictionary:
//   {'descr': '<f4', 'fortran_order': False, 'shape': (1, 3, 24, 24), }
#include "frontend/onnx/NpyFile.h"
#include "frontend/onnx/ElementType.h"
#include "frontend/onnx/FileDescriptor.h"

#include "llvm/ADT/Twine.h"

#include <fcntl.h>

using namespace aotc::frontend;
using llvm::StringRef;

namespace {

constexpr size_t mostHeaderBytes = 64 * 1024;
constexpr size_t mostBytes = size_t{1} << 32;

/// Up to `most` bytes from the start of the file. False with errno set where the system refuses.
bool readStart(const std::string &path, size_t most, std::string &bytes) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.isOpen())
    return false;
  size_t done = 0;
  while (done < most) {
    bytes.resize(std::min(most, done + std::max(done, mostHeaderBytes)));
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

/// Cuts the header off the start of `bytes`.
std::optional<StringRef> takeHeader(StringRef &bytes) {
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
  StringRef header = bytes.substr(start, length);
  bytes = bytes.drop_front(start + length);
  return header;
}

/// What follows `'key':`, or nothing.
std::optional<StringRef> valueOf(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "'").str());
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef rest = header.substr(at + key.size() + 2).ltrim();
  if (!rest.consume_front(":"))
    return std::nullopt;
  return rest.ltrim();
}

std::optional<llvm::SmallVector<int64_t, 4>> shapeIn(StringRef header) {
  std::optional<StringRef> rest = valueOf(header, "shape");
  if (!rest || !rest->consume_front("(") || !rest->contains(')'))
    return std::nullopt;
  llvm::SmallVector<StringRef> parts;
  rest->take_until([](char c) { return c == ')'; }).split(parts, ',', -1, /*KeepEmpty=*/false);
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

/// Everything but the elements; `bytes` is then at the first of them.
std::optional<NpyArray> takeDescription(StringRef &bytes) {
  std::optional<StringRef> header = takeHeader(bytes);
  auto shape = header ? shapeIn(*header) : std::nullopt;
  if (!shape)
    return std::nullopt;
  NpyArray array;
  array.shape = *shape;
  if (auto descr = valueOf(*header, "descr"); descr && descr->consume_front("'"))
    array.descr = descr->take_until([](char c) { return c == '\''; }).str();
  if (auto order = valueOf(*header, "fortran_order"))
    array.isFortranOrder = order->starts_with("True");
  return array;
}

std::optional<NpyArray> readNpy(const std::string &path, size_t most, Diagnostics &diagnostics) {
  std::string bytes;
  if (!readStart(path, most, bytes)) {
    diagnostics.error("cannot read " + quoted(path) + ": " + systemReason(errno), ErrorClass::file);
    return std::nullopt;
  }
  std::optional<NpyArray> array = parseNpy(bytes);
  if (!array)
    diagnostics.error("cannot parse " + quoted(path) + ": not a .npy file");
  return array;
}

} // namespace

std::optional<NpyArray> aotc::frontend::parseNpy(StringRef bytes) {
  std::optional<NpyArray> array = takeDescription(bytes);
  if (array)
    array->bytes = bytes.str();
  return array;
}

std::optional<llvm::SmallVector<int64_t, 4>> aotc::frontend::readNpyShape(const std::string &path,
                                                                          Diagnostics &diagnostics) {
  auto array = readNpy(path, mostHeaderBytes, diagnostics);
  if (!array)
    return std::nullopt;
  return array->shape;
}

std::optional<NpyArray> aotc::frontend::readNpyArray(const std::string &path, Diagnostics &diagnostics) {
  return readNpy(path, mostBytes, diagnostics);
}

StringRef aotc::frontend::npyDescr(int32_t elementType) {
  switch (elementType) {
  case ElementType::float32:
    return "<f4";
  case ElementType::uint8:
    return "|u1";
  case ElementType::int8:
    return "|i1";
  case ElementType::uint16:
    return "<u2";
  case ElementType::int16:
    return "<i2";
  case ElementType::int32:
    return "<i4";
  case ElementType::int64:
    return "<i8";
  case ElementType::boolean:
    return "|b1";
  case ElementType::float16:
    return "<f2";
  case ElementType::float64:
    return "<f8";
  case ElementType::uint32:
    return "<u4";
  case ElementType::uint64:
    return "<u8";
  default:
    return "";
  }
}
