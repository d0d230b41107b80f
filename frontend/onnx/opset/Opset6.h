// Operator sets before 7, in which attributes said how operands are aligned, and whether a node is trained.
#pragma once

#include "frontend/onnx/OpTable.h"

namespace aotc::frontend {

/// Upgrades for opset 6. Call it after all operators are known.
void addOpset6Upgrades(OpTable &table);

} // namespace aotc::frontend
