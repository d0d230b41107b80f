// Attention in one pass over keys and values (online softmax: Milakov and Gimelshein, arXiv:1805.02867, as in
// FlashAttention). A workgroup computes one row of the result. It takes keys `blockKeys` at a time: their scores, and
// what softmax makes of them, go through shared memory; sums so far are rescaled whenever a larger score appears.
#include "codegen/spirv/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace aotc::codegen {

static constexpr int64_t blockKeys = 1024;

namespace {

class AttentionRow {
public:
  AttentionRow(Shader &shader, kern::AttentionOp op)
      : shader(shader), op(op), b(shader.builder()), q(shader.operand(op.getQ())), keys(shader.operand(op.getKeys())),
        values(shader.operand(op.getValues())), out(shader.operand(op.getOut())), thread(shader.thread()),
        scores(shader.shared(std::min(blockKeys, keys.sizes[2]))), partials(shader.shared(shader.threads())) {}

  void build() {
    const int64_t units = out.sizes[0] * out.sizes[1];
    Value group = shader.groupOf(units);
    isUnit = shader.isBelow(group, units);
    Shader::Values at = shader.delinearize(shader.select(isUnit, group, shader.index(0)), {out.sizes[0], out.sizes[1]});
    batch = at[0], row = at[1];
    columns = llvm::divideCeil(out.sizes[2], shader.threads());
    // The largest score, the sum of exponentials, and this thread's columns of the result so far.
    Shader::Values state(static_cast<size_t>(columns) + 2, shader.number(0));
    state[0] = leastScore();
    const int64_t count = keys.sizes[2];
    for (int64_t first = 0; first < count; first += blockKeys) // unrolled: the last block may be shorter
      state = block(first, std::min(blockKeys, count - first), state);
    store(state);
  }

private:
  Value batchOf(const GpuOperand &operand) { return operand.sizes[0] == 1 ? shader.index(0) : batch; }
  Value times(Value x, Value y) { return b.create<arith::MulFOp>(x, y); }
  Value plus(Value x, Value y) { return b.create<arith::AddFOp>(x, y); }
  // exp(x - most). Scores that are all masked so far, by -infinity, have weights of 0; a row of nothing else divides 0
  // by 0 at last and is NaN, as softmax has it.
  Value exponential(Value x, Value most) {
    Value isMasked = b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, most, leastScore());
    Value base = shader.select(isMasked, shader.number(0), most);
    return b.create<math::ExpOp>(b.create<arith::SubFOp>(x, base));
  }
  Value leastScore() { return shader.number(-std::numeric_limits<double>::infinity()); }

  Value score(Value n) {
    Value sum = shader.loop(q.sizes[2], shader.number(0), [&](Value k, ValueRange total) -> Shader::Values {
      Value x = shader.load(q, Shader::Values{batchOf(q), row, k});
      return {b.create<math::FmaOp>(x, shader.load(keys, Shader::Values{batchOf(keys), k, n}), total[0])};
    })[0];
    return applyEpilogue(shader, op, sum, {batch, row, n});
  }

  // What all threads' values combine to.
  Value meet(Value value, SubgroupFold bySubgroups, std::function<Value(Value, Value)> combine) {
    return shader.meet(value, partials, 1, {std::move(combine), bySubgroups});
  }

  Shader::Values block(int64_t first, int64_t count, const Shader::Values &state) {
    Value end = shader.index(count);
    auto larger = [&](Value x, Value y) -> Value { return b.create<arith::MaximumFOp>(x, y); };
    Value most =
        shader.loop(thread, end, shader.threads(), leastScore(), [&](Value n, ValueRange total) -> Shader::Values {
          Value value = score(shader.add(n, first));
          shader.storeShared(value, scores, n);
          return {larger(total[0], value)};
        })[0];
    most = larger(state[0], meet(most, SubgroupFold::Largest, larger));
    Value sum =
        shader.loop(thread, end, shader.threads(), shader.number(0), [&](Value n, ValueRange total) -> Shader::Values {
          Value value = exponential(shader.loadShared(scores, n), most);
          shader.storeShared(value, scores, n);
          return {plus(total[0], value)};
        })[0];
    sum = meet(sum, SubgroupFold::Sum,
               [&](Value x, Value y) { return plus(x, y); }); // its barriers show all threads the exponentials
    return accumulate(first, count, state, most, sum, first == 0);
  }

  Shader::Values accumulate(int64_t first, int64_t count, const Shader::Values &state, Value most, Value sum,
                            bool isFirst) {
    Value scale = isFirst ? shader.number(0) : exponential(state[0], most);
    Shader::Values next{most, plus(sum, times(state[1], scale))};
    for (int64_t column = 0; column < columns; ++column) {
      Value w = shader.add(thread, column * shader.threads());
      Value isInside = shader.isBelow(w, out.sizes[2]), place = shader.select(isInside, w, shader.index(0));
      Value start = times(state[static_cast<size_t>(column) + 2], scale);
      next.push_back(shader.loop(count, start, [&](Value n, ValueRange total) -> Shader::Values {
        Value value = shader.load(values, Shader::Values{batchOf(values), shader.add(n, first), place});
        return {b.create<math::FmaOp>(shader.loadShared(scores, n), value, total[0])};
      })[0]);
    }
    shader.barrier(); // before the next block's scores
    return next;
  }

  void store(const Shader::Values &state) {
    for (int64_t column = 0; column < columns; ++column) {
      Value w = shader.add(thread, column * shader.threads());
      shader.ifTrue(shader.both(isUnit, shader.isBelow(w, out.sizes[2])), [&] {
        Value value = b.create<arith::DivFOp>(state[static_cast<size_t>(column) + 2], state[1]);
        shader.store(value, out, Shader::Values{batch, row, w});
      });
    }
  }

  Shader &shader;
  kern::AttentionOp op;
  ImplicitLocOpBuilder &b;
  const GpuOperand &q, &keys, &values, &out;
  Value thread, scores, partials;
  Value isUnit, batch, row;
  int64_t columns = 0;
};

} // namespace

LogicalResult buildAttention(Shader &shader, Operation *op) {
  AttentionRow(shader, cast<kern::AttentionOp>(op)).build();
  return success();
}

} // namespace aotc::codegen
