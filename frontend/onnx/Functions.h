// Model-local functions: their lookup, and the attributes that a call passes into the body.
#pragma once

#include "frontend/onnx/Graph.h"

#include <deque>
#include <map>
#include <string>

namespace aotc::frontend {

/// One function with what the protobuf classes at hand do not know yet.
struct Function {
  onnx::FunctionProto *proto = nullptr;
  std::string overload;
  std::map<std::string, int64_t> opsets;
  std::deque<onnx::AttributeProto> defaults; ///< attributes that a call may leave out
};

/// All functions of a model, by domain, name and overload.
class FunctionTable {
public:
  /// False after an error: two functions of one name.
  bool build(onnx::ModelProto &model, Diagnostics &diagnostics);
  /// Null where `node` is no call of a model-local function.
  Function *find(const onnx::NodeProto &node);

private:
  std::map<std::string, Function> functions;
};

/// "" for both names of ONNX's own domain.
llvm::StringRef canonicalDomain(llvm::StringRef domain);

/// Versions by domain. False after an error: one domain in two versions.
bool readOpsets(const google::protobuf::RepeatedPtrField<onnx::OperatorSetIdProto> &imports,
                std::map<std::string, int64_t> &opsets, const std::string &what, Diagnostics &diagnostics);

/// The attributes that a body sees: those of the call, then the function's defaults.
llvm::SmallVector<NodeAttribute, 4> bindAttributes(Function &function, llvm::ArrayRef<NodeAttribute> call);

} // namespace aotc::frontend
