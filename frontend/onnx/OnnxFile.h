// Reads a .onnx file into the protobuf classes of libonnx. It checks that the bytes are a model, not that the model
// makes sense (Graph.h does) and not its tensors (TensorData.h does).
#pragma once

#include "frontend/onnx/Diagnostics.h"

#include <onnx/onnx_pb.h>

#include <memory>
#include <string>

namespace aotc::frontend {

/// A parsed model and where it came from. Weights are moved out of it while it is imported.
class OnnxFile {
public:
  /// Null after an error, which was then reported: ErrorClass::file where the system refuses, else content.
  static std::unique_ptr<OnnxFile> read(llvm::StringRef path, Diagnostics &diagnostics);

  onnx::ModelProto &getModel() { return model; }
  /// The folder that external data is read from, "." for a bare file name.
  const std::string &getFolder() const { return folder; }

private:
  onnx::ModelProto model;
  std::string folder;
};

} // namespace aotc::frontend
