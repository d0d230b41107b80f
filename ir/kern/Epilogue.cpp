#include "ir/kern/Epilogue.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace aotc::kern {

// Clones the ops of `from` before its terminator; returns what the terminator yields, mapped.
static Value cloneBody(OpBuilder &builder, Block &from, IRMapping &mapping) {
  for (Operation &op : from.without_terminator())
    builder.clone(op, mapping);
  return mapping.lookupOrDefault(from.getTerminator()->getOperand(0));
}

void buildChainedEpilogue(OpBuilder &builder, EpilogueOp kernel, Block &body, unsigned fusedArgument,
                          EpilogueOp target) {
  OpBuilder::InsertionGuard guard(builder);
  Location loc = target->getLoc();
  Region &first = kernel.getEpilogue();
  // The kernel's own result: the type that its epilogue, or else the body, takes.
  Type sumType = first.empty() ? body.getArgument(fusedArgument).getType() : first.front().getArgument(0).getType();
  SmallVector<Type> types{sumType};
  for (Value extra : target.getExtras())
    types.push_back(cast<ShapedType>(extra.getType()).getElementType());
  Block *block = builder.createBlock(&target.getEpilogue(), {}, types, SmallVector<Location>(types.size(), loc));

  size_t next = 1;
  Value value = block->getArgument(0);
  if (!first.empty()) {
    IRMapping mapping;
    mapping.map(first.front().getArgument(0), value);
    for (BlockArgument argument : first.front().getArguments().drop_front())
      mapping.map(argument, block->getArgument(next++));
    value = cloneBody(builder, first.front(), mapping);
  }
  IRMapping mapping;
  for (BlockArgument argument : body.getArguments().drop_back())
    mapping.map(argument, argument.getArgNumber() == fusedArgument ? value : block->getArgument(next++));
  builder.create<YieldOp>(loc, cloneBody(builder, body, mapping));
}

} // namespace aotc::kern
