// Prints the speed of the hot kernels on one thread: GFLOP/s (two per multiply-accumulate) of the best of many short
// runs, so that a busy machine does not count. Shapes are those of common networks. kernel_bench [PATTERN] runs what
// contains PATTERN.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "aotc/kernels/attention.hpp"
#include "aotc/kernels/conv2d.hpp"
#include "aotc/kernels/depthwise.hpp"
#include "aotc/kernels/matmul.hpp"
#include "aotc/kernels/winograd.hpp"

using namespace aotc;

namespace {

const char *pattern = "";

float *buffer(int index, std::size_t floats) {
  static std::vector<std::vector<float>> buffers(5);
  std::vector<float> &b = buffers[static_cast<std::size_t>(index)];
  if (b.size() < floats + 16) {
    b.resize(floats + 16);
    for (std::size_t i = 0; i < b.size(); ++i)
      b[i] = static_cast<float>(i * 2654435761u % 1024) / 512.0f - 1.0f;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(b.data());
  return b.data() + (64 - address % 64) % 64 / sizeof(float);
}

// Runs for about 0.2 s, each sample at least 50 us.
template <class Run> void report(const std::string &name, double flops, double bytes, Run run) {
  using Clock = std::chrono::steady_clock;
  if (name.find(pattern) == std::string::npos)
    return;
  const int repeats = 1 + static_cast<int>(5e6 / flops);
  double best = 1e30, total = 0.0;
  while (total < 0.2) {
    const auto start = Clock::now();
    for (int i = 0; i < repeats; ++i)
      run();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    total += seconds;
    best = std::min(best, seconds / repeats);
  }
  std::printf("%-38s %8.1f GFLOP/s %8.1f GB/s %10.1f us\n", name.c_str(), flops / best * 1e-9, bytes / best * 1e-9,
              best * 1e6);
}

// A fused multiply-add on registers alone: what everything else is measured by.
void reportPeak() {
  Vec<float> sums[12];
  for (Vec<float> &sum : sums)
    sum = Vec<float>(1.0f);
  Vec<float> scale(0.999f), offset(0.001f);
  constexpr int steps = 100000;
  report("peak (fma on registers)", 2.0 * 12 * vec_lanes<float> * steps, 0.0, [&] {
    AOTC_UNROLL(1)
    for (int i = 0; i < steps; ++i) {
      AOTC_UNROLL(12)
      for (int j = 0; j < 12; ++j)
        sums[j] = fma(sums[j], scale, offset);
    }
  });
  volatile float sink = 0.0f;
  for (Vec<float> &sum : sums)
    sink = sink + lane(sum, 0);
}

template <int Size, int InC, int OutC, int Kernel, int Stride, bool Halo, int Groups> struct Layout {
  static constexpr int pad = Halo ? 0 : Kernel / 2, in_h = Size + (Halo ? Kernel / 2 * 2 : 0), in_w = in_h;
  static constexpr int batch = 1, groups = Groups, in_channels = InC, out_channels = OutC, kernel_h = Kernel,
                       kernel_w = Kernel;
  static constexpr int stride_h = Stride, stride_w = Stride, dilation_h = 1, dilation_w = 1, pad_top = pad,
                       pad_left = pad;
  static constexpr int out_h = (in_h + 2 * pad - Kernel) / Stride + 1, out_w = out_h;
  static constexpr int in_channel = 1, in_pixel = InC, in_row = in_w * InC, in_image = in_h * in_row;
  static constexpr int out_pixel = OutC, out_row = out_w * OutC, out_image = out_h * out_row;
  static constexpr double flops = 2.0 * out_h * out_w * OutC * (InC / Groups) * Kernel * Kernel;
  static constexpr double bytes = 4.0 * (in_image + out_image) + 4.0 * OutC * (InC / Groups) * Kernel * Kernel;
  static std::string name(const char *kind) {
    return std::string(kind) + " " + std::to_string(Size) + "x" + std::to_string(Size) + "x" + std::to_string(InC) +
           "->" + std::to_string(OutC) + " " + std::to_string(Kernel) + "x" + std::to_string(Kernel) + "/" +
           std::to_string(Stride) +
           (Kernel == 1 ? ""
            : Halo      ? " halo"
                        : " pads");
  }
};

template <int Size, int InC, int OutC, int Kernel, int Stride = 1, bool Halo = true> void conv() {
  using L = Layout<Size, InC, OutC, Kernel, Stride, Halo, 1>;
  const float *x = buffer(0, L::in_image), *bias = buffer(3, OutC);
  const float *w = buffer(1, static_cast<std::size_t>(round_up(OutC, 16)) * InC * Kernel * Kernel);
  float *y = buffer(2, L::out_image);
  report(L::name("conv"), L::flops, L::bytes, [=] {
    conv2d(L{}, x, w, y, Part{0, conv2d_units(L{}), 0},
           [=](auto sum, auto lanes, int, int, int, int c) { return relu(sum + load(bias + c, lanes)); });
  });
}

// Counted as the direct form would be, so that the two compare.
template <int Size, int InC, int OutC> void winograd() {
  using L = Layout<Size, InC, OutC, 3, 1, true, 1>;
  const float *x = buffer(0, L::in_image), *bias = buffer(3, OutC);
  const float *w = buffer(1, static_cast<std::size_t>(round_up(OutC, 16)) * InC * 36);
  float *y = buffer(2, L::out_image);
  float *scratch = buffer(4, static_cast<std::size_t>(winograd_conv2d_scratch_floats(L{})));
  report(L::name("winograd"), L::flops, L::bytes, [=] {
    winograd_conv2d(L{}, x, w, y, scratch, Part{0, winograd_conv2d_units(L{}), 0},
                    [=](auto sum, auto lanes, int, int, int, int c) { return relu(sum + load(bias + c, lanes)); });
  });
}

template <int Size, int Channels, int Stride, int Kernel = 3, bool Halo = true> void depthwise() {
  using L = Layout<Size, Channels, Channels, Kernel, Stride, Halo, Channels>;
  const float *x = buffer(0, L::in_image), *w = buffer(1, round_up(Channels, 16) * Kernel * Kernel),
              *bias = buffer(3, Channels);
  float *y = buffer(2, L::out_image);
  report(L::name("depthwise"), L::flops, L::bytes, [=] {
    depthwise_conv2d(
        L{}, x, w, y, Part{0, depthwise_conv2d_units(L{}), 0},
        [=](auto sum, auto lanes, int, int, int, int c) { return clip(sum + load(bias + c, lanes), 0.0f, 6.0f); });
  });
}

template <int M, int N, int K, int Batch = 1, bool TransposedB = false> struct Product {
  static constexpr int batch = Batch, m = M, n = N, k = K, a_row = K, a_col = 1, a_batch = M * K, y_row = N,
                       y_batch = M * N;
  static constexpr int b_row = TransposedB ? 1 : N, b_col = TransposedB ? K : 1, b_batch = K * N;
  static constexpr double flops = 2.0 * Batch * M * N * K;
  static std::string name(const char *kind) {
    return std::string(kind) + " " + std::to_string(Batch) + " x " + std::to_string(M) + "x" + std::to_string(N) + "x" +
           std::to_string(K) + (TransposedB ? " b^T" : "");
  }
};

template <int M, int N, int K> void packedProduct() {
  using L = Product<M, N, K>;
  const float *a = buffer(0, static_cast<std::size_t>(M) * K);
  const float *b = buffer(1, static_cast<std::size_t>(round_up(N, 16)) * K);
  float *y = buffer(2, static_cast<std::size_t>(M) * N);
  report(L::name(M == 1 ? "gemv" : "packed"), L::flops, 4.0 * N * K, [=] {
    matmul_packed(L{}, a, b, y, Part{0, matmul_packed_units(L{}), 0},
                  [](auto sum, auto, int, int, int) { return sum; });
  });
}
template <int M, int N, int K, int Batch, bool TransposedB> void product() {
  using L = Product<M, N, K, Batch, TransposedB>;
  const float *a = buffer(0, Batch * M * K), *b = buffer(1, Batch * N * K);
  float *y = buffer(2, Batch * M * N);
  report(L::name("matmul"), L::flops, 4.0 * Batch * (M * K + N * K + M * N), [=] {
    matmul(L{}, a, b, y, Part{0, matmul_units(L{}), 0}, [](auto sum, auto, int, int, int) { return sum; });
  });
}

// Heads beside each other in a row, as projections leave them.
template <int Length, int Heads, int Depth> struct SelfAttention {
  static constexpr int batch = Heads, m = Length, n = Length, depth = Depth, width = Depth, row = Heads * Depth;
  static constexpr int q_batch = Depth, q_row = row, q_col = 1, k_batch = Depth, k_row = 1, k_col = row;
  static constexpr int v_batch = Depth, v_row = row, v_col = 1, y_batch = Depth, y_row = row;
  static constexpr int block_rows = min_of(112, Length), block_keys = min_of(256, Length);
};
template <int Length, int Heads, int Depth> void selfAttention() {
  using L = SelfAttention<Length, Heads, Depth>;
  const float *q = buffer(0, Length * L::row), *k = buffer(1, Length * L::row), *v = buffer(3, Length * L::row);
  float *y = buffer(2, Length * L::row), *scratch = buffer(4, attention_scratch_floats(L{}));
  const std::string shape = std::to_string(Heads) + " x " + std::to_string(Length) + "x" + std::to_string(Depth);
  report("attention " + shape, 4.0 * Heads * Length * Length * Depth, 16.0 * Length * L::row, [=] {
    attention(L{}, q, k, v, y, scratch, Part{0, attention_units(L{}), 0});
  });
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1)
    pattern = argv[1];
  reportPeak();
  conv<56, 64, 64, 3>(), conv<28, 128, 128, 3>(), conv<14, 256, 256, 3>(), conv<7, 512, 512, 3>();
  conv<56, 64, 64, 3, 1, false>(), conv<14, 256, 256, 3, 1, false>(), conv<7, 512, 512, 3, 1, false>();
  conv<32, 16, 16, 3>(), conv<8, 64, 64, 3>(), conv<40, 128, 128, 3>(), conv<20, 256, 256, 3, 2>();
  conv<224, 3, 64, 7, 2, false>(), conv<224, 3, 32, 3, 2, false>();
  winograd<56, 64, 64>(), winograd<28, 128, 128>(), winograd<14, 256, 256>(), winograd<7, 512, 512>();
  winograd<40, 128, 128>(), winograd<32, 16, 16>(), winograd<8, 64, 64>();
  conv<56, 64, 256, 1>(), conv<56, 256, 64, 1>(), conv<28, 512, 128, 1>(), conv<14, 1024, 256, 1>();
  conv<14, 256, 1024, 1>(), conv<7, 2048, 512, 1>(), conv<7, 512, 2048, 1>();
  conv<112, 32, 16, 1>(), conv<112, 16, 96, 1>(), conv<56, 24, 144, 1>(), conv<56, 144, 24, 1>(),
      conv<28, 192, 32, 1>();
  conv<14, 384, 64, 1>(), conv<14, 96, 576, 1>(), conv<7, 160, 960, 1>(), conv<7, 320, 1280, 1>();
  depthwise<112, 32, 1>(), depthwise<112, 96, 2>(), depthwise<56, 144, 1>(), depthwise<56, 144, 2>();
  depthwise<28, 192, 1>(), depthwise<28, 192, 2>(), depthwise<14, 384, 1>(), depthwise<14, 576, 1>();
  depthwise<14, 576, 2>(), depthwise<7, 960, 1>(), depthwise<7, 960, 1, 3, false>(), depthwise<56, 144, 1, 3, false>();
  depthwise<28, 240, 1, 5>(), depthwise<14, 672, 1, 5>(), depthwise<14, 384, 1, 7>();
  packedProduct<1, 1000, 2048>(), packedProduct<1, 4096, 4096>(), packedProduct<1, 256, 256>();
  packedProduct<128, 768, 768>(), packedProduct<128, 3072, 768>(), packedProduct<128, 768, 3072>(),
      packedProduct<8, 512, 512>();
  product<128, 128, 64, 12, true>(), product<128, 64, 128, 12, false>(), product<1, 128, 64, 12, true>();
  product<512, 512, 512, 1, false>(), product<512, 512, 512, 1, true>();
  selfAttention<128, 12, 32>(), selfAttention<197, 12, 64>(), selfAttention<1500, 6, 64>();
  return 0;
}
