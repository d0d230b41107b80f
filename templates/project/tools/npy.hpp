// Reads and writes .npy files (versions 1 to 3), the format of numpy.save(): an array with its type and shape. Knows
// the element types of ONNX by their numbers; little-endian machines and C order only. Never throws: errors come back
// as text.
#pragma once
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace npy {

// Memory aligned to 64 bytes, filled with zeros.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t bytes) : memory_(new char[bytes + 64]()), bytes_(bytes) {}

  char* data() const {
    char* start = memory_.get();
    return start ? start + (64 - reinterpret_cast<std::uintptr_t>(start) % 64) % 64 : nullptr;
  }
  std::size_t size() const { return bytes_; }

 private:
  std::unique_ptr<char[]> memory_;
  std::size_t bytes_ = 0;
};

struct Array {
  int element = 0;  // number in onnx.TensorProto.DataType; 0: a type that ONNX has not
  std::string descr;
  std::vector<std::int64_t> shape;
  Buffer buffer;
};

// How numpy spells the types of ONNX: bf16 and the 8-bit floats, which it has not, as raw bytes; 4-bit integers one per
// byte.
struct Type {
  int element;
  const char* descr;
  const char* name;
  std::size_t bytes;
};
constexpr Type types[] = {
    {1, "<f4", "f32", 4},         {2, "|u1", "u8", 1},        {3, "|i1", "i8", 1},          {4, "<u2", "u16", 2},
    {5, "<i2", "i16", 2},         {6, "<i4", "i32", 4},       {7, "<i8", "i64", 8},         {9, "|b1", "bool", 1},
    {10, "<f2", "f16", 2},        {11, "<f8", "f64", 8},      {12, "<u4", "u32", 4},        {13, "<u8", "u64", 8},
    {16, "|V2", "bf16", 2},       {17, "|V1", "f8e4m3fn", 1}, {18, "|V1", "f8e4m3fnuz", 1}, {19, "|V1", "f8e5m2", 1},
    {20, "|V1", "f8e5m2fnuz", 1}, {21, "|u1", "u4", 1},       {22, "|i1", "i4", 1},
};

inline const Type* type_of(int element) {
  for (const Type& type : types)
    if (type.element == element) return &type;
  return nullptr;
}

// The byte order of one-byte types and of raw bytes says nothing: '<V2' is '|V2'.
inline const Type* type_of(std::string descr) {
  if (descr.size() == 3 && (descr[2] == '1' || descr[1] == 'V')) descr[0] = '|';
  if (descr.size() == 3 && descr[0] == '=') descr[0] = '<';
  for (const Type& type : types)
    if (descr == type.descr) return &type;
  return nullptr;
}

// Whether an array of the file can be read as `element`: they are spelled alike.
inline bool fits(const Array& array, int element) {
  const Type *wanted = type_of(element), *found = type_of(array.element);
  return wanted && found && std::strcmp(wanted->descr, found->descr) == 0;
}

inline std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? "," : "") + std::to_string(shape[i]);
  return text + "]";
}

// The number of elements, or -1 where it is no number that memory could hold.
inline std::int64_t count(const std::vector<std::int64_t>& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(elements, extent, &elements) || elements > (std::int64_t{1} << 48))
      return -1;
  return elements;
}

// What the system says about its last error, in lower case as the rest of a message.
inline std::string reason() {
  std::string text = std::strerror(errno);
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])))
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

namespace detail {

// What follows `'key':` in the header, or an empty text.
inline std::string value_of(const std::string& header, const char* key) {
  for (const char quote : {'\'', '"'}) {
    const std::string name = quote + std::string(key) + quote;
    const std::size_t at = header.find(name);
    if (at == std::string::npos) continue;
    const std::size_t value = header.find_first_not_of(": ", at + name.size());
    return value == std::string::npos ? "" : header.substr(value);
  }
  return "";
}

// `(1, 3, 32)`; false where it is something else.
inline bool parse_shape(const std::string& text, std::vector<std::int64_t>& shape) {
  const std::size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string::npos) return false;
  for (std::size_t at = 1; (at = text.find_first_not_of(", L", at)) < end;) {
    char* stop = nullptr;
    shape.push_back(std::strtoll(text.c_str() + at, &stop, 10));
    const std::size_t next = static_cast<std::size_t>(stop - text.c_str());
    if (next == at || shape.back() < 0) return false;
    at = next;
  }
  return true;
}

inline std::string parse_header(const std::string& header, Array& array) {
  const std::string descr = value_of(header, "descr");
  const std::size_t end = descr.empty() ? std::string::npos : descr.find(descr[0], 1);
  if (end == std::string::npos) return "has no element type in its header";
  array.descr = descr.substr(1, end - 1);
  const Type* type = type_of(array.descr);
  if (!type) return "element type '" + array.descr + "' is not supported";
  array.element = type->element;
  if (!parse_shape(value_of(header, "shape"), array.shape) || count(array.shape) < 0)
    return "has no shape in its header";
  const bool fortran = value_of(header, "fortran_order").compare(0, 4, "True") == 0;
  if (fortran && array.shape.size() > 1) return "is in Fortran order, save numpy.ascontiguousarray() of it";
  return "";
}

// Reads the header; the file is then at the first element.
inline std::string read_header(std::FILE* file, Array& array) {
  unsigned char start[12];
  if (std::fread(start, 1, 10, file) != 10 || std::memcmp(start, "\x93NUMPY", 6) != 0) return "is not a .npy file";
  std::size_t length = start[8] + 256u * start[9];
  if (start[6] >= 2) {
    if (std::fread(start + 10, 1, 2, file) != 2) return "is truncated";
    length += 65536u * start[10] + 16777216u * start[11];
  }
  if (start[6] < 1 || start[6] > 3 || length > (1u << 20)) return "is a .npy file of an unknown version";
  std::string header(length, '\0');
  if (std::fread(&header[0], 1, length, file) != length) return "is truncated";
  return parse_header(header, array);
}

inline std::string read_elements(std::FILE* file, Array& array) {
  const std::size_t bytes = static_cast<std::size_t>(count(array.shape)) * type_of(array.element)->bytes;
  const long start = std::ftell(file);
  if (start < 0 || std::fseek(file, 0, SEEK_END) != 0) return "cannot be read";
  const long end = std::ftell(file);
  if (end < start || static_cast<std::size_t>(end - start) != bytes)
    return "must hold " + std::to_string(bytes) + " bytes for shape " + shape_text(array.shape) + ", found " +
           std::to_string(end - start);
  array.buffer = Buffer(bytes);
  if (std::fseek(file, start, SEEK_SET) != 0 || std::fread(array.buffer.data(), 1, bytes, file) != bytes)
    return "cannot be read";
  return "";
}

inline std::string header_of(const Type& type, const std::vector<std::int64_t>& shape) {
  std::string text = std::string("{'descr': '") + type.descr + "', 'fortran_order': False, 'shape': (";
  for (const std::int64_t extent : shape) text += std::to_string(extent) + (shape.size() == 1 ? "," : ", ");
  if (shape.size() > 1) text.erase(text.size() - 2);
  text += "), }";
  // The elements start at a multiple of 64 bytes.
  text.append((64 - (10 + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(text.size() % 256);
  start += static_cast<char>(text.size() / 256);
  return start + text;
}

}  // namespace detail

// The error text (without the file's name) is empty where all went well; `refused` tells a system error from bad
// content.
inline std::string read(const std::string& path, Array& array, bool& refused) {
  const File file(std::fopen(path.c_str(), "rb"));
  refused = !file;
  if (!file) return "cannot open: " + reason();
  array = Array();
  const std::string error = detail::read_header(file.get(), array);
  return error.empty() ? detail::read_elements(file.get(), array) : error;
}

// Writes elements that lie dense in memory.
inline std::string write(const std::string& path, int element, const std::vector<std::int64_t>& shape,
                         const void* data) {
  const Type* type = type_of(element);
  if (!type) return "element type is not supported";
  const std::string header = detail::header_of(*type, shape);
  const std::size_t bytes = static_cast<std::size_t>(count(shape)) * type->bytes;
  File file(std::fopen(path.c_str(), "wb"));
  if (!file) return "cannot create: " + reason();
  const bool written = std::fwrite(header.data(), 1, header.size(), file.get()) == header.size() &&
                       (bytes == 0 || std::fwrite(data, 1, bytes, file.get()) == bytes);
  if (!written) return "cannot write: " + reason();
  return std::fclose(file.release()) == 0 ? "" : "cannot write: " + reason();
}

}  // namespace npy
