"""Corners where operators, branches and bounded dimensions go wrong quietly, each as small as it can be.

    run_edges.py [--only TEXT] [--compiler g++] [--keep]

Parts that need numbers are put together into programs, one with static shapes, one with a bounded dimension and one of epilogues for
each level of vectors, and are held against ONNX Runtime without optimizations on 1 and 3 threads; what cannot be right must fail when
the program runs. Work files lie in <build>/e2e/edges; --keep leaves them. Refusals are tested by run_cli.py and the pass tests.
"""

import argparse
import functools
import os
import sys

import numpy
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import edges_attention
import edges_cells
import edges_epilogues
import edges_fourier
import edges_indexing
import edges_rotary
import harness
from harness import Failed, Target

WORK = os.path.join(harness.BUILD, "e2e", "edges")
NATIVE = Target("native")
THREADS = [1, 3]
BOUND = 4

node = helper.make_node


class Parts:
    """A model made of parts that share nothing; the names of a part are its own by a prefix."""

    opset = 19

    def __init__(self, seed=3):
        self.nodes, self.inputs, self.outputs, self.weights, self.data = [], [], [], [], {}
        self.random = numpy.random.default_rng(seed)

    def floats(self, *shape):
        return self.random.normal(size=shape).astype(numpy.float32)

    def input(self, name, shape, values):
        """`values`: an array, or a function from the extent of 'n' to one."""
        make = values if callable(values) else lambda _: values
        element = helper.np_dtype_to_tensor_dtype(make(1).dtype)
        self.inputs.append(helper.make_tensor_value_info(name, element, shape))
        self.data[name] = make
        return name

    def constant(self, name, values):
        self.weights.append(numpy_helper.from_array(numpy.asarray(values), name))
        return name

    def add(self, operator, inputs, result, **attributes):
        self.nodes.append(node(operator, inputs, [result], name=result, **attributes))
        return result

    def output(self, name, element=TensorProto.FLOAT):
        self.outputs.append(helper.make_tensor_value_info(name, element, None))

    def save(self, path):
        graph = helper.make_graph(self.nodes, "edges", self.inputs, self.outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)], ir_version=10)
        with open(path, "wb") as file:
            file.write(model.SerializeToString())
        return path


def branch(name, *nodes):
    last = nodes[-1].output[0]
    return helper.make_graph(list(nodes), name, [], [helper.make_tensor_value_info(last, TensorProto.FLOAT, None)])


# ------------------------------------------------------------------------------------------------------- static parts


def empty_operands(p):
    """Results that have elements, from operands that have none."""
    x, y, b = p.input("e_x", [2, 0], p.floats(2, 0)), p.input("e_y", [0, 3], p.floats(0, 3)), p.input("e_b", [3], p.floats(3))
    p.output(p.add("Gemm", [x, y, b], "e_gemm"))
    p.output(p.add("Pad", [y, p.constant("e_pads", numpy.array([1, 0, 0, 1]))], "e_pad"))
    p.output(p.add("Concat", [y, p.input("e_z", [2, 3], p.floats(2, 3))], "e_concat", axis=0))


def empty_results(p):
    x = p.input("r_x", [2, 3, 4], p.floats(2, 3, 4))
    p.output(p.add("Gather", [x, p.constant("r_i", numpy.zeros((0,), numpy.int64))], "r_gather", axis=1))
    empty = p.add("Slice", [x, p.constant("r_s", numpy.array([2])), p.constant("r_e", numpy.array([1]))], "r_slice")
    p.output(p.add("Transpose", [empty], "r_transpose", perm=[2, 0, 1]))
    p.output(p.add("MatMul", [empty, p.input("r_w", [4, 5], p.floats(4, 5))], "r_matmul"))


def clip_defaults(p):
    x = p.input("c_x", [4], numpy.array([numpy.inf, -numpy.inf, numpy.nan, 1], numpy.float32))
    p.output(p.add("Clip", [x, p.constant("c_low", numpy.float32(0))], "c_below"))
    p.output(p.add("Clip", [x, "", p.constant("c_high", numpy.float32(0.5))], "c_above"))
    p.output(p.add("Clip", [x], "c_neither"))
    half = p.input("c_half", [4], numpy.array([numpy.inf, -numpy.inf, numpy.nan, 1], numpy.float16))
    p.output(p.add("Clip", [half], "c_halves"), TensorProto.FLOAT16)
    p.output(p.add("Clip", [half, p.constant("c_half_low", numpy.float16(0.1))], "c_half_below"), TensorProto.FLOAT16)


def kept_ratio(p):
    x, sizes = p.input("k_x", [1, 2, 4, 6], p.floats(1, 2, 4, 6)), p.constant("k_sizes", numpy.array([5, 5]))
    p.output(p.add("Resize", [x, "", "", sizes], "k_resize", mode="linear", axes=[2, 3], keep_aspect_ratio_policy="not_larger"))


def quantized_epilogue(p):
    """A convolution too small for integer kernels: quantizing its result and back is no epilogue of floats."""
    x, w = p.input("q_x", [1, 3, 7, 7], p.floats(1, 3, 7, 7)), p.constant("q_w", p.floats(4, 3, 3, 3))
    scale, zero = p.constant("q_s", numpy.float32(0.04)), p.constant("q_z", numpy.uint8(3))
    conv = p.add("Conv", [x, w], "q_conv")
    quantized = p.add("QuantizeLinear", [p.add("Relu", [conv], "q_relu"), scale, zero], "q_q")
    p.output(p.add("DequantizeLinear", [quantized, scale, zero], "q_y"))


def one_condition(p):
    """Two branches on one computed condition, and one inside another."""
    x, limit = p.input("o_x", [2, 3], p.floats(2, 3)), p.input("o_limit", [], numpy.array(0, numpy.float32))
    negated, kept = branch("o_negated", node("Neg", ["o_x"], ["o_n"])), branch("o_kept", node("Relu", ["o_x"], ["o_r"]))
    p.add("ReduceMean", [x], "o_mean", keepdims=0)
    p.add("Greater", ["o_mean", limit], "o_c")
    inner = branch("o_inner", node("If", ["o_c"], ["o_i"], then_branch=kept, else_branch=negated), node("Exp", ["o_i"], ["o_e"]))
    first = p.add("If", ["o_c"], "o_first", then_branch=negated, else_branch=kept)
    second = p.add("If", ["o_c"], "o_second", then_branch=inner, else_branch=negated)
    p.output(p.add("Add", [first, second], "o_y"))


def run_time_indices(p):
    x = p.input("i_x", [4, 3], p.floats(4, 3))
    indices = p.input("i_i", [2, 2], numpy.array([[3, -4], [0, -1]]))
    p.output(p.add("Gather", [x, indices], "i_y"))


STATIC = [empty_operands, empty_results, clip_defaults, kept_ratio, quantized_epilogue, one_condition, run_time_indices, *edges_indexing.STATIC, *edges_attention.STATIC,
          *edges_rotary.STATIC, *edges_cells.STATIC, *edges_fourier.STATIC]  # fmt: skip

# ------------------------------------------------------------------------------------------------------ bounded parts


def meeting_extents(p):
    """Operands of one bounded dimension, also where it comes back from other shapes."""
    x, y = p.input("m_x", ["n", 6], lambda n: p.floats(n, 6)), p.input("m_y", ["n", 2], lambda n: p.floats(n, 2))
    rows = p.add("MatMul", [p.add("Reshape", [x, p.constant("m_s", numpy.array([0, 3, 2]))], "m_split"), p.constant("m_w", p.floats(2, 2))], "m_rows")
    flat = p.add("Reshape", [rows, p.constant("m_t", numpy.array([-1, 6]))], "m_flat")
    p.output(p.add("Concat", [p.add("Add", [flat, x], "m_sum"), y], "m_concat", axis=1))
    transposed = p.add("Transpose", [y], "m_transposed")
    p.output(p.add("MatMul", [p.add("Reshape", [y, p.constant("m_u", numpy.array([0, 2, 1]))], "m_a"), p.add("Unsqueeze", [y, p.constant("m_v", numpy.array([1]))], "m_b")], "m_batches"))
    p.output(p.add("MatMul", [transposed, x], "m_inner"))


def bounded_branch(p):
    p.input("b_x", ["n", 3], lambda n: p.floats(n, 3))
    p.input("b_c", [], lambda n: numpy.array(n % 2 == 1))
    scaled = branch("b_scaled", node("Mul", ["b_x", "b_k"], ["b_m"]), node("Softmax", ["b_m"], ["b_s"]))
    p.constant("b_k", p.floats(3))
    result = p.add("If", ["b_c"], "b_if", then_branch=scaled, else_branch=branch("b_same", node("Identity", ["b_x"], ["b_id"])))
    p.output(p.add("Sub", [result, "b_x"], "b_y"))
    p.output("b_if")


BOUNDED = [meeting_extents, bounded_branch, *edges_rotary.BOUNDED, *edges_cells.BOUNDED, *edges_epilogues.BOUNDED]

# ---------------------------------------------------------------------------------------------------------------- checks


def build_program(parts, name, flags, work, compiler, target=NATIVE):
    p = Parts()
    for part in parts:
        part(p)
    model = p.save(os.path.join(work, f"{name}.onnx"))
    folder = os.path.join(work, name)
    harness.compile_model(model, folder, target, flags)
    (program,) = harness.build(folder, os.path.join(work, name + "_build"), compiler, target, jobs=harness.JOBS)
    return p, model, program


def write_inputs(values, folder):
    harness.empty_folder(folder)
    for index, array in enumerate(values):
        numpy.save(os.path.join(folder, f"input_{index}.npy"), array)
    return folder


def expected_outputs(model, values, p):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session.run(None, dict(zip(p.data, values)))


def check_output(name, found, expected):
    if found.shape != expected.shape or found.dtype != expected.dtype:
        raise Failed(f"{name}: expected {expected.dtype} {expected.shape}, found {found.dtype} {found.shape}")
    relative = 2e-3 if expected.dtype == numpy.float16 else 1e-4  # where ONNX Runtime rounds less often
    if not numpy.allclose(found, expected, rtol=relative, atol=1e-5, equal_nan=True):
        raise Failed(f"{name}: expected {expected.ravel()[:6]}, found {found.ravel()[:6]}")


def check_numbers(p, model, program, values, work):
    inputs, outputs = write_inputs(values, os.path.join(work, "inputs")), []
    for threads in THREADS:
        outputs.append(harness.empty_folder(os.path.join(work, f"outputs_{threads}")))
        harness.must([program, "--inputs", inputs, "--outputs", outputs[-1], "--threads", str(threads)], 60)
        harness.check_same_bytes(outputs[0], outputs[-1], f"{threads} threads")
    for index, expected in enumerate(expected_outputs(model, values, p)):
        check_output(p.outputs[index].name, numpy.load(os.path.join(outputs[0], f"output_{index}.npy")), expected)


def check_static(work, compiler):
    p, model, program = build_program(STATIC, "static", [], work, compiler)
    values = [make(1) for make in p.data.values()]
    check_numbers(p, model, program, values, work)
    for index in (4, -5):
        values[list(p.data).index("i_i")] = numpy.array([[0, 0], [index, 1]])
        used = harness.run([program, "--inputs", write_inputs(values, os.path.join(work, "inputs")), "--outputs", work], 60)
        if used.code == 0 or "outside its range" not in used.stderr:
            raise Failed(f"index {index} of 4: expected an error, found {harness.describe_code(used.code)}: {used.stderr.strip()[:200]}")
    return f"{len(p.outputs)} outputs right, run-time indices out of range reported"


def check_bounded(work, compiler):
    p, model, program = build_program(BOUNDED, "bounded", ["--input-dim", f"n=1..{BOUND}"], work, compiler)
    for extent in range(1, BOUND + 1):
        check_numbers(p, model, program, [make(extent) for make in p.data.values()], work)
    return f"{len(p.outputs)} outputs right at extents 1 to {BOUND}"


def check_epilogues(level, work, compiler):
    p, model, program = build_program(edges_epilogues.STATIC, "epilogues", [], work, compiler, Target(level))
    check_numbers(p, model, program, [make(1) for make in p.data.values()], work)
    return f"{len(p.outputs)} outputs right"


LEVELS = [level for level in ["v2", "v3", "v4"] if level in harness.levels_of_this_machine()]  # of vectors
EPILOGUES = {f"epilogues on {level}": functools.partial(check_epilogues, level) for level in LEVELS}
TESTS = {"static": check_static, "bounded": check_bounded, **EPILOGUES}


def run_tests(description, folder, tests):
    """`tests`: by name, functions of a work folder and a compiler. Reads the command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="tests whose name contains this text")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--keep", action="store_true", help="leave the work files")
    arguments = parser.parse_args()
    outcomes = []
    for name, test in tests.items():
        if arguments.only in name:
            outcomes.append(harness.test_in(folder, name, arguments.keep, lambda work, test=test: test(work, arguments.compiler)))
    return harness.close(outcomes)


if __name__ == "__main__":
    sys.exit(run_tests(__doc__, WORK, TESTS))
