"""Loops whose iterations only the run counts, and other extents that it reads from data, in one program with a bounded dimension.

    run_loops.py [--only TEXT] [--compiler g++] [--keep]

Held against ONNX Runtime without optimizations, for several trip counts (also none), on 1 and 3 threads; what passes a bound
must fail when the program runs. Work files lie in <build>/e2e/loops; --keep leaves them.
"""

import os
import sys

import numpy
from onnx import TensorProto, helper, numpy_helper

import harness
import run_edges
from harness import Failed
from run_edges import node

WORK = os.path.join(harness.BUILD, "e2e", "loops")
FLAGS = ["--input-dim", "m=1..4"]
BOUNDS = {"c_all": 6, "g_list": 5, "h_all": 6, "r_counts": 8, "r_down": 4}
FLOAT, INT, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
# Of each variant: n, m, the limit of a sum, whether a first iteration may be, k.
VARIANTS = [(3, 2, 9.0, True, 2), (0, 1, 30.0, True, 1), (1, 4, 2.0, False, 4), (5, 3, 100.0, True, 0)]


def body(name, inputs, nodes, outputs):
    """A graph of tensors of any shape, but that of a loop's number and condition; inputs and outputs are their names, types and, where
    that matters, shapes."""
    is_loop = [value[1] for value in inputs[:2]] == [INT, BOOL]
    infos = [[helper.make_tensor_value_info(*value[:2], value[2] if len(value) > 2 else None) for value in values] for values in (inputs, outputs)]
    if is_loop:
        infos[0][:2] = [helper.make_tensor_value_info(*value, []) for value in inputs[:2]]
    return helper.make_graph(nodes, name, *infos)


def constant(name, values):
    return node("Constant", [], [name], value=numpy_helper.from_array(numpy.asarray(values)))


def number(p, name, place, element=numpy.int64):
    """An input that is one number of a variant."""
    return p.input(name, [], lambda variant: numpy.array(VARIANTS[variant][place] if isinstance(variant, int) else 0, element))


def counted(p):
    """A trip count that is an input; what is carried, what is captured, what each iteration gives."""
    n, x = number(p, "c_n", 0), p.input("c_x", [3], p.floats(3))
    p.input("c_w", [3], p.floats(3))
    nodes = [node("Mul", ["c_s", "c_w"], ["c_p"]), node("Add", ["c_p", "c_x"], ["c_t"]), node("Neg", ["c_t"], ["c_each"]), node("Identity", ["c_go"], ["c_on"])]
    graph = body("c_body", [("c_i", INT), ("c_go", BOOL), ("c_s", FLOAT)], nodes, [("c_on", BOOL), ("c_t", FLOAT), ("c_each", FLOAT, [3])])
    p.nodes.append(node("Loop", [n, "", x], ["c_last", "c_all"], body=graph, name="counted"))
    p.output("c_last")
    p.output("c_all")
    p.output(p.add("ReduceSum", ["c_all", p.constant("c_a", numpy.array([0]))], "c_sum", keepdims=0))


def conditional(p):
    """As long as a sum is small, 7 times at most; the first condition is an input."""
    limit, start = number(p, "w_limit", 2, numpy.float32), number(p, "w_start", 3, bool)
    x = p.input("w_x", [2, 2], numpy.ones((2, 2), numpy.float32))
    nodes = [
        node("Add", ["w_s", x], ["w_t"]),
        node("ReduceSum", ["w_t"], ["w_sum"], keepdims=0),
        node("Less", ["w_sum", limit], ["w_on"]),
        node("Add", ["w_count", "w_i"], ["w_more"]),
    ]
    graph = body("w_body", [("w_i", INT), ("w_go", BOOL), ("w_s", FLOAT), ("w_count", INT)], nodes, [("w_on", BOOL), ("w_t", FLOAT), ("w_more", INT), ("w_sum", FLOAT, [])])
    inputs = [p.constant("w_most", numpy.array(7)), start, x, p.constant("w_zero", numpy.array(0))]
    p.nodes.append(node("Loop", inputs, ["w_last", "w_total", "w_sums"], body=graph))
    p.output("w_last")
    p.output("w_total", INT)
    p.output("w_sums")


def exchanged(p):
    """Carried values that change places, keep their place, or are seen through another one."""
    n = number(p, "x_n", 0)
    a, b, c = (p.input("x_" + name, [2, 3], p.floats(2, 3)) for name in "abc")
    d, e = p.input("x_d", [2, 3], p.floats(2, 3)), p.input("x_e", [3, 2], p.floats(3, 2))
    window = p.input("x_f", [4], p.floats(4))
    nodes = [
        node("Identity", ["x_go"], ["x_on"]),
        node("Identity", ["x_2"], ["x_a1"]),
        node("Identity", ["x_1"], ["x_b1"]),
        node("Identity", ["x_3"], ["x_c1"]),
        constant("x_shape", numpy.array([2, 3])),
        constant("x_shape2", numpy.array([3, 2])),
        node("Reshape", ["x_5", "x_shape"], ["x_d1"]),
        node("Add", ["x_4", "x_3"], ["x_sum"]),
        node("Reshape", ["x_sum", "x_shape2"], ["x_e1"]),
        constant("x_begin", numpy.array([1])),
        constant("x_end", numpy.array([4])),
        constant("x_zero", numpy.array([0])),
        node("Slice", ["x_6", "x_begin", "x_end"], ["x_rest"]),
        node("Slice", ["x_6", "x_zero", "x_begin"], ["x_first"]),
        node("Concat", ["x_rest", "x_first"], ["x_f1"], axis=0),
    ]
    carried = [(f"x_{i}", FLOAT) for i in range(1, 7)]
    results = [(f"x_{name}1", FLOAT) for name in "abcdef"]
    graph = body("x_body", [("x_i", INT), ("x_go", BOOL), *carried], nodes, [("x_on", BOOL), *results])
    outputs = [f"x_y{name}" for name in "abcdef"]
    p.nodes.append(node("Loop", [n, "", a, b, c, d, e, window], outputs, body=graph))
    for name in outputs:
        p.output(name)


def growing(p):
    """A list that grows until a bound that was given, and one that grows and shrinks with it."""
    n = number(p, "g_n", 0)
    nodes = [
        node("Identity", ["g_go"], ["g_on"]),
        constant("g_shape", numpy.array([1])),
        node("Reshape", ["g_i", "g_shape"], ["g_item"]),
        node("Concat", ["g_l", "g_item"], ["g_l1"], axis=0),
        node("Mul", ["g_l1", "g_l1"], ["g_q1"]),
        node("ReduceSum", ["g_q"], ["g_sum"], keepdims=0),
    ]
    graph = body("g_body", [("g_i", INT), ("g_go", BOOL), ("g_l", INT), ("g_q", INT)], nodes, [("g_on", BOOL), ("g_l1", INT), ("g_q1", INT)])
    empty = p.constant("g_empty", numpy.zeros(0, numpy.int64))
    p.nodes.append(node("Loop", [n, "", empty, empty], ["g_list", "g_squares"], body=graph))
    p.output("g_list", INT)
    p.output(p.add("Add", ["g_list", "g_squares"], "g_both"), INT)


def nested(p):
    """A loop in a loop, a branch in a loop, a loop in a branch."""
    n, m = number(p, "h_n", 0), number(p, "h_m", 1)
    x = p.input("h_x", [3], p.floats(3))
    inner = body(
        "h_inner",
        [("h_j", INT), ("h_go2", BOOL), ("h_u", FLOAT)],
        [node("Cast", ["h_j"], ["h_real"], to=FLOAT), node("Add", ["h_u", "h_real"], ["h_v"]), node("Mul", ["h_v", "h_s"], ["h_each"]), node("Identity", ["h_go2"], ["h_on2"])],
        [("h_on2", BOOL), ("h_v", FLOAT), ("h_each", FLOAT, [3])],
    )
    larger = body("h_larger", [], [node("Mul", ["h_t0", "h_sums"], ["h_big"])], [("h_big", FLOAT)])
    same = body("h_same", [], [node("Identity", ["h_t0"], ["h_small"])], [("h_small", FLOAT)])
    outer = body(
        "h_outer",
        [("h_i", INT), ("h_go", BOOL), ("h_s", FLOAT)],
        [
            node("Identity", ["h_go"], ["h_on"]),
            node("Add", ["h_i", m], ["h_times"]),
            constant("h_most", numpy.array(6)),
            node("Min", ["h_times", "h_most"], ["h_least"]),
            node("Loop", ["h_least", "", "h_s"], ["h_t0", "h_all"], body=inner),
            constant("h_axes", numpy.array([0])),
            node("ReduceSum", ["h_all", "h_axes"], ["h_sums"], keepdims=0),
            constant("h_one", numpy.array(1)),
            node("Less", ["h_i", "h_one"], ["h_is_first"]),
            node("If", ["h_is_first"], ["h_t"], then_branch=larger, else_branch=same),
        ],
        [("h_on", BOOL), ("h_t", FLOAT)],
    )
    p.nodes.append(node("Loop", [n, "", x], ["h_last"], body=outer))
    p.output("h_last")
    doubled = body("h_twice", [("h_k", INT), ("h_go3", BOOL), ("h_a", FLOAT)], [node("Add", ["h_a", "h_a"], ["h_b"]), node("Identity", ["h_go3"], ["h_on3"])], [("h_on3", BOOL), ("h_b", FLOAT)])
    looped = body("h_looped", [], [node("Loop", [n, "", x], ["h_l"], body=doubled)], [("h_l", FLOAT)])
    negated = body("h_negated", [], [node("Neg", [x], ["h_n1"])], [("h_n1", FLOAT)])
    p.output(p.add("If", [number(p, "h_c", 3, bool)], "h_if", then_branch=looped, else_branch=negated))


def scanned(p):
    """Scan over a bounded dimension, forwards and backwards, along other axes than the first."""
    x = p.input("s_x", ["m", 3], lambda variant: p.floats(VARIANTS[variant][1] if isinstance(variant, int) else 2, 3))
    y = p.input("s_y", [2, "m"], lambda variant: p.floats(2, VARIANTS[variant][1] if isinstance(variant, int) else 2))
    graph = body(
        "s_body",
        [("s_s", FLOAT), ("s_a", FLOAT), ("s_b", FLOAT)],
        [node("Add", ["s_s", "s_a"], ["s_t"]), node("Mul", ["s_b", "s_b"], ["s_q"]), node("Exp", ["s_t"], ["s_e"])],
        [("s_t", FLOAT), ("s_q", FLOAT), ("s_e", FLOAT)],
    )
    attributes = {"scan_input_axes": [0, 1], "scan_input_directions": [0, 1], "scan_output_axes": [1, 0], "scan_output_directions": [0, 1]}
    p.nodes.append(node("Scan", [p.constant("s_0", p.floats(3)), x, y], ["s_last", "s_squares", "s_powers"], body=graph, num_scan_inputs=2, **attributes))
    for name in ["s_last", "s_squares", "s_powers"]:
        p.output(name)


def read(p):
    """Ranges and a TopK whose sizes are inputs."""
    n, k = number(p, "r_n", 0), number(p, "r_k", 4)
    p.output(p.add("Range", [p.constant("r_0", numpy.array(1)), p.add("Add", [n, n], "r_twice"), p.constant("r_2", numpy.array(2))], "r_counts"), INT)
    down = [p.add("Cast", [n], "r_real", to=FLOAT), p.constant("r_end", numpy.float32(0.5)), p.constant("r_step", numpy.float32(-1.5))]
    p.output(p.add("Range", down, "r_down"))
    x = p.input("r_x", [2, 4], p.floats(2, 4))
    p.nodes.append(node("TopK", [x, p.add("Reshape", [k, p.constant("r_s", numpy.array([1]))], "r_k1")], ["r_values", "r_places"], axis=1))
    p.output("r_values")
    p.output("r_places", INT)


PARTS = [counted, conditional, exchanged, growing, nested, scanned, read]


def flags():
    return FLAGS + [flag for name, most in BOUNDS.items() for flag in ("--output-bound", f"{name}={most}")]


def check_values(work, compiler):
    p, model, program = run_edges.build_program(PARTS, "loops", flags(), work, compiler)
    for variant in range(len(VARIANTS)):
        run_edges.check_numbers(p, model, program, [make(variant) for make in p.data.values()], work)
    values = [make(0) for make in p.data.values()]
    for name, value in {"c_n": 7, "g_n": 6, "r_n": 9, "r_k": 5, "r_k ": -1}.items():
        wrong = list(values)
        wrong[list(p.data).index(name.strip())] = numpy.array(value)
        used = harness.run([program, "--inputs", run_edges.write_inputs(wrong, os.path.join(work, "inputs")), "--outputs", work], 60)
        if used.code == 0 or "past the bound" not in used.stderr:
            raise Failed(f"{name} {value}: expected an error, found {harness.describe_code(used.code)}: {used.stderr.strip()[:200]}")
    return f"{len(p.outputs)} outputs right for {len(VARIANTS)} sets of inputs, values past a bound reported"


TESTS = {"values": check_values}

if __name__ == "__main__":
    sys.exit(run_edges.run_tests(__doc__, WORK, TESTS))
