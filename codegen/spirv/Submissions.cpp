// One walk through the function, with the submission that is open and what the host has written since the last one; a
// submission ends where the host needs what its shaders compute.
#include "codegen/spirv/Submissions.h"

#include "codegen/cpp/Conditions.h"
#include "codegen/spirv/Bindings.h"

using namespace mlir;

namespace aotc::codegen {

// Adds what `buffer` holds; constants are on both sides, and scratch memory is of no account between steps.
static void addRange(HostRanges &ranges, const Buffer &buffer, const ModelDescription &model) {
  if (buffer.kind == Buffer::Kind::Weight || buffer.kind == Buffer::Kind::Scratch || !buffer.bytes)
    return;
  const bool isInput = buffer.kind == Buffer::Kind::Input;
  ranges.push_back({isInput ? model.inputs[static_cast<size_t>(buffer.index)].arenaOffsetBytes : buffer.offsetBytes,
                    buffer.bytes, &buffer});
}

// Joins those that overlap: copies of one command must not.
static void join(HostRanges &ranges) {
  llvm::stable_sort(ranges, [](const HostRange &a, const HostRange &b) {
    return std::tie(a.arenaOffset, a.buffer->index) < std::tie(b.arenaOffset, b.buffer->index);
  });
  HostRanges joined;
  for (const HostRange &range : ranges) {
    HostRange *last = joined.empty() ? nullptr : &joined.back();
    if (last && last->buffer == range.buffer)
      continue;
    const bool overlaps = last && last->arenaOffset && *range.arenaOffset < *last->arenaOffset + last->bytes;
    if (!overlaps) {
      joined.push_back(range);
      continue;
    }
    last->bytes = std::max(last->bytes, *range.arenaOffset + range.bytes - *last->arenaOffset);
    last->buffer = nullptr;
  }
  ranges = std::move(joined);
}

namespace {

class Splitter {
public:
  Splitter(PlannedProgram &program, const GpuProgram &gpu) : program(program), gpu(gpu) {}

  FailureOr<HostFlow> split() {
    if (failed(addBlock(program.function.front())))
      return failure();
    if (open == none)
      openSubmission();
    flow.items.erase(llvm::find_if(flow.items, [&](const FlowItem &item) { return isSubmitOf(item, open); }));
    for (SubmissionDescription &submission : flow.submissions) {
      join(submission.put);
      join(submission.fetch);
    }
    return std::move(flow);
  }

private:
  static constexpr size_t none = SIZE_MAX;

  static bool isSubmitOf(const FlowItem &item, size_t submission) {
    return item.kind == FlowItem::Kind::Submit && item.index == submission;
  }

  LogicalResult addBlock(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (auto step = program.indexOfStep.find(&op); step != program.indexOfStep.end()) {
        gpu.hostReasons[step->second].empty() ? addToDevice(step->second) : addToHost(step->second, &op);
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        if (failed(addBranch(branch)))
          return failure();
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        if (failed(addLoop(loop)))
          return failure();
      }
    }
    return success();
  }

  // The submission that commands go to: a new one where the host has computed since the last.
  SubmissionDescription &openSubmission() {
    if (open == none) {
      open = flow.submissions.size();
      flow.items.push_back({FlowItem::Kind::Submit, open});
      flow.submissions.emplace_back().put = std::move(written);
      written.clear();
    }
    return flow.submissions[open];
  }

  void addToDevice(size_t step) {
    SubmissionDescription &submission = openSubmission();
    if (submission.stepCount++ == 0)
      submission.firstStep = step;
  }

  // What the host uses next is fetched by the submission before it; by that in front of a row of steps for all of them.
  HostRanges &fetchedForHost() {
    if (open == none && fetching == none)
      openSubmission();
    fetching = open == none ? fetching : open;
    open = none;
    return flow.submissions[fetching].fetch;
  }

  void addToHost(size_t step, Operation *op) {
    HostRanges &fetched = fetchedForHost();
    for (Value memref : memrefsOf(op)) {
      const Buffer &buffer = *program.buffers.placeOf(memref, op)->buffer;
      addRange(fetched, buffer, program.code->model);
      if (isWritten(op, memref))
        addRange(written, buffer, program.code->model);
    }
    flow.items.push_back({FlowItem::Kind::Compute, step});
  }

  // Nothing is open, fetched or to be put where control flow meets: each block begins and ends like that.
  void close() {
    if (!written.empty())
      openSubmission();
    open = fetching = none;
  }

  FailureOr<std::string> addCondition(Operation *op, Value condition) {
    FailureOr<Place> place = conditionPlace(op, condition, program.buffers);
    if (failed(place))
      return failure();
    if (!written.empty())
      openSubmission();
    addRange(fetchedForHost(), *place->buffer, program.code->model);
    close();
    return conditionText(op, condition, program.buffers);
  }

  LogicalResult addBranch(scf::IfOp branch) {
    FailureOr<std::string> condition = addCondition(branch, branch.getCondition());
    if (failed(condition))
      return failure();
    flow.items.push_back({FlowItem::Kind::If, 0, *condition});
    if (failed(addBlock(branch.getThenRegion().front())))
      return failure();
    close();
    if (!branch.getElseRegion().empty()) {
      flow.items.push_back({FlowItem::Kind::Else});
      if (failed(addBlock(branch.getElseRegion().front())))
        return failure();
      close();
    }
    flow.items.push_back({FlowItem::Kind::End});
    return success();
  }

  LogicalResult addLoop(scf::WhileOp loop) {
    FailureOr<std::string> condition = addCondition(loop, conditionOf(loop));
    if (failed(condition))
      return failure();
    flow.items.push_back({FlowItem::Kind::While, 0, *condition});
    if (failed(addBlock(loop.getAfter().front())) || failed(addCondition(loop, conditionOf(loop))))
      return failure();
    flow.items.push_back({FlowItem::Kind::End});
    return success();
  }

  PlannedProgram &program;
  const GpuProgram &gpu;
  HostFlow flow;
  size_t open = none;     // the submission that is being added to
  size_t fetching = none; // the one in front of the host's steps that are being added
  HostRanges written;     // by these
};

} // namespace

size_t barriersOf(const GpuProgram &gpu, const HostFlow &flow) {
  const auto waits = [](const DispatchDescription &dispatch) { return dispatch.waits; };
  auto count = static_cast<size_t>(llvm::count_if(gpu.dispatches, waits));
  for (const SubmissionDescription &submission : flow.submissions) {
    const size_t first = submission.stepCount ? gpu.firstDispatch[submission.firstStep] : gpu.dispatches.size();
    count -= first < gpu.dispatches.size() && gpu.dispatches[first].waits;
  }
  return count;
}

FailureOr<HostFlow> splitIntoSubmissions(PlannedProgram &program, const GpuProgram &gpu) {
  return Splitter(program, gpu).split();
}

} // namespace aotc::codegen
