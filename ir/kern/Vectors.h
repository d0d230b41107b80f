// What a body, of an element-wise step or of an epilogue, needs to work on whole vectors. Knows no spelling.
#ifndef AOTC_IR_KERN_VECTORS_H
#define AOTC_IR_KERN_VECTORS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

namespace aotc::kern {

// Whether the op, in a body or an epilogue, makes an f32 of a byte: vectors of f32 are loaded from bytes at once.
bool isFloatOfByte(mlir::Operation *op);
// The same of a half; and whether it makes a half of an f32, which is stored, or made f32 again.
bool isFloatOfHalf(mlir::Operation *op);
bool isHalfOfFloat(mlir::Operation *op);

// Whether the op inverts a truth.
bool isNot(mlir::Operation *op);

// Whether the op widens to f32 what was narrowed from it: a vector of f32 is rounded at once.
bool isRounding(mlir::Operation *op);

// Whether all that the body reads and computes are floats of one element type, f32 or f64, or tell which of two such
// values to take. Bytes and halves are read as f32, and made of them; a choice by a tensor of bools, say, is no such
// body.
bool isVectorBody(mlir::Block &body, mlir::Type element);

} // namespace aotc::kern

#endif
