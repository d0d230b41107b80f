#include "ir/kern/Layout.h"

using namespace mlir;

namespace aotc::kern {

SmallVector<int64_t> stridesOf(Value memref) {
  SmallVector<int64_t> strides;
  int64_t offset;
  LogicalResult known = getStridesAndOffset(cast<MemRefType>(memref.getType()), strides, offset);
  assert(succeeded(known) && "kern operands are strided memrefs");
  (void)known;
  return strides;
}

LayoutMember extentMember(StringRef name, Value memref, int64_t dim) {
  return {name, cast<MemRefType>(memref.getType()).getDimSize(dim), memref, dim};
}

LayoutMember strideMember(StringRef name, Value memref, int64_t dim) {
  return {name, stridesOf(memref)[dim], memref, dim, true};
}

int64_t countElements(Value shaped, ExtentOf extentOf) {
  int64_t count = 1;
  for (int64_t dim = 0; dim < cast<ShapedType>(shaped.getType()).getRank(); ++dim)
    count *= extentOf(shaped, static_cast<unsigned>(dim));
  return count;
}

} // namespace aotc::kern
