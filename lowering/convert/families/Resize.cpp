// Resize as tables: for each output row and column, which input elements count and how much.
//
// ONNX's coordinate rules, nearest rules and cubic weights are evaluated here, in the float arithmetic that the
// standard's formulas imply, so that the kernel is one separable sum whatever the mode.
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "lowering/convert/Convert.h"
#include <cmath>

using namespace mlir;

namespace aotc::convert {

namespace {

// The taps of one axis: index and weight [outputs][taps].
struct Taps {
  int64_t count = 1;
  SmallVector<int32_t> indices;
  SmallVector<float> weights;
};

// Where output element i of `outputs` lies among `inputs` elements; see "Resize" in the ONNX operator specification.
float sourceCoordinate(nn::ResizeOp op, int64_t i, int64_t inputs, int64_t outputs, float scale) {
  StringRef mode = op.getCoordinateTransformationMode();
  float x = static_cast<float>(i), length = static_cast<float>(outputs);
  if (mode == "align_corners") {
    // The length is that of the scale, not rounded down, unless the sizes were given.
    float exact = scale == length / static_cast<float>(inputs) ? length : scale * static_cast<float>(inputs);
    return outputs == 1 ? 0.0f : x * static_cast<float>(inputs - 1) / (exact - 1.0f);
  }
  if (mode == "asymmetric")
    return x / scale;
  if (mode == "pytorch_half_pixel")
    return outputs > 1 ? (x + 0.5f) / scale - 0.5f : 0.0f;
  if (mode == "half_pixel_symmetric") {
    float adjustment = length / (scale * static_cast<float>(inputs));
    float center = static_cast<float>(inputs) / 2.0f;
    return center * (1.0f - adjustment) + (x + 0.5f) / scale - 0.5f;
  }
  return (x + 0.5f) / scale - 0.5f; // half_pixel
}

int32_t nearest(StringRef mode, float x) {
  if (mode == "floor")
    return static_cast<int32_t>(std::floor(x));
  if (mode == "ceil")
    return static_cast<int32_t>(std::ceil(x));
  if (mode == "round_prefer_ceil")
    return static_cast<int32_t>(std::floor(x + 0.5f));
  return static_cast<int32_t>(std::ceil(x - 0.5f)); // round_prefer_floor
}

// Keys' cubic convolution weights of the four neighbours of a point at fraction t; a is ONNX's cubic_coeff_a.
void cubicWeights(float t, float a, float (&weights)[4]) {
  weights[0] = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a;
  weights[1] = ((a + 2) * t - (a + 3)) * t * t + 1;
  weights[2] = ((a + 2) * (1 - t) - (a + 3)) * (1 - t) * (1 - t) + 1;
  weights[3] = ((a * (2 - t) - 5 * a) * (2 - t) + 8 * a) * (2 - t) - 4 * a;
}

// Appends one output element's taps, indices clamped into the input.
void appendTaps(nn::ResizeOp op, float x, int64_t inputs, Taps &taps) {
  auto clamped = [&](int64_t index) { return static_cast<int32_t>(std::clamp<int64_t>(index, 0, inputs - 1)); };
  if (op.getMode() == "nearest") {
    taps.indices.push_back(clamped(nearest(op.getNearestMode(), x)));
    taps.weights.push_back(1.0f);
    return;
  }
  int64_t first = static_cast<int64_t>(std::floor(x));
  float t = x - static_cast<float>(first);
  if (op.getMode() == "linear") {
    float inside = std::clamp(x, 0.0f, static_cast<float>(inputs - 1));
    first = static_cast<int64_t>(std::floor(inside));
    t = inside - static_cast<float>(first);
    taps.indices.append({clamped(first), clamped(first + 1)});
    taps.weights.append({1.0f - t, t});
    return;
  }
  float weights[4], sum = 0.0f;
  cubicWeights(t, op.getCubicCoeffA().convertToFloat(), weights);
  for (int64_t k = 0; k < 4; ++k) {
    bool isOutside = first - 1 + k < 0 || first - 1 + k >= inputs;
    if (op.getExcludeOutside() && isOutside)
      weights[k] = 0.0f;
    sum += weights[k];
  }
  for (int64_t k = 0; k < 4; ++k) {
    taps.indices.push_back(clamped(first - 1 + k));
    taps.weights.push_back(op.getExcludeOutside() ? weights[k] / sum : weights[k]);
  }
}

Taps tapsOf(nn::ResizeOp op, int64_t axis) {
  int64_t inputs = shapeOf(op.getX())[axis], outputs = op.getSizes()[axis];
  Taps taps;
  if (inputs == outputs && op.getScales()[axis] == 1.0f) {
    for (int64_t i = 0; i < outputs; ++i)
      taps.indices.push_back(static_cast<int32_t>(i));
    taps.weights.assign(outputs, 1.0f);
    return taps;
  }
  for (int64_t i = 0; i < outputs; ++i)
    appendTaps(op, sourceCoordinate(op, i, inputs, outputs, op.getScales()[axis]), inputs, taps);
  taps.count = static_cast<int64_t>(taps.indices.size()) / std::max<int64_t>(1, outputs);
  return taps;
}

struct LowerResize : OpConversionPattern<nn::ResizeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::ResizeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    if (failed(checkSupported(op)))
      return failure();
    // Two resized dimensions side by side are rows and columns; what is before is the batch, what is after are
    // channels.
    SmallVector<int64_t> resized = resizedAxes(op);
    if (resized.empty()) {
      rewriter.replaceOp(op, adaptor.getX());
      return success();
    }
    int64_t last = resized.back(), first = last - 1;
    if (resized.size() > 2 || (resized.size() == 2 && resized.front() != first))
      return op.emitError("only one dimension, or two neighbouring ones, can be resized");
    rewriter.replaceOp(op, resizeRows(rewriter, op, adaptor.getX(), resized.size() == 2 ? first : -1, last));
    return success();
  }

private:
  static LogicalResult checkSupported(nn::ResizeOp op) {
    if (op.getCoordinateTransformationMode() == "tf_crop_and_resize")
      return op.emitError("'coordinate_transformation_mode' tf_crop_and_resize is not supported");
    if (op.getAntialias())
      return op.emitError("'antialias' is not supported");
    if (!cast<RankedTensorType>(op.getX().getType()).hasStaticShape())
      return op.emitError("all extents must be known, found a bounded dim");
    if (!op.getType().getElementType().isF32())
      return op.emitError("only f32 can be resized, found ") << op.getType().getElementType();
    return success();
  }

  static SmallVector<int64_t> resizedAxes(nn::ResizeOp op) {
    SmallVector<int64_t> axes;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getX().getType()).getShape();
    for (auto [axis, extent] : llvm::enumerate(shape))
      if (extent != op.getSizes()[axis] || op.getScales()[axis] != 1.0f)
        axes.push_back(axis);
    return axes;
  }

  static Value resizeRows(OpBuilder &builder, nn::ResizeOp op, Value x, int64_t rowAxis, int64_t columnAxis) {
    Location loc = op.getLoc();
    ArrayRef<int64_t> shape = shapeOf(x);
    int64_t head = rowAxis < 0 ? columnAxis : rowAxis;
    int64_t batch = ShapedType::getNumElements(shape.take_front(head));
    int64_t channels = ShapedType::getNumElements(shape.drop_front(columnAxis + 1));
    int64_t rows = rowAxis < 0 ? 1 : shape[rowAxis], outRows = rowAxis < 0 ? 1 : op.getSizes()[rowAxis];
    Taps rowTaps{1, {0}, {1.0f}}, columnTaps = tapsOf(op, columnAxis);
    if (rowAxis >= 0)
      rowTaps = tapsOf(op, rowAxis);
    Value image = reshape(builder, loc, x, {batch, rows, shape[columnAxis], channels});
    Value out = emptyTensor(builder, loc, {batch, outRows, op.getSizes()[columnAxis], channels}, elementOf(x));
    SmallVector<Value> tables;
    for (const Taps *taps : {&rowTaps, &columnTaps}) {
      SmallVector<int64_t> table{static_cast<int64_t>(taps->indices.size()) / taps->count, taps->count};
      tables.push_back(constant(builder, loc, RankedTensorType::get(table, builder.getI32Type()), taps->indices));
      tables.push_back(constant(builder, loc, RankedTensorType::get(table, builder.getF32Type()), taps->weights));
    }
    Value result =
        builder.create<kern::Resize2DOp>(loc, out.getType(), image, tables[0], tables[1], tables[2], tables[3], out)
            ->getResult(0);
    return reshape(builder, loc, result, op.getType().getShape());
  }
};

} // namespace

void populateResize(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerResize>(types, patterns.getContext());
}

} // namespace aotc::convert
