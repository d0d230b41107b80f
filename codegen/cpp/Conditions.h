// What decides whether a branch is taken, or a loop goes on: a boolean that a step left in memory.
#ifndef AOTC_CODEGEN_CPP_CONDITIONS_H
#define AOTC_CODEGEN_CPP_CONDITIONS_H

#include "codegen/cpp/Values.h"

namespace aotc::codegen {

/// The place of the `condition` of `op`, a planned branch or loop. Fails with a diagnostic on other values than loads.
mlir::FailureOr<Place> conditionPlace(mlir::Operation *op, mlir::Value condition, BufferTable &buffers);

/// As C++ of a file that sees `frame` and no names of buffers: `*frame.at<bool>(4096)`.
mlir::FailureOr<std::string> conditionText(mlir::Operation *op, mlir::Value condition, BufferTable &buffers);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_CONDITIONS_H
