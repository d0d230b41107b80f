#include "codegen/cpp/Conditions.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace aotc::codegen {

FailureOr<Place> conditionPlace(Operation *op, Value condition, BufferTable &buffers) {
  auto load = condition.getDefiningOp<memref::LoadOp>();
  if (!load)
    return op->emitError("the condition of a planned '") << op->getName() << "' must be a 'memref.load'";
  FailureOr<Place> place = buffers.placeOf(load.getMemref(), load);
  if (failed(place))
    return failure();
  for (auto [index, stride] : llvm::zip(load.getIndices(), place->strides)) {
    FailureOr<Count> position = buffers.countOf(OpFoldResult(index), load);
    if (failed(position))
      return failure();
    place->offset = place->offset + *position * stride;
  }
  if (!place->offset.isConstant())
    return load.emitError("the place of a condition must be constant");
  return place;
}

FailureOr<std::string> conditionText(Operation *op, Value condition, BufferTable &buffers) {
  FailureOr<Place> place = conditionPlace(op, condition, buffers);
  if (failed(place))
    return failure();
  const Count &offset = place->offset;
  const std::string more = offset.is(0) ? "" : "[" + offset.text() + "]";
  const std::string star = more.empty() ? "*" : "";
  const Buffer &buffer = *place->buffer;
  const std::string bytes = std::to_string(buffer.offsetBytes + static_cast<uint64_t>(offset.bound()));
  switch (buffer.kind) {
  case Buffer::Kind::Scratch: // no step leaves anything there
  case Buffer::Kind::Arena:
    return "*frame.at<bool>(" + bytes + ")";
  case Buffer::Kind::Weight:
    return "*frame.weight<bool>(" + bytes + ")";
  case Buffer::Kind::Input:
    return star + "frame.input<bool>(" + std::to_string(buffer.index) + ")" + more;
  case Buffer::Kind::Output:
    return star + "frame.output<bool>(" + std::to_string(buffer.index) + ")" + more;
  }
  llvm_unreachable("every kind of buffer is handled");
}

} // namespace aotc::codegen
