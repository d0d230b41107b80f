// report.html: headline figures, the arena over time, steps with their share of the work, buffers.
#include "codegen/report/Report.h"

#include "codegen/cpp/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

namespace aotc::codegen {

using llvm::format;
using llvm::raw_ostream;
using llvm::StringRef;

std::string htmlText(StringRef text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

static std::string scaled(double value, llvm::ArrayRef<const char *> units, double base) {
  size_t unit = 0;
  for (; value >= base && unit + 1 < units.size(); ++unit)
    value /= base;
  std::string text;
  llvm::raw_string_ostream(text) << format(unit == 0 || value >= 100 ? "%.0f "
                                           : value >= 10             ? "%.1f "
                                                                     : "%.2f ",
                                           value)
                                 << units[unit];
  return text;
}

std::string bytesText(uint64_t bytes) { return scaled(static_cast<double>(bytes), {"B", "KiB", "MiB", "GiB"}, 1024); }

static constexpr StringRef style = R"(
:root { color-scheme: light dark; --back: #fbfbfa; --text: #1f2328; --soft: #667080; --line: #d8dde3; --bar: #3b7dd8;
  --c0: #9ec5f4; --c1: #f5c99b; --c2: #a8dcb5; --c3: #e9b3c9; --c4: #cdbdf0; --c5: #f0dd8f; --c6: #9adbd9; --c7: #d6d3cc; }
@media (prefers-color-scheme: dark) { :root { --back: #15181c; --text: #e3e6ea; --soft: #99a3b0; --line: #343a42; --bar: #4f94ec;
  --c0: #2c5c94; --c1: #8a5a24; --c2: #2f6f43; --c3: #8b3f60; --c4: #594594; --c5: #7a6a1c; --c6: #25706e; --c7: #5a5852; } }
body { background: var(--back); color: var(--text); font: 14px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 1180px;
  padding: 24px; }
h1 { font-size: 24px; margin: 0; } h2 { font-size: 17px; margin: 32px 0 8px; } p { margin: 4px 0; color: var(--soft); }
.figures { display: flex; flex-wrap: wrap; gap: 12px; margin: 20px 0; }
.figures div { border: 1px solid var(--line); border-radius: 8px; padding: 8px 14px; }
.figures b { display: block; font-size: 19px; } .figures span { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--soft); font-weight: 600; } th, td { padding: 3px 10px 3px 0; border-bottom: 1px solid var(--line);
  vertical-align: top; } .number { text-align: right; white-space: nowrap; }
.bar { min-width: 140px; } .bar i { display: block; height: 12px; margin-top: 4px; background: var(--bar); border-radius: 2px; }
code { font: 12.5px ui-monospace, monospace; }
svg.arena { width: 100%; height: auto; } svg text { fill: var(--text); font: 11px system-ui, sans-serif; }
svg .axis { fill: var(--soft); } svg .grid { stroke: var(--line); } svg rect { stroke: var(--back); stroke-width: 0.6; }
.b0 rect { fill: var(--c0); } .b1 rect { fill: var(--c1); } .b2 rect { fill: var(--c2); } .b3 rect { fill: var(--c3); }
.b4 rect { fill: var(--c4); } .b5 rect { fill: var(--c5); } .b6 rect { fill: var(--c6); } .b7 rect { fill: var(--c7); }
)";

static void printFigure(raw_ostream &os, const std::string &value, StringRef what) {
  os << "<div><b>" << value << "</b><span>" << what << "</span></div>\n";
}

static std::string times(uint64_t value, uint64_t reference, StringRef what) {
  if (reference == 0)
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << format(", %.3f times ", static_cast<double>(value) / static_cast<double>(reference))
                                 << what;
  return text;
}

static void printFigures(raw_ostream &os, const Report &report) {
  os << "<div class=\"figures\">\n";
  printFigure(os, report.macs ? macsText(report.macs) : "none", "multiply-accumulates");
  printFigure(os, bytesText(report.weightsBytes), "weights");
  printFigure(os, bytesText(report.arenaBytes), "arena" + times(report.arenaBytes, report.peakBytes, "its peak"));
  if (report.arenaBytesPerThread)
    printFigure(os, bytesText(report.arenaBytesPerThread), "more for each thread after the first");
  printFigure(os, bytesText(report.peakBytes),
              "live at the widest step" + times(report.peakBytes, report.lowerBoundBytes, "its tensors alone"));
  printFigure(os, bytesText(report.lowerBoundBytes), "without halos, padding, scratch");
  printFigure(os, std::to_string(report.steps.size()), "steps");
  if (report.gpu) {
    printFigure(os, std::to_string(report.gpu->shaders), "shaders");
    printFigure(os, std::to_string(report.gpu->dispatches), "dispatches");
    printFigure(os, std::to_string(report.gpu->barriers), "barriers");
  }
  os << "</div>\n";
}

static void printTensorRows(raw_ostream &os, StringRef kind, const std::vector<ReportTensor> &tensors) {
  for (const ReportTensor &tensor : tensors)
    os << "<tr><td>" << kind << "<td><code>" << htmlText(tensor.name) << "</code><td>" << htmlText(tensor.type) << " ["
       << htmlText(llvm::join(tensor.shape, ", ")) << "]<td>" << htmlText(tensor.onnxName) << "\n";
}

static void printInterface(raw_ostream &os, const Report &report) {
  os << "<h2>Inputs and outputs</h2>\n<div class=\"scroll\"><table>\n"
        "<tr><th><th>Name<th>Type and shape<th>In the model\n";
  printTensorRows(os, "input", report.inputs);
  printTensorRows(os, "output", report.outputs);
  for (const ReportDim &dim : report.dims)
    os << "<tr><td>dimension<td><code>" << htmlText(dim.name) << "</code><td>" << dim.minimum << " to " << dim.maximum
       << "<td>\n";
  os << "</table></div>\n";
}

static std::string nodesText(const ReportStep &step) {
  std::string text;
  for (const ReportNode &node : step.nodes)
    text += (text.empty() ? "" : " + ") + node.op + (node.name.empty() ? "" : " \"" + node.name + "\"");
  return htmlText(text);
}

static void printSteps(raw_ostream &os, const Report &report) {
  uint64_t most = 1;
  for (const ReportStep &step : report.steps)
    most = std::max(most, step.macs);
  os << "<h2>Steps</h2>\n<div class=\"scroll\"><table>\n"
        "<tr><th class=\"number\">Step<th>Nodes<th>Kernel<th>Weights<th>Shapes<th class=\"number\">Work<th>\n";
  for (const auto &[index, step] : llvm::enumerate(report.steps)) {
    os << "<tr><td class=\"number\">" << index << "<td>" << nodesText(step) << "<td><code>" << htmlText(step.kernel)
       << "</code>" << (step.hostReason.empty() ? "" : " on the processor") << "<td>" << htmlText(step.weights)
       << "<td>" << htmlText(step.shapes) << "<td class=\"number\">" << macsText(step.macs) << "<td class=\"bar\">";
    if (step.macs)
      os << format("<i style=\"width:%.2f%%\"></i>",
                   100.0 * static_cast<double>(step.macs) / static_cast<double>(most));
    os << "\n";
  }
  os << "</table></div>\n";
}

static void printBuffers(raw_ostream &os, const Report &report) {
  os << "<h2>Buffers</h2>\n<div class=\"scroll\"><table>\n"
        "<tr><th>Name<th>Shape<th class=\"number\">Offset<th class=\"number\">Bytes<th class=\"number\">Steps\n";
  for (const ReportBuffer &buffer : report.buffers)
    os << "<tr><td><code>" << htmlText(buffer.name) << "</code><td>" << htmlText(buffer.shape)
       << "<td class=\"number\">" << buffer.offsetBytes << "<td class=\"number\">" << buffer.bytes
       << "<td class=\"number\">" << buffer.firstStep << " to " << buffer.lastStep << "\n";
  os << "</table></div>\n";
}

static void printLayerRows(raw_ostream &os, const std::vector<ReportLayer> &layers) {
  for (const ReportLayer &layer : layers) {
    os << "<tr><td>" << htmlText(layer.node.op) << "<td><code>" << htmlText(layer.node.name) << "</code><td>"
       << htmlText(layer.weights) << "<td>" << htmlText(layer.type) << "<td class=\"number\">";
    if (layer.scale > 0)
      os << format("%.4g to %.4g<td class=\"number\">%.4g", layer.low, layer.high, layer.scale);
    else
      os << "<td>";
    os << "<td class=\"number\">";
    if (layer.signalToNoise)
      os << (std::isfinite(*layer.signalToNoise) ? scaled(*layer.signalToNoise, {"dB"}, 1000) : "exact");
    os << "\n";
  }
}

static void printQuantization(raw_ostream &os, const ReportQuantization &quantization) {
  if (quantization.layers.empty())
    return;
  os << "<h2>Quantization</h2>\n<p>" << htmlText(quantization.precision);
  if (quantization.samples > 0)
    os << ", ranges by " << htmlText(quantization.method) << " over " << quantization.samples
       << " samples. Signal to noise: of what is computed against the f32 model, with all that was rounded before";
  os << ".</p>\n<div class=\"scroll\"><table>\n<tr><th><th>Layer<th>Weights<th>Result<th class=\"number\">Range"
        "<th class=\"number\">Scale<th class=\"number\">Signal to noise\n";
  printLayerRows(os, quantization.layers);
  printLayerRows(os, quantization.outputs);
  os << "</table></div>\n";
}

std::string printReportHtml(const Report &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>"
     << htmlText(report.model) << "</title>\n<style>" << style << "</style>\n<h1>" << htmlText(report.model)
     << "</h1>\n";
  if (!report.summary.empty())
    os << "<p>" << htmlText(report.summary) << "</p>\n";
  os << "<p>Compiled by aotc " << htmlText(report.toolVersion) << " for " << htmlText(report.target);
  if (!report.gpu)
    os << " (" << htmlText(llvm::join(report.levels, ", ")) << "), at most " << report.maxThreads << " threads";
  os << ".</p>\n";
  printFigures(os, report);
  printInterface(os, report);
  os << "<h2>The arena over time</h2>\n<p>Steps to the right, offsets upwards; a part that lies in another is computed "
        "in its "
        "place.</p>\n"
     << printArenaPicture(report);
  printSteps(os, report);
  printQuantization(os, report.quantization);
  printBuffers(os, report);
  os << "</html>\n";
  return text;
}

} // namespace aotc::codegen
