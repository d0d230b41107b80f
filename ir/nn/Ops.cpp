// The generated op definitions; families that need more than a row have a .cpp of their own.
#include "ir/nn/Dialect.h"
#include "ir/nn/Scalar.h"
#include "ir/nn/Shapes.h"
#include <limits>

#define GET_OP_CLASSES
#include "ir/nn/Ops.cpp.inc"
