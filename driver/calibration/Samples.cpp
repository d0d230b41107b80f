#include "driver/calibration/Samples.h"

#include "codegen/bundle/FileIo.h"
#include "driver/calibration/NpzFile.h"
#include "ir/nn/Halves.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using aotc::frontend::Diagnostics;
using aotc::frontend::ErrorClass;
using aotc::frontend::NpyArray;
using aotc::frontend::quoted;

namespace aotc::driver {

using Arrays = std::map<std::string, NpyArray>;

namespace fs = llvm::sys::fs;

std::vector<SampleInput> sampleInputs(func::FuncOp function) {
  std::vector<SampleInput> inputs;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (function.getArgAttr(i, "nn.state"))
      continue;
    auto name = function.getArgAttrOfType<StringAttr>(i, "nn.name");
    SampleInput &input =
        inputs.emplace_back(SampleInput{name ? name.str() : "", cast<RankedTensorType>(function.getArgumentTypes()[i]),
                                        function.getArgAttr(i, "nn.default") != nullptr});
    auto least = function.getArgAttrOfType<DenseI64ArrayAttr>(i, "nn.minimums"),
         most = function.getArgAttrOfType<DenseI64ArrayAttr>(i, "nn.bounds");
    if (!least || !most)
      continue;
    input.least.assign(least.asArrayRef().begin(), least.asArrayRef().end());
    input.most.assign(most.asArrayRef().begin(), most.asArrayRef().end());
  }
  return inputs;
}

// -------------------------------------------------------------------------------------------------------------- files
static std::vector<std::string> entriesOf(StringRef folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    names.push_back(entry->path());
  std::sort(names.begin(), names.end());
  return names;
}

static bool isArrayFile(StringRef path) { return path.ends_with(".npy") || path.ends_with(".npz"); }

std::vector<std::string> sampleFiles(StringRef path) {
  if (!fs::is_directory(path))
    return fs::exists(path) ? std::vector<std::string>{path.str()} : std::vector<std::string>();
  std::vector<std::string> files;
  for (const std::string &entry : entriesOf(path)) {
    if (isArrayFile(entry))
      files.push_back(entry);
    else if (fs::is_directory(entry))
      llvm::copy_if(entriesOf(entry), std::back_inserter(files), [](StringRef file) { return file.ends_with(".npy"); });
  }
  return files;
}

// ------------------------------------------------------------------------------------------------------------- arrays
namespace {

/// NumPy's name of an element type: raw bytes for bfloat16 and the 8-bit floats, which it has not, and 4-bit integers one
/// in a byte, as templates/project/tools/npy.hpp reads them. Empty where it has none.
StringRef descrOf(Type element) {
  if (element.isF32())
    return "<f4";
  if (element.isF64())
    return "<f8";
  if (element.isF16())
    return "<f2";
  if (isa<FloatType>(element))
    return element.isBF16() ? "|V2" : "|V1";
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return "";
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return "|b1";
  case 4:
  case 8:
    return isUnsigned ? "|u1" : "|i1";
  case 16:
    return isUnsigned ? "<u2" : "<i2";
  case 32:
    return isUnsigned ? "<u4" : "<i4";
  case 64:
    return isUnsigned ? "<u8" : "<i8";
  default:
    return "";
  }
}

/// The byte order of bytes and raw bytes says nothing: '<V2' is '|V2'.
bool areAlike(StringRef descr, StringRef other) {
  return descr == other || (descr.drop_front() == other.drop_front() && (descr.ends_with("1") || descr.contains('V')));
}

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : ",") + (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent));
  return "[" + text + "]";
}

bool fits(ArrayRef<int64_t> shape, ArrayRef<int64_t> wanted) {
  return shape.size() == wanted.size() && llvm::all_of_zip(shape, wanted, [](int64_t found, int64_t extent) {
           return ShapedType::isDynamic(extent) || found == extent;
         });
}

/// How many samples the array holds, and the shape of each; nothing where it does not fit.
struct Rows {
  int64_t count;
  SmallVector<int64_t> shape;
};

std::optional<Rows> rowsOf(ArrayRef<int64_t> found, ArrayRef<int64_t> wanted) {
  if (fits(found, wanted))
    return Rows{1, SmallVector<int64_t>(found)};
  if (!found.empty() && fits(found.drop_front(), wanted))
    return Rows{found[0], SmallVector<int64_t>(found.drop_front())};
  bool isMultiple = !wanted.empty() && found.size() == wanted.size() && !ShapedType::isDynamic(wanted[0]) &&
                    wanted[0] > 0 && found[0] % wanted[0] == 0 && fits(found.drop_front(), wanted.drop_front());
  if (!isMultiple)
    return std::nullopt;
  SmallVector<int64_t> shape(found);
  shape[0] = wanted[0];
  return Rows{found[0] / wanted[0], shape};
}

/// The first dimension that is not within the input's bounds.
std::optional<size_t> dimensionOutside(ArrayRef<int64_t> shape, const SampleInput &input) {
  for (size_t i = 0; i < input.most.size(); ++i)
    if (shape[i] < input.least[i] || shape[i] > input.most[i])
      return i;
  return std::nullopt;
}

bool isFinite(const NpyArray &array) {
  auto all = [&](auto element, auto toFloat) {
    for (size_t place = 0; place + sizeof element <= array.bytes.size(); place += sizeof element) {
      std::memcpy(&element, array.bytes.data() + place, sizeof element);
      if (!std::isfinite(toFloat(element)))
        return false;
    }
    return true;
  };
  auto same = [](auto value) { return value; };
  return array.descr == "<f4"           ? all(float(), same)
         : array.descr == "<f8"         ? all(double(), same)
         : array.descr == "<f2"         ? all(uint16_t(), nn::fromFloat16)
         : areAlike(array.descr, "|V2") ? all(uint16_t(), nn::fromBFloat16)
                                        : true;
}

std::string npyText(StringRef descr, ArrayRef<int64_t> shape, StringRef bytes) {
  std::string header = ("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (").str();
  for (int64_t extent : shape)
    header += std::to_string(extent) + ",";
  header += "), }";
  constexpr size_t before = 10, alignment = 64;
  header.append((alignment - (before + header.size() + 1) % alignment) % alignment, ' ');
  header += '\n';
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(header.size() % 256);
  text += static_cast<char>(header.size() / 256);
  return text + header + bytes.str();
}

/// Takes arrays, checks them and writes the samples in them.
class SampleWriter {
public:
  SampleWriter(ArrayRef<SampleInput> inputs, StringRef folder, Diagnostics &diagnostics)
      : inputs(inputs), folder(folder), diagnostics(diagnostics) {}

  /// The arrays of one sample or of several as rows. `source` is the file or folder that an error names.
  bool add(StringRef source, const Arrays &arrays);
  int getCount() const { return count; }

private:
  const NpyArray *find(StringRef source, const Arrays &arrays, size_t input);
  std::optional<Rows> check(StringRef source, const NpyArray &array, const SampleInput &input);
  bool write(size_t input, int64_t sample, const NpyArray &array, const Rows &rows, int64_t row);
  bool fail(StringRef source, const Twine &why) {
    diagnostics.error("sample " + quoted(source) + ": " + why);
    return false;
  }

  ArrayRef<SampleInput> inputs;
  StringRef folder;
  Diagnostics &diagnostics;
  int count = 0;
};

/// By name or number; the only array is that of the only input. Null where there is none, after an error unless the
/// input may be left out.
const NpyArray *SampleWriter::find(StringRef source, const Arrays &arrays, size_t input) {
  for (const std::string &name : {inputs[input].name, "input_" + std::to_string(input)})
    if (auto place = arrays.find(name); place != arrays.end())
      return &place->second;
  if (inputs.size() == 1 && arrays.size() == 1 && (arrays.count("arr_0") || arrays.begin()->first.empty()))
    return &arrays.begin()->second;
  if (inputs[input].hasDefault)
    return nullptr;
  std::string names;
  for (const auto &[name, array] : arrays)
    names += (names.empty() ? "" : ", ") + quoted(name);
  fail(source, "has no array " + quoted(inputs[input].name) + " or 'input_" + Twine(input) + "', found " +
                   (names.empty() ? "none" : names));
  return nullptr;
}

std::optional<Rows> SampleWriter::check(StringRef source, const NpyArray &array, const SampleInput &input) {
  StringRef descr = descrOf(input.type.getElementType());
  std::optional<Rows> rows = rowsOf(array.shape, input.type.getShape());
  std::string which = "input " + quoted(input.name) + " ";
  if (!areAlike(array.descr, descr))
    fail(source, which + "must have elements of " + quoted(descr) + ", found " + quoted(array.descr));
  else if (!rows)
    fail(source, which + "must have shape " + shapeText(input.type.getShape()) + ", or rows of that, found " +
                     shapeText(array.shape));
  else if (std::optional<size_t> dim = dimensionOutside(rows->shape, input))
    fail(source, which + "must have " + Twine(input.least[*dim]) + " to " + Twine(input.most[*dim]) + " in dimension " +
                     Twine(*dim) + ", found " + Twine(rows->shape[*dim]));
  else if (array.isFortranOrder && array.shape.size() > 1)
    fail(source, which + "is in Fortran order");
  else if (array.bytes.size() != static_cast<size_t>(rows->count * ShapedType::getNumElements(rows->shape)) *
                                     llvm::divideCeil(input.type.getElementTypeBitWidth(), 8))
    fail(source, which + "holds fewer or more bytes than its shape " + shapeText(array.shape) + " asks for");
  else if (!isFinite(array))
    fail(source, which + "holds NaN or infinity");
  else
    return rows;
  return std::nullopt;
}

bool SampleWriter::write(size_t input, int64_t sample, const NpyArray &array, const Rows &rows, int64_t row) {
  std::string path = (folder + "/" + Twine(sample)).str();
  fs::create_directories(path);
  size_t bytes = array.bytes.size() / static_cast<size_t>(rows.count);
  StringRef part = StringRef(array.bytes).substr(static_cast<size_t>(row) * bytes, bytes);
  llvm::Error error = codegen::writeFileAtomically(path + "/input_" + std::to_string(input) + ".npy",
                                                   npyText(array.descr, rows.shape, part));
  if (!error)
    return true;
  diagnostics.error(llvm::toString(std::move(error)), ErrorClass::file);
  return false;
}

bool SampleWriter::add(StringRef source, const Arrays &arrays) {
  std::optional<int64_t> samples;
  for (size_t input = 0; input < inputs.size(); ++input) {
    const NpyArray *array = find(source, arrays, input);
    if (!array && inputs[input].hasDefault)
      continue;
    std::optional<Rows> rows = array ? check(source, *array, inputs[input]) : std::nullopt;
    if (!rows)
      return false;
    if (samples && *samples != rows->count)
      return fail(source, "input " + quoted(inputs[input].name) + " has " + Twine(rows->count) +
                              " samples, the inputs before it " + Twine(*samples));
    samples = rows->count;
    for (int64_t row = 0; row < rows->count; ++row)
      if (!write(input, count + row, *array, *rows, row))
        return false;
  }
  count += static_cast<int>(samples.value_or(1));
  return true;
}

std::optional<Arrays> readFolder(StringRef folder, Diagnostics &diagnostics) {
  Arrays arrays;
  for (const std::string &path : entriesOf(folder)) {
    if (!StringRef(path).ends_with(".npy"))
      continue;
    std::optional<NpyArray> array = frontend::readNpyArray(path, diagnostics);
    if (!array)
      return std::nullopt;
    arrays[llvm::sys::path::stem(path).str()] = std::move(*array);
  }
  return arrays;
}

/// A file without a name of its own for the array: that of the only input.
std::optional<Arrays> readSingle(const std::string &path, Diagnostics &diagnostics) {
  std::optional<NpyArray> array = frontend::readNpyArray(path, diagnostics);
  if (!array)
    return std::nullopt;
  Arrays arrays;
  arrays[""] = std::move(*array);
  return arrays;
}

} // namespace

int writeSamples(StringRef path, ArrayRef<SampleInput> inputs, StringRef folder, Diagnostics &diagnostics) {
  SampleWriter writer(inputs, folder, diagnostics);
  std::vector<std::string> sources = fs::is_directory(path) ? entriesOf(path) : std::vector<std::string>{path.str()};
  for (const std::string &source : sources) {
    bool isFolder = fs::is_directory(source);
    if (!isFolder && source != path && !isArrayFile(source))
      continue;
    std::optional<Arrays> arrays = isFolder                              ? readFolder(source, diagnostics)
                                   : StringRef(source).ends_with(".npy") ? readSingle(source, diagnostics)
                                                                         : readNpz(source, diagnostics);
    if (!arrays || !writer.add(source, *arrays))
      return 0;
  }
  if (writer.getCount() == 0)
    diagnostics.error("no samples found in " + quoted(path), ErrorClass::usage);
  return writer.getCount();
}

} // namespace aotc::driver
