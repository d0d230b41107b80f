// What report.json and report.html say about a compiled model, as plain data, and their printers. Measures nothing and
// knows no MLIR: the figures come from the plan.
#ifndef AOTC_CODEGEN_REPORT_REPORT_H
#define AOTC_CODEGEN_REPORT_REPORT_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aotc::codegen {

struct ReportTensor {
  std::string name, onnxName;
  std::string type;               ///< such as "f32"
  std::vector<std::string> shape; ///< numbers, or names of bounded dimensions
};

struct ReportDim {
  std::string name;
  int64_t minimum = 1, maximum = 1; ///< both included
};

struct ReportNode {
  std::string name, op; ///< of the ONNX model
};

struct ReportStep {
  std::string name; ///< of the function in the generated code
  std::vector<ReportNode> nodes;
  std::string kernel;       ///< of the shipped kernels, or "loops"
  std::string shapes;       ///< `[1,32,32,16] -> [1,32,32,16]`
  uint64_t macs = 0;        ///< multiply-accumulates
  std::string weights = {}; ///< element type of its largest constant, such as "f16"; empty: of none
  /// Beside shaders: why the processor computes the step; empty: a shader does.
  std::string hostReason = {};
};

/// A part of the arena, for as long as its step numbers say. Parts may lie in each other: results in place, slices.
struct ReportBuffer {
  std::string name;
  std::string shape; ///< "[1,34,34,16]", with the element type in front where it is not f32
  uint64_t offsetBytes = 0, bytes = 0;
  int firstStep = 0, lastStep = 0; ///< both included; -1 is before the first step
};

/// A tensor or a layer of a model that aotc quantized.
struct ReportLayer {
  ReportNode node;                     ///< that computes it; without an operator where it is an input
  std::string weights;                 ///< element type, empty where it has none
  std::string type;                    ///< element type of the result
  double low = 0, high = 0, scale = 0; ///< of a quantized result, else 0
  int64_t zeroPoint = 0;
  /// Of the result against that of the f32 model, over the samples, with all that was rounded before it; in decibels.
  /// Infinite where they are equal.
  std::optional<double> signalToNoise;
};

/// What own quantization did. Without layers where the model was not quantized by aotc.
struct ReportQuantization {
  std::string precision, method; ///< as on the command line
  int samples = 0;
  std::vector<ReportLayer> layers;
  std::vector<ReportLayer> outputs; ///< of the model
};

/// What a device is given to do in each run.
struct ReportGpu {
  uint64_t shaders = 0; ///< different ones
  uint64_t dispatches = 0, barriers = 0;
  std::vector<std::string> features; ///< that the device must have
};

struct Report {
  std::string toolVersion;
  std::string model, summary;
  std::string target;
  std::vector<std::string> levels; ///< instruction sets, best first; none where a GPU computes
  int maxThreads = 1;

  uint64_t macs = 0;
  uint64_t weightsBytes = 0;
  uint64_t arenaBytes = 0, arenaBytesPerThread = 0;
  uint64_t peakBytes = 0;       ///< largest sum of live bytes at any step, halos and scratch counted
  uint64_t lowerBoundBytes = 0; ///< the same without halos, padding and scratch

  std::vector<ReportTensor> inputs, outputs;
  std::vector<ReportDim> dims;
  std::vector<ReportStep> steps;
  std::vector<ReportBuffer> buffers;
  ReportQuantization quantization;
  std::optional<ReportGpu> gpu; ///< where one computes
};

/// Largest number of arena bytes that hold something at any one step; parts that lie in each other count once.
uint64_t peakOf(const std::vector<ReportBuffer> &buffers);

/// report.json: fixed order of keys, sizes in bytes, ratios with four decimals.
std::string printReportJson(const Report &report);
/// report.html: one page that needs nothing else, in light and dark.
std::string printReportHtml(const Report &report);

/// The picture of the arena over time as an SVG element: steps to the right, offsets upwards. Styled by the page's
/// classes.
std::string printArenaPicture(const Report &report);

/// "148.9 KiB".
std::string bytesText(uint64_t bytes);
/// `text` for HTML, inside elements and quoted attributes.
std::string htmlText(llvm::StringRef text);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_REPORT_REPORT_H
