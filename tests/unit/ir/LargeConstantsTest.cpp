// The data of large constants: freed with the last op that refers to it, not before, and never what is used elsewhere.
#include "ir/nn/LargeConstants.h"
#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using aotc::nn::HostTensor;
using aotc::nn::LargeConstants;

namespace {

struct LargeConstantsTest : testing::Test {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OpBuilder builder{&context};
  OwningOpRef<ModuleOp> module;

  LargeConstantsTest() {
    context.loadDialect<aotc::nn::NNDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToStart(module->getBody());
  }
  ElementsAttr make(double first, int64_t count = 300) {
    HostTensor tensor(RankedTensorType::get({count}, builder.getF32Type()));
    tensor.set(0, first);
    return tensor.toAttr();
  }
  Operation *use(ElementsAttr value) { return builder.create<aotc::nn::ConstantOp>(builder.getUnknownLoc(), value); }
  static bool hasData(ElementsAttr value) {
    return !cast<DenseResourceElementsAttr>(value).getRawHandle().getBlob()->getData().empty();
  }
};

TEST_F(LargeConstantsTest, LastReleaseFrees) {
  ElementsAttr value = make(1);
  use(value);
  use(value);
  LargeConstants constants(*module);
  constants.release(value);
  EXPECT_TRUE(hasData(value));
  constants.retain(value);
  constants.release(value);
  EXPECT_TRUE(hasData(value));
  constants.release(value);
  EXPECT_FALSE(hasData(value));
  EXPECT_TRUE(hasData(make(1))) << "made anew after it was freed";
}

TEST_F(LargeConstantsTest, SmallConstantsAreIgnored) {
  ElementsAttr value = make(1, 2);
  use(value);
  LargeConstants constants(*module);
  constants.release(value);
  constants.release(value);
  EXPECT_EQ(HostTensor::view(value).toDouble(0), 1.0);
}

TEST_F(LargeConstantsTest, FreesWhatNothingRefersTo) {
  ElementsAttr gone = make(1), kept = make(2), inList = make(3), elsewhere = make(4);
  Operation *dead = use(gone);
  use(kept);
  module->getOperation()->setAttr("list",
                                  builder.getArrayAttr({inList})); // as the defaults of a function's arguments are
  LargeConstants constants(*module);
  dead->erase();
  constants.freeUnused(*module);
  EXPECT_FALSE(hasData(gone));
  EXPECT_TRUE(hasData(kept));
  EXPECT_TRUE(hasData(inList));
  EXPECT_TRUE(hasData(elsewhere)) << "the module never had it";
}

} // namespace
