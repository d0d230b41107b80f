// Resize, and Upsample as its oldest form. All that nn.resize says is made explicit here: sizes and scales per
// dimension.
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/Spatial.h"
#include "ir/nn/Shapes.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

constexpr const char *beforeOpset11 = "";
constexpr size_t roiInput = 1, scalesInput = 2, sizesInput = 3;

/// Per dimension of the input.
struct Geometry {
  IntList sizes;
  llvm::SmallVector<float, 4> scales;
  llvm::SmallVector<float, 4> roi; ///< begins, then ends; empty unless the mode crops
};

/// Lists of one entry per axis in `axes`, which is every dimension by default.
IntList readAxes(NodeBuilder &node, int64_t rank) {
  IntList every;
  for (int64_t axis = 0; axis < rank; ++axis)
    every.push_back(axis);
  std::optional<IntList> axes = node.getInts("axes");
  if (!axes)
    return every;
  node.normalizeAxes(*axes, rank);
  IntList result;
  for (int64_t axis : *axes)
    result.push_back(node.normalizeAxis(axis, rank, "axes"));
  return result;
}

void setScales(NodeBuilder &node, Geometry &geometry, ArrayRef<int64_t> axes, ArrayRef<double> scales) {
  if (scales.size() != axes.size())
    return node.fail("scales must have " + llvm::Twine(axes.size()) + " values, found " + llvm::Twine(scales.size()));
  for (auto [axis, scale] : llvm::zip(axes, scales)) {
    auto i = static_cast<size_t>(axis);
    if (!(scale > 0) || !std::isfinite(scale))
      return node.fail("scales must be greater than 0, found " + std::to_string(scale));
    geometry.scales[i] = static_cast<float>(scale);
    if (ShapedType::isDynamic(geometry.sizes[i])) {
      if (scale != 1)
        return node.fail("only dimensions whose extent is known when compiling can be resized");
      continue;
    }
    // In single precision, as the definition has it.
    float extent = std::floor(static_cast<float>(geometry.sizes[i]) * geometry.scales[i]);
    if (!(extent < 1e12f))
      return node.fail("the result must have fewer than 2^31 elements");
    geometry.sizes[i] = static_cast<int64_t>(extent);
  }
}

/// One scale for all axes, the smallest or largest that the sizes ask for. Returns it.
float keepRatio(NodeBuilder &node, const Geometry &geometry, ArrayRef<int64_t> axes, IntList &sizes,
                llvm::StringRef policy) {
  float common = 0;
  for (auto [axis, size] : llvm::zip(axes, sizes)) {
    float scale = static_cast<float>(size) / static_cast<float>(geometry.sizes[static_cast<size_t>(axis)]);
    bool first = common == 0;
    common = first ? scale : policy == "not_larger" ? std::min(common, scale) : std::max(common, scale);
  }
  for (auto [axis, size] : llvm::zip(axes, sizes))
    size = static_cast<int64_t>(std::round(common * static_cast<float>(geometry.sizes[static_cast<size_t>(axis)])));
  if (policy != "not_larger" && policy != "not_smaller")
    node.fail("'keep_aspect_ratio_policy' must be stretch, not_larger or not_smaller, found " + quoted(policy));
  return common;
}

void setSizes(NodeBuilder &node, Geometry &geometry, ArrayRef<int64_t> axes, IntList sizes) {
  if (sizes.size() != axes.size())
    return node.fail("sizes must have " + llvm::Twine(axes.size()) + " values, found " + llvm::Twine(sizes.size()));
  std::string policy = node.getString("keep_aspect_ratio_policy", "stretch");
  for (auto [axis, size] : llvm::zip(axes, sizes)) {
    int64_t extent = geometry.sizes[static_cast<size_t>(axis)];
    if (size < 0 || size > INT32_MAX || ShapedType::isDynamic(extent) ||
        (extent == 0 && (size != 0 || policy != "stretch")))
      return node.fail("sizes must be at least 0 and of dimensions whose extent is known when compiling, found " +
                       listText(sizes));
  }
  float common = policy == "stretch" ? 0 : keepRatio(node, geometry, axes, sizes, policy);
  for (auto [axis, size] : llvm::zip(axes, sizes)) {
    auto i = static_cast<size_t>(axis);
    if (geometry.sizes[i] != 0)
      geometry.scales[i] = common != 0 ? common : static_cast<float>(size) / static_cast<float>(geometry.sizes[i]);
    geometry.sizes[i] = size;
  }
}

void setRoi(NodeBuilder &node, Geometry &geometry, ArrayRef<int64_t> axes) {
  auto roi = node.getConstantFloats(roiInput);
  size_t rank = geometry.sizes.size();
  if (!roi || roi->size() != 2 * axes.size())
    return node.fail("roi must have " + llvm::Twine(2 * axes.size()) + " values for tf_crop_and_resize");
  geometry.roi.assign(2 * rank, 0);
  std::fill(geometry.roi.begin() + static_cast<ptrdiff_t>(rank), geometry.roi.end(), 1.0f);
  for (auto [k, axis] : llvm::enumerate(axes)) {
    geometry.roi[static_cast<size_t>(axis)] = static_cast<float>((*roi)[k]);
    geometry.roi[rank + static_cast<size_t>(axis)] = static_cast<float>((*roi)[axes.size() + k]);
  }
}

bool isGiven(NodeBuilder &node, size_t index) {
  Value value = node.getInput(index);
  return value && !(node.typeOf(value).hasStaticShape() && node.typeOf(value).getNumElements() == 0);
}

Geometry readGeometry(NodeBuilder &node, bool crops) {
  auto type = node.typeOf(0);
  Geometry geometry;
  geometry.sizes.assign(type.getShape().begin(), type.getShape().end());
  geometry.scales.assign(geometry.sizes.size(), 1.0f);
  IntList axes = readAxes(node, type.getRank());
  // Exporters give an empty tensor for what they leave out.
  bool hasScales = isGiven(node, scalesInput), hasSizes = isGiven(node, sizesInput);
  node.ignoreAttribute("keep_aspect_ratio_policy");
  if (hasScales == hasSizes)
    node.fail("either scales or sizes must be given");
  else if (hasScales)
    if (auto scales = node.getConstantFloats(scalesInput))
      setScales(node, geometry, axes, *scales);
  if (hasSizes && !node.failed())
    if (auto sizes = node.getConstantInts(sizesInput))
      setSizes(node, geometry, axes, *sizes);
  if (crops && !node.failed())
    setRoi(node, geometry, axes);
  return geometry;
}

void checkOneOf(NodeBuilder &node, llvm::StringRef name, llvm::StringRef value, ArrayRef<llvm::StringRef> known) {
  if (!llvm::is_contained(known, value))
    node.fail(quoted(name) + " must be one of " + llvm::join(known, ", ") + ", found " + quoted(value));
}

struct Modes {
  std::string mode, coordinates, nearest;
};

/// Before opset 11 the nearest element is rounded down where the map grows and up where it shrinks.
std::string oldNearestMode(NodeBuilder &node, const Geometry &geometry) {
  bool grows = llvm::any_of(geometry.scales, [](float scale) { return scale > 1; });
  bool shrinks = llvm::any_of(geometry.scales, [](float scale) { return scale < 1; });
  if (grows && shrinks)
    node.fail("scales above and below 1 together are not supported before opset 11");
  return shrinks ? "ceil" : "floor";
}

void build(NodeBuilder &node, Modes modes) {
  checkOneOf(node, "mode", modes.mode, {"nearest", "linear", "cubic"});
  checkOneOf(node, "coordinate_transformation_mode", modes.coordinates,
             {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
              "tf_crop_and_resize"});
  if (modes.nearest != beforeOpset11)
    checkOneOf(node, "nearest_mode", modes.nearest, {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  Geometry geometry = readGeometry(node, modes.coordinates == "tf_crop_and_resize");
  float cubicCoefficient = node.getFloat("cubic_coeff_a", -0.75f), outside = node.getFloat("extrapolation_value", 0);
  bool excludeOutside = node.getBool("exclude_outside", false), antialias = node.getBool("antialias", false);
  if (node.failed())
    return;
  if (modes.nearest == beforeOpset11)
    modes.nearest = oldNearestMode(node, geometry);
  bool isWhole = llvm::all_of(geometry.scales, [](float scale) { return scale == 1; });
  if (isWhole && geometry.roi.empty() && node.typeOf(0).getShape() == ArrayRef<int64_t>(geometry.sizes))
    return node.setResult(0, node.getInput(0));
  // Integers are interpolated in f32 and cut to integers again.
  Value x = node.getInput(0);
  Type element = node.typeOf(x).getElementType();
  bool isCast = modes.mode != "nearest" && !isa<FloatType>(element);
  if (isCast)
    x = node.create<nn::CastOp>(x, node.getBuilder().getF32Type());
  x = node.create<nn::ResizeOp>(x, geometry.sizes, geometry.scales, modes.mode, modes.coordinates, modes.nearest,
                                llvm::APFloat(cubicCoefficient), excludeOutside, llvm::APFloat(outside), antialias,
                                geometry.roi);
  node.setResult(0, isCast ? node.create<nn::CastOp>(x, element) : x);
}

void buildResize(NodeBuilder &node) {
  if (node.getOpset() < 11)
    return build(node, {node.getString("mode", "nearest"), "asymmetric", beforeOpset11});
  Modes modes{node.getString("mode", "nearest"), node.getString("coordinate_transformation_mode", "half_pixel"),
              node.getString("nearest_mode", "round_prefer_floor")};
  build(node, modes);
}

/// Opset 10 had no roi: (x, scales).
void upgradeResize(NodeBuilder &node) {
  Value scales = node.getInput(1);
  if (!scales)
    return node.fail("scales are missing");
  node.setInput(roiInput, Value());
  node.setInput(scalesInput, scales);
}

/// Upsample: scales as an attribute before opset 9.
void buildUpsample(NodeBuilder &node) {
  if (auto scales = node.getFloats("scales")) {
    nn::HostTensor list(RankedTensorType::get({static_cast<int64_t>(scales->size())}, node.getBuilder().getF32Type()));
    for (auto [i, scale] : llvm::enumerate(*scales))
      list.set(static_cast<int64_t>(i), scale);
    node.setInput(1, node.createConstant(list.toAttr()));
  }
  upgradeResize(node);
  if (!node.failed())
    build(node, {node.getString("mode", "nearest"), "asymmetric", beforeOpset11});
}

} // namespace

void aotc::frontend::addResizeRules(OpTable &table) {
  table.add("Resize", 1, 4, buildResize, anything);
  table.addUpgrade("Resize", 11, upgradeResize);
  table.add("Upsample", 1, 2, buildUpsample, anything);
}
