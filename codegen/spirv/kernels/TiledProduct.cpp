// Slabs of a and b go through shared memory, `depth` of k at a time; each thread keeps a few rows and columns of the
// tile in registers. Where the profile has it and extents allow, threads load four neighbours at once.
#include "codegen/spirv/kernels/TiledProduct.h"

#include "codegen/spirv/Halves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace aotc::codegen {

static constexpr int64_t depth = GpuProfile::depth;

// What a tile costs: the products of whole tiles, as many as keep the device busy, and for each of them what a thread
// loads from shared memory.
static double costOf(const GpuTile &tile, const Product &problem, int64_t fillingGroups) {
  const int64_t down = llvm::divideCeil(problem.m, tile.rows), across = llvm::divideCeil(problem.n, tile.columns);
  const int64_t groups = std::max(problem.stacks * down * across, fillingGroups);
  const double loads = 1.0 / static_cast<double>(tile.threadRows) + 1.0 / static_cast<double>(tile.threadColumns);
  return static_cast<double>(groups * tile.rows * tile.columns) * (1 + loads);
}

static GpuTile chooseTile(const Product &problem, const GpuProfile &profile) {
  return *llvm::min_element(profile.tiles, [&](const GpuTile &a, const GpuTile &b) {
    return costOf(a, problem, profile.fillingGroups) < costOf(b, problem, profile.fillingGroups);
  });
}

namespace {

// One workgroup's work.
class TiledProduct {
public:
  TiledProduct(Shader &shader, const Product &problem)
      : shader(shader), b(shader.builder()), problem(problem), tile(chooseTile(problem, shader.profile())),
        loadsFourA(shader.profile().loadWidth == 4 && problem.fourOfA),
        loadsFourB(shader.profile().loadWidth == 4 && problem.fourOfB), strideA(tile.rows + (loadsFourA ? padding : 0)),
        slabA(shader.shared(strideA * depth, problem.element)),
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
      fillA(k);
      fillB(k);
      shader.barrier();
      Shader::Values next = shader.loop(depth, totals, [&](Value j, ValueRange inner) { return multiply(j, inner); });
      shader.barrier();
      return next;
    });
  }

  // The first element of piece `piece` of `width` elements each.
  Value firstOf(Value piece, int64_t width) { return width == 1 ? piece : shader.mul(piece, width); }

  using Place = std::pair<Value, Value>;

  // Shares `count` pieces of a slab among the threads: fill(i, j) where placeOf(piece) is (i, j).
  void share(int64_t count, llvm::function_ref<Place(Value)> placeOf, llvm::function_ref<void(Value, Value)> fill) {
    for (int64_t first = 0; first < count; first += shader.threads()) {
      Value piece = shader.add(thread, first);
      auto [i, j] = placeOf(piece);
      if (first + shader.threads() <= count)
        fill(i, j);
      else
        shader.ifTrue(shader.isBelow(piece, count), [&, i = i, j = j] { fill(i, j); });
    }
  }

  void storeAll(const Shader::Values &values, Value slab, Value place, int64_t stride) {
    for (auto [i, value] : llvm::enumerate(values))
      shader.storeShared(value, slab, shader.add(place, static_cast<int64_t>(i) * stride));
  }

  // slabA[j * strideA + i] = a(row i, product k + j). Neighbouring threads take neighbours in memory, along k.
  void fillA(Value k) {
    const int64_t width = loadsFourA ? 4 : 1, perRow = depth / width;
    share(
        tile.rows * perRow,
        [&](Value piece) -> Place {
          Value i = shader.div(piece, perRow);
          return {i, firstOf(shader.rem(piece, perRow), width)};
        },
        [&](Value i, Value j) {
          Value place = shader.add(shader.mul(j, strideA), i);
          storeAll(loadA(i, shader.add(k, j)), slabA, place, strideA);
        });
  }

  // slabB[j * columns + i] = b(product k + j, column i). Neighbouring threads take neighbours in memory, along n.
  void fillB(Value k) {
    const int64_t width = loadsFourB ? 4 : 1, perRow = tile.columns / width;
    share(
        perRow * depth,
        [&](Value piece) -> Place {
          Value i = firstOf(shader.rem(piece, perRow), width);
          return {i, shader.div(piece, perRow)};
        },
        [&](Value i, Value j) {
          Value place = shader.add(shader.mul(j, tile.columns), i);
          storeAll(loadB(shader.add(k, j), i), slabB, place, 1);
        });
  }

  // One element, or four neighbours, which are inside together: their number divides the extent.
  Shader::Values loadA(Value i, Value k) {
    Value m = shader.add(firstRow, i);
    Value isInside = shader.both(shader.both(shader.isBelow(m, problem.m), shader.isBelow(k, problem.k)), isUnit);
    return loadsFourA ? problem.fourOfA(stack, m, k, isInside) : Shader::Values{problem.a(stack, m, k, isInside)};
  }
  Shader::Values loadB(Value k, Value i) {
    Value n = shader.add(firstColumn, i);
    Value isInside = shader.both(shader.both(shader.isBelow(n, problem.n), shader.isBelow(k, problem.k)), isUnit);
    return loadsFourB ? problem.fourOfB(stack, k, n, isInside) : Shader::Values{problem.b(stack, k, n, isInside)};
  }

  // A thread's columns lie `lanes` apart, so that neighbouring threads read and store neighbours.
  Value columnOf(int64_t j) { return shader.add(lane, j * tile.lanes()); }

  Shader::Values multiply(Value j, ValueRange totals) {
    Shader::Values rows, columns, next;
    for (int64_t i = 0; i < tile.threadRows; ++i)
      rows.push_back(shader.loadShared(slabA, shader.add(shader.mul(j, strideA), shader.add(row, i))));
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
  const GpuTile tile;
  const bool loadsFourA, loadsFourB;
  /// Of a product's elements in slab a, with a few in between where threads store four of them at once: else these
  /// would be in the same bank of the memory as those of their neighbours.
  static constexpr int64_t padding = 2;
  const int64_t strideA;
  Value slabA, slabB, thread;
  Value stack, isUnit, firstRow, firstColumn, row, lane;
};

} // namespace

void buildProduct(Shader &shader, const Product &product) { TiledProduct(shader, product).build(); }

} // namespace aotc::codegen
