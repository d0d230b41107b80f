// Registration of the kern dialect and its generated definitions.
#include "ir/kern/Dialect.h"

#include "ir/kern/Effects.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "ir/kern/Dialect.cpp.inc"
#include "ir/kern/Enums.cpp.inc"
#include "ir/kern/Interfaces.cpp.inc"

#define GET_OP_CLASSES
#include "ir/kern/Ops.cpp.inc"

namespace aotc::kern {

void KERNDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ir/kern/Ops.cpp.inc"
      >();
}

} // namespace aotc::kern
