#include "ir/nn/LargeConstants.h"

#include "mlir/IR/Operation.h"

using namespace mlir;

namespace aotc::nn {

LargeConstants::LargeConstants(Operation *module) {
  module->walk(
      [&](Operation *op) { op->getAttrDictionary().walk([&](DenseResourceElementsAttr value) { retain(value); }); });
}

void LargeConstants::retain(Attribute value) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    ++uses[resource.getRawHandle().getResource()];
}

void LargeConstants::release(Attribute value) {
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  if (!resource)
    return;
  Entry *entry = resource.getRawHandle().getResource();
  assert(uses.lookup(entry) > 0 && "a constant that nobody retained was released");
  if (--uses[entry] == 0)
    entry->setBlob(AsmResourceBlob());
}

void LargeConstants::freeUnused(Operation *module) {
  LargeConstants now(module);
  for (auto [entry, count] : uses)
    if (count > 0 && !now.uses.count(entry))
      entry->setBlob(AsmResourceBlob());
  uses = std::move(now.uses);
}

} // namespace aotc::nn
