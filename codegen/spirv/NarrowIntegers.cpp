// Patterns in two places: arithmetic that depends on the upper bits is widened while it is arith; loads and extensions
// are converted to SPIR-V, where a narrow integer is a word whose upper bits hold anything.
#include "codegen/spirv/NarrowIntegers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"

using namespace mlir;

namespace aotc::codegen {

// More than a truth, and less than a word.
static bool isNarrow(Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() > 1 && integer.getWidth() < 32;
}

Value widened(OpBuilder &builder, Location loc, Value value, bool isSigned) {
  Type word = builder.getI32Type();
  return isSigned ? builder.create<arith::ExtSIOp>(loc, word, value).getResult()
                  : builder.create<arith::ExtUIOp>(loc, word, value).getResult();
}

namespace {

// An op on integers of one type whose result has that type too, or is a float.
template <class Op, bool isSigned> struct Widen : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    Type type = op->getOperand(0).getType(), result = op->getResult(0).getType();
    if (!isNarrow(type))
      return failure();
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(widened(rewriter, op.getLoc(), operand, isSigned));
    Type wide = isNarrow(result) ? rewriter.getI32Type() : result;
    Value value = rewriter.create<Op>(op.getLoc(), TypeRange(wide), operands)->getResult(0);
    rewriter.replaceOp(op, wide == result ? value : rewriter.create<arith::TruncIOp>(op.getLoc(), result, value));
    return success();
  }
};

struct WidenComparison : OpRewritePattern<arith::CmpIOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::CmpIOp op, PatternRewriter &rewriter) const final {
    if (!isNarrow(op.getLhs().getType()))
      return failure();
    using Predicate = arith::CmpIPredicate;
    const bool isSigned =
        llvm::is_contained({Predicate::slt, Predicate::sle, Predicate::sgt, Predicate::sge}, op.getPredicate());
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, op.getPredicate(),
                                               widened(rewriter, op.getLoc(), op.getLhs(), isSigned),
                                               widened(rewriter, op.getLoc(), op.getRhs(), isSigned));
    return success();
  }
};

// The integer of `width` bits in a word, extended to all of it.
Value extendedWord(OpBuilder &builder, Location loc, Value word, unsigned width, bool isSigned) {
  Type type = word.getType();
  auto constant = [&](int64_t value) -> Value {
    return builder.create<spirv::ConstantOp>(loc, type, builder.getIntegerAttr(type, value));
  };
  if (!isSigned)
    return builder.create<spirv::BitwiseAndOp>(loc, word, constant((int64_t(1) << width) - 1));
  Value count = constant(32 - width);
  Value high = builder.create<spirv::ShiftLeftLogicalOp>(loc, type, word, count);
  return builder.create<spirv::ShiftRightArithmeticOp>(loc, type, high, count);
}

// To a type that may have more bits than a word.
template <class Op, class Convert, bool isSigned> struct ExtendWord : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  using Adaptor = typename Op::Adaptor;

  LogicalResult matchAndRewrite(Op op, Adaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Value word = adaptor.getIn();
    if (!isNarrow(op.getIn().getType()) || !word.getType().isInteger(32))
      return failure();
    word = extendedWord(rewriter, op.getLoc(), word, op.getIn().getType().getIntOrFloatBitWidth(), isSigned);
    Type type = this->getTypeConverter()->convertType(op.getType());
    if (type == word.getType())
      rewriter.replaceOp(op, word);
    else
      rewriter.replaceOpWithNewOp<Convert>(op, type, word);
    return success();
  }
};

} // namespace

void populateNarrowIntegerPatterns(RewritePatternSet &patterns) {
  patterns.add<WidenComparison, Widen<arith::SIToFPOp, true>, Widen<arith::UIToFPOp, false>,
               Widen<arith::DivSIOp, true>, Widen<arith::DivUIOp, false>, Widen<arith::RemSIOp, true>,
               Widen<arith::RemUIOp, false>, Widen<arith::ShLIOp, false>, Widen<arith::ShRSIOp, true>,
               Widen<arith::ShRUIOp, false>, Widen<arith::MaxSIOp, true>, Widen<arith::MaxUIOp, false>,
               Widen<arith::MinSIOp, true>, Widen<arith::MinUIOp, false>, Widen<math::AbsIOp, true>>(
      patterns.getContext());
}

void populateNarrowIntegerConversions(SPIRVTypeConverter &types, RewritePatternSet &patterns) {
  const PatternBenefit first = 2;
  patterns
      .add<ExtendWord<arith::ExtSIOp, spirv::SConvertOp, true>, ExtendWord<arith::ExtUIOp, spirv::UConvertOp, false>,
           ExtendWord<arith::IndexCastOp, spirv::SConvertOp, true>,
           ExtendWord<arith::IndexCastUIOp, spirv::UConvertOp, false>>(types, patterns.getContext(), first);
}

} // namespace aotc::codegen
