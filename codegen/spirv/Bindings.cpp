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

// A binding on the way, with the buffers that it holds.
struct Binder::Window {
  BindingDescription binding;
  SmallVector<const Buffer *> buffers;

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

Binder::Window Binder::windowOf(const Buffer &buffer) const {
  BindingDescription binding;
  binding.memory = viaArena.count(&buffer) ? Memory::Arena : memoryOf(buffer);
  const bool hasOwn = binding.memory == Memory::Input || binding.memory == Memory::Output;
  const uint64_t offset = offsetOf(buffer, binding.memory);
  const uint64_t end = llvm::alignTo(offset + buffer.bytes, sizeof(uint32_t)); // bytes are read by words
  binding.index = hasOwn ? buffer.index : 0;
  binding.offsetBytes = llvm::alignDown(offset, WeightsFile::bindingAlignmentBytes);
  binding.bytes = std::max<uint64_t>(end - binding.offsetBytes, sizeof(uint32_t));
  if (hasOwn)
    binding.arenaOffset = arenaOffsetOf(buffer);
  return {binding, {&buffer}};
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

// `bufferOffset`: of the buffer in its binding, in bytes.
static FailureOr<GpuOperand> operandOf(const Place &place, size_t binding, uint64_t bufferOffset, Operation *step) {
  GpuOperand operand;
  operand.binding = binding;
  operand.element = place.element;
  const uint64_t elementBytes = llvm::divideCeil(place.element.getIntOrFloatBitWidth(), 8);
  FailureOr<int64_t> offset = constantOf(place.offset, step);
  if (failed(offset))
    return failure();
  operand.offset = static_cast<int64_t>(bufferOffset / elementBytes) + *offset;
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

FailureOr<Binder::Windows> Binder::windowsOf(Operation *step) {
  Windows windows;
  for (Value memref : memrefsOf(step)) {
    FailureOr<Place> place = buffers.placeOf(memref, step);
    if (failed(place))
      return failure();
    auto window = llvm::find_if(windows, [&](const Window &window) { return window.buffers.front() == place->buffer; });
    if (window == windows.end())
      window = windows.insert(windows.end(), windowOf(*place->buffer));
    window->binding.isWritten |= isWritten(step, memref);
  }
  return windows;
}

// As far as needed; too many where that does not do.
FailureOr<Binder::Windows> Binder::mergedWindowsOf(Operation *step) {
  FailureOr<Windows> windows = windowsOf(step);
  if (failed(windows))
    return failure();
  if (llvm::any_of(*windows, [](const Window &window) { return window.binding.bytes > mostBindingBytes; }))
    return step->emitError(tooLargeText);
  while (windows->size() + canFail(step) > mostBindings && mergeNeighbours(*windows)) {
  }
  return windows;
}

FailureOr<SmallVector<BindingDescription>> Binder::usesOf(Operation *step) {
  FailureOr<Windows> windows = windowsOf(step);
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
  for (Value memref : memrefsOf(step)) {
    Place place = *buffers.placeOf(memref, step);
    auto window = llvm::find_if(*windows, [&](const Window &w) { return llvm::is_contained(w.buffers, place.buffer); });
    const auto index = static_cast<size_t>(window - windows->begin());
    FailureOr<GpuOperand> operand =
        operandOf(place, index, offsetOf(*place.buffer, window->binding.memory) - window->binding.offsetBytes, step);
    if (failed(operand))
      return failure();
    if (memref == step->getOperand(0))
      operand->dequantization = kern::dequantizationOf(step);
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
  return binding.memory == Memory::Arena ? binding.offsetBytes : binding.arenaOffset;
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
