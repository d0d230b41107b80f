// The pass that turns nn into linalg and kern on tensors, family by family.
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "ir/nn/Scalar.h"
#include "lowering/Passes.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace aotc {

#define GEN_PASS_DEF_CONVERTNN
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

struct ConvertNN : impl::ConvertNNBase<ConvertNN> {
  void runOnOperation() final {
    MLIRContext *context = &getContext();
    if (failed(convert::checkElementTypes(getOperation())))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (failed(convert::checkExtents(function)))
        return signalPassFailure();
      convert::addDimArguments(function);
      convert::describeInterface(function);
    }
    TypeConverter types;
    types.addConversion([](Type type) { return type; });
    types.addConversion([](RankedTensorType type) {
      return RankedTensorType::get(type.getShape(), scalar::signless(type.getElementType()));
    });

    // A branch yields values that are converted after it: casts stand in for them until then, and are dead afterwards.
    auto cast = [](OpBuilder &builder, Type type, ValueRange inputs, Location loc) {
      return builder.create<UnrealizedConversionCastOp>(loc, type, inputs).getResult(0);
    };
    types.addSourceMaterialization(cast);
    types.addTargetMaterialization(cast);

    RewritePatternSet patterns(context);
#define FAMILY(name) convert::populate##name(patterns, types);
#include "lowering/convert/Families.inc"
#undef FAMILY
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, types);
    populateReturnOpTypeConversionPattern(patterns, types);

    ConversionTarget target(*context);
    target.addIllegalDialect<nn::NNDialect>();
    target.addLegalDialect<kern::KERNDialect, arith::ArithDialect, linalg::LinalgDialect, math::MathDialect,
                           scf::SCFDialect, tensor::TensorDialect, bufferization::BufferizationDialect,
                           memref::MemRefDialect>();
    target.addDynamicallyLegalOp<func::FuncOp>(
        [&](func::FuncOp op) { return types.isSignatureLegal(op.getFunctionType()); });
    target.addDynamicallyLegalOp<func::ReturnOp>([&](func::ReturnOp op) { return types.isLegal(op); });
    target.addLegalOp<ModuleOp, UnrealizedConversionCastOp>();
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

} // namespace aotc
