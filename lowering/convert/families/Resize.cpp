// Resize as tables: for each output row and column, which input elements count and how much.
//
// ONNX's coordinate rules, nearest rules and cubic weights are evaluated here, in the float arithmetic that the
// standard's formulas imply, so that the kernel is one separable sum whatever the mode.
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"
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

// One dimension of a resize.
struct Axis {
  int64_t axis, inputs, outputs;
  float scale;
  float roiBegin, roiEnd; // of tf_crop_and_resize

  // The result's length before it was cut to an integer, which is what ONNX's definition computes with. Sizes give
  // scales that are rounded quotients: their lengths are those integers.
  float length() const {
    float exact = scale * static_cast<float>(inputs), whole = std::round(exact);
    return std::fabs(exact - whole) < 1e-4f * whole ? whole : exact;
  }
};

// Where output element i lies among the inputs; see "Resize" in the ONNX operator specification.
float sourceCoordinate(StringRef mode, const Axis &a, int64_t i) {
  float x = static_cast<float>(i), inputs = static_cast<float>(a.inputs), length = a.length();
  if (mode == "align_corners")
    return length == 1 ? 0.0f : x * (inputs - 1) / (length - 1);
  if (mode == "asymmetric")
    return x / a.scale;
  if (mode == "pytorch_half_pixel")
    return a.outputs > 1 ? (x + 0.5f) / a.scale - 0.5f : 0.0f;
  if (mode == "half_pixel_symmetric") {
    float adjustment = static_cast<float>(a.outputs) / (a.scale * inputs);
    float center = inputs / 2.0f;
    return center * (1.0f - adjustment) + (x + 0.5f) / a.scale - 0.5f;
  }
  if (mode == "tf_crop_and_resize") {
    float range = (a.roiEnd - a.roiBegin) * (inputs - 1);
    return (length == 1 ? range / 2 : x * range / (length - 1)) + a.roiBegin * (inputs - 1);
  }
  return (x + 0.5f) / a.scale - 0.5f; // half_pixel
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

// Keys' cubic at distance x.
float cubicAt(float x, float a) {
  x = std::fabs(x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0.0f;
}

// Appends the taps of one output element at x, `first` the first one's input: indices are clamped into the input; those
// outside count as 0 with exclude_outside, and the others make up for them.
void appendWeights(nn::ResizeOp op, int64_t first, MutableArrayRef<float> weights, int64_t inputs, Taps &taps) {
  float sum = 0.0f;
  for (auto [k, weight] : llvm::enumerate(weights)) {
    int64_t index = first + static_cast<int64_t>(k);
    if (op.getExcludeOutside() && (index < 0 || index >= inputs))
      weight = 0.0f;
    sum += weight;
  }
  for (auto [k, weight] : llvm::enumerate(weights)) {
    int64_t index = first + static_cast<int64_t>(k);
    taps.indices.push_back(static_cast<int32_t>(std::clamp<int64_t>(index, 0, inputs - 1)));
    taps.weights.push_back(op.getExcludeOutside() ? weight / sum : weight);
  }
}

// Where an image shrinks, the interpolating function is stretched over as many inputs as there are to an output.
void appendAntialiased(nn::ResizeOp op, float x, const Axis &a, Taps &taps) {
  bool isCubic = op.getMode() == "cubic";
  float scale = std::min(a.scale, 1.0f), coefficient = op.getCubicCoeffA().convertToFloat();
  int64_t start = static_cast<int64_t>(std::floor((isCubic ? -2.0f : -1.0f) / scale)) + 1;
  int64_t left = static_cast<int64_t>(std::ceil(x)) - 1; // the fraction is in (0, 1]
  float fraction = x - static_cast<float>(left), sum = 0.0f;
  SmallVector<float> weights;
  for (int64_t k = start; k < 2 - start; ++k) {
    float distance = (static_cast<float>(k) - fraction) * scale;
    weights.push_back(isCubic ? cubicAt(distance, coefficient) : std::max(0.0f, 1.0f - std::fabs(distance)));
    sum += weights.back();
  }
  for (float &weight : weights)
    weight /= sum;
  appendWeights(op, left + start, weights, a.inputs, taps);
}

// Appends one output element's taps.
void appendTaps(nn::ResizeOp op, float x, const Axis &a, Taps &taps) {
  if (op.getMode() == "nearest") {
    float weight = 1.0f;
    int64_t index = std::clamp<int64_t>(nearest(op.getNearestMode(), x), 0, a.inputs - 1);
    return appendWeights(op, index, weight, a.inputs, taps);
  }
  if (op.getAntialias() && a.scale < 1)
    return appendAntialiased(op, x, a, taps);
  if (op.getMode() == "linear") // beyond the edges all of the outermost element, whatever stands beside it
    x = std::clamp(x, 0.0f, static_cast<float>(a.inputs - 1));
  int64_t first = static_cast<int64_t>(std::floor(x));
  float t = x - static_cast<float>(first);
  if (op.getMode() == "linear") {
    float weights[2] = {1.0f - t, t};
    return appendWeights(op, first, weights, a.inputs, taps);
  }
  float weights[4];
  cubicWeights(t, op.getCubicCoeffA().convertToFloat(), weights);
  appendWeights(op, first - 1, weights, a.inputs, taps);
}

// The taps of one dimension's outputs, but for those that a crop finds outside, which are the `low` first and the
// `high` last ones.
struct Table {
  Axis axis;
  Taps taps;
  int64_t low = 0, high = 0;
  int64_t rows() const { return axis.outputs - low - high; }
};

Table tableOf(nn::ResizeOp op, const Axis &axis) {
  Table table{axis, {}};
  bool crops = op.getCoordinateTransformationMode() == "tf_crop_and_resize";
  for (int64_t i = 0; i < axis.outputs; ++i) {
    float x = sourceCoordinate(op.getCoordinateTransformationMode(), axis, i);
    bool isOutside = crops && !(x >= 0 && x <= static_cast<float>(axis.inputs - 1));
    if (!isOutside)
      appendTaps(op, x, axis, table.taps);
    else // places go up or down steadily: what is outside is in front or behind
      ++(table.taps.indices.empty() ? table.low : table.high);
  }
  table.taps.count = static_cast<int64_t>(table.taps.indices.size()) / std::max<int64_t>(1, table.rows());
  return table;
}

// Dimensions whose extent, scale or part changes.
SmallVector<Axis> resizedAxes(nn::ResizeOp op) {
  SmallVector<Axis> axes;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getX().getType()).getShape();
  ArrayRef<float> roi = op.getRoi();
  for (auto [i, extent] : llvm::enumerate(shape)) {
    Axis axis{static_cast<int64_t>(i), extent, op.getSizes()[i], op.getScales()[i], 0.0f, 1.0f};
    if (!roi.empty())
      axis.roiBegin = roi[i], axis.roiEnd = roi[shape.size() + i];
    if (extent != axis.outputs || axis.scale != 1.0f || axis.roiBegin != 0.0f || axis.roiEnd != 1.0f)
      axes.push_back(axis);
  }
  return axes;
}

struct LowerResize : OpConversionPattern<nn::ResizeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::ResizeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    if (failed(checkSupported(op)))
      return failure();
    SmallVector<Table> tables;
    for (const Axis &axis : resizedAxes(op))
      tables.push_back(tableOf(op, axis));
    // Two resized dimensions side by side are rows and columns of one step, unless it had too many taps; what is before
    // is the batch, what is after are channels.
    constexpr int64_t mostTaps = 16;
    Value x = adaptor.getX();
    for (size_t i = 0; i < tables.size(); ++i) {
      bool isPair = i + 1 < tables.size() && tables[i + 1].axis.axis == tables[i].axis.axis + 1 &&
                    tables[i].taps.count * tables[i + 1].taps.count <= mostTaps;
      x = resizeRows(rewriter, op.getLoc(), x, isPair ? &tables[i] : nullptr, tables[isPair ? i + 1 : i]);
      i += isPair ? 1 : 0;
    }
    rewriter.replaceOp(op, padOutside(rewriter, op, x, tables));
    return success();
  }

private:
  static LogicalResult checkSupported(nn::ResizeOp op) {
    if (!cast<RankedTensorType>(op.getX().getType()).hasStaticShape())
      return op.emitError("all extents must be known, found a bounded dim");
    Type element = op.getType().getElementType();
    if (op.getMode() != "nearest" && !element.isF32() && !element.isF64())
      return op.emitError("only f32 and f64 can be interpolated, found ") << element;
    return success();
  }

  // Resizes two neighbouring dimensions of x, or one where `rows` is null.
  static Value resizeRows(OpBuilder &builder, Location loc, Value x, const Table *rows, const Table &columns) {
    SmallVector<int64_t> shape(shapeOf(x));
    int64_t last = columns.axis.axis, head = rows ? rows->axis.axis : last;
    int64_t batch = ShapedType::getNumElements(ArrayRef<int64_t>(shape).take_front(head));
    int64_t channels = ShapedType::getNumElements(ArrayRef<int64_t>(shape).drop_front(last + 1));
    Value image = reshape(builder, loc, x, {batch, rows ? shape[head] : 1, shape[last], channels});
    Value out = emptyTensor(builder, loc, {batch, rows ? rows->rows() : 1, columns.rows(), channels}, elementOf(x));
    const Taps single{1, {0}, {1.0f}};
    SmallVector<Value> constants;
    for (const Taps *taps : {rows ? &rows->taps : &single, &columns.taps}) {
      SmallVector<int64_t> table{static_cast<int64_t>(taps->indices.size()) / std::max<int64_t>(1, taps->count),
                                 std::max<int64_t>(1, taps->count)};
      constants.push_back(constant(builder, loc, RankedTensorType::get(table, builder.getI32Type()), taps->indices));
      constants.push_back(constant(builder, loc, RankedTensorType::get(table, builder.getF32Type()), taps->weights));
    }
    Value result = builder
                       .create<kern::Resize2DOp>(loc, out.getType(), image, constants[0], constants[1], constants[2],
                                                 constants[3], ValueRange(), out, builder.getArrayAttr({}))
                       ->getResult(0);
    if (rows)
      shape[head] = rows->rows();
    shape[last] = columns.rows();
    return reshape(builder, loc, result, shape);
  }

  // What a crop finds outside has one value.
  static Value padOutside(OpBuilder &builder, nn::ResizeOp op, Value x, ArrayRef<Table> tables) {
    SmallVector<int64_t> low(shapeOf(x).size(), 0), high = low;
    for (const Table &table : tables) {
      low[table.axis.axis] = table.low;
      high[table.axis.axis] = table.high;
    }
    if (llvm::all_of(low, [](int64_t n) { return n == 0; }) && llvm::all_of(high, [](int64_t n) { return n == 0; }))
      return x;
    auto type = RankedTensorType::get(op.getSizes(), elementOf(x));
    nn::HostTensor value(RankedTensorType::get({}, type.getElementType()));
    value.set(0, op.getExtrapolationValue().convertToDouble());
    auto number = cast<TypedAttr>(cast<DenseElementsAttr>(value.toAttr()).getSplatValue<Attribute>());
    return builder.create<nn::PadOp>(op.getLoc(), type, x, low, high, nn::PadMode::Constant, number);
  }
};

} // namespace

void populateResize(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerResize>(types, patterns.getContext());
}

} // namespace aotc::convert
