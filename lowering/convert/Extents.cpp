#include "lowering/convert/Extents.h"

#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"
#include "lowering/convert/Convert.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace aotc::convert {

int64_t countElements(ArrayRef<int64_t> extents) {
  int64_t count = 1;
  for (int64_t extent : extents) {
    if (ShapedType::isDynamic(extent))
      return ShapedType::kDynamic;
    count *= extent;
  }
  return count;
}

LogicalResult checkExtents(func::FuncOp function) {
  WalkResult checked = function.walk([](Operation *op) -> WalkResult {
    for (Type type : op->getResultTypes())
      if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && !nn::hasValidExtents(tensor))
        return op->emitError("extents must be known when compiling or follow from bounded dims, found ")
               << nn::describe(tensor);
    return WalkResult::advance();
  });
  return failure(checked.wasInterrupted());
}

//===-- the index arguments ---------------------------------------------------------------------------------------===//

// An index argument stands for the expression under this name, which follows from symbols; without one for the symbol
// of its own position among the index arguments.
static constexpr StringLiteral expressionName = "aotc.expression";

static AffineExpr expressionOf(func::FuncOp function, BlockArgument argument) {
  if (auto map = function.getArgAttrOfType<AffineMapAttr>(argument.getArgNumber(), expressionName))
    return map.getValue().getResult(0);
  auto before = function.getArguments().take_front(argument.getArgNumber());
  auto position = llvm::count_if(before, [](BlockArgument other) { return other.getType().isIndex(); });
  return getAffineSymbolExpr(static_cast<unsigned>(position), function.getContext());
}

namespace {

// Makes the index arguments of one function.
class DimArguments {
public:
  explicit DimArguments(func::FuncOp function) : function(function), dims(nn::dimsOf(function)) {}

  void add() {
    for (auto [position, dim] : llvm::enumerate(dims)) {
      addArgument(getAffineSymbolExpr(position, function.getContext()), dim.name);
      if (dim.isFound)
        function.setArgAttr(function.getNumArguments() - 1, "aotc.found", UnitAttr::get(function.getContext()));
    }
    function->removeAttr("nn.found");
    // Arguments and results have the extents of every op between them.
    function.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        addQuotients(type);
      if (auto values = dyn_cast<nn::ExtentsOp>(op))
        llvm::for_each(values.getValues().getResults(), [&](AffineExpr extent) { addQuotients(extent); });
      if (auto slice = dyn_cast<nn::SliceOp>(op))
        llvm::for_each(slice.getStartsAndSizes(), [&](AffineExpr extent) { addQuotients(extent); });
    });
    for (unsigned result = 0; result < function.getNumResults(); ++result)
      nameResult(result);
  }

private:
  void addArgument(AffineExpr extent, StringRef name) {
    if (!names.insert({extent, name.str()}).second)
      return;
    Builder builder(function.getContext());
    nn::Interval bounds = nn::boundsOf(extent, dims);
    NamedAttrList attributes;
    attributes.set("aotc.dim", builder.getStringAttr(name));
    attributes.set("aotc.minimum", builder.getI64IntegerAttr(bounds.least));
    attributes.set("aotc.maximum", builder.getI64IntegerAttr(bounds.most));
    if (!isa<AffineSymbolExpr>(extent))
      attributes.set(expressionName, AffineMapAttr::get(AffineMap::get(0, dims.size(), extent)));
    function.insertArgument(function.getNumArguments(), builder.getIndexType(),
                            attributes.getDictionary(function.getContext()), function.getLoc());
  }

  void addQuotients(AffineExpr extent) {
    if (!extent)
      return;
    extent.walk([&](AffineExpr part) {
      if (part.getKind() == AffineExprKind::FloorDiv)
        addArgument(part, nn::textOf(part, dims));
    });
  }
  void addQuotients(Type type) {
    if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && !tensor.hasStaticShape())
      llvm::for_each(nn::extentsOf(tensor), [&](AffineExpr extent) { addQuotients(extent); });
  }

  void nameResult(unsigned result) {
    auto type = cast<RankedTensorType>(function.getResultTypes()[result]);
    if (type.hasStaticShape())
      return;
    Builder builder(function.getContext());
    SmallVector<Attribute> dimNames;
    for (AffineExpr extent : nn::extentsOf(type)) {
      bool isKnown = nn::numberOf(extent).has_value();
      if (!isKnown)
        addArgument(extent, nn::textOf(extent, dims));
      dimNames.push_back(builder.getStringAttr(isKnown ? "" : names.lookup(extent)));
    }
    function.setResultAttr(result, "aotc.dims", builder.getArrayAttr(dimNames));
  }

  func::FuncOp function;
  SmallVector<nn::Dim> dims;
  llvm::DenseMap<AffineExpr, std::string> names;
};

} // namespace

void addDimArguments(func::FuncOp function) { DimArguments(function).add(); }

//===-- extents of tensors ----------------------------------------------------------------------------------------===//

// The entry block of the function around a block.
static Block *entryOf(Block *block) {
  while (!isa<func::FuncOp>(block->getParentOp()))
    block = block->getParentOp()->getBlock();
  return block;
}

static AffineExpr expressionOf(OpFoldResult extent, MLIRContext *context) {
  if (std::optional<int64_t> constant = getConstantIntValue(extent))
    return getAffineConstantExpr(*constant, context);
  auto value = cast<Value>(extent);
  if (auto argument = dyn_cast<BlockArgument>(value))
    return expressionOf(cast<func::FuncOp>(argument.getOwner()->getParentOp()), argument);
  Operation *op = value.getDefiningOp();
  AffineExpr x = expressionOf(op->getOperand(0), context), y = expressionOf(op->getOperand(1), context);
  assert((isa<arith::AddIOp, arith::MulIOp>(op)) && "extents are sums of products");
  return isa<arith::AddIOp>(op) ? nn::sum(x, y) : nn::product(x, y);
}

static Extents expressionsOf(ArrayRef<OpFoldResult> extents, MLIRContext *context) {
  return llvm::map_to_vector(extents, [&](OpFoldResult extent) { return expressionOf(extent, context); });
}

// The extents of an argument are those that its dims name.
static Extents extentsOf(BlockArgument tensor) {
  auto function = cast<func::FuncOp>(tensor.getOwner()->getParentOp());
  auto names = function.getArgAttrOfType<ArrayAttr>(tensor.getArgNumber(), "aotc.dims");
  Extents extents = nn::extentsOf(cast<RankedTensorType>(tensor.getType()));
  for (auto [dim, extent] : llvm::enumerate(extents))
    for (BlockArgument argument : tensor.getOwner()->getArguments())
      if (!extent && function.getArgAttr(argument.getArgNumber(), "aotc.dim") == names[dim])
        extent = expressionOf(function, argument);
  return extents;
}

// The results of a branch are written into destinations outside of it, which both sides yield.
static Value branchDestination(scf::IfOp branch, unsigned result) {
  // Not the terminator: while nn is converted, the nn.yield that scf.yield replaces still stands behind it.
  auto yields = branch.getThenRegion().front().getOps<scf::YieldOp>();
  return (*yields.begin()).getOperand(result).getDefiningOp<linalg::CopyOp>().getDpsInits().front();
}

Extents extentsOf(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  MLIRContext *context = type.getContext();
  while (!type.hasStaticShape()) {
    if (auto encoded = cast<RankedTensorType>(tensor.getType()); encoded.getEncoding())
      return nn::extentsOf(encoded);
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      return extentsOf(argument);
    Operation *op = tensor.getDefiningOp();
    Builder builder(context);
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return expressionsOf(empty.getMixedSizes(), context);
    if (auto allocated = dyn_cast<bufferization::AllocTensorOp>(op))
      return expressionsOf(getMixedValues(type.getShape(), allocated.getDynamicSizes(), builder), context);
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
      return expressionsOf(getMixedValues(expand.getStaticOutputShape(), expand.getOutputShape(), builder), context);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return expressionsOf(slice.getMixedSizes(), context);
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
      Extents source = extentsOf(collapse.getSrc()), extents;
      for (const ReassociationIndices &group : collapse.getReassociationIndices())
        extents.push_back(nn::product(
            llvm::map_to_vector(group, [&](int64_t dim) { return source[static_cast<size_t>(dim)]; }), context));
      return extents;
    }
    if (auto memory = dyn_cast<bufferization::ToTensorOp>(op)) { // what a loop carries
      auto place = memory.getMemref().getDefiningOp<memref::AllocOp>();
      return expressionsOf(getMixedValues(type.getShape(), place.getDynamicSizes(), builder), context);
    }
    if (auto stand = dyn_cast<UnrealizedConversionCastOp>(op)) { // for a value with an encoding, until it is converted
      tensor = stand.getOperand(0);
      continue;
    }
    unsigned result = cast<OpResult>(tensor).getResultNumber();
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      tensor = insert.getDest();
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      tensor = branchDestination(branch, result);
    else
      tensor = cast<DestinationStyleOpInterface>(op).getDpsInits()[result];
  }
  return nn::extentsOf(type);
}

//===-- index values ----------------------------------------------------------------------------------------------===//

// The argument that stands for an expression; null where none does.
static Value argumentOf(Block *entry, AffineExpr extent) {
  auto function = cast<func::FuncOp>(entry->getParentOp());
  for (BlockArgument argument : entry->getArguments())
    if (argument.getType().isIndex() && expressionOf(function, argument) == extent)
      return argument;
  return {};
}

Value buildExtent(OpBuilder &builder, Location loc, AffineExpr extent) {
  if (std::optional<int64_t> number = nn::numberOf(extent))
    return builder.create<arith::ConstantIndexOp>(loc, *number);
  if (Value argument = argumentOf(entryOf(builder.getInsertionBlock()), extent))
    return argument;
  auto binary = cast<AffineBinaryOpExpr>(extent);
  Value x = buildExtent(builder, loc, binary.getLHS()), y = buildExtent(builder, loc, binary.getRHS());
  assert(binary.getKind() != AffineExprKind::FloorDiv && "quotients are arguments");
  if (binary.getKind() == AffineExprKind::Add)
    return builder.create<arith::AddIOp>(loc, x, y);
  return builder.create<arith::MulIOp>(loc, x, y);
}

Value extentOf(OpBuilder &builder, Location loc, Value tensor, int64_t dim) {
  return buildExtent(builder, loc, extentsOf(tensor)[static_cast<size_t>(dim)]);
}

StringAttr nameOf(OpBuilder &builder, AffineExpr dim) {
  auto argument = cast<BlockArgument>(argumentOf(entryOf(builder.getInsertionBlock()), dim));
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "aotc.dim");
}

SmallVector<nn::Dim> boundsOfDims(Operation *op) {
  auto function = op->getParentOfType<func::FuncOp>();
  SmallVector<nn::Dim> dims;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto text = [&](StringRef name) { return function.getArgAttrOfType<IntegerAttr>(i, name).getInt(); };
    if (auto name = function.getArgAttrOfType<StringAttr>(i, "aotc.dim"))
      dims.push_back({name.str(), text("aotc.minimum"), text("aotc.maximum")});
  }
  return dims;
}

SmallVector<OpFoldResult> buildMixed(OpBuilder &builder, Location loc, ArrayRef<AffineExpr> extents) {
  return llvm::map_to_vector(extents, [&](AffineExpr extent) -> OpFoldResult {
    if (std::optional<int64_t> number = nn::numberOf(extent))
      return builder.getIndexAttr(*number);
    return buildExtent(builder, loc, extent);
  });
}

SmallVector<Value> buildUnknown(OpBuilder &builder, Location loc, ArrayRef<AffineExpr> extents) {
  SmallVector<Value> values;
  for (AffineExpr extent : extents)
    if (!nn::numberOf(extent))
      values.push_back(buildExtent(builder, loc, extent));
  return values;
}

} // namespace aotc::convert
