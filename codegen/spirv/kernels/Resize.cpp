// Images resized by tables of rows and columns with weights, as the processor's kernel does: a thread for each element
// of the result.
#include "codegen/spirv/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace aotc::codegen {

namespace {

// One element of the resized image, which a thread computes from the tables of its row and its column.
class ResizedPixel {
public:
  ResizedPixel(Shader &shader, kern::Resize2DOp op)
      : shader(shader), b(shader.builder()), x(shader.operand(op.getX())), rows(shader.operand(op.getRows())),
        rowWeights(shader.operand(op.getRowWeights())), columns(shader.operand(op.getColumns())),
        columnWeights(shader.operand(op.getColumnWeights())) {}

  // at: image, row, column, channel.
  Value sum(const Shader::Values &at) {
    return shader.loop(rows.sizes[1], shader.number(0), [&](Value i, ValueRange total) -> Shader::Values {
      Value row = place(rows, {at[1], i}), weight = shader.load(rowWeights, Shader::Values{at[1], i});
      return {b.create<math::FmaOp>(weight, alongRow(at, row), total[0])};
    })[0];
  }

private:
  Value alongRow(const Shader::Values &at, Value row) {
    return shader.loop(columns.sizes[1], shader.number(0), [&](Value j, ValueRange total) -> Shader::Values {
      Value column = place(columns, {at[2], j}), weight = shader.load(columnWeights, Shader::Values{at[2], j});
      return {b.create<math::FmaOp>(weight, shader.load(x, Shader::Values{at[0], row, column, at[3]}), total[0])};
    })[0];
  }

  Value place(const GpuOperand &table, const Shader::Values &at) {
    return b.create<arith::IndexCastOp>(b.getIndexType(), shader.load(table, at));
  }

  Shader &shader;
  ImplicitLocOpBuilder &b;
  const GpuOperand &x, &rows, &rowWeights, &columns, &columnWeights;
};

} // namespace

LogicalResult buildResize(Shader &shader, Operation *step) {
  auto op = cast<kern::Resize2DOp>(step);
  ArrayRef<int64_t> extents = shader.operand(op.getOut()).sizes;
  shader.forEachPoint(extents,
                      [&](const Shader::Values &at) { storeResult(shader, op, ResizedPixel(shader, op).sum(at), at); });
  return success();
}

} // namespace aotc::codegen
