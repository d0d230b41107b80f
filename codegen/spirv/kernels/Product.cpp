// Tiled products: out[z, m, n] = sum over k of a(z, m, k) * b(z, k, n). A workgroup computes a tile of out; slabs of a and b go
// through shared memory, `depth` of k at a time; each thread keeps a few rows and columns of the tile in registers. A
// convolution is such a product, whose rows m are pixels and whose k are taps and channels (implicit im2col).
#include "codegen/spirv/kernels/Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace aotc::codegen {

namespace {

// A tile, and the part of it that a thread computes: workgroupThreads parts make a tile.
struct TileShape {
  int64_t rows, columns;             ///< of the tile
  int64_t threadRows, threadColumns; ///< of a thread's part

  int64_t lanes() const { return columns / threadColumns; } ///< threads side by side
};

struct Problem {
  int64_t stacks, m, n, k;
  /// An element of a factor, or 0 where `isInside` is false: a(z, m, k), b(z, k, n).
  std::function<Value(Value, Value, Value, Value)> a, b;
  std::function<void(Value, Value, Value, Value)> store; ///< (value, z, m, n)
};

} // namespace

static constexpr int64_t depth = 16;

// What a tile costs: the products of whole tiles, and for each of them what a thread loads from shared memory.
static double costOf(const TileShape &shape, const Problem &problem) {
  const int64_t rows = llvm::alignTo(problem.m, shape.rows), columns = llvm::alignTo(problem.n, shape.columns);
  const double loads = 1.0 / static_cast<double>(shape.threadRows) + 1.0 / static_cast<double>(shape.threadColumns);
  return static_cast<double>(rows * columns) * (1 + loads);
}

static TileShape chooseTile(const Problem &problem) {
  static constexpr TileShape shapes[] = {{64, 64, 8, 4}, {32, 32, 4, 2}, {64, 16, 8, 1}, {8, 64, 4, 1}, {1, 128, 1, 1}};
  return *std::min_element(std::begin(shapes), std::end(shapes), [&](const TileShape &a, const TileShape &b) {
    return costOf(a, problem) < costOf(b, problem);
  });
}

namespace {

// One workgroup's work.
class TiledProduct {
public:
  TiledProduct(Shader &shader, const Problem &problem)
      : shader(shader), b(shader.builder()), problem(problem), tile(chooseTile(problem)),
        slabA(shader.shared(tile.rows * depth)), slabB(shader.shared(tile.columns * depth)), thread(shader.thread()) {}

  void build() {
    const int64_t down = llvm::divideCeil(problem.m, tile.rows), across = llvm::divideCeil(problem.n, tile.columns);
    const int64_t units = problem.stacks * down * across;
    Value group = shader.groupOf(units);
    Shader::Values at = shader.delinearize(group, {problem.stacks, down, across});
    stack = at[0];
    isUnit = shader.isBelow(group, units);
    firstRow = shader.mul(at[1], tile.rows);
    firstColumn = shader.mul(at[2], tile.columns);
    row = shader.mul(shader.div(thread, tile.lanes()), tile.threadRows);
    lane = shader.rem(thread, tile.lanes());
    store(sums());
  }

private:
  // All sums of a thread, row by row.
  Shader::Values sums() {
    Shader::Values zeros(static_cast<size_t>(tile.threadRows * tile.threadColumns), shader.number(0));
    return shader.loop(shader.index(0), shader.index(problem.k), depth, zeros, [&](Value k, ValueRange totals) {
      fill(slabA, tile.rows, [&](Value i, Value j) { return loadA(i, shader.add(k, j)); });
      fill(
          slabB, tile.columns, [&](Value i, Value j) { return loadB(shader.add(k, j), i); }, /*alongColumns=*/true);
      shader.barrier();
      Shader::Values next = shader.loop(depth, totals, [&](Value j, ValueRange inner) { return multiply(j, inner); });
      shader.barrier();
      return next;
    });
  }

  // slab[j * width + i] = value(i, j) for i < width, j < depth. Neighbouring threads take neighbours in memory: along j in a,
  // whose k are adjacent, along i in b.
  void fill(Value slab, int64_t width, llvm::function_ref<Value(Value, Value)> value, bool alongColumns = false) {
    const int64_t count = width * depth;
    for (int64_t first = 0; first < count; first += workgroupThreads) {
      Value element = shader.add(thread, first);
      Value i = alongColumns ? shader.rem(element, width) : shader.div(element, depth);
      Value j = alongColumns ? shader.div(element, width) : shader.rem(element, depth);
      auto fillOne = [&] { shader.storeShared(value(i, j), slab, shader.add(shader.mul(j, width), i)); };
      if (first + workgroupThreads <= count)
        fillOne();
      else
        shader.ifTrue(shader.isBelow(element, count), fillOne);
    }
  }

  Value loadA(Value i, Value k) {
    Value m = shader.add(firstRow, i);
    Value isInside = shader.both(shader.both(shader.isBelow(m, problem.m), shader.isBelow(k, problem.k)), isUnit);
    return problem.a(stack, m, k, isInside);
  }
  Value loadB(Value k, Value i) {
    Value n = shader.add(firstColumn, i);
    Value isInside = shader.both(shader.both(shader.isBelow(n, problem.n), shader.isBelow(k, problem.k)), isUnit);
    return problem.b(stack, k, n, isInside);
  }

  // A thread's columns lie `lanes` apart, so that neighbouring threads read and store neighbours.
  Value columnOf(int64_t j) { return shader.add(lane, j * tile.lanes()); }

  Shader::Values multiply(Value j, ValueRange totals) {
    Shader::Values rows, columns, next;
    for (int64_t i = 0; i < tile.threadRows; ++i)
      rows.push_back(shader.loadShared(slabA, shader.add(shader.mul(j, tile.rows), shader.add(row, i))));
    for (int64_t i = 0; i < tile.threadColumns; ++i)
      columns.push_back(shader.loadShared(slabB, shader.add(shader.mul(j, tile.columns), columnOf(i))));
    for (Value x : rows)
      for (Value y : columns)
        next.push_back(b.create<math::FmaOp>(x, y, totals[next.size()]));
    return next;
  }

  void store(const Shader::Values &sums) {
    size_t next = 0;
    for (int64_t i = 0; i < tile.threadRows; ++i)
      for (int64_t j = 0; j < tile.threadColumns; ++j) {
        Value m = shader.add(firstRow, shader.add(row, i)), n = shader.add(firstColumn, columnOf(j));
        Value isInside = shader.both(shader.both(shader.isBelow(m, problem.m), shader.isBelow(n, problem.n)), isUnit);
        shader.ifTrue(isInside, [&, value = sums[next]] { problem.store(value, stack, m, n); });
        ++next;
      }
  }

  Shader &shader;
  ImplicitLocOpBuilder &b;
  const Problem &problem;
  const TileShape tile;
  Value slabA, slabB, thread;
  Value stack, isUnit, firstRow, firstColumn, row, lane;
};

} // namespace

//===-- matrix products -------------------------------------------------------------------------------------------===//

// The stack of an operand: 0 of one that all stacks share.
static Value stackOf(Shader &shader, const GpuOperand &operand, Value stack) {
  return operand.sizes[0] == 1 ? shader.index(0) : stack;
}

LogicalResult buildMatMul(Shader &shader, Operation *step) {
  auto op = cast<kern::MatMulOp>(step);
  if (op.getPacked())
    return op.emitError("weights of a matrix product are packed for a processor");
  const GpuOperand &a = shader.operand(op.getA()), &weights = shader.operand(op.getWeights()),
                   &out = shader.operand(op.getOut());
  Problem problem{out.sizes[0], out.sizes[1], out.sizes[2], a.sizes[2], {}, {}, {}};
  problem.a = [&](Value z, Value m, Value k, Value isInside) {
    return shader.loadOrZero(a, Shader::Values{stackOf(shader, a, z), m, k}, isInside);
  };
  problem.b = [&](Value z, Value k, Value n, Value isInside) {
    return shader.loadOrZero(weights, Shader::Values{stackOf(shader, weights, z), k, n}, isInside);
  };
  problem.store = [&](Value value, Value z, Value m, Value n) { storeResult(shader, op, value, {z, m, n}); };
  TiledProduct(shader, problem).build();
  return success();
}

//===-- convolutions ----------------------------------------------------------------------------------------------===//

// Weights are [groups, kernel height * kernel width * channels of a group, filters of a group], or ONNX's [filters, channels of a
// group, kernel height, kernel width] where they are not constant.
LogicalResult buildConvolution(Shader &shader, Operation *step) {
  auto op = cast<kern::Conv2DOp>(step);
  const GpuOperand &x = shader.operand(op.getX()), &weights = shader.operand(op.getWeights()),
                   &out = shader.operand(op.getOut());
  const bool isPlanar = op.getPlanarInput();
  const int64_t height = x.sizes[isPlanar ? 2 : 1], width = x.sizes[isPlanar ? 3 : 2];
  const int64_t groups = static_cast<int64_t>(op.getGroups()), filters = out.sizes[3] / groups;
  const int64_t channels = x.sizes[isPlanar ? 1 : 3] / groups;
  ArrayRef<int64_t> kernel = op.getKernel(), strides = op.getStrides(), pads = op.getPads(),
                    dilations = op.getDilations();
  ArrayRef<int64_t> pixels = ArrayRef(out.sizes).take_front(3);

  Problem problem{groups, pixels[0] * pixels[1] * pixels[2], filters, kernel[0] * kernel[1] * channels, {}, {}, {}};
  problem.a = [&](Value z, Value m, Value k, Value isInside) {
    Shader::Values pixel = shader.delinearize(m, pixels), tap = shader.delinearize(k, {kernel[0], kernel[1], channels});
    // Outside of the image above or left of it is negative, and as an unsigned number far beyond it.
    Value h = shader.add(shader.add(shader.mul(pixel[1], strides[0]), shader.mul(tap[0], dilations[0])), -pads[0]);
    Value w = shader.add(shader.add(shader.mul(pixel[2], strides[1]), shader.mul(tap[1], dilations[1])), -pads[1]);
    Value c = shader.add(shader.mul(z, channels), tap[2]);
    isInside = shader.both(isInside, shader.both(shader.isBelow(h, height), shader.isBelow(w, width)));
    return shader.loadOrZero(x, isPlanar ? Shader::Values{pixel[0], c, h, w} : Shader::Values{pixel[0], h, w, c},
                             isInside);
  };
  problem.b = [&](Value z, Value k, Value n, Value isInside) {
    if (weights.sizes.size() == 3)
      return shader.loadOrZero(weights, Shader::Values{z, k, n}, isInside);
    Shader::Values tap = shader.delinearize(k, {kernel[0], kernel[1], channels});
    Value filter = shader.add(shader.mul(z, filters), n);
    return shader.loadOrZero(weights, Shader::Values{filter, tap[2], tap[0], tap[1]}, isInside);
  };
  problem.store = [&](Value value, Value z, Value m, Value n) {
    Shader::Values at = shader.delinearize(m, pixels);
    at.push_back(shader.add(shader.mul(z, filters), n));
    storeResult(shader, op, value, at);
  };
  TiledProduct(shader, problem).build();
  return success();
}

} // namespace aotc::codegen
