// What the rules of quantized operators share: real values from integers and back, sums of products of integers.
#pragma once

#include "frontend/onnx/Spatial.h"

namespace aotc::frontend {

/// Whether `element` is a signed or unsigned integer of 8 bits.
bool isByte(mlir::Type element);

/// The elements of a constant, whether the model stores them as integers behind DequantizeLinear or as they are; null
/// for others. For what must be known when compiling: weights stay the integers that they are.
mlir::ElementsAttr knownElements(mlir::Value value);

/// Input `index` as a scalar; an error unless it has one element. Null after an error.
mlir::Value scalarInput(NodeBuilder &node, size_t index);
/// The zero point at input `index` as a scalar, 0 where it is left out; an error unless it is of type `element`.
mlir::Value scalarZeroPoint(NodeBuilder &node, size_t index, mlir::Type element);

/// (x - zero point) * scale, f32; both are scalars.
mlir::Value dequantized(NodeBuilder &node, mlir::Value x, mlir::Value scale, mlir::Value zeroPoint);
/// saturate(round_half_even(real / scale) + zero point) of the zero point's type; both are scalars.
mlir::Value quantized(NodeBuilder &node, mlir::Value real, mlir::Value scale, mlir::Value zeroPoint);
/// saturate(round_half_even(real) + zero point) of type `to`; no zero point where it is null.
mlir::Value rounded(NodeBuilder &node, mlir::Value real, mlir::Value zeroPoint, mlir::Type to);
/// sums * scale, f32, where the sums are of i32; an error unless the scale broadcasts to them.
mlir::Value scaledSums(NodeBuilder &node, mlir::Value sums, mlir::Value scale);
/// The same, rounded.
mlir::Value requantized(NodeBuilder &node, mlir::Value sums, mlir::Value scale, mlir::Value zeroPoint, mlir::Type to);

/// x quantized to uint8 with a scale and a zero point such that x and 0 just fit; zeros have the scale 1.
struct DynamicallyQuantized {
  mlir::Value x, scale, zeroPoint;
};
DynamicallyQuantized dynamicallyQuantized(NodeBuilder &node, mlir::Value x);

/// The matrix product of a - aZeroPoint and b - bZeroPoint, as i32. Zero points may be null, single, one for each row
/// of a or column of b, or broadcast to the operand.
mlir::Value integerProduct(NodeBuilder &node, mlir::Value a, mlir::Value b, mlir::Value aZeroPoint,
                           mlir::Value bZeroPoint);

/// One number for each row of a product, or one for all, such that it broadcasts to the product. `value` is a scalar, a
/// vector, or of the product's rank.
mlir::Value perRow(NodeBuilder &node, mlir::Value value);

} // namespace aotc::frontend
