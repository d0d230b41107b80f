// MatMulNBits: a product with weights of a few bits each, which are unpacked into real numbers when compiling.
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/Spatial.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// The geometry of the weights: N rows of K numbers, `blockSize` of which share a scale and a zero point.
struct Packing {
  int64_t k = 0, n = 0, bits = 0, blockSize = 0;

  int64_t blocks() const { return llvm::divideCeil(k, blockSize); }
  int64_t bytesPerBlock() const { return blockSize * bits / 8; }
  int64_t zerosPerRow() const { return llvm::divideCeil(blocks() * bits, 8); }
};

Packing readPacking(NodeBuilder &node) {
  Packing packing{node.getInt("K"), node.getInt("N"), node.getInt("bits", 4), node.getInt("block_size")};
  node.ignoreAttribute("accuracy_level"); // how far activations may be rounded: not at all, here
  if (node.failed())
    return packing;
  bool fits = packing.k > 0 && packing.n > 0 && packing.k <= INT32_MAX && packing.n <= INT32_MAX;
  bool isKnown = packing.bits == 2 || packing.bits == 4 || packing.bits == 8;
  bool isBlock = packing.blockSize >= 16 && packing.blockSize <= INT32_MAX && llvm::isPowerOf2_64(packing.blockSize);
  if (!fits || !isKnown || !isBlock)
    node.fail("'bits' must be 2, 4 or 8, 'block_size' a power of two from 16 on, K and N at least 1, found " +
              llvm::Twine(packing.bits) + ", " + llvm::Twine(packing.blockSize) + ", " + llvm::Twine(packing.k) +
              " and " + llvm::Twine(packing.n));
  return packing;
}

/// The constant at input `index`, of `count` elements, of uint8 or any float.
std::optional<nn::HostTensor> readConstant(NodeBuilder &node, size_t index, int64_t count, bool isFloat) {
  if (node.failed())
    return std::nullopt;
  std::optional<nn::HostTensor> tensor = NodeBuilder::viewConstant(node.getInput(index));
  auto type = node.typeOf(index);
  bool isType = isFloat ? isa<FloatType>(type.getElementType()) : type.getElementType().isUnsignedInteger(8);
  if (!tensor)
    node.fail(node.describeInput(index) + " must be constant");
  else if (!isType || !type.hasStaticShape() || tensor->size() != count)
    node.fail(node.describeInput(index) + " must have " + llvm::Twine(count) + (isFloat ? " floats" : " bytes") +
              ", found " + nn::describe(type));
  return node.failed() ? std::nullopt : tensor;
}

/// Number `index` of those that lie in the bytes from `begin` on, the first one in the lowest bits.
int64_t unpacked(const nn::HostTensor &bytes, int64_t begin, int64_t index, int64_t bits) {
  int64_t place = index * bits;
  return bytes.toInteger(begin + place / 8) >> (place % 8) & ((int64_t{1} << bits) - 1);
}

/// The weights as real numbers, [K, N].
std::optional<nn::HostTensor> realWeights(NodeBuilder &node, const Packing &p) {
  auto bytes = readConstant(node, 1, p.n * p.blocks() * p.bytesPerBlock(), /*isFloat=*/false);
  auto scales = readConstant(node, 2, p.n * p.blocks(), /*isFloat=*/true);
  std::optional<nn::HostTensor> zeros;
  bool arePacked = node.getInput(3) && !isa<FloatType>(node.typeOf(3).getElementType());
  if (node.getInput(3))
    zeros = readConstant(node, 3, p.n * (arePacked ? p.zerosPerRow() : p.blocks()), !arePacked);
  if (node.failed())
    return std::nullopt;
  nn::HostTensor result(RankedTensorType::get({p.k, p.n}, node.getBuilder().getF32Type()));
  llvm::MutableArrayRef<float> values = result.asMutable<float>();
  for (int64_t row = 0; row < p.n; ++row)
    for (int64_t block = 0; block < p.blocks(); ++block) {
      int64_t at = row * p.blocks() + block;
      double zero = arePacked ? static_cast<double>(unpacked(*zeros, row * p.zerosPerRow(), block, p.bits))
                    : zeros   ? zeros->toDouble(at)
                              : static_cast<double>(int64_t{1} << (p.bits - 1));
      for (int64_t i = block * p.blockSize; i < std::min(p.k, (block + 1) * p.blockSize); ++i) {
        int64_t number = unpacked(*bytes, at * p.bytesPerBlock(), i - block * p.blockSize, p.bits);
        values[static_cast<size_t>(i * p.n + row)] =
            static_cast<float>(static_cast<double>(number) - zero) * static_cast<float>(scales->toDouble(at));
      }
    }
  return result;
}

/// (a, weights, scales, zero points, order of the groups, bias)
void buildMatMulNBits(NodeBuilder &node) {
  Packing packing = readPacking(node);
  if (node.getInput(4))
    return node.fail("an order of the groups (input 4) is not supported");
  std::optional<nn::HostTensor> weights = realWeights(node, packing);
  if (!weights)
    return;
  Value product = node.create<nn::MatMulOp>(node.getInput(0), node.createConstant(weights->toAttr()));
  Value bias = node.getInput(5);
  Value sum = bias ? node.create<nn::AddOp>(product, bias) : product;
  if (sum && sum.getType() != product.getType())
    return node.fail("the bias must broadcast to " + nn::describe(product.getType()) + ", found " +
                     nn::describe(bias.getType()));
  node.setResult(0, sum);
}

} // namespace

void aotc::frontend::addPackedProductsRules(OpTable &table) {
  table.add("com.microsoft.MatMulNBits", 3, 6, buildMatMulNBits, floats);
}
