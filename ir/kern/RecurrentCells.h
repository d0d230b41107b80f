// What calls of templates/kernels/recurrent.hpp say of their cells beside the C++ text of the functors.
#ifndef AOTC_IR_KERN_RECURRENTCELLS_H
#define AOTC_IR_KERN_RECURRENTCELLS_H

#include "llvm/ADT/StringRef.h"

namespace aotc::kern {

/// The names of the activations, of the first direction, where there is no more to the cells: they are alike in all
/// directions, sums are not clipped, and gates not coupled.
constexpr llvm::StringLiteral plainActivationsAttrName = "plain_activations";

} // namespace aotc::kern

#endif // AOTC_IR_KERN_RECURRENTCELLS_H
