// What bufferization needs to be linear in the size of a model.
#ifndef AOTC_LOWERING_PLAN_PREPARE_TENSORS_H
#define AOTC_LOWERING_PLAN_PREPARE_TENSORS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace aotc::plan {

// Gives every user of a tensor.empty, and of a tensor filled with one value, a tensor of its own, and so everybody who
// goes on writing into one that has its first slices: common subexpression elimination merges them. No two ops then
// write one tensor, so that bufferization needs no analysis (which is cubic in the ops that share a tensor) and no
// copies.
//
//   %e = tensor.empty                         ==>   %e0 = tensor.empty
//   %0 = kern.softmax ins(%x, %e)                   %0 = kern.softmax ins(%x, %e0)
//   %1 = kern.softmax ins(%0, %e)                   %e1 = tensor.empty
//                                                   %1 = kern.softmax ins(%0, %e1)
void separateDestinations(mlir::func::FuncOp function);

// Turns constant tensors into globals, equal ones into one. Upstream does the same, but looks at every global for every
// constant.
//
//   %c = arith.constant dense<…> : tensor<…>  ==>   memref.global "private" constant @constant_0 : memref<…> = dense<…>
//                                                   %g = memref.get_global @constant_0
//                                                   %c = bufferization.to_tensor %g restrict
void moveConstantsToGlobals(mlir::ModuleOp module);

// Makes tensor.expand_shape with unknown extents a view of memory. Upstream would forget the extents that it was given,
// and work them out again, which it can only where each group of dimensions has one that is unknown.
void expandInMemory(mlir::func::FuncOp function);

} // namespace aotc::plan

#endif
