// Chooses each kernel's algorithm and packs its constant weights into the layout that the kernel reads. Nothing is
// packed at run time.
//
//   kern.conv2d ins(%x, %w : 64x3x3x3, …)        ==>   kern.conv2d ins(%x, %packed : 1x4x3x3x3x16, …)
#include "ir/kern/Dialect.h"
#include "ir/kern/Helpers.h"
#include "ir/nn/LargeConstants.h"
#include "lowering/Passes.h"
#include "lowering/convert/Convert.h"
#include "lowering/select/LiveBytes.h"
#include "lowering/select/Packing.h"
#include "lowering/select/ReplaceConstant.h"
#include "lowering/select/Winograd.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

namespace aotc {

#define GEN_PASS_DEF_SELECTKERNELS
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

// filter: [o, c / groups, kh, kw].
bool isDepthwise(ArrayRef<int64_t> filter, int64_t groups) {
  return groups > 1 && filter[1] == 1 && filter[0] == groups;
}
bool isDepthwise(kern::Conv2DOp conv) {
  ArrayRef<int64_t> filter = cast<ShapedType>(conv.getWeights().getType()).getShape();
  return isDepthwise(filter, static_cast<int64_t>(conv.getGroups())) && !conv.getPlanarInput();
}

nn::HostTensor packFor(kern::Conv2DOp conv, const nn::HostTensor &weights) {
  switch (conv.getKind()) {
  case kern::ConvKind::Direct:
    return select::packConvolution(weights, static_cast<int64_t>(conv.getGroups()));
  case kern::ConvKind::Depthwise:
    return select::packDepthwise(weights);
  case kern::ConvKind::Winograd:
    return select::packWinograd(weights);
  }
  llvm_unreachable("every kind has a layout");
}

void selectConvolution(kern::Conv2DOp conv, bool mayUseWinograd, const select::LiveBytes &live,
                       nn::LargeConstants &constants) {
  ElementsAttr weights;
  if (!matchPattern(conv.getWeights(), m_Constant(&weights)))
    return;
  if (isDepthwise(conv))
    conv.setKind(kern::ConvKind::Depthwise);
  else if (mayUseWinograd && select::prefersWinograd(conv, live))
    conv.setKind(kern::ConvKind::Winograd);
  select::replaceConstant(conv.getWeightsMutable(), packFor(conv, nn::HostTensor::view(weights)), constants);
}

// Rows of input that a kernel of integers copies at a time, so that they stay in a second-level cache. Weights that are
// too many to stay beside them are read again for each block of rows, which then costs as much as 2 or 3 pixels: a block
// should have many, if memory that lies idle meanwhile holds its input.
constexpr int64_t mostCopiedBytes = 64 << 10, mostIdleBytes = 128 << 10, mostStayingBytes = 128 << 10, manyPixels = 64;
bool stays(Value packed) {
  auto type = cast<ShapedType>(packed.getType());
  return type.getNumElements() * type.getElementTypeBitWidth() / 8 <= mostStayingBytes;
}
int64_t idleBytes(Operation *kernel, const select::LiveBytes &live) {
  return std::min(mostIdleBytes, live.peak() - live.during(kernel));
}

// Rows of output to a unit: as many as have their input in a second-level cache, and a quarter of the step's buffers at
// most, or many pixels; a divisor of all, if there is one near, so that the last unit is like the others.
int64_t blockRows(kern::IntegerConv2DOp conv, const select::LiveBytes &live) {
  auto x = cast<ShapedType>(conv.getX().getType()), out = cast<ShapedType>(conv.getOut().getType());
  int64_t rows = out.getDimSize(1), width = out.getDimSize(2), buffers = 1;
  for (ShapedType type : {x, out})
    buffers += type.getDimSize(1) * type.getDimSize(2) * type.getDimSize(3);
  int64_t few = std::min(mostCopiedBytes, buffers / 4);
  int64_t many = stays(conv.getWeights()) ? few : std::max(few, idleBytes(conv, live));
  int64_t best = 1;
  for (int64_t count = 1; count <= rows; ++count) {
    conv.setBlockRows(static_cast<uint64_t>(count));
    if (conv.getScratchBytesPerThread() > (best * width < manyPixels ? many : few))
      break;
    if (rows % count == 0 || count > 2 * best)
      best = count;
  }
  return best;
}

// Whether a pass that widens each byte read costs little beside its products with so many weights.
bool paysWidening(int64_t productsPerByte) { return productsPerByte >= 64; }

// Joined taps waste no bytes of words, but take a pass over the input that writes each tap.
bool prefersJoinedTaps(kern::IntegerConv2DOp conv, int64_t channels) {
  int64_t taps = conv.getKernel()[0] * conv.getKernel()[1];
  return conv.getGroups() == 1 && taps > 1 &&
         5 * llvm::divideCeil(taps * channels, 4) <= 4 * taps * llvm::divideCeil(channels, 4);
}

// Products of each byte that is copied, those that strides pass over included.
int64_t productsPerByte(kern::IntegerConv2DOp conv, int64_t groupFilters) {
  if (conv.getJoinsTaps())
    return groupFilters;
  return groupFilters * conv.getKernel()[0] * conv.getKernel()[1] / (conv.getStrides()[0] * conv.getStrides()[1]);
}

// What is added to the sums of bytes: of a zero point that only the run knows, offsets for 0 less z * (sum of weights).
void packOffsets(kern::IntegerConv2DOp conv, const nn::HostTensor &weights, const nn::HostTensor &bias,
                 nn::LargeConstants &constants) {
  int64_t zero = conv.getXZero() ? 0 : static_cast<int64_t>(conv.getXZeroPoint());
  select::replaceConstant(conv.getOffsetsMutable(), select::byteOffsets(weights, bias, zero, conv.getXUnsigned()),
                          constants);
  if (!conv.getXZero())
    return;
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  ElementsAttr filterSums = select::filterSums(weights).toAttr();
  constants.retain(filterSums);
  Value forZero = conv.getOffsets(),
        sums = builder.create<arith::ConstantOp>(loc, cast<TypedAttr>(Attribute(filterSums)));
  Value out = convert::createDestination(builder, loc, cast<RankedTensorType>(forZero.getType()));
  AffineMap ofFilter = AffineMap::get(2, 0, builder.getAffineDimExpr(1));
  bool isUnsigned = conv.getXUnsigned();
  Value offsets = convert::buildGeneric(
      builder, loc, out,
      {{forZero, builder.getMultiDimIdentityMap(2)},
       {sums, ofFilter},
       convert::broadcastOperand(builder, loc, conv.getXZero(), cast<ShapedType>(out.getType()).getShape())},
      [&](OpBuilder &body, Location at, ValueRange args) -> Value {
        Value z = isUnsigned ? body.create<arith::ExtUIOp>(at, body.getI32Type(), args[2]).getResult()
                             : body.create<arith::ExtSIOp>(at, body.getI32Type(), args[2]).getResult();
        return body.create<arith::SubIOp>(at, args[0], body.create<arith::MulIOp>(at, z, args[1]));
      });
  offsets.getDefiningOp()->setAttr(kern::offsetsAttrName, builder.getUnitAttr());
  conv.getOffsetsMutable().assign(offsets);
}

void selectIntegerConvolution(kern::IntegerConv2DOp conv, bool mayWiden, const select::LiveBytes &live,
                              nn::LargeConstants &constants) {
  ElementsAttr weights, bias;
  if (!matchPattern(conv.getWeights(), m_Constant(&weights)) || !matchPattern(conv.getOffsets(), m_Constant(&bias)))
    return;
  auto values = nn::HostTensor::view(weights), sums = nn::HostTensor::view(bias);
  auto groups = static_cast<int64_t>(conv.getGroups());
  ArrayRef<int64_t> filter = values.type().getShape();
  bool fitsBytes = select::fitsBytes(values);
  if (fitsBytes && isDepthwise(filter, groups))
    conv.setKind(kern::IntegerConvKind::Depthwise);
  else
    conv.setJoinsTaps(fitsBytes && prefersJoinedTaps(conv, filter[1]));
  if (mayWiden && fitsBytes && conv.getKind() == kern::IntegerConvKind::Direct)
    conv.setWidensRows(paysWidening(productsPerByte(conv, filter[0] / groups)));
  nn::HostTensor packed = conv.getKind() == kern::IntegerConvKind::Depthwise
                              ? select::packIntegerDepthwise(values)
                              : select::packIntegerConvolution(values, groups, conv.getJoinsTaps());
  if (fitsBytes)
    packOffsets(conv, values, sums, constants);
  select::replaceConstant(conv.getWeightsMutable(), std::move(packed), constants);
  conv.setBlockRows(static_cast<uint64_t>(blockRows(conv, live)));
}

void selectMatMul(kern::MatMulOp matmul, nn::LargeConstants &constants) {
  ElementsAttr weights;
  if (!matchPattern(matmul.getWeights(), m_Constant(&weights)) ||
      cast<ShapedType>(weights.getType()).getDimSize(0) != 1)
    return;
  matmul.setPacked(true);
  select::replaceConstant(matmul.getWeightsMutable(), select::packMatrix(nn::HostTensor::view(weights)), constants);
}

// The rows of a product, of all its batches; extents of the run at their largest, 0 where that does not show.
int64_t mostRows(kern::IntegerMatMulOp matmul) {
  auto out = cast<RankedTensorType>(matmul.getOut().getType());
  auto empty = matmul.getOut().getDefiningOp<tensor::EmptyOp>();
  int64_t rows = 1;
  for (unsigned i : {0, 1}) {
    IntegerAttr most;
    if (out.isDynamicDim(i) && empty)
      if (auto extent = dyn_cast<BlockArgument>(empty.getDynamicSize(i)))
        if (auto function = dyn_cast<func::FuncOp>(extent.getOwner()->getParentOp()))
          most = function.getArgAttrOfType<IntegerAttr>(extent.getArgNumber(), "aotc.maximum");
    rows *= !out.isDynamicDim(i) ? out.getDimSize(i) : most ? most.getInt() : 0;
  }
  return rows;
}

// Rows of a that are widened at a time, in as much memory as above; a multiple of most tiles' rows. 0 for few rows or
// columns.
int64_t widenedRows(kern::IntegerMatMulOp matmul, const select::LiveBytes &live) {
  constexpr int64_t tileRows = 12, fewest = 4;
  auto a = cast<ShapedType>(matmul.getA().getType()), out = cast<ShapedType>(matmul.getOut().getType());
  int64_t k = a.getDimSize(2), n = out.getDimSize(2), all = mostRows(matmul);
  int64_t few = std::min(mostCopiedBytes, all * (k + n * out.getElementTypeBitWidth() / 8) / 4), rows = few / (2 * k);
  if (rows < (stays(matmul.getWeights()) ? tileRows : manyPixels) && out.hasStaticShape())
    rows = std::min<int64_t>(llvm::alignTo(manyPixels, tileRows), std::max(few, idleBytes(matmul, live)) / (2 * k));
  if (rows > tileRows)
    rows = llvm::alignDown(rows, tileRows);
  rows = std::min(rows, all);
  return rows < fewest || !paysWidening(n) ? 0 : rows;
}

void selectIntegerMatMul(kern::IntegerMatMulOp matmul, bool mayWiden, const select::LiveBytes &live,
                         nn::LargeConstants &constants) {
  ElementsAttr weights;
  if (!matchPattern(matmul.getWeights(), m_Constant(&weights)))
    return;
  if (mayWiden)
    matmul.setWidenedRows(static_cast<uint64_t>(widenedRows(matmul, live)));
  auto values = nn::HostTensor::view(weights);
  nn::HostTensor sums = select::columnSums(values), packed = select::packByteMatrix(values);
  select::replaceConstant(matmul.getWeightSumsMutable(), std::move(sums), constants);
  select::replaceConstant(matmul.getWeightsMutable(), std::move(packed), constants);
}

struct SelectKernels : impl::SelectKernelsBase<SelectKernels> {
  using SelectKernelsBase::SelectKernelsBase;
  void runOnOperation() final {
    nn::LargeConstants constants(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      select::LiveBytes live(function);
      function.walk([&](kern::KernelOp kernel) {
        if (kernel->hasAttr(kern::onGpuAttrName))
          return;
        llvm::TypeSwitch<Operation *>(kernel)
            .Case([&](kern::Conv2DOp conv) { selectConvolution(conv, winograd, live, constants); })
            .Case([&](kern::IntegerConv2DOp conv) { selectIntegerConvolution(conv, widenBytes, live, constants); })
            .Case([&](kern::IntegerMatMulOp matmul) { selectIntegerMatMul(matmul, widenBytes, live, constants); })
            .Case([&](kern::MatMulOp matmul) { selectMatMul(matmul, constants); });
      });
    }
  }
};

} // namespace

} // namespace aotc
