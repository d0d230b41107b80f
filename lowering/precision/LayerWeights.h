// The weights of a layer, seen the same way whether it is a convolution or a product: filters (output channels), the
// input channels that each of them reads, and the taps of each of those.
#ifndef AOTC_LOWERING_PRECISION_LAYER_WEIGHTS_H
#define AOTC_LOWERING_PRECISION_LAYER_WEIGHTS_H

#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"

namespace aotc::precision {

class LayerWeights {
public:
  // An nn.conv or nn.matmul of constant f32 weights.
  explicit LayerWeights(mlir::Operation *layer);

  int64_t filters() const { return filterCount; }
  int64_t channels() const { return channelCount; } // of the input
  int64_t taps() const { return tapCount; }
  // The first of the input channels that a filter reads.
  int64_t firstChannelOf(int64_t filter) const { return filter / (filterCount / groups) * perFilter; }

  // Where the weight for the `channel`-th of a filter's own input channels lies.
  int64_t indexOf(int64_t filter, int64_t channel, int64_t tap) const {
    return isMatrix ? channel * filterCount + filter : (filter * perFilter + channel) * tapCount + tap;
  }
  double at(int64_t filter, int64_t channel, int64_t tap) const { return real[indexOf(filter, channel, tap)]; }
  // visit(channel of the input, index) for all weights of a filter.
  template <class Visit> void forEach(int64_t filter, const Visit &visit) const {
    for (int64_t channel = 0; channel < perFilter; ++channel)
      for (int64_t tap = 0; tap < tapCount; ++tap)
        visit(firstChannelOf(filter) + channel, indexOf(filter, channel, tap));
  }
  double largest(int64_t filter) const;

  mlir::RankedTensorType type() const { return tensor.type(); }
  llvm::ArrayRef<float> values() const { return real; }

private:
  nn::HostTensor tensor;
  llvm::ArrayRef<float> real;
  bool isMatrix;
  int64_t groups = 1, filterCount, perFilter, channelCount, tapCount = 1;
};

// The constant bias of a convolution as f32, zeros where there is none.
nn::HostTensor biasOf(nn::ConvOp conv);

} // namespace aotc::precision

#endif
