#include "lowering/convert/Extents.h"

#include "lowering/convert/Convert.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/StringSet.h"
#include <numeric>

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

// The index argument that holds the dimension of a tensor argument.
static Value dimArgument(BlockArgument tensor, int64_t dim) {
  Block *block = tensor.getOwner();
  auto function = cast<func::FuncOp>(block->getParentOp());
  auto names = function.getArgAttrOfType<ArrayAttr>(tensor.getArgNumber(), "aotc.dims");
  assert(names && "an argument of unknown extent names its bounded dims");
  for (BlockArgument argument : block->getArguments())
    if (argument.getType().isIndex() && function.getArgAttr(argument.getArgNumber(), "aotc.dim") == names[dim])
      return argument;
  llvm_unreachable("every bounded dim has an argument");
}

//===-- products --------------------------------------------------------------------------------------------------===//

static std::optional<unsigned> argumentNumber(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument ? std::optional<unsigned>(argument.getArgNumber()) : std::nullopt;
}

static ExtentProduct normalized(ExtentProduct product) {
  int64_t common = std::max<int64_t>(1, std::gcd(product.factor, product.divisor));
  product.factor /= common;
  product.divisor /= common;
  llvm::stable_sort(product.dims, [](Value x, Value y) {
    return argumentNumber(x).value_or(UINT_MAX) < argumentNumber(y).value_or(UINT_MAX);
  });
  return product;
}

static ExtentProduct operator*(ExtentProduct x, const ExtentProduct &y) {
  llvm::append_range(x.dims, y.dims);
  x.factor *= y.factor;
  x.divisor *= y.divisor;
  return normalized(std::move(x));
}

bool ExtentProduct::operator==(const ExtentProduct &other) const {
  return dims == other.dims && factor == other.factor && divisor == other.divisor;
}

ExtentProduct ExtentProduct::dividedBy(int64_t number) const { return *this * ExtentProduct{{}, 1, number}; }

bool ExtentProduct::isKnown() const {
  return llvm::all_of(dims, [](Value dim) { return argumentNumber(dim).has_value(); });
}

std::string ExtentProduct::text() const {
  std::string text = factor == 1 && !dims.empty() ? "" : std::to_string(factor);
  for (Value dim : dims) {
    std::optional<unsigned> number = argumentNumber(dim);
    auto function = number ? dyn_cast<func::FuncOp>(cast<BlockArgument>(dim).getOwner()->getParentOp()) : nullptr;
    auto name = function ? function.getArgAttrOfType<StringAttr>(*number, "aotc.dim") : StringAttr();
    text += (text.empty() ? "" : " * ") + (name ? name.str() : "an unknown extent");
  }
  return divisor == 1 ? text : text + " / " + std::to_string(divisor);
}

static ExtentProduct productOf(Value index) {
  if (std::optional<int64_t> constant = getConstantIntValue(index))
    return {{}, *constant, 1};
  Operation *op = index.getDefiningOp();
  if (op && isa<arith::MulIOp>(op))
    return productOf(op->getOperand(0)) * productOf(op->getOperand(1));
  if (op && isa<arith::DivUIOp>(op))
    if (std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1)))
      return productOf(op->getOperand(0)) * ExtentProduct{{}, 1, *divisor};
  return {{index}, 1, 1};
}

static ExtentProduct productOf(OpFoldResult extent) {
  std::optional<int64_t> constant = getConstantIntValue(extent);
  return constant ? ExtentProduct{{}, *constant, 1} : productOf(cast<Value>(extent));
}

Value branchDestination(scf::IfOp branch, unsigned result) {
  // Not the terminator: while nn is converted, the nn.yield that scf.yield replaces still stands behind it.
  auto yields = branch.getThenRegion().front().getOps<scf::YieldOp>();
  return (*yields.begin()).getOperand(result).getDefiningOp<linalg::CopyOp>().getDpsInits().front();
}

ExtentProduct productOf(Value tensor, int64_t dim) {
  while (true) {
    if (int64_t extent = shapeOf(tensor)[dim]; !ShapedType::isDynamic(extent))
      return {{}, extent, 1};
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      return {{dimArgument(argument, dim)}, 1, 1};
    Operation *op = tensor.getDefiningOp();
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return productOf(empty.getDynamicSize(dim));
    if (auto allocated = dyn_cast<bufferization::AllocTensorOp>(op))
      return productOf(allocated.getDynamicSizes()[allocated.getIndexOfDynamicSize(dim)]);
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
      ExtentProduct product;
      ReassociationIndices sources = collapse.getReassociationIndices()[dim];
      for (int64_t source : sources)
        product = product * productOf(collapse.getSrc(), source);
      return product;
    }
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      Builder builder(op->getContext());
      return productOf(getMixedValues(expand.getStaticOutputShape(), expand.getOutputShape(), builder)[dim]);
    }
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return productOf(slice.getMixedSizes()[dim]);
    unsigned result = cast<OpResult>(tensor).getResultNumber();
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      tensor = insert.getDest();
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      tensor = branchDestination(branch, result);
    else
      tensor = cast<DestinationStyleOpInterface>(op).getDpsInits()[result];
  }
}

Value buildExtent(OpBuilder &builder, Location loc, const ExtentProduct &product) {
  auto constant = [&](int64_t value) { return builder.create<arith::ConstantIndexOp>(loc, value).getResult(); };
  if (product.dims.empty())
    return constant(product.factor);
  Value extent = product.dims.front();
  for (Value dim : llvm::drop_begin(product.dims))
    extent = builder.create<arith::MulIOp>(loc, extent, dim);
  if (product.factor != 1)
    extent = builder.create<arith::MulIOp>(loc, extent, constant(product.factor));
  if (product.divisor != 1)
    extent = builder.create<arith::DivUIOp>(loc, extent, constant(product.divisor));
  return extent;
}

Value extentOf(OpBuilder &builder, Location loc, Value tensor, int64_t dim) {
  return buildExtent(builder, loc, productOf(tensor, dim));
}

//===-- arguments and results -------------------------------------------------------------------------------------===//

void addDimArguments(func::FuncOp function) {
  Builder builder(function.getContext());
  llvm::StringSet<> added;
  unsigned count = function.getNumArguments();
  for (unsigned i = 0; i < count; ++i) {
    auto names = function.getArgAttrOfType<ArrayAttr>(i, "aotc.dims");
    auto most = function.getArgAttrOfType<DenseI64ArrayAttr>(i, "aotc.bounds");
    auto least = function.getArgAttrOfType<DenseI64ArrayAttr>(i, "aotc.minimums");
    if (!names)
      continue;
    for (auto [dim, name] : llvm::enumerate(names.getAsRange<StringAttr>())) {
      if (name.empty() || !added.insert(name).second)
        continue;
      NamedAttrList attributes;
      attributes.set("aotc.dim", name);
      attributes.set("aotc.minimum", builder.getI64IntegerAttr(least[dim]));
      attributes.set("aotc.maximum", builder.getI64IntegerAttr(most[dim]));
      function.insertArgument(function.getNumArguments(), builder.getIndexType(),
                              attributes.getDictionary(function.getContext()), function.getLoc());
    }
  }
}

LogicalResult nameResultDims(func::FuncOp function) {
  Operation *terminator = function.front().getTerminator();
  Builder builder(function.getContext());
  for (OpOperand &result : terminator->getOpOperands()) {
    auto type = cast<RankedTensorType>(result.get().getType());
    if (type.hasStaticShape())
      continue;
    SmallVector<Attribute> names(type.getRank(), builder.getStringAttr(""));
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      ExtentProduct product = productOf(result.get(), dim);
      if (product.dims.size() != 1 || product.factor != 1 || product.divisor != 1 || !product.isKnown())
        return function.emitError("dimension ")
               << dim << " of output " << result.getOperandNumber() << " must be a bounded dim of an input, found '"
               << product.text() << "'";
      names[dim] = function.getArgAttr(*argumentNumber(product.dims.front()), "aotc.dim");
    }
    function.setResultAttr(result.getOperandNumber(), "aotc.dims", builder.getArrayAttr(names));
  }
  return success();
}

} // namespace aotc::convert
