"""Parts of run_edges.py: cells of recurrent networks written out, one step of them or several."""

import functools

import numpy

WIDTH, HIDDEN = 5, 12


def ints(*values):
    return numpy.array(values, numpy.int64)


class Steps:
    """Weights of one cell, and the names of its steps."""

    def __init__(self, p, name, gates):
        self.p, self.name, self.gates, self.step = p, name, gates, 0
        self.b = self.weights("b", gates * HIDDEN)

    @functools.cached_property
    def of_state(self):
        """Weights and bias of the state's product; those of the input's are `of_input`."""
        return self.weights("r", HIDDEN, self.gates * HIDDEN), self.weights("c", self.gates * HIDDEN)

    @functools.cached_property
    def of_input(self):
        return self.weights("w", WIDTH, self.gates * HIDDEN), self.b

    @functools.cached_property
    def of_both(self):
        return self.weights("wr", WIDTH + HIDDEN, self.gates * HIDDEN)

    def weights(self, letter, *shape):
        return self.p.constant(f"{self.name}_{letter}", self.p.floats(*shape) / 2)

    def add(self, operator, inputs, result, **attributes):
        return self.p.add(operator, inputs, f"{self.name}{self.step}_{result}", **attributes)

    def cut(self, x, prefix, axis=1):
        """Into as many parts as there are gates."""
        ends = [self.p.constant(f"{self.name}{self.step}_{prefix}{k}", ints(k * HIDDEN)) for k in range(self.gates + 1)]
        axes = self.p.constant(f"{self.name}{self.step}_{prefix}axis", ints(axis))
        return [self.add("Slice", [x, ends[k], ends[k + 1], axes], f"{prefix}part{k}") for k in range(self.gates)]

    def products(self, x, h):
        """PyTorch's cells: two products, each with a bias."""
        return self.add("Gemm", [x, *self.of_input], "gx"), self.add("Gemm", [h, *self.of_state], "gh")


def long_short(s, gates, c):
    i, f, g, o = s.cut(gates, "g")
    i, f, o = (s.add("Sigmoid", [x], f"s{k}") for k, x in enumerate([i, f, o]))
    kept, new = s.add("Mul", [f, c], "kept"), s.add("Mul", [i, s.add("Tanh", [g], "g")], "new")
    c = s.add("Add", [kept, new], "c")
    return s.add("Mul", [o, s.add("Tanh", [c], "tanh")], "h"), c


def lstm_step(s, x, h, c):
    return long_short(s, s.add("Add", s.products(x, h), "gates"), c)


def lstm_step_in_one(s, x, h, c):
    """TensorFlow's old cells: one product of what stands beside each other."""
    product = s.add("MatMul", [s.add("Concat", [x, h], "xh", axis=1), s.of_both], "product")
    return long_short(s, s.add("Add", [product, s.b], "gates"), c)


def gru_step(s, x, h):
    gx, gh = s.products(x, h)
    (rx, zx, nx), (rh, zh, nh) = s.cut(gx, "x"), s.cut(gh, "h")
    r, z = (s.add("Sigmoid", [s.add("Add", pair, f"a{k}")], f"s{k}") for k, pair in enumerate([(rx, rh), (zx, zh)]))
    n = s.add("Tanh", [s.add("Add", [nx, s.add("Mul", [r, nh], "m")], "n")], "tanh")
    return s.add("Add", [n, s.add("Mul", [z, s.add("Sub", [h, n], "d")], "zd")], "h")


def state(p, name, batch=3):
    return p.input(name, [batch, HIDDEN], lambda n: p.floats(n if batch == "n" else batch, HIDDEN))


def one_lstm_step(p, name="cl", batch=3):
    s = Steps(p, name, 4)
    x = p.input(f"{name}_x", [batch, WIDTH], lambda n: p.floats(n if batch == "n" else batch, WIDTH))
    for result in lstm_step(s, x, state(p, f"{name}_h", batch), state(p, f"{name}_c0", batch)):
        p.output(result)


def one_product(p):
    s = Steps(p, "co", 4)
    x = p.input("co_x", [3, WIDTH], p.floats(3, WIDTH))
    for result in lstm_step_in_one(s, x, state(p, "co_h"), state(p, "co_c0")):
        p.output(result)


def one_gru_step(p):
    s = Steps(p, "cg", 3)
    p.output(gru_step(s, p.input("cg_x", [3, WIDTH], p.floats(3, WIDTH)), state(p, "cg_h")))


def unrolled(p, name, batch, axis, steps, cell, states):
    """`cell` from one step to the next, all its states h returned side by side."""
    shape = [batch, steps, WIDTH] if axis == 1 else [steps, batch, WIDTH]
    x = p.input(f"{name}_x", shape, lambda n: p.floats(*[n if extent == "n" else extent for extent in shape]))
    s, results = cell(p, name), []
    place = p.constant(f"{name}_place", ints(1))
    for s.step in range(steps):
        step = s.add("Gather", [x, p.constant(f"{name}_{s.step}", numpy.array(s.step, numpy.int64))], "x", axis=axis)
        states = s.run(step, *states)
        results.append(s.add("Unsqueeze", [states[0], place], "row"))
    p.output(p.add("Concat", results, f"{name}_y", axis=1))


class Lstm(Steps):
    def __init__(self, p, name):
        super().__init__(p, name, 4)

    def run(self, x, h, c):
        return lstm_step(self, x, h, c)


class LstmInOne(Lstm):
    def run(self, x, h, c):
        return lstm_step_in_one(self, x, h, c)


class Gru(Steps):
    def __init__(self, p, name):
        super().__init__(p, name, 3)

    def run(self, x, h):
        return [gru_step(self, x, h)]


class Plain(Steps):
    def __init__(self, p, name):
        super().__init__(p, name, 1)

    def run(self, x, h):
        return [self.add("Tanh", [self.add("Add", self.products(x, h), "sum")], "h")]


def zeros(p, name, count):
    return [p.constant(f"{name}_zero{k}", numpy.zeros((2, HIDDEN), numpy.float32)) for k in range(count)]


def unrolled_lstm(p):
    unrolled(p, "ul", 2, 1, 4, Lstm, zeros(p, "ul", 2))


def unrolled_in_one(p):
    unrolled(p, "uo", 2, 1, 4, LstmInOne, zeros(p, "uo", 2))


def unrolled_gru(p):
    unrolled(p, "ug", 2, 0, 4, Gru, zeros(p, "ug", 1))


def unrolled_plain(p):
    unrolled(p, "up", 2, 1, 4, Plain, zeros(p, "up", 1))


def bounded_lstm_step(p):
    one_lstm_step(p, "bl", "n")


def bounded_unrolled(p):
    unrolled(p, "bu", "n", 1, 3, Lstm, [state(p, f"bu_{letter}0", "n") for letter in "hc"])


STATIC = [one_lstm_step, one_product, one_gru_step, unrolled_lstm, unrolled_in_one, unrolled_gru, unrolled_plain]
BOUNDED = [bounded_lstm_step, bounded_unrolled]
