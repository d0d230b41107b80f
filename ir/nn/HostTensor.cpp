#include "ir/nn/HostTensor.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <cstring>

using namespace mlir;

namespace aotc::nn {

static constexpr int64_t largestInlineBytes = 1024;

int64_t elementBytes(Type element) { return (element.getIntOrFloatBitWidth() + 7) / 8; }

HostTensor::HostTensor(RankedTensorType type)
    : tensorType(type), owned(type.getNumElements() * elementBytes(type.getElementType())) {}

static void expandBools(DenseElementsAttr dense, llvm::MutableArrayRef<char> bytes) {
  for (auto [i, value] : llvm::enumerate(dense.getValues<bool>()))
    bytes[i] = value;
}

HostTensor HostTensor::view(ElementsAttr elements) {
  HostTensor result;
  result.tensorType = cast<RankedTensorType>(elements.getShapedType());
  int64_t width = elementBytes(result.tensorType.getElementType());
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    assert(blob && "a resource without data");
    result.viewed = blob->getData();
    assert(result.viewed.empty() == (result.size() == 0) && "a constant's data was freed while it was in use");
    return result;
  }
  auto dense = cast<DenseElementsAttr>(elements);
  if (result.tensorType.getElementType().isInteger(1)) {
    result.owned = TensorBytes(result.size());
    expandBools(dense, result.owned);
  } else if (dense.isSplat()) {
    result.owned = TensorBytes(result.size() * width);
    for (int64_t i = 0; i < result.size(); ++i)
      std::memcpy(result.owned.data() + i * width, dense.getRawData().data(), width);
  } else {
    result.viewed = dense.getRawData();
  }
  return result;
}

static uint64_t loadBits(const char *data, int64_t width) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, width);
  return bits;
}

double HostTensor::toDouble(int64_t index) const {
  Type element = tensorType.getElementType();
  int64_t width = elementBytes(element);
  uint64_t bits = loadBits(bytes().data() + index * width, width);
  if (auto floatType = dyn_cast<FloatType>(element)) {
    llvm::APFloat value(floatType.getFloatSemantics(), llvm::APInt(floatType.getWidth(), bits));
    bool losesInfo;
    value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    return value.convertToDouble();
  }
  int64_t value = toInteger(index);
  return element.isUnsignedInteger() ? static_cast<double>(static_cast<uint64_t>(value)) : static_cast<double>(value);
}

int64_t HostTensor::toInteger(int64_t index) const {
  Type element = tensorType.getElementType();
  if (isa<FloatType>(element))
    return static_cast<int64_t>(toDouble(index));
  int64_t width = elementBytes(element);
  uint64_t bits = loadBits(bytes().data() + index * width, width);
  if (element.isUnsignedInteger() || element.isInteger(1))
    return static_cast<int64_t>(bits);
  return llvm::SignExtend64(bits, element.getIntOrFloatBitWidth());
}

void HostTensor::set(int64_t index, double value) {
  auto floatType = dyn_cast<FloatType>(tensorType.getElementType());
  if (!floatType)
    return setInteger(index, static_cast<int64_t>(value));
  llvm::APFloat rounded(value);
  bool losesInfo;
  rounded.convert(floatType.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  uint64_t bits = rounded.bitcastToAPInt().getZExtValue();
  int64_t width = elementBytes(floatType);
  std::memcpy(owned.data() + index * width, &bits, width);
}

void HostTensor::setInteger(int64_t index, int64_t value) {
  int64_t width = elementBytes(tensorType.getElementType());
  std::memcpy(owned.data() + index * width, &value, width);
}

static DenseElementsAttr toDense(RankedTensorType type, ArrayRef<char> bytes) {
  if (!type.getElementType().isInteger(1))
    return DenseElementsAttr::getFromRawBuffer(type, bytes);
  SmallVector<bool> values(bytes.begin(), bytes.end());
  return DenseElementsAttr::get(type, values);
}

// The resource of that name where it holds the same bytes; null where there is none, or its data was freed.
static ElementsAttr findEqual(RankedTensorType type, StringRef name, ArrayRef<char> data) {
  auto &manager = DenseResourceElementsHandle::getManagerInterface(type.getContext());
  DialectResourceBlobManager::BlobEntry *entry = manager.getBlobManager().lookup(name);
  if (!entry || !entry->getBlob() || entry->getBlob()->getData() != data)
    return {};
  return DenseResourceElementsAttr::get(
      type, DenseResourceElementsHandle(entry, type.getContext()->getLoadedDialect<BuiltinDialect>()));
}

ElementsAttr HostTensor::moveToAttr() {
  ArrayRef<char> data = bytes();
  if (!isa<FloatType>(tensorType.getElementType()) || static_cast<int64_t>(data.size()) <= largestInlineBytes)
    return toDense(tensorType, data);
  uint64_t hash = llvm::xxh3_64bits({reinterpret_cast<const uint8_t *>(data.data()), data.size()});
  std::string name = "w_" + llvm::utohexstr(hash, /*LowerCase=*/true, /*Width=*/16);
  if (ElementsAttr equal = findEqual(tensorType, name, data))
    return equal;
  if (viewed.empty())
    return DenseResourceElementsAttr::get(tensorType, name, std::move(owned).intoBlob());
  return DenseResourceElementsAttr::get(tensorType, name,
                                        HeapAsmResourceBlob::allocateAndCopyWithAlign(data, TensorBytes::alignment));
}

SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

} // namespace aotc::nn
