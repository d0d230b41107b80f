// Computes products of bytes by constant bytes on words of four.
//
//   nn.matmul (nn.dequantize %x, sx, zx), (nn.dequantize w, sw, zw)   ==>  nn.mul (nn.quantized_matmul %x, w - zw, zx),
//   nn.cast (nn.integer_matmul %x, w, %zx, zw) : f32                        ==>  nn.quantized_matmul %x, w - zw, %zx
//   nn.cast (nn.add (nn.integer_matmul …), b) : f32                         ==>  nn.add (nn.quantized_matmul …), f32(b)
//
// The sums are exact, so that the first is closer to the real product than its own f32 computation; scales and all that
// follows become the kernel's epilogue. A product stays as it is where the scale or zero point of x differs from row to
// row, where w has blocks or no one scale for a column, where w - zw does not fit into 8 bits, and where f32 cannot
// hold the product of the scales. Rows of x that are no whole words get up to three more elements, which meet rows of
// zeros.
#include "ir/nn/QuantizationFolding.h"
#include "lowering/Passes.h"
#include "lowering/precision/Quantization.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

namespace aotc {

#define GEN_PASS_DEF_INTEGERPRODUCTS
#include "lowering/Passes.h.inc"

using namespace mlir;
using precision::constant;
using precision::constantOf;
using precision::isByte;

namespace {

// Matrices of bytes less their zero points, as 16 bits, and a scale for each column, or one.
struct Weights {
  nn::HostTensor values;
  SmallVector<double> scales;
};

// w - zero as 16 bits, w [k, n] of bytes and zero one number or one for each column; nothing unless it fits into 8 bits.
std::optional<nn::HostTensor> signedBytes(const nn::HostTensor &w, const std::optional<nn::HostTensor> &zero) {
  nn::HostTensor result = nn::lessZeroPoints(w, zero, /*axis=*/1, IntegerType::get(w.type().getContext(), 16));
  bool fits = llvm::all_of(result.as<int16_t>(), [](int16_t value) { return value >= -128 && value <= 127; });
  return fits ? std::optional(std::move(result)) : std::nullopt;
}

bool isMatrix(const std::optional<nn::HostTensor> &w) { return w && w->type().getRank() == 2 && w->size() > 0; }

constexpr int64_t word = 4;

// With rows of zeros up to whole words.
nn::HostTensor paddedRows(const nn::HostTensor &matrix) {
  int64_t rows = matrix.type().getDimSize(0), columns = matrix.type().getDimSize(1);
  nn::HostTensor result(RankedTensorType::get({static_cast<int64_t>(llvm::alignTo(rows, word)), columns},
                                              matrix.type().getElementType()));
  for (int64_t i = 0; i < result.size(); ++i)
    result.setInteger(i, i < matrix.size() ? matrix.toInteger(i) : 0);
  return result;
}

// x [..., k] with as many columns as that; whatever they hold.
Value paddedColumns(OpBuilder &builder, Location loc, Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t depth = type.getShape().back();
  SmallVector<int64_t> low(type.getRank(), 0), high = low;
  high.back() = static_cast<int64_t>(llvm::alignTo(depth, word)) - depth;
  if (high.back() == 0)
    return x;
  return builder.create<nn::PadOp>(loc, x, low, high, nn::PadMode::Constant,
                                   IntegerAttr::get(type.getElementType(), 0));
}

nn::HostTensor transposed(const nn::HostTensor &matrix) {
  int64_t rows = matrix.type().getDimSize(0), columns = matrix.type().getDimSize(1);
  nn::HostTensor result(RankedTensorType::get({columns, rows}, matrix.type().getElementType()));
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      result.setInteger(c * rows + r, matrix.toInteger(r * columns + c));
  return result;
}

// One value, or one for each column of a matrix that is read transposed or as it is.
bool isPerColumn(const std::optional<nn::HostTensor> &values, int64_t axis, bool isTransposed, int64_t columns) {
  return values->size() == 1 ||
         (values->size() == columns && values->type().getRank() == 1 && axis == (isTransposed ? 0 : 1));
}

// [k, n] behind nn.dequantize, and nn.transpose where the exporter has it.
std::optional<Weights> weightsOf(Value value) {
  auto transpose = value.getDefiningOp<nn::TransposeOp>();
  auto source = (transpose ? transpose.getX() : value).getDefiningOp<nn::DequantizeOp>();
  if (!source || source.getBlockSize() != 0 || !isByte(source.getX()))
    return std::nullopt;
  std::optional<nn::HostTensor> integers = constantOf(source.getX()), scale = constantOf(source.getScale()),
                                zero = constantOf(source.getZeroPoint());
  if (!integers || !scale || (source.getZeroPoint() && !zero) || integers->type().getRank() != 2)
    return std::nullopt;
  nn::HostTensor matrix = transpose ? transposed(*integers) : *integers;
  int64_t columns = matrix.type().getDimSize(1), axis = static_cast<int64_t>(source.getAxis());
  bool isTransposed = transpose != nullptr;
  if (!isMatrix(matrix) || !isPerColumn(scale, axis, isTransposed, columns) ||
      (zero && !isPerColumn(zero, axis, isTransposed, columns)))
    return std::nullopt;
  std::optional<nn::HostTensor> values = signedBytes(matrix, zero);
  if (!values || !precision::sumsOfBytesFit(static_cast<uint64_t>(matrix.type().getDimSize(0))))
    return std::nullopt;
  Weights result{std::move(*values), {}};
  for (int64_t i = 0; i < scale->size(); ++i)
    result.scales.push_back(scale->toDouble(i));
  bool isFinite = llvm::all_of(result.scales, [](double value) { return std::isfinite(value); });
  return isFinite ? std::optional(std::move(result)) : std::nullopt;
}

// The zero point of x, [1].
Value zeroPoint(OpBuilder &builder, Location loc, Value x, int64_t value) {
  nn::HostTensor zero(RankedTensorType::get({1}, getElementTypeOrSelf(x.getType())));
  zero.setInteger(0, value);
  return constant(builder, loc, zero);
}

void rewriteDequantized(RewriterBase &rewriter, nn::MatMulOp matmul) {
  auto x = matmul.getA().getDefiningOp<nn::DequantizeOp>();
  std::optional<precision::Quantization> from = x && isByte(x.getX()) ? precision::perTensor(x) : std::nullopt;
  std::optional<Weights> weights =
      from && matmul.getType().getElementType().isF32() ? weightsOf(matmul.getB()) : std::nullopt;
  if (!weights)
    return;
  nn::HostTensor scales(RankedTensorType::get({static_cast<int64_t>(weights->scales.size())}, rewriter.getF32Type()));
  for (auto [i, scale] : llvm::enumerate(weights->scales)) {
    float unit = static_cast<float>(from->scale) * static_cast<float>(scale);
    if (scale != 0 && !std::isnormal(unit))
      return;
    scales.set(static_cast<int64_t>(i), static_cast<double>(unit));
  }
  Location loc = matmul.getLoc();
  rewriter.setInsertionPoint(matmul);
  Value sums = rewriter.create<nn::QuantizedMatMulOp>(loc, paddedColumns(rewriter, loc, x.getX()),
                                                      constant(rewriter, loc, paddedRows(weights->values)),
                                                      zeroPoint(rewriter, loc, x.getX(), from->zeroPoint));
  rewriter.replaceOpWithNewOp<nn::MulOp>(matmul, sums, constant(rewriter, loc, scales));
}

// What is added to a product before it becomes a float: QGemm has a bias there.
struct Sum {
  nn::IntegerMatMulOp product;
  std::optional<nn::HostTensor> bias;
};

Sum sumOf(Value value) {
  auto add = value.getDefiningOp<nn::AddOp>();
  if (!add || !add->hasOneUse())
    return {value.getDefiningOp<nn::IntegerMatMulOp>(), {}};
  for (unsigned i : {0u, 1u})
    if (std::optional<nn::HostTensor> bias = constantOf(add->getOperand(1 - i)))
      return {add->getOperand(i).getDefiningOp<nn::IntegerMatMulOp>(), std::move(bias)};
  return {};
}

// Whether f32 holds every sum of products and bias, so that the bias may be added there.
bool fitsFloat(const nn::HostTensor &weights, const nn::HostTensor &bias) {
  double largestBias = 0;
  for (int64_t i = 0; i < bias.size(); ++i)
    largestBias = std::max(largestBias, std::abs(bias.toDouble(i)));
  return precision::sumsFitFloat(precision::magnitudesOf(weights, /*axis=*/1), /*largestX=*/255, largestBias);
}

void rewriteCast(RewriterBase &rewriter, nn::CastOp cast) {
  auto [product, bias] = sumOf(cast.getX());
  if (!product || !product->hasOneUse() || !cast.getType().getElementType().isF32() || !isByte(product.getA()) ||
      !isByte(product.getB()) ||
      mlir::cast<RankedTensorType>(product.getAZeroPoint().getType()).getShape() != ArrayRef<int64_t>{1})
    return;
  std::optional<nn::HostTensor> w = constantOf(product.getB()), zero = constantOf(product.getBZeroPoint());
  std::optional<nn::HostTensor> values = isMatrix(w) && zero ? signedBytes(*w, zero) : std::nullopt;
  if (!values || (bias && !fitsFloat(*values, *bias)))
    return;
  rewriter.setInsertionPoint(cast);
  Location loc = rewriter.getFusedLoc({product.getLoc(), cast.getLoc()});
  Value sums =
      rewriter.create<nn::QuantizedMatMulOp>(loc, paddedColumns(rewriter, loc, product.getA()),
                                             constant(rewriter, loc, paddedRows(*values)), product.getAZeroPoint());
  rewriter.replaceOp(
      cast, bias ? rewriter.create<nn::AddOp>(loc, sums, constant(rewriter, loc, precision::asFloats(*bias))) : sums);
}

struct IntegerProducts : impl::IntegerProductsBase<IntegerProducts> {
  void runOnOperation() final {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> candidates;
    getOperation().walk([&](Operation *op) {
      if (isa<nn::MatMulOp, nn::CastOp>(op))
        candidates.push_back(op);
    });
    for (Operation *op : candidates) {
      if (auto cast = dyn_cast<nn::CastOp>(op))
        rewriteCast(rewriter, cast);
      else
        rewriteDequantized(rewriter, mlir::cast<nn::MatMulOp>(op));
    }
  }
};

} // namespace

} // namespace aotc
