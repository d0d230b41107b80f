"""Parts of run_quantized.py that are more than one operator: what stands between DequantizeLinear and QuantizeLinear, as converters
write it, and chains of it. aotc computes them on integers, which may be off by one at a tie."""

import numpy
from onnx import helper

BYTES = {"u8": numpy.uint8, "i8": numpy.int8}


class Chain:
    """Values of one part; every one is quantized as `element`, with scales and zero points of its own."""

    def __init__(self, p, name, element):
        self.p, self.name, self.element, self.count = p, name, element, 0

    def fresh(self, what):
        self.count += 1
        return f"{self.name}_{what}{self.count}"

    def input(self, *shape):
        return self.p.input(self.fresh("x"), list(shape), self.p.integers(self.element, *shape))

    def real(self, x, scale=None, zero=None):
        """What x stands for."""
        scale = self.p.number(self.fresh("s"), scale or self.p.random.uniform(0.02, 0.05))
        zero = self.p.number(self.fresh("z"), self.p.integers(self.element) if zero is None else zero, self.element)
        return self.p.add("DequantizeLinear", [x, scale, zero], self.fresh("dq"))

    def quantized(self, x, scale=0.3, zero=None):
        zero = self.p.number(self.fresh("z"), self.p.integers(self.element) if zero is None else zero, self.element)
        return self.p.add("QuantizeLinear", [x, self.p.number(self.fresh("s"), scale), zero], self.fresh("q"))

    def weights(self, *shape, element=numpy.int8, axis=None, zero=0, unit=1):
        p, count = self.p, (shape[axis],) if axis is not None else ()
        w, scale = p.constant(self.fresh("w"), p.integers(element, *shape)), p.constant(self.fresh("s"), p.scales(*count) * numpy.float32(unit))
        zero = p.constant(self.fresh("z"), numpy.full(count, zero, element))
        attributes = {"axis": axis} if axis is not None else {}
        return p.add("DequantizeLinear", [w, scale, zero], self.fresh("dq"), **attributes)

    def bias(self, count):
        return self.p.constant(self.fresh("b"), self.p.random.normal(size=count).astype(numpy.float32))

    def conv(self, x, filters, bias=True, axis=0, element=numpy.int8, zero=0, **attributes):
        w = self.weights(*filters, element=element, axis=axis, zero=zero)
        inputs = [self.real(x), w] + ([self.bias(filters[0])] if bias else [])
        return self.p.add("Conv", inputs, self.fresh("c"), **attributes)

    def add(self, operator, inputs, **attributes):
        return self.p.add(operator, inputs, self.fresh("y"), **attributes)

    def result(self, x):
        self.p.approximate.add(x)
        self.p.output(x, helper.np_dtype_to_tensor_dtype(numpy.dtype(self.element)))


PADS = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
# kind: shape of x, of the weights, attributes of Conv
SHAPES = {
    "first": ((1, 3, 17, 15), (20, 3, 3, 3), {**PADS, "strides": [2, 2]}),
    "seven": ((1, 3, 23, 21), (8, 3, 7, 7), {"pads": [3, 3, 3, 3], "strides": [2, 2]}),
    "odd": ((2, 13, 9, 8), (33, 13, 3, 3), PADS),
    "words": ((1, 16, 9, 8), (40, 16, 3, 3), PADS),
    "point": ((1, 24, 7, 7), (17, 24, 1, 1), {}),
    "strided": ((1, 24, 7, 7), (17, 24, 1, 1), {"strides": [2, 2]}),
    "grouped": ((1, 12, 9, 8), (18, 4, 3, 3), {**PADS, "group": 3}),
    "channels": ((1, 21, 9, 8), (21, 1, 3, 3), {**PADS, "group": 21}),
    "multiplied": ((1, 5, 9, 8), (10, 1, 3, 3), {**PADS, "group": 5}),
    "large": ((1, 16, 15, 15), (16, 1, 7, 7), {"pads": [3, 3, 3, 3], "group": 16, "strides": [2, 1]}),
    "dilated": ((1, 8, 15, 15), (9, 8, 3, 3), {"pads": [2, 2, 2, 2], "dilations": [2, 2]}),
    "line": ((2, 6, 40), (12, 6, 5), {"pads": [2, 2]}),
    "volume": ((1, 3, 5, 6, 7), (4, 3, 2, 3, 3), {}),
    "single": ((1, 1, 49, 10), (8, 1, 10, 4), {"pads": [4, 1, 5, 1], "strides": [2, 2]}),
}


def convolutions(p):
    for kind, element in BYTES.items():
        for name, (shape, filters, attributes) in SHAPES.items():
            c = Chain(p, f"qc_{kind}_{name}", element)
            y = c.conv(c.input(*shape), filters, **attributes)
            c.result(c.quantized(c.add("Relu", [y]) if name != "odd" else y))


def wide_weights(p):
    """Unsigned weights whose zero point makes nine bits of them, or just eight."""
    for zero in (0, 3, 128, 255):
        c = Chain(p, f"qw_{zero}", numpy.uint8)
        x = c.input(1, 8, 9, 9)
        c.result(c.quantized(c.conv(x, (12, 8, 3, 3), axis=None, element=numpy.uint8, zero=zero, **PADS), scale=1.5))
        c.result(c.quantized(c.conv(x, (8, 1, 3, 3), axis=None, element=numpy.uint8, zero=zero, **PADS, group=8)))


def limits(p):
    for kind, element in BYTES.items():
        c = Chain(p, f"ql_{kind}", element)
        x = c.input(1, 8, 9, 9)
        low, high = p.number(c.fresh("low"), -1.5), p.number(c.fresh("high"), 6.0)
        for bounds in ([low, high], [low], ["", high]):
            y = c.conv(x, (9, 8, 1, 1))
            c.result(c.quantized(c.add("Clip", [y, *bounds]), scale=0.05))
        y = c.conv(x, (9, 8, 1, 1))
        c.result(c.quantized(c.add("HardSwish", [y])))
        c.result(c.quantized(c.add("LeakyRelu", [c.conv(x, (9, 8, 1, 1))], alpha=0.2)))


def real_results(p):
    """Convolutions whose results are read twice or joined before anything is quantized."""
    for kind, element in BYTES.items():
        for name in ("first", "odd", "point", "grouped", "channels", "line"):
            shape, filters, attributes = SHAPES[name]
            c = Chain(p, f"qf_{kind}_{name}", element)
            x = c.input(*shape)
            y, other = c.conv(x, filters, **attributes), c.conv(x, filters, bias=False, **attributes)
            c.result(c.quantized(c.add("Mul", [y, c.add("Sigmoid", [y])])))
            c.result(c.quantized(c.add("Relu", [c.add("Add", [y, other])])))


def constants(p):
    """Weights that stay bytes though nothing is computed on integers: tables, and those of a recurrent network."""
    for kind, element in BYTES.items():
        c = Chain(p, f"qk_{kind}", element)
        indices = p.input(c.fresh("i"), [5], p.random.integers(0, 40, (5,)))
        p.output(c.add("Gather", [c.weights(40, 12, element=element, zero=3), indices]))
        x = p.input(c.fresh("f"), [6, 2, 7], p.random.normal(size=(6, 2, 7)).astype(numpy.float32))
        zero = 128 if element == numpy.uint8 else 0
        for axis, reverse in ((None, "forward"), (1, "reverse")):
            w = c.weights(1, 36, 7, element=element, axis=axis, zero=zero, unit=0.05)
            r = c.weights(1, 36, 9, element=element, axis=axis, zero=zero, unit=0.05)
            p.output(c.add("LSTM", [x, w, r], hidden_size=9, direction=reverse))


def per_axis(p):
    """QuantizeLinear with a scale for each channel behind kernels that it could end, zero points all alike, beside a product whose
    rows are filled up with zeros; the number that a Pad takes is quantized as well."""
    for kind, element in BYTES.items():
        for zero in (0, 3):
            c = Chain(p, f"qx_{kind}_{zero}", element)
            x = p.input(c.fresh("f"), [2, 6, 5, 4], p.random.normal(size=(2, 6, 5, 4)).astype(numpy.float32))
            for y in (x, c.add("GlobalAveragePool", [x]), c.add("Softmax", [x], axis=3), c.add("LayerNormalization", [x, c.bias(4)])):
                scale = p.constant(c.fresh("scales"), p.scales(6))
                zeros = p.constant(c.fresh("z"), numpy.full(6, zero, element))
                c.result(p.add("QuantizeLinear", [y, scale, zeros], c.fresh("q"), axis=1))
            c.result(c.quantized(c.add("MatMul", [c.real(c.input(3, 5)), c.weights(5, 7)]), scale=1.5))
        c = Chain(p, f"qn_{kind}", element)
        value = c.real(p.constant(c.fresh("v"), element(7)), 0.1, 3)
        pads = p.constant(c.fresh("p"), numpy.array([0, 0, 1, 0, 0, 0, 0, 2]))
        c.result(c.quantized(c.add("Pad", [c.real(c.input(1, 2, 4, 5)), pads, value])))


def residuals(p):
    for kind, element in BYTES.items():
        c = Chain(p, f"qr_{kind}", element)
        x = c.input(1, 16, 9, 8)
        inner = c.quantized(c.add("Relu", [c.conv(x, (16, 16, 3, 3), **PADS)]))
        outer = c.quantized(c.conv(inner, (16, 16, 1, 1)))
        total = c.quantized(c.add("Relu", [c.add("Add", [c.real(outer), c.real(x)])]), scale=0.4)
        c.result(total)
        gate = c.quantized(c.add("Sigmoid", [c.conv(total, (16, 1, 3, 3), group=16, **PADS)]), scale=1 / 256)
        c.result(c.quantized(c.add("Mul", [c.real(gate, 1 / 256), c.real(total)]), scale=0.02))


def joined(p):
    """Concatenations that convolutions write into and read from, at distances that are whole words and that are not."""
    for kind, element in BYTES.items():
        for left, right in ((16, 8), (5, 6)):
            c = Chain(p, f"qj_{kind}_{left}", element)
            x = c.input(1, 8, 6, 7)
            zero = int(p.integers(element))
            parts = [c.quantized(c.add("Relu", [c.conv(x, (n, 8, 1, 1))]), 0.3, zero) for n in (left, right)]
            joint = c.add("Concat", parts, axis=1)
            c.result(c.quantized(c.conv(joint, (9, left + right, 1, 1)), scale=1.0))
            c.result(c.quantized(c.conv(parts[0], (12, left, 1, 1)), scale=1.0))
            c.result(c.quantized(c.conv(parts[1], (right, 1, 3, 3), group=right, **PADS), scale=1.0))


def images(p):
    for kind, element in BYTES.items():
        c = Chain(p, f"qi_{kind}", element)
        x = c.quantized(c.conv(c.input(1, 8, 12, 12), (8, 8, 3, 3), **PADS))
        pooled = c.quantized(c.add("MaxPool", [c.real(x, 0.3, 0)], kernel_shape=[2, 2], strides=[2, 2]), 0.3, 0)
        c.result(pooled)
        c.result(c.quantized(c.add("AveragePool", [c.real(pooled)], kernel_shape=[3, 3], pads=[1, 1, 1, 1]), 0.1))
        mean = c.quantized(c.add("GlobalAveragePool", [c.real(pooled)]), 0.05)
        flat = c.add("Flatten", [mean])
        y = c.add("Gemm", [c.real(flat), c.weights(10, 8, axis=0), c.bias(10)], transB=1)
        c.result(c.quantized(y, 0.05))


def movements(p):
    """What moves or picks elements, between conversions of the same scale and of others."""
    for kind, element in BYTES.items():
        c = Chain(p, f"qv_{kind}", element)
        x = c.input(2, 6, 8, 10)
        for scale, zero in ((0.3, 5), (0.2, 5), (0.3, 6)):
            pool = c.add("MaxPool", [c.real(x, 0.3, 5)], kernel_shape=[3, 3], strides=[2, 1], pads=[1, 0, 1, 2])
            c.result(c.quantized(pool, scale, zero))
            turned = c.add("Transpose", [c.add("Flatten", [c.real(x, 0.3, 5)])], perm=[1, 0])
            c.result(c.quantized(turned, scale, zero))
            picked = c.add("Gather", [c.real(x, 0.3, 5), p.constant(c.fresh("i"), numpy.array([3, 0], numpy.int64))], axis=1)
            c.result(c.quantized(picked, scale, zero))
            scales = p.constant(c.fresh("scales"), numpy.array([1, 1, 2, 1.5], numpy.float32))
            larger = c.add("Resize", [c.real(x, 0.3, 5), "", scales], mode="nearest")
            c.result(c.quantized(larger, scale, zero))
            held = p.constant(c.fresh("k"), p.random.normal(size=(2, 3, 8, 10)).astype(numpy.float32))
            parts = [c.real(x, 0.3, 5), held, c.real(x, 0.1, 0)]
            c.result(c.quantized(c.add("Concat", parts, axis=1), scale, zero))


def steps(p):
    """What is computed on real values, in one step from bytes to bytes."""
    for kind, element in BYTES.items():
        c = Chain(p, f"qs_{kind}", element)
        x = c.input(2, 21, 9, 10)
        c.result(c.quantized(c.add("AveragePool", [c.real(x)], kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 0, 1]), 0.1))
        c.result(c.quantized(c.add("GlobalAveragePool", [c.real(x)]), 0.02))
        for axes in ([3], [1], [2, 3], [0]):
            axes = p.constant(c.fresh("axes"), numpy.array(axes, numpy.int64))
            c.result(c.quantized(c.add("ReduceMean", [c.real(x), axes], keepdims=0), 0.02))
        for axis in (-1, 1):
            c.result(c.quantized(c.add("Softmax", [c.real(x)], axis=axis), 1 / 256))
            c.result(c.quantized(c.add("LogSoftmax", [c.real(x)], axis=axis), 0.05))
        scale, shift = (p.constant(c.fresh("n"), p.random.normal(size=10).astype(numpy.float32)) for _ in range(2))
        c.result(c.quantized(c.add("LayerNormalization", [c.real(x), scale, shift]), 0.03))
        scales = p.constant(c.fresh("scales"), numpy.array([1, 1, 2, 1.5], numpy.float32))
        c.result(c.quantized(c.add("Resize", [c.real(x), "", scales], mode="linear"), 0.05))
        sums = c.quantized(c.add("Add", [c.real(c.input(2, 21, 1, 10)), c.add("AveragePool", [c.real(x)], kernel_shape=[9, 1])]))
        c.result(sums)
        shared = c.real(x)
        gate = c.quantized(c.add("Sigmoid", [shared]), 1 / 256, 0)
        c.result(c.quantized(c.add("Mul", [c.real(gate, 1 / 256, 0), shared]), 0.03))
        exact = c.add("MaxPool", [c.add("Relu", [shared])], kernel_shape=[2, 2])
        c.result(c.quantized(exact, 0.05))


def first_layers(p):
    """Kernels that read real values, their results quantized; and bytes that end as real values."""
    for kind, element in BYTES.items():
        c = Chain(p, f"qf_{kind}", element)
        x = p.constant(c.fresh("x"), p.random.normal(size=(1, 16, 15, 14)).astype(numpy.float32))
        x = c.add("Mul", [x, p.input(c.fresh("factor"), [1], numpy.ones(1, numpy.float32))])
        for filters, attributes in (((12, 16, 3, 3), PADS), ((16, 1, 3, 3), {**PADS, "group": 16}), ((40, 16, 1, 1), {})):
            w = p.constant(c.fresh("w"), p.random.normal(size=filters).astype(numpy.float32))
            y = c.quantized(c.add("Relu", [c.add("Conv", [x, w, c.bias(filters[0])], **attributes)]), 0.1)
            c.result(y)
            last = c.add("Conv", [c.real(y), c.weights(9, filters[0], 3, 3, axis=0), c.bias(9)])
            p.approximate.add(real := c.real(c.quantized(last, 0.5), 0.5, 0))
            p.output(real)
        rows = c.add("Reshape", [x, p.constant(c.fresh("shape"), numpy.array([16, 210], numpy.int64))])
        matrix = p.constant(c.fresh("w"), p.random.normal(size=(210, 19)).astype(numpy.float32))
        c.result(c.quantized(c.add("MatMul", [rows, matrix]), 0.4))
        c.result(c.quantized(c.add("MatMul", [rows, c.add("Transpose", [rows], perm=[1, 0])]), 0.9))


def padded(p):
    """Pads of their own, that convolutions take in and that they do not."""
    for kind, element in BYTES.items():
        c = Chain(p, f"qp_{kind}", element)
        x = c.input(1, 8, 9, 7)
        pads = p.constant(c.fresh("pads"), numpy.array([0, 0, 2, 0, 0, 0, 1, 3], numpy.int64))
        for value in (0.0, 1.5):
            number = p.number(c.fresh("value"), value)
            wide = c.quantized(c.add("Pad", [c.real(x, 0.03, 7), pads, number]), 0.03, 7)
            for filters, attributes in (((12, 8, 3, 3), PADS), ((8, 1, 3, 3), {"group": 8})):
                y = c.add("Conv", [c.real(wide, 0.03, 7), c.weights(*filters, axis=0), c.bias(filters[0])], **attributes)
                c.result(c.quantized(y))
        c.result(c.quantized(c.add("Pad", [c.real(x, 0.03, 7), pads], mode="reflect"), 0.03, 7))
        c.result(c.quantized(c.add("Pad", [c.real(x, 0.03, 7), pads, number]), 0.05))


def products(p):
    for kind, element in BYTES.items():
        for k in (8, 10, 9, 3):  # whole words, and not
            c = Chain(p, f"qm_{kind}_{k}", element)
            x = c.input(3, 5, k)
            y = c.add("Add", [c.add("MatMul", [c.real(x), c.weights(k, 19, axis=1)]), c.bias(19)])
            c.result(c.quantized(c.add("Relu", [y])))
            y = c.add("MatMul", [c.real(x), c.weights(k, 7)])
            p.approximate.add(y)
            p.output(y)
            c.result(c.quantized(c.add("MatMul", [c.real(x), c.weights(k, 7, element=numpy.uint8, zero=9)])))
            dynamic = c.add("MatMul", [c.real(x), c.real(c.input(3, k, 4))])
            c.result(c.quantized(dynamic))


ALL = [convolutions, wide_weights, limits, real_results, constants, per_axis, residuals, joined, images, movements, steps, first_layers, padded, products]
