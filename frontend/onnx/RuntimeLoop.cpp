#include "frontend/onnx/RuntimeLoop.h"

#include "frontend/onnx/Attempt.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
using llvm::ArrayRef;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

using Outputs = RuntimeLoop::Outputs;

// Each attempt at a loop makes several at the loops in its body, so that a few lines could ask for billions of nodes.
constexpr size_t mostNodes = 200'000;

/// An extent of a carried value.
struct Position {
  size_t value, axis;
  bool operator==(const Position &other) const { return value == other.value && axis == other.axis; }
};

/// Extents that differ from one iteration to the next, in the same way.
struct VaryingDim {
  llvm::SmallVector<Position> positions;
  int64_t most = 0;       ///< the bound that the body is built with
  AffineExpr dim, next{}; ///< of one attempt: the dim, and what it is in the next iteration
};

class LoopShapes {
public:
  LoopShapes(NodeBuilder &node, const RuntimeLoop &loop)
      : node(node), loop(loop), dimsBefore(node.getDims().size()), isInvariant(loop.initial.size()) {}

  /// The results of the loop; nothing after an error.
  llvm::SmallVector<Value> build();

private:
  void declareDims();
  RankedTensorType argumentType(size_t value);
  Outputs buildBody(Block &block);
  bool check(const Outputs &outputs);
  bool comparePosition(Position position, AffineExpr argument, AffineExpr next);
  bool noteInvariants(Block &block, const Outputs &outputs);
  bool settle(const Outputs &outputs);
  AffineExpr initialOf(Position position) { return nn::extentsOf(loop.initial[position.value])[position.axis]; }
  std::optional<int64_t> boundOf(const VaryingDim &varying, AffineExpr next);
  bool settleBound(VaryingDim &varying);
  bool hasCarried(AffineExpr extent);
  llvm::SmallVector<size_t> wantedOf(const Outputs &outputs);
  AffineExpr countIterations(ArrayRef<size_t> wanted);
  AffineMapAttr mapOf(ArrayRef<AffineExpr> dims);
  void addCarried(const Outputs &outputs, OperationState &state, llvm::SmallVectorImpl<Value> &yielded);
  bool isSteady(AffineExpr extent);
  void addCollected(const Outputs &outputs, OperationState &state, llvm::SmallVectorImpl<Value> &yielded);
  llvm::SmallVector<Value> createLoop(Attempt &attempt, const Outputs &outputs);

  NodeBuilder &node;
  const RuntimeLoop &loop;
  const size_t dimsBefore;       ///< of the function, all of which mean the same in every iteration
  std::vector<bool> isInvariant; ///< carried values that every iteration passes on as they are
  std::vector<VaryingDim> varying;
};

// --------------------------------------------------------------------------------------------------------- one attempt

void LoopShapes::declareDims() {
  for (VaryingDim &one : varying) {
    size_t output = one.positions.front().value;
    one.dim = node.createFoundDim(one.most, output).getResult(0);
    one.next = {};
  }
}

RankedTensorType LoopShapes::argumentType(size_t value) {
  auto type = node.typeOf(loop.initial[value]);
  nn::Extents extents = nn::extentsOf(type);
  for (const VaryingDim &one : varying)
    for (Position position : one.positions)
      if (position.value == value)
        extents[position.axis] = one.dim;
  return nn::tensorOf(extents, type.getElementType());
}

/// The nodes in `block`, which gets the arguments that they have.
Outputs LoopShapes::buildBody(Block &block) {
  Location location = node.getLocation();
  Value number = block.addArgument(RankedTensorType::get({}, node.getBuilder().getI64Type()), location);
  llvm::SmallVector<Value> carried;
  for (size_t value = 0; value < loop.initial.size(); ++value)
    carried.push_back(isInvariant[value] ? loop.initial[value] : block.addArgument(argumentType(value), location));
  if (node.getSubgraphs().countNodes() > mostNodes)
    node.fail("loops within loops must have fewer than " + Twine(mostNodes) +
              " nodes, each time counted that a body is "
              "built to find out its extents");
  if (node.failed())
    return {};
  Outputs outputs = loop.buildBody(number, carried);
  node.forgetValues(); // nodes of the body may have found dims
  return outputs;
}

/// Whether what the body gives may go on as what it takes, extents aside.
bool LoopShapes::check(const Outputs &outputs) {
  for (auto [index, values] : llvm::enumerate(llvm::zip_equal(loop.initial, outputs.next))) {
    auto from = node.typeOf(std::get<0>(values)), to = node.typeOf(std::get<1>(values));
    if (from.getElementType() != to.getElementType() || from.getRank() != to.getRank())
      node.fail("carried value " + Twine(index) +
                " must keep its type and rank where iterations are counted at run "
                "time, found " +
                nn::describe(from) + " and then " + nn::describe(to));
  }
  return !node.failed();
}

/// Values that are passed on need no place of their own. True where there are some.
bool LoopShapes::noteInvariants(Block &block, const Outputs &outputs) {
  bool isNew = false;
  size_t argument = 1;
  for (auto [index, next] : llvm::enumerate(outputs.next)) {
    if (isInvariant[index])
      continue;
    if (next != block.getArgument(static_cast<unsigned>(argument++)))
      continue;
    isNew = isInvariant[index] = true;
    for (VaryingDim &one : varying)
      llvm::erase_if(one.positions, [&](const Position &position) { return position.value == index; });
  }
  return isNew;
}

// --------------------------------------------------------------------------------------------------- extents that vary

/// Whether the extent is as the attempt took it to be. If not, it becomes a dim, or one apart from others.
bool LoopShapes::comparePosition(Position position, AffineExpr argument, AffineExpr next) {
  for (VaryingDim &one : varying) {
    auto *place = llvm::find(one.positions, position);
    if (place == one.positions.end())
      continue;
    if (!one.next)
      one.next = next;
    if (one.next == next && initialOf(position) == initialOf(one.positions.front()))
      return true;
    one.positions.erase(place);
    varying.push_back({{position}, one.most, one.dim, next});
    return false;
  }
  if (argument == next)
    return true;
  for (VaryingDim &one : varying) // those that begin and go on alike are taken to be one until they turn out not to be
    if (!one.dim && one.next == next && initialOf(one.positions.front()) == initialOf(position)) {
      one.positions.push_back(position);
      return false;
    }
  varying.push_back({{position}, 0, {}, next});
  return false;
}

bool LoopShapes::hasCarried(AffineExpr extent) {
  bool found = false;
  for (const VaryingDim &one : varying)
    extent.walk([&](AffineExpr part) { found |= part == one.dim; });
  return found;
}

/// The most that a dim may be: by what it grows, where it grows evenly, or by the bounds of what it becomes.
std::optional<int64_t> LoopShapes::boundOf(const VaryingDim &one, AffineExpr next) {
  int64_t initial = node.boundsOf(initialOf(one.positions.front())).most;
  AffineExpr before = one.dim ? one.dim : initialOf(one.positions.front());
  if (std::optional<int64_t> growth = nn::numberOf(nn::difference(next, before))) {
    if (*growth <= 0)
      return initial;
    if (!loop.mostIterations || *loop.mostIterations > (INT32_MAX - initial) / *growth)
      return std::nullopt;
    return initial + *growth * *loop.mostIterations;
  }
  if (hasCarried(next))
    return std::nullopt;
  return std::max(initial, node.boundsOf(next).most);
}

/// Whether the body was built with the bound that the dim has.
bool LoopShapes::settleBound(VaryingDim &one) {
  size_t output = one.positions.front().value;
  std::optional<int64_t> bound = boundOf(one, one.next);
  bool isNew = !one.dim;
  if (isNew && !bound && !node.givenBound(output)) // what the next attempt finds may tell more
    bound = std::max(node.boundsOf(initialOf(one.positions.front())).most, node.boundsOf(one.next).most);
  int64_t most = node.outputBound(output, bound);
  bool isAsBuilt = !isNew && one.most == most;
  one.most = most;
  return isAsBuilt;
}

/// Whether all extents and bounds are as the attempt took them to be.
bool LoopShapes::settle(const Outputs &outputs) {
  bool isSettled = true;
  std::vector<RankedTensorType> arguments;
  for (size_t value = 0; value < loop.initial.size(); ++value)
    arguments.push_back(argumentType(value));
  for (size_t value = 0; value < loop.initial.size(); ++value) {
    if (isInvariant[value])
      continue;
    nn::Extents taken = nn::extentsOf(arguments[value]), next = nn::extentsOf(node.typeOf(outputs.next[value]));
    for (size_t axis = 0; axis < taken.size(); ++axis)
      isSettled &= comparePosition({value, axis}, taken[axis], next[axis]);
  }
  llvm::erase_if(varying, [](const VaryingDim &one) { return one.positions.empty(); });
  for (VaryingDim &one : varying)
    isSettled &= settleBound(one);
  return isSettled && !node.failed();
}

// -------------------------------------------------------------------------------------------------------------- the op

/// The collected values that the node has outputs for, by number.
llvm::SmallVector<size_t> LoopShapes::wantedOf(const Outputs &outputs) {
  llvm::SmallVector<size_t> wanted;
  for (size_t index = 0; index < outputs.collected.size(); ++index)
    if (node.wantsResult(loop.initial.size() + index))
      wanted.push_back(index);
  return wanted;
}

/// The extent of collected values along their first dimension: that of all of them, which each may bound.
AffineExpr LoopShapes::countIterations(ArrayRef<size_t> wanted) {
  if (loop.iterations)
    return loop.iterations;
  size_t first = loop.initial.size() + wanted.front();
  std::optional<int64_t> most;
  for (size_t index : wanted)
    if (std::optional<int64_t> given = node.givenBound(loop.initial.size() + index))
      most = std::min(most.value_or(*given), *given);
  bool isKnown = loop.mostIterations && *loop.mostIterations <= INT32_MAX;
  if (!most)
    most = node.outputBound(first, isKnown ? loop.mostIterations : std::nullopt);
  return node.failed() ? AffineExpr() : node.createFoundDim(*most, first).getResult(0);
}

AffineMapAttr LoopShapes::mapOf(ArrayRef<AffineExpr> dims) {
  return AffineMapAttr::get(AffineMap::get(0, static_cast<unsigned>(node.getDims().size()), dims, node.getContext()));
}

void LoopShapes::addCarried(const Outputs &outputs, OperationState &state, llvm::SmallVectorImpl<Value> &yielded) {
  for (auto [index, next] : llvm::enumerate(outputs.next))
    if (!isInvariant[index]) {
      state.addOperands(loop.initial[index]);
      state.addTypes(argumentType(index));
      yielded.push_back(next);
    }
  llvm::SmallVector<AffineExpr> dims = llvm::map_to_vector(varying, [](const VaryingDim &one) { return one.dim; });
  if (!dims.empty())
    state.addAttribute("carried", mapOf(dims));
}

/// Whether the extent follows from dims that there were before the loop.
bool LoopShapes::isSteady(AffineExpr extent) {
  bool isSteady = true;
  extent.walk([&](AffineExpr part) {
    auto symbol = dyn_cast<AffineSymbolExpr>(part);
    isSteady &= !symbol || symbol.getPosition() < dimsBefore;
  });
  return isSteady;
}

void LoopShapes::addCollected(const Outputs &outputs, OperationState &state, llvm::SmallVectorImpl<Value> &yielded) {
  llvm::SmallVector<size_t> wanted = wantedOf(outputs);
  AffineExpr count = wanted.empty() ? AffineExpr() : countIterations(wanted);
  if (!count)
    return;
  for (size_t index : wanted) {
    Value value = outputs.collected[index];
    nn::Extents extents = nn::extentsOf(node.typeOf(value));
    if (!llvm::all_of(extents, [&](AffineExpr extent) { return isSteady(extent); }))
      node.fail("the extents of what iterations give must be the same in each, found " + node.describe(extents));
    yielded.push_back(value);
    extents.insert(extents.begin(), count);
    state.addTypes(nn::tensorOf(extents, node.typeOf(value).getElementType()));
  }
  state.addAttribute("iterations", mapOf(count));
  if (!loop.iterations)
    state.addAttribute("counts", node.getBuilder().getUnitAttr());
}

llvm::SmallVector<Value> LoopShapes::createLoop(Attempt &attempt, const Outputs &outputs) {
  OperationState state(node.getLocation(), nn::LoopOp::getOperationName());
  llvm::SmallVector<Value> yielded{outputs.condition};
  state.addOperands({loop.tripCount, loop.condition});
  addCarried(outputs, state, yielded);
  addCollected(outputs, state, yielded);
  if (node.failed())
    return {};
  node.getBuilder().create<nn::YieldOp>(node.getLocation(), yielded);
  attempt.keepBlock(*state.addRegion());
  node.getBuilder().restoreInsertionPoint(attempt.getPlace());
  auto op = cast<nn::LoopOp>(node.getBuilder().create(state));
  if (op.getCarriedDimsInOrder().size() != varying.size())
    node.fail("carried values must not exchange extents that are found at run time");
  llvm::SmallVector<Value> results(loop.initial.size() + outputs.collected.size());
  auto next = op.getResults().begin();
  for (size_t index = 0; index < loop.initial.size(); ++index)
    results[index] = isInvariant[index] ? loop.initial[index] : Value(*next++);
  for (size_t index : wantedOf(outputs))
    results[loop.initial.size() + index] = *next++;
  return results;
}

llvm::SmallVector<Value> LoopShapes::build() {
  constexpr int mostAttempts = 16;
  for (int i = 0; i < mostAttempts && !node.failed(); ++i) {
    Attempt attempt(node);
    declareDims();
    Outputs outputs = buildBody(attempt.getBlock());
    if (node.failed() || !check(outputs))
      return {};
    bool isSettled = !noteInvariants(attempt.getBlock(), outputs);
    if (settle(outputs) && isSettled)
      return createLoop(attempt, outputs);
  }
  node.fail("how the extents of carried values go on from one iteration to the next was not found out");
  return {};
}

} // namespace

llvm::SmallVector<Value> aotc::frontend::createRuntimeLoop(NodeBuilder &node, const RuntimeLoop &loop) {
  return LoopShapes(node, loop).build();
}
