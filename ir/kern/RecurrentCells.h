// What calls of templates/kernels/recurrent.hpp say of their cells beside the C++ text of the functors.
#ifndef AOTC_IR_KERN_RECURRENTCELLS_H
#define AOTC_IR_KERN_RECURRENTCELLS_H

#include "llvm/ADT/StringRef.h"

namespace aotc::kern {

/// The names of a direction's activations, where they are alike in all directions, sums are not clipped, and gates not
/// coupled. Parameters that some activations have stand in the functors alone.
constexpr llvm::StringLiteral plainActivationsAttrName = "plain_activations";

} // namespace aotc::kern

#endif // AOTC_IR_KERN_RECURRENTCELLS_H
