"""Own quantization: float models quantized on samples, against the float model in ONNX Runtime.

    run_calibration.py [--all] [--only TEXT] [--compiler g++] [--keep]

Small models made here hold the samples' forms, the methods, layers that stay in f32, dynamic quantization and what can be wrong
with samples. --all adds other forms, each method on the largest of them, and models of the shared folder: 100 samples to calibrate, 50 to judge, and on the same
samples ONNX Runtime's own quantize_static (per channel, the best of its methods and types), which at least MOST of them must
beat. Work files lie in <build>/e2e/calibration; --keep leaves them.
"""

import json
import os
import re
import subprocess
import sys
import time

import numpy
import onnx
import onnxruntime

import harness
import run_edges
from harness import Failed

WORK = os.path.join(harness.BUILD, "e2e", "calibration")
# The least cosine to the float model; weights of mobilenet_v2 are random.
MODELS = {
    "mlperf_resnet8_fp32": 0.99,
    "mlperf_kws_fp32": 0.99,
    "mlperf_vww_fp32": 0.99,
    "ultraface_rfb_320": 0.99,
    "crepe_tiny_real": 0.99,
    "mobilenet_v2": 0.97,
}
MOST = 4  # models that must be closer to f32 than ONNX Runtime's quantization of them
SAMPLES, JUDGED = 100, 50
SLOWEST = 180  # seconds for quantizing a model

# ------------------------------------------------------------------------------------------------------------------ models


class Small(run_edges.Parts):
    """With convolutions whose filters differ in size, as trained ones do."""

    opset = 17

    def conv(self, x, name, shape, **attributes):
        scale = numpy.exp(self.random.normal(size=(shape[0], 1, 1, 1))) / numpy.sqrt(numpy.prod(shape[1:]))
        w = self.constant(name + "_w", (self.floats(*shape) * scale).astype(numpy.float32))
        b = self.constant(name + "_b", self.floats(shape[0]) * 0.1)
        return self.add("Conv", [x, w, b], name, **attributes)

    def number(self, name, value):
        return self.constant(name, numpy.float32(value))


def whole_model(path):
    """What own quantization has a form for: skips, a concat, depthwise, limits, pools, a product, an activation."""
    p = Small()
    x = p.input("image", [1, 3, 24, 24], p.floats(1, 3, 24, 24))
    first = p.add("Relu", [p.conv(x, "first", [8, 3, 3, 3], pads=[1, 1, 1, 1])], "first_relu")
    wide = p.add("Clip", [p.conv(first, "wide", [16, 8, 1, 1]), p.number("zero", 0), p.number("six", 6)], "wide_clip")
    deep = p.add("Clip", [p.conv(wide, "deep", [16, 1, 3, 3], pads=[1, 1, 1, 1], group=16), "zero", "six"], "deep_clip")
    narrow = p.add("Add", [p.conv(deep, "narrow", [8, 16, 1, 1]), first], "skip")
    smooth = p.conv(narrow, "smooth", [8, 8, 3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    silu = p.add("Mul", [smooth, p.add("Sigmoid", [smooth], "gate")], "silu")
    pooled = p.add("MaxPool", [narrow], "pooled", kernel_shape=[2, 2], strides=[2, 2])
    both = p.add("Concat", [silu, pooled], "both", axis=1)
    last = p.add("Relu", [p.conv(both, "last", [16, 16, 3, 3])], "last_relu")
    mean = p.add("Flatten", [p.add("GlobalAveragePool", [last], "mean")], "flat")
    scores = p.add("Gemm", [mean, p.constant("g_w", p.floats(16, 10)), p.constant("g_b", p.floats(10))], "scores")
    p.output(p.add("Softmax", [scores], "y"))
    return p.save(path)


def tiny_model(path, batch=1):
    p = Small()
    x = p.input("x", [batch, 4, 6, 6], p.floats(1, 4, 6, 6))
    p.output(p.add("Relu", [p.conv(x, "conv1", [4, 4, 3, 3])], "y"))
    return p.save(path)


def two_inputs(path):
    """Products and no convolution: floats of two ranks, and one input that is no float."""
    p = Small()
    x = p.input("x", [5, 8], p.floats(5, 8))
    index = p.input("index", [5], numpy.arange(5))
    table = p.add("Gather", [p.constant("table", p.floats(9, 8)), index], "rows")
    hidden = p.add("Relu", [p.add("MatMul", [p.add("Add", [x, table], "sum"), p.constant("w1", p.floats(8, 16) / 3)], "product1")], "hidden")
    p.output(p.add("MatMul", [hidden, p.constant("w2", p.floats(16, 4) / 4)], "product2"))
    return p.save(path)


def float_session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


# ----------------------------------------------------------------------------------------------------------------- samples


def draw(path, count, seed):
    """Samples as dictionaries by input name, each input anew."""
    random = numpy.random.default_rng(seed)
    samples = []
    for _ in range(count):
        sample = {}
        for value in float_session(path).get_inputs():
            shape = [extent if isinstance(extent, int) else 1 for extent in value.shape]
            isFloat = value.type == "tensor(float)"
            sample[value.name] = random.normal(size=shape).astype(numpy.float32) if isFloat else random.integers(0, 9, shape)
        samples.append(sample)
    return samples


def write_folders(folder, samples):
    for k, sample in enumerate(samples):
        place = os.path.join(folder, f"{k:04d}")
        os.makedirs(place, exist_ok=True)
        for i, array in enumerate(sample.values()):
            numpy.save(os.path.join(place, f"input_{i}.npy"), array)
    return folder


def read_folders(folder, names):
    for place in sorted(os.listdir(folder)):
        yield {name: numpy.load(os.path.join(folder, place, f"input_{i}.npy")) for i, name in enumerate(names)}


# ------------------------------------------------------------------------------------------------------------------ checks


def quantize(path, folder, flags, timeout=600):
    """Compiles with temporary files in a folder of its own, which must be empty afterwards. Returns seconds."""
    temporary = harness.empty_folder(folder + "_temporary")
    start = time.monotonic()
    command = harness.aotc_command(path, folder, run_edges.NATIVE, ["--name", "subject", *flags])
    used = harness.run(["env", f"TMPDIR={temporary}", *command], timeout)
    if os.listdir(temporary):
        raise Failed(f"temporary files were left: {os.listdir(temporary)}")
    if used.code != 0:
        raise Failed(f"aotc ended with {harness.describe_code(used.code)}: {used.stderr.strip()[-300:]}")
    return time.monotonic() - start


def outputs_of(folder, compiler, work, samples, count):
    """All outputs of all samples, by the generated program."""
    (program,) = harness.build(folder, os.path.join(work, "build_" + os.path.basename(folder)), compiler, run_edges.NATIVE, jobs=harness.JOBS)
    results = []
    for place in sorted(os.listdir(samples)):
        out = os.path.join(work, "out")
        harness.must([program, "--inputs", os.path.join(samples, place), "--outputs", out], 60)
        results.append([numpy.load(os.path.join(out, f"output_{i}.npy")) for i in range(count)])
    return results


def distances(expected, found):
    """Mean cosine of a sample's outputs, taken together, and the relative error over all samples."""
    cosines, errors, powers = [], 0.0, 0.0
    for wanted, got in zip(expected, found, strict=True):
        wanted, got = (numpy.concatenate([array.ravel() for array in arrays]).astype(numpy.float64) for arrays in (wanted, got))
        cosines.append(wanted @ got / max(numpy.sqrt((wanted @ wanted) * (got @ got)), 1e-300))
        errors, powers = errors + numpy.square(wanted - got).sum(), powers + wanted @ wanted
    return float(numpy.mean(cosines)), float(numpy.sqrt(errors / powers))


def judge(path, folder, compiler, work, samples):
    session = float_session(path)
    names = [value.name for value in session.get_inputs()]
    expected = [session.run(None, sample) for sample in read_folders(samples, names)]
    return distances(expected, outputs_of(folder, compiler, work, samples, len(expected[0])))


def report_of(folder):
    with open(os.path.join(folder, "report.json")) as file:
        return json.load(file)["quantization"]


def prepare(make, work, calibrated=24, judged=8):
    path = make(os.path.join(work, "model.onnx"))
    samples = [write_folders(os.path.join(work, name), draw(path, count, seed)) for name, count, seed in (("calibrate", calibrated, 1), ("judge", judged, 2))]
    return path, *samples


def check_whole(work, compiler, method="mse", least=0.999):
    path, samples, judged = prepare(whole_model, work)
    folder = os.path.join(work, "subject")
    quantize(path, folder, ["--precision", "int8", "--calibration", samples, "--calibration-method", method])
    cosine, error = judge(path, folder, compiler, work, judged)
    if cosine < least:
        raise Failed(f"cosine {cosine:.5f}, wanted {least}")
    check_report(report_of(folder), method)
    with open(os.path.join(folder, "report.html")) as file:
        if "<h2>Quantization</h2>" not in file.read():
            raise Failed("report.html says nothing of quantization")
    return f"cosine {cosine:.5f}, relative error {error:.4f}"


def check_report(report, method):
    """Each layer is there, with a range that its scale spans, and all that follows is less exact than the first."""
    layers = {layer["name"]: layer for layer in report["layers"]}
    wanted = {"first", "wide", "deep", "narrow", "smooth", "last", "scores", "image", "skip"}
    if not wanted <= set(layers):
        raise Failed(f"the report has no rows for {sorted(wanted - set(layers))}")
    if report["method"] != method or report["samples"] != 24 or report["precision"] != "int8":
        raise Failed(f"the report tells of {report['precision']}, {report['method']}, {report['samples']} samples")
    for layer in layers.values():
        low, high = layer.get("range", (0, 0))
        if layer["type"] == "u8" and not numpy.isclose(255 * layer["scale"], high - low, rtol=1e-5):
            raise Failed(f"scale {layer['scale']} of '{layer['name']}' does not span {low} to {high}")
        if not 15 < layer["signal_to_noise_db"] < 70:
            raise Failed(f"signal to noise of '{layer['name']}' is {layer['signal_to_noise_db']} dB")


def check_method(method):
    return lambda work, compiler: check_whole(work, compiler, method, 0.995)


def contents(folder, names=("report.json", "src/subject.cpp", "src/subject_weights.bin")):
    found = b""
    for name in names:
        with open(os.path.join(folder, name), "rb") as file:
            found += file.read()
    return found


FORMS = ["folders", "archives", "batch.npz"]
OTHER_FORMS = ["named", "files", "rows.npz"]  # --all


def check_forms(work, compiler):
    """The same samples in every form give the same bytes."""
    path = tiny_model(os.path.join(work, "model.onnx"))
    samples = draw(path, 6, 3)
    arrays = [sample["x"] for sample in samples]
    places = {name: os.path.join(work, name) for name in ("folders", "named", "files", "archives", "rows.npz", "batch.npz")}
    write_folders(places["folders"], samples)
    for name in ("named", "files", "archives"):
        os.makedirs(places[name])
    for k, array in enumerate(arrays):
        os.makedirs(os.path.join(places["named"], str(k)))
        numpy.save(os.path.join(places["named"], str(k), "x.npy"), array)
        numpy.save(os.path.join(places["files"], f"{k}.npy"), array)
        numpy.savez(os.path.join(places["archives"], f"{k}.npz"), x=array)
    numpy.savez(places["rows.npz"], input_0=numpy.stack(arrays))
    numpy.savez(places["batch.npz"], x=numpy.concatenate(arrays))
    found = {}
    for name in FORMS:
        place = places[name]
        folder = os.path.join(work, "subject_" + name.replace(".", "_"))
        quantize(path, folder, ["--precision", "int8", "--calibration", place])
        found[name] = contents(folder)
    other = [name for name in found if found[name] != found["folders"]]
    if other:
        raise Failed(f"another result from {', '.join(other)}")
    return f"{len(found)} forms, one result"


def check_batches(work, compiler):
    """A bounded batch: samples of one to three images."""
    path = tiny_model(os.path.join(work, "model.onnx"), "n")
    random = numpy.random.default_rng(4)
    samples = [{"x": random.normal(size=(1 + k % 3, 4, 6, 6)).astype(numpy.float32)} for k in range(6)]
    folder = os.path.join(work, "subject")
    place = write_folders(os.path.join(work, "samples"), samples)
    method = ["--calibration-method", "percentile"]
    quantize(path, folder, ["--input-dim", "n=1..3", "--precision", "int8", "--calibration", place, *method])
    cosine, _ = judge(path, folder, compiler, work, place)
    if cosine < 0.999:
        raise Failed(f"cosine {cosine:.5f}")
    flags = ["--input-dim", "n=1..2", "--precision", "int8", "--calibration", place]
    check_message(work, path, 1, r"sample '.*': input 'x' must have 1 to 2 in dimension 0, found 3", flags)
    return f"cosine {cosine:.5f}"


def check_products(work, compiler):
    path, samples, judged = prepare(two_inputs, work)
    folder = os.path.join(work, "subject")
    quantize(path, folder, ["--precision", "int8", "--calibration", samples, "--calibration-method", "entropy"])
    cosine, _ = judge(path, folder, compiler, work, judged)
    if cosine < 0.999 or [layer["type"] for layer in report_of(folder)["layers"] if layer.get("weights") == "i8"] != ["f32", "f32"]:
        raise Failed(f"cosine {cosine:.5f}, layers {report_of(folder)['layers']}")
    return f"cosine {cosine:.5f}"


def found_model(path):
    """Pixels whose first channel is above 0, of which quantization may find more or less, and a product of each. And a tensor that
    a convolution and a product read, each along another dimension of as many elements."""
    p = Small()
    x = p.add("Add", [p.input("x", [1, 4, 4, 4], p.floats(1, 4, 4, 4)), p.constant("shift", p.floats(4) * 3)], "moved")
    p.output(p.add("MatMul", [x, p.constant("v", p.floats(4, 4))], "rows"))
    y = p.conv(p.add("Relu", [p.conv(x, "conv1", [4, 4, 1, 1])], "y1"), "conv2", [5, 4, 1, 1])
    pixels = p.add("Transpose", [p.add("Reshape", [y, p.constant("flat", numpy.array([5, 16]))], "channels")], "pixels", perm=[1, 0])
    first = p.add("Gather", [pixels, p.constant("index", numpy.array(0))], "first", axis=1)
    found = p.add("Compress", [pixels, p.add("Greater", [first, p.number("zero", 0)], "above")], "found", axis=0)
    p.output(p.add("MatMul", [found, p.constant("w", p.floats(5, 8))], "product"))
    return p.save(path)


def check_found(work, compiler):
    """The float model and the quantized one find other numbers of pixels, side by side in one program."""
    path, samples, _ = prepare(found_model, work)
    folder = os.path.join(work, "subject")
    quantize(path, folder, ["--precision", "int8", "--calibration", samples])
    noise = {layer["name"]: layer.get("signal_to_noise_db", 0) for layer in report_of(folder)["layers"]}
    if not all(20 < noise[layer] < 70 for layer in ("moved", "rows", "conv1", "product")):
        raise Failed(f"signal to noise {noise}")
    return f"{noise['product']:.1f} dB"


def inputs_model(path):
    p = Small()
    x = p.input("x", [1, 4, 6, 6], p.floats(1, 4, 6, 6))
    gain = p.input("gain", [1], numpy.ones(1, numpy.float32))
    p.constant("gain", numpy.ones(1, numpy.float32))
    p.output(p.conv(p.add("Mul", [x, gain], "scaled"), "conv", [4, 4, 3, 3]))
    return p.save(path)


def check_inputs(work, compiler):
    """Inputs of bfloat16, which NumPy has only as raw bytes; and one that samples leave out after the first: they have its default."""
    path = inputs_model(os.path.join(work, "model.onnx"))
    samples = os.path.join(work, "samples")
    halves = (draw(path, 1, 7)[0]["x"].view(numpy.uint32) >> 16).astype(numpy.uint16)
    for k in range(3):
        os.makedirs(os.path.join(samples, str(k)))
        numpy.save(os.path.join(samples, str(k), "x.npy"), halves.view("V2"))
    numpy.save(os.path.join(samples, "0", "gain.npy"), numpy.full(1, 0.25, numpy.float32))
    flags = ["--io-type", "x=bf16", "--precision", "int8", "--calibration", samples, "--calibration-method", "minmax"]
    folder = os.path.join(work, "subject")
    quantize(path, folder, flags)
    low, high = next(layer["range"] for layer in report_of(folder)["layers"] if layer["name"] == "scaled")
    widest = numpy.abs((halves.astype(numpy.uint32) << 16).view(numpy.float32)).max()
    if not 0.9 * widest < max(-low, high) < 1.1 * widest:
        raise Failed(f"range {low} to {high} of values up to {widest}: the gain of the first sample was the others' too")
    numpy.save(os.path.join(samples, "0", "x.npy"), numpy.full((1, 4, 6, 6), 0x7F80, numpy.uint16).view("V2"))
    check_message(work, path, 1, r"sample '.*': input 'x' holds NaN or infinity", flags)
    return f"range {low:.3f} to {high:.3f}"


def check_kept(work, compiler):
    path, samples, judged = prepare(whole_model, work)
    folder = os.path.join(work, "subject")
    quantize(path, folder, ["--precision", "int8", "--calibration", samples, "--keep-fp32", "deep", "--keep-fp32", "*rst"])
    kept = {layer["name"] for layer in report_of(folder)["layers"] if layer.get("weights") == "f32"}
    cosine, _ = judge(path, folder, compiler, work, judged)
    if kept != {"deep", "first"} or cosine < 0.999:
        raise Failed(f"{sorted(kept)} are in f32, cosine {cosine:.5f}")
    return f"cosine {cosine:.5f}"


def check_dynamic(work, compiler):
    path, _, judged = prepare(two_inputs, work)
    folder = os.path.join(work, "subject")
    quantize(path, folder, ["--precision", "int8-dynamic"])
    cosine, _ = judge(path, folder, compiler, work, judged)
    weights = [layer["weights"] for layer in report_of(folder)["layers"]]
    if cosine < 0.999 or weights != ["i8", "i8"]:
        raise Failed(f"cosine {cosine:.5f}, weights {weights}")
    return f"cosine {cosine:.5f}"


# ------------------------------------------------------------------------------------------------------------------ errors


def sample_errors(work):
    """Name, what it calibrates on, and the pattern of its message."""
    good = draw(os.path.join(work, "model.onnx"), 1, 5)[0]["x"]

    def samples(name, **arrays):
        os.makedirs(os.path.join(work, name))
        numpy.savez(os.path.join(work, name, "a.npz"), **arrays)
        return os.path.join(work, name)

    spoiled = good.copy()
    spoiled[0, 1, 2, 3] = numpy.nan
    os.makedirs(os.path.join(work, "empty"))
    os.makedirs(os.path.join(work, "damaged"))
    with open(os.path.join(work, "damaged", "a.npy"), "wb") as file:
        file.write(b"no array")
    numpy.savez_compressed(os.path.join(work, "compressed.npz"), x=good)
    return [
        ("no samples", os.path.join(work, "empty"), 2, r"no samples found in '.*empty'"),
        ("no folder", os.path.join(work, "nowhere"), 3, r"cannot read '.*nowhere': no such file or directory"),
        ("other name", samples("other", z=good), 1, r"sample '.*a.npz': has no array 'x' or 'input_0', found 'z'"),
        ("other shape", samples("shape", x=good[:, :3]), 1, r"sample '.*': input 'x' must have shape \[1,4,6,6\], or rows of that, found \[1,3,6,6\]"),
        ("other type", samples("type", x=good.astype(numpy.float64)), 1, r"sample '.*': input 'x' must have elements of '<f4', found '<f8'"),
        ("NaN", samples("nan", x=spoiled), 1, r"sample '.*': input 'x' holds NaN or infinity"),
        ("no array", os.path.join(work, "damaged"), 1, r"cannot parse '.*a.npy': not a .npy file"),
        ("compressed", os.path.join(work, "compressed.npz"), 1, r"cannot parse '.*compressed.npz': 'x.npy' is compressed"),
    ]


def check_message(work, path, code, pattern, flags, **environment):
    temporary = harness.empty_folder(os.path.join(work, "temporary"))
    folder = os.path.join(work, "refused")
    command = harness.aotc_command(path, folder, run_edges.NATIVE, flags)
    used = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, "TMPDIR": temporary, **environment})
    if used.returncode != code or not re.search(pattern, used.stderr):
        raise Failed(f"{' '.join(flags)}: {harness.describe_code(used.returncode)}, {used.stderr.strip()!r}; wanted {code} and {pattern!r}")
    if os.listdir(temporary) or os.path.exists(folder):
        raise Failed(f"{' '.join(flags)}: files were left")


def check_errors(work, compiler):
    path = tiny_model(os.path.join(work, "model.onnx"))
    for _, place, code, pattern in (cases := sample_errors(work)):
        check_message(work, path, code, pattern, ["--precision", "int8", "--calibration", place])
    good = ["--precision", "int8", "--calibration", write_folders(os.path.join(work, "good"), draw(path, 2, 6))]
    check_message(work, path, 2, r"'--keep-fp32 conv7\*' matches no node", [*good, "--keep-fp32", "conv7*"])
    check_message(work, path, 2, r"'--keep-fp32 \[a' is no pattern", [*good, "--keep-fp32", "[a"])
    check_message(work, path, 1, r"there is nothing to quantize", [*good, "--keep-fp32", "conv1"])
    check_message(work, path, 3, r"cannot find the compiler that CXX names, 'no-such-compiler'", good, CXX="no-such-compiler")
    check_message(work, path, 3, r"cannot find a C\+\+ compiler for this machine", good, CXX="", PATH="/nowhere")
    check_message(work, path, 1, r"the instrumented model cannot be built: 'false' ended with code 1", good, CXX="false")
    check_message(work, path, 2, r"'--precision int8' needs samples", good[:2])
    overflow = Small()
    x = overflow.input("x", [1, 4, 6, 6], overflow.floats(1, 4, 6, 6))
    scaled = overflow.add("Exp", [overflow.add("Mul", [x, overflow.number("large", 1e30)], "product")], "power")
    overflow.output(overflow.conv(scaled, "conv1", [4, 4, 3, 3]))
    check_message(work, overflow.save(path), 1, r"a tensor holds NaN or infinity for these samples: the result of 'power'", good)
    return f"{len(cases) + 8} messages"


# ------------------------------------------------------------------------------------------------ ONNX Runtime's own


def runtime_quantized(path, samples, names, work):
    """quantize_static by each method and type of activations."""
    from onnxruntime import quantization
    from onnxruntime.quantization.shape_inference import quant_pre_process

    class Reader(quantization.CalibrationDataReader):
        def __init__(self):
            self.samples = read_folders(samples, names)

        def get_next(self):
            return next(self.samples, None)

    prepared, result = os.path.join(work, "prepared.onnx"), os.path.join(work, "runtime.onnx")
    quant_pre_process(modernized(path, work), prepared, skip_symbolic_shape=True)
    for method in ("MinMax", "Entropy", "Percentile"):
        for activation in (quantization.QuantType.QUInt8, quantization.QuantType.QInt8):
            quantization.quantize_static(
                prepared,
                result,
                Reader(),
                per_channel=True,
                activation_type=activation,
                weight_type=quantization.QuantType.QInt8,
                calibrate_method=quantization.CalibrationMethod[method],
            )
            yield f"{method} {activation.name}", float_session(result)


def modernized(path, work):
    """Scales for each channel need operator set 13."""
    model = onnx.load(path)
    if model.opset_import[0].version >= 13:
        return path
    weights = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in weights]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    model.ir_version = max(model.ir_version, 7)
    newer = os.path.join(work, "newer.onnx")
    onnx.save(onnx.version_converter.convert_version(model, 13), newer)
    return newer


def best_of_runtime(path, samples, judged, work):
    session = float_session(path)
    names = [value.name for value in session.get_inputs()]
    expected = [session.run(None, sample) for sample in read_folders(judged, names)]
    found = {}
    for name, quantized in runtime_quantized(path, samples, names, work):
        found[name] = distances(expected, [quantized.run(None, sample) for sample in read_folders(judged, names)])
    return min(found.items(), key=lambda item: item[1][1])


closer = {}  # by model, whether ours is


def check_model(name, least):
    def test(work, compiler):
        path = harness.find_model(name)
        maker = os.path.join(harness.SHARED, "models", "samples.py")
        samples, judged = os.path.join(work, "calibrate"), os.path.join(work, "judge")
        for folder, count, seed in ((samples, SAMPLES, 1), (judged, JUDGED, 2)):
            harness.must([sys.executable, maker, path[: -len(".onnx")] + ".io", folder, str(count), str(seed)])
        folder = os.path.join(work, "subject")
        seconds = quantize(path, folder, ["--precision", "int8", "--calibration", samples])
        cosine, error = judge(path, folder, compiler, work, judged)
        method, (their_cosine, their_error) = best_of_runtime(path, samples, judged, work)
        closer[name] = error < their_error
        text = f"cosine {cosine:.5f}, error {error:.4f} in {seconds:.0f} s; ONNX Runtime by {method}: {their_cosine:.5f}, {their_error:.4f}"
        if cosine < least or seconds > SLOWEST:
            raise Failed(text)
        return text

    return test


def check_closer(work, compiler):
    text = f"{sum(closer.values())} of {len(closer)} models are closer to f32 than ONNX Runtime's"
    if len(closer) == len(MODELS) and sum(closer.values()) < MOST:
        raise Failed(text)
    return text


TESTS = {
    "whole": check_whole,
    "forms": check_forms,
    "batches": check_batches,
    "products": check_products,
    "found": check_found,
    "inputs": check_inputs,
    "kept": check_kept,
    "dynamic": check_dynamic,
    "errors": check_errors,
}

if __name__ == "__main__":
    if "--all" in sys.argv:
        sys.argv.remove("--all")
        FORMS += OTHER_FORMS
        TESTS.update({method: check_method(method) for method in ("minmax", "percentile", "entropy")})
        TESTS.update({name: check_model(name, least) for name, least in MODELS.items()}, closer=check_closer)
    sys.exit(run_edges.run_tests(__doc__, WORK, TESTS))
