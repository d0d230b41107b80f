// What own quantization decides, written onto nn as attributes until it is carried out: so each decision is one pass or
// one function, and whatever decides better (an accuracy gate, a table of a user's) only has to write the same ones.
//
//   aotc.precision = "int8"           a layer (convolution, product) that is computed on integers, or "int8-dynamic"
//   aotc.range = [low, high]          a tensor, at the op that computes it or at the function's argument: the real
//                                     values that its integers stand for
//   aotc.input_mean, …_power          a layer: the mean and the mean square of each channel of its input, for the
//                                     correction of its bias and the scales of its weights
//   aotc.channel_magnitude, …_power   a tensor: the largest |value| and the mean square of each channel
//   aotc.divisors = [d, …]            a tensor: what equalization divided each of its channels by
//
// Channels are dimension 1 of images and the last one of matrices.
#ifndef AOTC_LOWERING_PRECISION_PLAN_H
#define AOTC_LOWERING_PRECISION_PLAN_H

#include "lowering/precision/Ranges.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace aotc::precision {

inline constexpr llvm::StringLiteral int8Name = "int8", dynamicName = "int8-dynamic";

// ------------------------------------------------------------------------------------------------------ attributes
// "" where a layer stays as it is.
llvm::StringRef precisionOf(mlir::Operation *layer);
void setPrecision(mlir::Operation *layer, llvm::StringRef precision);
std::optional<Range> rangeOf(mlir::Value tensor);
void setRange(mlir::Value tensor, Range range);
// Numbers for each channel; empty where there are none.
enum class ChannelFact { inputMean, inputPower, magnitude, power, divisors };
llvm::ArrayRef<double> channelFact(mlir::Value tensor, ChannelFact fact);
void setChannelFact(mlir::Value tensor, ChannelFact fact, llvm::ArrayRef<double> values);
// Takes all of them away.
void clearPlan(mlir::ModuleOp module);

// ------------------------------------------------------------------------------------------------------------ layers
// Marks what can be computed on integers and is not named by a pattern: a glob that an ONNX node's name matches, or is.
// Returns the patterns that match none of the model's nodes, and in `invalid` those that are none.
struct UnusedPatterns {
  std::vector<std::string> unmatched, invalid;
};
UnusedPatterns markLayers(mlir::ModuleOp module, llvm::StringRef precision, llvm::ArrayRef<std::string> keepFp32);
// Those that are marked, in their order.
llvm::SmallVector<mlir::Operation *> markedLayers(mlir::ModuleOp module, llvm::StringRef precision);
// What a layer reads besides constants.
inline mlir::Value inputOf(mlir::Operation *layer) { return layer->getOperand(0); }

// ----------------------------------------------------------------------------------------------------------- tensors
// Where a convolution ends: behind what only limits its result (Limit.h).
mlir::Value endOf(mlir::Operation *conv);

// A tensor that is quantized, and the tensors that share its scale since what lies between only moves elements (a
// concat, say): equal numbers are one group.
struct QuantizedTensor {
  mlir::Value value;
  unsigned group;
};
// What the marked layers read, and what convolutions end with in front of others of them, in the order of the function:
// what no layer follows loses nothing. What lies between a tensor and its reader and only moves elements, or takes the
// largest, commutes with quantization and is not listed.
llvm::SmallVector<QuantizedTensor> quantizedTensors(mlir::ModuleOp module);
// The range of each group, as wide as its widest tensors; nothing where a tensor has none.
std::optional<std::vector<Range>> groupRanges(llvm::ArrayRef<QuantizedTensor> tensors);
// Whether the op moves elements of tensors, or takes the largest, and of no constants.
bool commutesWithQuantization(mlir::Operation *op);
// The dimension that counts channels: those that a layer's weights meet; of a tensor that several read, those of a
// product, where there is one.
int64_t channelAxisOf(mlir::Operation *layer);
int64_t channelAxisOf(mlir::Value tensor);

} // namespace aotc::precision

#endif
