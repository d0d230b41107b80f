// Leaves the recurrent weights of an LSTM the bytes that they are quantized to:
//
//   nn.lstm %gates, (nn.reshape (nn.dequantize r, s, z))   ==>   nn.lstm %gates, r - z scales s
//
// The state is no integer, so that nothing is rounded: weights only take a quarter of the space. They stay real numbers
// where they have no one scale for each row of the product, or do not fit into 8 bits without their zero points.
#include "ir/nn/Dialect.h"
#include "lowering/Passes.h"
#include "lowering/precision/Quantization.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>

namespace aotc {

#define GEN_PASS_DEF_BYTERECURRENCES
#include "lowering/Passes.h.inc"

using namespace mlir;
using precision::constantOf;

namespace {

// [directions, 4 * hidden, hidden] of i8, and a scale for each row.
struct ByteRows {
  nn::HostTensor bytes, scales;

  explicit ByteRows(RankedTensorType type)
      : bytes(type.clone(IntegerType::get(type.getContext(), 8))),
        scales(RankedTensorType::get(type.getShape().drop_back(), type.getElementType())) {}
};

// What a quantized constant has one of for the tensor, or for each index along an axis.
class AlongAxis {
public:
  AlongAxis(const nn::HostTensor &values, RankedTensorType tensor, int64_t axis)
      : values(values), inner(ShapedType::getNumElements(tensor.getShape().drop_front(axis + 1))) {}
  int64_t indexFor(int64_t element) const { return element / inner % values.size(); }

private:
  const nn::HostTensor &values;
  int64_t inner;
};

std::optional<ByteRows> byteRows(Value recurrence) {
  auto reshape = recurrence.getDefiningOp<nn::ReshapeOp>();
  auto source = (reshape ? reshape.getX() : recurrence).getDefiningOp<nn::DequantizeOp>();
  if (!source || source.getBlockSize() != 0 || !precision::isByte(source.getX()) ||
      !source.getType().getElementType().isF32())
    return std::nullopt;
  std::optional<nn::HostTensor> integers = constantOf(source.getX()), scale = constantOf(source.getScale()),
                                zero = constantOf(source.getZeroPoint());
  if (!integers || !scale || (source.getZeroPoint() && !zero))
    return std::nullopt;
  auto isAlongAxis = [](const nn::HostTensor &values) { return values.size() == 1 || values.type().getRank() == 1; };
  if (!isAlongAxis(*scale) || (zero && !isAlongAxis(*zero))) // of the tensor's own rank: it broadcasts
    return std::nullopt;
  auto axis = static_cast<int64_t>(source.getAxis());
  AlongAxis scales(*scale, integers->type(), axis), zeros(zero ? *zero : *scale, integers->type(), axis);
  ByteRows result(cast<RankedTensorType>(recurrence.getType()));
  int64_t hidden = result.bytes.type().getShape().back();
  for (int64_t i = 0; i < integers->size(); ++i) {
    double own = scale->toDouble(scales.indexFor(i));
    int64_t value = integers->toInteger(i) - (zero ? zero->toInteger(zeros.indexFor(i)) : 0), row = i / hidden;
    if (i % hidden == 0)
      result.scales.set(row, own);
    if (value < -128 || value > 127 || !std::isfinite(own) || own != result.scales.toDouble(row))
      return std::nullopt;
    result.bytes.setInteger(i, value);
  }
  return result;
}

struct ByteRecurrences : impl::ByteRecurrencesBase<ByteRecurrences> {
  void runOnOperation() final {
    OpBuilder builder(&getContext());
    getOperation().walk([&](nn::LstmOp lstm) {
      std::optional<ByteRows> rows = lstm.getScales() ? std::nullopt : byteRows(lstm.getRecurrence());
      if (!rows)
        return;
      builder.setInsertionPoint(lstm);
      Value bytes = precision::constant(builder, lstm.getLoc(), std::move(rows->bytes));
      lstm.getRecurrenceMutable().assign(bytes);
      lstm.getScalesMutable().assign(precision::constant(builder, lstm.getLoc(), std::move(rows->scales)));
    });
  }
};

} // namespace

} // namespace aotc
