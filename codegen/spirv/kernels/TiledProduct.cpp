// Slabs of a and b go through shared memory, `depth` of k at a time; each thread keeps a few rows and columns of the
// tile in registers.
#include "codegen/spirv/kernels/TiledProduct.h"

#include "codegen/spirv/Halves.h"

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

} // namespace

static constexpr int64_t depth = 16;

// What a tile costs: the products of whole tiles, and for each of them what a thread loads from shared memory.
static double costOf(const TileShape &shape, const Product &problem) {
  const int64_t rows = llvm::alignTo(problem.m, shape.rows), columns = llvm::alignTo(problem.n, shape.columns);
  const double loads = 1.0 / static_cast<double>(shape.threadRows) + 1.0 / static_cast<double>(shape.threadColumns);
  return static_cast<double>(rows * columns) * (1 + loads);
}

static TileShape chooseTile(const Product &problem) {
  static constexpr TileShape shapes[] = {{64, 64, 8, 4}, {32, 32, 4, 2}, {64, 16, 8, 1}, {8, 64, 4, 1}, {1, 128, 1, 1}};
  return *std::min_element(std::begin(shapes), std::end(shapes), [&](const TileShape &a, const TileShape &b) {
    return costOf(a, problem) < costOf(b, problem);
  });
}

namespace {

// One workgroup's work.
class TiledProduct {
public:
  TiledProduct(Shader &shader, const Product &problem)
      : shader(shader), b(shader.builder()), problem(problem), tile(chooseTile(problem)),
        slabA(shader.shared(tile.rows * depth, problem.element)),
        slabB(shader.shared(tile.columns * depth, problem.weightElement)), thread(shader.thread()) {}

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
    Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(problem.element));
    Shader::Values zeros(static_cast<size_t>(tile.threadRows * tile.threadColumns), zero);
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

  // slab[j * width + i] = value(i, j) for i < width, j < depth. Neighbouring threads take neighbours in memory: along j
  // in a, whose k are adjacent, along i in b.
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
      columns.push_back(loadWeight(shader.add(shader.mul(j, tile.columns), columnOf(i))));
    for (Value x : rows)
      for (Value y : columns)
        next.push_back(multiplyAdd(x, y, totals[next.size()]));
    return next;
  }

  Value loadWeight(Value place) { return halfAsFloat(b, b.getLoc(), shader.loadShared(slabB, place)); }

  Value multiplyAdd(Value x, Value y, Value total) {
    if (isa<FloatType>(problem.element))
      return b.create<math::FmaOp>(x, y, total);
    return b.create<arith::AddIOp>(b.create<arith::MulIOp>(x, y), total);
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
  const Product &problem;
  const TileShape tile;
  Value slabA, slabB, thread;
  Value stack, isUnit, firstRow, firstColumn, row, lane;
};

} // namespace

void buildProduct(Shader &shader, const Product &product) { TiledProduct(shader, product).build(); }

} // namespace aotc::codegen
