// Lets what only moves or picks elements work on quantized ones: their conversions move to its far side, where they
// meet another conversion, or a convolution or product that takes integers.
//
//   %r = nn.dequantize %x, s, z        ==>   %m = nn.max_pool %x
//   %m = nn.max_pool %r                      %y = %m
//   %y = nn.quantize %m, s, z
//
//   %c = nn.concat %a, %b              ==>   %y = nn.concat (nn.quantize %a, s, z), (nn.quantize %b, s, z)
//   %y = nn.quantize %c, s, z
//
// The same numbers, since both conversions are functions of one element, and dequantization keeps their order. Only for
// conversions with one scale for the tensor, which do not depend on where an element lies. What is padded with a number
// is padded with the byte that stands for it; in front of a convolution, where that is 0, by the convolution itself
// (JoinPads).
#include "ir/nn/Dialect.h"
#include "ir/nn/QuantizationFolding.h"
#include "ir/nn/Window.h"
#include "lowering/Passes.h"
#include "lowering/precision/JoinPads.h"
#include "lowering/precision/Quantization.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace aotc {

#define GEN_PASS_DEF_KEEPBYTES
#include "lowering/Passes.h.inc"

using namespace mlir;
using precision::padValue;
using precision::perTensor;
using precision::Quantization;

namespace {

// Whether the result's elements are those of the first operand, or some of them; operands behind it only say which.
bool picksElements(Operation *op) { return isa<nn::ReshapeOp, nn::TransposeOp, nn::SliceOp, nn::GatherOp>(op); }

bool isNearest(Operation *op) {
  auto resize = dyn_cast<nn::ResizeOp>(op);
  return resize && resize.getMode() == "nearest" && !resize.getAntialias() &&
         resize.getCoordinateTransformationMode() != "tf_crop_and_resize";
}

// Whether each window of the pool has an element of x in it: no byte stands for the lowest float, which others have.
bool everyWindowHasElements(nn::MaxPoolOp pool) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(pool.getX().getType()).getShape();
  ArrayRef<int64_t> spatial = nn::spatialPart(shape, pool.getChannelsLast());
  size_t rank = spatial.size();
  for (size_t i = 0; i < rank; ++i) { // of neighbours in a window, one lies within any `dilation` positions
    int64_t dilation = pool.getDilations()[i], reach = (pool.getKernel()[i] - 1) * dilation;
    bool meetsElements = dilation == 1 || (!ShapedType::isDynamic(spatial[i]) && spatial[i] >= dilation);
    if (!meetsElements || pool.getPads()[i] > reach || pool.getPads()[rank + i] > reach)
      return false;
  }
  return true;
}

// Whether the result's elements are those of the first operand, whatever they are.
bool takesElements(Operation *op) {
  auto pool = dyn_cast<nn::MaxPoolOp>(op);
  return picksElements(op) || isNearest(op) || (pool && everyWindowHasElements(pool));
}

float realOf(int64_t byte, const Quantization &from) {
  return nn::dequantized(static_cast<double>(byte), static_cast<float>(from.scale),
                         static_cast<double>(from.zeroPoint));
}

// Whether a byte stands for just what the op pads with.
bool padsExactly(Operation *op, const Quantization &from, Type type) {
  auto pad = dyn_cast<nn::PadOp>(op);
  return pad && getElementTypeOrSelf(pad.getType()).isF32() &&
         realOf(precision::quantized(padValue(pad), from, cast<IntegerType>(type)), from) ==
             static_cast<float>(padValue(pad));
}

// Whether the op only picks a part of a table, which is smaller in bytes; other constants become real values where they
// are, or weights.
bool readsTable(Operation *op) {
  auto gather = dyn_cast<nn::GatherOp>(op);
  return gather && !precision::constantOf(gather.getIndices());
}

// A copy of `op` on other operands, whose elements are those of the first; what it adds is quantized.
Value onElementsOf(RewriterBase &rewriter, Operation *op, ValueRange operands, const Quantization &quantization) {
  Operation *copy = rewriter.clone(*op);
  copy->setOperands(operands);
  auto element = dyn_cast<IntegerType>(getElementTypeOrSelf(operands[0].getType()));
  if (auto pad = dyn_cast<nn::PadOp>(copy)) {
    APInt byte(element.getWidth(), static_cast<uint64_t>(precision::quantized(padValue(pad), quantization, element)),
               true);
    pad.setValueAttr(IntegerAttr::get(element, byte));
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  copy->getResult(0).setType(type.clone(getElementTypeOrSelf(operands[0].getType())));
  return copy->getResult(0);
}

bool isQuantizedInF32(nn::QuantizeOp op) {
  return isa<IntegerType>(op.getTo()) && getElementTypeOrSelf(op.getX().getType()).isF32();
}

nn::QuantizeOp quantizeLike(RewriterBase &rewriter, nn::QuantizeOp op, Value value) {
  return rewriter.create<nn::QuantizeOp>(op.getLoc(), value, op.getScale(), op.getZeroPoint(), op.getAxis(),
                                         op.getBlockSize(), op.getTo());
}

// op(nn.dequantize %x) ==> nn.dequantize op(%x)
struct SinkDequantization : RewritePattern {
  explicit SinkDequantization(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const final {
    bool picks = takesElements(op);
    if (!picks && !isa<nn::PadOp>(op))
      return failure();
    auto source = op->getOperand(0).getDefiningOp<nn::DequantizeOp>();
    std::optional<Quantization> from = source && precision::isByte(source.getX()) ? perTensor(source) : std::nullopt;
    if (!from || (precision::constantOf(source.getX()) && !readsTable(op)) ||
        (!picks && !padsExactly(op, *from, getElementTypeOrSelf(source.getX().getType()))))
      return failure();
    SmallVector<Value> operands(op->getOperands());
    operands[0] = source.getX();
    Value moved = onElementsOf(rewriter, op, operands, *from);
    rewriter.replaceOp(op, rewriter.create<nn::DequantizeOp>(source.getLoc(), moved, source.getScale(),
                                                             source.getZeroPoint(), source.getAxis(),
                                                             source.getBlockSize()));
    return success();
  }
};

// nn.quantize op(%x) ==> op(nn.quantize %x)
struct HoistQuantization : OpRewritePattern<nn::QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::QuantizeOp quantize, PatternRewriter &rewriter) const final {
    Operation *op = quantize.getX().getDefiningOp();
    std::optional<Quantization> to = perTensor(quantize);
    if (!isa_and_nonnull<nn::ConcatOp, nn::ReshapeOp, nn::TransposeOp, nn::PadOp>(op) || !op->hasOneUse() || !to)
      return failure();
    if (isa<nn::PadOp>(op) && !isQuantizedInF32(quantize))
      return failure();
    rewriter.setInsertionPoint(op);
    SmallVector<Value> operands(op->getOperands());
    size_t quantized = isa<nn::ConcatOp>(op) ? operands.size() : 1;
    for (Value &operand : MutableArrayRef(operands).take_front(quantized))
      operand = quantizeLike(rewriter, quantize, operand);
    rewriter.replaceOp(quantize, onElementsOf(rewriter, op, operands, *to));
    rewriter.eraseOp(op);
    return success();
  }
};

// nn.quantize(nn.dequantize %x) ==> %x, where both have the same scale and zero point: (n * s) / s is off from n by two
// roundings, which is less than half for any n of 16 bits, as long as n * s neither overflows nor becomes subnormal.
struct CancelConversions : OpRewritePattern<nn::QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::QuantizeOp quantize, PatternRewriter &rewriter) const final {
    auto source = quantize.getX().getDefiningOp<nn::DequantizeOp>();
    if (!source || source.getX().getType() != quantize.getType() ||
        getElementTypeOrSelf(quantize.getType()).getIntOrFloatBitWidth() > 16 ||
        !getElementTypeOrSelf(source.getType()).isF32())
      return failure();
    std::optional<Quantization> from = perTensor(source), to = perTensor(quantize);
    if (!from || !to || from->scale != to->scale || from->zeroPoint != to->zeroPoint || to->scale < 1e-30 ||
        to->scale > 1e30)
      return failure();
    rewriter.replaceOp(quantize, source.getX());
    return success();
  }
};

struct KeepBytes : impl::KeepBytesBase<KeepBytes> {
  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    patterns.add<SinkDequantization, HoistQuantization, CancelConversions>(&getContext());
    precision::populateJoinPads(patterns);
    GreedyRewriteConfig config;
    config.maxIterations = GreedyRewriteConfig::kNoLimit;
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace

} // namespace aotc
