// Lets steps that read the real values of bytes read the bytes themselves: those values are in no memory then.
//
//   %r = linalg.generic ins(%x) { (float(x) - z) * s }    ==>   %y = kern.average_pool2d ins(%x) {dequantized = {s, z}}
//   %y = kern.average_pool2d ins(%r)                            %r = linalg.generic ins(%x) { (float(x) - z) * s }
//   %a = linalg.generic ins(%r) {...}                           %a = linalg.generic ins(%r) {...}
//   %b = linalg.generic ins(%r) {...}                           %q = linalg.generic ins(%x) { (float(x) - z) * s }
//                                                               %b = linalg.generic ins(%q) {...}
//
// Kernels do it as they load; element-wise steps get a dequantization each, which fusion then makes part of them: to
// compute one twice is cheaper than four times the memory. A step that reads the results of a kernel itself, as in
// Softmax(r) * r, becomes its epilogue before that, and the dequantization stays a step of its own. Reshapes on the way
// become reshapes of the bytes. Other readers keep the real values. Only where one scale holds for the tensor.
#include "ir/kern/Dequantization.h"
#include "ir/kern/Dialect.h"
#include "ir/kern/Vectors.h"
#include "lowering/Passes.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "lowering/fuse/Elementwise.h"
#include "lowering/fuse/Reshapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

namespace aotc {

#define GEN_PASS_DEF_FUSEDEQUANTIZATION
#include "lowering/Passes.h.inc"

using namespace mlir;
using kern::Dequantization;

namespace {

std::optional<float> numberOf(Value value) {
  FloatAttr number;
  return matchPattern(value, m_Constant(&number)) ? std::optional(number.getValue().convertToFloat()) : std::nullopt;
}

// What is taken off before the scale: of x - z, x + -z or x, the z, and x in `value`.
std::optional<float> zeroPointOf(Value &value) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::SubFOp, arith::AddFOp>(op))
    return 0.0f;
  std::optional<float> number = numberOf(op->getOperand(1));
  value = op->getOperand(0);
  return number && isa<arith::AddFOp>(op) ? -*number : number;
}

// Whether a byte can be `zero`.
bool isByteValue(float zero, bool isUnsigned) {
  float low = isUnsigned ? 0.0f : -128.0f;
  return zero >= low && zero <= low + 255.0f && zero == std::trunc(zero);
}

// (float(x) - z) * s of the body's first argument, a byte, as the conversion of nn.dequantize writes it.
std::optional<Dequantization> dequantizationIn(Block &body) {
  auto product = body.getTerminator()->getOperand(0).getDefiningOp<arith::MulFOp>();
  std::optional<float> scale = product ? numberOf(product.getRhs()) : std::nullopt;
  if (!scale)
    return std::nullopt;
  Value difference = product.getLhs();
  std::optional<float> zero = zeroPointOf(difference);
  Operation *conversion = difference.getDefiningOp();
  if (!zero || !conversion || !kern::isFloatOfByte(conversion) || conversion->getOperand(0) != body.getArgument(0))
    return std::nullopt;
  bool isUnsigned = isa<arith::UIToFPOp>(conversion);
  if (!isByteValue(*zero, isUnsigned))
    return std::nullopt;
  return Dequantization{*scale, static_cast<int64_t>(*zero), isUnsigned};
}

bool isDequantization(linalg::GenericOp op) {
  return fuse::isElementwise(op) && op.getNumResults() == 1 && op.getNumDpsInputs() == 1 &&
         op.getMatchingIndexingMap(op.getDpsInputOperand(0)).isIdentity() && dequantizationIn(*op.getBody());
}

// Gives the readers of the values of one dequantization its bytes.
class Readers {
public:
  Readers(linalg::GenericOp source) : source(source), dequantization(*dequantizationIn(*source.getBody())) {}

  void readBytes() {
    Value values = source.getResult(0);
    if (!values.hasOneUse() || !isElementwiseInput(*values.use_begin())) // that one will take it in
      visit(values, source.getInputs()[0]);
    if (source->use_empty())
      source.erase();
  }

private:
  // `values` is what `bytes` stand for.
  void visit(Value values, Value bytes) {
    for (OpOperand &use : llvm::make_early_inc_range(values.getUses())) {
      OpBuilder builder(use.getOwner());
      if (fuse::isReshape(use.getOwner()))
        visitReshape(builder, use.getOwner(), bytes);
      else if (isKernelInput(use))
        readInKernel(use, bytes);
      else if (isElementwiseInput(use))
        use.set(dequantized(builder, bytes));
    }
  }

  void visitReshape(OpBuilder &builder, Operation *reshape, Value bytes) {
    Value values = reshape->getResult(0);
    Value reshaped = convert::reshapeTo(builder, reshape->getLoc(), bytes, convert::extentsOf(values));
    visit(values, reshaped);
    if (values.use_empty())
      reshape->erase();
    if (reshaped.use_empty())
      reshaped.getDefiningOp()->erase();
  }

  static bool isKernelInput(OpOperand &use) {
    auto kernel = dyn_cast<kern::KernelOp>(use.getOwner());
    return kernel && kernel.acceptsBytes() && use.getOperandNumber() == 0;
  }

  static bool isElementwiseInput(OpOperand &use) {
    auto reader = dyn_cast<linalg::GenericOp>(use.getOwner());
    return reader && fuse::isElementwise(reader) && reader.isDpsInput(&use) &&
           reader.getMatchingIndexingMap(&use).isPermutation();
  }

  void readInKernel(OpOperand &use, Value bytes) {
    Operation *kernel = use.getOwner();
    use.set(bytes);
    kern::setDequantization(kernel, dequantization);
    kernel->setLoc(FusedLoc::get(kernel->getContext(), {source.getLoc(), kernel->getLoc()}));
  }

  Value dequantized(OpBuilder &builder, Value bytes) {
    Value out = convert::createDestination(builder, source.getLoc(), convert::extentsOf(bytes), builder.getF32Type());
    AffineMap identity = builder.getMultiDimIdentityMap(cast<ShapedType>(out.getType()).getRank());
    return convert::buildGeneric(builder, source.getLoc(), out, {{bytes, identity}},
                                 [&](OpBuilder &nested, Location, ValueRange arguments) {
                                   IRMapping mapping;
                                   mapping.map(source.getBody()->getArgument(0), arguments[0]);
                                   for (Operation &op : source.getBody()->without_terminator())
                                     nested.clone(op, mapping);
                                   return mapping.lookup(source.getBody()->getTerminator()->getOperand(0));
                                 });
  }

  linalg::GenericOp source;
  Dequantization dequantization;
};

struct FuseDequantization : impl::FuseDequantizationBase<FuseDequantization> {
  void runOnOperation() final {
    SmallVector<linalg::GenericOp> sources;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isDequantization(op))
        sources.push_back(op);
    });
    for (linalg::GenericOp op : sources)
      Readers(op).readBytes();
  }
};

} // namespace

} // namespace aotc
