// Helpers that kern ops use to list the members of their layout structs from memref types.
#ifndef AOTC_IR_KERN_LAYOUT_H
#define AOTC_IR_KERN_LAYOUT_H

#include "ir/kern/Dialect.h"

namespace aotc::kern {

// The extent of a dimension under a name of the kernel's contract.
LayoutMember extentMember(llvm::StringRef name, mlir::Value memref, int64_t dim);

// The distance in elements between neighbours along a dimension. It is kDynamic where it depends on an extent known
// only at run time: the strides of dimensions outside a bounded one.
LayoutMember strideMember(llvm::StringRef name, mlir::Value memref, int64_t dim);

// The elements of a shaped value.
int64_t countElements(mlir::Value shaped, ExtentOf extentOf);

// The static strides of a memref; kDynamic where unknown.
llvm::SmallVector<int64_t> stridesOf(mlir::Value memref);

} // namespace aotc::kern

#endif
