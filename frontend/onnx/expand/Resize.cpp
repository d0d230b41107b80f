// Resize, and Upsample as its oldest form. All that nn.resize says is made explicit here: sizes and scales per
// dimension. Where only the run knows an extent, dimensions are resampled one by one, by gathers (Resample.h).
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/Resample.h"
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

/// A dimension to resample: where an extent of the tensor, before or behind, is known to the run alone.
struct OpenAxis {
  size_t axis;
  AffineExpr size;
  std::optional<float> scale; ///< nothing where the size was given
};

/// Per dimension of the input; open axes keep their extents here.
struct Geometry {
  IntList sizes;
  llvm::SmallVector<float, 4> scales;
  llvm::SmallVector<float, 4> roi; ///< begins, then ends; empty unless the mode crops
  llvm::SmallVector<OpenAxis, 0> open;
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

/// floor(extent * scale), in single precision as the definition has it. Of an extent that only the run knows, for
/// scales with a power of two below the line, which f32 multiplies by exactly.
AffineExpr scaledExtent(NodeBuilder &node, AffineExpr extent, double scale) {
  if (std::optional<int64_t> known = nn::numberOf(extent)) {
    float size = std::floor(static_cast<float>(*known) * static_cast<float>(scale));
    if (!(size < 1e12f))
      node.fail("the result must have fewer than 2^31 elements");
    return node.number(node.failed() ? 0 : static_cast<int64_t>(size));
  }
  constexpr int64_t below = 1 << 10;
  double above = scale * static_cast<double>(below);
  if (above != std::floor(above) || above > static_cast<double>(1 << 24)) {
    node.fail("scales of dimensions whose extents only the run knows must be multiples of 1/1024, found " +
              std::to_string(scale));
    return {};
  }
  return nn::quotient(nn::simplified(extent * static_cast<int64_t>(above)), below);
}

void setScales(NodeBuilder &node, Geometry &geometry, ArrayRef<int64_t> axes, ArrayRef<double> scales) {
  if (scales.size() != axes.size())
    return node.fail("scales must have " + llvm::Twine(axes.size()) + " values, found " + llvm::Twine(scales.size()));
  nn::Extents extents = node.extentsOf(0);
  bool isOpen = !node.typeOf(0).hasStaticShape();
  for (auto [axis, scale] : llvm::zip(axes, scales)) {
    auto i = static_cast<size_t>(axis);
    if (!(scale > 0) || !std::isfinite(scale))
      return node.fail("scales must be greater than 0, found " + std::to_string(scale));
    AffineExpr size = scale == 1 ? extents[i] : scaledExtent(node, extents[i], scale);
    if (node.failed())
      return;
    if (isOpen && scale != 1) {
      geometry.open.push_back({i, size, static_cast<float>(scale)});
    } else if (scale != 1) {
      geometry.scales[i] = static_cast<float>(scale);
      geometry.sizes[i] = *nn::numberOf(size);
    }
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

/// Takes what only the run knows out of both lists.
void setOpenSizes(NodeBuilder &node, Geometry &geometry, IntList &axes, nn::Extents &sizes) {
  nn::Extents knownSizes, extents = node.extentsOf(0);
  IntList knownAxes;
  bool isOpen = !node.typeOf(0).hasStaticShape();
  for (auto [axis, size] : llvm::zip(axes, sizes)) {
    auto i = static_cast<size_t>(axis);
    AffineExpr extent = extents[i];
    if (!isOpen && nn::numberOf(size)) {
      knownAxes.push_back(axis);
      knownSizes.push_back(size);
      continue;
    }
    if (node.boundsOf(size).least < 0)
      return node.fail("sizes must be at least 0, found " + node.describe(sizes));
    if (size != extent)
      geometry.open.push_back({i, size, std::nullopt});
  }
  axes = knownAxes;
  sizes = knownSizes;
}

void setSizes(NodeBuilder &node, Geometry &geometry, IntList axes, nn::Extents extents) {
  if (extents.size() != axes.size())
    return node.fail("sizes must have " + llvm::Twine(axes.size()) + " values, found " + llvm::Twine(extents.size()));
  std::string policy = node.getString("keep_aspect_ratio_policy", "stretch");
  size_t all = axes.size();
  setOpenSizes(node, geometry, axes, extents);
  if (axes.size() != all && policy != "stretch")
    node.fail("'keep_aspect_ratio_policy' needs extents that are known when compiling");
  if (node.failed())
    return;
  IntList sizes(nn::shapeOf(extents));
  for (auto [axis, size] : llvm::zip(axes, sizes)) {
    int64_t extent = geometry.sizes[static_cast<size_t>(axis)];
    if (size < 0 || size > INT32_MAX || (extent == 0 && (size != 0 || policy != "stretch")))
      return node.fail("sizes must be at least 0, and of dimensions that have elements, found " + listText(sizes));
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
    if (auto sizes = node.getExtents(sizesInput))
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
  llvm::SmallVector<float, 4> scales(geometry.scales);
  for (const OpenAxis &axis : geometry.open)
    scales.push_back(axis.scale.value_or(1));
  bool grows = llvm::any_of(scales, [](float scale) { return scale > 1; });
  bool shrinks = llvm::any_of(scales, [](float scale) { return scale < 1; });
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
  if (!geometry.open.empty() && (antialias || !geometry.roi.empty()))
    return node.fail("antialias and tf_crop_and_resize need extents that are known when compiling");
  bool isWhole = llvm::all_of(geometry.scales, [](float scale) { return scale == 1; });
  isWhole &= geometry.roi.empty() && node.typeOf(0).getShape() == ArrayRef<int64_t>(geometry.sizes);
  if (isWhole && geometry.open.empty())
    return node.setResult(0, node.getInput(0));
  // Integers are interpolated in f32 and cut to integers again.
  Value x = node.getInput(0);
  Type element = node.typeOf(x).getElementType();
  bool isCast = modes.mode != "nearest" && !isa<FloatType>(element);
  if (isCast)
    x = node.create<nn::CastOp>(x, node.getBuilder().getF32Type());
  if (!isWhole)
    x = node.create<nn::ResizeOp>(x, geometry.sizes, geometry.scales, modes.mode, modes.coordinates, modes.nearest,
                                  llvm::APFloat(cubicCoefficient), excludeOutside, llvm::APFloat(outside), antialias,
                                  geometry.roi);
  for (const OpenAxis &axis : geometry.open)
    x = createResampled(node, x,
                        {axis.axis, axis.size, axis.scale, modes.mode, modes.coordinates, modes.nearest,
                         cubicCoefficient, excludeOutside});
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
