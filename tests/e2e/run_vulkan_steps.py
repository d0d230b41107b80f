"""Steps of all kinds for --target vulkan against ONNX Runtime, on a software device with the validation layers on.

    run_vulkan_steps.py [--groups A,B] [--only TEXT] [--flags="--gpu desktop"] [--device] [--keep]

All cases of a group are parts of one model, so that a group costs one program. Sizes leave tiles, rows and workgroups that are not
full; groups cover element-wise steps, products, windows, rows, movement, attention and recurrent networks. A float may be off by 1e-4
of the largest finite magnitude in the reference, in groups of corners by 1e-4 of itself. Integers, 16-bit floats and what comes of
rounding to 16 bits are equal.
"""

import functools
import os
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import harness
import run_models
import run_precision
import run_vulkan
from harness import Failed

WORK = os.path.join(harness.BUILD, "e2e", "vulkan_steps")
OPSET, TOLERANCE = 21, 1e-4
RANDOM = numpy.random.default_rng(1)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(numpy.float32)


def integers(kind, least, most, *shape):
    return RANDOM.integers(least, most, shape).astype(kind)


class Case:
    """Nodes (operator, names of inputs, names of outputs, attributes); inputs and constants by name; what the outputs are.

    steps: how many steps it is to have. expected: the only output, where ONNX Runtime leaves it to the processor, or is inexact.
    isRelative: each float may be off by a part of itself only; isExact: none is off. onHost: it has a step without a shader; all
    others have none."""

    def __init__(self, name, nodes, inputs, constants=None, outputs=("y",), steps=None, expected=None, isRelative=False, isExact=False, onHost=False):
        self.name, self.nodes, self.inputs, self.constants, self.outputs = name, nodes, inputs, constants or {}, outputs
        self.steps, self.expected, self.isRelative, self.isExact, self.onHost = steps, expected, isRelative, isExact, onHost


def one(operator, inputs, constants=None, outputs=("y",), name=None, expected=None, isRelative=False, isExact=False, onHost=False, **attributes):
    """A case of one node, whose inputs are those of both dictionaries in this order."""
    names = [*inputs, *(constants or {})]
    nodes = [(operator, names, outputs, attributes)]
    return Case(name or operator, nodes, inputs, constants, outputs, None, expected, isRelative, isExact, onHost)


# ------------------------------------------------------------------------------------------------------------------- groups


def elementwise():
    x, positive, small = floats(3, 37), numpy.abs(floats(3, 37)) + 0.1, numpy.clip(floats(3, 37), -0.9, 0.9)
    for operator in """Relu Sigmoid Tanh Exp Abs Neg Erf Softplus Softsign Floor Ceil Round Sin Cos HardSigmoid HardSwish Elu Selu
                       LeakyRelu Celu Mish Sinh Cosh Asinh Sign ThresholdedRelu""".split():
        yield one(operator, {"x": x})
    for operator in ("Log", "Sqrt", "Reciprocal"):
        yield one(operator, {"x": positive})
    yield one("Tan", {"x": small})
    yield one("Atanh", {"x": small})
    for operator in ("Add", "Sub", "Mul", "Div", "Max", "Min"):
        yield one(operator, {"a": floats(2, 3, 5), "b": floats(3, 1)})
    yield one("Pow", {"a": numpy.abs(floats(2, 3, 5)), "b": floats(3, 1)})
    for operator in ("Greater", "LessOrEqual"):
        yield one(operator, {"a": floats(4, 5), "b": floats(5)})
    yield Case("Where", [("Greater", "ab", "c", {}), ("Where", "cab", "y", {})], {"a": floats(4, 5), "b": floats(5)})
    yield Case("Not", [("And", "ab", "c", {}), ("Not", "c", "y", {})], {"a": floats(4, 5) > 0, "b": floats(5) > 0})
    yield one("Sum", {f"x{i}": floats(2, 3) for i in range(6)})
    yield Case("reuse", [("Relu", "x", "a", {}), ("Add", "ax", "b", {}), ("Mul", "ba", "c", {}), ("Transpose", "c", "d", {}), ("MatMul", "cd", "y", {})], {"x": floats(30, 20)})


def numbers():
    """Types other than floats."""
    yield one("Add", {"a": integers("int64", -(2**40), 2**40, 4, 5), "b": integers("int64", -(2**40), 2**40, 5)}, name="Add_i64")
    yield one("Mod", {"a": integers("int64", -9, 9, 4, 5), "b": integers("int64", 1, 5, 5)})
    yield one("Mul", {"a": integers("int32", -99, 99, 4, 5), "b": integers("int32", -9, 9, 5)}, name="Mul_i32")
    for kind in ("uint8", "int8"):
        limits = numpy.iinfo(kind)
        a, b = integers(kind, limits.min, limits.max, 4, 7), integers(kind, limits.min, limits.max, 7)
        yield one("Cast", {"a": a}, to=TensorProto.FLOAT, name=f"Cast_{kind}")
        for operator in ("Less", "Max", "Where"):
            if operator == "Where":
                yield one(operator, {"c": RANDOM.random((4, 7)) > 0.5, "a": a, "b": b}, name=f"Where_{kind}")
            else:
                yield one(operator, {"a": a, "b": b}, name=f"{operator}_{kind}")
    yield one("Cast", {"a": floats(4, 7) * 50}, to=TensorProto.INT64, name="Cast_to_i64")
    yield one("Cast", {"a": floats(4, 7) * 50}, to=TensorProto.INT32, name="Cast_to_i32")
    yield one("Cast", {"a": numpy.abs(floats(4, 7)) * 50}, to=TensorProto.UINT8, name="Cast_to_u8")
    for kind, least, most in (("uint8", 100, 255), ("int8", -128, -90)):
        x = integers(kind, least, most, 2, 5, 9, 11)
        yield one("MaxPool", {"x": x}, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 1, 0, 1], dilations=[1, 2], name=f"MaxPool_{kind}")
    scale, zero = {"s": numpy.float32(0.02), "z": numpy.uint8(120)}, {"s": numpy.float32(0.02), "z": numpy.int8(-3)}
    yield one("QuantizeLinear", {"x": floats(4, 50)}, zero)
    for operator in ("AveragePool", "GlobalAveragePool", "Softmax", "ReduceMean"):
        attributes = {"kernel_shape": [2, 2]} if operator == "AveragePool" else {}
        nodes = [("DequantizeLinear", "xsz", "r", {}), (operator, "r", "y", attributes)]
        yield Case(f"{operator}_of_bytes", nodes, {"x": integers("uint8", 0, 255, 1, 3, 6, 7)}, scale)
    yield Case("QDQ", [("QuantizeLinear", "xsz", "q", {}), ("DequantizeLinear", "qsz", "y", {})], {"x": floats(4, 50)}, scale)


def quotients():
    """Quotients that are rounded, most of them within a few units in the last place of where the result changes."""
    divisors = numpy.exp(RANDOM.uniform(-40, 40, 4000)).astype("float32") * RANDOM.choice(numpy.float32([1, -1]), 4000)
    whole = numpy.round(RANDOM.standard_normal(4000) * 300)
    edges = {"a": (whole * divisors).astype("float32"), "b": divisors}
    corners = numpy.float32([numpy.inf, -numpy.inf, 0, -0.0, 2, 3e38, -3e38, 1, 7, 0])
    extremes = {"a": corners, "b": numpy.float32([3, 0.5, 3, 3, 1, 2, -0.75, numpy.inf, 1e30, 5])}
    for rounding in ("Floor", "Ceil", "Round"):
        nodes = [("Div", "ab", "q", {}), (rounding, "q", "y", {})]
        yield Case(f"{rounding}_of_quotients", nodes, edges, isExact=True)
        yield Case(f"{rounding}_of_corners", nodes, extremes, isExact=True)
    for kind in ("int32", "int64"):
        cast = ("Cast", "q", "y", {"to": helper.np_dtype_to_tensor_dtype(numpy.dtype(kind))})
        yield Case(f"Cast_of_quotients_{kind}", [("Div", "ab", "q", {}), cast], edges)
    for scale in numpy.float32([0.02, 0.0283232201, 0.3, 1 / 255, 3.7e-5]):
        ties = ((numpy.round(RANDOM.standard_normal(2000) * 40) + 0.5) * scale).astype("float32")
        yield one("QuantizeLinear", {"x": ties}, {"s": scale, "z": numpy.int8(3)}, name=f"QuantizeLinear_by_{scale:.4g}")
    for name, x in (("few", floats(7)), ("many", floats(30, 2000) * 3 + 1), ("above", numpy.abs(floats(5000)) + 2), ("none", floats(3, 5) * 0)):
        yield one("DynamicQuantizeLinear", {"x": x}, outputs=("y", "s", "z"), name=f"DynamicQuantizeLinear_{name}", isExact=True)
    nodes = [("DynamicQuantizeLinear", "x", "bsz", {}), ("MatMulInteger", "bwz", "p", {}), ("Cast", "p", "f", {"to": TensorProto.FLOAT}), ("Mul", "fs", "y", {})]
    # Larger weights would saturate in ONNX Runtime on processors without dot products of bytes.
    yield Case("dynamic_product", nodes, {"x": floats(9, 70)}, {"w": integers("int8", -60, 60, 70, 33)})
    nodes = [nodes[0], ("ConvInteger", "bwz", "p", {"pads": [1, 1, 1, 1]}), *nodes[2:]]
    yield Case("dynamic_convolution", nodes, {"x": floats(1, 6, 9, 8) + 1}, {"w": integers("int8", -60, 60, 20, 6, 3, 3)})


def vocabularies():
    """Constants of more than 128 MiB, which shaders see in two pieces: looked up on both sides of the border, and multiplied by."""
    words, width = 36000, 1024
    border = 2**27 // (4 * width)
    table = (numpy.arange(words * width, dtype="uint32") * 2654435761 % 1021).astype("float32").reshape(words, width) / 1021
    indices = numpy.array([0, border - 1, border, words - 1, -1, 7])
    yield Case("vocabulary", [("Gather", ["t", "i"], "y", {})], {"i": indices}, {"t": table}, isExact=True)
    yield one("MatMul", {"x": floats(3, width)}, {"t": table.reshape(width, words)}, name="product_with_vocabulary")


def real_corners():
    """Functions where SPIR-V's own are undefined or inexact."""

    def close(operator, x, expected=None, **attributes):
        x = numpy.array(x, "float32")
        expected = None if expected is None else expected(x.astype("float64")).astype("float32")
        return one(operator, {"x": x}, expected=expected, isRelative=True, **attributes)

    infinity, nan = numpy.inf, numpy.nan
    bases = numpy.array([-2, -2, -2, 0, 0, 0, 2, infinity, 1, -1.5, -0.0, 9, -0.0, -infinity, -infinity, -infinity, infinity, -1, -1, nan, 1, 3, nan, 0.5, -8, -0.0], "float32")
    exponents = [2, 3, 0.5, 0, 2, -1, -1, 0, infinity, 4, 3, 0, -3, 3, 2, -1, -2, infinity, 2**25, 0, nan, nan, 1, infinity, 1 / 3, 0.5]
    powers = {"a": bases, "b": numpy.array(exponents, "float32")}
    yield one("Pow", powers, name="Pow_corners", isRelative=True)
    for kind in ("int32", "int64"):
        integers = numpy.array([2, 3, -3, 0, 7, -1, 5, 33], kind)
        yield one("Pow", {"a": numpy.array([-2, -2, 3, 0, 1.5, -0.0, -0.0, -1], "float32"), "b": integers}, name=f"Pow_{kind}", isRelative=True)
    yield one("Pow", {"a": numpy.array([-2, 2, 3, 0, -0.0], "float32")}, {"b": numpy.int64(7)}, name="Pow_7", isRelative=True)
    yield one("Pow", {"a": numpy.array([-2, 2, 31], "int32"), "b": numpy.array([2, 3, 6], "int32")}, name="Pow_of_integers", onHost=True)
    large = [-5000, -300, 300, 5000, 1e20, -1e20, 1e-6, -1e-6, 0, 0.3, -0.7, infinity, -infinity, nan]
    with numpy.errstate(all="ignore"):
        yield close("Asinh", large, numpy.arcsinh)
        yield close("Acosh", [1, 1.00001, 1.5, 5000, 1e20, infinity, 0.5], numpy.arccosh)
        yield close("Atanh", [1, -1, 0.999999, -0.999999, 1e-6, -1e-6, 0.4, 2], numpy.arctanh)
    yield close("Elu", [-1e-4, -1e-7, -0.5, -0.4, -0.6, -40, -3e-5, 2], lambda x: numpy.where(x > 0, x, numpy.expm1(x)))
    yield close("Softplus", [-20, -15, -10, -30, -17, -1, 0, 3, 100], lambda x: numpy.maximum(x, 0) + numpy.log1p(numpy.exp(-abs(x))))
    a, b = numpy.array([1e6, -7.5, 3, 7, 1e10], "float32"), numpy.array([3, 2, 0.7, -2, 0.3], "float32")
    yield one("Mod", {"a": a, "b": b}, fmod=1, isRelative=True, onHost=True)
    yield one("Exp", {"x": RANDOM.standard_normal(5)}, name="Exp_f64", onHost=True)
    yield one("Floor", {"x": RANDOM.standard_normal(5)}, name="Floor_f64")


def integer_corners():
    """Results that SPIR-V leaves undefined, and upper bits of narrow integers."""

    def cast(x, to, **options):
        return one("Cast", {"x": x}, to=helper.np_dtype_to_tensor_dtype(numpy.dtype(to)), name=f"{x.dtype}_to_{to}", **options)

    def quotient(a, b):  # towards 0
        return 0 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)

    for kind in ("int8", "int16", "int32", "int64", "uint8", "uint32"):
        limits = numpy.iinfo(kind)
        a, b = [limits.min, 7, limits.max, 3, limits.min, 100, limits.max], [-1 if limits.min else 3, 0, 0, 2, 3, 7, 2]
        expected = numpy.array([quotient(x, y) % 2**64 for x, y in zip(a, b)], "uint64").astype(kind)
        yield one("Div", {"a": numpy.array(a, kind), "b": numpy.array(b, kind)}, name=f"Div_{kind}", expected=expected)
    for kind in ("uint8", "uint16", "uint32", "uint64"):
        width, most = numpy.iinfo(kind).bits, numpy.iinfo(kind).max
        a, b = [1, 200, 255, 7, 9, most], [3, width, width - 1, 40, 0, 200]
        for direction in ("LEFT", "RIGHT"):
            shifted = [(x << y if direction == "LEFT" else x >> y) & most if y < width else 0 for x, y in zip(a, b)]
            yield one("BitShift", {"a": numpy.array(a, kind), "b": numpy.array(b, kind)}, name=f"BitShift_{kind}_{direction}", expected=numpy.array(shifted, kind), direction=direction)
    x = [numpy.nan, 1e20, -1e20, 3.9, -3.9, numpy.inf, 300.7, -1.5, 4e4, 3e9, 4294967295.9, 5e9, 2.0**31, 0]
    least32, least64 = -(2**31), -(2**63)
    words = [least32, least32, least32, 3, -3, least32, 300, -1, 40000, least32, least32, least32, least32, 0]
    x32 = numpy.array(x, "float32")
    longs = [least64, least64, least64, *[int(value) for value in x32[3:5]], least64, *[int(value) for value in x32[6:]]]
    for kind in ("int8", "int16", "int32", "uint8", "uint16", "int64", "uint32"):
        known = longs if kind in ("int64", "uint32") else words
        expected = numpy.array(known, "int64").astype(kind)
        yield one("Cast", {"x": x32}, to=helper.np_dtype_to_tensor_dtype(numpy.dtype(kind)), name=f"Cast_to_{kind}", expected=expected)
    u8, u16, i8 = numpy.array([0, 1, 127, 128, 200, 255], "uint8"), numpy.array([0, 1, 32767, 32768, 65535, 7], "uint16"), numpy.array([100, -100, 127, -128, 3, 5], "int8")
    for x in (u8, u16, i8):
        yield cast(x, "int64")
        yield cast(x, "int32")
    yield Case("i8_sum_to_i64", [("Add", "xx", "s", {}), ("Cast", "s", "y", {"to": TensorProto.INT64})], {"x": i8}, expected=(i8 + i8).astype("int64"))
    yield Case("u8_sum_equal", [("Add", "xx", "s", {}), ("Equal", "sb", "y", {})], {"x": u8, "b": u8 + u8}, expected=numpy.full(6, True))
    yield Case("u8_sum_shifts", [("Add", "bb", "s", {}), ("BitShift", "xs", "y", {"direction": "LEFT"})], {"x": u8, "b": numpy.full(6, 129, "uint8")}, expected=u8 << 2)
    yield one("Abs", {"x": numpy.array([-128, -1, 5], "int8")}, name="Abs_i8", expected=numpy.array([-128, 1, 5], "int8"))
    yield Case("Abs_of_i8_sum", [("Add", "xx", "s", {}), ("Abs", "s", "t", {}), ("Cast", "t", "y", {"to": TensorProto.INT32})], {"x": i8}, expected=numpy.abs(i8 + i8).astype("int32"))
    yield cast(numpy.array([1, -2, 3.7, 100], "float16"), "int16", onHost=True)
    nodes = [("QuantizeLinear", "xsz", "q", {}), ("Concat", "qq", "c", {"axis": 0}), ("DequantizeLinear", "csz", "y", {})]
    values, scale = numpy.linspace(-4, 3.5, 15, dtype="float32").reshape(3, 5), {"s": numpy.float32(0.5)}
    fours = numpy.round(values / 0.5).clip(-8, 7) * numpy.float32(0.5)
    yield Case("four_bits", nodes, {"x": values}, scale | {"z": helper.make_tensor("z", TensorProto.INT4, [], [0])}, expected=numpy.concatenate([fours, fours]), onHost=True)


def halves():
    """Steps that round once: equal to the bit."""
    limits = numpy.array([65504, 65519, 65520, 1e5, 2.0**-14, 2.0**-24, 2.0**-25, numpy.inf, numpy.nan, 0, 1 + 2.0**-11, 1 + 3 * 2.0**-11], numpy.float32)
    every = numpy.arange(2**16, dtype=numpy.uint16).view(numpy.float16)
    every = every[(numpy.abs(every) >= 2.0**-14) | (every == 0) | numpy.isnan(every)]  # subnormals may be zero to a device
    wide = numpy.concatenate([limits, -limits, floats(500) * 1000, floats(500)])
    yield one("Cast", {"x": every}, to=TensorProto.FLOAT, name="Cast_from_f16", isExact=True)
    yield one("Cast", {"x": wide[numpy.abs(numpy.nan_to_num(wide)) > 2.0**-14]}, to=TensorProto.FLOAT16, name="Cast_to_f16")
    yield Case("rounding", [("Cast", "x", "h", {"to": TensorProto.FLOAT16}), ("Cast", "h", "y", {"to": TensorProto.FLOAT})], {"x": wide}, isExact=True)
    a, b = floats(5, 37).astype(numpy.float16), floats(37).astype(numpy.float16)
    for operator in ("Add", "Sub", "Mul", "Max"):
        yield one(operator, {"a": a, "b": b}, name=f"{operator}_f16")
    yield one("Relu", {"x": a}, name="Relu_f16")
    yield one("Transpose", {"x": a}, name="Transpose_f16")
    nodes = [("Mul", "ab", "c", {}), ("Cast", "c", "h", {"to": TensorProto.FLOAT16}), ("Cast", "h", "d", {"to": TensorProto.FLOAT}), ("Add", "da", "y", {})]
    yield Case("rounding_of_products", nodes, {"a": floats(5, 37), "b": floats(37)}, isExact=True)


def products():
    shapes = [((5, 7), (7, 9)), ((1, 64), (64, 100)), ((2, 3, 33, 20), (2, 3, 20, 47)), ((130, 70), (70, 129)), ((1, 1, 40), (40, 1000)),
              ((2, 3, 4, 5), (5, 6)), ((3, 1, 4, 5), (1, 2, 5, 6)), ((64,), (64, 30)), ((4, 64), (64,))]  # fmt: skip
    for i, (a, b) in enumerate(shapes):
        yield one("MatMul", {"a": floats(*a)}, {"b": floats(*b)}, name=f"MatMul_{i}")
        yield one("MatMul", {"a": floats(*a), "b": floats(*b)}, name=f"MatMul_of_two_{i}")
    yield one("Gemm", {"a": floats(20, 13)}, {"b": floats(17, 20), "c": floats(17)}, transA=1, transB=1, alpha=0.5, beta=2.0)
    yield one("Gemm", {"a": floats(20, 13), "b": floats(17, 20), "c": floats(13, 1)}, transA=1, transB=1, name="Gemm_of_three")
    yield one("Einsum", {"a": floats(2, 3, 10, 8), "b": floats(2, 3, 12, 8)}, equation="bhid,bhjd->bhij")


def windows():
    def conv(name, x, w, **attributes):
        return one("Conv", {"x": floats(*x)}, {"w": floats(*w), "b": floats(w[0])}, name=name, **attributes)

    yield conv("pads", (2, 5, 11, 13), (7, 5, 3, 3), pads=[1, 1, 1, 1])
    yield conv("strides", (1, 3, 17, 16), (20, 3, 3, 3), strides=[2, 2], pads=[1, 0, 0, 1])
    yield conv("dilations", (1, 8, 20, 20), (9, 8, 3, 3), dilations=[2, 3], pads=[2, 3, 2, 3])
    yield conv("pointwise", (1, 64, 9, 9), (70, 64, 1, 1))
    yield conv("large", (1, 16, 40, 40), (64, 16, 3, 3), pads=[1, 1, 1, 1])
    yield conv("depthwise", (1, 33, 14, 14), (33, 1, 3, 3), group=33, pads=[1, 1, 1, 1])
    yield conv("multiplier", (1, 6, 14, 14), (12, 1, 5, 5), group=6, pads=[2, 2, 2, 2], strides=[2, 1])
    yield conv("groups", (1, 24, 10, 10), (48, 6, 3, 3), group=4, pads=[1, 1, 1, 1])
    yield conv("small_groups", (1, 12, 10, 10), (8, 3, 3, 3), group=4)
    yield conv("one_dimension", (2, 6, 50), (8, 6, 5), strides=[2], pads=[2, 2])
    yield one("ConvTranspose", {"x": floats(1, 5, 7, 8)}, {"w": floats(5, 6, 3, 3)}, strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1])
    residual = [("Conv", "xwb", "c", {"pads": [1, 1, 1, 1]}), ("Add", "cx", "d", {}), ("Relu", "d", "y", {})]
    yield Case("residual", residual, {"x": floats(1, 8, 9, 9)}, {"w": floats(8, 8, 3, 3), "b": floats(8)})
    image = {"x": floats(1, 5, 15, 14)}
    yield one("MaxPool", image, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    yield one("MaxPool", image, kernel_shape=[3, 2], strides=[2, 2], ceil_mode=1, dilations=[2, 1], name="MaxPool_ceil")
    yield one("AveragePool", image, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    yield one("AveragePool", image, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 0, 1, 1], count_include_pad=1, name="AveragePool_pads")
    for mode, scales in (("linear", [1, 1, 2, 1.5]), ("nearest", [1, 1, 2, 3]), ("cubic", [1, 1, 1.5, 0.5])):
        yield one("Resize", {"x": floats(1, 3, 8, 9)}, {"r": numpy.zeros(0, "float32"), "s": numpy.array(scales, "float32")}, mode=mode, name=f"Resize_{mode}")
    yield one("GlobalAveragePool", {"x": floats(2, 300, 7, 7)})
    yield one("GlobalMaxPool", {"x": floats(2, 30, 17, 7)})


def factors(*shape):
    """Of either sign, and so close to 1 that products of any number of them are too."""
    return (floats(*shape) / 32 + RANDOM.choice([-1, 1], shape)).astype(numpy.float32)


def rows():
    for operator in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2", "ReduceLogSumExp"):
        for i, axes in enumerate(([-1], [0], [1], [0, 2], [0, 1, 2])):
            x = factors(6, 9, 40) if operator == "ReduceProd" else floats(6, 9, 40)
            yield one(operator, {"x": x}, {"axes": numpy.array(axes)}, name=f"{operator}_{i}")
    for operator in ("Softmax", "LogSoftmax"):
        for axis in (-1, 0, 1):
            yield one(operator, {"x": floats(4, 70, 33)}, axis=axis, name=f"{operator}_{axis % 3}")
    yield one("Softmax", {"x": floats(2, 5000)}, name="Softmax_long")
    yield Case("Softmax_Mul", [("Softmax", "x", "s", {}), ("Mul", "sx", "y", {})], {"x": floats(4, 70)})
    yield one("LayerNormalization", {"x": floats(3, 5, 48)}, {"scale": floats(48), "bias": floats(48)})
    yield one("InstanceNormalization", {"x": floats(2, 6, 30, 31)}, {"scale": floats(6), "bias": floats(6)})
    statistics = {"scale": floats(6), "bias": floats(6), "mean": floats(6), "variance": numpy.abs(floats(6))}
    yield one("BatchNormalization", {"x": floats(2, 6, 5, 5)}, statistics)


def short_rows():
    """Folds of fewer elements than threads, all of one sign, and of none: where nothing is folded, what was there at first counts."""
    for length in (1, 5, 10, 100):
        x = -numpy.abs(floats(4, length)) - 1
        for operator in ("ReduceMax", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceL2", "ReduceLogSumExp"):
            folded = {"ReduceMin": -x, "ReduceProd": 1 - x / 32}.get(operator, x)
            for axis in (0, 1):
                yield one(operator, {"x": folded}, {"axes": numpy.array([axis])}, name=f"{operator}_{length}_{axis}", keepdims=0)
        yield one("ReduceLogSumExp", {"x": x - 200}, {"axes": numpy.array([1])}, name=f"ReduceLogSumExp_far_{length}")
        for operator in ("Softmax", "LogSoftmax"):
            yield one(operator, {"x": x - 200}, name=f"{operator}_{length}")
    yield one("GlobalMaxPool", {"x": -numpy.abs(floats(1, 3, 4, 4)) - 1})
    nothing, axes = {"x": numpy.zeros((3, 0), "float32")}, {"axes": numpy.array([1])}
    for operator, value in (("ReduceMax", -numpy.inf), ("ReduceMin", numpy.inf), ("ReduceProd", 1), ("ReduceSum", 0)):
        yield one(operator, nothing, axes, name=f"{operator}_of_none", keepdims=0, expected=numpy.full(3, value, "float32"))
    yield one("MatMul", {"a": numpy.zeros((3, 0), "float32"), "b": numpy.zeros((0, 5), "float32")}, expected=numpy.zeros((3, 5), "float32"))
    yield attention("attention_of_few_keys", -numpy.abs(floats(1, 2, 16, 16)) * 10, numpy.abs(floats(1, 2, 16, 64)) * 10, floats(1, 2, 64, 16))


def movement():
    yield one("Gather", {"x": floats(3, 9, 4), "i": numpy.array([[0, -1], [8, -9]])}, axis=1)
    yield one("Gather", {"x": floats(30, 4), "i": numpy.array([3, 29], "int32")}, name="Gather_i32")
    yield one("Gather", {"x": floats(30, 4)}, {"i": numpy.array([3, 29, -1])}, name="Gather_constant")
    embedding = [("Gather", "ti", "e", {}), ("Add", "ep", "z", {}), ("LayerNormalization", "zg", "y", {})]
    yield Case("embedding", embedding, {"i": RANDOM.integers(0, 50, (1, 12))}, {"t": floats(50, 24), "p": floats(1, 12, 24), "g": floats(24)})
    yield one("Transpose", {"x": floats(3, 4, 5, 6)}, perm=[2, 0, 3, 1])
    yield Case("Concat", [("Concat", "xbx", "y", {"axis": 1})], {"x": floats(2, 3, 4), "b": floats(2, 5, 4)})
    yield one("Concat", {f"x{i}": floats(2, 3) for i in range(6)}, axis=0, name="Concat_of_six")
    yield one("Slice", {"x": floats(9, 8, 7)}, {"b": numpy.array([8, 1]), "e": numpy.array([-10, 7]), "a": numpy.array([0, 2]), "s": numpy.array([-2, 3])})
    yield one("Split", {"x": floats(3, 8)}, outputs=("y", "z"), axis=1, num_outputs=2)
    yield one("Pad", {"x": floats(3, 4, 5)}, {"p": numpy.array([1, 0, 2, 0, 3, 1]), "v": numpy.float32(2.5)})
    yield one("Pad", {"x": floats(1, 3, 8, 9)}, {"p": numpy.array([0, 0, 2, 2, 0, 0, 1, 3])}, mode="reflect", name="Pad_reflect")
    yield one("Expand", {"x": floats(3, 1)}, {"s": numpy.array([2, 3, 4])})
    yield one("Tile", {"x": floats(3, 2)}, {"r": numpy.array([2, 3])})
    yield one("DepthToSpace", {"x": floats(1, 8, 3, 4)}, blocksize=2)
    yield one("Identity", {"x": floats(3, 3)})


def attention(name, q, k, v, mask=None):
    """One step, by the shader for it: there is one from 8 rows on."""
    nodes = [("MatMul", "qk", "s", {}), ("Mul", "sc", "t", {}), ("Add", "tm", "u", {}), ("Softmax", "t" if mask is None else "u", "p", {}), ("MatMul", "pv", "y", {})]
    inputs = {"q": q, "k": k, "v": v}
    if mask is None:
        del nodes[2]
    else:
        inputs["m"] = mask
    return Case(name, nodes, inputs, {"c": numpy.float32(q.shape[-1] ** -0.5)}, steps=1)


def attentions():
    def random(name, rows, keys, width, mask=None, columns=None):
        return attention(name, floats(2, 3, rows, width), floats(2, 3, width, keys), floats(2, 3, keys, columns or width), mask)

    def hidden(*shape):
        return numpy.full(shape, -numpy.inf, "float32")

    def some(keys):
        return numpy.where(RANDOM.random((2, 1, 1, keys)) < 0.3, -1e9, 0).astype(numpy.float32)

    yield random("attention", 20, 30, 16)
    yield random("masked", 9, 1100, 64, some(1100))  # two blocks of keys
    yield random("wide", 20, 100, 200, some(100))  # two columns of the result for a thread
    yield random("wide_values", 10, 1030, 16, some(1030), columns=300)
    yield random("long", 8, 2300, 33, some(2300))
    first = numpy.zeros((1, 1, 1, 2100), "float32")
    first[..., :2048] = -numpy.inf
    yield random("first_blocks_masked", 16, 2100, 16, first)
    rows = numpy.zeros((1, 1, 12, 1100), "float32")
    rows[0, 0, 0], rows[0, 0, 1, 1024:], rows[0, 0, 2, :1024], rows[0, 0, 3] = -numpy.inf, -numpy.inf, -numpy.inf, -1e9
    yield random("rows_masked", 12, 1100, 16, rows)
    distance = numpy.arange(1300)[:, None] - numpy.arange(1300)[None, :]
    window = numpy.where((distance >= 0) & (distance < 100), 0, hidden(1300, 1300)).astype("float32")
    yield attention("sliding", floats(1, 1, 1300, 8), floats(1, 1, 8, 1300), floats(1, 1, 1300, 8), window[None, None])


def sequences():
    def lstm(name, steps, batch, hidden, direction, hasStates):
        directions = 2 if direction == "bidirectional" else 1
        constants = {"w": floats(directions, 4 * hidden, 10) * 0.3, "r": floats(directions, 4 * hidden, hidden) * 0.3, "b": floats(directions, 8 * hidden)}
        inputs = {"x": floats(steps, batch, 10)}
        names = ["x", "w", "r", "b", ""]
        if hasStates:
            inputs |= {"h0": floats(directions, batch, hidden), "c0": floats(directions, batch, hidden)}
            names += ["h0", "c0"]
        return Case(name, [("LSTM", names, ("y", "h", "c"), {"hidden_size": hidden, "direction": direction})], inputs, constants, ("y", "h", "c"))

    yield lstm("LSTM", 7, 3, 20, "forward", False)
    yield lstm("LSTM_both_ways", 9, 2, 150, "bidirectional", True)
    yield lstm("LSTM_backwards", 5, 1, 130, "reverse", True)
    yield lstm("LSTM_one_step", 1, 1, 64, "forward", True)
    nodes = [("DequantizeLinear", ["q", "s"], "r", {"axis": 1}), ("LSTM", ["x", "w", "r"], ("y", "h", "c"), {"hidden_size": 70})]
    constants = {"w": floats(1, 280, 10) * 0.3, "q": integers("int8", -100, 100, 1, 280, 70), "s": numpy.abs(floats(280)) * 0.005}
    yield Case("LSTM_of_bytes", nodes, {"x": floats(6, 2, 10)}, constants, ("y", "h", "c"))

    def gru(name, steps, batch, hidden, direction, hasState):
        directions = 2 if direction == "bidirectional" else 1
        constants = {"w": floats(directions, 3 * hidden, 6) * 0.3, "r": floats(directions, 3 * hidden, hidden) * 0.3, "b": floats(directions, 6 * hidden)}
        inputs = {"x": floats(steps, batch, 6)} | ({"h0": floats(directions, batch, hidden)} if hasState else {})
        names = ["x", "w", "r", "b", "", "h0"] if hasState else ["x", "w", "r", "b"]
        attributes = {"hidden_size": hidden, "direction": direction, "linear_before_reset": 1}
        return Case(name, [("GRU", names, ("y", "h"), attributes)], inputs, constants, ("y", "h"))

    yield gru("GRU", 7, 3, 20, "forward", False)
    yield gru("GRU_both_ways", 5, 2, 130, "bidirectional", True)


def failures():
    yield one("Gather", {"x": floats(30, 4), "i": numpy.array([3, 29])})


def precision():
    yield Case("precision", [], {})


GROUPS = [elementwise, numbers, halves, quotients, vocabularies, real_corners, integer_corners, products, windows, rows, short_rows, movement, attentions, sequences, failures, precision]


# -------------------------------------------------------------------------------------------------------------------- model


def tensor_of(value, name):
    """NumPy has no integers of four bits: such are tensors already."""
    if not isinstance(value, TensorProto):
        return numpy_helper.from_array(numpy.asarray(value), name)
    value.name = name
    return value


def make_model(cases):
    """All of them side by side; names get the case's in front. Returns inputs by name too."""
    nodes, inputs, constants, outputs = [], {}, {}, []
    for case in cases:
        name = lambda text, case=case: f"{case.name}_{text}" if text else ""
        for operator, ins, outs, attributes in case.nodes:
            nodes.append(helper.make_node(operator, list(map(name, ins)), list(map(name, outs)), name=f"{case.name}/{outs[0]}", **attributes))
        inputs |= {name(key): numpy.asarray(value) for key, value in case.inputs.items()}
        constants |= {name(key): value for key, value in case.constants.items()}
        outputs += map(name, case.outputs)
    graph = helper.make_graph(
        nodes,
        "steps",
        [helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape) for key, value in inputs.items()],
        [onnx.ValueInfoProto(name=key) for key in outputs],
        [tensor_of(value, key) for key, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
    return onnx.shape_inference.infer_shapes(model), inputs, outputs


def reference(model, inputs):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, inputs)


def references(cases):
    """Of each output its case and what it is to be."""
    model, inputs, _ = make_model([case for case in cases if case.expected is None])
    found = iter(reference(model, inputs) if inputs else [])
    return [(case, next(found) if case.expected is None else case.expected) for case in cases for _ in case.outputs]


def is_right(got, want, isRelative=False, isExact=False):
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    if want.dtype.kind != "f" or want.dtype == numpy.float16 or isExact:
        return bool(numpy.array_equal(got, want, equal_nan=want.dtype.kind == "f"))
    if isRelative:
        return bool(numpy.allclose(got, want, rtol=TOLERANCE, atol=0, equal_nan=True))
    allowed = TOLERANCE * float(numpy.abs(want[numpy.isfinite(want)]).max(initial=0))
    return bool(numpy.allclose(got, want, rtol=0, atol=allowed, equal_nan=True))


def save_inputs(values, folder):
    harness.empty_folder(folder)
    for i, value in enumerate(values):
        numpy.save(os.path.join(folder, f"input_{i}.npy"), value)


def build_program(model, work, flags):
    """Returns the number of shaders too."""
    onnx.save(model, os.path.join(work, "steps.onnx"))
    generated = os.path.join(work, "generated")
    harness.compile_model(os.path.join(work, "steps.onnx"), generated, run_vulkan.TARGET, flags)
    shaders = run_vulkan.validate_shaders(generated)
    (program,) = harness.build(generated, os.path.join(work, "build"), "g++", run_vulkan.TARGET)
    return program, shaders


def check_steps(cases, generated):
    steps = run_models.read_report(generated)["steps"]
    for case in cases:
        own = [step for step in steps if any(node["name"].startswith(case.name + "/") for node in step["nodes"])]
        if case.steps not in (None, len(own)):
            raise Failed(f"{case.name}: expected {case.steps} steps, found {len(own)}")
        reasons = [step["no_shader"] for step in own if "no_shader" in step]
        if bool(reasons) != case.onHost:
            raise Failed(f"{case.name}: expected {'a step' if case.onHost else 'no steps'} without a shader, found {reasons}")


def test_group(cases, flags, work):
    model, inputs, outputs = make_model(cases)
    data, found = os.path.join(work, "inputs"), os.path.join(work, "outputs")
    save_inputs(inputs.values(), data)
    program, shaders = build_program(model, work, flags)
    run_vulkan.run_program(program, data, found)
    check_steps(cases, os.path.join(work, "generated"))
    expected = [(name, *pair) for name, pair in zip(outputs, references(cases))]
    got = [numpy.load(os.path.join(found, f"output_{i}.npy")) for i in range(len(outputs))]
    wrong = [name for value, (name, case, want) in zip(got, expected) if not is_right(value, want, case.isRelative, case.isExact)]
    if wrong:
        raise Failed(f"{len(wrong)} of {len(outputs)} wrong: {', '.join(wrong)}")
    return f"{len(outputs)} outputs right, {shaders} shaders"


def test_failures(cases, flags, work):
    """A shader's report ends the run with its status."""
    model, inputs, _ = make_model(cases)
    program, _ = build_program(model, work, flags)
    x, _ = inputs.values()
    data, said = os.path.join(work, "inputs"), "an index is outside its range"
    for wrong in (30, -31, 2**32):
        save_inputs([x, numpy.array([3, wrong])], data)
        result = harness.run([program, "--inputs", data, "--outputs", harness.empty_folder(os.path.join(work, "outputs"))], 120)
        if result.code == 0 or said not in result.stdout + result.stderr:
            raise Failed(f"index {wrong}: ended with {harness.describe_code(result.code)}, said {(result.stdout + result.stderr)[:200]!r}")
    return f"indices out of range end with '{said}'"


def test_precision(cases, flags, work):
    """Every kind of weights in 16 bits, and half the memory for them."""
    path, inputs = run_precision.small_model(os.path.join(work, "small.onnx"))
    data, found = os.path.join(work, "inputs"), os.path.join(work, "outputs")
    expected = run_precision.reference(path, inputs, data)
    whole, generated = os.path.join(work, "whole"), os.path.join(work, "generated")
    harness.compile_model(path, whole, run_vulkan.TARGET, flags)
    program, shaders = build_program(onnx.load(path), work, [*flags, "--precision", "fp16"])
    weights = [run_models.read_report(folder)["totals"]["weights_bytes"] for folder in (whole, generated)]
    run_vulkan.run_program(program, data, found)
    outputs = [numpy.load(os.path.join(found, f"output_{i}.npy")) for i in range(len(expected))]
    difference = run_precision.check_outputs(outputs, expected, "fp16")
    if weights[1] > 0.55 * weights[0]:
        raise Failed(f"weights take {weights[1]} bytes, those of f32 {weights[0]}")
    return f"difference {100 * difference:.2g} % of what is allowed, {weights[1]} of {weights[0]} bytes, {shaders} shaders"


TESTS = {failures: test_failures, precision: test_precision}


def main():
    parser = run_vulkan.make_parser(__doc__)
    parser.add_argument("--groups", type=harness.words, default=[group.__name__ for group in GROUPS], help="of these names only")
    parser.add_argument("--only", default="", help="cases whose names hold this")
    parser.add_argument("--flags", type=str.split, default=[], help='for aotc, such as "--gpu desktop"')
    arguments = parser.parse_args()
    chosen = [(group, [case for case in group() if arguments.only in case.name]) for group in GROUPS if group.__name__ in arguments.groups]
    run = functools.partial(harness.test_in, WORK)
    tests = [functools.partial(run, group.__name__, arguments.keep, TESTS.get(group, test_group), cases, arguments.flags) for group, cases in chosen if cases]
    return run_vulkan.run_tests(tests, arguments)


if __name__ == "__main__":
    sys.exit(main())
