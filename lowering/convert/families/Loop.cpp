// Loops of the run. Carried values, the number of the iteration and whether there is one more live in memory, which the
// loop reads at the begin of an iteration and writes at its end:
//
//   %last = nn.loop %most, %goes_on, %x {              %number, %flag, %place = memref.alloc
//   ^bb0(%i, %carried):                                start_loop(%most, %goes_on -> %number, %flag)
//                                                      carry(%x -> %place)
//     …                                         ==>    while (*%flag) {
//     nn.yield %condition, %next                         %i, %carried = to_tensor %number, %place
//   }                                                    …
//                                                        carry(%next -> %place); next_iteration(%condition -> …)
//                                                      }
//                                                      %last = to_tensor %place
//
// All values are read before one is written: what might be seen through a carried value is copied first. Dims that are
// carried are set last, and those that others need are set behind these.
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "ir/nn/Scalar.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "lowering/convert/KernelCall.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace aotc::convert {

namespace {

RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

// Whether a value of the body, before conversion, may turn out to be a view of what the body's arguments are.
bool mayShowArgument(Value value, Block *body) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getOwner() == body;
  Operation *op = value.getDefiningOp();
  bool isWrittenAnew = isa<nn::IfOp, nn::LoopOp>(op) || (isa<nn::ConcatOp>(op) && op->getNumOperands() > 1) ||
                       (!op->hasTrait<nn::MovesElements>() && !isa<nn::CastOp>(op));
  return !isWrittenAnew &&
         llvm::any_of(op->getOperands(), [&](Value operand) { return mayShowArgument(operand, body); });
}

class LoopLowering {
public:
  LoopLowering(nn::LoopOp op, nn::LoopOp::Adaptor adaptor, ConversionPatternRewriter &rewriter)
      : op(op), adaptor(adaptor), rewriter(rewriter), loc(op.getLoc()) {}

  void lower();

private:
  Value allocate(RankedTensorType onnxType);
  Value read(Value memory);
  void carry(Value from, RankedTensorType onnxType, Value to, RankedTensorType place);
  void collect(Value from, RankedTensorType onnxType, Value to);
  void setDim(AffineExpr dim, AffineExpr value);
  Value staged(Value value);
  void allocateAll();
  void start();
  void moveBody(scf::WhileOp loop);
  void endIteration(nn::YieldOp yield);
  int64_t mostElements(RankedTensorType type);

  nn::LoopOp op;
  nn::LoopOp::Adaptor adaptor;
  ConversionPatternRewriter &rewriter;
  Location loc;
  Value number, goesOn;
  SmallVector<Value> places, lists; // of carried values, and of collected ones
};

// Memory for a value of nn, planned at its bounds.
Value LoopLowering::allocate(RankedTensorType onnxType) {
  auto type = MemRefType::get(onnxType.getShape(), scalar::signless(onnxType.getElementType()));
  return rewriter.create<memref::AllocOp>(loc, type, buildUnknown(rewriter, loc, nn::extentsOf(onnxType)));
}

Value LoopLowering::read(Value memory) {
  return rewriter.create<bufferization::ToTensorOp>(loc, memory, /*restrict=*/true, /*writable=*/false);
}

int64_t LoopLowering::mostElements(RankedTensorType type) {
  AffineExpr count = nn::product(nn::extentsOf(type), op.getContext());
  return nn::boundsOf(count, boundsOfDims(op)).most;
}

void LoopLowering::carry(Value from, RankedTensorType onnxType, Value to, RankedTensorType place) {
  AffineExpr length = nn::product(nn::extentsOf(onnxType), op.getContext());
  KernelCall call(rewriter, loc, "loop", "carry");
  call.extent("length", length).member("room", mostElements(place)).input(from, onnxType);
  if (nn::boundsOf(length, boundsOfDims(op)).most > mostElements(place))
    call.canFail("bound_exceeded");
  call.createInto(to, TypeRange(place));
}

void LoopLowering::collect(Value from, RankedTensorType onnxType, Value to) {
  int64_t room = nn::boundsOf(op.getIterations()->getResult(0), boundsOfDims(op)).most;
  KernelCall call(rewriter, loc, "loop", "collect");
  call.extent("length", nn::product(nn::extentsOf(onnxType), op.getContext())).member("room", room);
  call.input(from, onnxType).input(read(number)).canFail("bound_exceeded").createInto(to, TypeRange(onnxType));
}

void LoopLowering::setDim(AffineExpr dim, AffineExpr value) {
  KernelCall call(rewriter, loc, "extents", "set_extent");
  call.extent("value", value).finds(dim).canFail("bound_exceeded").create({});
}

// The value of the body as it is before anything that is carried is written.
Value LoopLowering::staged(Value value) {
  Value from = rewriter.getRemappedValue(value);
  if (!mayShowArgument(value, op.getBody()))
    return from;
  auto type = tensorType(value);
  KernelCall call(rewriter, loc, "loop", "carry");
  call.extent("length", nn::product(nn::extentsOf(type), op.getContext())).member("room", mostElements(type));
  return call.input(from, type).create(TypeRange(type)).front();
}

void LoopLowering::allocateAll() {
  number = rewriter.create<memref::AllocOp>(loc, MemRefType::get({}, rewriter.getI64Type()));
  goesOn = rewriter.create<memref::AllocOp>(loc, MemRefType::get({}, rewriter.getI1Type()));
  for (Type type : op->getResultTypes())
    (places.size() < op.getInitial().size() ? places : lists).push_back(allocate(cast<RankedTensorType>(type)));
}

void LoopLowering::start() {
  KernelCall call(rewriter, loc, "loop", "start_loop");
  call.input(adaptor.getTripCount()).input(adaptor.getCondition());
  call.createInto({number, goesOn}, TypeRange{op.getTripCount().getType(), op.getCondition().getType()});
  for (auto [from, initial, argument, place] :
       llvm::zip(adaptor.getInitial(), op.getInitial(), op.getCarriedArguments(), places))
    carry(from, tensorType(initial), place, tensorType(argument));
  for (const nn::LoopOp::CarriedDim &dim : op.getCarriedDimsInOrder())
    setDim(dim.dim, dim.initial);
}

void LoopLowering::endIteration(nn::YieldOp yield) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(yield);
  SmallVector<nn::LoopOp::CarriedDim> dims = op.getCarriedDimsInOrder();
  SmallVector<Value> values;
  for (Value value : yield.getValues())
    values.push_back(staged(value));
  size_t carried = places.size();
  for (auto [value, onnx, list] : llvm::zip(ArrayRef(values).drop_front(1 + carried), op.getCollected(), lists))
    collect(value, tensorType(onnx), list);
  for (auto [value, next, argument, place] :
       llvm::zip(ArrayRef(values).drop_front(), op.getNext(), op.getCarriedArguments(), places))
    carry(value, tensorType(next), place, tensorType(argument));
  KernelCall call(rewriter, loc, "loop", "next_iteration");
  call.input(adaptor.getTripCount()).input(values.front());
  call.createInto({number, goesOn}, TypeRange{op.getTripCount().getType(), op.getCondition().getType()});
  for (const nn::LoopOp::CarriedDim &dim : dims)
    setDim(dim.dim, dim.next);
}

void LoopLowering::moveBody(scf::WhileOp loop) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.createBlock(&loop.getBefore());
  Value flag = rewriter.create<memref::LoadOp>(loc, goesOn);
  rewriter.create<scf::ConditionOp>(loc, flag, ValueRange());
  Block *body = rewriter.createBlock(&loop.getAfter());
  SmallVector<Value> arguments{read(number)};
  for (Value place : places)
    arguments.push_back(read(place));
  auto yield = cast<nn::YieldOp>(op.getBody()->getTerminator());
  endIteration(yield);
  rewriter.setInsertionPoint(yield);
  rewriter.replaceOpWithNewOp<scf::YieldOp>(yield);
  rewriter.inlineBlockBefore(op.getBody(), body, body->end(), arguments);
}

void LoopLowering::lower() {
  allocateAll();
  start();
  auto loop = rewriter.create<scf::WhileOp>(loc, TypeRange(), ValueRange());
  moveBody(loop);
  rewriter.setInsertionPointAfter(loop);
  if (op.getCounts()) {
    AffineExpr iterations = op.getIterations()->getResult(0);
    KernelCall call(rewriter, loc, "extents", "read_extent");
    call.member("limit", INT32_MAX).input(read(number)).finds(iterations).canFail("bound_exceeded").create({});
  }
  SmallVector<Value> results;
  for (Value memory : llvm::concat<Value>(places, lists))
    results.push_back(read(memory));
  rewriter.replaceOp(op, results);
}

struct LowerLoop : OpConversionPattern<nn::LoopOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::LoopOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    LoopLowering(op, adaptor, rewriter).lower();
    return success();
  }
};

} // namespace

void populateLoop(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerLoop>(types, patterns.getContext());
}

} // namespace aotc::convert
