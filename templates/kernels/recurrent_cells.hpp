// What one step of a recurrent network computes of a vector of hidden units, once the products are known: the
// activations of ONNX, and the cells LSTM, GRU and RNN made of them. Must not touch memory: recurrent.hpp reads and
// writes, and calls
//
//   gate(g)           the sum of both products and the biases, for gate number g in ONNX's order
//   product(g)        that of the hidden state alone, and input(g), the rest: gate(g) = product(g) + input(g)
//   peephole(g, c, v) v, plus the g-th peephole weight times c where the network has any
#pragma once
#include "math.hpp"

AOTC_KERNELS_BEGIN

// ---------------------------------------------------------------------------------------------------- the activations
namespace activation {

template <class V>
AOTC_INLINE V constant(float value) {
  return V(static_cast<element_of<V>>(value));
}

struct Relu {
  template <class V>
  AOTC_INLINE V operator()(V x) const {
    return relu(x);
  }
};
struct Tanh {
  template <class V>
  AOTC_INLINE V operator()(V x) const {
    return tanh(x);
  }
};
struct Sigmoid {
  template <class V>
  AOTC_INLINE V operator()(V x) const {
    return sigmoid(x);
  }
};
struct Affine {
  float alpha, beta;
  template <class V>
  AOTC_INLINE V operator()(V x) const {
    return constant<V>(alpha) * x + constant<V>(beta);
  }
};
struct LeakyRelu {
  float alpha;
  template <class V>
  AOTC_INLINE V operator()(V x) const {
    return select(lt(x, constant<V>(0)), constant<V>(alpha) * x, x);
  }
};
struct ThresholdedRelu {
  float alpha;
  template <class V>
  AOTC_INLINE V operator()(V x) const {
    return select(ge(x, constant<V>(alpha)), x, constant<V>(0));
  }
};
struct ScaledTanh {
  float alpha, beta;
  template <class V>
  AOTC_INLINE V operator()(V x) const {
    return constant<V>(alpha) * tanh(constant<V>(beta) * x);
  }
};
struct HardSigmoid {
  float alpha, beta;
  template <class V>
  AOTC_INLINE V operator()(V x) const {
    return clip(constant<V>(alpha) * x + constant<V>(beta), element_of<V>(0), element_of<V>(1));
  }
};
struct Elu {
  float alpha;
  template <class V>
  AOTC_INLINE V operator()(V x) const {
    return select(lt(x, constant<V>(0)), constant<V>(alpha) * (exp(x) - constant<V>(1)), x);
  }
};
struct Softsign {
  template <class V>
  AOTC_INLINE V operator()(V x) const {
    return x / (constant<V>(1) + abs(x));
  }
};
// log(1 + e^x) without an overflow for large x.
struct Softplus {
  template <class V>
  AOTC_INLINE V operator()(V x) const {
    return max(x, constant<V>(0)) + log(constant<V>(1) + exp(-abs(x)));
  }
};

}  // namespace activation

// ----------------------------------------------------------------------------------------------------------- the cells

// The threshold of a network that does not clip what enters its activations.
constexpr float unclipped = __builtin_inff();

namespace detail {
template <class V>
AOTC_INLINE V clip_symmetrically(V x, float threshold) {
  if (threshold == unclipped) return x;
  const auto most = static_cast<element_of<V>>(threshold);
  return clip(x, -most, most);
}
}  // namespace detail

// Gates i, o, f, c. Coupled: the forget gate is 1 - i.
template <class F = activation::Sigmoid, class G = activation::Tanh, class H = activation::Tanh, bool Coupled = false>
struct LstmCell {
  F f = {};
  G g = {};
  H h = {};
  float clip = unclipped;

  // The hidden state; `c` is the cell's state before and after.
  template <class V, class Units>
  AOTC_INLINE V operator()(const Units& units, V& c) const {
    const auto enter = [this](V x) AOTC_INLINE_LAMBDA { return detail::clip_symmetrically(x, clip); };
    const V input = f(enter(units.peephole(0, c, units.gate(0))));
    const V candidate = g(enter(units.gate(3)));
    V forget = V(element_of<V>(1)) - input;
    if constexpr (!Coupled) forget = f(enter(units.peephole(2, c, units.gate(2))));
    c = forget * c + input * candidate;
    return f(enter(units.peephole(1, c, units.gate(1)))) * h(c);
  }
};

// Gates z, r, h.
template <class F = activation::Sigmoid, class G = activation::Tanh>
struct GruCell {
  F f = {};
  G g = {};
  float clip = unclipped;

  // z or r.
  template <class V>
  AOTC_INLINE V gate(V x) const {
    return f(detail::clip_symmetrically(x, clip));
  }
  // The hidden state after `before`.
  template <class V>
  AOTC_INLINE V mix(V z, V candidate, V before) const {
    const V entered = g(detail::clip_symmetrically(candidate, clip));
    return (V(element_of<V>(1)) - z) * entered + z * before;
  }
};

template <class F = activation::Tanh>
struct RnnCell {
  F f = {};
  float clip = unclipped;

  template <class V>
  AOTC_INLINE V operator()(V x) const {
    return f(detail::clip_symmetrically(x, clip));
  }
};

AOTC_KERNELS_END
