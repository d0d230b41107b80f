// A planned module names memory by few ops: memref.view of the arena, block arguments and memref.get_global are roots;
// all others are views of views, whose strides and offset follow from their source.
#include "codegen/cpp/Values.h"

#include "codegen/cpp/Elements.h"
#include "codegen/cpp/Text.h"
#include "ir/kern/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using llvm::SmallVector;

namespace aotc::codegen {

static InFlightDiagnostic unknownMemory(Operation *user, Value memref) {
  InFlightDiagnostic diagnostic = user->emitError()
                                  << "a memref of type " << memref.getType() << " has no place in the plan";
  if (Operation *op = memref.getDefiningOp())
    diagnostic.attachNote(op->getLoc()) << "it is made by '" << op->getName() << "'";
  return diagnostic;
}

//===-- counts ----------------------------------------------------------------------------------------------------===//

FailureOr<Count> BufferTable::countOf(OpFoldResult folded, Operation *user) {
  if (std::optional<int64_t> constant = getConstantIntValue(folded))
    return Count(*constant);
  auto value = cast<Value>(folded);
  if (auto dim = dimCounts.find(value); dim != dimCounts.end())
    return dim->second;
  Operation *op = value.getDefiningOp();
  if (op && isa<arith::AddIOp, arith::MulIOp>(op)) {
    FailureOr<Count> left = countOf(op->getOperand(0), user), right = countOf(op->getOperand(1), user);
    if (failed(left) || failed(right))
      return failure();
    return isa<arith::AddIOp>(op) ? *left + *right : *left * *right;
  }
  return user->emitError("an index is neither a constant nor an extent of a bounded dimension");
}

static SmallVector<Count> denseStrides(ArrayRef<Count> sizes) {
  SmallVector<Count> strides(sizes.size(), 1);
  for (size_t i = sizes.size(); i-- > 1;)
    strides[i - 1] = strides[i] * sizes[i];
  return strides;
}

/// With every bounded dim at its bound; elements of less than a byte take one.
static uint64_t bytesOf(Type element, ArrayRef<Count> sizes) {
  uint64_t bytes = (element.getIntOrFloatBitWidth() + 7) / 8;
  for (const Count &size : sizes)
    bytes *= static_cast<uint64_t>(size.bound());
  return bytes;
}

//===-- roots -----------------------------------------------------------------------------------------------------===//

Buffer *BufferTable::rootBuffer(Value root) {
  if (auto global = root.getDefiningOp<memref::GetGlobalOp>()) {
    Buffer *&buffer = byGlobal[global.getNameAttr()];
    if (!buffer) {
      buffer = &buffers.emplace_back(Buffer::Kind::Weight, global.getType());
      buffer->symbol = global.getName().str();
    }
    return buffer;
  }
  Buffer *&buffer = byRoot[root];
  auto view = root.getDefiningOp<memref::ViewOp>();
  if (buffer || !view)
    return buffer;
  APInt shift;
  auto arena = dyn_cast<BlockArgument>(view.getSource());
  if (!arena || arena.getArgNumber() != 0 || !matchPattern(view.getByteShift(), m_ConstantInt(&shift)))
    return nullptr;
  buffer = &buffers.emplace_back(Buffer::Kind::Arena, view.getType());
  buffer->offsetBytes = shift.getZExtValue();
  return buffer;
}

FailureOr<Place> BufferTable::rootPlace(Value root, Operation *user) {
  Buffer *buffer = rootBuffer(root);
  if (!buffer) {
    unknownMemory(user, root);
    return failure();
  }
  auto type = cast<MemRefType>(root.getType());
  Place place{buffer, type.getElementType(), 0, {}, {}};
  auto view = root.getDefiningOp<memref::ViewOp>();
  unsigned dynamic = 0;
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(extent)) {
      place.sizes.push_back(extent);
    } else if (view) {
      FailureOr<Count> size = countOf(view.getSizes()[dynamic++], user);
      if (failed(size))
        return failure();
      place.sizes.push_back(*size);
    } else {
      ArrayRef<Count> sizes = argumentSizes[root];
      if (i >= sizes.size())
        return user->emitError("the extents of an argument of type ") << type << " are not bounded";
      place.sizes.push_back(sizes[i]);
    }
  }
  place.strides = denseStrides(place.sizes);
  buffer->bytes = bytesOf(place.element, place.sizes);
  buffer->shape = shapeText(place);
  return place;
}

void BufferTable::addScratch(Operation *step) {
  auto offset = step->getAttrOfType<IntegerAttr>("aotc.scratch_offset");
  if (!offset)
    return;
  constexpr int64_t floatBytes = 4;
  int64_t floats = cast<kern::KernelOp>(step).getScratchBytesPerThread() / floatBytes;
  auto type = MemRefType::get({floats}, Float32Type::get(step->getContext()));
  Buffer &buffer = buffers.emplace_back(Buffer::Kind::Scratch, type);
  buffer.offsetBytes = static_cast<uint64_t>(offset.getInt());
  buffer.bytes = bytesOf(type.getElementType(), Count(floats));
  buffer.shape = "[" + std::to_string(floats) + "]";
  byStep[step] = &buffer;
}

//===-- views -----------------------------------------------------------------------------------------------------===//

static FailureOr<SmallVector<Count>> countsOf(BufferTable &table, ArrayRef<OpFoldResult> values, Operation *user) {
  SmallVector<Count> counts;
  for (OpFoldResult value : values) {
    FailureOr<Count> count = table.countOf(value, user);
    if (failed(count))
      return failure();
    counts.push_back(*count);
  }
  return counts;
}

static FailureOr<Place> subviewPlace(BufferTable &table, memref::SubViewOp op, const Place &source, Operation *user) {
  auto offsets = countsOf(table, op.getMixedOffsets(), user), sizes = countsOf(table, op.getMixedSizes(), user),
       strides = countsOf(table, op.getMixedStrides(), user);
  if (failed(offsets) || failed(sizes) || failed(strides))
    return failure();
  Place place{source.buffer, source.element, source.offset, {}, {}};
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (unsigned i = 0; i < offsets->size(); ++i) {
    place.offset = place.offset + (*offsets)[i] * source.strides[i];
    if (dropped[i])
      continue;
    place.sizes.push_back((*sizes)[i]);
    place.strides.push_back((*strides)[i] * source.strides[i]);
  }
  return place;
}

// Each source dimension becomes a group of dimensions, the last of which steps as the source did.
static FailureOr<Place> expandPlace(BufferTable &table, memref::ExpandShapeOp op, const Place &source,
                                    Operation *user) {
  Builder builder(op.getContext());
  SmallVector<OpFoldResult> shape = getMixedValues(op.getStaticOutputShape(), op.getOutputShape(), builder);
  FailureOr<SmallVector<Count>> sizes = countsOf(table, shape, user);
  if (failed(sizes))
    return failure();
  Place place{source.buffer, source.element, source.offset, *sizes, {}};
  place.strides.resize(sizes->size(), 1);
  for (auto [i, group] : llvm::enumerate(op.getReassociationIndices())) {
    Count stride = source.strides[i];
    for (int64_t dim : llvm::reverse(group)) {
      place.strides[static_cast<size_t>(dim)] = stride;
      stride = stride * (*sizes)[static_cast<size_t>(dim)];
    }
  }
  return place;
}

// A group of dimensions becomes one that steps as the last of them that has more than one element.
static Place collapsePlace(memref::CollapseShapeOp op, const Place &source) {
  Place place{source.buffer, source.element, source.offset, {}, {}};
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    Count size = 1, stride = 1;
    for (int64_t dim : group)
      size = size * source.sizes[static_cast<size_t>(dim)];
    for (int64_t dim : group)
      if (size.is(1) || !source.sizes[static_cast<size_t>(dim)].is(1))
        stride = source.strides[static_cast<size_t>(dim)];
    place.sizes.push_back(size);
    place.strides.push_back(stride);
  }
  return place;
}

static FailureOr<Place> reinterpretPlace(BufferTable &table, memref::ReinterpretCastOp op, const Place &source,
                                         Operation *user) {
  auto offsets = countsOf(table, op.getMixedOffsets(), user), sizes = countsOf(table, op.getMixedSizes(), user),
       strides = countsOf(table, op.getMixedStrides(), user);
  if (failed(offsets) || failed(sizes) || failed(strides))
    return failure();
  // The offset counts from the buffer's start, not from the source's first element.
  return Place{source.buffer, source.element, offsets->front(), *sizes, *strides};
}

FailureOr<Place> BufferTable::viewPlace(Operation *view, Operation *user) {
  FailureOr<Place> source = placeOf(view->getOperand(0), user);
  if (failed(source))
    return failure();
  if (auto op = dyn_cast<memref::SubViewOp>(view))
    return subviewPlace(*this, op, *source, user);
  if (auto op = dyn_cast<memref::ExpandShapeOp>(view))
    return expandPlace(*this, op, *source, user);
  if (auto op = dyn_cast<memref::CollapseShapeOp>(view))
    return collapsePlace(op, *source);
  if (auto op = dyn_cast<memref::ReinterpretCastOp>(view))
    return reinterpretPlace(*this, op, *source, user);
  return *source; // memref.cast
}

FailureOr<Place> BufferTable::placeOf(Value memref, Operation *user) {
  Operation *op = memref.getDefiningOp();
  if (op &&
      isa<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp, memref::ReinterpretCastOp, memref::CastOp>(
          op))
    return viewPlace(op, user);
  return rootPlace(memref, user);
}

//===-- arguments and results -------------------------------------------------------------------------------------===//

static Count variableOf(const BoundedDim &dim) { return Count::variable(dim.identifier, dim.minimum, dim.maximum); }

LogicalResult BufferTable::collectArguments(func::FuncOp function, const ModelDescription &model) {
  size_t input = 0;
  int dim = 0;
  for (BlockArgument arg : llvm::drop_begin(function.getArguments())) {
    if (arg.getType().isIndex()) {
      const BoundedDim &bounded = model.boundedDims[static_cast<size_t>(dim)];
      dimNames[arg] = {bounded.identifier, dim};
      dimCounts.try_emplace(arg, variableOf(bounded));
      ++dim;
      continue;
    }
    const TensorDescription &tensor = model.inputs[input];
    Buffer &buffer = buffers.emplace_back(Buffer::Kind::Input, cast<MemRefType>(arg.getType()));
    buffer.identifier = tensor.identifier;
    buffer.index = static_cast<int>(input);
    buffer.offsetBytes = tensor.arenaOffsetBytes.value_or(0);
    byRoot[arg] = &buffer;
    for (const Dim &extent : tensor.shape)
      argumentSizes[arg].push_back(extent.boundedDim < 0
                                       ? Count(extent.extent)
                                       : variableOf(model.boundedDims[static_cast<size_t>(extent.boundedDim)]));
    ++input;
  }
  return success();
}

LogicalResult BufferTable::collectOutputs(func::FuncOp function, const ModelDescription &model) {
  Operation *terminator = function.front().getTerminator();
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    FailureOr<Place> place = placeOf(value, terminator);
    if (failed(place))
      return failure();
    Buffer &buffer = *place->buffer;
    if (buffer.kind != Buffer::Kind::Arena || !place->offset.is(0))
      return terminator->emitError() << "output '" << model.outputs[i].onnxName
                                     << "' must have a buffer of the arena of its own, found "
                                     << (buffer.kind == Buffer::Kind::Input    ? "an input"
                                         : buffer.kind == Buffer::Kind::Output ? "that of another output"
                                         : buffer.kind == Buffer::Kind::Weight ? "a constant"
                                                                               : "a part of another one");
    buffer.kind = Buffer::Kind::Output;
    buffer.index = static_cast<int>(i);
    buffer.identifier = model.outputs[i].identifier;
  }
  return success();
}

std::string BufferTable::storedExtent(llvm::StringRef onnxName, llvm::StringRef call, bool mayExceedBound) const {
  auto found = llvm::find_if(boundedDims, [&](const BoundedDim &dim) { return dim.onnxName == onnxName; });
  auto index = static_cast<int>(found - boundedDims.begin());
  std::string value =
      mayExceedBound ? "f.bounded(" + call.str() + ", " + std::to_string(found->maximum) + ")" : call.str();
  std::string text = "extents[" + std::to_string(index) + "] = " + value + ";", more;
  for (auto [position, dim] : llvm::enumerate(boundedDims))
    if (llvm::is_contained(dim.sources, index))
      more += "\nextents[" + std::to_string(position) + "] = " + dim.expression + ";";
  return more.empty() ? "f." + text : "std::int64_t* const extents = f.extents;\n" + text + more;
}

LogicalResult BufferTable::collect(func::FuncOp function, const ModelDescription &model) {
  boundedDims = model.boundedDims;
  if (failed(collectArguments(function, model)))
    return failure();
  return collectOutputs(function, model);
}

//===-- text ------------------------------------------------------------------------------------------------------===//

// An offset as a sum of whole rows, pixels and so on of the buffer, as its type has them.
static std::string offsetText(const Place &place) {
  if (!place.offset.isConstant())
    return " + " + place.offset.text();
  std::string text;
  int64_t rest = place.offset.bound();
  if (place.buffer->type.hasStaticShape() && rest > 0) {
    int64_t stride = 1;
    SmallVector<int64_t> strides;
    for (int64_t extent : llvm::reverse(place.buffer->type.getShape())) {
      strides.push_back(stride);
      stride *= extent;
    }
    for (int64_t step : llvm::reverse(strides)) {
      int64_t count = step > 0 ? rest / step : 0;
      rest -= count * step;
      if (count > 0 && step > 1)
        text += " + " + (count > 1 ? std::to_string(count) + " * " : "") + std::to_string(step);
      else if (count > 0)
        text += " + " + std::to_string(count);
    }
  }
  if (rest != 0)
    text += (rest < 0 ? " - " : " + ") + std::to_string(std::abs(rest));
  return text;
}

std::string pointerText(const Place &place, bool isUnsigned) {
  static constexpr const char *accessors[] = {"f.at", "f.input", "f.output", "f.weight"};
  static constexpr const char *scopes[] = {"buffer", "input", "output", "weight"};
  int kind = static_cast<int>(place.buffer->kind);
  return std::string(accessors[kind]) + "<" + cppType(place.element, isUnsigned) + ">(" + scopes[kind] +
         "::" + place.buffer->identifier + ")" + offsetText(place);
}

std::string shapeText(const Place &place) {
  auto size = [](const Count &count) { return count.text(); };
  std::string text = "[" + llvm::join(llvm::map_range(place.sizes, size), ",") + "]";
  std::optional<ElementType> element = elementTypeOf(place.element);
  return !element || *element == ElementType::F32 ? text : elementText(*element).enumerator + (" " + text);
}

} // namespace aotc::codegen
