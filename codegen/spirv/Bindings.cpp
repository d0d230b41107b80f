// A window is made for each buffer of a step; while there are more than a shader can see, the two closest become one.
// Operands are then found again in their windows.
#include "codegen/spirv/Bindings.h"

#include "codegen/cpp/WeightsFile.h"
#include "ir/kern/Dialect.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using Memory = aotc::codegen::BindingDescription::Memory;

namespace aotc::codegen {

static constexpr size_t mostBindings = 4;

static Memory memoryOf(const Buffer &buffer) {
  switch (buffer.kind) {
  case Buffer::Kind::Arena:
  case Buffer::Kind::Scratch:
    return Memory::Arena;
  case Buffer::Kind::Weight:
    return Memory::Weights;
  case Buffer::Kind::Input:
    return Memory::Input;
  case Buffer::Kind::Output:
    return Memory::Output;
  }
  llvm_unreachable("every kind of buffer is handled");
}

// A part of a buffer, in bytes from its start.
struct Part {
  uint64_t begin, end;
};

static uint64_t bytesOf(Type element) { return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8); }

// From the first element of the view to its last; all of the buffer where the run decides.
static Part partOf(const Place &place) {
  const Part whole = {0, place.buffer->bytes};
  if (!place.offset.isConstant())
    return whole;
  int64_t first = place.offset.bound(), last = first;
  for (auto [size, stride] : llvm::zip(place.sizes, place.strides)) {
    if (!size.isConstant() || !stride.isConstant() || size.bound() == 0)
      return whole;
    const int64_t reach = (size.bound() - 1) * stride.bound();
    (reach < 0 ? first : last) += reach;
  }
  const uint64_t bytes = bytesOf(place.element);
  return {static_cast<uint64_t>(first) * bytes, static_cast<uint64_t>(last + 1) * bytes};
}

// A binding on the way, with the buffers that it holds.
struct Binder::Window {
  BindingDescription binding;
  SmallVector<const Buffer *> buffers;
  Part used; // of the buffer, while it is one

  uint64_t end() const { return binding.offsetBytes + binding.bytes; }
};

std::optional<uint64_t> Binder::arenaOffsetOf(const Buffer &buffer) const {
  if (buffer.kind == Buffer::Kind::Input)
    return options.inputOffsets[static_cast<size_t>(buffer.index)];
  return buffer.kind == Buffer::Kind::Weight ? std::nullopt : std::optional<uint64_t>(buffer.offsetBytes);
}

uint64_t Binder::offsetOf(const Buffer &buffer, Memory memory) const {
  switch (memory) {
  case Memory::Arena:
    return *arenaOffsetOf(buffer);
  case Memory::Weights:
    return buffer.offsetBytes;
  default:
    return 0;
  }
}

Binder::Window Binder::windowOf(const Buffer &buffer, Part used) const {
  BindingDescription binding;
  binding.memory = viaArena.count(&buffer) ? Memory::Arena : memoryOf(buffer);
  const bool hasOwn = binding.memory == Memory::Input || binding.memory == Memory::Output;
  const Part shown = buffer.bytes > mostBindingBytes ? used : Part{0, buffer.bytes};
  const uint64_t offset = offsetOf(buffer, binding.memory) + shown.begin;
  const uint64_t end = llvm::alignTo(offset + shown.end - shown.begin, sizeof(uint32_t)); // bytes are read by words
  binding.index = hasOwn ? buffer.index : 0;
  binding.offsetBytes = llvm::alignDown(offset, WeightsFile::bindingAlignmentBytes);
  binding.bytes = std::max<uint64_t>(end - binding.offsetBytes, sizeof(uint32_t));
  if (hasOwn)
    binding.arenaOffset = arenaOffsetOf(buffer);
  return {binding, {&buffer}, used};
}

// Makes one of the two neighbours in one memory that are closest, if there are any that fit into one range.
template <class Windows> static bool mergeNeighbours(Windows &windows) {
  using Window = typename Windows::value_type;
  size_t best = windows.size();
  uint64_t bestBytes = mostBindingBytes + 1;
  llvm::sort(windows, [](const Window &a, const Window &b) {
    return std::tuple(a.binding.memory, a.binding.index, a.binding.offsetBytes) <
           std::tuple(b.binding.memory, b.binding.index, b.binding.offsetBytes);
  });
  for (size_t i = 0; i + 1 < windows.size(); ++i) {
    const Window &a = windows[i], &b = windows[i + 1];
    if (a.binding.memory != b.binding.memory || a.binding.index != b.binding.index)
      continue;
    if (uint64_t bytes = std::max(a.end(), b.end()) - a.binding.offsetBytes; bytes < bestBytes)
      best = i, bestBytes = bytes;
  }
  if (best == windows.size())
    return false;
  Window &into = windows[best], &from = windows[best + 1];
  into.binding.bytes = bestBytes;
  into.binding.isWritten |= from.binding.isWritten;
  into.buffers.append(from.buffers);
  windows.erase(windows.begin() + static_cast<ptrdiff_t>(best) + 1);
  return true;
}

static FailureOr<int64_t> constantOf(const Count &count, Operation *step) {
  if (count.isConstant())
    return count.bound();
  return step->emitError("shaders are made for fixed extents, and it has a bounded one");
}

// `bufferOffset`: from the start of the binding to that of the buffer, in bytes; negative where a part is bound.
static FailureOr<GpuOperand> operandOf(const Place &place, size_t binding, int64_t bufferOffset, Operation *step) {
  GpuOperand operand;
  operand.binding = binding;
  operand.element = place.element;
  FailureOr<int64_t> offset = constantOf(place.offset, step);
  if (failed(offset))
    return failure();
  operand.offset = bufferOffset / static_cast<int64_t>(bytesOf(place.element)) + *offset;
  for (auto [size, stride] : llvm::zip(place.sizes, place.strides)) {
    FailureOr<int64_t> extent = constantOf(size, step), distance = constantOf(stride, step);
    if (failed(extent) || failed(distance))
      return failure();
    operand.sizes.push_back(*extent);
    operand.strides.push_back(*distance);
  }
  return operand;
}

bool isWritten(Operation *step, Value memref) {
  if (auto copy = dyn_cast<memref::CopyOp>(step))
    return copy.getTarget() == memref;
  auto op = dyn_cast<DestinationStyleOpInterface>(step);
  return op && llvm::is_contained(op.getDpsInits(), memref);
}

static bool canFail(Operation *step) {
  auto kernel = dyn_cast<kern::KernelOp>(step);
  return kernel && !kernel.getKernelFailure().empty();
}

// Sums of weights are for processors whose instructions multiply unsigned by signed bytes.
static SmallVector<Value> memrefsOfShader(Operation *step) {
  SmallVector<Value> memrefs = memrefsOf(step);
  auto product = dyn_cast<kern::IntegerMatMulOp>(step);
  if (product && llvm::count(step->getOperands(), product.getWeightSums()) == 1)
    llvm::erase(memrefs, product.getWeightSums());
  return memrefs;
}

FailureOr<Binder::Windows> Binder::windowsOf(Operation *step, ArrayRef<Value> memrefs) {
  Windows windows;
  for (Value memref : memrefs) {
    FailureOr<Place> place = buffers.placeOf(memref, step);
    if (failed(place))
      return failure();
    const Buffer &buffer = *place->buffer;
    Part used = partOf(*place);
    bool written = isWritten(step, memref);
    auto window = llvm::find_if(windows, [&](const Window &window) { return window.buffers.front() == &buffer; });
    if (window != windows.end()) {
      used = {std::min(used.begin, window->used.begin), std::max(used.end, window->used.end)};
      written |= window->binding.isWritten;
    } else {
      window = windows.insert(windows.end(), Window());
    }
    *window = windowOf(buffer, used);
    window->binding.isWritten = written;
  }
  return windows;
}

// What vocabularies are used by. These may still be left to the processor where four bindings do not do, as convolutions
// may not: their weights are arranged for a shader.
uint64_t mostReadBytes(Operation *step) {
  return isa<kern::MatMulOp, kern::GatherOp>(step) ? 2 * mostBindingBytes : mostBindingBytes;
}

void Binder::splitLarge(Windows &windows, Operation *step) {
  for (size_t i = 0; i < windows.size(); ++i) {
    const bool isLarge = windows[i].binding.bytes > mostBindingBytes;
    if (!isLarge || windows[i].binding.isWritten || windows[i].binding.bytes > mostReadBytes(step))
      continue;
    Window rest = windows[i];
    rest.binding.offsetBytes += mostBindingBytes;
    rest.binding.bytes -= mostBindingBytes;
    windows[i].binding.bytes = mostBindingBytes;
    windows.insert(windows.begin() + static_cast<ptrdiff_t>(i) + 1, std::move(rest));
  }
}

// As far as needed; too many where that does not do.
FailureOr<Binder::Windows> Binder::mergedWindowsOf(Operation *step) {
  FailureOr<Windows> windows = windowsOf(step, memrefsOfShader(step));
  if (failed(windows))
    return failure();
  splitLarge(*windows, step);
  if (llvm::any_of(*windows, [](const Window &window) { return window.binding.bytes > mostBindingBytes; }))
    return step->emitError(tooLargeText);
  while (windows->size() + canFail(step) > mostBindings && mergeNeighbours(*windows)) {
  }
  return windows;
}

FailureOr<SmallVector<BindingDescription>> Binder::usesOf(Operation *step) {
  FailureOr<Windows> windows = windowsOf(step, memrefsOf(step));
  if (failed(windows))
    return failure();
  auto uses = llvm::map_to_vector(*windows, [](const Window &window) { return window.binding; });
  if (const Buffer *scratch = buffers.scratchOf(step))
    uses.push_back({Memory::Arena, 0, scratch->offsetBytes, scratch->bytes, true, {}});
  return uses;
}

LogicalResult Binder::note(Operation *step) {
  FailureOr<Windows> windows = mergedWindowsOf(step);
  if (failed(windows))
    return failure();
  if (windows->size() + canFail(step) <= mostBindings)
    return success();
  for (const Window &window : *windows)
    if (window.binding.arenaOffset)
      viaArena.insert(window.buffers.begin(), window.buffers.end());
  return success();
}

FailureOr<GpuOperand> Binder::operandFor(Value memref, const Windows &windows, Operation *step) {
  Place place = *buffers.placeOf(memref, step);
  SmallVector<size_t, 2> pieces; // in order: so are windows
  for (const auto &[i, window] : llvm::enumerate(windows))
    if (llvm::is_contained(window.buffers, place.buffer))
      pieces.push_back(i);
  const BindingDescription &first = windows[pieces.front()].binding;
  const auto start = static_cast<int64_t>(offsetOf(*place.buffer, first.memory) - first.offsetBytes);
  FailureOr<GpuOperand> operand = operandOf(place, pieces.front(), start, step);
  if (failed(operand))
    return failure();
  operand->furtherBindings.assign(std::next(pieces.begin()), pieces.end());
  operand->pieceElements = static_cast<int64_t>(mostBindingBytes / bytesOf(place.element));
  if (memref == step->getOperand(0))
    operand->dequantization = kern::dequantizationOf(step);
  return operand;
}

FailureOr<StepBindings> Binder::bind(Operation *step) {
  FailureOr<Windows> windows = mergedWindowsOf(step);
  if (failed(windows))
    return failure();
  if (windows->size() + canFail(step) > mostBindings)
    return step->emitError("--target vulkan: the step uses more than ")
           << mostBindings << " buffers at once that cannot share a range of 128 MiB";
  StepBindings result;
  for (const Window &window : *windows)
    result.bindings.push_back(window.binding);
  for (Value memref : memrefsOfShader(step)) {
    FailureOr<GpuOperand> operand = operandFor(memref, *windows, step);
    if (failed(operand))
      return failure();
    result.operands[memref] = std::move(*operand);
  }
  if (canFail(step)) {
    result.status.emplace();
    result.status->binding = result.bindings.size();
    result.status->element = IntegerType::get(step->getContext(), 32);
    // Not as written: those who write it need not wait for each other.
    result.bindings.push_back({Memory::Status, 0, 0, sizeof(uint32_t), false, {}});
  }
  return result;
}

static bool overlap(uint64_t a, uint64_t aBytes, uint64_t b, uint64_t bBytes) {
  return a < b + bBytes && b < a + aBytes;
}

// Where in the arena the binding lies, as long as the application binds no buffers of its own.
static std::optional<uint64_t> placeInArena(const BindingDescription &binding) {
  if (binding.memory == Memory::Arena)
    return binding.offsetBytes;
  return binding.arenaOffset ? std::optional<uint64_t>(*binding.arenaOffset + binding.offsetBytes) : std::nullopt;
}

static bool overlap(const BindingDescription &a, const BindingDescription &b) {
  if (a.memory == b.memory && a.index == b.index && overlap(a.offsetBytes, a.bytes, b.offsetBytes, b.bytes))
    return true;
  std::optional<uint64_t> aPlace = placeInArena(a), bPlace = placeInArena(b);
  return aPlace && bPlace && overlap(*aPlace, a.bytes, *bPlace, b.bytes);
}

SmallVector<int32_t> StepBindings::written() const {
  SmallVector<int32_t> result;
  for (const auto &[i, binding] : llvm::enumerate(bindings))
    if (binding.isWritten)
      result.push_back(static_cast<int32_t>(i));
  return result;
}

SmallVector<int32_t> StepBindings::overlapping() const {
  SmallVector<int32_t> result;
  for (const auto &[i, a] : llvm::enumerate(bindings))
    for (const auto &[j, b] : llvm::enumerate(bindings))
      if (i != j && (a.isWritten || b.isWritten) && overlap(a, b)) {
        result.push_back(static_cast<int32_t>(i));
        break;
      }
  return result;
}

bool conflict(const DispatchDescription &first, const DispatchDescription &second) {
  for (const BindingDescription &a : first.bindings)
    for (const BindingDescription &b : second.bindings)
      if ((a.isWritten || b.isWritten) && overlap(a, b))
        return true;
  return false;
}

} // namespace aotc::codegen
