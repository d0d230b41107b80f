// Finds normalisation by a tensor's own mean and variance where exporters wrote it out, over any axes.
//
//   %m = nn.reduce mean %x            %v = nn.reduce mean %d * %d          ==>   %y = nn.normalize %x
//   %d = nn.sub %x, %m                %y = %d / nn.sqrt(%v + epsilon)
//
// Forms: a division by the deviation, a product with its reciprocal, a scale multiplied into that reciprocal first, and
// x * s + (offset - mean * s), as TensorFlow has it; the square as a product or a power, its difference computed again.
// Without the mean it is RMS normalisation. Scales and offsets stay what they are: products and sums.
#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"
#include "ir/nn/Shapes.h"
#include "lowering/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace aotc {

#define GEN_PASS_DEF_RECOGNIZENORMALIZATION
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

// -------------------------------------------------------------------------------------------------------- its parts
// A constant that is one number everywhere.
std::optional<double> numberOf(Value value) {
  ElementsAttr elements;
  auto type = cast<RankedTensorType>(value.getType());
  if (!isa<FloatType>(type.getElementType()) || !matchPattern(value, m_Constant(&elements)) ||
      (type.getNumElements() != 1 && !elements.isSplat()))
    return std::nullopt;
  return nn::HostTensor::view(elements).toDouble(0);
}

bool isNumber(Value value, double number) { return numberOf(value) == number; }

// The operand of a binary op that is not `other`; null where neither is.
template <class Op> Value otherOperand(Op op, Value other) {
  if (op.getX() == other)
    return op.getY();
  return op.getY() == other ? op.getX() : Value();
}

// The mean of `x` over the axes of `like` (null: any); null where `value` is none that keeps its dimensions.
nn::ReduceOp meanOf(Value value, Value x, nn::ReduceOp like = {}) {
  auto mean = value.getDefiningOp<nn::ReduceOp>();
  if (!mean || mean.getKind() != nn::ReduceKind::Mean || !mean.getKeepdims() || mean.getAxes().empty() ||
      (x && mean.getX() != x) || (like && mean.getAxes() != like.getAxes()))
    return {};
  return mean;
}

// What `value` is the square of; null where it is none.
Value squareRoot(Value value) {
  if (auto product = value.getDefiningOp<nn::MulOp>())
    return product.getX() == product.getY() ? product.getX() : Value();
  Operation *power = value.getDefiningOp();
  if (power && power->getName().getStringRef() == "nn.pow" && isNumber(power->getOperand(1), 2))
    return power->getOperand(0);
  return {};
}

// x - mean(x): x and the mean.
struct Centered {
  Value x;
  nn::ReduceOp mean;
};
std::optional<Centered> centered(Value value) {
  auto difference = value.getDefiningOp<nn::SubOp>();
  nn::ReduceOp mean = difference ? meanOf(difference.getY(), difference.getX()) : nn::ReduceOp();
  return mean ? std::optional<Centered>({difference.getX(), mean}) : std::nullopt;
}

// sqrt(mean(square) + epsilon): what is squared, and the mean of the squares.
struct Deviation {
  Value squared;
  nn::ReduceOp mean;
  double epsilon;
};
std::optional<Deviation> deviation(Value value) {
  auto root = value.getDefiningOp<nn::SqrtOp>();
  auto sum = root ? root.getX().getDefiningOp<nn::AddOp>() : nn::AddOp();
  if (!sum)
    return std::nullopt;
  for (auto [variance, epsilon] : {std::pair(sum.getX(), sum.getY()), std::pair(sum.getY(), sum.getX())}) {
    nn::ReduceOp mean = meanOf(variance, {});
    std::optional<double> number = numberOf(epsilon);
    Value squared = mean && sum.getType() == mean.getType() ? squareRoot(mean.getX()) : Value();
    if (squared && number)
      return Deviation{squared, mean, *number};
  }
  return std::nullopt;
}

std::optional<Deviation> reciprocalDeviation(Value value) {
  auto quotient = value.getDefiningOp<nn::DivOp>();
  if (quotient && isNumber(quotient.getX(), 1) && quotient.getType() == quotient.getY().getType())
    return deviation(quotient.getY());
  Operation *op = value.getDefiningOp();
  if (op && op->getName().getStringRef() == "nn.reciprocal")
    return deviation(op->getOperand(0));
  return std::nullopt;
}

// ------------------------------------------------------------------------------------------------------- the whole
// What numerator / deviation normalises; null where the two do not belong together.
Value normalized(PatternRewriter &rewriter, Location loc, Value numerator, Deviation by) {
  auto build = [&](Value x, bool rootMeanSquare) -> Value {
    auto type = cast<RankedTensorType>(x.getType());
    if (!type.getElementType().isF32() && !type.getElementType().isF64())
      return {};
    return rewriter.create<nn::NormalizeOp>(loc, x, by.mean.getAxes(), llvm::APFloat(static_cast<float>(by.epsilon)),
                                            rootMeanSquare);
  };
  std::optional<Centered> above = centered(numerator), below = centered(by.squared);
  if (above && below && above->x == below->x && above->mean.getAxes() == below->mean.getAxes() &&
      by.mean.getAxes() == above->mean.getAxes())
    return build(above->x, false);
  return by.squared == numerator ? build(numerator, true) : Value();
}

// A reciprocal deviation, perhaps multiplied by a scale (null otherwise).
struct Factor {
  Deviation by;
  Value scale;
};
std::optional<Factor> factorOf(Value value) {
  if (auto by = reciprocalDeviation(value))
    return Factor{*by, {}};
  auto product = value.getDefiningOp<nn::MulOp>();
  if (!product)
    return std::nullopt;
  for (auto [part, scale] : {std::pair(product.getX(), product.getY()), std::pair(product.getY(), product.getX())})
    if (auto by = reciprocalDeviation(part))
      return Factor{*by, scale};
  return std::nullopt;
}

// Replaces `op`, whose value `result * scale (+ offset)` is: of the same type, since no part of a deviation has more
// dimensions than the mean.
LogicalResult replace(PatternRewriter &rewriter, Operation *op, Value result, Value scale, Value offset) {
  if (!result)
    return failure();
  if (scale)
    result = rewriter.create<nn::MulOp>(op->getLoc(), result, scale);
  if (offset)
    result = rewriter.create<nn::AddOp>(op->getLoc(), result, offset);
  assert(result.getType() == op->getResult(0).getType() && "the parts broadcast as they did");
  rewriter.replaceOp(op, result);
  return success();
}

struct DividedByDeviation : OpRewritePattern<nn::DivOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::DivOp op, PatternRewriter &rewriter) const final {
    std::optional<Deviation> by = deviation(op.getY());
    if (!by)
      return failure();
    return replace(rewriter, op, normalized(rewriter, op.getLoc(), op.getX(), *by), {}, {});
  }
};

struct TimesReciprocal : OpRewritePattern<nn::MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::MulOp op, PatternRewriter &rewriter) const final {
    for (auto [value, factor] : {std::pair(op.getX(), op.getY()), std::pair(op.getY(), op.getX())})
      if (std::optional<Factor> found = factorOf(factor))
        if (Value result = normalized(rewriter, op.getLoc(), value, found->by))
          return replace(rewriter, op, result, found->scale, {});
    return failure();
  }
};

// x * f + (offset - mean * f), or x * f - mean * f.
struct TimesFactorPlusRest : OpRewritePattern<nn::AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::AddOp op, PatternRewriter &rewriter) const final {
    for (auto [first, second] : {std::pair(op.getX(), op.getY()), std::pair(op.getY(), op.getX())}) {
      auto product = first.getDefiningOp<nn::MulOp>();
      auto rest = second.getDefiningOp<nn::SubOp>();
      auto shift = rest ? rest.getY().getDefiningOp<nn::MulOp>() : nn::MulOp();
      if (!product || !shift)
        continue;
      for (auto [x, factor] : {std::pair(product.getX(), product.getY()), std::pair(product.getY(), product.getX())}) {
        std::optional<Factor> found = factorOf(factor);
        Value mean = found ? otherOperand(shift, factor) : Value();
        std::optional<Centered> below = mean ? centered(found->by.squared) : std::nullopt;
        if (!below || below->x != x || !meanOf(mean, x, found->by.mean) ||
            below->mean.getAxes() != found->by.mean.getAxes())
          continue;
        Value result = normalized(rewriter, op.getLoc(), found->by.squared, found->by);
        return replace(rewriter, op, result, found->scale, rest.getX());
      }
    }
    return failure();
  }
};

// Whole images are often flattened first (PyTorch's GroupNorm of one group): normalised as they are, they keep a layout
// that the flattening would fix.
struct ThroughReshape : OpRewritePattern<nn::NormalizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::NormalizeOp op, PatternRewriter &rewriter) const final {
    auto flattened = op.getX().getDefiningOp<nn::ReshapeOp>();
    if (!flattened || !op.getType().hasStaticShape())
      return failure();
    auto source = cast<RankedTensorType>(flattened.getX().getType());
    SmallVector<int64_t> axes;
    if (!source.hasStaticShape() || !findAxes(source.getShape(), op, axes))
      return failure();
    Value result =
        rewriter.create<nn::NormalizeOp>(op.getLoc(), flattened.getX(), axes, op.getEpsilon(), op.getRootMeanSquare());
    rewriter.replaceOp(op, nn::reshaped(rewriter, op.getLoc(), result, nn::extentsOf(op.getType())));
    return success();
  }

private:
  // The dimensions of `source` that the trailing normalised ones of the op are made of, where they are whole ones.
  static bool findAxes(ArrayRef<int64_t> source, nn::NormalizeOp op, SmallVectorImpl<int64_t> &axes) {
    ArrayRef<int64_t> shape = op.getType().getShape();
    int64_t first = op.getAxes().front(), rank = static_cast<int64_t>(shape.size());
    bool isTrailing = static_cast<int64_t>(op.getAxes().size()) == rank - first;
    int64_t length = ShapedType::getNumElements(shape.drop_front(first)), found = 1;
    for (int64_t axis = static_cast<int64_t>(source.size()); isTrailing && found < length && axis-- > 0;) {
      found *= source[axis];
      axes.insert(axes.begin(), axis);
    }
    return isTrailing && found == length && axes.size() > op.getAxes().size();
  }
};

struct RecognizeNormalization : impl::RecognizeNormalizationBase<RecognizeNormalization> {
  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    patterns.add<DividedByDeviation, TimesReciprocal, TimesFactorPlusRest, ThroughReshape>(&getContext());
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace aotc
