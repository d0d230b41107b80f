// Text from the dispatches and from the flow of a run; where a range lies is said by the names of <name>_places.hpp.
#include "codegen/spirv/Records.h"

#include "codegen/cpp/Lines.h"
#include "codegen/cpp/SessionSource.h"

#include "llvm/ADT/STLExtras.h"

namespace aotc::codegen {

using llvm::raw_ostream;
using llvm::StringRef;

std::pair<size_t, size_t> dispatchesOf(const GpuProgram &program, size_t step) {
  const bool isLast = step + 1 == program.firstDispatch.size();
  return {program.firstDispatch[step], isLast ? program.dispatches.size() : program.firstDispatch[step + 1]};
}

//===-- ranges ----------------------------------------------------------------------------------------------------===//

// Whether `buffer` holds the place that `binding` begins at, while `step` uses it.
static bool holds(const Buffer &buffer, const BindingDescription &binding, size_t step) {
  const bool isWeight = binding.memory == BindingDescription::Memory::Weights;
  return (buffer.kind == Buffer::Kind::Weight) == isWeight && buffer.kind != Buffer::Kind::Input &&
         buffer.kind != Buffer::Kind::Output && llvm::is_contained(buffer.steps, static_cast<int>(step)) &&
         binding.offsetBytes >= buffer.offsetBytes && binding.offsetBytes < buffer.offsetBytes + buffer.bytes;
}

// `buffer::conv1` or `weight::conv1_bias`, with what is in front of the binding added; a number for what has no name.
static std::string placeText(const BindingDescription &binding, size_t step, BufferTable &buffers) {
  const Buffer *nearest = nullptr;
  for (const Buffer &buffer : buffers.all())
    if (holds(buffer, binding, step) && (!nearest || buffer.offsetBytes > nearest->offsetBytes))
      nearest = &buffer;
  if (!nearest)
    return std::to_string(binding.offsetBytes);
  const uint64_t more = binding.offsetBytes - nearest->offsetBytes;
  return (nearest->kind == Buffer::Kind::Weight ? "weight::" : "buffer::") + nearest->identifier +
         (more ? " + " + std::to_string(more) : "");
}

// input(input::image, 12288), and behind these where in the tensor it begins, if that is not its first byte.
static std::string tensorText(const std::string &kind, const std::vector<TensorDescription> &tensors, int index,
                              uint64_t bytes, uint64_t offsetBytes = 0) {
  const std::string more = offsetBytes ? ", " + std::to_string(offsetBytes) : "";
  return kind + "(" + kind + "::" + tensors[static_cast<size_t>(index)].identifier + ", " + std::to_string(bytes) +
         more + ")";
}

static std::string rangeText(const ModelDescription &model, const BindingDescription &binding, size_t step,
                             BufferTable &buffers) {
  const auto memoryText = [&](const char *kind) {
    return std::string(kind) + "(" + placeText(binding, step, buffers) + ", " + std::to_string(binding.bytes) + ")";
  };
  switch (binding.memory) {
  case BindingDescription::Memory::Arena:
    return memoryText("arena");
  case BindingDescription::Memory::Weights:
    return memoryText("weights");
  case BindingDescription::Memory::Input:
    return tensorText("input", model.inputs, binding.index, binding.bytes, binding.offsetBytes);
  case BindingDescription::Memory::Output:
    return tensorText("output", model.outputs, binding.index, binding.bytes, binding.offsetBytes);
  case BindingDescription::Memory::Status:
    return "status()";
  }
  llvm_unreachable("every memory is handled");
}

//===-- dispatches ------------------------------------------------------------------------------------------------===//

// On one line where it fits, else the ranges below; what is still too long is folded with all other lines.
static void printDispatch(raw_ostream &os, const ModelDescription &model, const GpuProgram &program,
                          const DispatchDescription &dispatch, size_t step, bool isFirst, BufferTable &buffers) {
  const auto &[x, y, z] = dispatch.groups;
  const std::string call = "  commands.dispatch(", shader = program.shaders[dispatch.shader].identifier;
  const std::string first = call + "shader::" + shader + ", {" + std::to_string(x) + ", " + std::to_string(y) + ", " +
                            std::to_string(z) + "},";
  const std::string ranges = llvm::join(
      llvm::map_range(dispatch.bindings,
                      [&](const BindingDescription &binding) { return rangeText(model, binding, step, buffers); }),
      ", ");
  const std::string rest = "{" + ranges + "});";
  if (dispatch.waits && !isFirst)
    os << "  commands.wait();\n";
  const bool fits = first.size() + 1 + rest.size() <= pageWidth;
  os << first << (fits ? " " : "\n" + std::string(call.size(), ' ')) << rest << "\n";
}

static void printDispatches(raw_ostream &os, const ModelDescription &model, const GpuProgram &program,
                            const SubmissionDescription &submission, BufferTable &buffers) {
  const size_t end = submission.firstStep + submission.stepCount;
  const size_t start = submission.stepCount ? program.firstDispatch[submission.firstStep] : 0;
  for (size_t step = submission.firstStep; step < end; ++step) {
    printStepComment(os, model, step, 2);
    auto [first, last] = dispatchesOf(program, step);
    for (size_t dispatch = first; dispatch < last; ++dispatch)
      printDispatch(os, model, program, program.dispatches[dispatch], step, dispatch == start, buffers);
    os << (step + 1 < end ? "\n" : "");
  }
}

// The functions that make ranges, as far as `text` uses them.
static void printUsing(raw_ostream &os, StringRef text) {
  for (StringRef maker : {"arena", "weights", "input", "output", "status"})
    if (text.contains(("{" + maker + "(").str()) || text.contains((" " + maker + "(").str()))
      os << "  using aotc::vulkan::" << maker << ";\n";
  os << "\n";
}

static std::string rangeText(const ModelDescription &model, const HostRange &range) {
  const std::string bytes = ", " + std::to_string(range.bytes) + ")";
  if (!range.buffer)
    return "arena(" + std::to_string(*range.arenaOffset) + bytes;
  if (range.buffer->kind == Buffer::Kind::Input)
    return tensorText("input", model.inputs, range.buffer->index, range.bytes);
  if (range.buffer->kind == Buffer::Kind::Output)
    return tensorText("output", model.outputs, range.buffer->index, range.bytes);
  return "arena(buffer::" + range.buffer->identifier + bytes;
}

static void printTransfer(raw_ostream &os, const ModelDescription &model, StringRef function,
                          const HostRanges &ranges) {
  if (ranges.empty())
    return;
  const auto text = [&](const HostRange &range) { return rangeText(model, range); };
  os << "  commands." << function << "({" << llvm::join(llvm::map_range(ranges, text), ", ") << "});\n";
}

static void printRecord(raw_ostream &os, const ModelDescription &model, const GpuProgram &program, StringRef name,
                        const SubmissionDescription &submission, BufferTable &buffers) {
  std::string body;
  llvm::raw_string_ostream bodyStream(body);
  printTransfer(bodyStream, model, "put", submission.put);
  if (!submission.put.empty() && submission.stepCount)
    bodyStream << "\n";
  printDispatches(bodyStream, model, program, submission, buffers);
  if (!submission.fetch.empty() && submission.stepCount)
    bodyStream << "\n";
  printTransfer(bodyStream, model, "fetch", submission.fetch);
  os << "void " << name << "(aotc::vulkan::Recorder& " << (body.empty() ? "/*commands*/) {}\n\n" : "commands) {\n");
  if (body.empty())
    return;
  printUsing(os, body);
  os << body << "}\n\n";
}

//===-- runs ------------------------------------------------------------------------------------------------------===//

static std::string stepsText(const SubmissionDescription &submission) {
  const size_t first = submission.firstStep, last = first + submission.stepCount - 1;
  if (!submission.stepCount)
    return "";
  return first == last ? "  // step " + std::to_string(first)
                       : "  // steps " + std::to_string(first) + " to " + std::to_string(last);
}

static void printItem(raw_ostream &os, const ModelDescription &model, const HostFlow &flow, const FlowItem &item,
                      unsigned &depth) {
  const auto indented = [&]() -> raw_ostream & { return os.indent(2 * depth); };
  switch (item.kind) {
  case FlowItem::Kind::Submit:
    indented() << "run.submit(" << item.index << ");" << stepsText(flow.submissions[item.index]) << "\n";
    return;
  case FlowItem::Kind::Compute:
    printStepComment(os, model, item.index, 2 * depth);
    indented() << "run.compute(" << item.index << ");\n";
    return;
  case FlowItem::Kind::If:
    indented() << "if (" << item.condition << ") {\n";
    ++depth;
    return;
  case FlowItem::Kind::Else:
    --depth;
    indented() << "} else {\n";
    ++depth;
    return;
  case FlowItem::Kind::While:
    indented() << "while (" << item.condition << " && !frame.failed()) {\n";
    ++depth;
    return;
  case FlowItem::Kind::End:
    --depth;
    indented() << "}\n";
    return;
  }
}

static void printRun(raw_ostream &os, const ModelDescription &model, const HostFlow &flow) {
  os << "// One run, up to its last submission. run.compute() calls the step of that number in " << model.name
     << "_host.cpp.\nvoid run_steps(aotc::vulkan::HostRun& run) {\n";
  if (llvm::any_of(flow.items, [](const FlowItem &item) { return !item.condition.empty(); }))
    os << "  const aotc::Frame& frame = run.frame();\n\n";
  unsigned depth = 1;
  for (const auto &[index, item] : llvm::enumerate(flow.items)) {
    const bool wasCompute = index > 0 && flow.items[index - 1].kind == FlowItem::Kind::Compute;
    if (index > 0 && depth == 1 && (wasCompute || item.kind == FlowItem::Kind::Compute))
      os << "\n";
    printItem(os, model, flow, item, depth);
  }
  os << "}\n\n";
}

static void printSubmissions(raw_ostream &os, const ModelDescription &model, const HostFlow &flow) {
  os << "// Commands; the first of their steps, and how many.\nconstexpr aotc::vulkan::Submission submissions[] = {\n";
  for (const auto &[index, submission] : llvm::enumerate(flow.submissions))
    os << "    {record_" << index << ", " << submission.firstStep << ", " << submission.stepCount << "},\n";
  os << "};\nconstexpr aotc::vulkan::HostSteps host_steps{submissions, " << flow.submissions.size() << ", "
     << (model.hostSteps ? "steps_" + model.levels.front().name : "nullptr") << ", run_steps};\n\n";
}

void printRecords(raw_ostream &os, const ModelDescription &model, const GpuProgram &program, const HostFlow &flow,
                  BufferTable &buffers) {
  os << rulerLine("the steps") << "// Recorded once for each session, and whenever a VkBuffer is bound.\n";
  if (flow.isPlain())
    return printRecord(os, model, program, "record", flow.submissions.front(), buffers);
  for (const auto &[index, submission] : llvm::enumerate(flow.submissions))
    printRecord(os, model, program, "record_" + std::to_string(index), submission, buffers);
  printRun(os, model, flow);
  printSubmissions(os, model, flow);
}

} // namespace aotc::codegen
