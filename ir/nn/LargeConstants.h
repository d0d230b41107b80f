// Frees the data of large constants that nothing refers to any more. The context would keep them to its end: a model's
// weights, then the same weights scaled, then packed. Only what the module refers to when this object is made, or what
// retain() is told of, is ever freed.
#ifndef AOTC_IR_NN_LARGE_CONSTANTS_H
#define AOTC_IR_NN_LARGE_CONSTANTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/MapVector.h"

namespace aotc::nn {

class LargeConstants {
public:
  explicit LargeConstants(mlir::Operation *module);

  // One more op refers to `value`; anything but a resource is ignored.
  void retain(mlir::Attribute value);
  // An op that referred to `value` is gone: the last one takes the data with it.
  void release(mlir::Attribute value);
  // After changes that were not told: frees what `module` no longer refers to.
  void freeUnused(mlir::Operation *module);

private:
  using Entry = mlir::DialectResourceBlobManager::BlobEntry;
  llvm::MapVector<Entry *, int> uses;
};

} // namespace aotc::nn

#endif
