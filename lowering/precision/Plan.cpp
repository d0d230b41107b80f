#include "lowering/precision/Plan.h"

#include "ir/nn/Dialect.h"
#include "ir/nn/Exact.h"
#include "lowering/precision/Limit.h"
#include "lowering/precision/Quantization.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/GlobPattern.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace aotc::precision {

// -------------------------------------------------------------------------------------------------------- attributes
static constexpr StringLiteral precisionKey = "aotc.precision", rangeKey = "aotc.range";

static StringRef keyOf(ChannelFact fact) {
  switch (fact) {
  case ChannelFact::inputMean:
    return "aotc.input_mean";
  case ChannelFact::inputPower:
    return "aotc.input_power";
  case ChannelFact::magnitude:
    return "aotc.channel_magnitude";
  case ChannelFact::power:
    return "aotc.channel_power";
  case ChannelFact::divisors:
    return "aotc.divisors";
  }
  llvm_unreachable("a fact without a key");
}

// Of several results each has its own: the number of all but the first is part of the name.
static std::string keyFor(Value tensor, StringRef key) {
  auto result = dyn_cast<OpResult>(tensor);
  return result && result.getResultNumber() > 0 ? (key + "." + Twine(result.getResultNumber())).str() : key.str();
}

// Arguments of a function carry attributes beside its type.
static Attribute getOf(Value tensor, StringRef key) {
  if (Operation *op = tensor.getDefiningOp())
    return op->getAttr(keyFor(tensor, key));
  auto argument = cast<BlockArgument>(tensor);
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function ? function.getArgAttr(argument.getArgNumber(), key) : Attribute();
}

static void setOf(Value tensor, StringRef key, Attribute value) {
  if (Operation *op = tensor.getDefiningOp())
    return op->setAttr(keyFor(tensor, key), value);
  auto argument = cast<BlockArgument>(tensor);
  cast<func::FuncOp>(argument.getOwner()->getParentOp()).setArgAttr(argument.getArgNumber(), key, value);
}

StringRef precisionOf(Operation *layer) {
  auto precision = layer->getAttrOfType<StringAttr>(precisionKey);
  return precision ? precision.getValue() : "";
}

void setPrecision(Operation *layer, StringRef precision) {
  layer->setAttr(precisionKey, StringAttr::get(layer->getContext(), precision));
}

std::optional<Range> rangeOf(Value tensor) {
  auto range = dyn_cast_or_null<DenseF64ArrayAttr>(getOf(tensor, rangeKey));
  return range && range.size() == 2 ? std::optional(Range{range[0], range[1]}) : std::nullopt;
}

void setRange(Value tensor, Range range) {
  setOf(tensor, rangeKey, DenseF64ArrayAttr::get(tensor.getContext(), {range.low, range.high}));
}

ArrayRef<double> channelFact(Value tensor, ChannelFact fact) {
  auto values = dyn_cast_or_null<DenseF64ArrayAttr>(getOf(tensor, keyOf(fact)));
  return values ? values.asArrayRef() : ArrayRef<double>();
}

void setChannelFact(Value tensor, ChannelFact fact, ArrayRef<double> values) {
  setOf(tensor, keyOf(fact), DenseF64ArrayAttr::get(tensor.getContext(), values));
}

void clearPlan(ModuleOp module) {
  const StringRef keys[] = {precisionKey,
                            rangeKey,
                            keyOf(ChannelFact::inputMean),
                            keyOf(ChannelFact::inputPower),
                            keyOf(ChannelFact::magnitude),
                            keyOf(ChannelFact::power),
                            keyOf(ChannelFact::divisors)};
  module.walk([&](Operation *op) {
    for (NamedAttribute attribute : llvm::to_vector(op->getDiscardableAttrs()))
      if (llvm::any_of(keys, [&](StringRef key) { return attribute.getName().strref().starts_with(key); }))
        op->removeDiscardableAttr(attribute.getName());
  });
  for (auto function : module.getOps<func::FuncOp>())
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      for (StringRef key : keys)
        function.removeArgAttr(i, StringAttr::get(module.getContext(), key));
}

// ------------------------------------------------------------------------------------------------------------ layers
static bool isF32(Value value) { return getElementTypeOrSelf(value.getType()).isF32(); }

static bool isConstant(Value value) { return constantOf(value).has_value(); }

static bool isFinite(const std::optional<nn::HostTensor> &constant) {
  return constant && llvm::all_of(constant->as<float>(), [](float value) { return std::isfinite(value); });
}

// Whether constant weights are finite and `products` of them sum up within 32 bits.
static bool areWeights(const std::optional<nn::HostTensor> &weights, int64_t products) {
  return isFinite(weights) && precision::sumsOfBytesFit(static_cast<uint64_t>(products));
}

// As lowering/precision/IntegerConvolutions and the kernel take them: images of which only the number may be unknown.
static bool canBeInteger(nn::ConvOp conv) {
  if (!isF32(conv.getX()) || !isF32(conv.getWeights()) || nn::isExact(conv))
    return false;
  ArrayRef<int64_t> filter = cast<RankedTensorType>(conv.getWeights().getType()).getShape().drop_front();
  auto x = cast<RankedTensorType>(conv.getX().getType());
  bool isImage = (x.getRank() == 3 || x.getRank() == 4) && !conv.getChannelsLast();
  return isImage && areWeights(constantOf(conv.getWeights()), ShapedType::getNumElements(filter)) &&
         !isConstant(conv.getX()) && (!conv.getBias() || isFinite(constantOf(conv.getBias()))) &&
         llvm::none_of(x.getShape().drop_front(), ShapedType::isDynamic);
}

// As lowering/precision/IntegerProducts takes them.
static bool canBeInteger(nn::MatMulOp product) {
  auto weights = cast<RankedTensorType>(product.getB().getType());
  return isF32(product.getA()) && isF32(product.getB()) && weights.getRank() == 2 &&
         areWeights(constantOf(product.getB()), weights.getDimSize(0)) && weights.getNumElements() > 0 &&
         !isConstant(product.getA()) && cast<RankedTensorType>(product.getA().getType()).getRank() >= 2;
}

// Bodies of branches and loops stay as they are: what runs in them has no place among the observed tensors.
static bool canBeLayer(Operation *op, StringRef precision) {
  if (!isa_and_nonnull<func::FuncOp>(op->getParentOp()))
    return false;
  if (auto conv = dyn_cast<nn::ConvOp>(op))
    return precision == int8Name && canBeInteger(conv);
  auto product = dyn_cast<nn::MatMulOp>(op);
  return product && canBeInteger(product);
}

// A pattern of names, which is one itself: of "conv[0]" it means that node, and "conv0".
struct NamePattern {
  StringRef text;
  llvm::GlobPattern glob;

  bool matches(StringRef name) const { return name == text || glob.match(name); }
};

// Sets the bit of each pattern that a node of the op matches; true where one does.
static bool isKept(Operation *op, ArrayRef<NamePattern> patterns, SmallVectorImpl<bool> &used) {
  bool isMatched = false;
  for (nn::NodeAttr node : nn::nodesOf(op->getLoc()))
    for (auto [index, pattern] : llvm::enumerate(patterns))
      if (pattern.matches(node.getName()))
        isMatched = used[index] = true;
  return isMatched;
}

UnusedPatterns markLayers(ModuleOp module, StringRef precision, ArrayRef<std::string> keepFp32) {
  UnusedPatterns unused;
  SmallVector<NamePattern> patterns;
  for (const std::string &text : keepFp32) {
    llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(text);
    if (pattern)
      patterns.push_back({text, std::move(*pattern)});
    else
      unused.invalid.push_back(text);
    llvm::consumeError(pattern.takeError());
  }
  if (!unused.invalid.empty())
    return unused;
  SmallVector<bool> used(patterns.size(), false);
  module.walk([&](Operation *op) {
    bool keep = isKept(op, patterns, used);
    if (!keep && canBeLayer(op, precision))
      setPrecision(op, precision);
  });
  for (auto [text, isUsed] : llvm::zip(keepFp32, used))
    if (!isUsed)
      unused.unmatched.push_back(text);
  return unused;
}

SmallVector<Operation *> markedLayers(ModuleOp module, StringRef precision) {
  SmallVector<Operation *> layers;
  module.walk([&](Operation *op) {
    if (isa<nn::ConvOp, nn::MatMulOp>(op) && precisionOf(op) == precision)
      layers.push_back(op);
  });
  return layers;
}

// ----------------------------------------------------------------------------------------------------------- tensors
Value endOf(Operation *conv) {
  Value value = conv->getResult(0);
  while (value.hasOneUse() && limitOf(*value.user_begin()))
    value = (*value.user_begin())->getResult(0);
  return value;
}

// A byte stands for 0 in any case. Below all numbers lies the lowest byte, for what takes the largest.
static bool padsWithByte(nn::PadOp pad) {
  constexpr auto lowest = static_cast<double>(std::numeric_limits<float>::lowest());
  double value = padValue(pad);
  return value == 0 || (value <= lowest && llvm::all_of(pad->getUsers(), llvm::IsaPred<nn::MaxPoolOp>));
}

bool commutesWithQuantization(Operation *op) {
  if (!op ||
      !isa<nn::ReshapeOp, nn::TransposeOp, nn::SliceOp, nn::ConcatOp, nn::ExpandOp, nn::PadOp, nn::MaxPoolOp>(op))
    return false;
  auto pad = dyn_cast<nn::PadOp>(op);
  if (pad && isF32(pad) && !padsWithByte(pad))
    return false; // what it pads with counts for the range: its result is quantized
  return isF32(op->getResult(0)) && llvm::none_of(op->getOperands(), isConstant);
}

int64_t channelAxisOf(Operation *layer) {
  return isa<nn::ConvOp>(layer) ? 1 : cast<RankedTensorType>(inputOf(layer).getType()).getRank() - 1;
}

int64_t channelAxisOf(Value tensor) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  for (Operation *user : tensor.getUsers())
    if (isa<nn::MatMulOp>(user))
      return rank - 1;
  return rank > 2 ? 1 : rank - 1;
}

namespace {

// Collects tensors and joins those of one scale.
class TensorGroups {
public:
  // What `value` consists of is quantized with one scale.
  void add(Value value) {
    SmallVector<Value> sources;
    collect(value, sources);
    for (Value source : sources) {
      order.insert(source);
      classes.unionSets(sources.front().getAsOpaquePointer(), source.getAsOpaquePointer());
    }
  }

  SmallVector<QuantizedTensor> take() {
    llvm::MapVector<void *, unsigned> numbers;
    SmallVector<QuantizedTensor> result;
    for (Value value : order) {
      void *leader = classes.getLeaderValue(value.getAsOpaquePointer());
      unsigned next = static_cast<unsigned>(numbers.size());
      result.push_back({value, numbers.insert({leader, next}).first->second});
    }
    return result;
  }

private:
  static void collect(Value value, SmallVectorImpl<Value> &sources) {
    SmallVector<Value> stack{value};
    llvm::SmallDenseSet<Value> visited;
    while (!stack.empty()) {
      Value next = stack.pop_back_val();
      if (!visited.insert(next).second)
        continue;
      if (Operation *op = next.getDefiningOp(); commutesWithQuantization(op))
        llvm::append_range(stack, llvm::reverse(op->getOperands()));
      else
        sources.push_back(next);
    }
  }

  llvm::SetVector<Value> order;
  llvm::EquivalenceClasses<void *> classes;
};

} // namespace

std::optional<std::vector<Range>> groupRanges(ArrayRef<QuantizedTensor> tensors) {
  std::vector<Range> ranges;
  for (const QuantizedTensor &tensor : tensors) {
    std::optional<Range> range = rangeOf(tensor.value);
    if (!range)
      return std::nullopt;
    if (tensor.group == ranges.size()) // groups are numbered as they come
      ranges.push_back(*range);
    else
      ranges[tensor.group] = merged(ranges[tensor.group], *range);
  }
  return ranges;
}

// All ops whose results the inputs of the layers are computed from.
static llvm::DenseSet<Operation *> opsBefore(ArrayRef<Operation *> layers) {
  llvm::DenseSet<Operation *> visited;
  SmallVector<Value> stack;
  for (Operation *layer : layers)
    stack.push_back(inputOf(layer));
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val().getDefiningOp();
    if (op && visited.insert(op).second)
      llvm::append_range(stack, op->getOperands());
  }
  return visited;
}

SmallVector<QuantizedTensor> quantizedTensors(ModuleOp module) {
  TensorGroups groups;
  SmallVector<Operation *> layers = markedLayers(module, int8Name);
  llvm::DenseSet<Operation *> before = opsBefore(layers);
  for (Operation *layer : layers) {
    groups.add(inputOf(layer));
    if (Value end = endOf(layer); isa<nn::ConvOp>(layer) && before.contains(end.getDefiningOp()))
      groups.add(end);
  }
  return groups.take();
}

} // namespace aotc::precision
