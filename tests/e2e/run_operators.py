"""Operators on every element type that the standard lists for them, against NumPy: integers exactly, floats to a few ulp.

    run_operators.py [--only TEXT] [--compiler g++] [--target native] [--keep]

All cases of a group are nodes of one model, so that a group costs one program. Inputs hold limits, zeros, NaN and infinities, and
are longer than a vector.
"""

import argparse
import math
import os
import sys
import warnings

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import harness
from harness import Failed, Target

WORK = os.path.join(harness.BUILD, "e2e", "operators")
OPSET = 24
FLOATS, SIGNED, UNSIGNED = ["float32", "float64"], ["int8", "int16", "int32", "int64"], ["uint8", "uint16", "uint32", "uint64"]
INTS, NUMBERS = SIGNED + UNSIGNED, FLOATS + SIGNED + UNSIGNED
WIDE = FLOATS + ["int32", "int64", "uint32", "uint64"]  # what reductions and products take
SPECIAL = [-math.inf, -1e30, -100.5, -3, -2.5, -1.5, -1, -0.7, -0.5, -1e-20, -0.0, 0.0, 1e-20, 0.3, 0.5, 1, 1.5, 2.5, 3, 88.8, 1e30, math.inf, math.nan]


# ------------------------------------------------------------------------------------------------------------------ values


def values(name, count=47, seed=1):
    """`count` numbers of a type, its special ones first."""
    random, kind = numpy.random.default_rng(seed), numpy.dtype(name)
    if name == "bool":
        return random.integers(0, 2, count).astype(kind)
    if kind.kind == "f":
        return numpy.array(SPECIAL + list(random.normal(size=count) * 3), kind)[:count]
    limits = numpy.iinfo(kind)
    special = [limits.min, limits.max, limits.min + 1, limits.max - 1, 0, 1, 2, 3]
    return numpy.array(special + list(random.integers(-9 if limits.min else 0, 10, count)), kind)[:count]


def small(name, shape, seed=1, least=-3, most=4):
    """Numbers whose sums and products stay in range."""
    random, kind = numpy.random.default_rng(seed), numpy.dtype(name)
    if kind.kind == "f":
        return random.normal(size=shape).astype(kind)
    return random.integers(least if numpy.iinfo(kind).min else 0, most, shape).astype(kind)


def pairs(name, seed=1):
    """Every special number of a type with every other one."""
    few = values(name, 23 if numpy.dtype(name).kind == "f" else 14, seed)
    return numpy.repeat(few, len(few)), numpy.tile(few, len(few))


class Case:
    """A node, its inputs (arrays; those in `constants` by their position are known when compiling) and what it must give."""

    def __init__(self, operator, inputs, expected, constants=(), domain="", ulps=8, **attributes):
        self.operator, self.inputs, self.constants, self.domain = operator, inputs, constants, domain
        self.expected, self.attributes, self.ulps = expected, attributes, ulps


class Chain(Case):
    """Several nodes, each (operator, names of inputs, name of the output, attributes); "y" is what they must give."""

    def __init__(self, nodes, inputs, expected, constants=(), ulps=32):
        super().__init__(nodes[-1][0], inputs, expected, constants, ulps=ulps)
        self.nodes = nodes


# ----------------------------------------------------------------------------------------------------------------- meanings


def truncated(x, y):
    """Integers: x / y towards zero, 0 for a division by zero, wrapping around."""
    whole = [0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) for a, b in zip(x.tolist(), y.tolist())]
    return wrapped(whole, x.dtype)


def wrapped(numbers, kind):
    bits = 8 * kind.itemsize
    return numpy.array([(n + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1) if kind.kind == "i" else n % (1 << bits) for n in numbers], kind)


def remainder(x, y):
    rest = [a if b == 0 else math.fmod(a, b) if abs(a) < 2**52 and abs(b) < 2**52 else abs(a) % abs(b) * (-1 if a < 0 else 1)
            for a, b in zip(x.tolist(), y.tolist())]  # fmt: skip
    return wrapped([int(n) for n in rest], x.dtype)


def modulo(x, y):
    return wrapped([a if b == 0 else a % b for a, b in zip(x.tolist(), y.tolist())], x.dtype)


def shifted(x, count, direction):
    numbers = [(a << b if direction == "LEFT" else a >> b) if b < 8 * x.dtype.itemsize else 0 for a, b in zip(x.tolist(), count.tolist())]
    return wrapped(numbers, x.dtype)


erf = numpy.vectorize(math.erf)


def softplus(x):
    return numpy.logaddexp(x, 0)


def elu(x, alpha=1.0):
    return numpy.where(x < 0, alpha * numpy.expm1(x), x)


SELU_ALPHA, SELU_GAMMA = 1.67326319217681884765625, 1.05070102214813232421875
FUNCTIONS = [
    ("Exp", numpy.exp), ("Log", numpy.log), ("Sqrt", numpy.sqrt), ("Tanh", numpy.tanh), ("Erf", erf),
    ("Floor", numpy.floor), ("Ceil", numpy.ceil), ("Round", numpy.rint), ("Reciprocal", lambda x: 1 / x),
    ("Asin", numpy.arcsin), ("Acos", numpy.arccos), ("Atan", numpy.arctan), ("Sinh", numpy.sinh), ("Cosh", numpy.cosh),
    ("Asinh", numpy.arcsinh), ("Acosh", numpy.arccosh), ("Atanh", numpy.arctanh),
    ("Sigmoid", lambda x: numpy.where(x < 0, numpy.exp(x) / (1 + numpy.exp(x)), 1 / (1 + numpy.exp(-x)))),
    ("Softplus", softplus), ("Softsign", lambda x: x / (1 + abs(x))),
    ("Mish", lambda x: x * numpy.tanh(softplus(x))),
    ("Elu", elu), ("Selu", lambda x: SELU_GAMMA * elu(x, SELU_ALPHA)),
    ("Celu", lambda x: numpy.maximum(x, 0) + numpy.minimum(0, numpy.expm1(x))),
    ("ThresholdedRelu", lambda x: numpy.where(x > 1, x, 0)),
    ("Relu", lambda x: numpy.maximum(x, 0)), ("LeakyRelu", lambda x: numpy.where(x < 0, numpy.float32(0.01) * x, x)),
    ("Identity", lambda x: x), ("Sign", numpy.sign), ("Abs", abs), ("Neg", lambda x: -x),
    ("IsNaN", numpy.isnan), ("IsInf", numpy.isinf),
]  # fmt: skip


# ------------------------------------------------------------------------------------------------------------------- groups


def float_functions():
    for kind in FLOATS:
        x = values(kind)
        for operator, meaning in FUNCTIONS:
            yield Case(operator, [x], meaning(x.astype(numpy.float64)))
        near = values(kind)[abs(values(kind)) < 101]
        for operator, meaning in (("Sin", numpy.sin), ("Cos", numpy.cos), ("Tan", numpy.tan)):
            yield Case(operator, [near], meaning(near.astype(numpy.float64)))
        finite = x[numpy.isfinite(x) & (abs(x) < 101)]
        wide = finite.astype(numpy.float64)
        tanh_inner = math.sqrt(2 / math.pi) * (wide + 0.044715 * wide**3)
        gelu_tanh, gelu = 0.5 * wide * (1 + numpy.tanh(tanh_inner)), 0.5 * wide * (1 + erf(wide / math.sqrt(2)))
        yield Case("Gelu", [finite], gelu, ulps=None)
        yield Case("Gelu", [finite], gelu_tanh, approximate="tanh", ulps=None)
        yield Case("Gelu", [finite], gelu, domain="com.microsoft", ulps=None)
        yield Case("BiasGelu", [finite, numpy.zeros_like(finite)], gelu, domain="com.microsoft", ulps=None)
        yield Case("FastGelu", [finite], gelu_tanh, domain="com.microsoft", ulps=None)
        yield Case("QuickGelu", [finite], wide / (1 + numpy.exp(-numpy.float32(1.702) * wide)), domain="com.microsoft", ulps=24)
        yield Case("Swish", [finite], wide / (1 + numpy.exp(-0.5 * wide)), alpha=0.5, ulps=24)
        yield Case("Shrink", [x], numpy.where(x < -1.5, x + 0.5, numpy.where(x > 1.5, x - 0.5, 0)), lambd=1.5, bias=0.5)
        yield Case("IsInf", [x], x == math.inf, detect_negative=0)
        yield Case("IsInf", [x], x == -math.inf, detect_positive=0)


def float_pairs():
    for kind in FLOATS:
        x, y = pairs(kind)
        wide_x, wide_y = x.astype(numpy.float64), y.astype(numpy.float64)
        for operator, meaning in (
            ("Add", numpy.add), ("Sub", numpy.subtract), ("Mul", numpy.multiply), ("Div", numpy.divide),
            ("Max", numpy.maximum), ("Min", numpy.minimum), ("Pow", numpy.power),
            ("PRelu", lambda a, b: numpy.where(a < 0, a * b, a)),
        ):  # fmt: skip
            yield Case(operator, [x, y], meaning(wide_x, wide_y))
        yield Case("Mod", [x, y], numpy.fmod(x, y), fmod=1)
        for operator, meaning in (("Equal", numpy.equal), ("Less", numpy.less), ("Greater", numpy.greater),
                                  ("LessOrEqual", numpy.less_equal), ("GreaterOrEqual", numpy.greater_equal)):  # fmt: skip
            yield Case(operator, [x, y], meaning(x, y))
        for exponent in (0, 0.5, -0.5, -1, 1, 2, 3, 2.5):
            base = values(kind, 23)
            powers = numpy.power(base.astype(numpy.float64), numpy.full(23, float(exponent)))  # of a scalar 0.5 NumPy takes roots
            yield Case("Pow", [base, numpy.array(exponent, kind)], powers, constants=[1])
        for other in ("int32", "int64", "float64"):
            yield Case("Pow", [values(kind), numpy.full(47, 3, other)], numpy.power(values(kind).astype(numpy.float64), 3.0))


def integer_functions():
    for kind in INTS:
        x = values(kind)
        yield Case("Abs", [x], abs(x))
        yield Case("Sign", [x], numpy.sign(x))
        yield Case("BitwiseNot", [x], ~x)
        yield Case("Clip", [x, numpy.array(2, kind), numpy.array(5, kind)], x.clip(2, 5), constants=[1])
        yield Case("Shrink", [x.clip(0, 9)], numpy.where(x.clip(0, 9) > 2, x.clip(0, 9) - 1, 0), lambd=2.0, bias=1.0)
        if kind in SIGNED:
            yield Case("Neg", [x], 0 - x)
            yield Case("Relu", [x], x.clip(0))


def integer_pairs():
    for kind in INTS:
        x, y = pairs(kind)
        for operator, meaning in (
            ("Add", numpy.add), ("Sub", numpy.subtract), ("Mul", numpy.multiply), ("Div", truncated),
            ("Max", numpy.maximum), ("Min", numpy.minimum), ("Mod", modulo),
            ("BitwiseAnd", numpy.bitwise_and), ("BitwiseOr", numpy.bitwise_or), ("BitwiseXor", numpy.bitwise_xor),
            ("Equal", numpy.equal), ("Less", numpy.less), ("Greater", numpy.greater),
            ("LessOrEqual", numpy.less_equal), ("GreaterOrEqual", numpy.greater_equal),
        ):  # fmt: skip
            yield Case(operator, [x, y], meaning(x, y))
        yield Case("Mod", [x, y], remainder(x, y), fmod=1)
        yield Case("Where", [x > y, x, y], numpy.where(x > y, x, y))
        yield Case("Max", [x, y, numpy.array(3, kind)], numpy.maximum(numpy.maximum(x, y), 3))
    for kind in UNSIGNED:
        x, count = numpy.repeat(values(kind), 12), numpy.tile(numpy.array([0, 1, 2, 5, 7, 8, 15, 16, 31, 32, 63, 64], kind), 47)
        for direction in ("LEFT", "RIGHT"):
            yield Case("BitShift", [x, count], shifted(x, count, direction), direction=direction)
    for kind in ("int32", "int64"):
        base, exponent = numpy.repeat(numpy.arange(-5, 6), 6).astype(kind), numpy.tile(numpy.arange(6), 11)
        for other in ("int32", "int64", "float32"):
            yield Case("Pow", [base, exponent.astype(other)], base.astype(object) ** exponent)
        yield Case("Pow", [base, numpy.array(2, kind)], base * base, constants=[1])
        yield Case("Pow", [base * 1000003, numpy.array(2, kind)], (base * 1000003) * (base * 1000003), constants=[1])


def bools():
    x, y = numpy.array([False, False, True, True] * 9), numpy.array([False, True] * 18)
    for operator, meaning in (("And", numpy.logical_and), ("Or", numpy.logical_or), ("Xor", numpy.logical_xor), ("Equal", numpy.equal)):
        yield Case(operator, [x, y], meaning(x, y))
    yield Case("Not", [x], ~x)
    matrix = x.reshape(4, 9)
    yield Case("ReduceMax", [matrix, numpy.array([1])], matrix.max(1), constants=[1], keepdims=0)
    yield Case("ReduceMin", [matrix, numpy.array([0])], matrix.min(0, keepdims=True), constants=[1])


def casts():
    for source in [*NUMBERS, "bool"]:
        for target in [*NUMBERS, "bool"]:
            x = values(source)
            if source in FLOATS and target not in [*FLOATS, "bool"]:
                x = values(source)[numpy.isfinite(values(source)) & (abs(values(source)) < 100)]
                x = abs(x) if target in UNSIGNED else x
            element = helper.np_dtype_to_tensor_dtype(numpy.dtype(target))
            yield Case("Cast", [x], x.astype(target), to=element)


# Longer than a vector, columns too, and more than one axis.
SHAPE = (3, 18, 5)


def summed(x, axis, keepdims=True):
    return x.sum(axis=axis, keepdims=keepdims, dtype=x.dtype)


def cut_off(meaning):
    """A function of doubles, cut off for integers."""

    def apply(x):
        wide = meaning(x.astype(numpy.float64))
        return wide if x.dtype.kind == "f" else numpy.trunc(wide)

    return apply


def reductions():
    for kind in NUMBERS:
        x = small(kind, SHAPE)
        for axes in ((0,), (1,), (2,), (0, 2), (0, 1, 2)):
            place = numpy.array(axes)
            yield Case("ReduceMax", [x, place], x.max(axes, keepdims=True), constants=[1])
            yield Case("ReduceMin", [x, place], x.min(axes), constants=[1], keepdims=0)
    for kind in WIDE:
        x = small(kind, SHAPE, least=1)
        is_float = kind in FLOATS
        for axes in ((1,), (2,), (0, 2), (0, 1, 2)):
            place, count = numpy.array(axes), math.prod(SHAPE[axis] for axis in axes)
            total = summed(x, axes)
            mean = total / count if is_float else numpy.trunc(total / count)
            # Sums of floats of both signs: what they cancel to is not asked for.
            loose = {"ulps": None} if is_float else {}
            yield Case("ReduceSum", [x, place], total, constants=[1], **loose)
            yield Case("ReduceMean", [x, place], mean, constants=[1], **loose)
            yield Case("ReduceProd", [x, place], x.prod(axes, keepdims=True, dtype=x.dtype), constants=[1], ulps=2000)
            yield Case("ReduceSumSquare", [x, place], summed(x * x, axes), constants=[1], ulps=64)
            yield Case("ReduceL1", [x, place], summed(abs(x), axes), constants=[1], ulps=64)
            yield Case("ReduceL2", [x, place], cut_off(numpy.sqrt)(summed(x * x, axes)), constants=[1], ulps=64)
            y = abs(x) + 1
            yield Case("ReduceLogSum", [y, place], cut_off(numpy.log)(summed(y, axes)), constants=[1], ulps=64)
            spread = cut_off(lambda v: numpy.log(numpy.exp(v).sum(axes, keepdims=True)))
            yield Case("ReduceLogSumExp", [y, place], spread(y), constants=[1], ulps=64)
    yield Case("ReduceMax", [small("int64", SHAPE)], small("int64", SHAPE), noop_with_empty_axes=1)
    infinite = numpy.array([[-math.inf, -math.inf], [math.inf, 1], [math.nan, 1], [1000, 1000]], numpy.float32)
    yield Case("ReduceLogSumExp", [infinite, numpy.array([1])], numpy.array([-math.inf, math.inf, math.nan, 1000 + math.log(2)]), constants=[1], keepdims=0)


def along_an_axis():
    for kind in WIDE:
        x = small(kind, SHAPE)
        for axis in (0, 1, -1):
            for exclusive in (0, 1):
                for reverse in (0, 1):
                    total = numpy.cumsum(numpy.flip(x, axis) if reverse else x, axis, dtype=x.dtype)
                    total = total - (numpy.flip(x, axis) if reverse else x) if exclusive else total
                    total = numpy.flip(total, axis) if reverse else total
                    yield Case("CumSum", [x, numpy.array(axis)], total, constants=[1], exclusive=exclusive, reverse=reverse, ulps=None)
    for kind in NUMBERS:
        x = small(kind, SHAPE)
        for axis in (0, 1, -1):
            places, last = numpy.argmax(x, axis), x.shape[axis] - 1 - numpy.argmax(numpy.flip(x, axis), axis)
            yield Case("ArgMax", [x], places, axis=axis, keepdims=0)
            yield Case("ArgMax", [x], numpy.expand_dims(last, axis), axis=axis, select_last_index=1)
            yield Case("ArgMin", [x], numpy.argmin(x, axis), axis=axis, keepdims=0)
    for kind in FLOATS:
        x = small(kind, SHAPE)
        wide = x.astype(numpy.float64)
        for axis in (0, 1, -1):
            power = numpy.exp(wide - wide.max(axis, keepdims=True))
            share = power / power.sum(axis, keepdims=True)
            yield Case("Softmax", [x], share, axis=axis, ulps=64)
            yield Case("LogSoftmax", [x], numpy.log(share), axis=axis, ulps=64)
            one_hot = numpy.arange(x.shape[axis]).reshape([-1 if i == axis % 3 else 1 for i in range(3)])
            yield Case("Hardmax", [x], (one_hot == numpy.expand_dims(x.argmax(axis), axis)).astype(kind), axis=axis)
            yield Case("LpNormalization", [x], wide / numpy.sqrt((wide * wide).sum(axis, keepdims=True)), axis=axis, ulps=64)
            yield Case("LpNormalization", [x], wide / abs(wide).sum(axis, keepdims=True), axis=axis, p=1, ulps=64)


def products():
    for kind in WIDE:
        for a, b in (((4, 7), (7, 19)), ((2, 4, 7), (7, 19)), ((4, 7), (3, 7, 5)), ((2, 1, 4, 7), (3, 7, 5)), ((7,), (7, 5)), ((2, 7), (7,))):
            x, y = small(kind, a, 1), small(kind, b, 2)
            yield Case("MatMul", [x, y], numpy.matmul(x, y), ulps=None)
        x, y, c = small(kind, (4, 7), 1), small(kind, (19, 7), 2), small(kind, (19,), 3)
        yield Case("Gemm", [x, y, c], x @ y.T + c, transB=1, ulps=None)
        limit = numpy.full((2, 2), numpy.iinfo(kind).max if kind not in FLOATS else 1, kind)
        yield Case("MatMul", [limit, limit], limit @ limit)


def losses():
    for kind in FLOATS:
        scores = small(kind, (5, 4, 3)).astype(numpy.float64)
        logs = scores - numpy.log(numpy.exp(scores).sum(1, keepdims=True))
        classes = numpy.random.default_rng(5).integers(0, 4, (5, 3))
        weights = numpy.array([0.5, 1, 2, 3])
        picked = -numpy.take_along_axis(logs, classes[:, None], 1)[:, 0]
        weight = weights[classes] * (classes != 2)
        known = {"inputs": [scores.astype(kind), classes, weights.astype(kind)], "ulps": 200}
        yield Case("SoftmaxCrossEntropyLoss", expected=(picked * weight).sum() / weight.sum(), ignore_index=2, **known)
        yield Case("SoftmaxCrossEntropyLoss", expected=picked * weights[classes], reduction="none", **known)
        known = {"inputs": [logs.astype(kind), classes.astype(numpy.int32)], "ulps": 200}
        yield Case("NegativeLogLikelihoodLoss", expected=picked.mean(), **known)
        yield Case("NegativeLogLikelihoodLoss", expected=(picked * (classes != 1)).sum(), reduction="sum", ignore_index=1, **known)


def behind_kernels():
    """What may become the epilogue of a product, and what may not."""
    x, w = small("float32", (5, 7), 1), numpy.eye(7, 19, dtype=numpy.float32)
    sums = (x @ w).astype(numpy.float64)
    other, truth = small("float32", (5, 19), 2), small("int32", (5, 19), 3) > 0
    product = ("MatMul", ["x0", "x1"], "p", {})

    def chain(*nodes, more=(), constants=(), gives):
        return Chain([product, *nodes], [x, w, *more], gives, constants)

    yield chain(("Where", ["x2", "p", "x3"], "y", {}), more=[truth, other], gives=numpy.where(truth, sums, other))
    yield chain(("Where", ["x2", "p", "x3"], "y", {}), more=[numpy.array(True), other], constants=[2], gives=sums)
    yield chain(("Mod", ["p", "x2"], "y", {"fmod": 1}), more=[other], gives=numpy.fmod(sums, other))
    yield chain(("Pow", ["p", "x2"], "y", {}), more=[numpy.array(4, numpy.int64)], constants=[2], gives=sums**4)
    yield chain(("Round", ["p"], "r", {}), ("Sign", ["r"], "y", {}), gives=numpy.sign(numpy.rint(sums)))
    yield chain(("Less", ["p", "x2"], "l", {}), ("Cast", ["l"], "y", {"to": TensorProto.FLOAT}), more=[other], gives=sums < other)
    yield chain(("Less", ["p", "x2"], "l", {}), ("Greater", ["p", "x3"], "g", {}), ("Xor", ["l", "g"], "e", {}),
                ("Where", ["e", "p", "x2"], "y", {}), more=[other, -other], gives=numpy.where((sums < other) != (sums > -other), sums, other))  # fmt: skip
    yield chain(("Less", ["p", "x2"], "l", {}), ("Greater", ["p", "x3"], "g", {}), ("Equal", ["l", "g"], "e", {}), ("Where", ["e", "l", "g"], "b", {}),
                ("Where", ["b", "p", "x2"], "y", {}), more=[other, -other], gives=numpy.where(((sums < other) == (sums > -other)) & (sums < other) | ((sums < other) != (sums > -other)) & (sums > -other), sums, other))  # fmt: skip
    yield chain(("IsNaN", ["p"], "n", {}), ("IsInf", ["p"], "i", {"detect_negative": 0, "detect_positive": 0}), ("Or", ["n", "i"], "b", {}),
                ("Not", ["b"], "c", {}), ("Where", ["c", "p", "x2"], "y", {}), more=[other], gives=sums)  # fmt: skip
    yield chain(("Cast", ["p"], "i", {"to": TensorProto.INT8}), ("Cast", ["i"], "u", {"to": TensorProto.UINT8}), ("Cast", ["u"], "l", {"to": TensorProto.INT64}),
                ("Cast", ["l"], "y", {"to": TensorProto.FLOAT}), gives=(x @ w).astype(numpy.int8).astype(numpy.uint8).astype(numpy.float64))  # fmt: skip
    for operator, meaning in FUNCTIONS:
        if operator not in ("IsNaN", "IsInf"):
            with_nan = meaning(sums)
            yield chain((operator, ["p"], "y", {}), gives=numpy.asarray(with_nan))


GROUPS = [behind_kernels, float_functions, float_pairs, integer_functions, integer_pairs, bools, casts, reductions, along_an_axis, products, losses]


# ------------------------------------------------------------------------------------------------------------------- checks


def nodes_of(case, number, names):
    if not isinstance(case, Chain):
        return [helper.make_node(case.operator, names, [f"y{number}"], name=f"n{number}", domain=case.domain, **case.attributes)]
    known = {f"x{i}": name for i, name in enumerate(names)}
    own = lambda name: known.get(name, f"{name}{number}")  # noqa: E731
    return [helper.make_node(operator, [own(name) for name in inputs], [own(output)], name=f"n{number}_{output}", **attributes)
            for operator, inputs, output, attributes in case.nodes]  # fmt: skip


def build_model(cases):
    nodes, inputs, constants, outputs, given = [], [], [], [], []
    for number, case in enumerate(cases):
        names = [f"x{number}_{i}" for i in range(len(case.inputs))]
        for i, (name, array) in enumerate(zip(names, case.inputs)):
            if i in case.constants:
                constants.append(numpy_helper.from_array(numpy.asarray(array), name))
                continue
            inputs.append(helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape))
            given.append(array)
        nodes += nodes_of(case, number, names)
        outputs.append(helper.make_tensor_value_info(f"y{number}", TensorProto.UNDEFINED, None))
    for output in outputs:
        output.ClearField("type")
    graph = helper.make_graph(nodes, "operators", inputs, outputs, constants)
    imports = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=11), given


def describe(case):
    attributes = "".join(f" {name}={value}" for name, value in case.attributes.items())
    return f"{case.operator} of {' and '.join(f'{x.dtype}{list(x.shape)}' for x in case.inputs)}{attributes}"


def check_floats(case, found, expected):
    """Distances in units in the last place of the expected number, or of what the whole result is made of."""
    with numpy.errstate(all="ignore"):
        rounded = expected.astype(found.dtype)
        special = ~numpy.isfinite(rounded)
        if not numpy.array_equal(found[special], rounded[special], equal_nan=True):
            return numpy.argwhere(special.ravel())[0][0]
        scale = numpy.abs(rounded) if case.ulps else numpy.maximum(numpy.abs(rounded), numpy.abs(rounded[~special]).max(initial=1))
        allowed = (case.ulps or 32) * numpy.finfo(found.dtype).eps * scale + numpy.finfo(found.dtype).tiny
        wrong = ~special & (abs(found.astype(numpy.float64) - expected) > allowed)
    return numpy.argwhere(wrong.ravel())[0][0] if wrong.any() else None


def check_case(case, found):
    expected = numpy.asarray(case.expected)
    if found.shape != expected.shape:
        raise Failed(f"{describe(case)}: expected the shape {expected.shape}, found {found.shape}")
    if found.dtype.kind == "f":
        place = check_floats(case, found, expected.astype(numpy.float64))
    else:
        wrong = found.astype(object) != expected.astype(object)
        place = numpy.argwhere(wrong.ravel())[0][0] if wrong.any() else None
    if place is not None:
        arguments = [x.ravel()[place] for x in case.inputs if x.shape == found.shape]
        raise Failed(f"{describe(case)}: expected {expected.ravel()[place]}, found {found.ravel()[place]} at {place} for {arguments}")


def check(group, target, compiler, work):
    with warnings.catch_warnings(), numpy.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        cases = list(group())
    model, given = build_model(cases)
    path, generated, inputs = (os.path.join(work, name) for name in ("model.onnx", "generated", "inputs"))
    onnx.save(model, path)
    harness.compile_model(path, generated, target, [])
    (program,) = harness.build(generated, os.path.join(work, "build"), compiler, target, jobs=harness.JOBS)
    harness.empty_folder(inputs)
    for i, array in enumerate(given):
        numpy.save(os.path.join(inputs, f"input_{i}.npy"), array)
    folders = []
    for threads in harness.THREADS:
        folders.append(harness.empty_folder(os.path.join(work, f"outputs_{threads}")))
        harness.must([*target.runner, program, "--inputs", inputs, "--outputs", folders[-1], "--threads", str(threads)], 60)
        harness.check_same_bytes(folders[0], folders[-1], f"{threads} threads")
    for i, case in enumerate(cases):
        check_case(case, numpy.load(os.path.join(folders[0], f"output_{i}.npy")))
    return f"{len(cases)} nodes right"


def run_group(group, arguments):
    return harness.test_in(WORK, group.__name__, arguments.keep, check, group, Target(arguments.target), arguments.compiler)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="groups whose name contains this text")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--target", default="native")
    parser.add_argument("--keep", action="store_true", help="leave the generated folders and the builds")
    arguments = parser.parse_args()
    return harness.close([run_group(group, arguments) for group in GROUPS if arguments.only in group.__name__])


if __name__ == "__main__":
    sys.exit(main())
