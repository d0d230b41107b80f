#include "lowering/convert/Extents.h"

#include "lowering/convert/Convert.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace aotc::convert {

int64_t countElements(ArrayRef<int64_t> extents) {
  int64_t count = 1;
  for (int64_t extent : extents) {
    if (ShapedType::isDynamic(extent))
      return ShapedType::kDynamic;
    count *= extent;
  }
  return count;
}

// The index argument that holds the dimension of a tensor argument.
static Value dimArgument(BlockArgument tensor, int64_t dim) {
  Block *block = tensor.getOwner();
  auto function = cast<func::FuncOp>(block->getParentOp());
  auto names = function.getArgAttrOfType<ArrayAttr>(tensor.getArgNumber(), "aotc.dims");
  assert(names && "an argument of unknown extent names its bounded dims");
  for (BlockArgument argument : block->getArguments())
    if (argument.getType().isIndex() && function.getArgAttr(argument.getArgNumber(), "aotc.dim") == names[dim])
      return argument;
  llvm_unreachable("every bounded dim has an argument");
}

// The product of the extents that a collapsed dimension of unknown extent stands for.
static Value groupExtent(OpBuilder &builder, Location loc, Value tensor, ArrayRef<int64_t> group) {
  Value product;
  int64_t known = 1;
  for (int64_t dim : group) {
    if (int64_t extent = shapeOf(tensor)[dim]; !ShapedType::isDynamic(extent)) {
      known *= extent;
      continue;
    }
    Value extent = extentOf(builder, loc, tensor, dim);
    product = product ? builder.create<arith::MulIOp>(loc, product, extent).getResult() : extent;
  }
  if (known == 1)
    return product;
  return builder.create<arith::MulIOp>(loc, product, builder.create<arith::ConstantIndexOp>(loc, known));
}

Value extentOf(OpBuilder &builder, Location loc, Value tensor, int64_t dim) {
  while (true) {
    if (int64_t extent = shapeOf(tensor)[dim]; !ShapedType::isDynamic(extent))
      return builder.create<arith::ConstantIndexOp>(loc, extent);
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      return dimArgument(argument, dim);
    Operation *op = tensor.getDefiningOp();
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return empty.getDynamicSize(dim);
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
      return groupExtent(builder, loc, collapse.getSrc(), collapse.getReassociationIndices()[dim]);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      return getValueOrCreateConstantIndexOp(
          builder, loc, getMixedValues(expand.getStaticOutputShape(), expand.getOutputShape(), builder)[dim]);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return getValueOrCreateConstantIndexOp(builder, loc, slice.getMixedSizes()[dim]);
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      tensor = insert.getDest();
    else
      tensor = cast<DestinationStyleOpInterface>(op).getDpsInits()[cast<OpResult>(tensor).getResultNumber()];
  }
}

void addDimArguments(func::FuncOp function) {
  Builder builder(function.getContext());
  llvm::StringSet<> added;
  unsigned count = function.getNumArguments();
  for (unsigned i = 0; i < count; ++i) {
    auto names = function.getArgAttrOfType<ArrayAttr>(i, "aotc.dims");
    auto most = function.getArgAttrOfType<DenseI64ArrayAttr>(i, "aotc.bounds");
    auto least = function.getArgAttrOfType<DenseI64ArrayAttr>(i, "aotc.minimums");
    if (!names)
      continue;
    for (auto [dim, name] : llvm::enumerate(names.getAsRange<StringAttr>())) {
      if (name.empty() || !added.insert(name).second)
        continue;
      NamedAttrList attributes;
      attributes.set("aotc.dim", name);
      attributes.set("aotc.minimum", builder.getI64IntegerAttr(least[dim]));
      attributes.set("aotc.maximum", builder.getI64IntegerAttr(most[dim]));
      function.insertArgument(function.getNumArguments(), builder.getIndexType(),
                              attributes.getDictionary(function.getContext()), function.getLoc());
    }
  }
}

LogicalResult nameResultDims(func::FuncOp function) {
  Operation *terminator = function.front().getTerminator();
  OpBuilder builder(terminator);
  for (OpOperand &result : terminator->getOpOperands()) {
    auto type = cast<RankedTensorType>(result.get().getType());
    if (type.hasStaticShape())
      continue;
    SmallVector<Attribute> names(type.getRank(), builder.getStringAttr(""));
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      auto argument = dyn_cast<BlockArgument>(extentOf(builder, terminator->getLoc(), result.get(), dim));
      if (!argument)
        return function.emitError("dimension ") << dim << " of output " << result.getOperandNumber()
                                                << " must be a bounded dim of an input, found a product of one";
      names[dim] = function.getArgAttr(argument.getArgNumber(), "aotc.dim");
    }
    function.setResultAttr(result.getOperandNumber(), "aotc.dims", builder.getArrayAttr(names));
  }
  return success();
}

} // namespace aotc::convert
