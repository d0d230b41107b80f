// Stores constant weights in 16 bits where the kernel that reads them takes either: it converts in registers.
//
//   %w = arith.constant … : tensor<64x3x3x3xf32>          %w = arith.constant … : tensor<64x3x3x3xf16>
//   kern.conv2d ins(%x, %w, …)                      ==>   kern.conv2d ins(%x, %w, …)
//
// With a precision asked for, all of them are rounded. Else those become halves again that were halves in the model,
// which `aotc.half_types` says of it, and that still are: nothing is lost. The type of the constant is what later passes
// know the choice by, so it may differ from layer to layer. f32 asked for keeps all as they are. Few weights stay f32:
// they take no room worth saving.
#include "ir/kern/Dialect.h"
#include "ir/nn/Exact.h"
#include "ir/nn/Halves.h"
#include "ir/nn/LargeConstants.h"
#include "lowering/Passes.h"
#include "lowering/select/ReplaceConstant.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

namespace aotc {

#define GEN_PASS_DEF_HALVEWEIGHTS
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

constexpr int64_t fewestWeights = 256;

StringRef nameOf(Type half) { return half.isF16() ? "float16" : "bfloat16"; }

std::string indexText(ArrayRef<int64_t> shape, int64_t element) {
  std::string text;
  for (auto [extent, stride] : llvm::zip(shape, nn::rowMajorStrides(shape)))
    text += (text.empty() ? "" : ", ") + std::to_string(element / stride % extent);
  return "[" + text + "]";
}

class Halving {
public:
  // `asked` is null where no precision was asked for.
  Halving(ModuleOp module, Type asked, bool readsBFloat16) : asked(asked), constants(module) {
    if (auto types = module->getAttrOfType<ArrayAttr>("aotc.half_types"))
      exact = llvm::to_vector(types.getAsValueRange<TypeAttr>());
    if (!readsBFloat16)
      llvm::erase_if(exact, [](Type half) { return half.isBF16(); });
  }

  void visit(kern::KernelOp op) {
    if (nn::isExact(op))
      return; // products of halves round their sums
    for (OpOperand &operand : op->getOpOperands()) {
      ElementsAttr elements;
      if (!op.acceptsHalves(operand.getOperandNumber()) || !matchPattern(operand.get(), m_Constant(&elements)) ||
          !elements.getElementType().isF32() || elements.getNumElements() < fewestWeights)
        continue;
      nn::HostTensor weights = nn::HostTensor::view(elements);
      if (Type half = choose(op, weights))
        select::replaceConstant(operand, nn::toHalves(weights, half), constants);
    }
  }

private:
  // Null: f32.
  Type choose(Operation *op, const nn::HostTensor &weights) const {
    if (asked)
      return fits(op, weights) ? asked : Type();
    auto found = llvm::find_if(exact, [&](Type half) { return nn::findInexact(weights, half) < 0; });
    return found == exact.end() ? Type() : *found;
  }

  // A weight that became infinite would be found when the model runs.
  bool fits(Operation *op, const nn::HostTensor &weights) const {
    int64_t overflow = nn::findOverflow(weights, asked);
    if (overflow < 0)
      return true;
    op->emitWarning() << "weight " << indexText(weights.type().getShape(), overflow) << ", "
                      << weights.as<float>()[static_cast<size_t>(overflow)] << ", is too large for " << nameOf(asked)
                      << ": the layer keeps float32";
    return false;
  }

  Type asked;
  SmallVector<Type> exact;
  nn::LargeConstants constants;
};

struct HalveWeights : impl::HalveWeightsBase<HalveWeights> {
  using HalveWeightsBase::HalveWeightsBase;
  void runOnOperation() final {
    Builder builder(&getContext());
    Type asked = precision == "f16"    ? Type(builder.getF16Type())
                 : precision == "bf16" ? Type(builder.getBF16Type())
                                       : Type();
    assert((asked || precision.empty() || precision == "f32") && "one of the types that weights are stored in");
    if (precision == "f32")
      return;
    Halving halving(getOperation(), asked, bfloat16);
    getOperation().walk([&](kern::KernelOp op) { halving.visit(op); });
  }
};

} // namespace

} // namespace aotc
