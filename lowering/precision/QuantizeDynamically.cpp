// Writes products whose input is quantized when the model runs, as DynamicQuantizeLinear and MatMulInteger are imported:
//
//   nn.matmul %x, w   ==>   s, z = nn.dynamic_scale %x
//                           nn.mul (nn.cast (nn.integer_matmul (nn.quantize %x, s, z), w8, z, 0)), s sw
//
// Weights are signed bytes with a scale for each column, symmetric.
#include "ir/nn/Dialect.h"
#include "ir/nn/LargeConstants.h"
#include "ir/nn/Shapes.h"
#include "lowering/Passes.h"
#include "lowering/precision/LayerWeights.h"
#include "lowering/precision/Plan.h"
#include "lowering/precision/Quantization.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>

namespace aotc {

#define GEN_PASS_DEF_QUANTIZEDYNAMICALLY
#include "lowering/Passes.h.inc"

using namespace mlir;
using namespace aotc::precision;

namespace {

struct DynamicTensor {
  Value bytes, scale, zeroPoint;
};

DynamicTensor quantized(OpBuilder &builder, Location loc, Value x) {
  auto found = builder.create<nn::DynamicScaleOp>(loc, x);
  Value scale = found.getScale(), zeroPoint = found.getZeroPoint();
  Type byte = builder.getIntegerType(8, /*isSigned=*/false);
  Value bytes = builder.create<nn::QuantizeOp>(loc, x, scale, zeroPoint, 0, 0, byte);
  return {bytes, scale, zeroPoint};
}

struct Columns {
  nn::HostTensor integers, scales;
};

Columns quantizedWeights(nn::MatMulOp product) {
  LayerWeights weights(product);
  MLIRContext *context = product.getContext();
  Columns result{nn::HostTensor(weights.type().clone(IntegerType::get(context, 8))),
                 nn::HostTensor(RankedTensorType::get({weights.filters()}, Float32Type::get(context)))};
  for (int64_t column = 0; column < weights.filters(); ++column) {
    double largest = weights.largest(column), scale = largest > 0 ? largest / 127 : 1;
    result.scales.set(column, scale);
    weights.forEach(column, [&](int64_t, int64_t index) {
      double integer = std::nearbyint(static_cast<double>(weights.values()[index]) / scale);
      result.integers.setInteger(index, static_cast<int64_t>(std::clamp(integer, -127.0, 127.0)));
    });
  }
  return result;
}

Value asVector(OpBuilder &builder, Location loc, Value scalar) {
  return builder.create<nn::ReshapeOp>(loc, scalar, ArrayRef<int64_t>{1}, AffineMapAttr());
}

void rewrite(RewriterBase &rewriter, nn::MatMulOp product, DynamicTensor x) {
  Location loc = product.getLoc();
  Columns weights = quantizedWeights(product);
  Value integers = constant(rewriter, loc, std::move(weights.integers));
  Value columnScale = constant(rewriter, loc, std::move(weights.scales));
  Value noZeroPoint = constant(rewriter, loc, nn::HostTensor(RankedTensorType::get({1}, rewriter.getI8Type())));
  Value sums =
      rewriter.create<nn::IntegerMatMulOp>(loc, x.bytes, integers, asVector(rewriter, loc, x.zeroPoint), noZeroPoint);
  Value real = rewriter.create<nn::CastOp>(loc, sums, rewriter.getF32Type());
  Value scale = rewriter.create<nn::MulOp>(loc, x.scale, columnScale);
  rewriter.replaceOpWithNewOp<nn::MulOp>(product, real, scale);
}

struct QuantizeDynamically : impl::QuantizeDynamicallyBase<QuantizeDynamically> {
  void runOnOperation() final {
    IRRewriter rewriter(&getContext());
    nn::LargeConstants constants(getOperation());
    llvm::DenseMap<Value, DynamicTensor> tensors; // several products may read one
    for (Operation *layer : markedLayers(getOperation(), dynamicName)) {
      Value x = inputOf(layer);
      if (!tensors.count(x)) {
        rewriter.setInsertionPointAfterValue(x);
        tensors[x] = quantized(rewriter, x.getLoc(), x);
      }
      rewriter.setInsertionPoint(layer);
      rewrite(rewriter, cast<nn::MatMulOp>(layer), tensors.lookup(x));
    }
    clearPlan(getOperation());
    constants.freeUnused(getOperation());
  }
};

} // namespace

} // namespace aotc
