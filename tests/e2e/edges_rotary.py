"""Parts of run_edges.py: rotary embedding as exporters write it out, and as operators."""

import numpy
from onnx import TensorProto

LAST = 2**63 - 1


def ints(*values):
    return numpy.array(values, numpy.int64)


def angles(length, size):
    """Cosines and sines [length, size], the second half as the first."""
    turns = numpy.arange(length)[:, None] * 10000.0 ** (-numpy.arange(0, size, 2) / size)[None]
    turns = numpy.concatenate([turns, turns], axis=1)
    return numpy.cos(turns).astype(numpy.float32), numpy.sin(turns).astype(numpy.float32)


def cut(p, name, x, begin, end, step=1):
    bounds = [p.constant(f"{name}_{k}", ints(value)) for k, value in enumerate([begin, end, -1, step])]
    return p.add("Slice", [x, *bounds], name)


def half_turned(p, name, x, size):
    first, second = cut(p, f"{name}_first", x, 0, size // 2), cut(p, f"{name}_second", x, size // 2, LAST)
    return p.add("Concat", [p.add("Neg", [second], f"{name}_negated"), first], f"{name}_turned", axis=-1)


def pairs_turned(p, name, x, shape):
    even, odd = cut(p, f"{name}_even", x, 0, LAST, 2), cut(p, f"{name}_odd", x, 1, LAST, 2)
    axis = p.constant(f"{name}_axis", ints(-1))
    columns = [p.add("Unsqueeze", [p.add("Neg", [odd], f"{name}_negated"), axis], f"{name}_a"), p.add("Unsqueeze", [even, axis], f"{name}_b")]
    stacked = p.add("Concat", columns, f"{name}_stacked", axis=-1)
    return p.add("Reshape", [stacked, p.constant(f"{name}_shape", ints(*shape))], f"{name}_turned")


def rotated(p, name, x, turned, cosines, sines):
    return p.add("Add", [p.add("Mul", [x, cosines], f"{name}_x"), p.add("Mul", [turned, sines], f"{name}_t")], f"{name}_y")


def halves(p):
    cosines, sines = (p.constant(f"ra_{k}", values) for k, values in zip("cs", angles(5, 24)))
    x = p.input("ra_in", [2, 3, 5, 24], p.floats(2, 3, 5, 24))
    p.output(rotated(p, "ra", x, half_turned(p, "ra", x, 24), cosines, sines))


def interleaved(p):
    """Wide enough for whole vectors of pairs, and a tail."""
    cosines, sines = (p.constant(f"ri_{k}", numpy.repeat(values[:, :37], 2, 1)) for k, values in zip("cs", angles(5, 74)))
    x = p.input("ri_in", [2, 3, 5, 74], p.floats(2, 3, 5, 74))
    p.output(rotated(p, "ri", x, pairs_turned(p, "ri", x, [0, 0, 0, 74]), cosines, sines))


def split(p):
    """Each half by itself, and only the first part of a head."""
    cosines, sines = (p.constant(f"rs_{k}", values[:, :8]) for k, values in zip("cs", angles(5, 16)))
    x = p.input("rs_in", [2, 3, 5, 24], p.floats(2, 3, 5, 24))
    a, b, rest = (cut(p, f"rs_{name}", x, *ends) for name, ends in [("a", (0, 8)), ("b", (8, 16)), ("rest", (16, LAST))])
    product = lambda x, y, name: p.add("Mul", [x, y], f"rs_{name}")
    real = p.add("Sub", [product(a, cosines, "ac"), product(b, sines, "bs")], "rs_real")
    imaginary = p.add("Add", [product(b, cosines, "bc"), product(a, sines, "as")], "rs_imaginary")
    p.output(p.add("Concat", [real, imaginary, rest], "rs_y", axis=-1))


def partial(p):
    cosines, sines = (p.constant(f"rp_{k}", values) for k, values in zip("cs", angles(5, 16)))
    x = p.input("rp_in", [2, 3, 5, 24], p.floats(2, 3, 5, 24))
    turning, rest = cut(p, "rp_turning", x, 0, 16), cut(p, "rp_rest", x, 16, LAST)
    p.output(p.add("Concat", [rotated(p, "rp", turning, half_turned(p, "rp", turning, 16), cosines, sines), rest], "rp_whole", axis=-1))


def operators(p):
    cosines, sines = (p.constant(f"ro_{k}", values[:, :4]) for k, values in zip("cs", angles(64, 8)))
    flat, apart = p.input("ro_flat", [2, 5, 32], p.floats(2, 5, 32)), p.input("ro_apart", [2, 4, 5, 8], p.floats(2, 4, 5, 8))
    first, places = p.input("ro_first", [1], ints(7)), p.input("ro_places", [2, 5], p.random.integers(0, 64, (2, 5)))
    microsoft = {"domain": "com.microsoft"}
    p.output(p.add("RotaryEmbedding", [flat, first, cosines, sines], "ro_y1", **microsoft))
    p.output(p.add("RotaryEmbedding", [flat, places, cosines, sines], "ro_y2", num_heads=2, rotary_embedding_dim=8, **microsoft))
    p.output(p.add("RotaryEmbedding", [apart, places, cosines, sines], "ro_y3", interleaved=1, **microsoft))


def in_attention(p, name, length, rows):
    """Of queries and keys, angles from positions that only the run knows, shared by both."""
    places = p.input(f"{name}_places", [1, length], lambda n: numpy.arange(rows(n))[None] + 3)
    speed = p.constant(f"{name}_speed", (10000.0 ** (-numpy.arange(0, 16, 2) / 16)).astype(numpy.float32)[None, :, None])
    places = p.add("Cast", [p.add("Unsqueeze", [places, p.constant(f"{name}_one", ints(1))], f"{name}_row")], f"{name}_real", to=TensorProto.FLOAT)
    turns = p.add("Transpose", [p.add("MatMul", [speed, places], f"{name}_turns")], f"{name}_rows", perm=[0, 2, 1])
    turns = p.add("Unsqueeze", [p.add("Concat", [turns, turns], f"{name}_both", axis=-1), f"{name}_one"], f"{name}_all")
    cosines, sines = p.add("Cos", [turns], f"{name}_cos"), p.add("Sin", [turns], f"{name}_sin")
    x = p.input(f"{name}_in", [1, length, 48], lambda n: p.floats(1, rows(n), 48))

    def heads(letter, turns):
        projected = p.add("MatMul", [x, p.constant(f"{name}_w{letter}", p.floats(48, 48) / 8)], f"{name}_{letter}p")
        parts = p.add("Reshape", [projected, p.constant(f"{name}_{letter}s", ints(0, 0, 3, 16))], f"{name}_{letter}parts")
        apart = p.add("Transpose", [parts], f"{name}_{letter}", perm=[0, 2, 1, 3])
        prefix = f"{name}_{letter}"
        return rotated(p, prefix, apart, half_turned(p, prefix, apart, 16), cosines, sines) if turns else apart

    keys = p.add("Transpose", [heads("k", True)], f"{name}_kt", perm=[0, 1, 3, 2])
    weights = p.add("Softmax", [p.add("MatMul", [heads("q", True), keys], f"{name}_scores")], f"{name}_weights", axis=-1)
    p.output(p.add("MatMul", [weights, heads("v", False)], f"{name}_y"))


def attention(p):
    in_attention(p, "rt", 40, lambda n: 40)


def bounded_attention(p):
    in_attention(p, "rb", "n", lambda n: n)


def bounded(p):
    cosines, sines = (p.constant(f"rn_{k}", values) for k, values in zip("cs", angles(5, 24)))
    x = p.input("rn_in", ["n", 5, 24], lambda n: p.floats(n, 5, 24))
    p.output(rotated(p, "rn_h", x, half_turned(p, "rn_h", x, 24), cosines, sines))
    p.output(rotated(p, "rn_i", x, pairs_turned(p, "rn_i", x, [0, 0, 24]), cosines, sines))


STATIC = [halves, interleaved, split, partial, operators, attention]
BOUNDED = [bounded, bounded_attention]
