// LSTM and GRU, all time steps in one dispatch: a workgroup for each direction of each sequence, since the threads of a
// workgroup alone can wait for each other. A thread has the cells of a few hidden units in registers; the hidden
// state is shared. Weights are packed as templates/kernels/recurrent.hpp says.
#include "codegen/spirv/Halves.h"
#include "codegen/spirv/NarrowIntegers.h"
#include "codegen/spirv/kernels/Kernels.h"

#include "ir/kern/RecurrentCells.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace aotc::codegen {

// The cells that there are shaders for, with as many sums for each unit.
struct CellKind {
  StringRef function;
  SmallVector<StringRef, 3> activations;
  int64_t gates;
};

static const CellKind *kindOf(kern::CallOp call, ArrayRef<StringRef> activations) {
  static const CellKind kinds[] = {{"lstm", {"Sigmoid", "Tanh", "Tanh"}, 4},
                                   {"gru_linear_before_reset", {"Sigmoid", "Tanh"}, 3}};
  const auto *kind = llvm::find_if(kinds, [&](const CellKind &kind) {
    return call.getFunction() == kind.function && activations == ArrayRef(kind.activations);
  });
  return kind == std::end(kinds) ? nullptr : kind;
}

// An f32, a half that it may be, or the bytes of weights that have scales.
static bool isNumber(kern::CallOp call, OpOperand &operand) {
  auto type = dyn_cast<ShapedType>(operand.get().getType());
  return type && (type.getElementType().isF32() ||
                  (type.getElementType().isF16() && call.acceptsHalves(operand.getOperandNumber())) ||
                  (type.getElementType().isInteger(8) && operand.getOperandNumber() == 1));
}

static constexpr int64_t mostHidden = 2048; // whose state a workgroup shares, 8 KiB

static const CellKind *cellOf(kern::CallOp call) {
  auto activations = call->getAttrOfType<ArrayAttr>(kern::plainActivationsAttrName);
  const bool isPlain = activations && !memberOf(call, "has_peepholes") && !memberOf(call, "has_lengths") &&
                       memberOf(call, "hidden") <= mostHidden &&
                       llvm::all_of(call->getOpOperands(), [&](OpOperand &operand) { return isNumber(call, operand); });
  if (!isPlain)
    return nullptr;
  return kindOf(call, llvm::to_vector(activations.getAsValueRange<StringAttr>()));
}

namespace {

class Recurrence {
public:
  Recurrence(Shader &shader, kern::CallOp call, const CellKind &kind)
      : shader(shader), call(call), kind(kind), b(shader.builder()), steps(memberOf(call, "steps")),
        batch(memberOf(call, "batch")), directions(memberOf(call, "directions")), hidden(memberOf(call, "hidden")),
        isBatchFirst(memberOf(call, "batch_first") != 0), thread(shader.thread()), state(shader.shared(hidden)) {
    gates = nextInput(), weights = nextInput();
    scales = memberOf(call, "has_scales") ? nextInput() : nullptr;
    bias = memberOf(call, "has_bias") ? nextInput() : nullptr;
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
    Value value = shader.loadAt(operand, shader.add(place, operand.offset));
    if (value.getType().isInteger(8))
      return b.create<arith::SIToFPOp>(b.getF32Type(), widened(b, b.getLoc(), value, /*isSigned=*/true));
    return halfAsFloat(b, b.getLoc(), value);
  }
  void storeDense(Value value, const GpuOperand &operand, Value place) {
    shader.storeAt(value, operand, shader.add(place, operand.offset));
  }

  // Under a guard, since the last units may be fewer than threads.
  void forEachUnit(llvm::function_ref<void(size_t, Value)> body) {
    for (int64_t i = 0; i < unitsOfThread(); ++i) {
      Value unit = shader.add(thread, i * shader.threads());
      shader.ifTrue(shader.both(isUnit, shader.isBelow(unit, hidden)), [&] { body(static_cast<size_t>(i), unit); });
    }
  }
  int64_t unitsOfThread() const { return llvm::divideCeil(hidden, shader.threads()); }
  // Of a unit that there may not be, one that there is.
  Value anyUnit(int64_t i) {
    Value unit = shader.add(thread, i * shader.threads());
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

  // What the input gives to a gate of a unit.
  Value fromInput(Value time, Value unit, int64_t gate) {
    Value place =
        isBatchFirst ? shader.add(shader.mul(sequence, steps), time) : shader.add(shader.mul(time, batch), sequence);
    place = shader.mul(shader.add(shader.mul(place, directions), direction), kind.gates * hidden);
    return loadDense(*gates, shader.add(place, shader.add(unit, gate * hidden)));
  }

  // The hidden state times the recurrent weights, added to a value for each gate of a unit.
  Shader::Values multiply(Value unit, const Shader::Values &initial) {
    if (!scales)
      return sumProducts(unit, initial);
    Shader::Values sums = sumProducts(unit, Shader::Values(initial.size(), shader.number(0))), scaled;
    for (auto [gate, sum] : llvm::enumerate(sums)) {
      Value row = shader.add(shader.mul(direction, kind.gates * hidden), static_cast<int64_t>(gate) * hidden);
      Value scale = loadDense(*scales, shader.add(row, unit));
      scaled.push_back(b.create<math::FmaOp>(scale, sum, initial[gate]));
    }
    return scaled;
  }

  Shader::Values sumProducts(Value unit, const Shader::Values &initial) {
    constexpr int64_t panel = kern::panelColumns; // units of a panel of weights
    Value matrix = shader.mul(direction, llvm::alignTo(hidden, panel) * hidden * kind.gates);
    matrix = shader.add(matrix, shader.mul(shader.div(unit, panel), panel * hidden * kind.gates));
    matrix = shader.add(matrix, shader.rem(unit, panel));
    return shader.loop(hidden, initial, [&](Value k, ValueRange totals) {
      Value row = shader.add(matrix, shader.mul(k, panel * kind.gates)), h = shader.loadShared(state, k);
      Shader::Values next;
      for (int64_t gate = 0; gate < kind.gates; ++gate)
        next.push_back(b.create<math::FmaOp>(h, loadDense(*weights, shader.add(row, gate * panel)),
                                             totals[static_cast<unsigned>(gate)]));
      return next;
    });
  }

  Value plus(Value x, Value y) { return b.create<arith::AddFOp>(x, y); }
  Value times(Value x, Value y) { return b.create<arith::MulFOp>(x, y); }
  Value tanh(Value x) { return b.create<math::TanhOp>(x); }
  Value sigmoid(Value x) {
    Value one = shader.number(1);
    return b.create<arith::DivFOp>(one, plus(one, b.create<math::ExpOp>(b.create<arith::NegFOp>(x))));
  }

  // What a unit holds after a step: its hidden state and its cell's memory.
  std::pair<Value, Value> lstm(Value time, Value unit, Value memory) {
    Shader::Values inputs;
    for (int64_t gate = 0; gate < 4; ++gate) // ONNX's: input, output, forget, cell
      inputs.push_back(fromInput(time, unit, gate));
    Shader::Values gate = multiply(unit, inputs);
    Value next = plus(times(sigmoid(gate[0]), tanh(gate[3])), times(sigmoid(gate[2]), memory));
    return {times(sigmoid(gate[1]), tanh(next)), next};
  }

  // With linear_before_reset: the reset gate scales the product, and the bias that was added to it.
  std::pair<Value, Value> gru(Value time, Value unit, Value memory) {
    Value own = bias ? loadDense(*bias, shader.add(shader.mul(direction, hidden), unit)) : shader.number(0);
    Shader::Values gate = multiply(unit, {fromInput(time, unit, 0), fromInput(time, unit, 1), own}); // update, reset
    Value update = sigmoid(gate[0]), candidate = tanh(plus(fromInput(time, unit, 2), times(sigmoid(gate[1]), gate[2])));
    Value difference = b.create<arith::SubFOp>(shader.loadShared(state, unit), candidate);
    return {plus(candidate, times(update, difference)), memory};
  }

  Shader::Values advance(Value step, ValueRange before) {
    Value time = timeOf(step);
    Shader::Values cells, states;
    for (int64_t i = 0; i < unitsOfThread(); ++i) {
      Value unit = anyUnit(i), memory = before[static_cast<unsigned>(i)];
      auto [next, cell] = kind.function == "lstm" ? lstm(time, unit, memory) : gru(time, unit, memory);
      states.push_back(next);
      cells.push_back(cell);
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
  const CellKind &kind;
  ImplicitLocOpBuilder &b;
  const int64_t steps, batch, directions, hidden;
  const bool isBatchFirst;
  unsigned nextIn = 0, nextOut = 0;
  const GpuOperand *gates, *weights, *scales, *bias, *initialH, *initialC, *y, *yH, *yC;
  Value thread, state, isUnit, direction, sequence;
};

} // namespace

bool isRecurrence(Operation *op) {
  auto call = dyn_cast<kern::CallOp>(op);
  return call && cellOf(call);
}

LogicalResult buildRecurrence(Shader &shader, Operation *op) {
  auto call = cast<kern::CallOp>(op);
  Recurrence(shader, call, *cellOf(call)).build();
  return success();
}

} // namespace aotc::codegen
