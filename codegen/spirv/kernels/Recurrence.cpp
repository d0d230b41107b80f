// LSTM, all time steps in one dispatch: a workgroup for each direction of each sequence, since the threads of a workgroup alone
// can wait for each other. A thread has the cells of every 128th hidden unit in registers; the hidden state is shared. Weights are
// packed as templates/kernels/recurrent.hpp says.
#include "codegen/spirv/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace aotc::codegen {

// A member of the call's layout; 0 where it is not known before the run.
static int64_t memberOf(kern::CallOp call, StringRef name) {
  for (auto [member, value] : llvm::zip(call.getMembers().getAsValueRange<StringAttr>(), call.getValues()))
    if (member == name)
      if (auto number = dyn_cast<IntegerAttr>(value))
        return number.getInt();
  return 0;
}

// The one cell that there is a shader for.
static constexpr StringRef plainCell = "aotc::LstmCell<aotc::activation::Sigmoid, aotc::activation::Tanh, "
                                       "aotc::activation::Tanh>{{}, {}, {}, aotc::unclipped}";

static bool isPlainLstm(kern::CallOp call) {
  return call.getFunction() == "lstm" && !memberOf(call, "has_peepholes") && !memberOf(call, "has_lengths") &&
         memberOf(call, "hidden") <= sharedBytes / 8 && call.getCallArguments().size() == 1 &&
         cast<StringAttr>(call.getCallArguments()[0]).getValue() == plainCell &&
         llvm::all_of(call.getOperands(), [](Value operand) {
           auto type = dyn_cast<MemRefType>(operand.getType());
           return type && type.getElementType().isF32();
         });
}

namespace {

class Lstm {
public:
  Lstm(Shader &shader, kern::CallOp call)
      : shader(shader), call(call), b(shader.builder()), steps(memberOf(call, "steps")), batch(memberOf(call, "batch")),
        directions(memberOf(call, "directions")), hidden(memberOf(call, "hidden")),
        isBatchFirst(memberOf(call, "batch_first") != 0), thread(shader.thread()), state(shader.shared(hidden)) {
    gates = nextInput(), weights = nextInput();
    initialH = memberOf(call, "has_initial_h") ? nextInput() : nullptr;
    initialC = memberOf(call, "has_initial_c") ? nextInput() : nullptr;
    y = memberOf(call, "has_y") ? nextOutput() : nullptr;
    yH = memberOf(call, "has_y_h") ? nextOutput() : nullptr;
    yC = memberOf(call, "has_y_c") ? nextOutput() : nullptr;
  }

  void build() {
    const int64_t units = directions * batch;
    Value group = shader.groupOf(units);
    isUnit = shader.isBelow(group, units);
    Shader::Values at = shader.delinearize(shader.select(isUnit, group, shader.index(0)), {directions, batch});
    direction = at[0], sequence = at[1];
    Shader::Values cells = start();
    shader.barrier();
    cells = shader.loop(steps, cells, [&](Value step, ValueRange before) { return advance(step, before); });
    forEachUnit([&](size_t i, Value unit) {
      if (yH)
        storeDense(shader.loadShared(state, unit), *yH, shader.add(statePlace(), unit));
      if (yC)
        storeDense(cells[i], *yC, shader.add(statePlace(), unit));
    });
  }

private:
  const GpuOperand *nextInput() { return &shader.operand(call.getInputs()[nextIn++]); }
  const GpuOperand *nextOutput() { return &shader.operand(call.getOuts()[nextOut++]); }

  // Operands of calls are dense.
  Value loadDense(const GpuOperand &operand, Value place) {
    return shader.loadAt(operand, shader.add(place, operand.offset));
  }
  void storeDense(Value value, const GpuOperand &operand, Value place) {
    shader.storeAt(value, operand, shader.add(place, operand.offset));
  }

  // Under a guard, since the last units may be fewer than threads.
  void forEachUnit(llvm::function_ref<void(size_t, Value)> body) {
    for (int64_t i = 0; i < unitsOfThread(); ++i) {
      Value unit = shader.add(thread, i * workgroupThreads);
      shader.ifTrue(shader.both(isUnit, shader.isBelow(unit, hidden)), [&] { body(static_cast<size_t>(i), unit); });
    }
  }
  int64_t unitsOfThread() const { return llvm::divideCeil(hidden, workgroupThreads); }
  // Of a unit that there may not be, one that there is.
  Value anyUnit(int64_t i) {
    Value unit = shader.add(thread, i * workgroupThreads);
    return shader.select(shader.isBelow(unit, hidden), unit, shader.index(0));
  }

  // Of this direction of this sequence in a tensor of states.
  Value statePlace() {
    Value place = isBatchFirst ? shader.add(shader.mul(sequence, directions), direction)
                               : shader.add(shader.mul(direction, batch), sequence);
    return shader.mul(place, hidden);
  }

  Shader::Values start() {
    Shader::Values cells;
    for (int64_t i = 0; i < unitsOfThread(); ++i) {
      Value place = shader.add(statePlace(), anyUnit(i));
      cells.push_back(initialC ? loadDense(*initialC, place) : shader.number(0));
    }
    forEachUnit([&](size_t, Value unit) {
      Value value = initialH ? loadDense(*initialH, shader.add(statePlace(), unit)) : shader.number(0);
      shader.storeShared(value, state, unit);
    });
    return cells;
  }

  // Where in time a step is: the second direction, or the first with `reverse`, goes backwards.
  Value timeOf(Value step) {
    Value last = shader.sub(shader.index(steps - 1), step);
    if (memberOf(call, "reverse"))
      return last;
    return directions == 1 ? step : shader.select(shader.isBelow(direction, 1), step, last);
  }

  // The sums of the four gates of a unit: what the input gives, and the hidden state times the recurrent weights.
  Shader::Values sums(Value time, Value unit) {
    constexpr int64_t panel = 16, gateCount = 4; // units of a panel of weights
    Value place =
        isBatchFirst ? shader.add(shader.mul(sequence, steps), time) : shader.add(shader.mul(time, batch), sequence);
    place = shader.mul(shader.add(shader.mul(place, directions), direction), gateCount * hidden);
    Shader::Values initial;
    for (int64_t gate = 0; gate < gateCount; ++gate)
      initial.push_back(loadDense(*gates, shader.add(place, shader.add(unit, gate * hidden))));
    Value matrix = shader.mul(direction, llvm::alignTo(hidden, panel) * hidden * gateCount);
    matrix = shader.add(matrix, shader.mul(shader.div(unit, panel), panel * hidden * gateCount));
    matrix = shader.add(matrix, shader.rem(unit, panel));
    return shader.loop(hidden, initial, [&](Value k, ValueRange totals) {
      Value row = shader.add(matrix, shader.mul(k, panel * gateCount)), h = shader.loadShared(state, k);
      Shader::Values next;
      for (int64_t gate = 0; gate < gateCount; ++gate)
        next.push_back(b.create<math::FmaOp>(h, loadDense(*weights, shader.add(row, gate * panel)),
                                             totals[static_cast<unsigned>(gate)]));
      return next;
    });
  }

  Value sigmoid(Value x) {
    Value one = shader.number(1);
    return b.create<arith::DivFOp>(one,
                                   b.create<arith::AddFOp>(one, b.create<math::ExpOp>(b.create<arith::NegFOp>(x))));
  }

  // ONNX's gates: input, output, forget, cell.
  Shader::Values advance(Value step, ValueRange before) {
    Value time = timeOf(step);
    Shader::Values cells, states;
    for (int64_t i = 0; i < unitsOfThread(); ++i) {
      Shader::Values gate = sums(time, anyUnit(i));
      Value kept = b.create<arith::MulFOp>(sigmoid(gate[2]), before[static_cast<unsigned>(i)]);
      cells.push_back(b.create<math::FmaOp>(sigmoid(gate[0]), b.create<math::TanhOp>(gate[3]), kept));
      states.push_back(b.create<arith::MulFOp>(sigmoid(gate[1]), b.create<math::TanhOp>(cells.back())));
    }
    shader.barrier(); // all have read the last state
    forEachUnit([&](size_t i, Value unit) {
      shader.storeShared(states[i], state, unit);
      if (y)
        storeDense(states[i], *y, shader.add(outputPlace(time), unit));
    });
    shader.barrier();
    return cells;
  }

  Value outputPlace(Value time) {
    Value place = isBatchFirst
                      ? shader.add(shader.mul(shader.add(shader.mul(sequence, steps), time), directions), direction)
                      : shader.add(shader.mul(shader.add(shader.mul(time, directions), direction), batch), sequence);
    return shader.mul(place, hidden);
  }

  Shader &shader;
  kern::CallOp call;
  ImplicitLocOpBuilder &b;
  const int64_t steps, batch, directions, hidden;
  const bool isBatchFirst;
  unsigned nextIn = 0, nextOut = 0;
  const GpuOperand *gates, *weights, *initialH, *initialC, *y, *yH, *yC;
  Value thread, state, isUnit, direction, sequence;
};

} // namespace

LogicalResult buildRecurrence(Shader &shader, Operation *op) {
  auto call = cast<kern::CallOp>(op);
  if (!isPlainLstm(call))
    return op->emitError("'") << call.getFunction() << "' has no GPU form yet";
  Lstm(shader, call).build();
  return success();
}

} // namespace aotc::codegen
