// Each function appends ops at the builder's place. Indices are folded while they are made, so that what is known when
// compiling leaves nothing behind.
#include "codegen/spirv/Shader.h"

#include "codegen/cpp/CHeader.h"
#include "codegen/spirv/Halves.h"
#include "codegen/spirv/NarrowIntegers.h"
#include "codegen/spirv/Serialize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVAttributes.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/IR/TargetAndABI.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace aotc::codegen {

static constexpr int64_t mostGroups = 65535; // maxComputeWorkGroupCount of any device, in each dimension

Shader::Shader(Location loc, const StepBindings &bindings, const GpuProfile &profile)
    : bindings(bindings), target(profile), owner(ModuleOp::create(loc)), b(loc, loc.getContext()) {
  module()->setAttr(writtenBindingsAttrName, b.getDenseI32ArrayAttr(bindings.written()));
  module()->setAttr(overlappingBindingsAttrName, b.getDenseI32ArrayAttr(bindings.overlapping()));
  b.setInsertionPointToStart(owner->getBody());
  auto kernels = b.create<gpu::GPUModuleOp>("kernels");
  b.setInsertionPointToStart(kernels.getBody());
  function = b.create<gpu::GPUFuncOp>("main", b.getFunctionType({}, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  auto size = static_cast<int32_t>(threads());
  function->setAttr(spirv::getEntryPointABIAttrName(), spirv::getEntryPointABIAttr(loc.getContext(), {size, 1, 1}));
  b.setInsertionPointToStart(&function.getBody().front());
  b.create<gpu::ReturnOp>();
  b.setInsertionPointToStart(&function.getBody().front());
}

//===-- numbers of groups and threads -----------------------------------------------------------------------------===//

Value Shader::groupId(gpu::Dimension dimension) { return b.create<gpu::BlockIdOp>(dimension); }

Value Shader::groupOf(int64_t units) {
  const int64_t rows = llvm::divideCeil(units, mostGroups), columns = llvm::divideCeil(units, rows);
  groups = {static_cast<uint32_t>(columns), static_cast<uint32_t>(rows), 1};
  Value column = groupId(gpu::Dimension::x);
  return rows == 1 ? column : add(mul(groupId(gpu::Dimension::y), columns), column);
}

Value Shader::thread() { return b.create<gpu::ThreadIdOp>(gpu::Dimension::x); }

Value Shader::flatThread(int64_t units) {
  return add(mul(groupOf(llvm::divideCeil(units, threads())), threads()), thread());
}

//===-- arithmetic ------------------------------------------------------------------------------------------------===//

Value Shader::index(int64_t value) { return b.create<arith::ConstantIndexOp>(value); }
Value Shader::number(double value) {
  return b.create<arith::ConstantFloatOp>(APFloat(static_cast<float>(value)), b.getF32Type());
}
Value Shader::add(Value a, Value c) { return b.createOrFold<arith::AddIOp>(a, c); }
Value Shader::sub(Value a, Value c) { return b.createOrFold<arith::SubIOp>(a, c); }
Value Shader::mul(Value a, int64_t factor) { return b.createOrFold<arith::MulIOp>(a, index(factor)); }
Value Shader::div(Value a, int64_t divisor) { return b.createOrFold<arith::DivUIOp>(a, index(divisor)); }
Value Shader::rem(Value a, int64_t divisor) { return b.createOrFold<arith::RemUIOp>(a, index(divisor)); }
Value Shader::isBelow(Value a, int64_t bound) {
  return b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, a, index(bound));
}
Value Shader::both(Value a, Value c) { return b.createOrFold<arith::AndIOp>(a, c); }
Value Shader::select(Value condition, Value a, Value c) { return b.createOrFold<arith::SelectOp>(condition, a, c); }

Shader::Values Shader::delinearize(Value flat, ArrayRef<int64_t> extents) {
  Values indices(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    indices[i] = i == 0 ? flat : rem(flat, extents[i]);
    flat = i == 0 ? flat : div(flat, extents[i]);
  }
  return indices;
}

//===-- control ---------------------------------------------------------------------------------------------------===//

void Shader::ifTrue(Value condition, llvm::function_ref<void()> body) {
  auto branch = b.create<scf::IfOp>(condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

Shader::Values Shader::loop(Value begin, Value end, int64_t step, ValueRange initial,
                            llvm::function_ref<Values(Value, ValueRange)> body) {
  auto loop = b.create<scf::ForOp>(begin, end, index(step), initial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Values results = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!results.empty())
    b.create<scf::YieldOp>(results);
  b.setInsertionPointAfter(loop);
  return loopResults(loop);
}

// Upstream's conversion stores a loop's values at the end of each iteration only: those of a loop without any would be
// what happens to be there.
Shader::Values Shader::loopResults(scf::ForOp loop) {
  if (loop.getNumResults() == 0)
    return {};
  Value runs = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, loop.getLowerBound(), loop.getUpperBound());
  Values results;
  for (auto [result, initial] : llvm::zip(loop.getResults(), loop.getInitArgs()))
    results.push_back(select(runs, result, initial));
  return results;
}

Shader::Values Shader::loop(int64_t count, ValueRange initial, llvm::function_ref<Values(Value, ValueRange)> body) {
  return loop(index(0), index(count), 1, initial, body);
}

void Shader::forEachPoint(ArrayRef<int64_t> extents, llvm::function_ref<void(const Values &)> body) {
  int64_t units = 1;
  for (int64_t extent : extents)
    units *= extent;
  Value flat = flatThread(units);
  ifTrue(isBelow(flat, units), [&] { body(delinearize(flat, extents)); });
}

void Shader::barrier() { b.create<gpu::BarrierOp>(); }

//===-- memory ----------------------------------------------------------------------------------------------------===//

const GpuOperand &Shader::operand(Value memref) const {
  auto found = bindings.operands.find(memref);
  assert(found != bindings.operands.end() && "only memrefs of the step are bound");
  return found->second;
}

// One argument for each element type that a binding is read as: they share the binding's number.
Value Shader::bindingOf(size_t binding, Type element) {
  auto [entry, isNew] = arguments.insert({{binding, element}, function.getNumArguments()});
  if (isNew) {
    auto storage = spirv::StorageClassAttr::get(b.getContext(), spirv::StorageClass::StorageBuffer);
    auto type = MemRefType::get({ShapedType::kDynamic}, element, MemRefLayoutAttrInterface(), storage);
    auto place = spirv::getInterfaceVarABIAttr(0, static_cast<unsigned>(binding), std::nullopt, b.getContext());
    auto attributes = DictionaryAttr::get(b.getContext(), b.getNamedAttr(spirv::getInterfaceVarABIAttrName(), place));
    function.insertArgument(entry->second, type, attributes, b.getLoc());
  }
  return function.getArgument(entry->second);
}

Value Shader::positionOf(const GpuOperand &operand, Indices indices) {
  assert(indices.size() == operand.strides.size() && "one index for each dimension");
  Value position = index(operand.offset);
  for (auto [i, stride] : llvm::zip(indices, operand.strides))
    position = add(position, mul(i, stride));
  return position;
}

Value Shader::dequantized(Value byte, const kern::Dequantization &dequantization) {
  Value word = widened(b, b.getLoc(), byte, /*isSigned=*/!dequantization.isUnsigned);
  Value shifted =
      b.create<arith::SubIOp>(word, b.create<arith::ConstantIntOp>(dequantization.zeroPoint, b.getI32Type()));
  Value real = b.create<arith::SIToFPOp>(b.getF32Type(), shifted);
  return b.create<arith::MulFOp>(real, number(static_cast<double>(dequantization.scale)));
}

// From the pieces behind the first `piece`, each of so many elements, where `position` counts.
Value Shader::loadPieces(const GpuOperand &operand, size_t piece, Type element, Value position, int64_t elements) {
  const size_t binding = piece ? operand.furtherBindings[piece - 1] : operand.binding;
  const auto loadHere = [&] { return b.create<memref::LoadOp>(bindingOf(binding, element), position); };
  if (piece == operand.furtherBindings.size())
    return loadHere();
  auto choice = b.create<scf::IfOp>(element, isBelow(position, elements), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  b.create<scf::YieldOp>(loadHere().getResult());
  b.setInsertionPointToStart(choice.elseBlock());
  Value behind = sub(position, index(elements));
  b.create<scf::YieldOp>(loadPieces(operand, piece + 1, element, behind, elements));
  return choice.getResult(0);
}

// `element`: the operand's, or a vector of four; `position` counts those.
Value Shader::loadAs(const GpuOperand &operand, Type element, Value position) {
  const int64_t width = isa<VectorType>(element) ? 4 : 1;
  return loadPieces(operand, 0, element, position, operand.pieceElements / width);
}

Value Shader::loadAt(const GpuOperand &operand, Value position) {
  Value value = loadAs(operand, operand.element, position);
  return operand.dequantization ? dequantized(value, *operand.dequantization) : value;
}
Value Shader::load(const GpuOperand &operand, Indices indices) { return loadAt(operand, positionOf(operand, indices)); }

Value Shader::loadFloat(const GpuOperand &operand, Indices indices) {
  return halfAsFloat(b, b.getLoc(), load(operand, indices));
}

Value Shader::loadOrZero(const GpuOperand &operand, Indices indices, Value isInside) {
  Value position = select(isInside, positionOf(operand, indices), index(operand.offset));
  Value value = loadAt(operand, position);
  return select(isInside, value, b.create<arith::ConstantOp>(b.getZeroAttr(value.getType())));
}

bool Shader::hasFours(const GpuOperand &operand) const {
  const auto isFour = [](int64_t number) { return number % 4 == 0; };
  return !operand.dequantization && isa<FloatType>(operand.element) && operand.strides.back() == 1 &&
         isFour(operand.sizes.back()) && isFour(operand.offset) &&
         llvm::all_of(ArrayRef(operand.strides).drop_back(), isFour);
}

Shader::Values Shader::loadFourOrZero(const GpuOperand &operand, Indices indices, Value isInside) {
  Value position = select(isInside, positionOf(operand, indices), index(operand.offset));
  Value four = loadAs(operand, VectorType::get({4}, operand.element), div(position, 4));
  Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(operand.element));
  Values values;
  for (int64_t i = 0; i < 4; ++i)
    values.push_back(select(isInside, b.create<vector::ExtractOp>(four, i), zero));
  return values;
}

void Shader::storeAt(Value value, const GpuOperand &operand, Value position) {
  b.create<memref::StoreOp>(value, bindingOf(operand.binding, operand.element), position);
}
void Shader::store(Value value, const GpuOperand &operand, Indices indices) {
  storeAt(value, operand, positionOf(operand, indices));
}

static int64_t numberOf(StringRef status) {
  const auto *found = llvm::find(statusNames(), status);
  assert(found != statusNames().end() && "kernels end runs with statuses of the runtime");
  return found - statusNames().begin();
}

void Shader::failUnless(Value isGood, StringRef status) {
  Value isBad = b.create<arith::XOrIOp>(isGood, b.create<arith::ConstantIntOp>(1, 1));
  ifTrue(isBad, [&] {
    b.create<memref::AtomicRMWOp>(arith::AtomicRMWKind::maxu, b.create<arith::ConstantIntOp>(numberOf(status), 32),
                                  bindingOf(bindings.status->binding, bindings.status->element),
                                  positionOf(*bindings.status, {}));
  });
}

// Slices of `columns` threads pair up until one is left.
Value Shader::meet(Value value, Value memory, int64_t columns, const Combination &combination) {
  if (target.usesSubgroups && columns == 1 && combination.bySubgroups)
    return meetBySubgroups(value, memory, combination);
  Value own = thread(), slice = div(own, columns);
  barrier(); // whoever still reads what met there before
  storeShared(value, memory, own);
  for (int64_t half = threads() / columns / 2; half > 0; half /= 2) {
    barrier();
    ifTrue(isBelow(slice, half), [&] {
      Value other = loadShared(memory, add(own, half * columns));
      storeShared(combination.combine(loadShared(memory, own), other), memory, own);
    });
  }
  barrier();
  return loadShared(memory, rem(own, columns));
}

template <class Op> static Value foldSubgroup(ImplicitLocOpBuilder &b, Value value) {
  return b.create<Op>(value.getType(), spirv::Scope::Subgroup, spirv::GroupOperation::Reduce, value, Value());
}

// SPIR-V's own ops: upstream's conversion of gpu.subgroup_reduce takes no largest of floats.
static Value foldSubgroup(ImplicitLocOpBuilder &b, Value value, SubgroupFold fold) {
  switch (fold) {
  case SubgroupFold::Sum:
    return foldSubgroup<spirv::GroupNonUniformFAddOp>(b, value);
  case SubgroupFold::Product:
    return foldSubgroup<spirv::GroupNonUniformFMulOp>(b, value);
  case SubgroupFold::Largest:
    return foldSubgroup<spirv::GroupNonUniformFMaxOp>(b, value);
  }
  llvm_unreachable("every fold has an instruction");
}

// One value of each subgroup; how many threads that is, and how many there are, the device decides.
Value Shader::meetBySubgroups(Value value, Value memory, const Combination &combination) {
  Value ofSubgroup = foldSubgroup(b, value, *combination.bySubgroups);
  barrier(); // whoever still reads what met there before
  Value isElected = b.create<spirv::GroupNonUniformElectOp>(b.getI1Type(), spirv::Scope::Subgroup);
  ifTrue(isElected, [&] { storeShared(ofSubgroup, memory, b.create<gpu::SubgroupIdOp>(IntegerAttr())); });
  barrier();
  Value count = b.create<gpu::NumSubgroupsOp>(IntegerAttr());
  return loop(index(1), count, 1, loadShared(memory, index(0)), [&](Value i, ValueRange total) -> Values {
    return {combination.combine(total[0], loadShared(memory, i))};
  })[0];
}

Value Shader::shared(int64_t elements, Type element) {
  auto storage = spirv::StorageClassAttr::get(b.getContext(), spirv::StorageClass::Workgroup);
  element = element ? element : b.getF32Type();
  usedBytes += elements * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  assert(usedBytes <= target.sharedBytes && "no kernel shares more than the device has");
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&function.getBody().front());
  return b.create<memref::AllocOp>(MemRefType::get({elements}, element, MemRefLayoutAttrInterface(), storage));
}
Value Shader::loadShared(Value memory, Value index) { return b.create<memref::LoadOp>(memory, index); }
void Shader::storeShared(Value value, Value memory, Value index) { b.create<memref::StoreOp>(value, memory, index); }

} // namespace aotc::codegen
