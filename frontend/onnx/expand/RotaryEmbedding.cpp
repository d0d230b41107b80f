// RotaryEmbedding: pairs of elements turned by angles that depend on their place.
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/Parts.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// x with its heads apart, and sines and cosines that broadcast to half of what is turned.
struct Rotation {
  Value x, cosine, sine;
  int64_t size = 0; ///< of a head's beginning that is turned
  bool isInterleaved = false;
};

/// Elements begin, begin + step, … of the last dimension, `count` of them.
Value lastSlice(NodeBuilder &node, Value x, int64_t begin, int64_t count, int64_t step) {
  if (node.failed())
    return {};
  nn::Extents sizes = nn::extentsOf(x), starts(sizes.size(), node.number(0));
  IntList steps(sizes.size(), 1);
  starts.back() = node.number(begin);
  sizes.back() = node.number(count);
  steps.back() = step;
  return node.createSlice(x, starts, sizes, steps);
}

/// Both halves, one after the other or element by element.
Value interleaved(NodeBuilder &node, Value real, Value imaginary, bool isInterleaved) {
  if (node.failed())
    return {};
  IntList shape(node.typeOf(real).getShape()), column(shape), whole(shape);
  if (!isInterleaved)
    return node.create<nn::ConcatOp>(ValueRange{real, imaginary}, static_cast<uint64_t>(shape.size() - 1));
  column.push_back(1);
  whole.back() *= 2;
  Value columns[] = {node.createReshape(real, column), node.createReshape(imaginary, column)};
  return node.createReshape(node.create<nn::ConcatOp>(columns, static_cast<uint64_t>(shape.size())), whole);
}

Value turned(NodeBuilder &node, const Rotation &r) {
  int64_t half = r.size / 2, step = r.isInterleaved ? 2 : 1;
  Value first = lastSlice(node, r.x, 0, half, step);
  Value second = lastSlice(node, r.x, r.isInterleaved ? 1 : half, half, step);
  Value real = node.create<nn::SubOp>(node.create<nn::MulOp>(r.cosine, first), node.create<nn::MulOp>(r.sine, second));
  Value imaginary =
      node.create<nn::AddOp>(node.create<nn::MulOp>(r.sine, first), node.create<nn::MulOp>(r.cosine, second));
  Value result = interleaved(node, real, imaginary, r.isInterleaved);
  if (node.failed())
    return {};
  int64_t all = node.typeOf(r.x).getShape().back();
  if (r.size == all)
    return result;
  Value rest = lastSlice(node, r.x, r.size, all - r.size, 1);
  return node.create<nn::ConcatOp>(ValueRange{result, rest}, uint64_t{3});
}

/// The cache's rows at the positions; the cache itself, one row for each place, where there are none.
Value anglesAt(NodeBuilder &node, Value cache, Value positions) {
  if (node.failed())
    return {};
  if (node.typeOf(cache).getRank() != (positions ? 2 : 3)) {
    node.fail("the caches must have two dimensions with positions and three without, found " +
              nn::describe(cache.getType()));
    return {};
  }
  return positions ? node.create<nn::GatherOp>(cache, positions, uint64_t{0}) : cache;
}

/// [batch, length, half] as it broadcasts to x, whose heads are at dimension `heads`.
Value besideHeads(NodeBuilder &node, Value angles, int64_t heads, int64_t half) {
  if (node.failed())
    return {};
  auto type = node.typeOf(angles);
  if (type.getRank() != 3 || type.getDimSize(2) != half) {
    node.fail("the caches must have " + llvm::Twine(half) + " numbers for each place, found " + nn::describe(type));
    return {};
  }
  IntList shape(type.getShape());
  shape.insert(shape.begin() + heads, 1);
  return node.createReshape(angles, shape);
}

/// The operator on x [batch, heads, length, size] or [batch, length, heads * size], where `heads` is their number.
void rotate(NodeBuilder &node, Value cosines, Value sines, Value positions, int64_t heads) {
  auto type = node.typeOf(0);
  Rotation r;
  r.x = node.getInput(0);
  r.isInterleaved = node.getBool("interleaved", false);
  int64_t headsAt = type.getRank() == 4 ? 1 : 2;
  if (type.getRank() == 3) {
    if (heads < 1 || type.isDynamicDim(2) || type.getDimSize(2) % heads != 0)
      return node.fail("'num_heads' must divide the last extent of " + nn::describe(type) + ", found " +
                       llvm::Twine(heads));
    r.x = node.createReshape(r.x, {type.getDimSize(0), type.getDimSize(1), heads, type.getDimSize(2) / heads});
  } else if (type.getRank() != 4) {
    return node.fail("input must have three or four dimensions, found " + nn::describe(type));
  }
  if (node.failed())
    return;
  int64_t all = node.typeOf(r.x).getShape().back();
  r.size = node.getInt("rotary_embedding_dim", 0);
  r.size = r.size == 0 ? all : r.size;
  if (ShapedType::isDynamic(all) || r.size < 0 || r.size > all || r.size % 2 != 0)
    return node.fail("an even number of elements of a head must be turned, found " + llvm::Twine(r.size) + " of " +
                     llvm::Twine(all));
  r.cosine = besideHeads(node, anglesAt(node, cosines, positions), headsAt, r.size / 2);
  r.sine = besideHeads(node, anglesAt(node, sines, positions), headsAt, r.size / 2);
  Value result = turned(node, r);
  if (!node.failed())
    node.setResult(0, node.createReshapeTo(result, nn::extentsOf(type)));
}

/// (x, cosines, sines, positions)
void buildRotaryEmbedding(NodeBuilder &node) {
  rotate(node, node.getInput(1), node.getInput(2), node.getInput(3), node.getInt("num_heads", 0));
}

/// [batch, length], or one number: that of the first place.
Value positionsFrom(NodeBuilder &node, Value first, AffineExpr length) {
  if (node.failed() || node.typeOf(first).getRank() != 1)
    return first;
  auto type = node.typeOf(first);
  if (type.getShape() != llvm::ArrayRef<int64_t>{1} || !type.getElementType().isInteger(64)) {
    node.fail("positions must have two dimensions or be one number of type i64, found " + nn::describe(type));
    return {};
  }
  return node.create<nn::AddOp>(createCounts(node, length, 1, 2), first);
}

/// com.microsoft's (x, positions, cosines, sines), where the number of heads may follow from the caches.
void buildMicrosoftRotaryEmbedding(NodeBuilder &node) {
  node.ignoreAttribute("scale"); // ONNX Runtime reads it, and does nothing with it
  if (node.getBool("is_packed_batching", false))
    return node.fail("'is_packed_batching' is not supported");
  auto type = node.typeOf(0);
  int64_t heads = node.getInt("num_heads", 0);
  bool isFlat = type.getRank() == 3;
  if (isFlat && heads == 0 && node.typeOf(2).getRank() == 2 && node.typeOf(2).getDimSize(1) > 0)
    heads = type.getDimSize(2) / (2 * node.typeOf(2).getDimSize(1));
  size_t lengthAt = isFlat ? 1 : 2;
  AffineExpr length = type.getRank() > 2 ? node.extentsOf(0)[lengthAt] : AffineExpr();
  Value positions = length ? positionsFrom(node, node.getInput(1), length) : node.getInput(1);
  rotate(node, node.getInput(2), node.getInput(3), positions, heads);
}

} // namespace

void aotc::frontend::addRotaryEmbeddingRules(OpTable &table) {
  table.add("RotaryEmbedding", 3, 4, buildRotaryEmbedding, floats);
  table.add("com.microsoft.RotaryEmbedding", 4, 4, buildMicrosoftRotaryEmbedding, floats);
}
