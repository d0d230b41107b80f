// Interfaces of the nn dialect: what a pass may ask of an op without knowing which one it is.
#ifndef AOTC_IR_NN_INTERFACES
#define AOTC_IR_NN_INTERFACES

include "mlir/IR/OpBase.td"

def NN_ElementwiseInterface : OpInterface<"ElementwiseOp"> {
  let description = [{
    One result element depends on one element of each operand; operands broadcast as in ONNX. The scalar body is the
    only definition of the op's arithmetic: lowering to linalg, fusion and constant folding all use it.
  }];
  let cppNamespace = "::aotc::nn";
  let methods = [
    InterfaceMethod<
      "Builds the computation of one result element from signless scalar arguments, one per operand.",
      "::mlir::Value", "buildScalar",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$args)>
  ];
}

def NN_PermutableInterface : OpInterface<"PermutableOp"> {
  let description = [{
    The op can be computed on operands whose dimensions are reordered: op(transpose(x)) == transpose(op'(x)). The layout
    pass moves transposes through such ops.
  }];
  let cppNamespace = "::aotc::nn";
  let methods = [
    InterfaceMethod<[{
        Builds op' on `operands`, which are this op's operands with dimension i taken from `permutation[i]` (operands of a
        lower rank are broadcast and passed as they are; constants may be given unpermuted rank-equal values already
        reordered). Returns the new op, whose result has its dimensions in that order too, or null where the op cannot.
      }],
      "::mlir::Operation *", "permute",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands, "::llvm::ArrayRef<int64_t>":$permutation)>
  ];
}

#endif
