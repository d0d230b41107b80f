// What convolution kernels are compared with: layouts given as template arguments, packing, and a loop in double.
#pragma once
#include "StepRunner.h"
#include "aotc/kernels/config.hpp"

namespace aotc::test {

struct Pads {
  int top, left, bottom, right;
};

// A convolution with constant extents. Gap floats lie behind each pixel and row of both buffers.
template <int InH, int InW, int InC, int OutC, int KernelH, int KernelW, int Stride = 1, int Dilation = 1,
          int Groups = 1, int PadTop = 0, int PadLeft = 0, int PadBottom = 0, int PadRight = 0, int Batch = 1,
          int Gap = 0>
struct ConvLayout {
  static constexpr int batch = Batch, in_h = InH, in_w = InW, in_channels = InC, out_channels = OutC, groups = Groups;
  static constexpr int kernel_h = KernelH, kernel_w = KernelW, stride_h = Stride, stride_w = Stride;
  static constexpr int dilation_h = Dilation, dilation_w = Dilation, pad_top = PadTop, pad_left = PadLeft;
  static constexpr int out_h = (InH + PadTop + PadBottom - (KernelH - 1) * Dilation - 1) / Stride + 1;
  static constexpr int out_w = (InW + PadLeft + PadRight - (KernelW - 1) * Dilation - 1) / Stride + 1;
  static constexpr int in_channel = 1, in_pixel = InC + Gap, in_row = InW * in_pixel + Gap,
                       in_image = InH * in_row + Gap;
  static constexpr int out_pixel = OutC + Gap, out_row = out_w * out_pixel + Gap, out_image = out_h * out_row + Gap;
};

// The same convolution with extents that the kernel knows only at run time.
template <class Constant> struct RunTimeLayout {
  static constexpr int in_channels = Constant::in_channels, out_channels = Constant::out_channels;
  static constexpr int groups = Constant::groups, kernel_h = Constant::kernel_h, kernel_w = Constant::kernel_w;
  static constexpr int stride_h = Constant::stride_h, stride_w = Constant::stride_w;
  static constexpr int dilation_h = Constant::dilation_h, dilation_w = Constant::dilation_w;
  static constexpr int in_channel = Constant::in_channel, in_pixel = Constant::in_pixel;
  static constexpr int out_pixel = Constant::out_pixel;
  int batch = Constant::batch, in_h = Constant::in_h, in_w = Constant::in_w, pad_top = Constant::pad_top;
  int pad_left = Constant::pad_left, out_h = Constant::out_h, out_w = Constant::out_w, in_row = Constant::in_row;
  int in_image = Constant::in_image, out_row = Constant::out_row, out_image = Constant::out_image;
};

// Any of these layouts as data: what follows is compiled once for all of them.
struct ConvSizes {
  int batch, in_h, in_w, in_channels, out_channels, groups, kernel_h, kernel_w, stride_h, stride_w;
  int dilation_h, dilation_w, pad_top, pad_left, out_h, out_w;
  int in_channel, in_pixel, in_row, in_image, out_pixel, out_row, out_image;

  template <class L>
  ConvSizes(const L &l)
      : batch(l.batch), in_h(l.in_h), in_w(l.in_w), in_channels(l.in_channels), out_channels(l.out_channels),
        groups(l.groups), kernel_h(l.kernel_h), kernel_w(l.kernel_w), stride_h(l.stride_h), stride_w(l.stride_w),
        dilation_h(l.dilation_h), dilation_w(l.dilation_w), pad_top(l.pad_top), pad_left(l.pad_left), out_h(l.out_h),
        out_w(l.out_w), in_channel(l.in_channel), in_pixel(l.in_pixel), in_row(l.in_row), in_image(l.in_image),
        out_pixel(l.out_pixel), out_row(l.out_row), out_image(l.out_image) {}
};

inline std::vector<float> randomInput(const ConvSizes &l) {
  return randomValues<float>(static_cast<std::size_t>(l.batch * l.in_image), 1);
}
inline std::vector<float> randomOutput(const ConvSizes &l) {
  return randomValues<float>(static_cast<std::size_t>(l.batch * l.out_image), 2);
}
// [out_channels][in_channels / groups][kernel_h][kernel_w], as ONNX has it.
inline std::vector<float> randomWeights(const ConvSizes &l) {
  return randomValues<float>(
      static_cast<std::size_t>(l.out_channels * (l.in_channels / l.groups) * l.kernel_h * l.kernel_w), 3);
}
inline float weightOf(const ConvSizes &l, const std::vector<float> &weights, int o, int c, int kh, int kw) {
  return weights[static_cast<std::size_t>(((o * (l.in_channels / l.groups) + c) * l.kernel_h + kh) * l.kernel_w + kw)];
}

// One output of sum + bias + skip in double, and the sum of magnitudes that its error is measured by.
struct Exact {
  double value, magnitude;
};
inline Exact exactOutput(const ConvSizes &l, const std::vector<float> &x, const std::vector<float> &weights, int n,
                         int h, int w, int o) {
  const int groupIn = l.in_channels / l.groups, group = o / (l.out_channels / l.groups);
  Exact exact{0.0, 0.0};
  for (int kh = 0; kh < l.kernel_h; ++kh)
    for (int kw = 0; kw < l.kernel_w; ++kw) {
      const int row = h * l.stride_h - l.pad_top + kh * l.dilation_h,
                column = w * l.stride_w - l.pad_left + kw * l.dilation_w;
      if (row < 0 || row >= l.in_h || column < 0 || column >= l.in_w)
        continue;
      for (int c = 0; c < groupIn; ++c) {
        const float value = x[static_cast<std::size_t>(n * l.in_image + row * l.in_row + column * l.in_pixel +
                                                       (group * groupIn + c) * l.in_channel)];
        const double product = static_cast<double>(value) * static_cast<double>(weightOf(l, weights, o, c, kh, kw));
        exact.value += product;
        exact.magnitude += std::fabs(product);
      }
    }
  return exact;
}

// Runs a kernel with bias and a skip connection computed in place and compares every output. Elements between pixels
// must keep what they held. run(x, y, bias, part) stores sum + bias + skip.
using RunConv = std::function<void(const float *x, float *y, const float *bias, Part part)>;
inline void expectConvolves(const ConvSizes &l, const std::vector<float> &x, const std::vector<float> &weights,
                            int units, const RunConv &run, double precision = 2e-6) {
  const std::vector<float> before = randomOutput(l),
                           bias = randomValues<float>(static_cast<std::size_t>(l.out_channels), 4);
  std::vector<bool> computed(before.size());
  const std::vector<float> after =
      runStep(before, units, [&](float *y, Part part) { run(x.data(), y, bias.data(), part); });
  for (int n = 0; n < l.batch; ++n)
    for (int h = 0; h < l.out_h; ++h)
      for (int w = 0; w < l.out_w; ++w)
        for (int o = 0; o < l.out_channels; ++o) {
          const auto at = static_cast<std::size_t>(n * l.out_image + h * l.out_row + w * l.out_pixel + o);
          const Exact exact = exactOutput(l, x, weights, n, h, w, o);
          const double expected =
              exact.value + static_cast<double>(bias[static_cast<std::size_t>(o)]) + static_cast<double>(before[at]);
          const double tolerance = std::isfinite(exact.magnitude) ? precision * (exact.magnitude + 4.0) : 0.0;
          computed[at] = true;
          if (std::isnan(expected))
            ASSERT_TRUE(std::isnan(after[at])) << n << ", " << h << ", " << w << ", " << o << ": " << after[at];
          else if (std::isinf(expected))
            ASSERT_EQ(after[at], expected) << n << ", " << h << ", " << w << ", " << o;
          else
            ASSERT_NEAR(after[at], expected, tolerance) << n << ", " << h << ", " << w << ", " << o;
        }
  for (std::size_t i = 0; i < after.size(); ++i)
    ASSERT_TRUE(computed[i] || after[i] == before[i]) << "element " << i << " between the pixels was overwritten";
}

} // namespace aotc::test
