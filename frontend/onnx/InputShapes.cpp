// Binds the open dimensions of the graph's inputs. A dimension is a symbol ("N", shared by all places of that name) or
// an anonymous place (input, axis); both are slots here, and flags, .npy files and the default of 1 fill slots.
#include "frontend/onnx/InputShapes.h"
#include "frontend/onnx/ElementType.h"
#include "frontend/onnx/NpyFile.h"
#include "frontend/onnx/TensorData.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace aotc::frontend;
using llvm::StringRef;
using llvm::Twine;

namespace {

struct Slot {
  std::string symbol; ///< "" for an anonymous place
  std::string place;  ///< "INPUT:AXIS" of its first use
  std::string prose;  ///< "dimension 0 of input 'x'"
  bool leads = false; ///< it is the first dimension of some input
  bool bound = false;
  bool byFlag = false;
  int64_t lower = 0, upper = 0;

  /// What to write before "=" in --input-dim.
  const std::string &flagName() const { return symbol.empty() ? place : symbol; }
  std::string describe() const { return symbol.empty() ? prose : quoted(symbol) + " (" + prose + ")"; }
};

struct Range {
  StringRef name;
  int64_t lower = 0, upper = 0;
};

std::optional<Range> parseFlag(StringRef text) {
  auto [name, number] = text.rsplit('=');
  Range range{name};
  auto [low, high] = number.split("..");
  if (!number.contains(".."))
    high = low;
  if (name.empty() || low.getAsInteger(10, range.lower) || high.getAsInteger(10, range.upper) || range.lower < 0 ||
      range.upper < range.lower)
    return std::nullopt;
  return range;
}

class Resolver {
public:
  Resolver(const Model &model, Diagnostics &diagnostics) : model(model), diagnostics(diagnostics) {}

  bool readDeclared(const ShapeFlags &flags);
  bool applyFlag(const std::string &text);
  bool applyLikes();
  bool closeRest();
  std::vector<InputShape> finish();

private:
  struct Input {
    InputShape shape;
    llvm::SmallVector<int, 4> slots; ///< per axis; -1 where the extent is declared
    std::optional<llvm::SmallVector<int64_t, 4>> like;
    std::string likePath; ///< or the flag that gave the shape
  };

  bool readShapes(const std::vector<std::string> &flags);
  bool readExample(size_t index, const ShapeFlags &flags, Input &input);

  bool readInput(size_t index, Input &input);
  int slotFor(const onnx::TensorShapeProto_Dimension &dim, StringRef input, size_t axis);
  int slotOfPlace(StringRef name, bool &found);
  bool bind(Slot &slot, int64_t lower, int64_t upper);
  bool applyLike(Input &input);
  bool usage(const Twine &message) {
    diagnostics.error(message, ErrorClass::usage);
    return false;
  }
  StringRef nameOf(const Input &input) const { return model.value(input.shape.value).name; }
  std::string known() const;

  const Model &model;
  Diagnostics &diagnostics;
  std::vector<Input> inputs;
  std::vector<Slot> slots;
  llvm::StringMap<int> symbols;
  llvm::StringMap<llvm::SmallVector<int64_t, 4>> shapes; ///< by the input's name
};

int Resolver::slotFor(const onnx::TensorShapeProto_Dimension &dim, StringRef input, size_t axis) {
  // Some exporters write "?" for any unknown dimension.
  const std::string symbol = dim.dim_param() == "?" ? "" : dim.dim_param();
  if (!symbol.empty()) {
    auto place = symbols.find(symbol);
    if (place != symbols.end()) {
      slots[static_cast<size_t>(place->second)].leads |= axis == 0;
      return place->second;
    }
  }
  auto index = static_cast<int>(slots.size());
  if (!symbol.empty())
    symbols[symbol] = index;
  Slot slot;
  slot.symbol = symbol;
  slot.place = (input + ":" + Twine(axis)).str();
  slot.prose = ("dimension " + Twine(axis) + " of input " + quoted(input)).str();
  slot.leads = axis == 0;
  slots.push_back(slot);
  return index;
}

bool Resolver::readInput(size_t index, Input &input) {
  input.shape.value = model.graph.inputs[index];
  const GraphValue &value = model.value(input.shape.value);
  auto refuse = [&](const Twine &why) {
    diagnostics.error("input " + quoted(value.name) + ": " + why);
    return false;
  };
  if (!value.declared || !value.declared->type().has_tensor_type())
    return refuse("only tensors are supported as inputs of a model");
  const onnx::TypeProto_Tensor &type = value.declared->type().tensor_type();
  input.shape.elementType = type.elem_type();
  if (elementBits(type.elem_type()) == 0 && type.elem_type() != ElementType::string)
    return refuse("element type " + Twine(type.elem_type()) + " is not known");
  if (!type.has_shape() && !input.like) {
    refuse("the model declares no shape for it");
    diagnostics.note("add --input-shape " + printable(value.name) +
                     "=NxM…, or --like INPUT.npy with an array of the shape "
                     "to compile for");
    return false;
  }
  if (!type.has_shape()) {
    for (int64_t extent : *input.like) {
      input.shape.extents.push_back({extent, extent, ""});
      input.slots.push_back(-1);
    }
    return true;
  }
  for (auto [axis, dim] : llvm::enumerate(type.shape().dim())) {
    bool declared = dim.has_dim_value() && dim.dim_value() >= 0;
    int64_t extent = declared ? dim.dim_value() : 0;
    input.shape.extents.push_back({extent, extent, ""});
    input.slots.push_back(declared ? -1 : slotFor(dim, value.name, axis));
  }
  return true;
}

bool Resolver::readShapes(const std::vector<std::string> &flags) {
  for (const std::string &flag : flags) {
    auto [name, list] = StringRef(flag).rsplit('=');
    llvm::SmallVector<StringRef> numbers;
    list.split(numbers, 'x');
    llvm::SmallVector<int64_t, 4> shape;
    for (StringRef number : numbers)
      if (int64_t extent = 0; !number.getAsInteger(10, extent) && extent >= 1)
        shape.push_back(extent);
    if (name.empty() || shape.size() != numbers.size())
      return usage("--input-shape " + quoted(flag) + ": expected NAME=1x3x224x224, of numbers that are at least 1");
    bool isInput = llvm::any_of(model.graph.inputs, [&](ValueId id) { return name == model.value(id).name; });
    if (!isInput)
      return usage("--input-shape " + quoted(flag) + ": the model has no such input");
    if (!shapes.try_emplace(name, shape).second)
      return usage("--input-shape " + quoted(flag) + ": the shape of this input is given twice");
  }
  return true;
}

/// What --like or --input-shape say of the input. False after an error.
bool Resolver::readExample(size_t index, const ShapeFlags &flags, Input &input) {
  StringRef name = model.value(model.graph.inputs[index]).name;
  auto shape = shapes.find(name);
  if (index < flags.likes.size() && shape != shapes.end())
    return usage("both --like and --input-shape give the shape of the input " + quoted(name));
  if (shape != shapes.end()) {
    input.like = shape->second;
    input.likePath = "--input-shape";
  } else if (index < flags.likes.size()) {
    input.likePath = flags.likes[index];
    input.like = readNpyShape(input.likePath, diagnostics);
    return input.like.has_value();
  }
  return true;
}

bool Resolver::readDeclared(const ShapeFlags &flags) {
  if (flags.likes.size() > model.graph.inputs.size())
    return usage("--like is given " + Twine(flags.likes.size()) + " times, the model has " +
                 Twine(model.graph.inputs.size()) + " inputs");
  if (!readShapes(flags.inputShapes))
    return false;
  bool good = true;
  for (size_t index = 0; index < model.graph.inputs.size(); ++index) {
    Input input;
    if (!readExample(index, flags, input))
      return false;
    good &= readInput(index, input);
    inputs.push_back(std::move(input));
  }
  return good;
}

/// Reads `name` as INPUT:AXIS. `found` tells whether there is such a place; the result is -1 where it is not open.
int Resolver::slotOfPlace(StringRef name, bool &found) {
  auto [inputName, axisText] = name.rsplit(':');
  size_t axis = 0;
  found = false;
  if (axisText.getAsInteger(10, axis))
    return -1;
  for (const Input &input : inputs) {
    if (nameOf(input) != inputName || axis >= input.slots.size())
      continue;
    found = true;
    return input.slots[axis];
  }
  return -1;
}

bool Resolver::bind(Slot &slot, int64_t lower, int64_t upper) {
  if (slot.bound && (slot.lower != lower || slot.upper != upper))
    return false;
  slot.bound = true;
  slot.lower = lower;
  slot.upper = upper;
  return true;
}

/// The open dimensions, for messages.
std::string Resolver::known() const {
  std::string text;
  for (const Slot &slot : slots)
    text += (text.empty() ? "" : ", ") + slot.describe();
  return text.empty() ? "none" : text;
}

bool Resolver::applyFlag(const std::string &text) {
  std::optional<Range> range = parseFlag(text);
  if (!range)
    return usage("--input-dim " + quoted(text) +
                 ": expected NAME=N, NAME=A..B, INPUT:AXIS=N or INPUT:AXIS=A..B, with 0 <= A <= B");
  auto symbol = symbols.find(range->name);
  bool isPlace = false;
  int slot = slotOfPlace(range->name, isPlace);
  if (symbol != symbols.end() && isPlace)
    return usage("--input-dim " + quoted(text) + ": " + quoted(range->name) +
                 " is both the name of a dimension and a dimension of an input");
  if (symbol != symbols.end())
    slot = symbol->second;
  if (slot < 0 && !isPlace) {
    if (llvm::is_contained(model.fixedDefaults, range->name.rsplit(':').first.str()))
      return usage("--input-dim " + quoted(text) + ": the input is a constant, since it has a value");
    usage("--input-dim " + quoted(text) + ": the model has no such dimension");
    diagnostics.note("its open dimensions: " + known());
    return false;
  }
  if (slot < 0)
    return usage("--input-dim " + quoted(text) + ": the model declares this dimension, it is not open");
  Slot &bound = slots[static_cast<size_t>(slot)];
  if (!bind(bound, range->lower, range->upper))
    return usage("--input-dim " + quoted(text) + ": the dimension " + bound.describe() +
                 " is given twice, with different sizes");
  bound.byFlag = true;
  return true;
}

bool Resolver::applyLike(Input &input) {
  auto refuse = [&](const Twine &why) {
    diagnostics.error("input " + quoted(nameOf(input)) + ": " + why + " in " + quoted(input.likePath));
    return false;
  };
  if (input.like->size() != input.slots.size())
    return refuse("the model declares " + Twine(input.slots.size()) + " dimensions, found " +
                  Twine(input.like->size()));
  for (size_t axis = 0; axis < input.slots.size(); ++axis) {
    int64_t found = (*input.like)[axis];
    if (input.slots[axis] < 0) {
      if (input.shape.extents[axis].lower != found)
        return refuse("dimension " + Twine(axis) + " must be " + Twine(input.shape.extents[axis].lower) + ", found " +
                      Twine(found));
      continue;
    }
    Slot &slot = slots[static_cast<size_t>(input.slots[axis])];
    bool fits = slot.byFlag ? slot.lower <= found && found <= slot.upper : bind(slot, found, found);
    if (!fits)
      return refuse("dimension " + Twine(axis) + " must be " + Twine(slot.lower) +
                    (slot.lower == slot.upper ? Twine("") : ".." + Twine(slot.upper)) + " as " +
                    (slot.byFlag ? "--input-dim says" : "for the other inputs") + ", found " + Twine(found));
  }
  return true;
}

bool Resolver::applyLikes() {
  return llvm::all_of(inputs, [&](Input &input) { return !input.like || applyLike(input); });
}

/// Leading dimensions that are still open become 1, any other is an error.
bool Resolver::closeRest() {
  std::string leading, open, flags, example;
  size_t openCount = 0;
  for (Slot &slot : slots) {
    if (slot.bound)
      continue;
    if (slot.leads) {
      bind(slot, 1, 1);
      leading += (leading.empty() ? "" : ", ") + slot.describe();
      if (example.empty())
        example = slot.flagName();
      continue;
    }
    ++openCount;
    open += (open.empty() ? "" : ", ") + slot.describe();
    flags += " --input-dim " + printable(slot.flagName()) + "=N";
  }
  if (openCount) {
    diagnostics.error((openCount == 1 ? Twine("a dimension is open: ") : Twine(openCount) + " dimensions are open: ") +
                      open);
    diagnostics.note("add" + flags + ", with the sizes to compile for, or --input-shape, or --like INPUT.npy");
    return false;
  }
  if (!leading.empty()) {
    diagnostics.warning(leading + ": taken as 1");
    diagnostics.note("--input-dim " + printable(example) + "=4 compiles for 4, --input-dim " + printable(example) +
                     "=1..4 for any size up to 4");
  }
  return true;
}

std::vector<InputShape> Resolver::finish() {
  std::vector<InputShape> shapes;
  for (Input &input : inputs) {
    for (size_t axis = 0; axis < input.slots.size(); ++axis) {
      if (input.slots[axis] < 0)
        continue;
      const Slot &slot = slots[static_cast<size_t>(input.slots[axis])];
      input.shape.extents[axis] = {slot.lower, slot.upper, slot.flagName()};
    }
    llvm::SmallVector<int64_t> largest;
    for (const Extent &extent : input.shape.extents)
      largest.push_back(extent.upper);
    if (!elementCount(largest))
      diagnostics.error("input " + quoted(nameOf(input)) + " must have fewer than 2^31 elements");
    shapes.push_back(std::move(input.shape));
  }
  return shapes;
}

} // namespace

std::optional<std::vector<InputShape>> aotc::frontend::resolveInputShapes(const Model &model, const ShapeFlags &flags,
                                                                          Diagnostics &diagnostics) {
  Resolver resolver(model, diagnostics);
  unsigned errorsBefore = diagnostics.getErrorCount();
  if (!resolver.readDeclared(flags))
    return std::nullopt;
  for (const std::string &text : flags.inputDims)
    if (!resolver.applyFlag(text))
      return std::nullopt;
  if (!resolver.applyLikes() || !resolver.closeRest())
    return std::nullopt;
  std::vector<InputShape> shapes = resolver.finish();
  if (diagnostics.getErrorCount() != errorsBefore)
    return std::nullopt;
  return shapes;
}
