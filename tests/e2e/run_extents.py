"""Extents that only the run knows: what models compute from them and with them, in a program with two bounded dimensions, and in
one whose batch may be empty.

    run_extents.py [--only TEXT] [--compiler g++] [--keep]

Every part is held against ONNX Runtime without optimizations, for several sizes of both dimensions, on 1 and 3 threads. Work
files lie in <build>/e2e/extents; --keep leaves them.
"""

import functools
import os
import sys

import numpy
from onnx import TensorProto

import harness
import run_edges

WORK = os.path.join(harness.BUILD, "e2e", "extents")
FLAGS = ["--input-dim", "n=1..4", "--input-dim", "m=3..7"]
SIZES = [(1, 3), (4, 7), (2, 5), (3, 4), (4, 3)]  # of n and m
EMPTY_FLAGS = ["--input-dim", "n=0..3"]
EMPTY_SIZES = [(0, 3), (3, 3)]


def ints(*values):
    return numpy.array(values, dtype=numpy.int64)


class Parts(run_edges.Parts):
    """Inputs are made by functions of the sizes (n, m)."""

    opset = 23

    def input(self, name, shape, values):
        return super().input(name, shape, lambda sizes: values(*(sizes if isinstance(sizes, tuple) else (2, 4))))

    def random_input(self, name, shape):
        def make(n, m):
            return self.floats(*({"n": n, "m": m}.get(extent, extent) for extent in shape))

        return self.input(name, shape, make)

    def list(self, name, *values):
        return self.constant(name, ints(*values))


def both_dims(p):
    """Products, sums and moves of two unknown extents in one tensor."""
    x = p.random_input("b_x", ["n", "m", 6])
    flat = p.add("Reshape", [x, p.list("b_s", -1, 6)], "b_flat")
    p.output(flat)
    p.output(p.add("Transpose", [x], "b_moved", perm=[1, 2, 0]))
    p.output(p.add("Flatten", [x], "b_rows"))
    p.output(p.add("Softmax", [x], "b_soft", axis=1))
    p.output(p.add("ReduceMean", [x, p.list("b_a1", 1)], "b_mean", keepdims=0))
    p.output(p.add("ReduceMax", [x, p.list("b_a01", 0, 1)], "b_most"))
    p.output(p.add("MatMul", [x, p.constant("b_w", p.floats(6, 5))], "b_product"))
    p.output(p.add("Add", [x, p.add("Unsqueeze", [p.random_input("b_y", ["m"]), p.list("b_a", 1)], "b_column")], "b_sum"))


def attention(p):
    """Two heads over an unknown length, with positions cut out of a table and a mask."""
    x = p.random_input("a_x", ["n", "m", 8])
    shape = p.add("Shape", [x], "a_shape")
    length = p.add("Gather", [shape, p.constant("a_one", numpy.array(1))], "a_length", axis=0)
    batch = p.add("Gather", [shape, p.constant("a_zero", numpy.array(0))], "a_batch", axis=0)
    one = p.list("a_axis", 0)
    lengths = p.add("Unsqueeze", [length, one], "a_lengths")
    batches = p.add("Unsqueeze", [batch, one], "a_batches")
    table = p.constant("a_table", p.floats(16, 8))
    positions = p.add("Slice", [table, p.list("a_begin", 0), lengths, p.list("a_axes", 0)], "a_positions")
    x = p.add("Add", [x, positions], "a_placed")
    split = p.add("Concat", [batches, lengths, p.list("a_heads", 2, 4)], "a_split", axis=0)

    def head(name, order):
        rows = p.add("MatMul", [x, p.constant(f"a_w{name}", p.floats(8, 8))], f"a_p{name}")
        return p.add("Transpose", [p.add("Reshape", [rows, split], f"a_r{name}")], f"a_{name}", perm=order)

    q, k, v = head("q", [0, 2, 1, 3]), head("k", [0, 2, 3, 1]), head("v", [0, 2, 1, 3])
    scores = p.add("MatMul", [q, k], "a_scores")
    mask = p.random_input("a_mask", ["n", 1, 1, "m"])
    weights = p.add("Softmax", [p.add("Add", [scores, mask], "a_masked")], "a_weights", axis=-1)
    mixed = p.add("Transpose", [p.add("MatMul", [weights, v], "a_mixed")], "a_back", perm=[0, 2, 1, 3])
    p.output(p.add("Reshape", [mixed, p.add("Concat", [batches, lengths, p.list("a_width", 8)], "a_merge", axis=0)], "a_y"))


def parts_of(p):
    """Slices, splits and concatenations at places that only the run knows."""
    x, y = p.random_input("p_x", ["n", "m", 2]), p.random_input("p_y", ["n", 3, 2])
    both = p.add("Concat", [y, x], "p_both", axis=1)
    p.output(both)
    p.output(p.add("Slice", [both, p.list("p_s0", -2), p.list("p_e0", 2**62), p.list("p_a0", 1)], "p_last"))
    p.output(p.add("Slice", [both, p.list("p_s1", 1), p.list("p_e1", -1), p.list("p_a1", 1), p.list("p_t1", 2)], "p_every_second"))
    p.output(p.add("Gather", [x, p.constant("p_i", ints(-1, 0, 2))], "p_picked", axis=1))
    p.output(p.add("Slice", [x, p.list("p_s2", -1), p.list("p_e2", -3), p.list("p_a2", 2), p.list("p_t2", -1)], "p_backwards"))
    p.output(p.add("Pad", [x, p.list("p_pads", 0, 1, 0, 0, 2, 0)], "p_padded"))
    p.output(p.add("Tile", [x, p.list("p_r", 1, 2, 3)], "p_tiled"))
    p.output(p.add("Expand", [p.add("Slice", [x, p.list("p_s3", 0), p.list("p_e3", 1), p.list("p_a3", 1)], "p_first"), p.add("Shape", [both], "p_shape")], "p_spread"))


def values_of(p):
    """Extents that are data, outputs that are inputs, and one value twice."""
    x = p.random_input("v_x", ["n", "m"])
    shape = p.add("Shape", [x], "v_shape")
    p.output(shape, TensorProto.INT64)
    p.output(p.add("Size", [x], "v_size"), TensorProto.INT64)
    p.output(p.add("Div", [p.add("Cast", [shape], "v_real", to=TensorProto.FLOAT), p.constant("v_two", numpy.float32(2))], "v_half"))
    p.output(p.add("ConstantOfShape", [shape], "v_zeros"))
    p.output(p.add("Identity", [x], "v_same"))
    p.output(p.add("Reshape", [x, p.list("v_s", -1)], "v_flat"))
    negative = p.add("Neg", [x], "v_negative")
    p.output(negative)
    p.output(p.add("Reshape", [negative, p.list("v_t", 0, 0, 1)], "v_again"))


def signals(p):
    """Convolution, pooling and recurrence over an unknown length or an unknown batch."""
    x = p.random_input("s_x", ["n", 2, "m"])
    p.output(p.add("Conv", [x, p.constant("s_w", p.floats(3, 2, 3)), p.constant("s_b", p.floats(3))], "s_conv", pads=[1, 1], strides=[2]))
    p.output(p.add("GlobalAveragePool", [x], "s_mean"))
    p.output(p.add("InstanceNormalization", [x, p.constant("s_scale", p.floats(2)), p.constant("s_shift", p.floats(2))], "s_normal"))
    steps = p.add("Transpose", [x], "s_steps", perm=[2, 0, 1])
    weights = [p.constant("s_lw", p.floats(1, 16, 2)), p.constant("s_lr", p.floats(1, 16, 4)), p.constant("s_lb", p.floats(1, 32))]
    lengths = p.input("s_lengths", ["n"], lambda n, m: numpy.arange(n, dtype=numpy.int32) % m + 1)
    states = p.random_input("s_h", [1, "n", 4])
    p.output(p.add("LSTM", [steps, *weights, lengths, states], "s_lstm", hidden_size=4))


def rearranged(p):
    """Unknown extents that come together and part again."""
    x, y = p.random_input("e_x", [2, "n", 3, 5]), p.random_input("e_y", [2, "m", 3, 5])
    p.output(p.add("Einsum", [x, y], "e_scores", equation="bqhd,bkhd->bhqk"))
    p.output(p.add("Einsum", [x, y], "e_outer", equation="bqhd,bkhe->hdqek"))
    p.output(p.add("Einsum", [p.random_input("e_s", ["n", 4, 4])], "e_diagonal", equation="nii->ni"))
    q, k, v = (p.random_input(f"e_{name}", ["n", extent, 8]) for name, extent in (("q", "m"), ("k", "m"), ("v", "m")))
    p.output(p.add("Attention", [q, k, v], "e_attention", q_num_heads=2, kv_num_heads=2))
    p.output(p.add("NegativeLogLikelihoodLoss", [p.random_input("e_p", ["n", 3, "m"]), p.input("e_t", ["n", "m"], lambda n, m: p.random.integers(0, 3, (n, m)))], "e_loss", reduction="none"))
    blocks = p.random_input("e_b", ["n", 8, "m", 3])
    p.output(p.add("DepthToSpace", [blocks], "e_space", blocksize=2))
    p.output(p.add("SpaceToDepth", [p.add("DepthToSpace", [blocks], "e_crd", blocksize=2, mode="CRD")], "e_depth", blocksize=2))


def found(p):
    """Extents that steps of the run find, and what is computed from the results."""
    x = p.random_input("f_x", ["n", "m"])
    indices = p.add("NonZero", [p.add("Relu", [x], "f_positive")], "f_indices")
    p.output(indices, TensorProto.INT64)
    shape = p.add("Shape", [indices], "f_shape")
    p.output(shape, TensorProto.INT64)
    rows = p.add("Gather", [indices, p.constant("f_zero", numpy.array(0))], "f_rows", axis=0)
    p.output(p.add("Gather", [x, rows], "f_picked", axis=0))
    flat = p.add("Reshape", [x, p.list("f_s", -1)], "f_flat")
    chosen = p.add("Compress", [x, p.add("Greater", [flat, p.constant("f_half", numpy.float32(0.5))], "f_is_large")], "f_chosen")
    p.output(p.add("Mul", [chosen, chosen], "f_squares"))
    p.output(p.add("Concat", [chosen, flat], "f_both", axis=0))
    columns = p.add("Greater", [p.random_input("f_c", ["m"]), p.constant("f_none", numpy.float32(0))], "f_columns")
    kept = p.add("Compress", [x, columns], "f_kept", axis=1)
    p.output(p.add("ReduceSum", [kept, p.list("f_a", 1)], "f_sums", keepdims=0))
    rounded = p.add("Floor", [x], "f_rounded")
    p.nodes.append(run_edges.node("Unique", [rounded], ["f_u", "f_first", "f_place", "f_often"]))
    p.output("f_u")
    for name in ["f_first", "f_place", "f_often"]:
        p.output(name, TensorProto.INT64)
    p.nodes.append(run_edges.node("Unique", [rounded], ["f_unsorted"], axis=1, sorted=0))
    p.output("f_unsorted")


def boxes(p):
    """Overlapping boxes of two classes in a batch."""
    corners = p.input("n_boxes", ["n", "m", 4], lambda n, m: numpy.sort(p.random.integers(0, 9, (n, m, 2, 2)), axis=2).reshape(n, m, 4).astype(numpy.float32))
    scores = p.input("n_scores", ["n", 2, "m"], lambda n, m: p.random.random((n, 2, m)).astype(numpy.float32))
    limits = [p.constant("n_most", ints(3)), p.constant("n_overlap", numpy.float32([0.3])), p.constant("n_least", numpy.float32([0.2]))]
    selected = p.add("NonMaxSuppression", [corners, scores, *limits], "n_selected")
    p.output(selected, TensorProto.INT64)
    p.output(p.add("Cast", [p.add("Slice", [selected, p.list("n_s", 2), p.list("n_e", 3), p.list("n_a", 1)], "n_last")], "n_real", to=TensorProto.FLOAT))
    p.output(p.add("NonMaxSuppression", [corners, scores, p.input("n_count", [1], lambda n, m: ints(m))], "n_all", center_point_box=1), TensorProto.INT64)


def positions(p):
    """Counts and triangles of unknown sizes, as causal masks are made of them."""
    x = p.random_input("r_x", ["m", "m"])
    p.output(p.add("Trilu", [x], "r_lower", upper=0))
    length = p.add("Gather", [p.add("Shape", [x], "r_shape"), p.constant("r_zero", numpy.array(0))], "r_length", axis=0)
    counts = p.add("Range", [p.constant("r_from", numpy.array(1)), length, p.constant("r_step", numpy.array(2))], "r_counts")
    p.output(counts, TensorProto.INT64)
    every = p.add("Range", [p.constant("r_first", numpy.array(0)), length, p.constant("r_one", numpy.array(1))], "r_every")
    mask = p.add("Less", [every, p.add("Unsqueeze", [every, p.list("r_a", 1)], "r_column")], "r_mask")
    p.output(p.add("Where", [mask, x, p.constant("r_none", numpy.float32(-1e9))], "r_masked"))


def indexing(p):
    """Reading and writing at places that inputs name, in tensors of unknown extents."""
    x = p.random_input("i_x", ["n", "m", 2])
    places = p.input("i_places", ["n", 2, 2], lambda n, m: p.random.integers(-m, m, (n, 2, 2)))
    p.output(p.add("GatherElements", [x, places], "i_elements", axis=1))
    own = p.input("i_own", ["n", "m", 2], lambda n, m: p.random.permuted(numpy.tile(numpy.arange(m), (n, 2, 1)), axis=2).transpose(0, 2, 1).copy())
    y = p.random_input("i_y", ["n", "m", 2])
    p.output(p.add("ScatterElements", [x, own, y], "i_scattered", axis=1))
    p.output(p.add("ScatterElements", [x, own, y], "i_added", axis=1, reduction="add"))
    rows = p.input("i_rows", ["n", 3, 1], lambda n, m: p.random.integers(-m, m, (n, 3, 1)))
    p.output(p.add("GatherND", [x, rows], "i_of_each", batch_dims=1))
    pairs = p.input("i_pairs", ["m", 2], lambda n, m: numpy.stack([p.random.integers(0, n, m), p.random.integers(0, m, m)], axis=1))
    p.output(p.add("GatherND", [x, pairs], "i_of_all"))
    p.output(p.add("ScatterND", [x, pairs, p.random_input("i_updates", ["m", 2])], "i_sums", reduction="add"))
    p.output(p.add("ReverseSequence", [x, p.input("i_lengths", ["n"], lambda n, m: numpy.arange(n) % m + 1)], "i_reversed", batch_axis=0, time_axis=1))
    p.output(p.add("ArgMax", [x], "i_most", axis=1), TensorProto.INT64)
    p.output(p.add("ArgMin", [p.random_input("i_z", ["n", 5, "m"])], "i_least", axis=1, keepdims=0), TensorProto.INT64)
    p.nodes.append(run_edges.node("TopK", [x, p.list("i_k", 2)], ["i_top", "i_top_places"], axis=1))
    p.output("i_top")


def nothing(p):
    """Sums of n - 1 terms, and attention to as many keys with values of unknown width."""
    def tail(name, shape, axis):
        return p.add("Slice", [p.random_input(name, shape), p.list(f"{name}_s", 1), p.list(f"{name}_e", 1 << 40), p.list(f"{name}_a", axis)], f"{name}_t")

    a, b = tail("z_a", [2, 120, "n"], 2), tail("z_b", [2, "n", 300], 1)
    p.output(p.add("Add", [p.add("MatMul", [a, b], "z_product"), p.constant("z_seven", numpy.float32([7]))], "z_sum"))
    q = p.random_input("z_q", [3, 40, 8])
    scores = p.add("MatMul", [q, p.random_input("z_k", [3, 8, "m"])], "z_scores")
    p.output(p.add("MatMul", [p.add("Softmax", [scores], "z_weights"), p.random_input("z_v", [3, "m", "n"])], "z_wide"))


def windows(p):
    """Windows that may hang over an end, and transposed convolutions, over unknown lengths."""
    x = p.random_input("w_x", ["n", 2, "m", 4])
    p.output(p.add("MaxPool", [x], "w_most", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1))
    p.output(p.add("MaxPool", [x], "w_padded", kernel_shape=[3, 3], strides=[2, 3], pads=[1, 1, 1, 1], ceil_mode=1))
    p.output(p.add("AveragePool", [x], "w_mean", kernel_shape=[2, 3], strides=[3, 2], ceil_mode=1))
    for name, stride, kernel, options in (("two", 2, 2, {}), ("padded", 2, 3, {"pads": [1] * 4, "output_padding": [1, 1]}), ("one", 1, 3, {}), ("same", 3, 4, {"auto_pad": "SAME_UPPER"})):
        weights = p.constant(f"w_w{name}", p.floats(2, 3, kernel, kernel))
        p.output(p.add("ConvTranspose", [x, weights, p.constant(f"w_b{name}", p.floats(3))], f"w_turned_{name}", strides=[stride] * 2, **options))


def resampled(p):
    """Images of unknown sizes that grow by a factor, or to the size of another one; and those of which only the batch is unknown."""
    x, other = p.random_input("g_x", ["n", 2, "m", 3]), p.random_input("g_y", ["n", 1, "m", 5])
    shapes = [p.add("Shape", [x], "g_front", start=0, end=2), p.add("Shape", [p.add("Concat", [other, other], "g_wide", axis=2)], "g_back", start=2)]
    sizes = p.add("Concat", shapes, "g_sizes", axis=0)
    scales = p.constant("g_scales", numpy.float32([1, 1, 2, 1.5]))
    for mode, coordinates in (("nearest", "asymmetric"), ("linear", "half_pixel"), ("linear", "pytorch_half_pixel"), ("cubic", "half_pixel"), ("nearest", "half_pixel_symmetric")):
        options = {"mode": mode, "coordinate_transformation_mode": coordinates}
        p.output(p.add("Resize", [x, "", scales], f"g_by_{mode}_{coordinates}", nearest_mode="floor", **options))
        p.output(p.add("Resize", [x, "", "", sizes], f"g_to_{mode}_{coordinates}", exclude_outside=int(mode == "cubic"), **options))
    p.output(p.add("Resize", [x, "", "", sizes], "g_corners", mode="linear", coordinate_transformation_mode="align_corners"))
    batch = p.random_input("g_z", ["n", 2, 3, 3])
    p.output(p.add("Resize", [batch, "", p.constant("g_up", numpy.float32([1, 1, 2, 1.7]))], "g_batch", mode="linear"))
    p.output(p.add("Resize", [batch, "", "", p.constant("g_s", ints(5, 7))], "g_axes", mode="cubic", axes=[2, 3]))


def mirrored(p):
    """Unknown extents read backwards, halved, cut, and padded with what is there."""
    x = p.random_input("h_x", ["n", 2, "m"])
    ends = p.list("h_first", 2**62), p.list("h_last", -(2**62))
    p.output(p.add("Slice", [x, *ends, p.list("h_a", 2), p.list("h_t1", -1)], "h_backwards"))
    p.output(p.add("Slice", [x, p.list("h_end", -1), ends[1], p.list("h_b", 0), p.list("h_t2", -2)], "h_every_second"))
    for mode in ("reflect", "edge", "wrap"):
        p.output(p.add("Pad", [x, p.list(f"h_p{mode}", 0, 1, 2, 0, 1, 1)], f"h_{mode}", mode=mode))
    p.output(p.add("Pad", [x, p.list("h_cut", 0, 0, -1, 1, 0, -2)], "h_cut_off"))
    length = p.add("Shape", [x], "h_length", start=2, end=3)
    half = p.add("Div", [length, p.list("h_two", 2)], "h_half")
    axis = p.list("h_axis", 2)
    p.output(p.add("Concat", [p.add("Slice", [x, half, length, axis], "h_upper"), p.add("Slice", [x, p.list("h_zero", 0), half, axis], "h_lower")], "h_turned", axis=2))
    p.nodes.append(run_edges.node("Split", [x], ["h_more", "h_less"], axis=2, num_outputs=2))
    p.output("h_more")
    p.output(p.add("Neg", ["h_less"], "h_negative"))


def nobody(p):
    """Every kind of step over a batch that may be empty, and results that are not."""
    x, image = p.random_input("o_x", ["n", 6]), p.random_input("o_i", ["n", 2, 5, 5])
    rows = p.add("MatMul", [x, p.constant("o_w", p.floats(6, 5))], "o_rows")
    p.output(p.add("Softmax", [rows], "o_soft"))
    p.output(p.add("Transpose", [rows], "o_turned"))
    p.output(p.add("ReduceSum", [rows, p.list("o_a", 0)], "o_sums"))
    p.output(p.add("Concat", [x, p.constant("o_k", p.floats(2, 6))], "o_joined", axis=0))
    p.output(p.add("MatMul", [p.add("Transpose", [x], "o_t"), x], "o_square"))
    p.output(p.add("LayerNormalization", [x, p.constant("o_scale", p.floats(6))], "o_normal"))
    convolved = p.add("Conv", [image, p.constant("o_f", p.floats(3, 2, 3, 3))], "o_conv", pads=[1] * 4)
    p.output(p.add("MaxPool", [convolved], "o_most", kernel_shape=[2, 2]))
    p.output(p.add("GlobalAveragePool", [convolved], "o_mean"))
    p.output(p.add("NonZero", [x], "o_found"), TensorProto.INT64)
    p.output(p.add("CumSum", [x, p.constant("o_axis", numpy.array(0))], "o_running"))
    past, new = p.random_input("o_past", [1, 2, "n", 8]), p.random_input("o_new", [1, 2, 1, 8])
    keys = p.add("Concat", [past, new], "o_keys", axis=2)
    scores = p.add("MatMul", [new, p.add("Transpose", [keys], "o_columns", perm=[0, 1, 3, 2])], "o_scores")
    p.output(p.add("MatMul", [p.add("Softmax", [scores], "o_weights"), keys], "o_attention"))


PARTS = [both_dims, attention, parts_of, values_of, signals, rearranged, found, boxes, positions, indexing, nothing, windows, resampled, mirrored]
EMPTY_PARTS = [nobody]


def check(parts, flags, all_sizes, work, compiler):
    p = Parts()
    for part in parts:
        part(p)
    model = p.save(os.path.join(work, "extents.onnx"))
    folder = os.path.join(work, "extents")
    harness.compile_model(model, folder, run_edges.NATIVE, flags)
    (program,) = harness.build(folder, os.path.join(work, "build"), compiler, run_edges.NATIVE, jobs=harness.JOBS)
    for sizes in all_sizes:
        run_edges.check_numbers(p, model, program, [make(sizes) for make in p.data.values()], work)
    return f"{len(p.outputs)} outputs right at {len(all_sizes)} sizes"


TESTS = {
    "extents": functools.partial(check, PARTS, FLAGS, SIZES),
    "empty": functools.partial(check, EMPTY_PARTS, EMPTY_FLAGS, EMPTY_SIZES),
}

if __name__ == "__main__":
    sys.exit(run_edges.run_tests(__doc__, WORK, TESTS))
