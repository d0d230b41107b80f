// A kern op as a call: its layout, pointers in the order of its operands, further arguments, and the epilogue as a
// lambda.
#include "codegen/cpp/StepKinds.h"

#include "ir/kern/Dequantization.h"
#include "ir/kern/Dialect.h"
#include "ir/kern/Literal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using llvm::SmallVector;
using llvm::StringRef;

namespace aotc::codegen {

static FailureOr<Count> valueOf(const kern::LayoutMember &member, kern::KernelOp op, BufferTable &buffers) {
  if (!ShapedType::isDynamic(member.value))
    return Count(member.value);
  if (member.extent)
    return buffers.countOf(member.extent, op);
  FailureOr<Place> place = buffers.placeOf(member.source, op);
  if (failed(place))
    return failure();
  return (member.isStride ? place->strides : place->sizes)[static_cast<size_t>(member.dim)];
}

static FailureOr<std::vector<LayoutField>> layoutFields(kern::KernelOp op, BufferTable &buffers) {
  SmallVector<kern::LayoutMember> members;
  op.getLayout(members);
  std::vector<LayoutField> fields;
  for (const kern::LayoutMember &member : members) {
    if (member.list) {
      fields.push_back({member.name.str(), {}, /*isArray=*/true});
      for (OpFoldResult entry : *member.list) {
        FailureOr<Count> value = buffers.countOf(entry, op);
        if (failed(value))
          return failure();
        fields.back().values.push_back(*value);
      }
      continue;
    }
    FailureOr<Count> value = valueOf(member, op, buffers);
    if (failed(value))
      return failure();
    fields.push_back({member.name.str(), {*value}});
  }
  return fields;
}

//===-- epilogue --------------------------------------------------------------------------------------------------===//

// Dimensions of extent 1 are always at 0: they take no part in an extra operand's position.
static void dropUnitDims(const Place &destination, NestOperand &extra) {
  for (auto [size, stride] : llvm::zip(destination.sizes, extra.strides))
    if (size.is(1))
      stride = 0;
}

// d / constant and what is left of it by another: n / 12, n / 12 % 2.
static std::string quotientText(AffineExpr expr, ArrayRef<std::string> indices) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return indices[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  const char *symbol = expr.getKind() == AffineExprKind::Mod ? " % " : " / ";
  return quotientText(binary.getLHS(), indices) + symbol +
         std::to_string(cast<AffineConstantExpr>(binary.getRHS()).getValue());
}

// What is no multiple of an index, such as an image's number among all heads, becomes an index of its own: n / 12.
static AffineMap nameQuotients(AffineMap map, SmallVectorImpl<std::string> &indices) {
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults()) {
    if (!isa<AffineDimExpr, AffineConstantExpr>(result) &&
        (result.getKind() == AffineExprKind::FloorDiv || result.getKind() == AffineExprKind::Mod)) {
      std::string text = quotientText(result, indices);
      result = getAffineDimExpr(indices.size(), map.getContext());
      indices.push_back(text);
    }
    results.push_back(result);
  }
  return AffineMap::get(indices.size(), 0, results, map.getContext());
}

static LogicalResult bindExtras(kern::EpilogueOp op, Value out, ArrayRef<std::string> indices, BufferTable &buffers,
                                StepFunction &function, ExpressionPrinter &printer) {
  FailureOr<Place> destination = buffers.placeOf(out, op);
  if (failed(destination))
    return failure();
  for (auto [i, extra] : llvm::enumerate(op.getExtras())) {
    BlockArgument argument = op.getEpilogue().getArgument(static_cast<unsigned>(i) + 1);
    SmallVector<std::string> named(indices);
    AffineMap map = nameQuotients(cast<AffineMapAttr>(op.getExtraMaps()[i]).getValue(), named);
    FailureOr<Place> place = buffers.placeOf(extra, op);
    if (failed(place))
      return failure();
    FailureOr<NestOperand> steps = stepAlong(map, *place);
    if (failed(steps))
      return op->emitError("the map of an epilogue operand is no sum of multiples of indices: ")
             << op.getExtraMaps()[i];
    if (op.storesEpilogue())
      dropUnitDims(*destination, *steps);
    // Quotients first: the last index is the one that vectors run along.
    std::rotate(named.begin(), named.begin() + indices.size(), named.end());
    std::rotate(steps->strides.begin(), steps->strides.begin() + indices.size(), steps->strides.end());
    std::string pointer = function.pointer(steps->place, roleName(argument, *place->buffer, "extra"));
    std::string load;
    std::string text = loadText(pointer, named, steps->strides, true, load);
    printer.bindLoad(argument, {text}, load);
  }
  return success();
}

// [=](auto sum, auto lanes, int n, int h, int w, int c) { return ...; }
static FailureOr<std::string> epilogueText(kern::EpilogueOp op, Value out, BufferTable &buffers,
                                           StepFunction &function) {
  std::vector<std::string> indices;
  std::vector<std::pair<std::string, std::string>> parameters = {{"auto", function.locals.addIdentifier("sum")},
                                                                 {"auto", function.locals.addIdentifier("lanes")}};
  for (StringRef index : op.getEpilogueIndices()) {
    indices.push_back(function.locals.addIdentifier(index));
    parameters.emplace_back("int", indices.back());
  }
  Block &block = op.getEpilogue().front();
  ExpressionPrinter printer("decltype(" + parameters[0].second + ")", function.locals, function.uses);
  printer.bind(block.getArgument(0), {parameters[0].second});
  if (failed(bindExtras(op, out, indices, buffers, function, printer)))
    return failure();
  FailureOr<ExpressionBody> body = printer.print(block);
  if (failed(body))
    return failure();
  return lambdaText(parameters, *body);
}

//===-- inputs ----------------------------------------------------------------------------------------------------===//

// The bytes that a kernel reads as what they stand for: dequantized(pointer, 0.25f, 128).
static std::string dequantizedText(const Place &place, const kern::Dequantization &dequantization,
                                   StepFunction &function) {
  auto scale = FloatAttr::get(Float32Type::get(place.element.getContext()), dequantization.scale);
  function.uses.insert("dequantized");
  return callText("dequantized",
                  {pointerText(place, dequantization.isUnsigned), kern::literal(scale).value_or(""),
                   std::to_string(dequantization.zeroPoint)},
                  ")");
}

//===-- the call --------------------------------------------------------------------------------------------------===//

// Of compiling a call, in units of a copy.
static int compileCost(StringRef function) {
  return llvm::StringSwitch<int>(function)
      .Cases("conv2d", "winograd_conv2d", "integer_conv2d", "integer_matmul_packed", 12)
      .Case("integer_depthwise_conv2d", 6)
      .Case("attention", 16)
      .Cases("depthwise_conv2d", "matmul", "matmul_packed", 8)
      .Cases("max_pool2d", "average_pool2d", "reduce", "resize2d", 3)
      .Cases("softmax_rows", "softmax_columns", "log_softmax_rows", "log_softmax_columns", 3)
      .Cases("lstm", "gru", "gru_linear_before_reset", "rnn", 4)
      .Cases("normalize_rows", "normalize_columns", "conv_nd", "conv_nd_bias", 3)
      .Default(1);
}

// Equal constants of either sign are one buffer, which a call may get twice: there the place among its operands tells.
static bool isUnsignedPointer(kern::KernelOp op, Value pointer, size_t index) {
  auto call = dyn_cast<kern::CallOp>(op.getOperation());
  auto places = call ? call->getAttrOfType<DenseI64ArrayAttr>("unsigned_operands") : DenseI64ArrayAttr();
  if (!places)
    return op.isUnsigned(pointer);
  size_t place = index < call.getInputs().size() ? index : index + call.getExtents().size();
  return llvm::is_contained(places.asArrayRef(), static_cast<int64_t>(place));
}

// When the only result has no elements: then there is nothing to do, and kernels need not know how to do nothing. Calls
// do: one may find an extent and have to say that it is 0, or carry a value whose extents are set after it.
static FailureOr<std::string> emptyCondition(kern::KernelOp op, BufferTable &buffers) {
  OperandRange outs = cast<DestinationStyleOpInterface>(op.getOperation()).getDpsInits();
  std::string condition;
  if (outs.size() != 1 || isa<kern::CallOp>(op.getOperation()))
    return condition;
  FailureOr<Place> place = buffers.placeOf(outs.front(), op);
  if (failed(place))
    return failure();
  for (const Count &size : place->sizes)
    if (!size.isConstant() && size.lowest() <= 0)
      condition += (condition.empty() ? "" : " || ") + size.text() + " == 0";
  return condition;
}

LogicalResult printKernel(PrintedStep &step, BufferTable &buffers, LayoutTable &layouts) {
  auto op = cast<kern::KernelOp>(step.op);
  FailureOr<std::vector<LayoutField>> fields = layoutFields(op, buffers);
  if (failed(fields))
    return failure();
  LayoutUse layout = layouts.use(*fields, step.description.identifier);

  StepFunction function(buffers);
  std::vector<std::string> arguments = {layout.object};
  SmallVector<Value> pointers = op.getKernelInputs();
  OperandRange outs = cast<DestinationStyleOpInterface>(step.op).getDpsInits();
  llvm::append_range(pointers, outs);
  for (auto [i, pointer] : llvm::enumerate(pointers)) {
    FailureOr<Place> place = buffers.placeOf(pointer, op);
    if (failed(place))
      return failure();
    std::optional<kern::Dequantization> bytes = i == 0 ? kern::dequantizationOf(op) : std::nullopt;
    arguments.push_back(bytes ? dequantizedText(*place, *bytes, function)
                              : pointerText(*place, isUnsignedPointer(op, pointer, i)));
  }
  if (Buffer *scratch = buffers.scratchOf(op))
    arguments.push_back("f.scratch(buffer::" + scratch->identifier + ", part.thread)");
  arguments.push_back("part");
  for (const std::string &argument : op.getKernelArguments()) {
    if (argument.empty())
      return op->emitError("an argument of '") << op.getKernelFunction() << "' has no C++ literal of its type";
    arguments.push_back(argument);
  }
  auto epilogue = dyn_cast<kern::EpilogueOp>(step.op);
  if (epilogue && !epilogue.getEpilogue().empty()) {
    FailureOr<std::string> lambda = epilogueText(epilogue, outs.front(), buffers, function);
    if (failed(lambda))
      return failure();
    arguments.push_back(*lambda);
  }
  function.uses.insert(op.getKernelFunction().str());
  auto call = dyn_cast<kern::CallOp>(step.op);
  if (call && call.getFound()) {
    std::string value = StringRef(callText(op.getKernelFunction(), arguments)).drop_back().str();
    function.add(buffers.storedExtent(*call.getFound(), value, /*mayExceedBound=*/!op.getKernelFailure().empty()));
  } else if (StringRef failure = op.getKernelFailure(); !failure.empty()) {
    function.uses.insert("Status");
    function.add(callText("if (!" + op.getKernelFunction().str(), arguments, "))") +
                 "\n  f.fail(Status::" + failure.str() + ");");
  } else {
    function.add(callText(op.getKernelFunction(), arguments));
  }

  step.definition = function.text(step.description.identifier);
  step.header = op.getKernelHeader().str();
  step.function = op.getKernelFunction().str();
  step.uses = function.uses;
  step.cost = compileCost(step.function);
  FailureOr<std::string> isEmpty = emptyCondition(op, buffers);
  if (failed(isEmpty))
    return failure();
  setUnits(step, step.function, layout, buffers, *isEmpty);
  return success();
}

} // namespace aotc::codegen
