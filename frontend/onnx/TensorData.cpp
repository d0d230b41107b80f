// Reads tensors from their three homes: raw bytes, typed fields, external files. Every length is checked before a byte
// is looked at, since all of them come from the file.
#include "frontend/onnx/TensorData.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <limits>

using namespace aotc::frontend;
using llvm::Twine;

namespace {

/// What the helpers share: the tensor being read and how to complain about it.
struct Reader {
  onnx::TensorProto &tensor;
  const std::string &what;
  ExternalData &external;
  Diagnostics &diagnostics;
  TensorData result;
  uint64_t expectedBytes = 0;

  bool refuse(const Twine &why) {
    diagnostics.error(what + ": " + why);
    return false;
  }

  bool readHeader();
  bool readStrings();
  bool readRaw();
  bool readExternal();
  bool readTyped();
  bool readIntegers32();

  template <typename Field> bool readWhole(Field &field, unsigned itemsPerElement);
  template <typename Stored, typename Field> bool readNarrowed(Field &field, int64_t least, int64_t most);
  void own(std::string bytes);
};

std::string shapeText(llvm::ArrayRef<int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? "," : "") + std::to_string(dims[i]);
  return text + "]";
}

void Reader::own(std::string bytes) {
  auto owner = std::make_shared<std::string>(std::move(bytes));
  result.data.bytes = llvm::ArrayRef<char>(owner->data(), owner->size());
  result.data.owner = std::move(owner);
}

bool Reader::readHeader() {
  result.elementType = tensor.data_type();
  result.dims.assign(tensor.dims().begin(), tensor.dims().end());
  unsigned bits = elementBits(result.elementType);
  if (bits == 0 && result.elementType != ElementType::string)
    return refuse("element type " + Twine(tensor.data_type()) + " is not known");
  std::optional<int64_t> count = elementCount(result.dims);
  if (!count)
    return refuse("the shape " + shapeText(result.dims) + " is not possible");
  if (tensor.data_location() == onnx::TensorProto_DataLocation_EXTERNAL && bits == 0)
    return refuse("strings cannot be external data");
  if (tensor.has_segment())
    return refuse("tensors in segments are not supported");
  expectedBytes = llvm::divideCeil(static_cast<uint64_t>(*count) * bits, 8);
  return true;
}

bool Reader::readStrings() {
  if (tensor.string_data_size() != result.getElementCount())
    return refuse("the shape " + shapeText(result.dims) + " needs " + Twine(result.getElementCount()) +
                  " strings, found " + Twine(tensor.string_data_size()));
  for (std::string &text : *tensor.mutable_string_data())
    result.strings.push_back(std::move(text));
  tensor.clear_string_data();
  return true;
}

bool Reader::readRaw() {
  if (tensor.raw_data().size() != expectedBytes)
    return refuse("the shape " + shapeText(result.dims) + " of " + elementTypeName(result.elementType) + " needs " +
                  Twine(expectedBytes) + " bytes, found " + Twine(tensor.raw_data().size()));
  std::unique_ptr<std::string> bytes(tensor.release_raw_data());
  own(std::move(*bytes));
  return true;
}

bool Reader::readExternal() {
  ExternalLocation location;
  std::optional<uint64_t> length;
  for (const onnx::StringStringEntryProto &entry : tensor.external_data()) {
    uint64_t number = 0;
    bool isNumber = !llvm::StringRef(entry.value()).getAsInteger(10, number);
    if (entry.key() == "location")
      location.path = entry.value();
    else if ((entry.key() == "offset" || entry.key() == "length") && !isNumber)
      return refuse("the " + Twine(entry.key()) + " of external data must be a number of bytes, found " +
                    quoted(entry.value()));
    else if (entry.key() == "offset")
      location.offsetBytes = number;
    else if (entry.key() == "length")
      length = number;
  }
  if (location.path.empty())
    return refuse("external data without a location");
  if (length && *length != expectedBytes)
    return refuse("the shape " + shapeText(result.dims) + " of " + elementTypeName(result.elementType) + " needs " +
                  Twine(expectedBytes) + " bytes, the length of external data " + quoted(location.path) + " is " +
                  Twine(*length));
  location.lengthBytes = expectedBytes;
  return external.read(location, what, result.data, diagnostics);
}

/// A typed field whose items are stored as the element itself (complex numbers: two items).
template <typename Field> bool Reader::readWhole(Field &field, unsigned itemsPerElement) {
  auto expected = static_cast<uint64_t>(result.getElementCount()) * itemsPerElement;
  if (static_cast<uint64_t>(field.size()) != expected)
    return refuse("the shape " + shapeText(result.dims) + " of " + elementTypeName(result.elementType) + " needs " +
                  Twine(expected) + " values, found " + Twine(field.size()));
  own(std::string(reinterpret_cast<const char *>(field.data()), expectedBytes));
  field.Clear();
  return true;
}

/// A typed field whose items are wider than the element: each must fit.
template <typename Stored, typename Field> bool Reader::readNarrowed(Field &field, int64_t least, int64_t most) {
  uint64_t expected = expectedBytes / sizeof(Stored);
  if (static_cast<uint64_t>(field.size()) != expected)
    return refuse("the shape " + shapeText(result.dims) + " of " + elementTypeName(result.elementType) + " needs " +
                  Twine(expected) + " values, found " + Twine(field.size()));
  std::string bytes(expectedBytes, '\0');
  for (int i = 0; i < field.size(); ++i) {
    auto wide = static_cast<int64_t>(field.Get(i));
    if (wide < least || wide > most)
      return refuse("value " + Twine(wide) + " does not fit " + elementTypeName(result.elementType));
    auto stored = static_cast<Stored>(wide);
    std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(Stored), &stored, sizeof(Stored));
  }
  own(std::move(bytes));
  field.Clear();
  return true;
}

/// int32_data holds everything small: integers, bools, and the bit patterns of 16- and 8-bit floats and packed nibbles.
bool Reader::readIntegers32() {
  auto &field = *tensor.mutable_int32_data();
  switch (result.elementType) {
  case ElementType::int32:
    return readWhole(field, 1);
  case ElementType::int16:
    return readNarrowed<int16_t>(field, INT16_MIN, INT16_MAX);
  case ElementType::int8:
    return readNarrowed<int8_t>(field, INT8_MIN, INT8_MAX);
  case ElementType::uint16:
  case ElementType::float16:
  case ElementType::bfloat16:
    return readNarrowed<uint16_t>(field, 0, UINT16_MAX);
  case ElementType::boolean:
    return readNarrowed<uint8_t>(field, 0, 1);
  default: // 8 bits and less, packed by the writer
    return readNarrowed<uint8_t>(field, 0, UINT8_MAX);
  }
}

bool Reader::readTyped() {
  switch (result.elementType) {
  case ElementType::float32:
    return readWhole(*tensor.mutable_float_data(), 1);
  case ElementType::complex64:
    return readWhole(*tensor.mutable_float_data(), 2);
  case ElementType::float64:
    return readWhole(*tensor.mutable_double_data(), 1);
  case ElementType::complex128:
    return readWhole(*tensor.mutable_double_data(), 2);
  case ElementType::int64:
    return readWhole(*tensor.mutable_int64_data(), 1);
  case ElementType::uint64:
    return readWhole(*tensor.mutable_uint64_data(), 1);
  case ElementType::uint32:
    return readNarrowed<uint32_t>(*tensor.mutable_uint64_data(), 0, UINT32_MAX);
  default:
    return readIntegers32();
  }
}

} // namespace

std::optional<int64_t> aotc::frontend::elementCount(llvm::ArrayRef<int64_t> dims) {
  constexpr int64_t most = INT32_MAX;
  int64_t count = 1;
  bool empty = false;
  for (int64_t dim : dims) {
    if (dim < 0 || dim > most)
      return std::nullopt;
    if (dim == 0) {
      empty = true;
      continue;
    }
    if (count > most / dim)
      return std::nullopt;
    count *= dim;
  }
  return empty ? 0 : count;
}

int64_t TensorData::getElementCount() const { return elementCount(dims).value_or(0); }

std::optional<TensorData> aotc::frontend::takeTensorData(onnx::TensorProto &tensor, const std::string &what,
                                                         ExternalData &external, Diagnostics &diagnostics) {
  Reader reader{tensor, what, external, diagnostics, {}};
  if (!reader.readHeader())
    return std::nullopt;
  bool done = false;
  if (tensor.data_location() == onnx::TensorProto_DataLocation_EXTERNAL)
    done = reader.readExternal();
  else if (reader.result.elementType == ElementType::string)
    done = reader.readStrings();
  else if (!tensor.raw_data().empty() || (tensor.has_raw_data() && reader.expectedBytes == 0))
    done = reader.readRaw();
  else
    done = reader.readTyped();
  if (!done)
    return std::nullopt;
  return std::move(reader.result);
}
