// What marks steps that only serve another one, where neither their op nor their nodes tell.
#ifndef AOTC_IR_KERN_HELPERS_H
#define AOTC_IR_KERN_HELPERS_H

#include "llvm/ADT/StringRef.h"

namespace aotc::kern {

// On the step that works out an integer convolution's offsets from a zero point that only the run knows.
constexpr llvm::StringLiteral offsetsAttrName = "aotc.offsets";

} // namespace aotc::kern

#endif
