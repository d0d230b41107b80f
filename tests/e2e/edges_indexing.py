"""Parts of run_edges.py: indices, products by equation, and loops and sequences that end when compiling."""

import numpy
from onnx import TensorProto, helper

node = helper.make_node


def infos(names, *elements):
    """Those without an element type are float, of any shape, the others scalars."""
    kinds = list(elements) + [TensorProto.FLOAT] * (len(names) - len(elements))
    return [helper.make_tensor_value_info(name, kind, None if kind == TensorProto.FLOAT else []) for name, kind in zip(names, kinds)]


def scan_body(name, inputs, nodes, outputs):
    return helper.make_graph(nodes, name, infos(inputs), infos(outputs))


def loop_body(name, inputs, nodes, outputs):
    return helper.make_graph(nodes, name, infos(inputs, TensorProto.INT64, TensorProto.BOOL), infos(outputs, TensorProto.BOOL))


def integers(p, low, high, *shape):
    return p.random.integers(low, high, size=shape)


# ----------------------------------------------------------------------------------------------------------- indices


def gathered_elements(p):
    """Indices of fewer slices than there are, in dimensions of all kinds, and from the end."""
    x = p.input("ge_x", [4, 5, 6], p.floats(4, 5, 6))
    for axis, shape in enumerate(([7, 3, 6], [2, 8, 5], [4, 5, 1])):
        indices = p.input(f"ge_i{axis}", shape, integers(p, -(4 + axis), 4 + axis, *shape))
        p.output(p.add("GatherElements", [x, indices], f"ge_{axis}", axis=axis - 3))
    bits = p.input("ge_b", [3, 2], p.floats(3, 2) > 0)
    p.output(p.add("GatherElements", [bits, p.input("ge_j", [2, 2], integers(p, 0, 3, 2, 2).astype(numpy.int32))], "ge_bits"), TensorProto.BOOL)


def concatenations_that_begin_alike(p):
    """Each has the whole of itself, whoever else begins so: two of three parts, one of more, one that is read as it is, and one in a branch."""
    x, y, z = (p.input(f"cb_{name}", [4, 8], p.floats(4, 8)) for name in "xyz")
    negative = p.add("Neg", [z], "cb_negative")
    chains = {"plain": [x, y, z], "other": [x, y, negative], "third": [x, negative, z], "swapped": [y, x, z]}
    for name, parts in chains.items():
        whole = p.add("Concat", parts, f"cb_{name}", axis=1)
        p.output(p.add("Exp" if name == "other" else "Sin", [whole], f"cb_{name}_y"))
    p.output(p.add("Concat", [x, y, z], "cb_again", axis=1))
    p.output(p.add("Cos", ["cb_plain"], "cb_plain_too"))
    nodes = {branch: [node("Concat", ["cb_x", "cb_y", part], [f"cb_{branch}"], axis=1)] for branch, part in (("then", "cb_x"), ("else", "cb_negative"))}
    graphs = {f"{branch}_branch": helper.make_graph(nodes[branch], branch, [], infos([f"cb_{branch}"])) for branch in nodes}
    chosen = p.add("If", [p.input("cb_choice", [], numpy.array(False))], "cb_chosen", **graphs)
    p.output(p.add("Neg", [chosen], "cb_chosen_y"))


def gathered_slices(p):
    x = p.input("gs_x", [2, 3, 4, 5], p.floats(2, 3, 4, 5))
    for batch, shape in ((0, [3, 2]), (0, [2, 1, 4]), (1, [2, 6, 1]), (2, [2, 3, 2])):
        indices = p.input(f"gs_i{batch}{len(shape)}", shape, integers(p, -2, 2, *shape))
        p.output(p.add("GatherND", [x, indices], f"gs_{batch}{len(shape)}", batch_dims=batch))


def scattered_elements(p):
    """Every reduction with updates that meet, and indices that leave out the end of a dimension."""
    for name, make, element in (("f", p.floats, TensorProto.FLOAT), ("i", lambda *s: integers(p, -9, 9, *s).astype(numpy.int32), TensorProto.INT32)):
        x = p.input(f"se_{name}", [3, 4, 5], make(3, 4, 5))
        updates = p.input(f"se_u{name}", [2, 6, 3], make(2, 6, 3))
        for reduction in ("add", "mul", "max", "min"):
            indices = p.input(f"se_{name}{reduction}", [2, 6, 3], integers(p, -4, 4, 2, 6, 3))
            p.output(p.add("ScatterElements", [x, indices, updates], f"se_{name}_{reduction}", axis=1, reduction=reduction), element)
    holes, whole = numpy.array([numpy.nan, 1, numpy.nan], numpy.float32), numpy.array([1, numpy.nan, numpy.nan], numpy.float32)
    for reduction in ("max", "min"):
        p.output(p.add("ScatterElements", [p.input(f"se_h{reduction}", [3], holes), p.constant(f"se_k{reduction}", numpy.arange(3)), p.input(f"se_w{reduction}", [3], whole)], f"se_nan_{reduction}", reduction=reduction))
    order = numpy.array([[0, 2, 1]] * 2)
    p.output(p.add("ScatterElements", [p.input("se_x", [2, 5], p.floats(2, 5)), p.input("se_o", [2, 3], order), p.input("se_v", [2, 3], p.floats(2, 3))], "se_none", axis=1))


def scattered_slices(p):
    x = p.input("ss_x", [4, 3, 5], p.floats(4, 3, 5))
    for reduction in ("add", "mul", "max", "min"):
        indices = p.input(f"ss_i{reduction}", [7, 1], integers(p, -4, 4, 7, 1))
        p.output(p.add("ScatterND", [x, indices, p.input(f"ss_u{reduction}", [7, 3, 5], p.floats(7, 3, 5))], f"ss_{reduction}", reduction=reduction))
    whole = p.constant("ss_w", numpy.array([[0, 1], [-1, -1]]))
    p.output(p.add("ScatterND", [x, whole, p.input("ss_v", [2, 5], p.floats(2, 5))], "ss_none"))


def reversed_sequences(p):
    x, lengths = p.input("rs_x", [4, 3, 2], p.floats(4, 3, 2)), p.input("rs_n", [3], numpy.array([1, 4, 2]))
    p.output(p.add("ReverseSequence", [x, lengths], "rs_time", time_axis=0, batch_axis=1))
    p.output(p.add("ReverseSequence", [x, p.input("rs_m", [4], numpy.array([3, 1, 2, 3]))], "rs_batch", time_axis=1, batch_axis=0))


def places(p):
    """One-hot rows along any axis, triangles by a diagonal that only the run knows, counted and diagonal constants."""
    indices, values = p.input("pl_i", [2, 3], numpy.array([[0, -1, 9], [3, -4, -9]])), p.input("pl_v", [2], p.floats(2))
    for axis in (0, 1, -1):
        p.output(p.add("OneHot", [indices, p.constant(f"pl_d{axis}", numpy.array([4])), values], f"pl_hot{axis}", axis=axis))
    x, k = p.input("pl_x", [2, 3, 5], p.floats(2, 3, 5)), p.input("pl_k", [], numpy.array(-1))
    p.output(p.add("Trilu", [x, k], "pl_upper", upper=1))
    p.output(p.add("Trilu", [x, k], "pl_lower", upper=0))
    p.output(p.add("EyeLike", [p.input("pl_m", [3, 4], p.floats(3, 4))], "pl_eye", k=1))
    ends = [p.constant(f"pl_{name}", numpy.float32(end)) for name, end in (("a", 7), ("b", -1.5), ("c", -2.5))]
    p.output(p.add("Range", ends, "pl_range"))


# ---------------------------------------------------------------------------------------------------------- equations

EQUATIONS = [
    ("ij,jk->ik", [3, 4], [4, 5]),
    ("bij,bjk->bik", [2, 3, 4], [2, 4, 5]),
    ("bhid,bhjd->bhij", [2, 3, 4, 5], [2, 3, 6, 5]),
    ("bijh,bjdh->bihd", [2, 3, 4, 5], [2, 4, 6, 5]),
    ("...ij,...jk->...ik", [2, 1, 3, 4], [2, 5, 4, 6]),
    ("ii->i", [4, 4]),
    ("ii", [4, 4]),
    ("iij,jk->ki", [3, 3, 4], [4, 2]),
    ("ijk->kij", [2, 3, 4]),
    ("ijk->j", [2, 3, 4]),
    ("ij,ij->", [3, 4], [3, 4]),
    ("i,j->ij", [3], [4]),
    ("ij,ik->ijk", [3, 4], [3, 5]),
    ("ab,bc,cd->ad", [2, 3], [3, 4], [4, 5]),
    ("bik,bkj", [2, 3, 4], [2, 4, 5]),
    (" b ... , b ... -> ... ", [3, 2, 4], [3, 2, 4]),
    ("i,ij->ij", [1], [3, 4]),
    (",ij->ji", [], [3, 4]),
]


def equations(p):
    for number, (equation, *shapes) in enumerate(EQUATIONS):
        inputs = [p.input(f"eq_{number}_{index}", shape, p.floats(*shape)) for index, shape in enumerate(shapes)]
        p.output(p.add("Einsum", inputs, f"eq_{number}", equation=equation))
    weights = p.constant("eq_w", p.floats(4, 2, 3))
    p.output(p.add("Einsum", [weights, p.input("eq_x", [5, 4], p.floats(5, 4))], "eq_weights", equation="dhk,nd->nhk"))


# -------------------------------------------------------------------------------------------------------------- loops


def nested_loops(p):
    """Three times two iterations, with captured values of both levels and the counts in the sums."""
    x = p.input("nl_x", [3], p.floats(3))
    for name, value in (("nl_three", 3), ("nl_two", 2)):
        p.constant(name, numpy.array(value))
    inner = loop_body("nl_inner", ["nl_j", "nl_d", "nl_t"], [
        node("Cast", ["nl_j"], ["nl_jf"], to=TensorProto.FLOAT), node("Mul", ["nl_jf", "nl_x"], ["nl_p"]),
        node("Add", ["nl_t", "nl_p"], ["nl_q"]), node("Add", ["nl_q", "nl_if"], ["nl_t2"]), node("Identity", ["nl_d"], ["nl_d2"]),
    ], ["nl_d2", "nl_t2", "nl_p"])
    outer = loop_body("nl_outer", ["nl_i", "nl_c", "nl_s"], [
        node("Cast", ["nl_i"], ["nl_if"], to=TensorProto.FLOAT), node("Loop", ["nl_two", "", "nl_s"], ["nl_u", "nl_all"], body=inner),
        node("Less", ["nl_i", "nl_two"], ["nl_c2"]),
    ], ["nl_c2", "nl_u", "nl_all"])
    p.nodes.append(node("Loop", ["nl_three", "", x], ["nl_last", "nl_each"], body=outer, name="nl_loop"))
    p.output("nl_last")
    p.output("nl_each")


def scans(p):
    """Axes and directions of inputs and outputs."""
    x, y, start = p.input("sc_x", [4, 3, 2], p.floats(4, 3, 2)), p.input("sc_y", [2, 3], p.floats(2, 3)), p.input("sc_s", [2], p.floats(2))
    inner = scan_body("sc_body", ["sc_a", "sc_b", "sc_c"], [
        node("ReduceSum", ["sc_b"], ["sc_r"], keepdims=1), node("Add", ["sc_a", "sc_c"], ["sc_d"]),
        node("Squeeze", ["sc_r"], ["sc_r0"]), node("Mul", ["sc_d", "sc_r0"], ["sc_e"]), node("Neg", ["sc_b"], ["sc_n"]),
    ], ["sc_e", "sc_n", "sc_d"])
    p.nodes.append(node("Scan", [start, x, y], ["sc_last", "sc_all", "sc_back"], body=inner, name="sc_scan", num_scan_inputs=2, scan_input_axes=[1, -1],
                        scan_input_directions=[0, 1], scan_output_axes=[-1, 0], scan_output_directions=[0, 1]))
    for name in ("sc_last", "sc_all", "sc_back"):
        p.output(name)


def sequences(p):
    """Lists that grow in a loop, are split, changed and joined."""
    x = p.input("sq_x", [5, 2], p.floats(5, 2))
    p.nodes.append(node("SequenceEmpty", [], ["sq_none"], dtype=TensorProto.FLOAT))
    grow = loop_body("sq_body", ["sq_i", "sq_c", "sq_s"], [
        node("Cast", ["sq_i"], ["sq_f"], to=TensorProto.FLOAT), node("Mul", ["sq_f", "sq_x"], ["sq_m"]),
        node("SequenceInsert", ["sq_s", "sq_m"], ["sq_s2"]), node("Identity", ["sq_c"], ["sq_c2"]),
    ], ["sq_c2", "sq_s2"])
    grow.output[1].CopyFrom(helper.make_tensor_sequence_value_info("sq_s2", TensorProto.FLOAT, None))
    grow.input[2].CopyFrom(helper.make_tensor_sequence_value_info("sq_s", TensorProto.FLOAT, None))
    p.constant("sq_three", numpy.array(3))
    p.nodes.append(node("Loop", ["sq_three", "", "sq_none"], ["sq_list"], body=grow, name="sq_loop"))
    p.output(p.add("ConcatFromSequence", ["sq_list"], "sq_stack", axis=1, new_axis=1))
    parts = p.add("SplitToSequence", [x, p.constant("sq_sizes", numpy.array([2, 3]))], "sq_parts", axis=0)
    first = p.add("SequenceAt", [parts, p.constant("sq_last", numpy.array(-1))], "sq_at")
    longer = p.add("SequenceInsert", [parts, first, p.constant("sq_zero", numpy.array(0))], "sq_longer")
    p.output(p.add("SequenceLength", [longer], "sq_count"), TensorProto.INT64)
    p.output(p.add("ConcatFromSequence", [p.add("SequenceErase", [longer], "sq_shorter")], "sq_joined", axis=0))
    rows = p.add("SplitToSequence", [x], "sq_rows", keepdims=0)
    p.output(p.add("ConcatFromSequence", [rows], "sq_rejoined", axis=-1))


STATIC = [gathered_elements, concatenations_that_begin_alike, gathered_slices, scattered_elements, scattered_slices, reversed_sequences, places, equations, nested_loops, scans, sequences]
