// Ops that read images between their pixels: GridSample, RoiAlign, DeformConv.
#include "frontend/onnx/Spatial.h"
#include "ir/nn/Shapes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// Opset 16 called linear and cubic by their names in two dimensions.
void buildGridSample(NodeBuilder &node) {
  std::string mode = node.getString("mode", "linear"), padding = node.getString("padding_mode", "zeros");
  bool alignCorners = node.getBool("align_corners", false);
  auto known = llvm::StringSwitch<std::optional<nn::GridMode>>(mode)
                   .Case("nearest", nn::GridMode::Nearest)
                   .Cases("linear", "bilinear", nn::GridMode::Linear)
                   .Cases("cubic", "bicubic", nn::GridMode::Cubic)
                   .Default(std::nullopt);
  std::optional<nn::GridPadding> outside = nn::symbolizeGridPadding(padding);
  if (!known)
    return node.fail("'mode' must be nearest, linear or cubic, found " + quoted(mode));
  if (!outside)
    return node.fail("'padding_mode' must be zeros, border or reflection, found " + quoted(padding));
  Type element = node.typeOf(0).getElementType();
  Value grid = node.getInput(1);
  if (node.typeOf(grid).getElementType() != element)
    grid = node.create<nn::CastOp>(grid, element);
  if (!node.failed())
    node.setResult(0, node.create<nn::GridSampleOp>(node.getInput(0), grid, *known, *outside, alignCorners));
}

/// Before opset 16 coordinates were not moved by half a pixel.
void buildRoiAlign(NodeBuilder &node) {
  std::string mode = node.getString("mode", "avg");
  std::string coordinates =
      node.getString("coordinate_transformation_mode", node.getOpset() < 16 ? "output_half_pixel" : "half_pixel");
  int64_t height = node.getInt("output_height", 1), width = node.getInt("output_width", 1);
  int64_t samples = node.getInt("sampling_ratio", 0);
  float scale = node.getFloat("spatial_scale", 1);
  if (mode != "avg" && mode != "max")
    return node.fail("'mode' must be avg or max, found " + quoted(mode));
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel")
    return node.fail("'coordinate_transformation_mode' must be half_pixel or output_half_pixel, found " +
                     quoted(coordinates));
  if (height < 1 || width < 1 || samples < 0 || std::max({height, width, samples}) > INT16_MAX)
    return node.fail("'output_height', 'output_width' (at least 1) and 'sampling_ratio' (at least 0) must be small "
                     "numbers, found " +
                     listText({height, width, samples}));
  node.setResult(0, node.create<nn::RoiAlignOp>(node.getInput(0), node.getInput(1), node.getInput(2),
                                                static_cast<uint64_t>(height), static_cast<uint64_t>(width),
                                                static_cast<uint64_t>(samples), llvm::APFloat(scale),
                                                coordinates == "half_pixel", mode == "max"));
}

/// (x, weights, offset, bias, mask): the bias is a sum.
void buildDeformConv(NodeBuilder &node) {
  auto x = node.typeOf(0), weights = node.typeOf(1);
  if (x.getRank() != 4 || weights.getRank() != 4)
    return node.fail("two spatial dimensions are supported, found " + nn::describe(x) + " and " +
                     nn::describe(weights));
  ArrayRef<int64_t> kernel = weights.getShape().drop_front(2);
  if (auto declared = node.getInts("kernel_shape"); declared && ArrayRef<int64_t>(*declared) != kernel)
    return node.fail("'kernel_shape' must be that of the weights " + nn::describe(weights) + ", found " +
                     listText(*declared));
  WindowAttributes window = readWindow(node, x.getShape().drop_front(2), kernel);
  int64_t group = node.getInt("group", 1), offsetGroup = node.getInt("offset_group", 1);
  Value result = node.create<nn::DeformConvOp>(node.getInput(0), node.getInput(1), node.getInput(2), node.getInput(4),
                                               window.strides, window.pads, window.dilations,
                                               static_cast<uint64_t>(group), static_cast<uint64_t>(offsetGroup));
  if (Value bias = node.getInput(3); bias && result) {
    if (node.typeOf(bias).getShape() != weights.getShape().take_front(1))
      return node.fail("bias must have one value per filter of " + nn::describe(weights) + ", found " +
                       nn::describe(bias.getType()));
    result = node.create<nn::AddOp>(result, node.createReshape(bias, {weights.getDimSize(0), 1, 1}));
  }
  node.setResult(0, result);
}

} // namespace

void aotc::frontend::addSamplingRules(OpTable &table) {
  table.add("GridSample", 2, 2, buildGridSample, floats);
  table.add("RoiAlign", 3, 3, buildRoiAlign, floats);
  table.add("DeformConv", 3, 5, buildDeformConv, floats);
}
