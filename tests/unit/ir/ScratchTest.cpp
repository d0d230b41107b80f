// The scratch memory that the planner sets aside for a kernel is what the kernel's header says that it uses.
#include "aotc/kernels/integer_conv2d.hpp"
#include "aotc/kernels/integer_depthwise.hpp"
#include "aotc/kernels/integer_matmul_packed.hpp"
#include "aotc/kernels/winograd.hpp"

#include "ir/kern/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

// What stays the same in every convolution here: two images, 3x3 taps, pads of 1.
template <int H, int W, int InC, int OutC, int Groups = 1> struct Layout {
  static constexpr int batch = 2, groups = Groups, in_channels = InC, out_channels = OutC;
  static constexpr int kernel_h = 3, kernel_w = 3, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  static constexpr int out_pixel = OutC, pad_top = 1, pad_left = 1, in_h = H, in_w = W, out_h = H, out_w = W;
  static constexpr int in_pixel = InC, in_row = W * InC, out_row = W * OutC, in_unsigned = 1;
};
template <class Conv, int BlockRows, int Joins = 0, int Widens = 0> struct IntegerLayout : Conv {
  static constexpr int block_rows = BlockRows, joins_taps = Joins, widens_rows = Widens;
};

struct Planned {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  OpBuilder builder{&context};
  OwningOpRef<ModuleOp> module;

  Planned() {
    context.loadDialect<aotc::kern::KERNDialect, arith::ArithDialect, tensor::TensorDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
  }

  template <class Op, class L> Op create(const L &l, Type element, Type weights, unsigned operands) {
    auto empty = [&](ArrayRef<int64_t> shape, Type type) -> Value {
      return builder.create<tensor::EmptyOp>(builder.getUnknownLoc(), shape, type);
    };
    SmallVector<Value> values{empty({2, l.in_h, l.in_w, l.in_channels}, element),
                              empty({l.out_channels, l.in_channels / l.groups, 3, 3}, weights)};
    if (operands == 4)
      values.push_back(empty({l.out_channels}, builder.getI32Type()));
    values.push_back(empty({2, l.out_h, l.out_w, l.out_channels}, element));
    OperationState state(builder.getUnknownLoc(), Op::getOperationName(), values, values.back().getType());
    state.addRegion();
    if (operands == 4) // x, weights, offsets; neither a zero point nor extras; the destination
      state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr({1, 1, 1, 0, 0, 1}));
    auto conv = cast<Op>(builder.create(state));
    for (auto set : {&Op::setStrides, &Op::setDilations})
      (conv.*set)({1, 1});
    conv.setKernel({3, 3});
    conv.setPads({1, 1, 1, 1});
    conv.setGroups(static_cast<uint64_t>(l.groups));
    return conv;
  }

  template <class L> int64_t winograd(const L &l) {
    auto conv = create<aotc::kern::Conv2DOp>(l, builder.getF32Type(), builder.getF32Type(), 3);
    conv.setKind(aotc::kern::ConvKind::Winograd);
    return conv.getScratchBytesPerThread();
  }
  template <class L> int64_t integer(const L &l, unsigned weightBits, aotc::kern::IntegerConvKind kind) {
    auto conv = create<aotc::kern::IntegerConv2DOp>(l, builder.getI8Type(), builder.getIntegerType(weightBits), 4);
    conv.setKind(kind);
    conv.setBlockRows(L::block_rows);
    conv.setJoinsTaps(L::joins_taps != 0);
    conv.setWidensRows(L::widens_rows != 0);
    return conv.getScratchBytesPerThread();
  }
  template <class L> int64_t product(const L &l) {
    auto empty = [&](ArrayRef<int64_t> shape, Type type) -> Value {
      return builder.create<tensor::EmptyOp>(builder.getUnknownLoc(), shape, type);
    };
    Type byte = builder.getI8Type(), sum = builder.getI32Type();
    Value out = empty({l.batch, l.m, l.n}, builder.getF32Type());
    OperationState state(
        builder.getUnknownLoc(), aotc::kern::IntegerMatMulOp::getOperationName(),
        {empty({l.batch, l.m, l.k}, byte), empty({1, l.k, l.n}, byte), empty({l.n}, sum), empty({1}, byte), out},
        out.getType());
    state.addRegion();
    auto matmul = cast<aotc::kern::IntegerMatMulOp>(builder.create(state));
    matmul.setWidenedRows(L::widened_rows);
    return matmul.getScratchBytesPerThread();
  }
};

template <int H, int W, int InC, int OutC> void expectAgreement() {
  using L = Layout<H, W, InC, OutC>;
  constexpr auto direct = aotc::kern::IntegerConvKind::Direct;
  const std::int8_t *bytes = nullptr;
  const std::int16_t *wide = nullptr;
  IntegerLayout<L, 1> row;
  IntegerLayout<L, 3> rows;
  IntegerLayout<L, 3, 1> joined;
  Planned planned;
  EXPECT_EQ(planned.winograd(L{}), 4 * aotc::winograd_conv2d_scratch_floats(L{}));
  EXPECT_EQ(planned.integer(row, 16, direct), aotc::integer_conv2d_scratch_bytes(row, wide));
  EXPECT_EQ(planned.integer(rows, 8, direct), aotc::integer_conv2d_scratch_bytes(rows, bytes));
  EXPECT_EQ(planned.integer(joined, 8, direct), aotc::integer_conv2d_scratch_bytes(joined, bytes));
  IntegerLayout<L, 3, 0, 1> widened;
  IntegerLayout<L, 3, 1, 1> widenedTaps;
  constexpr int part = aotc::splits_quads ? 1 : 2; // of what is given
  EXPECT_EQ(planned.integer(widened, 8, direct), part * aotc::integer_conv2d_scratch_bytes(widened, bytes));
  EXPECT_EQ(planned.integer(widenedTaps, 8, direct), part * aotc::integer_conv2d_scratch_bytes(widenedTaps, bytes));
}

TEST(Scratch, OfConvolutions) {
  expectAgreement<14, 14, 256, 256>();
  expectAgreement<9, 31, 20, 8>();
  expectAgreement<28, 28, 100, 16>(); // two blocks, one tile apart
  expectAgreement<3, 1, 1, 1>();
}

TEST(Scratch, OfDepthwiseConvolutions) {
  IntegerLayout<Layout<9, 31, 21, 21, 21>, 2> l;
  EXPECT_EQ(Planned().integer(l, 8, aotc::kern::IntegerConvKind::Depthwise),
            aotc::round_up(aotc::integer_depthwise_scratch_bytes(l), 4));
}

struct Product {
  static constexpr int batch = 2, m = 30, n = 64, k = 20, a_row = 20, a_batch = 600, y_row = 64, y_batch = 30 * 64;
  static constexpr int a_unsigned = 1, widened_rows = 24;
};
TEST(Scratch, OfProducts) {
  const int needed = aotc::integer_matmul_packed_scratch_bytes(Product{});
  EXPECT_EQ(Planned().product(Product{}), aotc::splits_quads ? needed : 2 * Product::widened_rows * Product::k);
}

} // namespace
