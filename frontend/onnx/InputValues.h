// Inputs that a command line gives a value once and for all: they become initializers of the model before anything else
// looks at it, so that everything which folds constants folds them.
#pragma once

#include "frontend/onnx/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"

#include <onnx/onnx_pb.h>

#include <string>
#include <vector>

namespace aotc::frontend {

/// "NAME=FILE.npy" as on the command line: the name and the path, which is empty where there is none.
std::pair<llvm::StringRef, llvm::StringRef> splitInputValue(llvm::StringRef flag);

/// Whether one of the flags is about that input.
bool isGivenValue(llvm::ArrayRef<std::string> flags, llvm::StringRef input);

/// Gives the main graph of `proto` an initializer for each flag, in place of one of that name. The values must have the
/// type and the shape that the model declares. False after an error: usage for flags that do not fit the model or its
/// declarations, else that of the file.
bool addInputValues(onnx::ModelProto &proto, llvm::ArrayRef<std::string> flags, Diagnostics &diagnostics);

} // namespace aotc::frontend
