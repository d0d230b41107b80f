// Geometry of one to three spatial dimensions as that of three, for kernels that know no other.
#ifndef AOTC_LOWERING_CONVERT_THREEDIMS_H
#define AOTC_LOWERING_CONVERT_THREEDIMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <type_traits>

namespace aotc::convert {

// One value per dimension, `missing` for those in front that there are not.
template <class T>
llvm::SmallVector<T> threeDims(llvm::ArrayRef<T> values, typename std::common_type<T>::type missing) {
  llvm::SmallVector<T> result(3 - values.size(), missing);
  llvm::append_range(result, values);
  return result;
}

} // namespace aotc::convert

#endif
