"""Parts of run_edges.py: what kernels end with where their last dimensions are 1 or the axis is the last one, so that an operand may
vary along the index that vectors run along, or not."""

import numpy
from onnx import TensorProto

LENGTHS = [5, 8, 17, 40]  # around the vectors of all levels, a row in registers and in memory


def softmax_of_rows(p):
    """Gates for each element, each place along the axis and each row."""
    for length in LENGTHS:
        name = f"er_{length}"
        x, gate = p.input(f"{name}_x", [3, length], p.floats(3, length)), p.input(f"{name}_g", [3, length], p.floats(3, length))
        soft, logs = p.add("Softmax", [x], f"{name}_s", axis=-1), p.add("LogSoftmax", [x], f"{name}_l", axis=-1)
        p.output(p.add("Mul", [x, soft], f"{name}_swish"))
        p.output(p.add("Mul", [logs, gate], f"{name}_logs"))
        places = p.add("Softmax", [gate], f"{name}_t", axis=-1)
        p.output(p.add("Add", [places, p.constant(f"{name}_b", p.floats(length))], f"{name}_places"))
        rows = p.add("Softmax", [p.add("Neg", [gate], f"{name}_n")], f"{name}_u", axis=-1)
        p.output(p.add("Mul", [rows, p.input(f"{name}_r", [3, 1], p.floats(3, 1))], f"{name}_rows"))


def softmax_of_channels(p):
    """Behind a convolution: the channels of an image become the rows."""
    for length in LENGTHS:
        name = f"ec_{length}"
        x, w = p.input(f"{name}_x", [1, 3, 4, 4], p.floats(1, 3, 4, 4)), p.constant(f"{name}_w", p.floats(length, 3, 1, 1))
        soft = p.add("Softmax", [p.add("Conv", [x, w], f"{name}_c")], f"{name}_s", axis=1)
        p.output(p.add("Mul", [soft, p.input(f"{name}_g", [1, length, 4, 4], p.floats(1, length, 4, 4))], f"{name}_y"))


def masked_probabilities(p):
    """Weights of attention that are masked behind the softmax."""
    q, k, v = (p.input(f"em_{n}", shape, p.floats(*shape)) for n, shape in [("q", [2, 9, 16]), ("k", [2, 16, 11]), ("v", [2, 11, 16])])
    weights = p.add("Softmax", [p.add("MatMul", [q, k], "em_scores")], "em_weights", axis=-1)
    mask = p.input("em_mask", [2, 9, 11], numpy.array(p.random.integers(0, 2, (2, 9, 11)), numpy.float32))
    p.output(p.add("MatMul", [p.add("Mul", [weights, mask], "em_masked"), v], "em_y"))


def split_rows(p):
    """A gate that varies along a part of the axis, once the row is two dimensions."""
    soft = p.add("Softmax", [p.input("es_x", [2, 24], p.floats(2, 24))], "es_soft", axis=-1)
    split = p.add("Reshape", [soft, p.constant("es_shape", numpy.array([2, 3, 8]))], "es_split")
    p.output(p.add("Mul", [split, p.input("es_g", [3, 1], p.floats(3, 1))], "es_y"))


def softmax_of_other_types(p):
    half = p.input("eh_x", [3, 9], p.floats(3, 9).astype(numpy.float16))
    p.output(p.add("Mul", [half, p.add("Softmax", [half], "eh_s", axis=-1)], "eh_y"), TensorProto.FLOAT16)
    x = p.input("eq_x", [4, 24], p.floats(4, 24))
    gated = p.add("Mul", [p.add("Softmax", [x], "eq_s", axis=-1), p.input("eq_g", [4, 24], p.floats(4, 24))], "eq_p")
    scale, zero = p.constant("eq_scale", numpy.float32(0.02)), p.constant("eq_zero", numpy.uint8(128))
    p.output(p.add("DequantizeLinear", [p.add("QuantizeLinear", [gated, scale, zero], "eq_q"), scale, zero], "eq_y"))


def one_channel(p):
    """Other kernels whose last dimension is 1."""
    image, gate = p.input("eo_x", [2, 1, 9, 9], p.floats(2, 1, 9, 9)), p.input("eo_g", [2, 1, 8, 8], p.floats(2, 1, 8, 8))
    conv = p.add("Conv", [image, p.constant("eo_w", p.floats(1, 1, 2, 2))], "eo_c")
    pool = p.add("AveragePool", [image], "eo_p", kernel_shape=[2, 2])
    scales = p.constant("eo_k", numpy.float32([1, 1, 2, 2]))
    resized = p.add("Resize", [p.input("eo_i", [2, 1, 4, 4], p.floats(2, 1, 4, 4)), "", scales], "eo_z", mode="linear")
    for name, result in [("conv", conv), ("pool", pool), ("resize", resized)]:
        p.output(p.add("Mul", [result, gate], f"eo_{name}"))
    rows, column = p.input("eo_r", [9, 17], p.floats(9, 17)), p.input("eo_h", [9, 1], p.floats(9, 1))
    most = p.add("ReduceMax", [rows, p.constant("eo_a", numpy.array([1]))], "eo_m")
    p.output(p.add("Mul", [most, column], "eo_reduce"))
    p.output(p.add("Mul", [p.add("MatMul", [rows, p.constant("eo_v", p.floats(17, 1))], "eo_mm"), column], "eo_product"))
    thin, scale = p.input("eo_t", [2, 3, 7, 1], p.floats(2, 3, 7, 1)), p.constant("eo_s", p.floats(3))
    normal = p.add("InstanceNormalization", [thin, scale, p.constant("eo_b", p.floats(3))], "eo_n")
    p.output(p.add("Mul", [normal, p.input("eo_u", [2, 3, 7, 1], p.floats(2, 3, 7, 1))], "eo_normal"))


STATIC = [softmax_of_rows, softmax_of_channels, masked_probabilities, split_rows, softmax_of_other_types, one_channel]


def bounded_softmax(p):
    """Rows, lengths and what lies behind the axis may be 1 in a run."""
    x = p.input("ebr_x", ["n", 17], lambda n: p.floats(n, 17))
    p.output(p.add("Mul", [x, p.add("Softmax", [x], "ebr_s", axis=-1)], "ebr_y"))
    y = p.input("ebl_x", [3, "n"], lambda n: p.floats(3, n))
    p.output(p.add("Mul", [y, p.add("LogSoftmax", [y], "ebl_s", axis=-1)], "ebl_y"))
    for name, shape in [("places", [5, 1]), ("rows", [3, 1, 1]), ("behind", ["n"]), ("all", [3, 5, "n"])]:
        z = p.input(f"ebi_{name}_x", [3, 5, "n"], lambda n: p.floats(3, 5, n))
        soft = p.add("Softmax", [z], f"ebi_{name}_s", axis=1)
        gate = p.input(f"ebi_{name}_g", shape, lambda n, shape=shape: p.floats(*(n if extent == "n" else extent for extent in shape)))
        p.output(p.add("Mul", [soft, gate], f"ebi_{name}_y"))


BOUNDED = [bounded_softmax]
