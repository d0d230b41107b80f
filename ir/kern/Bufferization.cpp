// One-shot bufferization of kern ops: the same op on memrefs, writing into the destination's buffer.
#include "ir/kern/Dialect.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::bufferization;

namespace aotc::kern {

template <class Op> struct KernelBufferization : DstBufferizableOpInterfaceExternalModel<KernelBufferization<Op>, Op> {
  // A kernel overwrites its destination: what was there before is never read.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand, const AnalysisState &) const {
    return cast<DestinationStyleOpInterface>(op).isDpsInput(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter, const BufferizationOptions &options) const {
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      if (!isa<TensorType>(operand.getType())) {
        buffers.push_back(operand);
        continue;
      }
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    rewriter.setInsertionPoint(op);
    OperationState state(op->getLoc(), op->getName(), buffers, TypeRange(), op->getAttrs());
    for (Region &region : op->getRegions())
      state.addRegion()->takeBody(region);
    rewriter.create(state);
    // Destinations are the last operands.
    replaceOpWithBufferizedValues(rewriter, op, ArrayRef(buffers).take_back(op->getNumResults()));
    return success();
  }
};

template <class Op> static void attach(MLIRContext *context) {
  if constexpr (Op::template hasTrait<DestinationStyleOpInterface::Trait>())
    Op::template attachInterface<KernelBufferization<Op>>(*context);
}

template <class... Ops> static void attachAll(MLIRContext *context) { (attach<Ops>(context), ...); }

void registerBufferization(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, KERNDialect *) {
    attachAll<
#define GET_OP_LIST
#include "ir/kern/Ops.cpp.inc"
        >(context);
  });
}

} // namespace aotc::kern
