// Builds one compute shader as a gpu.func: its bindings, the threads' numbers, loads and stores, arithmetic on indices,
// and memory that a workgroup shares. Knows no step.
#ifndef AOTC_CODEGEN_SPIRV_SHADER_H
#define AOTC_CODEGEN_SPIRV_SHADER_H

#include "codegen/spirv/Bindings.h"
#include "codegen/target/GpuProfile.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <functional>

namespace aotc::codegen {

/// What a subgroup can fold its threads' values by, in one instruction. Of a NaN, the largest may be another number.
enum class SubgroupFold { Sum, Product, Largest };

/// How two partial results become one. Subgroups fold where an instruction does the same.
struct Combination {
  std::function<mlir::Value(mlir::Value, mlir::Value)> combine;
  std::optional<SubgroupFold> bySubgroups = std::nullopt;
};

class Shader {
public:
  using Indices = llvm::ArrayRef<mlir::Value>;
  using Values = llvm::SmallVector<mlir::Value>;

  /// A shader whose workgroups have profile.threads threads in a row.
  Shader(mlir::Location loc, const StepBindings &bindings, const GpuProfile &profile);

  mlir::ImplicitLocOpBuilder &builder() { return b; }
  mlir::ModuleOp module() { return *owner; }
  const GpuProfile &profile() const { return target; }
  int64_t threads() const { return target.threads; } ///< of a workgroup
  int64_t sharedBytes() const { return usedBytes; }  ///< that its threads share

  /// The groups of a dispatch.
  std::array<uint32_t, 3> groups = {1, 1, 1};
  /// Starts a group for each of the units, and returns the number of the one at work, from 0. Where there are more
  /// than one dimension of a dispatch may count, a few groups have numbers beyond the last unit: to be guarded against.
  mlir::Value groupOf(int64_t units);
  mlir::Value thread();
  /// The number of the thread at work among those of all groups, of which there are enough for `units`.
  mlir::Value flatThread(int64_t units);

  //===-- arithmetic ----------------------------------------------------------------------------------------------===//
  mlir::Value index(int64_t value);
  mlir::Value number(double value); ///< f32
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b) { return add(a, index(b)); }
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, int64_t b);
  mlir::Value div(mlir::Value a, int64_t b); ///< of an index that is not negative, rounded down
  mlir::Value rem(mlir::Value a, int64_t b);
  mlir::Value isBelow(mlir::Value a, int64_t b); ///< as unsigned numbers: a negative index is not
  mlir::Value both(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// The indices of element `flat` in row-major order.
  Values delinearize(mlir::Value flat, llvm::ArrayRef<int64_t> extents);

  //===-- control -------------------------------------------------------------------------------------------------===//
  void ifTrue(mlir::Value condition, llvm::function_ref<void()> body);
  /// For i in [0, count): values = body(i, values); returns the last ones.
  Values loop(int64_t count, mlir::ValueRange initial, llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);
  /// The same for begin, begin + step, ... below end.
  Values loop(mlir::Value begin, mlir::Value end, int64_t step, mlir::ValueRange initial,
              llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body);
  /// A thread for each point of the extents: body(indices).
  void forEachPoint(llvm::ArrayRef<int64_t> extents, llvm::function_ref<void(const Values &)> body);
  /// All threads of the group see what the others stored to shared memory.
  void barrier();

  //===-- memory --------------------------------------------------------------------------------------------------===//
  const GpuOperand &operand(mlir::Value memref) const;
  mlir::Value load(const GpuOperand &operand, Indices indices);
  mlir::Value loadFloat(const GpuOperand &operand, Indices indices); ///< f32, also of halves
  /// 0 where `isInside` is false; nothing is read there then.
  mlir::Value loadOrZero(const GpuOperand &operand, Indices indices, mlir::Value isInside);
  mlir::Value loadAt(const GpuOperand &operand, mlir::Value position); ///< in elements from the start of the binding
  /// Whether elements whose last index is a multiple of four lie in groups of four that can be loaded at once.
  bool hasFours(const GpuOperand &operand) const;
  /// Such a group, or four times 0.
  Values loadFourOrZero(const GpuOperand &operand, Indices indices, mlir::Value isInside);
  void store(mlir::Value value, const GpuOperand &operand, Indices indices);
  void storeAt(mlir::Value value, const GpuOperand &operand, mlir::Value position);
  mlir::Value positionOf(const GpuOperand &operand, Indices indices);

  /// Leaves the status, a name of the runtime's, where `isGood` is false. Of those that threads race to leave, also
  /// those of other steps, the one of the largest number stays.
  void failUnless(mlir::Value isGood, llvm::StringRef status);

  /// What the values of all threads of the group combine to whose numbers leave the same rest by `columns`, known to each of
  /// them. `memory`: shared, an element for each thread. Both are powers of two. All threads must come here.
  mlir::Value meet(mlir::Value value, mlir::Value memory, int64_t columns, const Combination &combine);

  mlir::Value shared(int64_t elements, mlir::Type element = {}); ///< of f32, where nothing else is said
  mlir::Value loadShared(mlir::Value memory, mlir::Value index);
  void storeShared(mlir::Value value, mlir::Value memory, mlir::Value index);

private:
  Values loopResults(mlir::scf::ForOp loop);
  mlir::Value dequantized(mlir::Value byte, const kern::Dequantization &dequantization);
  mlir::Value meetBySubgroups(mlir::Value value, mlir::Value memory, const Combination &combine);
  mlir::Value bindingOf(size_t binding, mlir::Type element);
  mlir::Value loadPieces(const GpuOperand &operand, size_t piece, mlir::Type element, mlir::Value position,
                         int64_t elements);
  mlir::Value loadAs(const GpuOperand &operand, mlir::Type element, mlir::Value position);
  mlir::Value groupId(mlir::gpu::Dimension dimension);

  const StepBindings &bindings;
  const GpuProfile &target;
  int64_t usedBytes = 0;
  mlir::OwningOpRef<mlir::ModuleOp> owner;
  mlir::ImplicitLocOpBuilder b;
  mlir::gpu::GPUFuncOp function;
  llvm::MapVector<std::pair<size_t, mlir::Type>, unsigned> arguments; ///< by binding and element type
};

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_SHADER_H
