// The nn dialect: what a model computes. See Base.td for how the ops are defined.
#ifndef AOTC_IR_NN_DIALECT_H
#define AOTC_IR_NN_DIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ir/nn/Dialect.h.inc"
#include "ir/nn/Enums.h.inc"
#include "ir/nn/Interfaces.h.inc"

namespace aotc::nn {

/// See Base.td.
template <class Op> class MovesElements : public mlir::OpTrait::TraitBase<Op, MovesElements> {};

} // namespace aotc::nn

#define GET_ATTRDEF_CLASSES
#include "ir/nn/Attributes.h.inc"

#define GET_OP_CLASSES
#include "ir/nn/Ops.h.inc"

namespace aotc::nn {

// The location of an op made for the ONNX node `name`: carries an #nn.node.
mlir::Location nodeLocation(mlir::MLIRContext *context, llvm::StringRef name, llvm::StringRef op, int64_t opset);

// The ONNX nodes that a location stands for, in order, without repetition.
llvm::SmallVector<NodeAttr> nodesOf(mlir::Location location);

} // namespace aotc::nn

#endif
