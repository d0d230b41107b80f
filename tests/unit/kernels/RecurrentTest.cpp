// LSTM, GRU and RNN against ONNX's equations in double: every optional operand, both directions and layouts, sequences
// of different lengths, panels and blocks of sequences with a rest, one step and none, every activation, NaN.
#include "aotc/kernels/recurrent.hpp"

#include "StepRunner.h"

#include <functional>

using namespace aotc;
using namespace aotc::test;

namespace {

enum class Kind { lstm, gruLinearBeforeReset, gru, rnn };

// Which optional operands there are: none but the outputs, or all of them.
template <int Steps, int Batch, int Directions, int Hidden, bool All, bool BatchFirst = false, bool Reverse = false>
struct Network {
  static constexpr int steps = Steps, batch = Batch, directions = Directions, hidden = Hidden;
  static constexpr int reverse = Reverse, batch_first = BatchFirst, has_initial_h = All, has_lengths = All;
  static constexpr int has_y = 1, has_y_h = 1;
};
template <class Base> struct RunTime : Base { int steps = Base::steps, batch = Base::batch; };
// The members that depend on the kind.
template <Kind Which, class Base> struct Layout : Base {
  static constexpr bool isLstm = Which == Kind::lstm;
  static constexpr int has_initial_c = isLstm && Base::has_initial_h, has_peepholes = has_initial_c, has_y_c = isLstm;
  static constexpr int has_bias = Which == Kind::gruLinearBeforeReset && Base::has_initial_h, has_scales = 0;
};
template <class L> struct OfBytes : L { static constexpr int has_scales = 1; };

// Any of these as data.
struct Shape {
  int steps, batch, directions, hidden, reverse, batch_first, has_initial_h, has_initial_c, has_peepholes, has_lengths;
  int has_bias;
  template <class L>
  Shape(const L &l)
      : steps(l.steps), batch(l.batch), directions(l.directions), hidden(l.hidden), reverse(l.reverse),
        batch_first(l.batch_first), has_initial_h(l.has_initial_h), has_initial_c(l.has_initial_c),
        has_peepholes(l.has_peepholes), has_lengths(l.has_lengths), has_bias(l.has_bias) {}
};

int gatesOf(Kind kind) { return kind == Kind::lstm ? 4 : kind == Kind::rnn ? 1 : 3; }

template <class T> struct Data {
  int gates, panels;
  std::vector<T> x, r, bias, peepholes, h, c, packed;
  std::vector<std::int32_t> lengths;
  std::vector<T> scales = {}; // of weights that are bytes
  std::vector<std::int8_t> bytes = {};
};

// R as ONNX has it, [directions][gates][hidden][hidden], in panels: gates [first, first + count).
template <class T> void pack(const Shape &l, Data<T> &data, int direction, int first, int count) {
  for (int panel = 0; panel < data.panels; ++panel)
    for (int k = 0; k < l.hidden; ++k)
      for (int g = first; g < first + count; ++g)
        for (int j = panel * 16; j < panel * 16 + 16; ++j) {
          const int row = (direction * data.gates + g) * l.hidden + j;
          data.packed.push_back(j < l.hidden ? data.r[static_cast<std::size_t>(row * l.hidden + k)] : T{0});
        }
}

template <class T> Data<T> dataFor(Kind kind, const Shape &l) {
  Data<T> data{gatesOf(kind), (l.hidden + 15) / 16, {}, {}, {}, {}, {}, {}, {}, {}};
  const auto values = [&](int count, unsigned seed) { return randomValues<T>(static_cast<std::size_t>(count), seed); };
  const int states = l.directions * l.batch * l.hidden;
  data.x = values(l.steps * l.batch * l.directions * data.gates * l.hidden, 1);
  data.r = values(l.directions * data.gates * l.hidden * l.hidden, 2);
  for (T &value : data.r)
    value /= T{4};
  data.bias = values(l.directions * l.hidden, 3);
  data.peepholes = values(l.directions * 3 * l.hidden, 4);
  data.h = values(states, 5);
  data.c = values(states, 6);
  for (int i = 0; i < l.batch; ++i) // beyond both ends as well
    data.lengths.push_back(i == 1 ? -3 : i == 2 ? l.steps + 5 : i * 7 % (l.steps + 1));
  for (int d = 0; d < l.directions; ++d) {
    if (kind == Kind::gru) {
      pack(l, data, d, 0, 2);
      pack(l, data, d, 2, 1);
    } else {
      pack(l, data, d, 0, data.gates);
    }
  }
  return data;
}

// --------------------------------------------------------------------------------------------------- ONNX's equations

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double tangent(double x) { return std::tanh(x); }

struct Functions {
  std::function<double(double)> f = logistic, g = tangent, h = tangent;
  double clip = std::numeric_limits<double>::infinity();
  bool coupled = false;
  double enter(double x) const { return x < -clip ? -clip : x > clip ? clip : x; }
};

struct Expected {
  std::vector<double> y, h, c;
};

template <class T> struct Reference {
  Kind kind;
  const Shape &l;
  const Data<T> &data;
  const Functions &act;
  Expected result;

  std::size_t statePlace(int d, int b) const {
    return static_cast<std::size_t>((l.batch_first ? b * l.directions + d : d * l.batch + b) * l.hidden);
  }
  std::size_t position(int t, int b) const {
    return static_cast<std::size_t>(l.batch_first ? b * l.steps + t : t * l.batch + b);
  }
  double product(int d, int gate, int j, const std::vector<double> &state) const {
    double sum = 0.0;
    for (int k = 0; k < l.hidden; ++k)
      sum += static_cast<double>(
                 data.r[static_cast<std::size_t>(((d * data.gates + gate) * l.hidden + j) * l.hidden + k)]) *
             state[static_cast<std::size_t>(k)];
    return sum;
  }

  void step(int d, const T *x, std::vector<double> &h, std::vector<double> &c) const {
    const std::vector<double> before = h;
    const auto input = [&](int gate, int j) { return static_cast<double>(x[gate * l.hidden + j]); };
    std::vector<double> reset(before.size());
    for (int j = 0; j < l.hidden && kind == Kind::gru; ++j)
      reset[static_cast<std::size_t>(j)] =
          before[static_cast<std::size_t>(j)] * act.f(act.enter(input(1, j) + product(d, 1, j, before)));
    for (int j = 0; j < l.hidden; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const auto gate = [&](int g) { return input(g, j) + product(d, g, j, before); };
      const auto peephole = [&](int g) {
        const auto place = static_cast<std::size_t>((d * 3 + g) * l.hidden + j);
        return l.has_peepholes ? static_cast<double>(data.peepholes[place]) : 0.0;
      };
      if (kind == Kind::lstm) {
        const double i = act.f(act.enter(gate(0) + peephole(0) * c[at]));
        const double f = act.coupled ? 1.0 - i : act.f(act.enter(gate(2) + peephole(2) * c[at]));
        c[at] = f * c[at] + i * act.g(act.enter(gate(3)));
        h[at] = act.f(act.enter(gate(1) + peephole(1) * c[at])) * act.h(c[at]);
      } else if (kind == Kind::rnn) {
        h[at] = act.f(act.enter(gate(0)));
      } else {
        const double z = act.f(act.enter(gate(0))), r = act.f(act.enter(gate(1)));
        const double bias =
            l.has_bias ? static_cast<double>(data.bias[static_cast<std::size_t>(d * l.hidden + j)]) : 0.0;
        const double own = kind == Kind::gru ? product(d, 2, j, reset) : r * (product(d, 2, j, before) + bias);
        h[at] = (1.0 - z) * act.g(act.enter(input(2, j) + own)) + z * before[at];
      }
    }
  }

  void sequence(int d, int b) {
    const std::size_t place = statePlace(d, b);
    std::vector<double> h(static_cast<std::size_t>(l.hidden)), c(h.size());
    for (std::size_t j = 0; j < h.size(); ++j) {
      h[j] = l.has_initial_h ? static_cast<double>(data.h[place + j]) : 0.0;
      c[j] = l.has_initial_c ? static_cast<double>(data.c[place + j]) : 0.0;
    }
    const int given = data.lengths[static_cast<std::size_t>(b)];
    const int length = l.has_lengths ? std::max(0, std::min(given, l.steps)) : l.steps;
    for (int s = 0; s < length; ++s) {
      const int t = d == 1 || l.reverse ? length - 1 - s : s;
      const std::size_t at = position(t, b) * static_cast<std::size_t>(l.directions) + static_cast<std::size_t>(d);
      step(d, data.x.data() + at * static_cast<std::size_t>(data.gates * l.hidden), h, c);
      const std::size_t row = l.batch_first ? at : static_cast<std::size_t>((t * l.directions + d) * l.batch + b);
      const std::size_t y = row * h.size();
      std::copy(h.begin(), h.end(), result.y.begin() + static_cast<std::ptrdiff_t>(y));
    }
    if (length == 0)
      return;
    std::copy(h.begin(), h.end(), result.h.begin() + static_cast<std::ptrdiff_t>(place));
    std::copy(c.begin(), c.end(), result.c.begin() + static_cast<std::ptrdiff_t>(place));
  }

  Expected run() {
    const auto states = static_cast<std::size_t>(l.directions * l.batch * l.hidden);
    result = {std::vector<double>(states * static_cast<std::size_t>(l.steps)), std::vector<double>(states),
              std::vector<double>(states)};
    for (int d = 0; d < l.directions; ++d)
      for (int b = 0; b < l.batch; ++b)
        sequence(d, b);
    return result;
  }
};

// -------------------------------------------------------------------------------------------------------- the kernels

// Calls `kernel` with the optional operands that L has.
template <class L, class T, class Kernel, class... Rest>
void call(const Kernel &kernel, const Data<T> &data, Rest... rest) {
  const T *h = data.h.data(), *c = data.c.data(), *x = data.x.data(), *w = data.packed.data();
  if constexpr (L::has_scales)
    kernel(x, data.bytes.data(), data.scales.data(), data.peepholes.data(), h, c, data.lengths.data(), rest...);
  else if constexpr (L::has_initial_c)
    kernel(x, w, data.peepholes.data(), h, c, data.lengths.data(), rest...);
  else if constexpr (L::has_bias)
    kernel(x, w, data.bias.data(), h, data.lengths.data(), rest...);
  else if constexpr (L::has_initial_h)
    kernel(x, w, h, data.lengths.data(), rest...);
  else
    kernel(x, w, rest...);
}

// All outputs, one behind the other: y, y_h, y_c.
template <Kind Which, class L, class T, class... Cells>
std::vector<T> run(const L &l, const Data<T> &data, const Cells &...cells) {
  const auto states = static_cast<std::size_t>(L::directions * l.batch * L::hidden);
  const std::size_t sequences = states * static_cast<std::size_t>(l.steps);
  std::vector<T> scratch(
      static_cast<std::size_t>(recurrent_states * std::min(l.batch, recurrent_rows) * ((L::hidden + 15) / 16 * 16)),
      std::numeric_limits<T>::quiet_NaN());
  const auto kernel = [&](auto... arguments) {
    if constexpr (Which == Kind::lstm)
      lstm(l, arguments...);
    else if constexpr (Which == Kind::gruLinearBeforeReset)
      gru_linear_before_reset(l, arguments...);
    else if constexpr (Which == Kind::gru)
      gru(l, arguments...);
    else
      rnn(l, arguments...);
  };
  const int units = Which == Kind::lstm                   ? lstm_units(l)
                    : Which == Kind::gruLinearBeforeReset ? gru_linear_before_reset_units(l)
                    : Which == Kind::gru                  ? gru_units(l)
                                                          : rnn_units(l);
  const std::vector<T> before(sequences + 2 * states, T{77});
  return runStep(before, units, [&](T *y, Part part) {
    void *const own = scratch.data();
    if constexpr (Which == Kind::lstm)
      call<L>(kernel, data, y, y + sequences, y + sequences + states, own, part, cells...);
    else
      call<L>(kernel, data, y, y + sequences, own, part, cells...);
  });
}

template <class T>
void compare(Kind kind, const Shape &l, const Data<T> &data, const Functions &functions, const std::vector<T> &actual) {
  const Expected expected = Reference<T>{kind, l, data, functions, {}}.run();
  const double tolerance = std::is_same_v<T, float> ? 2e-5 : 1e-12;
  std::size_t at = 0;
  const auto compareOne = [&](const std::vector<double> &values, const char *what) {
    for (double value : values) {
      expectNear(static_cast<double>(actual[at]), value, tolerance, what, at);
      ++at;
    }
  };
  compareOne(expected.y, "y");
  compareOne(expected.h, "y_h");
  if (kind == Kind::lstm)
    compareOne(expected.c, "y_c");
}

template <Kind Which, class L, class T, class... Cells>
void check(const L &l, const Data<T> &data, const Functions &functions, const Cells &...cells) {
  compare(Which, l, data, functions, run<Which>(l, data, cells...));
}

template <class T, class Base> void checkAll(const Base &base) {
  const Layout<Kind::lstm, Base> lstmLayout{base};
  check<Kind::lstm>(lstmLayout, dataFor<T>(Kind::lstm, lstmLayout), {}, LstmCell<>{});
  const Layout<Kind::gruLinearBeforeReset, Base> linear{base};
  check<Kind::gruLinearBeforeReset>(linear, dataFor<T>(Kind::gruLinearBeforeReset, linear), {}, GruCell<>{});
  const Layout<Kind::gru, Base> gruLayout{base};
  check<Kind::gru>(gruLayout, dataFor<T>(Kind::gru, gruLayout), {}, GruCell<>{});
  const Layout<Kind::rnn, Base> rnnLayout{base};
  Functions functions;
  functions.f = tangent;
  check<Kind::rnn>(rnnLayout, dataFor<T>(Kind::rnn, rnnLayout), functions, RnnCell<>{});
}

using Everything = RunTime<Network<5, 11, 2, 37, true>>;

TEST(RecurrentTest, ComputesONNXsEquations) {
  checkAll<float>(Everything{});
  checkAll<double>(Network<4, 3, 1, 21, true, true, true>{});
}

// The same with weights in whole steps of a scale for each row.
TEST(RecurrentTest, TakesWeightsOfBytes) {
  const OfBytes<Layout<Kind::lstm, Network<5, 11, 2, 37, true>>> l{};
  Data<float> data = dataFor<float>(Kind::lstm, l);
  for (float &value : data.r)
    value = std::nearbyint(value * 200.0f); // from -100 to 100
  data.packed.clear();
  for (int d = 0; d < 2; ++d)
    pack(Shape(l), data, d, 0, 4);
  for (float value : data.packed)
    data.bytes.push_back(static_cast<std::int8_t>(value));
  for (std::size_t row = 0; row < 2 * 4 * 37; ++row) {
    data.scales.push_back(0.002f + 0.00001f * static_cast<float>(row));
    for (std::size_t k = 0; k < 37; ++k)
      data.r[row * 37 + k] *= data.scales.back();
  }
  check<Kind::lstm>(l, data, {}, LstmCell<>{});
}

TEST(RecurrentTest, TakesOneStepOrNone) {
  checkAll<float>(Network<1, 1, 1, 50, false>{});
  Layout<Kind::gru, Everything> none{};
  none.steps = 0;
  check<Kind::gru>(none, dataFor<float>(Kind::gru, none), {}, GruCell<>{});
}

TEST(RecurrentTest, DirectionsHaveTheirOwnCells) {
  const Layout<Kind::rnn, Network<3, 2, 2, 5, false>> l{};
  const Data<float> data = dataFor<float>(Kind::rnn, l);
  const std::vector<float> both = run<Kind::rnn>(l, data, RnnCell<>{}, RnnCell<activation::Relu>{});
  const std::vector<float> first = run<Kind::rnn>(l, data, RnnCell<>{});
  const std::vector<float> second = run<Kind::rnn>(l, data, RnnCell<activation::Relu>{});
  for (std::size_t i = 0; i < 3 * 2 * 2 * 5; ++i)
    EXPECT_EQ(both[i], (i / 10 % 2 ? second : first)[i]) << i; // [steps][directions][batch][hidden]
}

TEST(RecurrentTest, ClipsAndCouples) {
  const Layout<Kind::lstm, Network<4, 2, 1, 18, true>> l{};
  Functions functions;
  functions.clip = 0.25;
  functions.coupled = true;
  check<Kind::lstm>(l, dataFor<float>(Kind::lstm, l), functions,
                    LstmCell<activation::Sigmoid, activation::Tanh, activation::Tanh, true>{{}, {}, {}, 0.25f});
}

template <class Activation> void checkActivation(const std::function<double(double)> &function, Activation activation) {
  std::vector<float> x = {0.0f, -0.0f, 0.5f, 100.0f, -100.0f, quietNaN};
  const std::vector<float> more = randomValues<float>(42);
  x.insert(x.end(), more.begin(), more.end());
  std::vector<float> y(x.size());
  for_each_vector<float>(static_cast<int>(x.size()), [&](int i, auto lanes) {
    store(&y[static_cast<std::size_t>(i)], activation(load(&x[static_cast<std::size_t>(i)], lanes)), lanes);
  });
  for (std::size_t i = 0; i < x.size(); ++i)
    expectNear(static_cast<double>(y[i]), function(static_cast<double>(x[i])), 1e-6, "activation", i);
}

TEST(RecurrentTest, HasTheActivationsOfONNX) {
  namespace act = activation;
  checkActivation([](double x) { return x < 0.0 ? 0.0 : x; }, act::Relu{});
  checkActivation(tangent, act::Tanh{});
  checkActivation(logistic, act::Sigmoid{});
  checkActivation([](double x) { return 0.75 * x - 0.125; }, act::Affine{0.75f, -0.125f});
  checkActivation([](double x) { return x < 0.0 ? 0.25 * x : x; }, act::LeakyRelu{0.25f});
  checkActivation([](double x) { return x >= 0.5 ? x : 0.0; }, act::ThresholdedRelu{0.5f});
  checkActivation([](double x) { return 1.5 * std::tanh(0.5 * x); }, act::ScaledTanh{1.5f, 0.5f});
  checkActivation([](double x) { return x != x ? x : std::min(1.0, std::max(0.0, 0.25 * x + 0.5)); },
                  act::HardSigmoid{0.25f, 0.5f});
  checkActivation([](double x) { return x < 0.0 ? 0.75 * (std::exp(x) - 1.0) : x; }, act::Elu{0.75f});
  checkActivation([](double x) { return x / (1.0 + std::fabs(x)); }, act::Softsign{});
  checkActivation([](double x) { return x > 50.0 ? x : std::log1p(std::exp(x)); }, act::Softplus{});
}

TEST(RecurrentTest, NaNStaysInItsSequence) {
  const Layout<Kind::lstm, Everything> l{};
  Data<float> data = dataFor<float>(Kind::lstm, l);
  data.x[37 * 4 * 2 * 2] = quietNaN; // gate i of the first unit and direction, first step of the third sequence
  check<Kind::lstm>(l, data, {}, LstmCell<>{});
}

} // namespace
