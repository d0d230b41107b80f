// Weights as attributes. Dense elements live as long as the context, which is right for small ones and for integers,
// whose values passes read; resources can be freed once their contents are packed.
#include "frontend/onnx/Constants.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

using namespace aotc::frontend;
using namespace mlir;

namespace {

constexpr size_t largestDenseBytes = 1024;

/// One element per byte, low bits first, as dense elements store types of less than 8 bits and as generated code reads
/// them: signs extended.
std::string unpack(llvm::ArrayRef<char> packed, unsigned bits, bool isUnsigned, int64_t count) {
  std::string values(static_cast<size_t>(count), '\0');
  unsigned perByte = 8 / bits;
  for (size_t i = 0; i < values.size(); ++i) {
    unsigned byte = static_cast<unsigned char>(packed[i / perByte]);
    unsigned value = byte >> (i % perByte * bits) & ((1u << bits) - 1);
    values[i] = static_cast<char>(isUnsigned ? value : llvm::SignExtend32(value, bits));
  }
  return values;
}

ElementsAttr getDense(RankedTensorType type, llvm::ArrayRef<char> bytes) {
  unsigned width = type.getElementTypeBitWidth();
  if (width == 1) {
    llvm::SmallVector<bool> values;
    for (char byte : bytes)
      values.push_back(byte != 0);
    return DenseElementsAttr::get(type, llvm::ArrayRef<bool>(values));
  }
  if (width < 8) {
    std::string values = unpack(bytes, width, type.getElementType().isUnsignedInteger(), type.getNumElements());
    return DenseElementsAttr::getFromRawBuffer(type, llvm::ArrayRef<char>(values.data(), values.size()));
  }
  return DenseElementsAttr::getFromRawBuffer(type, bytes);
}

AsmResourceBlob makeBlob(SharedBytes shared, size_t elementBytes) {
  llvm::ArrayRef<char> bytes = shared.bytes;
  bool aligned = reinterpret_cast<uintptr_t>(bytes.data()) % elementBytes == 0;
  if (!shared.owner || !aligned)
    return HeapAsmResourceBlob::allocateAndCopyWithAlign(bytes, /*align=*/64);
  auto release = [owner = std::move(shared.owner)](void *, size_t, size_t) mutable { owner.reset(); };
  return AsmResourceBlob(bytes, elementBytes, std::move(release), /*dataIsMutable=*/false);
}

} // namespace

mlir::Type aotc::frontend::mlirElementType(int32_t elementType, MLIRContext *context) {
  Builder builder(context);
  switch (elementType) {
  case ElementType::float32:
    return builder.getF32Type();
  case ElementType::float64:
    return builder.getF64Type();
  case ElementType::float16:
    return builder.getF16Type();
  case ElementType::bfloat16:
    return builder.getBF16Type();
  case ElementType::boolean:
    return builder.getI1Type();
  case ElementType::int4:
  case ElementType::int8:
  case ElementType::int16:
  case ElementType::int32:
  case ElementType::int64:
    return builder.getIntegerType(elementBits(elementType));
  case ElementType::uint4:
  case ElementType::uint8:
  case ElementType::uint16:
  case ElementType::uint32:
  case ElementType::uint64:
    return builder.getIntegerType(elementBits(elementType), /*isSigned=*/false);
  case ElementType::float8e4m3fn:
    return builder.getFloat8E4M3FNType();
  case ElementType::float8e4m3fnuz:
    return builder.getFloat8E4M3FNUZType();
  case ElementType::float8e5m2:
    return builder.getFloat8E5M2Type();
  case ElementType::float8e5m2fnuz:
    return builder.getFloat8E5M2FNUZType();
  default:
    return {};
  }
}

ElementsAttr Constants::get(TensorData tensor, const std::string &what, Diagnostics &diagnostics) {
  Type element = mlirElementType(tensor.elementType, context);
  if (!element) {
    diagnostics.error(what + ": element type " + elementTypeName(tensor.elementType) + " is not supported");
    return {};
  }
  auto type = RankedTensorType::get(tensor.dims, element);
  bool isResource = isa<FloatType>(type.getElementType()) && tensor.data.bytes.size() > largestDenseBytes;
  return isResource ? getResource(type, std::move(tensor.data)) : getDense(type, tensor.data.bytes);
}

ElementsAttr Constants::getResource(RankedTensorType type, SharedBytes shared) {
  llvm::ArrayRef<char> bytes = shared.bytes;
  uint64_t hash = llvm::xxh3_64bits({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  auto [first, last] = resources.equal_range(hash);
  for (auto place = first; place != last; ++place)
    if (AsmResourceBlob *blob = place->second.getBlob(); blob && blob->getData() == bytes)
      return DenseResourceElementsAttr::get(type, place->second);
  std::string name = "w_" + llvm::utohexstr(hash, /*LowerCase=*/true, /*Width=*/16);
  auto attribute =
      DenseResourceElementsAttr::get(type, name, makeBlob(std::move(shared), type.getElementTypeBitWidth() / 8));
  resources.emplace(hash, attribute.getRawHandle());
  return attribute;
}
