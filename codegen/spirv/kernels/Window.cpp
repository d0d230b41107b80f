// Windows over images that each result reads by itself: pooling, and convolutions with few filters in a group.
#include "codegen/spirv/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace aotc::codegen {

namespace {

// The window of one element of the result, which a thread computes.
template <class Op> class Window {
public:
  Window(Shader &shader, Op op)
      : shader(shader), op(op), b(shader.builder()), x(shader.operand(op.getX())), out(shader.operand(op.getOut())) {}

  // Stores result() for all of out, whose indices are in `at` by then.
  void forEachResult(llvm::function_ref<Value()> result) {
    shader.forEachPoint(out.sizes, [&](const Shader::Values &indices) {
      at = indices;
      storeResult(shader, op, result(), at);
    });
  }

  // total = take(total, tap) for all taps inside the image; `tap` has the row and the column of the image, and the
  // number of the tap.
  Value fold(Value initial, llvm::function_ref<Value(Value, const Shader::Values &)> take) {
    ArrayRef<int64_t> kernel = op.getKernel();
    return shader.loop(kernel[0] * kernel[1], initial, [&](Value tap, ValueRange totals) -> Shader::Values {
      Shader::Values place = shader.delinearize(tap, kernel);
      Value h = position(place[0], 0), w = position(place[1], 1);
      Value isInside = shader.both(shader.isBelow(h, height()), shader.isBelow(w, width()));
      // Reads stay inside the image; what they bring from elsewhere is not taken.
      Value row = shader.select(isInside, h, shader.index(0)), column = shader.select(isInside, w, shader.index(0));
      return {shader.select(isInside, take(totals[0], {row, column, tap}), totals[0])};
    })[0];
  }

  int64_t height() const { return x.sizes[isPlanar ? 2 : 1]; }
  int64_t width() const { return x.sizes[isPlanar ? 3 : 2]; }
  int64_t channels() const { return x.sizes[isPlanar ? 1 : 3]; }
  Value load(Value h, Value w, Value c) {
    return shader.load(x, isPlanar ? Shader::Values{at[0], c, h, w} : Shader::Values{at[0], h, w, c});
  }

  Shader &shader;
  Op op;
  ImplicitLocOpBuilder &b;
  const GpuOperand &x, &out;
  Shader::Values at;
  bool isPlanar = false;

private:
  // Of a tap in the image; negative above or left of it.
  Value position(Value tap, unsigned dimension) {
    Value start = shader.mul(at[dimension + 1], op.getStrides()[dimension]);
    return shader.add(shader.add(start, shader.mul(tap, op.getDilations()[dimension])), -op.getPads()[dimension]);
  }
};

} // namespace

//===-- pooling ---------------------------------------------------------------------------------------------------===//

static void buildMaxPool(Shader &shader, kern::MaxPool2DOp op) {
  Window window(shader, op);
  window.forEachResult([&] {
    return window.fold(shader.number(-std::numeric_limits<double>::infinity()),
                       [&](Value total, const Shader::Values &tap) -> Value {
                         return window.b.create<arith::MaximumFOp>(total, window.load(tap[0], tap[1], window.at[3]));
                       });
  });
}

// Of the window's taps, how many count along one dimension: those within the image, or within it and its pads.
static Value countTaps(Shader &shader, Value start, int64_t taps, int64_t dilation, int64_t low, int64_t high) {
  return shader.loop(taps, shader.index(0), [&](Value tap, ValueRange total) -> Shader::Values {
    Value place = shader.add(shader.add(start, shader.mul(tap, dilation)), -low);
    Value counts = shader.isBelow(place, high - low);
    return {shader.add(total[0], shader.select(counts, shader.index(1), shader.index(0)))};
  })[0];
}

static void buildAveragePool(Shader &shader, kern::AveragePool2DOp op) {
  Window window(shader, op);
  ImplicitLocOpBuilder &b = window.b;
  const int64_t extents[] = {window.height(), window.width()};
  window.forEachResult([&]() -> Value {
    Value sum = window.fold(shader.number(0), [&](Value total, const Shader::Values &tap) -> Value {
      return b.create<arith::AddFOp>(total, window.load(tap[0], tap[1], window.at[3]));
    });
    SmallVector<Value> counts;
    for (unsigned d = 0; d < 2; ++d) {
      ArrayRef<int64_t> pads = op.getPads();
      int64_t low = op.getCountIncludePad() ? -pads[d] : 0;
      int64_t high = extents[d] + (op.getCountIncludePad() ? pads[d + 2] : 0);
      Value start = shader.add(shader.mul(window.at[d + 1], op.getStrides()[d]), -pads[d]);
      counts.push_back(countTaps(shader, start, op.getKernel()[d], op.getDilations()[d], low, high));
    }
    Value count = b.create<arith::MulIOp>(counts[0], counts[1]);
    Value divisor = b.create<arith::UIToFPOp>(b.getF32Type(), b.create<arith::IndexCastOp>(b.getI32Type(), count));
    return b.create<arith::DivFOp>(sum, divisor);
  });
}

LogicalResult buildPool(Shader &shader, Operation *op) {
  if (auto pool = dyn_cast<kern::MaxPool2DOp>(op))
    buildMaxPool(shader, pool);
  else
    buildAveragePool(shader, cast<kern::AveragePool2DOp>(op));
  return success();
}

//===-- convolutions ----------------------------------------------------------------------------------------------===//

// Weights are [kernel height * kernel width, channels of a group, filters of all groups]: neighbouring threads read
// neighbours.
LogicalResult buildWindowConvolution(Shader &shader, Operation *step) {
  auto op = cast<kern::Conv2DOp>(step);
  Window window(shader, op);
  window.isPlanar = op.getPlanarInput();
  const GpuOperand &weights = shader.operand(op.getWeights());
  const int64_t groups = static_cast<int64_t>(op.getGroups());
  const int64_t channels = window.channels() / groups, filters = window.out.sizes[3] / groups;
  window.forEachResult([&] {
    Value filter = window.at[3], first = shader.mul(shader.div(filter, filters), channels);
    return window.fold(shader.number(0), [&](Value total, const Shader::Values &tap) {
      return shader.loop(channels, total, [&](Value c, ValueRange totals) -> Shader::Values {
        Value value = window.load(tap[0], tap[1], shader.add(first, c));
        Value weight = shader.loadFloat(weights, Shader::Values{tap[2], c, filter});
        return {window.b.create<arith::AddFOp>(totals[0], window.b.create<arith::MulFOp>(value, weight))};
      })[0];
    });
  });
  return success();
}

} // namespace aotc::codegen
