// What `aotc --describe` prints: a model's inputs, outputs, open dimensions and operators. Nothing is compiled.
#pragma once

#include "frontend/onnx/Graph.h"

namespace aotc::frontend {

/// False after an error, which was reported. Operators that are not supported are marked, which is no error.
bool describeModel(llvm::StringRef path, const GraphOptions &options, llvm::raw_ostream &out, Diagnostics &diagnostics);

} // namespace aotc::frontend
