// Tree ensembles: their tables packed into records, and a call of the kernel that walks them.
#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/KernelCall.h"
#include "lowering/convert/TreePacking.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace aotc::convert {

namespace {

nn::HostTensor hostTensor(Value constant) {
  return nn::HostTensor::view(cast<ElementsAttr>(constant.getDefiningOp<arith::ConstantOp>().getValue()));
}

struct LowerTrees : OpConversionPattern<nn::TreesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(nn::TreesOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    for (Value table : adaptor.getOperands().drop_front())
      if (!table.getDefiningOp<arith::ConstantOp>())
        return op.emitError("the tables of a tree ensemble must be constants");
    PackedTrees packed = packTrees(adaptor);
    nn::HostTensor begins = hostTensor(adaptor.getLeafBegins());
    int64_t trees = shapeOf(adaptor.getRoots())[0], targets = shapeOf(adaptor.getBase())[0];
    KernelCall call(rewriter, op.getLoc(), "trees", "trees");
    call.extent("rows", adaptor.getX(), 0)
        .member("features", shapeOf(adaptor.getX())[1])
        .member("targets", targets)
        .member("trees", trees)
        .member("groups", static_cast<int64_t>(packed.depths.size()))
        .member("feature_bits", packed.featureBits)
        .member("missing", packed.missing)
        .member("single_weight", targets == 1 && hasSingleEntries(begins.as<int32_t>()))
        .input(adaptor.getX())
        .input("nodes", table(rewriter, op.getLoc(), packed.words))
        .input("depths", table(rewriter, op.getLoc(), packed.depths))
        .input("leaf_begins", adaptor.getLeafBegins())
        .input("leaf_targets", adaptor.getLeafTargets())
        .input("leaf_weights", adaptor.getLeafWeights())
        .input("base", adaptor.getBase())
        .argument(llvm::StringRef(packed.isWide ? "aotc::WideNodes{}" : "aotc::NarrowNodes{}"))
        .argument(aggregate(op.getKind()));
    rewriter.replaceOp(op, call.create(op->getResultTypes(), adaptor.getX()));
    return success();
  }

private:
  static PackedTrees packTrees(OpAdaptor adaptor) {
    nn::HostTensor features = hostTensor(adaptor.getFeatures()), passed = hostTensor(adaptor.getPassed());
    nn::HostTensor failed = hostTensor(adaptor.getFailed()), roots = hostTensor(adaptor.getRoots());
    nn::HostTensor thresholds = hostTensor(adaptor.getThresholds()), missing = hostTensor(adaptor.getMissingPasses());
    TreeTables tables;
    tables.features = features.as<int32_t>();
    tables.passed = passed.as<int32_t>();
    tables.failed = failed.as<int32_t>();
    tables.roots = roots.as<int32_t>();
    for (int64_t node = 0; node < features.size(); ++node) {
      tables.thresholds.push_back(thresholds.toDouble(node));
      tables.missingPasses.push_back(missing.toInteger(node) != 0);
    }
    tables.leaves = shapeOf(adaptor.getLeafBegins())[0] - 1;
    tables.featureCount = shapeOf(adaptor.getX())[1];
    tables.isDouble = elementOf(adaptor.getX()).isF64();
    return convert::packTrees(tables);
  }

  static bool hasSingleEntries(ArrayRef<int32_t> begins) {
    for (size_t leaf = 0; leaf + 1 < begins.size(); ++leaf)
      if (begins[leaf + 1] - begins[leaf] != 1)
        return false;
    return true;
  }

  static Value table(OpBuilder &builder, Location loc, ArrayRef<int32_t> values) {
    return constant(builder, loc, RankedTensorType::get({static_cast<int64_t>(values.size())}, builder.getI32Type()),
                    values);
  }

  static StringRef aggregate(nn::ReduceKind kind) {
    switch (kind) {
    case nn::ReduceKind::Mean:
      return "aotc::MeanOfLeaves{}";
    case nn::ReduceKind::Max:
      return "aotc::GreatestLeaf{}";
    case nn::ReduceKind::Min:
      return "aotc::LeastLeaf{}";
    default:
      return "aotc::SumOfLeaves{}";
    }
  }
};

} // namespace

void populateTrees(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerTrees>(types, patterns.getContext());
}

} // namespace aotc::convert
