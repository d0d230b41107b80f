// Constants of signal processing: windows and the weights of mel filters. They are worked out in double.
#include "frontend/onnx/ElementType.h"
#include "frontend/onnx/Indices.h"
#include "frontend/onnx/OpTable.h"

#include <cmath>

using namespace aotc::frontend;
using namespace mlir;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

constexpr int64_t mostElements = 1 << 26;

/// 'output_datatype', f32 without it. Null after an error.
Type readDataType(NodeBuilder &node) {
  int64_t number = node.getInt("output_datatype", ElementType::float32);
  Type element =
      number >= 0 && number <= INT32_MAX ? mlirElementType(static_cast<int32_t>(number), node.getContext()) : Type();
  if (!element)
    node.fail("'output_datatype' must be an element type that is supported, found " + Twine(number));
  return element;
}

double readNumber(NodeBuilder &node, size_t index) {
  std::optional<nn::HostTensor> known = NodeBuilder::viewConstant(node.getInput(index));
  if (known && known->size() == 1)
    return known->toDouble(0);
  node.fail(node.describeInput(index) + " must be one number that is known when compiling");
  return 0;
}

int64_t readSize(NodeBuilder &node, size_t index) {
  int64_t size = readInt(node, index, 0);
  if (size >= 0 && size <= mostElements)
    return size;
  node.fail(node.describeInput(index) + " must lie in 0 … " + Twine(mostElements) + ", found " + Twine(size));
  return 0;
}

/// a - b * cos(phase) + c * cos(2 * phase), the phase running through one turn.
void buildWindow(NodeBuilder &node, double a, double b, double c) {
  int64_t size = readSize(node, 0);
  bool isPeriodic = node.getBool("periodic", true);
  Type element = readDataType(node);
  if (node.failed())
    return;
  nn::HostTensor window(RankedTensorType::get({size}, element));
  double turn = static_cast<double>(isPeriodic ? size : size - 1);
  for (int64_t i = 0; i < size; ++i) {
    double phase = 2 * M_PI * static_cast<double>(i) / turn;
    window.set(i, turn > 0 ? a - b * std::cos(phase) + c * std::cos(2 * phase) : 1.0);
  }
  node.setResult(0, node.createConstant(window.toAttr()));
}

void buildHann(NodeBuilder &node) { buildWindow(node, 0.5, 0.5, 0); }
void buildHamming(NodeBuilder &node) { buildWindow(node, 25.0 / 46.0, 1 - 25.0 / 46.0, 0); }
void buildBlackman(NodeBuilder &node) { buildWindow(node, 0.42, 0.5, 0.08); }

/// The places of the triangles' corners among the bins of a spectrum: equal steps on the mel scale.
std::vector<int64_t> melBins(int64_t bands, int64_t length, double rate, double low, double high) {
  auto melOf = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  double first = melOf(low), step = (melOf(high) - first) / static_cast<double>(bands + 2);
  std::vector<int64_t> bins;
  for (int64_t i = 0; i < bands + 2; ++i) {
    double hertz = 700 * (std::pow(10.0, (static_cast<double>(i) * step + first) / 2595) - 1);
    bins.push_back(static_cast<int64_t>(std::min(1e15, std::floor(static_cast<double>(length + 1) * hertz / rate))));
  }
  return bins;
}

/// Each band rises from its lower corner to its centre, and falls to its upper one.
void buildMelWeights(NodeBuilder &node) {
  int64_t bands = readSize(node, 0), length = readSize(node, 1);
  double rate = readNumber(node, 2), low = readNumber(node, 3), high = readNumber(node, 4);
  Type element = readDataType(node);
  int64_t rows = length / 2 + 1;
  if (!node.failed() &&
      (!(rate > 0) || !(low >= 0) || !(high >= low) || !std::isfinite(high) || !elementCount({rows, bands})))
    node.fail("the sample rate must be above 0 and the lower edge between 0 and the upper one, found " +
              std::to_string(rate) + ", " + std::to_string(low) + " and " + std::to_string(high));
  if (node.failed())
    return;
  std::vector<int64_t> bins = melBins(bands, length, rate, low, high);
  nn::HostTensor weights(RankedTensorType::get({rows, bands}, element));
  auto set = [&](int64_t row, int64_t band, double value) {
    if (row >= 0 && row < rows)
      weights.set(row * bands + band, value);
  };
  for (int64_t band = 0; band < bands; ++band) {
    int64_t lower = bins[band], centre = bins[band + 1], upper = bins[band + 2];
    if (lower == centre)
      set(centre, band, 1);
    for (int64_t row = lower; lower < centre && row <= centre && row < rows; ++row)
      set(row, band, static_cast<double>(row - lower) / static_cast<double>(centre - lower));
    for (int64_t row = centre; centre < upper && row < upper && row < rows; ++row)
      set(row, band, static_cast<double>(upper - row) / static_cast<double>(upper - centre));
  }
  node.setResult(0, node.createConstant(weights.toAttr()));
}

} // namespace

void aotc::frontend::addWindowsRules(OpTable &table) {
  table.add("HannWindow", 1, 1, buildHann, ints);
  table.add("HammingWindow", 1, 1, buildHamming, ints);
  table.add("BlackmanWindow", 1, 1, buildBlackman, ints);
  table.add("MelWeightMatrix", 5, 5, buildMelWeights, ints);
}
