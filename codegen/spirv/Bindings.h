// Which parts of which buffers a shader sees, and where in them its operands lie.
#ifndef AOTC_CODEGEN_SPIRV_BINDINGS_H
#define AOTC_CODEGEN_SPIRV_BINDINGS_H

#include "codegen/spirv/GpuProgram.h"
#include "ir/kern/Dequantization.h"

#include <set>

namespace aotc::codegen {

/// The largest range of a buffer that every device shows a shader: maxStorageBufferRange.
constexpr uint64_t mostBindingBytes = uint64_t(128) << 20;
constexpr llvm::StringLiteral tooLargeText = "a tensor of more than 128 MiB is more than a shader may see of a buffer";

/// A memref as a shader sees it: element (i, j, ...) is `offset + i * strides[0] + j * strides[1] + ...` of a binding,
/// counted in elements.
struct GpuOperand {
  size_t binding = 0;
  /// Where one binding is not enough for what is read: those of the rest, each of which begins where the one before ends,
  /// `pieceElements` after its start.
  llvm::SmallVector<size_t, 1> furtherBindings;
  int64_t pieceElements = 0;
  mlir::Type element;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> sizes, strides;
  std::optional<kern::Dequantization> dequantization; ///< of bytes that are loaded as the real values they stand for
};

struct Part;

/// How many bytes of an operand the step can read: those of one binding, or of two where it may have a second one.
uint64_t mostReadBytes(mlir::Operation *step);

/// The bindings of one step. Vulkan promises no more than four storage buffers to a shader, each a range of 128 MiB.
struct StepBindings {
  llvm::SmallVector<BindingDescription, 4> bindings;
  llvm::DenseMap<mlir::Value, GpuOperand> operands; ///< of each memref of the step
  std::optional<GpuOperand> status;                 ///< of a step that can fail

  llvm::SmallVector<int32_t> written() const;
  /// Those through which a shader may see what it writes through another, or writes what another sees.
  llvm::SmallVector<int32_t> overlapping() const;
};

/// Binds steps. Every buffer has a binding of its own as long as four suffice, so that equal steps are equal shaders;
/// beyond that, neighbours in one memory share one. Of a buffer that is too large for a binding, the step sees the part
/// that it uses, and some steps see what they read in two pieces.
class Binder {
public:
  Binder(BufferTable &buffers, const GpuOptions &options) : buffers(buffers), options(options) {}

  /// To be told of all steps before any of them is bound: inputs and outputs of one that has too many go through their
  /// places in the arena, for all steps. Fails with a diagnostic on memory that cannot be bound.
  mlir::LogicalResult note(mlir::Operation *step);
  /// Fails with a diagnostic where four do not do, or an extent is not known.
  mlir::FailureOr<StepBindings> bind(mlir::Operation *step);
  /// What a step uses, whoever computes it, scratch memory too: as many ranges as there are buffers, with extents at their
  /// bounds.
  mlir::FailureOr<llvm::SmallVector<BindingDescription>> usesOf(mlir::Operation *step);

private:
  struct Window;
  using Windows = std::vector<Window>;

  std::optional<uint64_t> arenaOffsetOf(const Buffer &buffer) const;
  uint64_t offsetOf(const Buffer &buffer, BindingDescription::Memory memory) const; ///< in bytes
  Window windowOf(const Buffer &buffer, Part used) const;
  mlir::FailureOr<Windows> windowsOf(mlir::Operation *step, llvm::ArrayRef<mlir::Value> memrefs);
  static void splitLarge(Windows &windows, mlir::Operation *step);
  mlir::FailureOr<GpuOperand> operandFor(mlir::Value memref, const Windows &windows, mlir::Operation *step);
  mlir::FailureOr<Windows> mergedWindowsOf(mlir::Operation *step);

  BufferTable &buffers;
  const GpuOptions &options;
  std::set<const Buffer *> viaArena;
};

/// Whether the step writes what `memref`, an operand, shows.
bool isWritten(mlir::Operation *step, mlir::Value memref);

/// Whether the second dispatch has to wait for the first: one writes what the other uses.
bool conflict(const DispatchDescription &first, const DispatchDescription &second);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_BINDINGS_H
