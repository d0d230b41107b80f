// Constants, functions and control flow.
#include "ir/nn/Dialect.h"
#include "ir/nn/Scalar.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace aotc::convert {

namespace {

// The same bytes under a signless element type.
TypedAttr signlessElements(ElementsAttr value, RankedTensorType type) {
  if (value.getShapedType() == type)
    return cast<TypedAttr>(Attribute(value));
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return cast<TypedAttr>(Attribute(DenseResourceElementsAttr::get(type, resource.getRawHandle())));
  return cast<TypedAttr>(Attribute(cast<DenseElementsAttr>(value).bitcast(type.getElementType())));
}

struct LowerConstant : OpConversionPattern<nn::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::ConstantOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const final {
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getResult().getType());
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, signlessElements(op.getValue(), type));
    return success();
  }
};

// Each result has a destination outside, which both branches end by writing: bufferized, the branches then yield one
// buffer.
struct LowerIf : OpConversionPattern<nn::IfOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::IfOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), types)))
      return failure();
    SmallVector<Value> destinations;
    for (auto [type, onnxType] : llvm::zip(types, op.getResultTypes())) {
      // Not tensor.empty: both branches write it, so nothing else may share it.
      Extents extents = nn::extentsOf(cast<RankedTensorType>(onnxType));
      destinations.push_back(rewriter.create<bufferization::AllocTensorOp>(loc, cast<RankedTensorType>(type),
                                                                           buildUnknown(rewriter, loc, extents)));
    }
    Value flag = reshape(rewriter, loc, adaptor.getCondition(), {});
    Value condition = rewriter.create<tensor::ExtractOp>(loc, flag);
    auto branch = rewriter.create<scf::IfOp>(loc, types, condition, /*addThenBlock=*/false, /*addElseBlock=*/false);
    rewriter.inlineRegionBefore(op.getThenRegion(), branch.getThenRegion(), branch.getThenRegion().end());
    rewriter.inlineRegionBefore(op.getElseRegion(), branch.getElseRegion(), branch.getElseRegion().end());
    for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
      yieldInto(rewriter, region->front(), destinations);
    rewriter.replaceOp(op, branch.getResults());
    return success();
  }

private:
  static void yieldInto(ConversionPatternRewriter &rewriter, Block &block, ValueRange destinations) {
    auto yield = cast<nn::YieldOp>(block.getTerminator());
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(yield);
    SmallVector<Value> values;
    for (auto [value, destination] : llvm::zip(yield.getValues(), destinations)) {
      Value source = rewriter.getRemappedValue(value);
      values.push_back(rewriter.create<linalg::CopyOp>(yield.getLoc(), source, destination).getResult(0));
    }
    rewriter.replaceOpWithNewOp<scf::YieldOp>(yield, values);
  }
};

} // namespace

void populateStructure(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerConstant, LowerIf>(types, patterns.getContext());
}

} // namespace aotc::convert
