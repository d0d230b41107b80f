"""Steps of all kinds for --target vulkan against ONNX Runtime, on a software device with the validation layers on.

    run_vulkan_steps.py [--only TEXT] [--flags="--gpu desktop"] [--device] [--keep]

All cases of a group are parts of one model, so that a group costs one program. Sizes leave tiles, rows and workgroups that are not
full; groups cover element-wise steps, products, windows, rows, movement, attention and recurrent networks. A float may be off by 1e-4
of the largest magnitude in the reference; integers and 16-bit floats are equal.
"""

import argparse
import os
import shutil
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
OPSET, TOLERANCE = 18, 1e-4
RANDOM = numpy.random.default_rng(1)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(numpy.float32)


def integers(kind, least, most, *shape):
    return RANDOM.integers(least, most, shape).astype(kind)


class Case:
    """Nodes (operator, names of inputs, names of outputs, attributes); inputs and constants by name; what the outputs are."""

    def __init__(self, name, nodes, inputs, constants=None, outputs=("y",)):
        self.name, self.nodes, self.inputs, self.constants, self.outputs = name, nodes, inputs, constants or {}, outputs


def one(operator, inputs, constants=None, outputs=("y",), name=None, **attributes):
    """A case of one node, whose inputs are those of both dictionaries in this order."""
    names = [*inputs, *(constants or {})]
    return Case(name or operator, [(operator, names, outputs, attributes)], inputs, constants, outputs)


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
    scale, zero = {"s": numpy.float32(0.02), "z": numpy.uint8(120)}, {"s": numpy.float32(0.02), "z": numpy.int8(-3)}
    yield one("QuantizeLinear", {"x": floats(4, 50)}, zero)
    for operator in ("AveragePool", "GlobalAveragePool", "Softmax", "ReduceMean"):
        attributes = {"kernel_shape": [2, 2]} if operator == "AveragePool" else {}
        nodes = [("DequantizeLinear", "xsz", "r", {}), (operator, "r", "y", attributes)]
        yield Case(f"{operator}_of_bytes", nodes, {"x": integers("uint8", 0, 255, 1, 3, 6, 7)}, scale)
    yield Case("QDQ", [("QuantizeLinear", "xsz", "q", {}), ("DequantizeLinear", "qsz", "y", {})], {"x": floats(4, 50)}, scale)


def halves():
    """Steps that round once: equal to the bit."""
    limits = numpy.array([65504, 65519, 65520, 1e5, 2.0**-14, 2.0**-24, 2.0**-25, numpy.inf, numpy.nan, 0, 1 + 2.0**-11, 1 + 3 * 2.0**-11], numpy.float32)
    every = numpy.arange(2**16, dtype=numpy.uint16).view(numpy.float16)
    every = every[(numpy.abs(every) >= 2.0**-14) | (every == 0) | numpy.isnan(every)]  # subnormals may be zero to a device
    wide = numpy.concatenate([limits, -limits, floats(500) * 1000, floats(500)])
    yield one("Cast", {"x": every}, to=TensorProto.FLOAT, name="Cast_from_f16")
    yield one("Cast", {"x": wide[numpy.abs(numpy.nan_to_num(wide)) > 2.0**-14]}, to=TensorProto.FLOAT16, name="Cast_to_f16")
    yield Case("rounding", [("Cast", "x", "h", {"to": TensorProto.FLOAT16}), ("Cast", "h", "y", {"to": TensorProto.FLOAT})], {"x": wide})
    a, b = floats(5, 37).astype(numpy.float16), floats(37).astype(numpy.float16)
    for operator in ("Add", "Sub", "Mul", "Max"):
        yield one(operator, {"a": a, "b": b}, name=f"{operator}_f16")
    yield one("Relu", {"x": a}, name="Relu_f16")
    yield one("Transpose", {"x": a}, name="Transpose_f16")
    nodes = [("Mul", "ab", "c", {}), ("Cast", "c", "h", {"to": TensorProto.FLOAT16}), ("Cast", "h", "d", {"to": TensorProto.FLOAT}), ("Add", "da", "y", {})]
    yield Case("rounding_of_products", nodes, {"a": floats(5, 37), "b": floats(37)})


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


def rows():
    for operator in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL2", "ReduceLogSumExp"):
        for i, axes in enumerate(([-1], [0], [1], [0, 2], [0, 1, 2])):
            yield one(operator, {"x": floats(6, 9, 40)}, {"axes": numpy.array(axes)}, name=f"{operator}_{i}")
    for operator in ("Softmax", "LogSoftmax"):
        for axis in (-1, 0, 1):
            yield one(operator, {"x": floats(4, 70, 33)}, axis=axis, name=f"{operator}_{axis % 3}")
    yield one("Softmax", {"x": floats(2, 5000)}, name="Softmax_long")
    yield Case("Softmax_Mul", [("Softmax", "x", "s", {}), ("Mul", "sx", "y", {})], {"x": floats(4, 70)})
    yield one("LayerNormalization", {"x": floats(3, 5, 48)}, {"scale": floats(48), "bias": floats(48)})
    yield one("InstanceNormalization", {"x": floats(2, 6, 30, 31)}, {"scale": floats(6), "bias": floats(6)})
    statistics = {"scale": floats(6), "bias": floats(6), "mean": floats(6), "variance": numpy.abs(floats(6))}
    yield one("BatchNormalization", {"x": floats(2, 6, 5, 5)}, statistics)


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


def sequences():
    def attention(name, rows, keys, width, mask):
        nodes = [("MatMul", "qk", "s", {}), ("Mul", "sc", "t", {}), ("Add", "tm", "u", {}), ("Softmax", "u" if mask else "t", "p", {}), ("MatMul", "pv", "y", {})]
        inputs = {"q": floats(2, 3, rows, width), "k": floats(2, 3, width, keys), "v": floats(2, 3, keys, width)}
        if mask:
            inputs["m"] = numpy.where(RANDOM.random((2, 1, 1, keys)) < 0.3, -1e9, 0).astype(numpy.float32)
        else:
            del nodes[2]
        return Case(name, nodes, inputs, {"c": numpy.float32(width**-0.5)})

    yield attention("attention", 20, 30, 16, False)
    yield attention("attention_masked", 7, 1100, 64, True)
    yield attention("attention_wide", 5, 40, 200, True)
    yield attention("attention_long", 1, 2300, 33, True)

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


GROUPS = [elementwise, numbers, halves, products, windows, rows, movement, sequences, failures, precision]


# -------------------------------------------------------------------------------------------------------------------- model


def make_model(cases):
    """All of them side by side; names get the case's in front. Returns inputs by name too."""
    nodes, inputs, constants, outputs = [], {}, {}, []
    for case in cases:
        name = lambda text, case=case: f"{case.name}_{text}" if text else ""
        for operator, ins, outs, attributes in case.nodes:
            nodes.append(helper.make_node(operator, list(map(name, ins)), list(map(name, outs)), **attributes))
        inputs |= {name(key): numpy.asarray(value) for key, value in case.inputs.items()}
        constants |= {name(key): numpy.asarray(value) for key, value in case.constants.items()}
        outputs += map(name, case.outputs)
    graph = helper.make_graph(
        nodes,
        "steps",
        [helper.make_tensor_value_info(key, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape) for key, value in inputs.items()],
        [onnx.ValueInfoProto(name=key) for key in outputs],
        [numpy_helper.from_array(value, key) for key, value in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    return onnx.shape_inference.infer_shapes(model), inputs, outputs


def reference(model, inputs):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, inputs)


def is_right(got, want):
    if got.shape != want.shape or got.dtype != want.dtype:
        return False
    if want.dtype != numpy.float32:
        return bool(numpy.array_equal(got, want, equal_nan=want.dtype.kind == "f"))
    allowed = TOLERANCE * max(1.0, float(numpy.abs(want).max(initial=0)))
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


def test_group(cases, flags, work):
    model, inputs, outputs = make_model(cases)
    data, found = os.path.join(work, "inputs"), os.path.join(work, "outputs")
    save_inputs(inputs.values(), data)
    program, shaders = build_program(model, work, flags)
    run_vulkan.run_program(program, data, found)
    expected = reference(model, inputs)
    wrong = [name for i, (name, want) in enumerate(zip(outputs, expected)) if not is_right(numpy.load(os.path.join(found, f"output_{i}.npy")), want)]
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
    expected, weights = run_precision.reference(path, inputs, data), []
    for further in ([], ["--precision", "fp16"]):
        program, shaders = build_program(onnx.load(path), work, flags + further)
        weights.append(run_models.read_report(os.path.join(work, "generated"))["totals"]["weights_bytes"])
    run_vulkan.run_program(program, data, found)
    outputs = [numpy.load(os.path.join(found, f"output_{i}.npy")) for i in range(len(expected))]
    difference = run_precision.check_outputs(outputs, expected, "fp16")
    if weights[1] > 0.55 * weights[0]:
        raise Failed(f"weights take {weights[1]} bytes, those of f32 {weights[0]}")
    return f"difference {100 * difference:.2g} % of what is allowed, {weights[1]} of {weights[0]} bytes, {shaders} shaders"


TESTS = {failures: test_failures, precision: test_precision}


def run_group(group, arguments):
    cases = [case for case in group() if arguments.only in case.name]
    if not cases:
        return None
    work = harness.empty_folder(os.path.join(WORK, group.__name__))
    outcome = harness.attempt(TESTS.get(group, test_group), cases, arguments.flags, work)
    print(f"  {outcome.status:7}  {group.__name__}: {outcome.text}", flush=True)
    if not arguments.keep:
        shutil.rmtree(work, ignore_errors=True)
    return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="cases whose names hold this")
    parser.add_argument("--flags", type=str.split, default=[], help='for aotc, such as "--gpu desktop"')
    parser.add_argument("--device", action="store_true", help="run on the device that the loader finds, without layers")
    parser.add_argument("--keep", action="store_true", help="leave the work files")
    arguments = parser.parse_args()
    os.makedirs(run_vulkan.WORK, exist_ok=True)
    if not arguments.device:
        ready = harness.attempt(run_vulkan.choose_software)
        if ready.status != "passed":
            return harness.close([ready])
    outcomes = [run_group(group, arguments) for group in GROUPS]
    return harness.close([outcome for outcome in outcomes if outcome])


if __name__ == "__main__":
    sys.exit(main())
