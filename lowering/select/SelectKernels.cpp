// Chooses each kernel's algorithm and packs its constant weights into the layout that the kernel reads. Nothing is
// packed at run time.
//
//   kern.conv2d ins(%x, %w : 64x3x3x3, …)        ==>   kern.conv2d ins(%x, %packed : 1x4x3x3x3x16, …)
#include "ir/kern/Dialect.h"
#include "lowering/Passes.h"
#include "lowering/select/Packing.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace aotc {

#define GEN_PASS_DEF_SELECTKERNELS
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

// Replaces the operand by a constant of its packed bytes.
void repack(OpOperand &operand, const nn::HostTensor &packed) {
  OpBuilder builder(operand.getOwner());
  Location loc = operand.get().getLoc();
  operand.set(builder.create<arith::ConstantOp>(loc, cast<TypedAttr>(Attribute(packed.toAttr()))));
}

void selectConvolution(kern::Conv2DOp conv) {
  ElementsAttr weights;
  if (!matchPattern(conv.getWeights(), m_Constant(&weights)))
    return;
  auto filter = cast<ShapedType>(weights.getType());
  int64_t groups = conv.getGroups();
  bool isDepthwise =
      groups > 1 && filter.getDimSize(1) == 1 && filter.getDimSize(0) == groups && !conv.getPlanarInput();
  conv.setKind(isDepthwise ? kern::ConvKind::Depthwise : kern::ConvKind::Direct);
  nn::HostTensor original = nn::HostTensor::view(weights);
  repack(conv.getWeightsMutable(),
         isDepthwise ? select::packDepthwise(original) : select::packConvolution(original, groups));
}

void selectMatMul(kern::MatMulOp matmul) {
  ElementsAttr weights;
  if (!matchPattern(matmul.getWeights(), m_Constant(&weights)) ||
      cast<ShapedType>(weights.getType()).getDimSize(0) != 1)
    return;
  matmul.setPacked(true);
  repack(matmul.getWeightsMutable(), select::packMatrix(nn::HostTensor::view(weights)));
}

struct SelectKernels : impl::SelectKernelsBase<SelectKernels> {
  void runOnOperation() final {
    getOperation().walk([](Operation *op) {
      if (auto conv = dyn_cast<kern::Conv2DOp>(op))
        selectConvolution(conv);
      else if (auto matmul = dyn_cast<kern::MatMulOp>(op))
        selectMatMul(matmul);
    });
  }
};

} // namespace

} // namespace aotc
