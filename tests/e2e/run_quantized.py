"""Quantized operators against ONNX Runtime without optimizations: types, zero points, axes, blocks, saturation.

    run_quantized.py [--only TEXT] [--compiler g++] [--keep]

Parts are put together into one program for each set of operators and run on 1 and 3 threads. Integers must be the same; of
functions that are approximated (softmax, sigmoid), and of chains, one in a hundred may be off by one. Work files lie in <build>/e2e/quantized;
--keep leaves them.
"""

import functools
import os
import sys

import numpy
from onnx import TensorProto, helper

import harness
import quantized_chains
import run_edges
from harness import Failed

WORK = os.path.join(harness.BUILD, "e2e", "quantized")
THREADS = [1, 3]

BYTES = {"u8": numpy.uint8, "i8": numpy.int8}
WORDS = {"u16": numpy.uint16, "i16": numpy.int16}
NIBBLES = {"u4": TensorProto.UINT4, "i4": TensorProto.INT4}
FLOATS8 = {"e4m3fn": TensorProto.FLOAT8E4M3FN, "e4m3fnuz": TensorProto.FLOAT8E4M3FNUZ, "e5m2": TensorProto.FLOAT8E5M2, "e5m2fnuz": TensorProto.FLOAT8E5M2FNUZ}


class Parts(run_edges.Parts):
    """As there, for newer operator sets, with the names of outputs that may be off by one now and then."""

    def __init__(self, opset):
        super().__init__()
        self.opset, self.approximate = opset, set()

    def microsoft(self, operator, inputs, result, **attributes):
        return self.add(operator, inputs, result, domain="com.microsoft", **attributes)

    def integers(self, element, *shape):
        info = numpy.iinfo(element)
        return self.random.integers(info.min, info.max + 1, shape).astype(element)

    def factors(self, element, *shape):
        """Second factors of products. Where no instruction adds products of bytes in 32 bits, ONNX Runtime adds pairs of them in 16,
        saturated; of these they fit."""
        values = self.integers(element, *shape)
        return values if element == numpy.uint8 or harness.has_byte_products() else values // 2

    def scales(self, *shape):
        return self.random.uniform(0.01, 0.2, shape).astype(numpy.float32)

    def number(self, name, value, element=numpy.float32):
        return self.constant(name, element(value))

    def save(self, path):
        graph = helper.make_graph(self.nodes, "quantized", self.inputs, self.outputs, self.weights)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
        with open(path, "wb") as file:
            file.write(model.SerializeToString())
        return path


def result(p, name, element):
    p.output(name, helper.np_dtype_to_tensor_dtype(numpy.dtype(element)))


# --------------------------------------------------------------------------------------------------------- one tensor

SHAPE = (3, 8, 10)
# How scales are shared: the shape of scale and zero point, and the attributes.
GROUPINGS = {
    "all": ((), {}),
    "one": ((1,), {}),
    "axis0": ((3,), {"axis": 0}),
    "axis1": ((8,), {}),
    "last": ((10,), {"axis": -1}),
    "blocks": ((3, 4, 10), {"axis": 1, "block_size": 2}),
    "ragged": ((3, 8, 4), {"axis": 2, "block_size": 3}),
}


def reals(p):
    """Within the range of 8 bits and beyond it, ties and infinities."""
    x = (p.random.normal(size=SHAPE) * 12).astype(numpy.float32)
    x.ravel()[:6] = [numpy.inf, -numpy.inf, 0.5, 1.5, -2.5, 1e9]
    return x


def quantize_integers(p):
    x = p.input("q_x", list(SHAPE), reals(p))
    for kind, element in {**BYTES, **WORDS}.items():
        for group, (shape, attributes) in GROUPINGS.items():
            name = f"q_{kind}_{group}"
            scale, zero = p.scales(*shape), p.integers(element, *shape)
            if group in ("one", "axis1", "blocks"):  # known at run time only
                inputs = [p.input(name + "_s", list(shape), scale), p.input(name + "_z", list(shape), zero)]
            else:
                inputs = [p.constant(name + "_s", scale), p.constant(name + "_z", zero)]
            result(p, p.add("QuantizeLinear", [x, *inputs], name, **attributes), element)
    for kind, element in WORDS.items():
        dtype = helper.np_dtype_to_tensor_dtype(numpy.dtype(element))
        result(p, p.add("QuantizeLinear", [x, p.number(f"q_{kind}_s", 0.003)], f"q_{kind}_none", output_dtype=dtype), element)
    result(p, p.add("QuantizeLinear", [x, p.number("q_none_s", 0.25)], "q_none"), numpy.uint8)


def quantize_nibbles(p):
    x = p.input("n_x", list(SHAPE), reals(p))
    for kind, dtype in NIBBLES.items():
        for group, (shape, attributes) in GROUPINGS.items():
            name = f"n_{kind}_{group}"
            wide = numpy.uint8 if kind == "u4" else numpy.int8
            values = p.random.integers(0 if kind == "u4" else -8, 16 if kind == "u4" else 8, shape).astype(wide)
            zero = p.add("Cast", [p.input(name + "_zi", list(shape), values)], name + "_z", to=dtype)
            scale = p.constant(name + "_s", p.scales(*shape) * 10)
            quantized = p.add("QuantizeLinear", [x, scale, zero], name + "_q", **attributes)
            result(p, p.add("Cast", [quantized], name + "_c", to=helper.np_dtype_to_tensor_dtype(numpy.dtype(wide))), wide)
            p.output(p.add("DequantizeLinear", [quantized, scale, zero], name + "_d", **attributes))


def quantize_float8(p):
    values = reals(p) * 40
    values[(numpy.abs(values) > 448 * 0.7) & (numpy.abs(values) < 512 * 0.7)] = 1  # docs/differences.md
    x = p.input("f_x", list(SHAPE), values)
    for kind, dtype in FLOATS8.items():
        for saturate in (0, 1):
            name = f"f_{kind}_{saturate}"
            scale = p.number(name + "_s", 0.7)
            quantized = p.add("QuantizeLinear", [x, scale], name + "_q", output_dtype=dtype, saturate=saturate)
            p.output(p.add("Cast", [quantized], name + "_c", to=TensorProto.FLOAT))
            p.output(p.add("DequantizeLinear", [quantized, scale], name + "_d"))


def dequantize(p):
    for kind, element in {**BYTES, **WORDS, "i32": numpy.int32}.items():
        x = p.input(f"d_{kind}_x", list(SHAPE), p.integers(element, *SHAPE))
        for group, (shape, attributes) in GROUPINGS.items():
            name = f"d_{kind}_{group}"
            inputs = [p.constant(name + "_s", p.scales(*shape))]
            if kind != "i32":
                inputs.append(p.constant(name + "_z", p.integers(element, *shape)))
            p.output(p.add("DequantizeLinear", [x, *inputs], name, **attributes))
            held = p.constant(name + "_x", p.integers(element, *SHAPE))
            p.output(p.add("DequantizeLinear", [held, *inputs], name + "_h", **attributes))


def half_floats(p):
    x = p.input("h_x", list(SHAPE), numpy.clip(reals(p), -1e4, 1e4).astype(numpy.float16))
    scale, zero = p.number("h_s", 0.05, numpy.float16), p.number("h_z", 7, numpy.uint8)
    quantized = p.add("QuantizeLinear", [x, scale, zero], "h_q")
    result(p, quantized, numpy.uint8)
    result(p, p.add("DequantizeLinear", [quantized, scale, zero], "h_d"), numpy.float16)


def dynamic(p):
    for name, values in {
        "mixed": reals(p)[1:],
        "positive": numpy.abs(p.floats(4, 5)) + 1,
        "negative": -numpy.abs(p.floats(4, 5)) - 1,
        "zeros": numpy.zeros((2, 3), numpy.float32),
        "many": p.floats(1, 20000),
    }.items():
        x = p.input(f"y_{name}_x", list(values.shape), values)
        outputs = [f"y_{name}", f"y_{name}_s", f"y_{name}_z"]
        p.nodes.append(helper.make_node("DynamicQuantizeLinear", [x], outputs, name=outputs[0]))
        for output, element in zip(outputs, (numpy.uint8, numpy.float32, numpy.uint8)):
            result(p, output, element)


# ------------------------------------------------------------------------------------------------------------ products


def integer_products(p):
    for left, a in BYTES.items():
        for right, b in BYTES.items():
            if (left, right) == ("i8", "u8"):
                continue  # ONNX Runtime has no such product
            name = f"m_{left}{right}"
            x, y = p.input(name + "_x", [2, 5, 33], p.integers(a, 2, 5, 33)), p.constant(name + "_y", p.factors(b, 33, 70))
            za, zb = p.number(name + "_za", p.integers(a), a), p.constant(name + "_zb", p.integers(b, 70))
            result(p, p.add("MatMulInteger", [x, y], name), numpy.int32)
            result(p, p.add("MatMulInteger", [x, y, za], name + "_a"), numpy.int32)
            result(p, p.add("MatMulInteger", [x, y, za, zb], name + "_ab"), numpy.int32)
            result(p, p.add("MatMulInteger", [x, y, "", p.number(name + "_zc", p.integers(b), b)], name + "_b"), numpy.int32)
            batched = p.input(name + "_w", [2, 33, 4], p.factors(b, 2, 33, 4))
            result(p, p.add("MatMulInteger", [x, batched, za], name + "_w2"), numpy.int32)
            row = p.input(name + "_r", [33], p.integers(a, 33))
            result(p, p.add("MatMulInteger", [row, y], name + "_v"), numpy.int32)


def quantized_products(p):
    for left, a in BYTES.items():
        for right, b in BYTES.items():
            if (left, right) == ("i8", "u8"):
                continue
            name = f"l_{left}{right}"
            x, y = p.input(name + "_x", [2, 6, 40], p.integers(a, 2, 6, 40)), p.constant(name + "_y", p.factors(b, 40, 19))
            first = [x, p.number(name + "_sx", 0.02), p.number(name + "_zx", p.integers(a), a)]
            for kind, shape in {"one": (), "columns": (19,)}.items():
                second = [y, p.constant(f"{name}_{kind}_sy", p.scales(*shape)), p.constant(f"{name}_{kind}_zy", p.integers(b, *shape))]
                last = [p.number(f"{name}_{kind}_s", 3.7), p.number(f"{name}_{kind}_z", p.integers(a), a)]
                result(p, p.add("QLinearMatMul", [*first, *second, *last], f"{name}_{kind}"), a)


def gemm(p):
    for left, a in BYTES.items():
        for right, b in BYTES.items():
            if (left, right) == ("i8", "u8"):
                continue
            name = f"g_{left}{right}"
            x, y = p.input(name + "_x", [40, 6], p.integers(a, 40, 6)), p.constant(name + "_y", p.factors(b, 19, 40))
            first = [x, p.number(name + "_sx", 0.02), p.number(name + "_zx", p.integers(a), a)]
            second = [y, p.constant(name + "_sy", p.scales(19)), p.constant(name + "_zy", p.integers(b, 19))]
            c = p.constant(name + "_c", p.random.integers(-9000, 9000, (1, 19)).astype(numpy.int32))
            attributes = {"alpha": 0.75, "transA": 1, "transB": 1}
            last = [p.number(name + "_s", 3.7), p.number(name + "_z", p.integers(a), a)]
            result(p, p.microsoft("QGemm", [*first, *second, c, *last], name, **attributes), a)
            result(p, p.microsoft("QGemm", [*first, *second, "", *last], name + "_n", **attributes), a)
            p.output(p.microsoft("QGemm", [*first, *second, c], name + "_f", **attributes))


def products_to_float(p):
    for right, b in BYTES.items():
        name = f"t_{right}"
        x = p.input(name + "_x", [3, 40], p.integers(numpy.uint8, 3, 40))
        y, scale = p.constant(name + "_y", p.factors(b, 40, 9)), p.constant(name + "_s", p.scales(9))
        zeros = [p.number(name + "_za", 130, numpy.uint8), p.constant(name + "_zb", p.integers(b, 9))]
        bias = p.constant(name + "_b", p.floats(9))
        p.output(p.microsoft("MatMulIntegerToFloat", [x, y, p.number(name + "_sa", 0.03), scale, *zeros, bias], name))
        real = p.input(name + "_r", [3, 40], p.floats(3, 40))
        p.output(p.microsoft("DynamicQuantizeMatMul", [real, y, scale, zeros[1], bias], name + "_d"))


# -------------------------------------------------------------------------------------------------------- convolutions

# name: x, weights, attributes
CONVOLUTIONS = {
    "wide": ((2, 8, 9, 7), (20, 8, 3, 3), {"pads": [1, 0, 2, 1], "strides": [2, 1]}),
    "pointwise": ((1, 16, 5, 5), (24, 16, 1, 1), {}),
    "depthwise": ((1, 12, 8, 8), (12, 1, 3, 3), {"group": 12, "pads": [1, 1, 1, 1]}),
    "groups": ((1, 6, 8, 8), (4, 3, 3, 2), {"group": 2, "dilations": [2, 1]}),
    "narrow": ((1, 3, 8, 8), (2, 3, 3, 3), {"auto_pad": "SAME_UPPER", "kernel_shape": [3, 3]}),
    "line": ((2, 4, 30), (9, 4, 5), {"pads": [2, 2]}),
    "space": ((1, 2, 4, 5, 6), (3, 2, 2, 2, 2), {"strides": [1, 2, 1]}),
}


def quantized_convolutions(p):
    for left, a in BYTES.items():
        for kind, (shape, filters, attributes) in CONVOLUTIONS.items():
            for right, b in BYTES.items():
                if (left, right) == ("i8", "u8"):
                    continue
                name = f"c_{left}{right}_{kind}"
                count = filters[0]
                x, w = p.input(name + "_x", list(shape), p.integers(a, *shape)), p.factors(b, *filters)
                w = p.constant(name + "_w", w) if kind != "groups" else p.input(name + "_wi", list(filters), w)
                per_filter = right == "i8" and kind in ("wide", "depthwise", "narrow", "groups")
                scale = p.constant(name + "_sw", p.scales(count) if per_filter else p.scales())
                zero = p.constant(name + "_zw", numpy.zeros((count,) if per_filter else (), b) if right == "i8" else p.integers(b))
                first = [x, p.number(name + "_sx", 0.03), p.number(name + "_zx", p.integers(a), a)]
                last = [p.number(name + "_s", 2.3), p.number(name + "_z", p.integers(a), a)]
                inputs = [*first, w, scale, zero, *last]
                if kind != "pointwise":
                    inputs.append(p.constant(name + "_b", p.random.integers(-20000, 20000, (count,)).astype(numpy.int32)))
                result(p, p.add("QLinearConv", inputs, name, **attributes), a)


def integer_convolutions(p):
    for kind, (shape, filters, attributes) in CONVOLUTIONS.items():
        for right, b in BYTES.items():
            name = f"i_{right}_{kind}"
            x, w = p.input(name + "_x", list(shape), p.integers(numpy.uint8, *shape)), p.constant(name + "_w", p.integers(b, *filters))
            zero = p.input(name + "_z", [], p.integers(numpy.uint8))
            result(p, p.add("ConvInteger", [x, w], name, **attributes), numpy.int32)
            weights = p.number(name + "_zw", p.integers(b), b)
            result(p, p.add("ConvInteger", [x, w, zero, weights], name + "_zz", **attributes), numpy.int32)
            sums = p.add("ConvInteger", [x, w, zero, weights], name + "_f", **attributes)
            p.output(p.add("Mul", [p.add("Cast", [sums], name + "_c", to=TensorProto.FLOAT), p.number(name + "_s", 0.003)], name + "_r"))


# ------------------------------------------------------------------------------------------------------------ elements


def quantized_tensor(p, name, element, *shape):
    return [p.input(name + "_x", list(shape), p.integers(element, *shape)), p.number(name + "_s", p.scales()), p.number(name + "_z", p.integers(element), element)]


def quantized_elements(p):
    for kind, element in BYTES.items():
        name = f"e_{kind}"
        a, b = quantized_tensor(p, name + "_a", element, 4, 3, 21), quantized_tensor(p, name + "_b", element, 3, 21)
        y = [p.number(name + "_sy", 0.11), p.number(name + "_zy", p.integers(element), element)]
        result(p, p.microsoft("QLinearAdd", [*a, *b, *y], name + "_add"), element)
        result(p, p.microsoft("QLinearMul", [*a, *b, *y], name + "_mul"), element)
        result(p, p.microsoft("QLinearLeakyRelu", [*a, *y], name + "_leaky", alpha=0.3), element)
        unit = [p.number(name + "_su", 1 / 256), p.number(name + "_zu", 0 if kind == "u8" else -128, element)]
        p.approximate.add(p.microsoft("QLinearSigmoid", [*a, *unit], name + "_sigmoid"))
        result(p, name + "_sigmoid", element)
        c = quantized_tensor(p, name + "_c", element, 4, 2, 21)
        result(p, p.microsoft("QLinearConcat", [*y, *a, *c], name + "_concat", axis=1), element)
        if element == numpy.uint8:
            condition = p.input(name + "_w", [3, 1], numpy.array([[True], [False], [True]]))
            result(p, p.microsoft("QLinearWhere", [condition, *a, *b, *y], name + "_where"), element)
        for opset, axis in ((12, 1), (13, 1), (13, -1)):
            softmax = f"{name}_softmax_{opset}_{axis + 1}"
            half = [p.number(softmax + "_s", 1 / 300), p.number(softmax + "_z", 0 if kind == "u8" else -128, element)]
            p.approximate.add(p.microsoft("QLinearSoftmax", [*a, *half], softmax, axis=axis, opset=opset))
            result(p, softmax, element)


def quantized_pools(p):
    for kind, element in BYTES.items():
        name = f"p_{kind}"
        planar, last = quantized_tensor(p, name + "_a", element, 2, 3, 9, 8), quantized_tensor(p, name + "_b", element, 2, 9, 8, 3)
        y = [p.number(name + "_sy", 0.07), p.number(name + "_zy", p.integers(element), element)]
        window = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}
        result(p, p.microsoft("QLinearAveragePool", [*planar, *y], name + "_w", **window), element)
        result(p, p.microsoft("QLinearAveragePool", [*last, *y], name + "_l", channels_last=1, count_include_pad=1, **window), element)
        result(p, p.microsoft("QLinearGlobalAveragePool", [*planar, *y], name + "_g"), element)
        result(p, p.microsoft("QLinearGlobalAveragePool", [*last, *y], name + "_gl", channels_last=1), element)


TESTS = {
    "linear": (21, [quantize_integers, quantize_nibbles, quantize_float8, dequantize, half_floats, dynamic]),
    "products": (21, [integer_products, quantized_products, gemm, products_to_float]),
    "convolutions": (17, [quantized_convolutions, integer_convolutions]),
    "elements": (17, [quantized_elements, quantized_pools]),
    "chains": (21, quantized_chains.ALL),
}

# ---------------------------------------------------------------------------------------------------------------- checks


def check_output(name, found, expected, is_approximate):
    if found.shape != expected.shape or found.dtype != expected.dtype:
        raise Failed(f"{name}: expected {expected.dtype} {expected.shape}, found {found.dtype} {found.shape}")
    if found.dtype.kind == "f":
        exact = 1e-3 if found.dtype == numpy.float16 else 1e-5 if is_approximate else 1e-6
        different = ~numpy.isclose(found, expected, rtol=exact, atol=exact, equal_nan=True)
        allowed = 0
    else:
        distance = numpy.abs(found.astype(numpy.int64) - expected.astype(numpy.int64))
        if is_approximate and distance.max(initial=0) > 1:
            raise Failed(f"{name}: differs by {distance.max()}")
        different = distance != 0
        allowed = found.size // 100 if is_approximate else 0
    if different.sum() > allowed:
        where = numpy.flatnonzero(different)[:4]
        raise Failed(f"{name}: {different.sum()} of {found.size} differ, at {where} expected {expected.ravel()[where]}, found {found.ravel()[where]}")


def check(name, opset, parts, work, compiler):
    p = Parts(opset)
    for part in parts:
        part(p)
    model = p.save(os.path.join(work, f"{name}.onnx"))
    folder = os.path.join(work, name)
    harness.compile_model(model, folder, run_edges.NATIVE, [])
    (program,) = harness.build(folder, os.path.join(work, name + "_build"), compiler, run_edges.NATIVE, jobs=harness.JOBS)
    values = [make(1) for make in p.data.values()]
    inputs, outputs = run_edges.write_inputs(values, os.path.join(work, "inputs")), []
    for threads in THREADS:
        outputs.append(harness.empty_folder(os.path.join(work, f"outputs_{threads}")))
        harness.must([program, "--inputs", inputs, "--outputs", outputs[-1], "--threads", str(threads)], 60)
        harness.check_same_bytes(outputs[0], outputs[-1], f"{threads} threads")
    failures = []
    for index, expected in enumerate(run_edges.expected_outputs(model, values, p)):
        output = p.outputs[index].name
        try:
            check_output(output, numpy.load(os.path.join(outputs[0], f"output_{index}.npy")), expected, output in p.approximate)
        except Failed as failure:
            failures.append(str(failure))
    if failures:
        raise Failed("\n    ".join([f"{len(failures)} of {len(p.outputs)} outputs are wrong", *failures[:20]]))
    return f"{len(p.outputs)} outputs right"


if __name__ == "__main__":
    tests = {name: functools.partial(check, name, *test) for name, test in TESTS.items()}
    sys.exit(run_edges.run_tests(__doc__, WORK, tests))
