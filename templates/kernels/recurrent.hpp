// Recurrent networks: all time steps of an LSTM, GRU or RNN whose products of input and weights are known already. Each
// step multiplies the hidden state by the recurrent weights, once through them in order, and applies the cell
// (recurrent_cells.hpp) to a panel of hidden units while its sums are at hand.
//
//   lstm, gru_linear_before_reset, gru, rnn
//     (layout, gates, weights, [scales], [bias], [peepholes], [initial_h], [initial_c], [lengths], [y], [y_h], [y_c],
//      scratch, part, cell [, cell of the second direction])
//
//   layout     steps, batch (either may be a run-time member), directions, hidden; reverse: 1 where the first direction
//              runs backwards (a second one always does); batch_first; has_scales, has_bias, has_peepholes,
//              has_initial_h, has_initial_c, has_lengths, has_y, has_y_h, has_y_c: which of the operands in brackets
//              there are
//   gates      [steps][batch][directions][gates * hidden], batch before steps where batch_first: input times weights
//              and all biases that are simply added
//   weights    [directions][ceil(hidden / 16)][hidden][gates][16], zero filled at the end; of the type of all others,
//              or halves (halves.hpp), or signed bytes that stand for themselves times a scale: for every panel of 16
//              units their weights by ONNX's gates. gru has two such matrices for each direction, one behind the
//              other: gates z and r, then h
//   scales     [directions][gates * hidden], of bytes, in lstm
//   bias       [directions][hidden], of gru_linear_before_reset: added to the product before the reset gate
//   peepholes  [directions][3 * hidden]
//   initial_*  [directions][batch][hidden], directions behind batch where batch_first; zeros where absent
//   lengths    [batch], i32: the steps of each sequence, limited to 0 ... steps
//   y          [steps][directions][batch][hidden], or [batch][steps][directions][hidden]; zeros behind a sequence's end
//   y_h, y_c   like initial_*: the states after each sequence's last step; zeros for an empty sequence
//   scratch    recurrent_states * min(batch, recurrent_rows) * (hidden rounded up to 16) elements
//
// A unit is one direction of a block of sequences, and of a panel of hidden units where there is only one step, which
// no other panel has to wait for.
#pragma once
#include "bytes.hpp"
#include "conv2d_plan.hpp"
#include "recurrent_cells.hpp"
#include "split.hpp"

AOTC_KERNELS_BEGIN

constexpr int recurrent_rows = 8;    // sequences of a unit: they share each panel of weights while it is cached
constexpr int recurrent_states = 3;  // rows of scratch for each: the hidden state before and after, the cell's own

namespace detail {

// ------------------------------------------------------------------------------------------------ the register tile

// Sequences of a tile; tiles of one unit are equally large.
constexpr int recurrent_tile_rows(int gates) {
  const int most = max_of(1, min_of(recurrent_rows, pixels_beside(gates)));
  return ceil_div(recurrent_rows, ceil_div(recurrent_rows, most));
}
// Vectors of each gate: all of a panel where registers allow that, so that lines of weights are read once.
constexpr int recurrent_tile_vectors(int gates, int rows, int panel_vectors) {
  int vectors = rows > 1 ? 1 : panel_vectors;
  while (vectors > 1 && gates * vectors > register_file.registers - 4) vectors /= 2;
  return vectors;
}
// Steps of k whose sums are kept apart to hide the latency of fma.
constexpr int recurrent_tile_steps(int sums) {
  return max_of(1, min_of(ceil_div(register_file.sums_ahead, sums), (register_file.registers - 2) / sums));
}

template <class W>
AOTC_INLINE auto load_weights(const W* w) {
  if constexpr (is_byte<W>)
    return to_float(load_integer(w, Full{}));
  else
    return load(w, Full{});
}

// sums[row][gate] = sum over k of state[row][k] * w[k][gate][units] for `Vectors` vectors of units.
template <int Gates, int Rows, int Vectors, class T, class W>
AOTC_INLINE void recurrent_multiply(const T* state, int state_row, const W* w, int count,
                                    Vec<T> (&result)[Rows][Gates * Vectors]) {
  constexpr int lanes = vec_lanes<T>, sums = Gates * Vectors, steps = recurrent_tile_steps(Rows * sums);
  constexpr int w_step = Gates * panel_channels;
  Vec<T> sum[steps][Rows][sums];
  AOTC_UNROLL(8)
  for (int s = 0; s < steps; ++s) clear(sum[s]);
  const auto add = [&](Vec<T>(&to)[Rows][sums], int k) AOTC_INLINE_LAMBDA {
    const W* row = w + std::ptrdiff_t{k} * w_step;
    Vec<T> weight[sums];
    AOTC_UNROLL(32)
    for (int j = 0; j < sums; ++j) weight[j] = load_weights(row + j / Vectors * panel_channels + j % Vectors * lanes);
    AOTC_UNROLL(8)
    for (int i = 0; i < Rows; ++i) {
      const Vec<T> value = broadcast(state + i * state_row + k, Full{});
      AOTC_UNROLL(32)
      for (int j = 0; j < sums; ++j) to[i][j] = fma(value, weight[j], to[i][j]);
    }
  };
  int k = 0;
  AOTC_UNROLL(1)
  for (; k + steps <= count; k += steps) {
    AOTC_UNROLL(8)
    for (int s = 0; s < steps; ++s) add(sum[s], k + s);
  }
  if constexpr (steps > 1) {
    AOTC_UNROLL(1)
    for (; k < count; ++k) add(sum[0], k);
  }
  AOTC_UNROLL(8)
  for (int i = 0; i < Rows; ++i) {
    AOTC_UNROLL(32)
    for (int j = 0; j < sums; ++j) {
      AOTC_UNROLL(8)
      for (int s = 1; s < steps; ++s) sum[0][i][j] = sum[0][i][j] + sum[s][i][j];
      result[i][j] = sum[0][i][j];
    }
  }
}

// The panel of 16 units at `w` for `Rows` sequences: finish(row, unit of the panel, sums by gate, lanes) for each
// vector of them, of which the first `units` are wanted.
template <int Gates, int Rows, class T, class W, class Finish>
AOTC_INLINE void recurrent_panel(const T* state, int state_row, const W* w, int count, int units, Finish finish) {
  constexpr int lanes = vec_lanes<T>;
  constexpr int vectors = recurrent_tile_vectors(Gates, Rows, max_of(1, panel_channels / lanes));
  AOTC_UNROLL(1)
  for (int first = 0; first < units; first += vectors * lanes) {
    Vec<T> sum[Rows][Gates * vectors];
    recurrent_multiply<Gates, Rows, vectors>(state, state_row, w + first, count, sum);
    // Through memory, so that the cell is compiled once for a tile and not once for each of its registers.
    alignas(64) T buffer[Rows * Gates * vectors * lanes];
    AOTC_UNROLL(8)
    for (int i = 0; i < Rows; ++i) {
      AOTC_UNROLL(32)
      for (int j = 0; j < Gates * vectors; ++j) store(buffer + (i * Gates * vectors + j) * lanes, sum[i][j], Full{});
    }
    AOTC_UNROLL(1)
    for (int i = 0; i < Rows * vectors; ++i) {
      const int vector = i % vectors, valid = units - first - vector * lanes;
      Vec<T> gates[Gates];
      AOTC_UNROLL(4)
      for (int g = 0; g < Gates; ++g)
        gates[g] = load(buffer + ((i / vectors * Gates + g) * vectors + vector) * lanes, Full{});
      if (valid >= lanes)
        finish(i / vectors, first + vector * lanes, gates, Full{});
      else if (valid > 0)
        finish(i / vectors, first + vector * lanes, gates, Tail{valid});
    }
  }
}

// ------------------------------------------------------------------------------------------------------- the operands

// Number `Place` of the arguments, or null where it is not `Present`.
template <class T, int Place, bool Present, class First, class... Rest>
AOTC_INLINE T* operand_at(First first, Rest... rest) {
  if constexpr (!Present)
    return nullptr;
  else if constexpr (Place == 0)
    return static_cast<T*>(first);
  else
    return operand_at<T, Place - 1, Present>(rest...);
}

template <class T, class W>
struct RecurrentOperands {
  const T* gates;
  const W* weights;
  const T *scales, *bias, *peepholes, *initial_h, *initial_c;
  const std::int32_t* lengths;
  T *y, *y_h, *y_c, *scratch;
};

// Finds the operands by the flags of the layout.
template <class L, class T, class W, class... Rest>
AOTC_INLINE RecurrentOperands<T, W> recurrent_operands(const T* gates, const W* weights, Rest... rest) {
  constexpr int bias = L::has_scales, peepholes = bias + L::has_bias, initial_h = peepholes + L::has_peepholes;
  constexpr int initial_c = initial_h + L::has_initial_h, lengths = initial_c + L::has_initial_c;
  constexpr int y = lengths + L::has_lengths, y_h = y + L::has_y, y_c = y_h + L::has_y_h, scratch = y_c + L::has_y_c;
  return {gates,
          weights,
          operand_at<const T, 0, L::has_scales != 0>(rest...),
          operand_at<const T, bias, L::has_bias != 0>(rest...),
          operand_at<const T, peepholes, L::has_peepholes != 0>(rest...),
          operand_at<const T, initial_h, L::has_initial_h != 0>(rest...),
          operand_at<const T, initial_c, L::has_initial_c != 0>(rest...),
          operand_at<const std::int32_t, lengths, L::has_lengths != 0>(rest...),
          operand_at<T, y, L::has_y != 0>(rest...),
          operand_at<T, y_h, L::has_y_h != 0>(rest...),
          operand_at<T, y_c, L::has_y_c != 0>(rest...),
          operand_at<T, scratch, true>(rest...)};
}

// Number `Place` of the arguments as it is: the part and the cells, which follow the scratch memory.
template <int Place, class First, class... Rest>
AOTC_INLINE auto argument_at(First first, Rest... rest) {
  if constexpr (Place == 0)
    return first;
  else
    return argument_at<Place - 1>(rest...);
}
template <class L>
constexpr int recurrent_part_place = L::has_scales + L::has_bias + L::has_peepholes + L::has_initial_h +
                                     L::has_initial_c + L::has_lengths + L::has_y + L::has_y_h + L::has_y_c + 1;

// ------------------------------------------------------------------------------------------------------------ one unit

template <class L>
constexpr int most_recurrent_rows() {
  if constexpr (AOTC_IS_CONSTANT(L, batch))
    return max_of(1, min_of(L::batch, recurrent_rows));
  else
    return recurrent_rows;
}

// One direction of some sequences, and the states between their steps.
template <int Gates, class L, class T, class W>
struct RecurrentRun {
  static constexpr int gate_count = Gates, state_row = round_up(L::hidden, panel_channels);
  static constexpr int most_rows = most_recurrent_rows<L>();

  const L& l;
  const RecurrentOperands<T, W>& operands;
  int direction, first_row, rows, first_panel, end_panel;
  T *h, *next_h, *c;  // [rows][state_row] each
  int length[most_rows] = {}, longest = 0, step = 0;

  AOTC_INLINE RecurrentRun(const L& layout, const RecurrentOperands<T, W>& all, int which, int row, int row_count,
                           int panel, int panel_end)
      : l(layout),
        operands(all),
        direction(which),
        first_row(row),
        rows(row_count),
        first_panel(panel),
        end_panel(panel_end),
        h(all.scratch),
        next_h(h + most_rows * state_row),
        c(next_h + most_rows * state_row) {
    for (int i = 0; i < rows; ++i) {
      length[i] = l.steps;
      if (operands.lengths != nullptr) length[i] = max_of(0, min_of(operands.lengths[first_row + i], l.steps));
      longest = max_of(longest, length[i]);
      start(h + i * state_row, operands.initial_h, i);
      start(c + i * state_row, operands.initial_c, i);
      if (length[i] == 0) clear_units(operands.y_h, state_place(i));
      if (length[i] == 0) clear_units(operands.y_c, state_place(i));
    }
  }

  // ------------------------------------------------------------------------------------------------- places in memory
  AOTC_INLINE std::ptrdiff_t state_place(int row) const {
    const int sequence = first_row + row;
    return std::ptrdiff_t{L::batch_first ? sequence * L::directions + direction : direction * l.batch + sequence} *
           L::hidden;
  }
  // The position in time of this step of a sequence.
  AOTC_INLINE int time(int row) const {
    const bool backwards = direction == 1 || L::reverse != 0;
    return backwards ? length[row] - 1 - step : step;
  }
  AOTC_INLINE std::ptrdiff_t y_place(int row, int at) const {
    const std::ptrdiff_t sequence = first_row + row, d = direction;
    return L::batch_first ? ((sequence * l.steps + at) * L::directions + d) * L::hidden
                          : ((std::ptrdiff_t{at} * L::directions + d) * l.batch + sequence) * L::hidden;
  }
  // What the input contributes to the gates in this step.
  AOTC_INLINE const T* input(int row) const {
    const std::ptrdiff_t sequence = first_row + row, at = time(row);
    const std::ptrdiff_t place = L::batch_first ? sequence * l.steps + at : at * l.batch + sequence;
    return operands.gates + (place * L::directions + direction) * (gate_count * L::hidden);
  }

  // ------------------------------------------------------------------------------------------------------------ states
  AOTC_INLINE void start(T* state, const T* initial, int row) const {
    for_each_vector<T>(state_row, [&](int i, auto lanes) AOTC_INLINE_LAMBDA { store(state + i, Vec<T>(T(0)), lanes); });
    if (initial == nullptr) return;
    const T* from = initial + state_place(row);
    for_each_vector<T>(L::hidden,
                       [&](int i, auto lanes) AOTC_INLINE_LAMBDA { store(state + i, load(from + i, lanes), lanes); });
  }
  // Zeros for the units of this run.
  AOTC_INLINE void clear_units(T* tensor, std::ptrdiff_t place) const {
    if (tensor == nullptr) return;
    const int first = first_panel * panel_channels, end = min_of(end_panel * panel_channels, L::hidden);
    for_each_vector<T>(end - first, [&](int i, auto lanes)
                                        AOTC_INLINE_LAMBDA { store(tensor + place + first + i, Vec<T>(T(0)), lanes); });
  }
  // The states of a vector of units after this step.
  template <class Lanes>
  AOTC_INLINE void finish(int row, int unit, Vec<T> hidden, Vec<T> memory, Lanes lanes) const {
    store(next_h + row * state_row + unit, hidden, Full{});
    if (operands.y != nullptr) store(operands.y + y_place(row, time(row)) + unit, hidden, lanes);
    if (step + 1 != length[row]) return;
    if (operands.y_h != nullptr) store(operands.y_h + state_place(row) + unit, hidden, lanes);
    if (operands.y_c != nullptr) store(operands.y_c + state_place(row) + unit, memory, lanes);
  }

  // ---------------------------------------------------------------------------------------------------------- products
  // state [rows][state_row] times the matrix at `w` of Count gates for all units of this run: body(row, unit, sums by
  // gate, lanes) for the sequences that have not ended.
  template <int Count, class Body>
  AOTC_INLINE void multiply(const T* state, const W* w, Body body) const {
    constexpr int tile = min_of(recurrent_tile_rows(Count), most_rows);
    AOTC_UNROLL(1)
    for (int panel = first_panel; panel < end_panel; ++panel) {
      const int first = panel * panel_channels, units = min_of(panel_channels, L::hidden - first);
      const W* columns = w + std::ptrdiff_t{first} * (L::hidden * Count);
      each_piece<tile>(0, rows, [&](int row, auto count) AOTC_INLINE_LAMBDA {
        recurrent_panel<Count, decltype(count)::value>(state + row * state_row, state_row, columns, L::hidden, units,
                                                       [&](int i, int unit, const auto& sums, auto lanes)
                                                           AOTC_INLINE_LAMBDA {
                                                             if (step < length[row + i])
                                                               body(row + i, first + unit, sums, lanes);
                                                           });
      });
    }
  }
  AOTC_INLINE const W* weights() const {
    return operands.weights + std::ptrdiff_t{direction} * (state_row * L::hidden * gate_count);
  }

  // All steps: advance() computes those of the sequences that have not ended.
  template <class Advance>
  AOTC_INLINE void all_steps(Advance advance) {
    AOTC_UNROLL(1)
    for (step = 0; step < longest; ++step) {
      advance();
      T* const before = h;
      h = next_h;
      next_h = before;
    }
    if (operands.y == nullptr || operands.lengths == nullptr) return;
    for (int row = 0; row < rows; ++row)
      for (int at = length[row]; at < l.steps; ++at) clear_units(operands.y, y_place(row, at));
  }
};

// What an LSTM's cell asks of a vector of units.
template <class Run, class Sums, class Lanes, class T>
struct LstmUnits {
  const Sums& sums;
  const T* input;
  const T *scales, *peepholes;  // of these units, or null
  int hidden;
  Lanes lanes;

  AOTC_INLINE Vec<T> gate(int g) const {
    const Vec<T> from_input = load(input + g * hidden, lanes);
    return scales == nullptr ? sums[g] + from_input : fma(load(scales + g * hidden, lanes), sums[g], from_input);
  }
  AOTC_INLINE Vec<T> peephole(int g, Vec<T> c, Vec<T> value) const {
    return peepholes == nullptr ? value : fma(load(peepholes + g * hidden, lanes), c, value);
  }
};

// ------------------------------------------------------------------------------------------------------- units of work

// With one step no panel waits for another: unless the cell multiplies twice, each is a unit.
template <bool Splits, class L>
constexpr bool splits_panels() {
  if constexpr (Splits && AOTC_IS_CONSTANT(L, steps))
    return L::steps == 1;
  else
    return false;
}
template <bool Splits, class L>
constexpr int recurrent_panel_units() {
  return splits_panels<Splits, L>() ? ceil_div(L::hidden, panel_channels) : 1;
}
template <bool Splits, class L>
constexpr int recurrent_units(const L& l) {
  return L::directions * ceil_div(l.batch, recurrent_rows) * recurrent_panel_units<Splits, L>();
}

// Calls body(run, cell) for every unit of the part that the arguments hold.
template <int Gates, bool Splits, class L, class T, class W, class Body, class... Rest>
AOTC_INLINE void for_each_run(const L& l, Body body, const T* gates, const W* weights, Rest... rest) {
  constexpr int place = recurrent_part_place<L>, panel_units = recurrent_panel_units<Splits, L>();
  const RecurrentOperands<T, W> operands = recurrent_operands<L>(gates, weights, rest...);
  const Part part = argument_at<place>(rest...);
  const auto forward = argument_at<place + 1>(rest...);
  const int row_units = ceil_div(l.batch, recurrent_rows), panels = ceil_div(L::hidden, panel_channels);
  for (int unit = part.begin; unit < part.end; ++unit) {
    const int panel = unit % panel_units, row = unit / panel_units % row_units * recurrent_rows;
    const int direction = unit / panel_units / row_units;
    RecurrentRun<Gates, L, T, W> run(l, operands, direction, row, min_of(recurrent_rows, l.batch - row),
                                     panel_units > 1 ? panel : 0, panel_units > 1 ? panel + 1 : panels);
    if constexpr (sizeof...(Rest) == place + 3) {
      if (direction == 1) {
        body(run, argument_at<place + 2>(rest...));
        continue;
      }
    }
    body(run, forward);
  }
}

}  // namespace detail

// ---------------------------------------------------------------------------------------------------------------- LSTM
template <class L>
constexpr int lstm_units(const L& l) {
  return detail::recurrent_units<true>(l);
}
template <class L, class T, class W, class... Rest>
[[gnu::flatten]] void lstm(const L& l, const T* gates, const W* weights, Rest... rest) {
  const auto body = [](auto& run, const auto& cell) AOTC_INLINE_LAMBDA {
    using Run = std::decay_t<decltype(run)>;
    const T *scales = run.operands.scales, *peepholes = run.operands.peepholes;
    if (scales != nullptr) scales += run.direction * (4 * L::hidden);
    if (peepholes != nullptr) peepholes += run.direction * (3 * L::hidden);
    run.all_steps([&]() AOTC_INLINE_LAMBDA {
      run.template multiply<4>(
          run.h, run.weights(), [&](int row, int unit, const auto& sums, auto lanes) AOTC_INLINE_LAMBDA {
            const auto own = [&](const T* all) AOTC_INLINE_LAMBDA { return all == nullptr ? nullptr : all + unit; };
            const detail::LstmUnits<Run, std::decay_t<decltype(sums)>, decltype(lanes), T> units{
                sums, run.input(row) + unit, own(scales), own(peepholes), L::hidden, lanes};
            T* const memory = run.c + row * Run::state_row + unit;
            Vec<T> c = load(memory, Full{});
            const Vec<T> h = cell(units, c);
            store(memory, c, Full{});
            run.finish(row, unit, h, c, lanes);
          });
    });
  };
  detail::for_each_run<4, true>(l, body, gates, weights, rest...);
}

// ----------------------------------------------------------------------------------------------------------------- GRU
// The reset gate scales the product: ONNX's linear_before_reset.
template <class L>
constexpr int gru_linear_before_reset_units(const L& l) {
  return detail::recurrent_units<true>(l);
}
template <class L, class T, class W, class... Rest>
[[gnu::flatten]] void gru_linear_before_reset(const L& l, const T* gates, const W* weights, Rest... rest) {
  const auto body = [](auto& run, const auto& cell) AOTC_INLINE_LAMBDA {
    using Run = std::decay_t<decltype(run)>;
    const T* bias = run.operands.bias;
    if (bias != nullptr) bias += run.direction * L::hidden;
    run.all_steps([&]() AOTC_INLINE_LAMBDA {
      run.template multiply<3>(
          run.h, run.weights(), [&](int row, int unit, const auto& sums, auto lanes) AOTC_INLINE_LAMBDA {
            const T* input = run.input(row) + unit;
            const Vec<T> z = cell.gate(sums[0] + load(input, lanes));
            const Vec<T> r = cell.gate(sums[1] + load(input + L::hidden, lanes));
            const Vec<T> product = bias == nullptr ? sums[2] : sums[2] + load(bias + unit, lanes);
            const Vec<T> before = load(run.h + row * Run::state_row + unit, Full{});
            const Vec<T> h = cell.mix(z, fma(r, product, load(input + 2 * L::hidden, lanes)), before);
            run.finish(row, unit, h, h, lanes);
          });
    });
  };
  detail::for_each_run<3, true>(l, body, gates, weights, rest...);
}

// The reset gate scales the state before it is multiplied: two products, one after the other.
template <class L>
constexpr int gru_units(const L& l) {
  return detail::recurrent_units<false>(l);
}
template <class L, class T, class W, class... Rest>
[[gnu::flatten]] void gru(const L& l, const T* gates, const W* weights, Rest... rest) {
  const auto body = [](auto& run, const auto& cell) AOTC_INLINE_LAMBDA {
    using Run = std::decay_t<decltype(run)>;
    const auto* candidate = run.weights() + std::ptrdiff_t{2} * Run::state_row * L::hidden;
    run.all_steps([&]() AOTC_INLINE_LAMBDA {
      // The update gate waits where the next state will be; the place of the cell's own state holds r * h.
      run.template multiply<2>(run.h, run.weights(),
                               [&](int row, int unit, const auto& sums, auto lanes) AOTC_INLINE_LAMBDA {
                                 const T* input = run.input(row) + unit;
                                 const int at = row * Run::state_row + unit;
                                 const Vec<T> r = cell.gate(sums[1] + load(input + L::hidden, lanes));
                                 store(run.next_h + at, cell.gate(sums[0] + load(input, lanes)), Full{});
                                 store(run.c + at, r * load(run.h + at, Full{}), Full{});
                               });
      run.template multiply<1>(
          run.c, candidate, [&](int row, int unit, const auto& sums, auto lanes) AOTC_INLINE_LAMBDA {
            const int at = row * Run::state_row + unit;
            const Vec<T> entering = sums[0] + load(run.input(row) + 2 * L::hidden + unit, lanes);
            const Vec<T> h = cell.mix(load(run.next_h + at, Full{}), entering, load(run.h + at, Full{}));
            run.finish(row, unit, h, h, lanes);
          });
    });
  };
  detail::for_each_run<3, false>(l, body, gates, weights, rest...);
}

// ----------------------------------------------------------------------------------------------------------------- RNN
template <class L>
constexpr int rnn_units(const L& l) {
  return detail::recurrent_units<true>(l);
}
template <class L, class T, class W, class... Rest>
[[gnu::flatten]] void rnn(const L& l, const T* gates, const W* weights, Rest... rest) {
  const auto body = [](auto& run, const auto& cell) AOTC_INLINE_LAMBDA {
    run.all_steps([&]() AOTC_INLINE_LAMBDA {
      run.template multiply<1>(run.h, run.weights(),
                               [&](int row, int unit, const auto& sums, auto lanes) AOTC_INLINE_LAMBDA {
                                 const Vec<T> h = cell(sums[0] + load(run.input(row) + unit, lanes));
                                 run.finish(row, unit, h, h, lanes);
                               });
    });
  };
  detail::for_each_run<1, true>(l, body, gates, weights, rest...);
}

AOTC_KERNELS_END
