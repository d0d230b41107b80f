// How generated code speaks of the ONNX nodes that a step stands for. Does not make names unique.
#ifndef AOTC_CODEGEN_CPP_NODENAMES_H
#define AOTC_CODEGEN_CPP_NODENAMES_H

#include "mlir/IR/Operation.h"

#include <string>

namespace aotc::codegen {

/// The part of a node's name that tells it apart, before it is cleaned (cleanIdentifier()). Exporters put paths there,
/// and several of them where they fused:
///
///     "conv2d_2" -> conv2d_2                    "/layer1/layer1.0/conv1/Conv" -> layer1.0/conv1
///     "Conv_12"  -> Conv_12                     "model/add/add"               -> add
///     "model/conv2d/BiasAdd;model/conv2d_2/Conv2D;model/conv2d/Conv2D1" -> conv2d
std::string shortNodeName(llvm::StringRef name);

/// Name of the first and of the last node that `op` stands for; `kind` where it stands for none.
std::string firstNodeName(mlir::Operation *op, llvm::StringRef kind);
std::string lastNodeName(mlir::Operation *op, llvm::StringRef kind);

/// `Conv "conv2d_2" + Add + Relu`, with the operators of at most six nodes; `kind` where there is no node.
std::string nodesText(mlir::Operation *op, llvm::StringRef kind);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_NODENAMES_H
