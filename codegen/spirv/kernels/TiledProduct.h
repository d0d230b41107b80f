// The product that matrix products and convolutions are: a workgroup for each tile of the result. A convolution's rows
// are pixels, and what is summed are taps and channels (implicit im2col).
#ifndef AOTC_CODEGEN_SPIRV_KERNELS_TILEDPRODUCT_H
#define AOTC_CODEGEN_SPIRV_KERNELS_TILEDPRODUCT_H

#include "codegen/spirv/Shader.h"

#include <functional>

namespace aotc::codegen {

/// out[z, m, n] = sum over k of a(z, m, k) * b(z, k, n), in f32 or in integers of 32 bits that wrap around.
struct Product {
  mlir::Type element;
  int64_t stacks, m, n, k;
  /// An element of a factor, or 0 where `isInside` is false: a(z, m, k, isInside), b(z, k, n, isInside).
  std::function<mlir::Value(mlir::Value, mlir::Value, mlir::Value, mlir::Value)> a, b;
  std::function<void(mlir::Value, mlir::Value, mlir::Value, mlir::Value)> store; ///< (value, z, m, n)
  /// Of b. Halves stay such in shared memory and become f32 in registers: no product and no sum is rounded to 16 bits.
  mlir::Type weightElement = element;
  /// The same as a and b for four neighbours at once: along k, along n. Null where they are not side by side in memory,
  /// or their number does not divide the extent.
  std::function<Shader::Values(mlir::Value, mlir::Value, mlir::Value, mlir::Value)> fourOfA = {}, fourOfB = {};
};

void buildProduct(Shader &shader, const Product &product);

/// What a convolution's indices are as those of a product.
struct ConvolutionIndices {
  ConvolutionIndices(llvm::ArrayRef<int64_t> kernel, llvm::ArrayRef<int64_t> strides, llvm::ArrayRef<int64_t> pads,
                     llvm::ArrayRef<int64_t> dilations, const GpuOperand &x, const GpuOperand &out, int64_t groups,
                     bool isPlanar);

  int64_t m() const { return pixels[0] * pixels[1] * pixels[2]; }
  int64_t k() const { return kernel[0] * kernel[1] * channels; }
  /// Of the input, for group z, pixel m and product k; clears `isInside` outside of the image.
  Shader::Values input(Shader &shader, mlir::Value z, mlir::Value m, mlir::Value k, mlir::Value &isInside) const;
  /// Of ONNX's weights [filters, channels of a group, kernel height, kernel width].
  Shader::Values weight(Shader &shader, mlir::Value z, mlir::Value k, mlir::Value n) const;
  Shader::Values output(Shader &shader, mlir::Value z, mlir::Value m, mlir::Value n) const;

  llvm::ArrayRef<int64_t> kernel, strides, pads, dilations, pixels;
  int64_t height, width, channels, filters; ///< channels and filters of one group
  bool isPlanar;
};

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_KERNELS_TILEDPRODUCT_H
