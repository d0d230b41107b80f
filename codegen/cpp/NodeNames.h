// How generated code speaks of the ONNX nodes that a step stands for. Does not make names unique.
#ifndef AOTC_CODEGEN_CPP_NODENAMES_H
#define AOTC_CODEGEN_CPP_NODENAMES_H

#include "ir/nn/Dialect.h"
#include "llvm/ADT/StringMap.h"

#include <string>

namespace aotc::codegen {

/// The part of a node's name that tells it apart, before it is cleaned (cleanIdentifier()). Exporters put paths there,
/// and several of them where they fused:
///
///     "conv2d_2" -> conv2d_2                    "/layer1/layer1.0/conv1/Conv" -> layer1.0/conv1
///     "Conv_12"  -> Conv_12                     "model/add/add"               -> add
///     "model/conv2d/BiasAdd;model/conv2d_2/Conv2D;model/conv2d/Conv2D1" -> conv2d
std::string shortNodeName(llvm::StringRef name);

/// The first and the last node that `op` stands for; null where it stands for none.
nn::NodeAttr firstNode(mlir::Operation *op);
nn::NodeAttr lastNode(mlir::Operation *op);

/// Short names of nodes, some of which may be null. Where those of several steps would have one, all of them keep the
/// end of their path:
///
///     "/r/LSTM", "/r/LSTM_1" -> r/LSTM, r/LSTM_1
class NodeNames {
public:
  NodeNames() = default;
  /// Each of them is a step's.
  explicit NodeNames(llvm::ArrayRef<nn::NodeAttr> nodes);
  /// All of them are one step's.
  void addStep(llvm::ArrayRef<nn::NodeAttr> nodes);
  /// `kind` where `node` is null.
  std::string of(nn::NodeAttr node, llvm::StringRef kind) const;

private:
  struct Owner {
    std::string fullName; // empty where there are several
    size_t step;
  };
  llvm::StringMap<Owner> owners; // of each short name
  size_t steps = 0;
};

/// `Conv "conv2d_2" + Add + Relu`, with the operators of at most six nodes; `kind` where there is no node.
std::string nodesText(mlir::Operation *op, llvm::StringRef kind, const NodeNames &names);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_NODENAMES_H
