#include "lowering/convert/KernelCall.h"

#include "ir/kern/Dialect.h"
#include "ir/nn/Scalar.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"

using namespace mlir;

namespace aotc::convert {

static bool isUnsigned(Type type) { return cast<ShapedType>(type).getElementType().isUnsignedInteger(); }

KernelCall::KernelCall(OpBuilder &builder, Location loc, StringRef header, StringRef function)
    : builder(builder), loc(loc), header(header), function(function) {}

// -------------------------------------------------------------------------------------------------------------- layout
void KernelCall::addValue(StringRef name, Attribute value) {
  names.push_back(builder.getStringAttr(name));
  values.push_back(value);
}

KernelCall &KernelCall::member(StringRef name, int64_t value) {
  addValue(name, builder.getI64IntegerAttr(value));
  return *this;
}

KernelCall &KernelCall::member(StringRef name, ArrayRef<int64_t> list) {
  addValue(name, builder.getDenseI64ArrayAttr(list));
  return *this;
}

KernelCall &KernelCall::extent(StringRef name, Value tensor, int64_t dim) {
  int64_t known = shapeOf(tensor)[static_cast<size_t>(dim)];
  if (!ShapedType::isDynamic(known))
    return member(name, known);
  return extent(name, extentsOf(tensor)[static_cast<size_t>(dim)]);
}

Attribute KernelCall::valueOf(AffineExpr extent) {
  if (std::optional<int64_t> number = nn::numberOf(extent))
    return builder.getI64IntegerAttr(*number);
  extents.push_back(buildExtent(builder, loc, extent));
  return builder.getUnitAttr();
}

KernelCall &KernelCall::extent(StringRef name, AffineExpr extent) {
  addValue(name, valueOf(extent));
  return *this;
}

KernelCall &KernelCall::extentList(StringRef name, ArrayRef<AffineExpr> list) {
  if (llvm::all_of(list, nn::numberOf))
    return member(name, nn::shapeOf(list));
  addValue(name, builder.getArrayAttr(llvm::map_to_vector(list, [&](AffineExpr extent) { return valueOf(extent); })));
  return *this;
}

KernelCall &KernelCall::run(Value tensor, int64_t axis) {
  Extents run = runAround(extentsOf(tensor), axis, 1);
  return extent("outer", run[0]).extent("length", run[1]).extent("inner", run[2]);
}

// ------------------------------------------------------------------------------------------------------------ operands
KernelCall &KernelCall::input(Value tensor, Type onnxType) { return input("", tensor, onnxType); }

KernelCall &KernelCall::input(StringRef role, Value tensor, Type onnxType) {
  roles.push_back(builder.getStringAttr(role));
  if (isUnsigned(onnxType ? onnxType : tensor.getType()))
    unsignedOperands.push_back(static_cast<int64_t>(operands.size()));
  operands.push_back(tensor);
  return *this;
}

KernelCall &KernelCall::inputs(ValueRange tensors, TypeRange onnxTypes) {
  for (auto [tensor, type] : llvm::zip_equal(tensors, onnxTypes))
    input(tensor, type);
  return *this;
}

KernelCall &KernelCall::mayBeHalves(int64_t input) {
  halfInputs.push_back(input);
  return *this;
}
KernelCall &KernelCall::inPlaceOf(int64_t input) {
  inPlace = input;
  return *this;
}

KernelCall &KernelCall::canFail(StringRef status) {
  failure = status.str();
  return *this;
}

// ----------------------------------------------------------------------------------------------------------- arguments
KernelCall &KernelCall::argument(TypedAttr number) {
  arguments.push_back(number);
  return *this;
}
KernelCall &KernelCall::argument(StringRef text) {
  arguments.push_back(builder.getStringAttr(text));
  return *this;
}
KernelCall &KernelCall::argument(bool flag) { return argument(cast<TypedAttr>(Attribute(builder.getBoolAttr(flag)))); }
KernelCall &KernelCall::argument(float number) {
  return argument(cast<TypedAttr>(Attribute(builder.getF32FloatAttr(number))));
}
KernelCall &KernelCall::argument(int number) {
  return argument(cast<TypedAttr>(Attribute(builder.getI32IntegerAttr(number))));
}

KernelCall &KernelCall::finds(AffineExpr dim) {
  found = nameOf(builder, dim);
  return *this;
}

KernelCall &KernelCall::scratch(int64_t bytesPerThread) {
  scratchBytes = bytesPerThread;
  return *this;
}

KernelCall &KernelCall::macs(ArrayRef<AffineExpr> extents, int64_t perElement) {
  SmallVector<nn::Dim> dims = boundsOfDims(&builder.getInsertionBlock()->front());
  macCount = perElement;
  for (AffineExpr extent : extents)
    macCount *= nn::boundsOf(extent, dims).most;
  return *this;
}

SmallVector<Value> KernelCall::create(TypeRange onnxTypes, Value like) {
  SmallVector<Value> outs;
  for (Type onnxType : onnxTypes) {
    auto type = cast<RankedTensorType>(onnxType);
    outs.push_back(nn::hasValidExtents(type)
                       ? createDestination(builder, loc, type)
                       : emptyTensor(builder, loc, type.getShape(), scalar::signless(type.getElementType()), like));
  }
  return createInto(outs, onnxTypes);
}

SmallVector<Value> KernelCall::createInto(ValueRange outs, TypeRange onnxTypes) {
  // The operands of the op are the inputs, the extents, and the destinations.
  size_t first = operands.size() + extents.size();
  for (auto [i, type] : llvm::enumerate(onnxTypes))
    if (isUnsigned(type))
      unsignedOperands.push_back(static_cast<int64_t>(first + i));
  SmallVector<Type> results;
  llvm::copy_if(outs.getTypes(), std::back_inserter(results), [](Type type) { return isa<RankedTensorType>(type); });
  auto call = builder.create<kern::CallOp>(
      loc, results, builder.getStringAttr(header), builder.getStringAttr(function), operands, extents, outs,
      builder.getArrayAttr(names), builder.getArrayAttr(values), builder.getArrayAttr(arguments),
      inPlace ? builder.getI64IntegerAttr(*inPlace) : IntegerAttr(),
      failure.empty() ? StringAttr() : builder.getStringAttr(failure), builder.getI64IntegerAttr(scratchBytes), found,
      builder.getI64IntegerAttr(macCount));
  if (llvm::any_of(roles, [](Attribute role) { return !cast<StringAttr>(role).empty(); }))
    call->setAttr("roles", builder.getArrayAttr(roles));
  if (!halfInputs.empty())
    call->setAttr("half_inputs", builder.getDenseI64ArrayAttr(halfInputs));
  if (!unsignedOperands.empty())
    call->setAttr("unsigned_operands", builder.getDenseI64ArrayAttr(unsignedOperands));
  return SmallVector<Value>(call.getResults());
}

} // namespace aotc::convert
