"""Weights and interfaces in 16 bits: --precision and --io-type on a small f32 model, and what they refuse, against ONNX Runtime.

    run_precision.py [--only TEXT] [--compiler g++] [--keep]

The model has every kind of weight that is stored in 16 bits: convolutions by each kernel, products of one row and of several, an
LSTM and an embedding. Outputs are within 2e-2 * max|reference| of those of the f32 model. Work files lie in <build>/e2e/precision;
--keep leaves them.
"""

import json
import os
import sys

import numpy
import onnxruntime

import harness
import run_edges
import run_models
from harness import Failed, Target

WORK = os.path.join(harness.BUILD, "e2e", "precision")
FACTOR = 200  # of what f32 models are allowed: 2e-2 * max


def small_model(path, largest=None):
    """Every weight's deviation is that of the usual initialization; `largest` is one weight of the last product."""
    p = run_edges.Parts()

    def weights(name, *shape):
        fan_in = numpy.prod(shape[1:]) if len(shape) > 2 else shape[0]
        return p.constant(name, p.floats(*shape) / numpy.sqrt(numpy.float32(fan_in)))

    image = p.input("image", [1, 3, 16, 16], p.floats(1, 3, 16, 16))
    direct = p.add("Conv", [image, weights("w1", 32, 3, 5, 5), p.constant("b1", p.floats(32))], "direct", pads=[2] * 4)
    depthwise = p.add("Conv", [p.add("Relu", [direct], "relu"), weights("w2", 32, 1, 3, 3)], "depthwise", pads=[1] * 4, group=32)
    pointwise = p.add("Conv", [depthwise, weights("w3", 40, 32, 1, 1)], "pointwise")
    winograd = p.add("Conv", [pointwise, weights("w4", 48, 40, 3, 3)], "winograd", pads=[1] * 4)
    pooled = p.add("Flatten", [p.add("GlobalAveragePool", [winograd], "pooled")], "flat")
    last = p.floats(48, 100) / numpy.float32(7)
    if largest:
        last[3, 5] = largest
    p.output(p.add("MatMul", [pooled, p.constant("w5", last)], "row"))
    rows = p.add("Gather", [weights("table", 50, 32), p.input("ids", [5], numpy.arange(5) * 9)], "embedded")
    wide = p.add("MatMul", [rows, weights("w6", 32, 70)], "rows")
    p.output(wide)
    steps = p.add("Unsqueeze", [wide, p.constant("one", numpy.array([1]))], "steps")
    gates = [p.constant(name, p.floats(1, 80, n) / 8) for name, n in (("w7", 70), ("w8", 20))]
    p.output(p.add("LSTM", [steps, *gates], "states", hidden_size=20))
    return p.save(path), {name: make(1) for name, make in p.data.items()}


def reference(path, data, folder):
    harness.empty_folder(folder)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    for i, value in enumerate(data.values()):
        numpy.save(os.path.join(folder, f"input_{i}.npy"), value)
    return session.run(None, data)


def run(generated, build, compiler, target, inputs, outputs):
    (program,) = harness.build(generated, build, target.compilers([compiler])[0], target)
    harness.must([*target.runner, program, "--inputs", inputs, "--outputs", harness.empty_folder(outputs), "--threads", "3"], 60)
    return [numpy.load(os.path.join(outputs, f"output_{i}.npy")) for i in range(len(os.listdir(outputs)))]


def report(folder):
    with open(os.path.join(folder, "report.json")) as file:
        return json.load(file)


def compiled(work, model, flags, target=run_edges.NATIVE):
    folder = os.path.join(work, "generated_" + "_".join(flags).replace("--", "") + target.name)
    return folder, harness.compile_model(model, folder, target, flags)


def check_outputs(found, expected, what):
    return max(run_models.largest_difference(a, b, what, FACTOR) for a, b in zip(found, expected, strict=True))


# ------------------------------------------------------------------------------------------------------------------ tests


def check_precision(precision, target):
    def test(work, compiler):
        path, data = small_model(os.path.join(work, "small.onnx"))
        inputs = os.path.join(work, "inputs")
        expected = reference(path, data, inputs)
        whole = report(compiled(work, path, [], target)[0])["totals"]["weights_bytes"]
        folder, _ = compiled(work, path, ["--precision", precision], target)
        bytes = report(folder)["totals"]["weights_bytes"]
        if bytes > 0.55 * whole:
            raise Failed(f"weights take {bytes} bytes, those of f32 {whole}")
        kinds = {step["weights"] for step in report(folder)["steps"] if step["macs"]}
        if not kinds <= {"f16", precision.replace("fp", "f")}:  # Winograd's are f16
            raise Failed(f"weights are {sorted(kinds)}")
        found = run(folder, os.path.join(work, "build"), compiler, target, inputs, os.path.join(work, "outputs"))
        return f"difference {100 * check_outputs(found, expected, precision):.2g} % of what is allowed, {bytes} of {whole} bytes"

    return test


def check_io_types(work, compiler):
    path, data = small_model(os.path.join(work, "small.onnx"))
    inputs = os.path.join(work, "inputs")
    expected = reference(path, data, inputs)
    numpy.save(os.path.join(inputs, "input_0.npy"), data["image"].astype(numpy.float16))
    folder, _ = compiled(work, path, ["--io-type", "image=fp16", "--io-type", "row=fp16", "--weights", "file"])
    expected[0] = expected[0].astype(numpy.float16)
    found = run(folder, os.path.join(work, "build"), compiler, run_edges.NATIVE, inputs, os.path.join(work, "outputs"))
    return f"difference {100 * check_outputs(found, expected, 'io-type'):.2g} % of what is allowed"


def check_overflow(work, compiler):
    path, data = small_model(os.path.join(work, "small.onnx"), largest=7e4)
    inputs = os.path.join(work, "inputs")
    expected = reference(path, data, inputs)
    folder, finished = compiled(work, path, ["--precision", "fp16"])
    wanted = "node 'row' (MatMul, opset 19): weight [0, 3, 5], 7.000000e+04, is too large for float16: the layer keeps float32"
    if wanted not in finished.stderr + finished.stdout:
        raise Failed(f"expected the warning {wanted!r}, found {finished.stderr[:300]!r}")
    found = run(folder, os.path.join(work, "build"), compiler, run_edges.NATIVE, inputs, os.path.join(work, "outputs"))
    return f"warned; difference {100 * check_outputs(found, expected, 'overflow'):.2g} % of what is allowed"


def check_refusals(work, compiler):
    path, _ = small_model(os.path.join(work, "small.onnx"))
    for flag, wanted in (("picture=fp16", "the model has no input or output 'picture'"), ("ids=fp16", "'ids' must be of floats of 16 or 32 bits, found i64")):
        finished = harness.run(harness.aotc_command(path, os.path.join(work, "refused"), run_edges.NATIVE, ["--io-type", flag]))
        if finished.code != 2 or wanted not in finished.stderr:
            raise Failed(f"{flag}: expected exit code 2 and {wanted!r}, found {finished.code} and {finished.stderr[:300]!r}")
    return "refused"


TESTS = {
    "fp16_native": check_precision("fp16", run_edges.NATIVE),
    "bf16_native": check_precision("bf16", run_edges.NATIVE),
    "fp16_generic": check_precision("fp16", Target("generic")),
    "bf16_v2": check_precision("bf16", Target("v2")),
    "fp16_v3": check_precision("fp16", Target("v3")),
    "fp16_aarch64": check_precision("fp16", Target("aarch64")),
    "fp16_aarch64+fp16": check_precision("fp16", Target("aarch64+fp16")),
    "bf16_aarch64+bf16": check_precision("bf16", Target("aarch64+bf16")),
    "io_types": check_io_types,
    "overflow": check_overflow,
    "refusals": check_refusals,
}

if __name__ == "__main__":
    sys.exit(run_edges.run_tests(__doc__, WORK, TESTS))
