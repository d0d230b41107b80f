// Convolution and pooling: their layouts, as templates/kernels/conv2d.hpp, depthwise.hpp and pool2d.hpp document them.
#include "ir/kern/Dialect.h"
#include "ir/kern/Layout.h"

using namespace mlir;

namespace aotc::kern {

// `channels` is the dimension of x that holds them.
template <class Op> static void appendWindow(Op op, bool isPlanar, SmallVectorImpl<LayoutMember> &members) {
  Value x = op.getX(), out = op.getOut();
  int64_t height = isPlanar ? 2 : 1, channels = isPlanar ? 1 : 3;
  members.push_back(extentMember("batch", out, 0));
  members.push_back(extentMember("in_h", x, height));
  members.push_back(extentMember("in_w", x, height + 1));
  members.push_back(extentMember("in_channels", x, channels));
  members.push_back(extentMember("out_h", out, 1));
  members.push_back(extentMember("out_w", out, 2));
  members.push_back(extentMember("out_channels", out, 3));
  members.push_back({"kernel_h", op.getKernel()[0]});
  members.push_back({"kernel_w", op.getKernel()[1]});
  members.push_back({"stride_h", op.getStrides()[0]});
  members.push_back({"stride_w", op.getStrides()[1]});
  members.push_back({"dilation_h", op.getDilations()[0]});
  members.push_back({"dilation_w", op.getDilations()[1]});
  members.push_back({"pad_top", op.getPads()[0]});
  members.push_back({"pad_left", op.getPads()[1]});
  members.push_back(strideMember("in_image", x, 0));
  members.push_back(strideMember("in_row", x, height));
  members.push_back(strideMember("in_pixel", x, height + 1));
  members.push_back(strideMember("out_image", out, 0));
  members.push_back(strideMember("out_row", out, 1));
  members.push_back(strideMember("out_pixel", out, 2));
}

// --------------------------------------------------------------------------------------------------------- convolution
StringRef Conv2DOp::getKernelHeader() {
  switch (getKind()) {
  case ConvKind::Direct:
    return "conv2d";
  case ConvKind::Depthwise:
    return "depthwise";
  case ConvKind::Winograd:
    return "winograd";
  }
  llvm_unreachable("every kind has a header");
}
StringRef Conv2DOp::getKernelFunction() {
  switch (getKind()) {
  case ConvKind::Direct:
    return "conv2d";
  case ConvKind::Depthwise:
    return "depthwise_conv2d";
  case ConvKind::Winograd:
    return "winograd_conv2d";
  }
  llvm_unreachable("every kind has a kernel");
}
SmallVector<Value> Conv2DOp::getKernelInputs() { return {getX(), getWeights()}; }
void Conv2DOp::getLayout(SmallVectorImpl<LayoutMember> &members) {
  appendWindow(*this, getPlanarInput(), members);
  members.push_back({"groups", static_cast<int64_t>(getGroups())});
  members.push_back(strideMember("in_channel", getX(), getPlanarInput() ? 1 : 3));
}
int64_t Conv2DOp::getMacs(ExtentOf extentOf) {
  int64_t channels = extentOf(getX(), getPlanarInput() ? 1 : 3);
  return countElements(getOut(), extentOf) * channels / static_cast<int64_t>(getGroups()) * getKernel()[0] *
         getKernel()[1];
}

// As templates/kernels/winograd.hpp has it: 36 points of the input's channels and of 32 results, for a block of tiles.
static int64_t winogradScratchFloats(ArrayRef<int64_t> output, int64_t channels) {
  constexpr int64_t tile = 4, blockTiles = 28;
  int64_t tiles = llvm::divideCeil(output[1], tile) * llvm::divideCeil(output[2], tile);
  int64_t blocks = llvm::divideCeil(tiles, blockTiles);
  return 36 * llvm::divideCeil(tiles, blocks) * (llvm::alignTo(channels, 16) + 48);
}
int64_t Conv2DOp::getScratchBytesPerThread() {
  ArrayRef<int64_t> out = cast<ShapedType>(getOut().getType()).getShape();
  int64_t channels = cast<ShapedType>(getX().getType()).getDimSize(3);
  switch (getKind()) {
  case ConvKind::Direct:
  case ConvKind::Depthwise:
    return 0;
  case ConvKind::Winograd:
    return 4 * winogradScratchFloats(out, channels);
  }
  llvm_unreachable("every kind has scratch memory or none");
}

// ------------------------------------------------------------------------------------------------------------- pooling
StringRef MaxPool2DOp::getKernelFunction() { return "max_pool2d"; }
SmallVector<Value> MaxPool2DOp::getKernelInputs() { return {getX()}; }
void MaxPool2DOp::getLayout(SmallVectorImpl<LayoutMember> &members) { appendWindow(*this, false, members); }

StringRef AveragePool2DOp::getKernelFunction() { return "average_pool2d"; }
SmallVector<Value> AveragePool2DOp::getKernelInputs() { return {getX()}; }
void AveragePool2DOp::getLayout(SmallVectorImpl<LayoutMember> &members) {
  appendWindow(*this, false, members);
  members.push_back({"count_include_pad", getCountIncludePad() ? 1 : 0});
  members.push_back({"pad_bottom", getPads()[2]});
  members.push_back({"pad_right", getPads()[3]});
}

// -------------------------------------------------------------------------------------------- convolution of integers
StringRef IntegerConv2DOp::getKernelHeader() {
  return getKind() == IntegerConvKind::Direct ? "integer_conv2d" : "integer_depthwise";
}
StringRef IntegerConv2DOp::getKernelFunction() {
  return getKind() == IntegerConvKind::Direct ? "integer_conv2d" : "integer_depthwise_conv2d";
}
SmallVector<Value> IntegerConv2DOp::getKernelInputs() {
  SmallVector<Value> inputs{getX(), getWeights(), getOffsets()};
  if (getXZero())
    inputs.push_back(getXZero());
  return inputs;
}
void IntegerConv2DOp::getLayout(SmallVectorImpl<LayoutMember> &members) {
  appendWindow(*this, false, members);
  members.push_back({"groups", static_cast<int64_t>(getGroups())});
  members.push_back({"in_unsigned", getXUnsigned() ? 1 : 0});
  if (!getXZero())
    members.push_back({"in_zero_point", static_cast<int64_t>(getXZeroPoint())});
  members.push_back({"block_rows", static_cast<int64_t>(getBlockRows())});
  if (getKind() == IntegerConvKind::Direct)
    members.append({{"joins_taps", getJoinsTaps() ? 1 : 0}, {"widens_rows", getWidensRows() ? 1 : 0}});
}
int64_t IntegerConv2DOp::getMacs(ExtentOf extentOf) {
  return countElements(getOut(), extentOf) * extentOf(getX(), 3) / static_cast<int64_t>(getGroups()) * getKernel()[0] *
         getKernel()[1];
}

// Whether every tap lies inside the image.
static bool hasNoPads(IntegerConv2DOp conv) {
  ArrayRef<int64_t> x = cast<ShapedType>(conv.getX().getType()).getShape(),
                    out = cast<ShapedType>(conv.getOut().getType()).getShape();
  return llvm::all_of(llvm::seq<size_t>(0, 2), [&](size_t i) {
    int64_t last = (out[1 + i] - 1) * conv.getStrides()[i] + (conv.getKernel()[i] - 1) * conv.getDilations()[i];
    return conv.getPads()[i] == 0 && last < x[1 + i];
  });
}
// Whether pixels and rows of x begin at whole words of 4 bytes; a tensor will be dense.
static bool beginsAtWords(Value x) {
  SmallVector<int64_t> strides;
  int64_t offset;
  auto type = dyn_cast<MemRefType>(x.getType());
  if (!type)
    return cast<ShapedType>(x.getType()).getDimSize(3) % 4 == 0;
  return succeeded(getStridesAndOffset(type, strides, offset)) && strides[1] % 4 == 0 && strides[2] % 4 == 0;
}
// As templates/kernels/integer_conv2d.hpp and integer_depthwise.hpp have it: the rows under a block of rows of output,
// pads included, or the taps of each of its outputs, in whole words of 32 bits, or of 64 where they are widened.
int64_t IntegerConv2DOp::getScratchBytesPerThread() {
  int64_t channels = cast<ShapedType>(getX().getType()).getDimSize(3), rows = static_cast<int64_t>(getBlockRows());
  int64_t width = cast<ShapedType>(getOut().getType()).getDimSize(2), groups = static_cast<int64_t>(getGroups());
  int64_t perWord = cast<ShapedType>(getWeights().getType()).getElementType().isInteger(8) ? 4 : 2;
  int64_t wordBytes = getWidensRows() ? 8 : 4;
  if (getJoinsTaps())
    return wordBytes * rows * width * llvm::divideCeil(getKernel()[0] * getKernel()[1] * channels, perWord);
  auto extent = [&](size_t i, int64_t outputs) {
    return (outputs - 1) * getStrides()[i] + (getKernel()[i] - 1) * getDilations()[i] + 1;
  };
  if (getKind() == IntegerConvKind::Depthwise)
    return hasNoPads(*this) ? 0 : llvm::alignTo(extent(0, rows) * extent(1, width) * channels, 4);
  if (!getWidensRows() && perWord == 4 && channels / groups % 4 == 0 && beginsAtWords(getX()) && hasNoPads(*this))
    return 0;
  return wordBytes * extent(0, rows) * extent(1, width) * groups * llvm::divideCeil(channels / groups, perWord);
}

} // namespace aotc::kern
