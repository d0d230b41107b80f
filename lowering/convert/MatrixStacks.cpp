#include "lowering/convert/MatrixStacks.h"

#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"

using namespace mlir;

namespace aotc::convert {

// The leading dimensions of a stack of matrices, without units in front.
static Extents batchOf(ArrayRef<AffineExpr> extents) {
  return Extents(extents.drop_back(2).drop_while([](AffineExpr extent) { return nn::isNumber(extent, 1); }));
}

// The operand with the batch dimensions written out where they are broadcast.
static Value withBatch(OpBuilder &builder, Location loc, Value value, ArrayRef<AffineExpr> extents,
                       ArrayRef<AffineExpr> batch) {
  Extents matrices = batchOf(extents), full(batch);
  if (matrices == Extents(batch))
    return value;
  llvm::append_range(matrices, extents.take_back(2));
  llvm::append_range(full, extents.take_back(2));
  return broadcast(builder, loc, reshapeTo(builder, loc, value, matrices), full);
}

// The batch of the product itself.
static Extents batchOfProduct(Extents product, bool isVectorA, bool isVectorB, AffineExpr one) {
  if (isVectorB)
    product.push_back(one);
  if (isVectorA)
    product.insert(product.end() - 1, one);
  return batchOf(product);
}

MatrixStacks stackMatrices(OpBuilder &builder, Location loc, Value a, Value b, RankedTensorType onnxType) {
  MLIRContext *context = builder.getContext();
  AffineExpr one = builder.getAffineConstantExpr(1);
  Extents x = extentsOf(a), y = extentsOf(b);
  bool isVectorA = x.size() == 1, isVectorB = y.size() == 1;
  if (isVectorA)
    x.insert(x.begin(), one);
  if (isVectorB)
    y.push_back(one);
  Extents xBatch = batchOf(x), yBatch = batchOf(y);
  MatrixStacks stacks{a,        b,       nn::product(xBatch, context), nn::product(yBatch, context), x[x.size() - 2],
                      x.back(), y.back()};
  if (stacks.batch == one) { // one matrix for all rows
    stacks.m = nn::product(ArrayRef<AffineExpr>(x).drop_back(), context);
    stacks.leftBatch = one;
  } else if (stacks.leftBatch != one && xBatch != yBatch) { // otherwise one matrix, shared by all batches
    Extents both = batchOfProduct(nn::extentsOf(onnxType), isVectorA, isVectorB, one);
    stacks.left = withBatch(builder, loc, a, x, both);
    stacks.right = withBatch(builder, loc, b, y, both);
    stacks.leftBatch = stacks.batch = nn::product(both, context);
  }
  stacks.left = reshapeTo(builder, loc, stacks.left, {stacks.leftBatch, stacks.m, stacks.k});
  stacks.right = reshapeTo(builder, loc, stacks.right, {stacks.batch, stacks.k, stacks.n});
  return stacks;
}

} // namespace aotc::convert
