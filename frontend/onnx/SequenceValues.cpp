#include "frontend/onnx/SequenceValues.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

Value aotc::frontend::createSequence(OpBuilder &builder, Location location, ValueRange elements) {
  Type type = TupleType::get(builder.getContext(), TypeRange(elements));
  return builder.create<UnrealizedConversionCastOp>(location, type, elements).getResult(0);
}

bool aotc::frontend::isSequence(Value value) { return isa<TupleType>(value.getType()); }

llvm::SmallVector<Value> aotc::frontend::elementsOf(Value sequence) {
  return llvm::to_vector(sequence.getDefiningOp<UnrealizedConversionCastOp>().getInputs());
}

Value aotc::frontend::createNothing(OpBuilder &builder, Location location) {
  return builder.create<UnrealizedConversionCastOp>(location, builder.getNoneType(), ValueRange()).getResult(0);
}

bool aotc::frontend::isNothing(Value value) { return isa<NoneType>(value.getType()); }

bool aotc::frontend::isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }
