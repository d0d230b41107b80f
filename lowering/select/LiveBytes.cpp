#include "lowering/select/LiveBytes.h"

#include "ir/nn/HostTensor.h"
#include "lowering/plan/ShareInPlace.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace aotc::select {

namespace {

// Tensors that will share memory, merged step by step: views, the parts of a concat, results computed in place.
class Lifetimes {
public:
  explicit Lifetimes(Block &body) : body(body) {
    int64_t end = 0;
    for (Operation &op : body)
      numbers[&op] = end++;
    for (BlockArgument argument : body.getArguments())
      add(argument, 0);
    for (Operation &op : body)
      visit(&op);
    for (Operation &op : body)
      shareInPlace(&op);
  }

  // The sum of the memory alive at each op, by number.
  std::vector<int64_t> sums() const {
    std::vector<int64_t> change(numbers.size() + 1);
    for (auto [i, memory] : llvm::enumerate(memories))
      if (memory.parent == i) {
        change[memory.first] += memory.bytes;
        change[memory.last + 1] -= memory.bytes;
      }
    for (size_t i = 1; i < change.size(); ++i)
      change[i] += change[i - 1];
    return change;
  }

private:
  struct Memory {
    size_t parent; // itself unless merged into another
    int64_t bytes, first, last;
  };

  static int64_t bytesOf(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    int64_t count = nn::elementBytes(tensor.getElementType());
    for (int64_t extent : tensor.getShape())
      count *= ShapedType::isDynamic(extent) ? 1 : extent;
    return count;
  }

  int64_t lastUse(Value value, int64_t first) const {
    int64_t last = first;
    for (Operation *user : value.getUsers())
      last = std::max(last, numbers.lookup(body.findAncestorOpInBlock(*user)));
    return last;
  }

  void add(Value value, int64_t first) {
    if (!isa<RankedTensorType>(value.getType()))
      return;
    indices[value] = memories.size();
    memories.push_back({memories.size(), bytesOf(value.getType()), first, lastUse(value, first)});
  }

  // Null for what takes no room in the arena: constants, destinations without contents.
  Memory *of(Value value) {
    auto found = indices.find(value);
    if (found == indices.end())
      return nullptr;
    size_t index = found->second;
    while (memories[index].parent != index)
      index = memories[index].parent;
    return &memories[index];
  }

  void merge(Value part, Value whole) {
    Memory *from = of(part), *to = of(whole);
    if (!from || !to || from == to)
      return;
    *to = {to->parent, to->bytes, std::min(to->first, from->first), std::max(to->last, from->last)};
    from->parent = to->parent;
  }

  void visit(Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op))
      return;
    for (Value result : op->getResults())
      add(result, numbers[op]);
    if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp, tensor::CastOp>(op))
      merge(op->getResult(0), op->getOperand(0));
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      merge(insert.getDest(), insert.getResult());
      if (insert.getSource().hasOneUse()) // its producer will write into the slice
        merge(insert.getSource(), insert.getResult());
    }
  }

  void shareInPlace(Operation *op) {
    auto step = dyn_cast<DestinationStyleOpInterface>(op);
    if (!step)
      return;
    SmallVector<Value> operands = plan::sameElementOperands(op);
    for (Value result : op->getResults())
      for (Value operand : operands) {
        Memory *memory = of(operand);
        if (!memory || memory->last != numbers[op] || operand.getType() != result.getType())
          continue;
        merge(result, operand);
        llvm::erase(operands, operand); // one result takes its place
        break;
      }
  }

  Block &body;
  llvm::DenseMap<Operation *, int64_t> numbers;
  llvm::DenseMap<Value, size_t> indices;
  std::vector<Memory> memories;
};

} // namespace

LiveBytes::LiveBytes(func::FuncOp function) : body(function.front()) {
  std::vector<int64_t> sums = Lifetimes(body).sums();
  for (auto [op, sum] : llvm::zip(body, sums)) {
    bytes[&op] = sum;
    peakBytes = std::max(peakBytes, sum);
  }
}

int64_t LiveBytes::during(Operation *op) const { return bytes.lookup(body.findAncestorOpInBlock(*op)); }

} // namespace aotc::select
