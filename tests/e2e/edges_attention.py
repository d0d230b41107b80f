"""Parts of run_edges.py: attention as exporters write it out, and what looks like it."""

import numpy


def split(p, name, x, heads, depth, order):
    """[batch, length, heads * depth] with heads in front, in the order of the last two dimensions that `order` says."""
    parts = p.add("Reshape", [x, p.constant(f"{name}_s", numpy.array([0, 0, heads, depth]))], f"{name}_parts")
    return p.add("Transpose", [parts], f"{name}_heads", perm=order)


def merge(p, name, x, width):
    moved = p.add("Transpose", [x], f"{name}_moved", perm=[0, 2, 1, 3])
    return p.add("Reshape", [moved, p.constant(f"{name}_all", numpy.array([0, 0, width]))], f"{name}_merged")


def self_attention(p, name, batch, length, keys, heads, depth, mask=None, projected=True):
    """Scaled, perhaps masked, with a product before each operand unless those are inputs."""
    width = heads * depth

    def operand(letter, rows, order):
        x = p.input(f"{name}_{letter}", [batch, rows, width], p.floats(batch, rows, width))
        if projected:
            x = p.add("MatMul", [x, p.constant(f"{name}_w{letter}", p.floats(width, width) / 8)], f"{name}_{letter}p")
        return split(p, f"{name}_{letter}", x, heads, depth, order)

    q, k = operand("q", length, [0, 2, 1, 3]), operand("k", keys, [0, 2, 3, 1])
    scores = p.add("MatMul", [q, k], f"{name}_scores")
    scores = p.add("Mul", [scores, p.constant(f"{name}_scale", numpy.float32(depth**-0.5))], f"{name}_scaled")
    if mask is not None:
        scores = mask(scores)
    weights = p.add("Softmax", [scores], f"{name}_weights", axis=-1)
    return weights, p.add("MatMul", [weights, operand("v", keys, [0, 2, 1, 3])], f"{name}_results")


def plain(p):
    _, results = self_attention(p, "p", 1, 40, 40, 3, 8)
    p.output(merge(p, "p", results, 24))


def inputs_themselves(p):
    """Read as they are given; several blocks of rows and keys."""
    _, results = self_attention(p, "t", 1, 150, 300, 2, 16, projected=False)
    p.output(results)


def two_batches(p):
    _, results = self_attention(p, "b", 2, 40, 24, 3, 8)
    p.output(merge(p, "b", results, 24))


def causal(p):
    mask = numpy.triu(numpy.full((40, 40), -numpy.inf, numpy.float32), 1)
    _, results = self_attention(p, "c", 1, 40, 40, 3, 8, lambda x: p.add("Add", [x, p.constant("c_mask", mask)], "c_masked"))
    p.output(merge(p, "c", results, 24))


def chosen(p):
    """A mask of bools, for each batch; a row that is masked throughout gets NaN."""
    keep = p.random.random((2, 1, 40, 40)) < 0.7
    keep[1, 0, 5] = False
    keep = p.input("w_keep", [2, 1, 40, 40], keep)
    none = p.constant("w_none", numpy.float32(-numpy.inf))
    _, results = self_attention(p, "w", 2, 40, 40, 3, 8, lambda x: p.add("Where", [keep, x, none], "w_masked"))
    p.output(results)


def masked_images(p):
    """A mask for each image, and a slope for each head of all images."""
    mask = p.input("im_mask", [2, 1, 1, 40], numpy.where(p.random.random((2, 1, 1, 40)) < 0.3, -1e9, 0).astype(numpy.float32))
    slope = p.constant("im_slope", p.floats(3, 1, 40))

    def masked(x):
        return p.add("Add", [p.add("Add", [x, mask], "im_masked"), slope], "im_sloped")

    _, results = self_attention(p, "im", 2, 40, 40, 3, 8, masked)
    p.output(results)


def weights_too(p):
    """The weights are a result as well, so they must be in memory."""
    weights, results = self_attention(p, "o", 1, 40, 40, 3, 8)
    p.output(weights)
    p.output(results)


def shared_keys(p):
    """One head of keys and values for all heads of q."""
    q = p.input("g_q", [1, 4, 40, 8], p.floats(1, 4, 40, 8))
    k, v = p.input("g_k", [1, 1, 8, 40], p.floats(1, 1, 8, 40)), p.input("g_v", [1, 1, 40, 16], p.floats(1, 1, 40, 16))
    p.output(p.add("MatMul", [p.add("Softmax", [p.add("MatMul", [q, k], "g_scores")], "g_weights"), v], "g_results"))


def shared_weights(p):
    """One matrix of weights, and one mask, for all values."""
    q, k, v = (p.input(f"sw_{name}", shape, p.floats(*shape)) for name, shape in (("q", [200, 8]), ("k", [8, 80]), ("v", [3, 80, 16])))
    mask = p.constant("sw_mask", numpy.triu(numpy.full((200, 80), -numpy.inf, numpy.float32), 1))
    scores = p.add("Add", [p.add("MatMul", [q, k], "sw_scores"), mask], "sw_masked")
    p.output(p.add("MatMul", [p.add("Softmax", [scores], "sw_weights"), v], "sw_results"))


def with_cache(p):
    """Keys and values behind those of earlier steps, which are results too."""
    q = p.input("h_q", [1, 2, 16, 8], p.floats(1, 2, 16, 8))
    cached = []
    for letter in "kv":
        past, new = (p.input(f"h_{letter}{part}", [1, 2, n, 8], p.floats(1, 2, n, 8)) for part, n in (("p", 50), ("n", 16)))
        cached.append(p.add("Concat", [past, new], f"h_{letter}", axis=2))
        p.output(cached[-1])
    k = p.add("Transpose", [cached[0]], "h_kt", perm=[0, 1, 3, 2])
    p.output(p.add("MatMul", [p.add("Softmax", [p.add("MatMul", [q, k], "h_scores")], "h_weights"), cached[1]], "h_results"))


def in_a_row(p):
    """The results of one attention are scores of another: only one of them is fused."""
    x = p.input("ir_x", [2, 40, 40], p.floats(2, 40, 40))
    weights = p.add("Softmax", [p.add("MatMul", [x, x], "ir_scores")], "ir_weights")
    again = p.add("Softmax", [p.add("MatMul", [weights, x], "ir_results")], "ir_again")
    p.output(p.add("MatMul", [again, x], "ir_last"))


def looks_alike(p):
    """Another axis, transposed weights, their logarithm."""
    q, k, v = (p.input(f"l_{name}", [3, 40, 40], p.floats(3, 40, 40) / 4) for name in "qkv")
    scores = p.add("MatMul", [q, k], "l_scores")
    p.output(p.add("MatMul", [p.add("Softmax", [scores], "l_columns", axis=1), v], "l_axis"))
    turned = p.add("Transpose", [p.add("Softmax", [scores], "l_rows")], "l_turned", perm=[0, 2, 1])
    p.output(p.add("MatMul", [turned, v], "l_transposed"))
    logs = p.add("LogSoftmax", [p.add("MatMul", [q, v], "l_other")], "l_logs")
    p.output(p.add("MatMul", [logs, k], "l_logarithms"))


def sums_of_products(p):
    """Products of a stack by one matrix and by a stack, which have other shapes as kernels."""
    x, w = p.input("s_x", [2, 5, 4], p.floats(2, 5, 4)), p.constant("s_w", p.floats(4, 4))
    a, b = p.input("s_a", [2, 5, 7], p.floats(2, 5, 7)), p.input("s_b", [2, 7, 4], p.floats(2, 7, 4))
    p.output(p.add("Add", [p.add("MatMul", [x, w], "s_one"), p.add("MatMul", [a, b], "s_stack")], "s_sum"))


STATIC = [plain, inputs_themselves, two_batches, causal, chosen, masked_images, weights_too, shared_keys, shared_weights, with_cache, in_a_row, looks_alike, sums_of_products]
