// The scratch memory that the planner sets aside for a kernel is what the kernel's header says that it uses.
#include "aotc/kernels/integer_conv2d.hpp"
#include "aotc/kernels/winograd.hpp"

#include "ir/kern/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

int64_t plannedBytes(aotc::kern::ConvKind kind, int64_t height, int64_t width, int64_t channels, int64_t filters) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<aotc::kern::KERNDialect, arith::ArithDialect, tensor::TensorDialect>();
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto empty = [&](ArrayRef<int64_t> shape) -> Value {
    return builder.create<tensor::EmptyOp>(loc, shape, builder.getF32Type());
  };
  Value x = empty({2, height, width, channels}), w = empty({filters, channels, 3, 3}),
        y = empty({2, height, width, filters});
  OperationState state(loc, aotc::kern::Conv2DOp::getOperationName(), ValueRange{x, w, y}, y.getType());
  state.addRegion();
  auto conv = cast<aotc::kern::Conv2DOp>(builder.create(state));
  conv.setKind(kind);
  for (auto set : {&aotc::kern::Conv2DOp::setStrides, &aotc::kern::Conv2DOp::setDilations})
    (conv.*set)({1, 1});
  conv.setKernel({3, 3});
  conv.setGroups(1);
  return conv.getScratchBytesPerThread();
}

template <int H, int W, int InC, int OutC> struct Layout {
  static constexpr int batch = 2, groups = 1, in_channels = InC, out_channels = OutC;
  static constexpr int kernel_h = 3, kernel_w = 3, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  static constexpr int out_pixel = OutC, pad_top = 1, pad_left = 1, in_h = H, in_w = W, out_h = H, out_w = W;
};

template <int H, int W, int InC, int OutC> void expectAgreement() {
  using L = Layout<H, W, InC, OutC>;
  EXPECT_EQ(plannedBytes(aotc::kern::ConvKind::Winograd, H, W, InC, OutC),
            4 * aotc::winograd_conv2d_scratch_floats(L{}))
      << H << "x" << W << "x" << InC << " -> " << OutC;
  EXPECT_EQ(plannedBytes(aotc::kern::ConvKind::Integer, H, W, InC, OutC), aotc::integer_conv2d_scratch_bytes(L{}))
      << H << "x" << W << "x" << InC << " -> " << OutC;
}

TEST(Scratch, OfConvolutions) {
  expectAgreement<14, 14, 256, 256>();
  expectAgreement<9, 31, 20, 8>();
  expectAgreement<28, 28, 100, 16>(); // two blocks, one tile apart
  expectAgreement<1, 1, 1, 1>();
}

} // namespace
