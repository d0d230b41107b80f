#include "codegen/cpp/Naming.h"

#include "codegen/cpp/NodeNames.h"
#include "codegen/cpp/StepKinds.h"
#include "ir/kern/Dialect.h"
#include "ir/kern/Helpers.h"
#include "ir/nn/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using llvm::StringRef;

namespace aotc::codegen {

//===-- steps -----------------------------------------------------------------------------------------------------===//

// A step that only prepares memory for the nodes it stands for: what it does, and what is added to its name.
struct HelperRow {
  StringRef title, suffix;
};

// The product of all time steps that a recurrent network begins with; the recurrence is a step of the same node.
static bool isInputProduct(Operation *op, ArrayRef<nn::NodeAttr> nodes) {
  auto kernel = dyn_cast<kern::KernelOp>(op);
  return kernel && kernel.getKernelFunction().contains("matmul") && !nodes.empty() &&
         llvm::is_contained({"LSTM", "GRU", "RNN", "DynamicQuantizeLSTM"}, nodes.front().getOp());
}

// What com.microsoft's dynamic operators do to their input in front of the product.
static std::optional<HelperRow> dynamicHelperOf(Operation *op, ArrayRef<nn::NodeAttr> nodes) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || nodes.empty() || !nodes.front().getOp().starts_with("DynamicQuantize") ||
      nodes.front().getOp() == "DynamicQuantizeLinear")
    return std::nullopt;
  bool isQuantization = generic.getBody()->getTerminator()->getOperand(0).getDefiningOp<kern::QuantizeOp>() != nullptr;
  return isQuantization ? HelperRow{"Quantization", "_quantized"} : HelperRow{"Scales", "_scales"};
}

// Between floats of 16 and 32 bits, element by element.
static bool onlyConverts(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && llvm::hasSingleElement(generic.getBody()->without_terminator()) &&
         isa<arith::ExtFOp, arith::TruncFOp>(generic.getBody()->front());
}

static std::optional<HelperRow> helperOf(Operation *op) {
  static const llvm::StringSet<> movers = {
      "Concat",  "Transpose", "Slice",   "Pad",     "Split",        "Expand",       "Tile",
      "Reshape", "Identity",  "Flatten", "Squeeze", "DepthToSpace", "SpaceToDepth", "ConstantOfShape",
      "Gather",  "Reverse",   "If",      "Loop",    "Dropout",      "Unsqueeze",    "CenterCropPad"};
  if (auto call = dyn_cast<kern::CallOp>(op)) {
    static const llvm::StringMap<HelperRow> rows = {
        {"start_loop", {"Start", "_start"}},   {"next_iteration", {"Next iteration", "_next"}},
        {"carry", {"Carry", "_carry"}},        {"collect", {"Collect", "_collect"}},
        {"set_extent", {"Extent", "_size"}},   {"read_extent", {"Extent", "_size"}},
        {"count_steps", {"Extent", "_size"}},  {"extremes", {"Extremes", "_extremes"}},
        {"dynamic_scale", {"Scale", "_scale"}}};
    if (auto row = rows.find(call.getFunction()); row != rows.end())
      return row->second;
  }
  SmallVector<nn::NodeAttr> nodes = nn::nodesOf(op->getLoc());
  if (isInputProduct(op, nodes))
    return HelperRow{"Input product", "_input"};
  if (auto helper = dynamicHelperOf(op, nodes))
    return helper;
  if (llvm::any_of(nodes, [&](nn::NodeAttr node) { return movers.contains(node.getOp()); }))
    return std::nullopt;
  if (isa<memref::CopyOp, linalg::CopyOp>(op))
    return HelperRow{"Copy", "_copy"};
  if (isa<linalg::TransposeOp>(op))
    return HelperRow{"Transposition", "_transposed"};
  if (isa<linalg::FillOp>(op))
    return HelperRow{"Fill", "_fill"};
  if (op->hasAttr(kern::offsetsAttrName))
    return HelperRow{"Offsets", "_offsets"};
  if (onlyConverts(op) && llvm::none_of(nodes, [](nn::NodeAttr node) { return node.getOp() == "Cast"; }))
    return HelperRow{"Conversion", "_converted"};
  return std::nullopt;
}

// "[1,32,32,16] -> [1,16,16,32]"
static FailureOr<std::string> stepShapes(Operation *op, BufferTable &buffers) {
  SmallVector<Value> memrefs = memrefsOf(op);
  if (memrefs.empty()) // it sets an extent
    return std::string();
  FailureOr<Place> in = buffers.placeOf(memrefs.front(), op), out = buffers.placeOf(memrefs.back(), op);
  if (failed(in) || failed(out))
    return failure();
  return memrefs.size() > 1 ? shapeText(*in) + " -> " + shapeText(*out) : shapeText(*out);
}

// Names that the generated namespace and the functions of steps have for other things, the interface's among them.
static constexpr StringRef takenNames[] = {"buffer",      "weight",       "input",
                                           "output",      "steps",        "main",
                                           "aotc",        "std",          "xsimd",
                                           "f",           "part",         "sum",
                                           "lanes",       "map_scalar",   "map",
                                           "copy",        "max_threads",  "arena_alignment",
                                           "arena_bytes", "info",         "interface_version",
                                           "model_info",  "choose_steps", "check"};

// What steps may not be called: those, the kernels that they call, and the indices of their epilogues.
static SmallVector<StringRef> namesTakenBy(const std::vector<PrintedStep> &steps, ArrayRef<std::string> tables) {
  SmallVector<StringRef> names = llvm::to_vector(ArrayRef<StringRef>(takenNames));
  llvm::append_range(names, tables);
  for (const PrintedStep &step : steps) {
    if (auto kernel = dyn_cast<kern::KernelOp>(step.op))
      names.push_back(kernel.getKernelFunction());
    if (auto epilogue = dyn_cast<kern::EpilogueOp>(step.op))
      llvm::append_range(names, epilogue.getEpilogueIndices());
  }
  return names;
}

static uint64_t macsOf(Operation *op, BufferTable &buffers) {
  auto kernel = dyn_cast<kern::KernelOp>(op);
  auto extentOf = [&](Value memref, unsigned dim) {
    FailureOr<Place> place = buffers.placeOf(memref, op);
    return succeeded(place) ? place->sizes[dim].bound() : 0; // printing the step fails too
  };
  return kernel ? static_cast<uint64_t>(kernel.getMacs(extentOf)) : 0;
}

LogicalResult nameSteps(std::vector<PrintedStep> &steps, BufferTable &buffers, ArrayRef<std::string> tables) {
  NameTable names(namesTakenBy(steps, tables));
  NodeNames nodes(llvm::map_to_vector(steps, [](const PrintedStep &step) { return firstNode(step.op); }));
  for (PrintedStep &step : steps) {
    auto kernel = dyn_cast<kern::KernelOp>(step.op);
    std::string kind = kernel ? kernel.getKernelFunction().str() : step.op->getName().stripDialect().str();
    std::optional<HelperRow> helper = helperOf(step.op);
    bool hasNode = !nn::nodesOf(step.op->getLoc()).empty();
    std::string wanted = nodes.of(firstNode(step.op), kind) + (helper && hasNode ? helper->suffix.str() : "");
    step.description.identifier = names.add(wanted, "step");
    std::string text = nodesText(step.op, kind, nodes);
    step.description.comment = helper && hasNode ? helper->title.str() + " for " + text : text;
    FailureOr<std::string> shapes = stepShapes(step.op, buffers);
    if (failed(shapes))
      return failure();
    step.description.macs = macsOf(step.op, buffers);
    step.description.shapes = *shapes;
  }
  return success();
}

//===-- buffers ---------------------------------------------------------------------------------------------------===//

// What a constant is to the step that reads it: "weights", "offsets", "bias".
static std::string weightRole(Operation *op, Value memref, const Buffer &buffer) {
  if (auto kernel = dyn_cast<kern::KernelOp>(op))
    for (auto [i, input] : llvm::enumerate(kernel.getKernelInputs()))
      if (StringRef role = kernel.getInputRole(static_cast<unsigned>(i)); input == memref && !role.empty())
        return role.str();
  if (auto epilogue = dyn_cast<kern::EpilogueOp>(op))
    for (auto [i, extra] : llvm::enumerate(epilogue.getExtras()))
      if (extra == memref)
        return roleName(epilogue.getEpilogue().getArgument(static_cast<unsigned>(i) + 1), buffer, "constant");
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == memref)
        return roleName(linalgOp.getMatchingBlockArgument(&operand), buffer, "constant");
  return "constant";
}

static bool writesTo(Operation *op, Value memref) {
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return memref == copy.getTarget();
  return llvm::is_contained(cast<DestinationStyleOpInterface>(op).getDpsInits(), memref);
}

// Calls visit(index, step, memref, buffer) for every memref that a step reads or writes.
static LogicalResult
eachUse(const std::vector<PrintedStep> &steps, BufferTable &buffers,
        llvm::function_ref<void(int index, const PrintedStep &step, Value memref, Buffer &buffer)> visit) {
  for (auto [index, step] : llvm::enumerate(steps))
    for (Value memref : memrefsOf(step.op)) {
      FailureOr<Place> place = buffers.placeOf(memref, step.op);
      if (failed(place))
        return failure();
      visit(static_cast<int>(index), step, memref, *place->buffer);
    }
  return success();
}

static void noteUse(Buffer &buffer, int step) {
  buffer.firstStep = buffer.firstStep < 0 ? step : buffer.firstStep;
  buffer.lastStep = std::max(buffer.lastStep, step);
}

// As noteUse(), for what the step itself reads or writes.
static void noteStep(Buffer &buffer, int step) {
  noteUse(buffer, step);
  if (buffer.steps.empty() || buffer.steps.back() != step)
    buffer.steps.push_back(step);
}

LogicalResult noteUses(const std::vector<PrintedStep> &steps, ArrayRef<std::pair<Value, int>> reads,
                       BufferTable &buffers) {
  LogicalResult result = eachUse(steps, buffers, [&](int index, const PrintedStep &step, Value memref, Buffer &buffer) {
    noteStep(buffer, index);
    if (writesTo(step.op, memref))
      buffer.writer = buffer.writer < 0 ? index : buffer.writer;
    else if (llvm::any_of(memrefsOf(step.op), [&](Value other) {
               FailureOr<Place> place = buffers.placeOf(other, step.op);
               return succeeded(place) && place->buffer == &buffer && writesTo(step.op, other);
             }))
      buffer.rewriter = index;
  });
  for (auto [index, step] : llvm::enumerate(steps))
    if (Buffer *scratch = buffers.scratchOf(step.op))
      noteStep(*scratch, static_cast<int>(index));
  for (auto [memref, index] : reads) {
    FailureOr<Place> place = buffers.placeOf(memref, memref.getDefiningOp());
    if (failed(place))
      return failure();
    noteUse(*place->buffer, index);
  }
  return result;
}

LogicalResult nameBuffers(const std::vector<PrintedStep> &steps, BufferTable &buffers) {
  NameTable arenaNames, weightNames;
  // A step's own name must not become that of what another step writes, such as its input.
  NodeNames nodes;
  for (const PrintedStep &step : steps)
    nodes.addStep({firstNode(step.op), lastNode(step.op)});
  // What only prepares a buffer does not name it, if another step writes it too.
  for (bool helpersToo : {false, true}) {
    auto name = [&](int, const PrintedStep &step, Value memref, Buffer &buffer) {
      if (!buffer.identifier.empty())
        return;
      StringRef identifier = step.description.identifier;
      if (buffer.kind == Buffer::Kind::Weight)
        buffer.identifier = weightNames.add((identifier + "_" + weightRole(step.op, memref, buffer)).str(), "constant");
      else if (writesTo(step.op, memref) && (helpersToo || !helperOf(step.op)))
        buffer.identifier =
            arenaNames.add(helpersToo ? identifier.str() : nodes.of(lastNode(step.op), identifier), "buffer");
    };
    if (failed(eachUse(steps, buffers, name)))
      return failure();
  }
  for (const PrintedStep &step : steps)
    if (Buffer *scratch = buffers.scratchOf(step.op))
      scratch->identifier = arenaNames.add(step.description.identifier + "_scratch", "scratch");
  // What is read but never written: memory that some other model of planning leaves undefined.
  for (Buffer &buffer : buffers.all())
    if (buffer.identifier.empty())
      buffer.identifier = arenaNames.add("undefined", "buffer");
  return success();
}

} // namespace aotc::codegen
