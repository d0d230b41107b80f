// report.json, and the figures that are computed from the plan.
#include "codegen/report/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace aotc::codegen {

using llvm::json::OStream;

/// Bytes of the union of the parts that are alive together.
static uint64_t coveredBytes(std::vector<std::pair<uint64_t, uint64_t>> &ranges) {
  std::sort(ranges.begin(), ranges.end());
  uint64_t covered = 0, end = 0;
  for (const auto &[from, to] : ranges) {
    covered += to > end ? to - std::max(from, end) : 0;
    end = std::max(end, to);
  }
  return covered;
}

uint64_t peakOf(const std::vector<ReportBuffer> &buffers) {
  // The sum can only rise where a buffer begins.
  std::map<int, std::vector<std::pair<uint64_t, uint64_t>>> liveAtStart;
  for (const ReportBuffer &buffer : buffers)
    liveAtStart[buffer.firstStep];
  for (const ReportBuffer &buffer : buffers)
    for (auto step = liveAtStart.lower_bound(buffer.firstStep);
         step != liveAtStart.end() && step->first <= buffer.lastStep; ++step)
      step->second.emplace_back(buffer.offsetBytes, buffer.offsetBytes + buffer.bytes);
  uint64_t peak = 0;
  for (auto &[step, ranges] : liveAtStart)
    peak = std::max(peak, coveredBytes(ranges));
  return peak;
}

static void printRatio(OStream &json, llvm::StringRef key, uint64_t value, uint64_t reference) {
  json.attributeBegin(key);
  if (reference == 0)
    json.value(nullptr);
  else
    json.rawValue([&](llvm::raw_ostream &os) {
      os << llvm::format("%.4f", static_cast<double>(value) / static_cast<double>(reference));
    });
  json.attributeEnd();
}

static void printTotals(OStream &json, const Report &report) {
  json.attributeObject("totals", [&] {
    json.attribute("steps", static_cast<int64_t>(report.steps.size()));
    json.attribute("macs", report.macs);
    json.attribute("weights_bytes", report.weightsBytes);
    json.attribute("arena_bytes", report.arenaBytes);
    json.attribute("arena_bytes_per_thread", report.arenaBytesPerThread);
    json.attribute("peak_bytes", report.peakBytes);
    json.attribute("lower_bound_bytes", report.lowerBoundBytes);
    json.attribute("gap_bytes", static_cast<int64_t>(report.arenaBytes) - static_cast<int64_t>(report.peakBytes));
    printRatio(json, "arena_over_peak", report.arenaBytes, report.peakBytes);
    printRatio(json, "peak_over_lower_bound", report.peakBytes, report.lowerBoundBytes);
  });
}

static void printGpu(OStream &json, const ReportGpu &gpu) {
  json.attributeObject("gpu", [&] {
    json.attribute("shaders", gpu.shaders);
    json.attribute("dispatches", gpu.dispatches);
    json.attribute("barriers", gpu.barriers);
    json.attributeArray("features", [&] {
      for (const std::string &feature : gpu.features)
        json.value(feature);
    });
  });
}

static void printTensors(OStream &json, llvm::StringRef key, const std::vector<ReportTensor> &tensors) {
  json.attributeArray(key, [&] {
    for (const ReportTensor &tensor : tensors)
      json.object([&] {
        json.attribute("name", tensor.name);
        json.attribute("onnx_name", llvm::json::fixUTF8(tensor.onnxName));
        json.attribute("type", tensor.type);
        json.attributeArray("shape", [&] {
          for (const std::string &extent : tensor.shape) {
            int64_t number;
            if (llvm::StringRef(extent).getAsInteger(10, number))
              json.value(extent);
            else
              json.value(number);
          }
        });
      });
  });
}

static void printSteps(OStream &json, const Report &report) {
  json.attributeArray("steps", [&] {
    for (const auto &[index, step] : llvm::enumerate(report.steps))
      json.object([&, index = index, &step = step] {
        json.attribute("index", static_cast<int64_t>(index));
        json.attribute("name", step.name);
        json.attributeArray("nodes", [&] {
          for (const ReportNode &node : step.nodes)
            json.object([&] {
              json.attribute("name", llvm::json::fixUTF8(node.name));
              json.attribute("op", llvm::json::fixUTF8(node.op));
            });
        });
        json.attribute("kernel", step.kernel);
        json.attribute("shapes", step.shapes);
        json.attribute("macs", step.macs);
        json.attribute("weights", step.weights);
        if (!step.hostReason.empty())
          json.attribute("no_shader", llvm::json::fixUTF8(step.hostReason));
      });
  });
}

static void printBuffers(OStream &json, const Report &report) {
  json.attributeArray("buffers", [&] {
    for (const ReportBuffer &buffer : report.buffers)
      json.object([&] {
        json.attribute("name", buffer.name);
        json.attribute("shape", buffer.shape);
        json.attribute("offset_bytes", buffer.offsetBytes);
        json.attribute("bytes", buffer.bytes);
        json.attribute("first_step", buffer.firstStep);
        json.attribute("last_step", buffer.lastStep);
      });
  });
}

/// Two decimals; JSON has no infinity.
static void printSignalToNoise(OStream &json, const std::optional<double> &decibels) {
  if (!decibels)
    return;
  json.attributeBegin("signal_to_noise_db");
  if (std::isfinite(*decibels))
    json.rawValue([&](llvm::raw_ostream &os) { os << llvm::format("%.2f", *decibels); });
  else
    json.value("exact");
  json.attributeEnd();
}

static void printLayers(OStream &json, llvm::StringRef key, const std::vector<ReportLayer> &layers) {
  json.attributeArray(key, [&] {
    for (const ReportLayer &layer : layers)
      json.object([&] {
        json.attribute("name", llvm::json::fixUTF8(layer.node.name));
        json.attribute("op", llvm::json::fixUTF8(layer.node.op));
        if (!layer.weights.empty())
          json.attribute("weights", layer.weights);
        json.attribute("type", layer.type);
        if (layer.scale > 0) {
          json.attributeArray("range", [&] {
            json.value(layer.low);
            json.value(layer.high);
          });
          json.attribute("scale", layer.scale);
          json.attribute("zero_point", layer.zeroPoint);
        }
        printSignalToNoise(json, layer.signalToNoise);
      });
  });
}

static void printQuantization(OStream &json, const ReportQuantization &quantization) {
  if (quantization.precision.empty())
    return;
  json.attributeObject("quantization", [&] {
    json.attribute("precision", quantization.precision);
    if (quantization.samples > 0) {
      json.attribute("method", quantization.method);
      json.attribute("samples", quantization.samples);
    }
    printLayers(json, "layers", quantization.layers);
    printLayers(json, "outputs", quantization.outputs);
  });
}

std::string printReportJson(const Report &report) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("tool", "aotc");
    json.attribute("version", report.toolVersion);
    json.attribute("model", report.model);
    json.attribute("summary", llvm::json::fixUTF8(report.summary));
    json.attribute("target", report.target);
    json.attributeArray("levels", [&] {
      for (const std::string &level : report.levels)
        json.value(level);
    });
    json.attribute("max_threads", report.maxThreads);
    printTotals(json, report);
    if (report.gpu)
      printGpu(json, *report.gpu);
    printTensors(json, "inputs", report.inputs);
    printTensors(json, "outputs", report.outputs);
    json.attributeArray("dims", [&] {
      for (const ReportDim &dim : report.dims)
        json.object([&] {
          json.attribute("name", llvm::json::fixUTF8(dim.name));
          json.attribute("minimum", dim.minimum);
          json.attribute("maximum", dim.maximum);
        });
    });
    printSteps(json, report);
    printBuffers(json, report);
    printQuantization(json, report.quantization);
  });
  os << '\n';
  return text;
}

} // namespace aotc::codegen
