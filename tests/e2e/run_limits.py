"""What compiling costs: time and memory of aotc, time to build what it wrote.

    run_limits.py [--only TEXT] [--keep] [--many N] [--external GIB]

Times are processor time, which another load of the machine changes little, and the limits are far above what is used;
memory is exact. Chains of each kind of op show that no pass is quadratic: 8 times as many ops may take GROWTH times as
long. --many sets the length of the long chains, --external the weights that a model has in a file of its own: what aotc then holds
of its own memory, mapped files aside, is limited whatever their size. Work files lie in <build>/e2e/limits; --keep leaves them.
"""

import argparse
import os
import subprocess
import sys
import time

import numpy
from onnx import TensorProto, helper, numpy_helper

import harness
from harness import Failed, Skipped, Target

WORK = os.path.join(harness.BUILD, "e2e", "limits")
NATIVE, VULKAN = Target("native"), Target("vulkan")

CHAIN = 1000  # ops
CHAIN_SECONDS = 2
GROWTH = 16  # a linear pass takes 8 times as long, a quadratic one 64 times
DEEP_SECONDS = 10  # case 041, 10,000 nodes
RESNET_SECONDS = 5
SPLAT_BYTES = 2**28  # as much as one of the constants would be
EXTERNAL_SECONDS = 60  # for external data of up to 3 GiB, as long for each 3 GiB of more
EXTERNAL_ANONYMOUS_BYTES = 10**9
SANITIZED_SLOWER = 20
BUILD_CORES = 2
BUILD_SECONDS = {"resnet18": 60, "mlperf_resnet8_fp32": 10}

# ------------------------------------------------------------------------------------------------------------------ models


class Chain:
    """A model of one long path; each kind of chain below appends its ops to `nodes`."""

    def __init__(self, shape):
        self.shape, self.nodes, self.weights, self.values = shape, [], [], numpy.random.default_rng(1)

    def constant(self, *shape):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(self.values.normal(size=shape).astype(numpy.float32), name))
        return name

    def append(self, op, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], **attributes))
        return name

    def conv(self, x, filters=8, channels=8, size=3):
        return self.append("Conv", x, self.constant(filters, channels, size, size), pads=[size // 2] * 4)

    def save(self, path, last):
        graph = helper.make_graph(
            self.nodes,
            "chain",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
            [helper.make_tensor_value_info(last, TensorProto.FLOAT, None)],
            self.weights,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        with open(path, "wb") as file:
            file.write(model.SerializeToString())
        return path


def elementwise(chain, x):
    return chain.append("Add", chain.append("Relu", x), chain.constant(8, 1, 1))


def conv(chain, x):
    return chain.conv(x)


def residual(chain, x):
    return chain.append("Add", chain.append("Sigmoid", chain.conv(x)), x)


def normalized(chain, x):
    return chain.append("Mul", chain.conv(x), chain.constant(8, 1, 1))


def concat(chain, x):
    return chain.append("Concat", chain.conv(x, filters=4), chain.conv(x, filters=4), axis=1)


def transpose(chain, x):
    return chain.append("Softmax", chain.append("Transpose", x, perm=[0, 3, 1, 2]), axis=1)


def matmul(chain, x):
    return chain.append("MatMul", x, chain.constant(8, 8))


def softmax(chain, x):
    return chain.append("Softmax", x, axis=-1)


KINDS = [elementwise, conv, residual, normalized, concat, transpose, matmul]


def make_chain(kind, count, path):
    chain, x = Chain([1, 8, 8, 8]), "x"
    while len(chain.nodes) < count:
        x = kind(chain, x)
    return chain.save(path, x)


def make_wide_concat(count, path):
    """One concat of many parts, each computed by an op of its own."""
    chain = Chain([1, 8, 8, 8])
    parts = [chain.conv("x") for _ in range(count - 1)]
    return chain.save(path, chain.append("Concat", *parts, axis=1))


def make_splats(path):
    """Two constants of one value each, of 256 MiB if they were spread out, added and added to x."""
    nodes = [helper.make_node("ConstantOfShape", ["shape"], [name], value=numpy_helper.from_array(numpy.float32([value]))) for name, value in [("a", 2), ("b", 3)]]
    nodes += [helper.make_node("Add", ["a", "b"], ["c"]), helper.make_node("Transpose", ["c"], ["d"]), helper.make_node("Add", ["d", "x"], ["y"])]
    ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)] for name, shape in (("x", [1]), ("y", None))]
    graph = helper.make_graph(nodes, "splats", *ends, [numpy_helper.from_array(numpy.array([8192, 8192]), "shape")])
    with open(path, "wb") as file:
        file.write(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString())
    return path


# ------------------------------------------------------------------------------------------------------------------ limits


def compile_seconds(model, limit, work, target=NATIVE):
    limit *= SANITIZED_SLOWER if is_sanitized() else 1
    seconds = harness.compile_model(model, os.path.join(work, "generated"), target, ["-q"], timeout=20 * limit).cpu_s
    if seconds > limit:
        raise Failed(f"aotc took {seconds:.2f} s, {limit} s are allowed")
    return seconds


def check_chain(make, many, work, target=NATIVE):
    """Short and long; the time that aotc takes on a model of one op is no part of the growth. What else runs on the machine makes
    times longer, never shorter: a growth beyond the limit is measured again, and the least times count."""
    limits = ((1, CHAIN_SECONDS), (CHAIN, CHAIN_SECONDS), (many, CHAIN_SECONDS * many / CHAIN))
    models = [make(count, os.path.join(work, f"{count}.onnx")) for count, _ in limits]
    least = [float("inf")] * len(models)
    allowed = GROWTH * many / (8 * CHAIN)
    for _ in range(5):
        least = [min(time, compile_seconds(model, limit, work, target)) for time, model, (_, limit) in zip(least, models, limits)]
        start, short, long = least
        growth = (long - start) / max(short - start, 0.01)
        if growth <= allowed:
            return f"{CHAIN} ops {short:.2f} s, {many} ops {long:.2f} s"
    raise Failed(f"{CHAIN} ops take {short:.2f} s, {many} take {long:.2f} s: {growth:.0f} times as long, allowed are {allowed:.0f}")


def check_wide_concat(work):
    return f"{compile_seconds(make_wide_concat(CHAIN, os.path.join(work, 'wide.onnx')), CHAIN_SECONDS, work):.2f} s"


def check_splats(work):
    """Folding does not spread them out."""
    model = make_splats(os.path.join(work, "splats.onnx"))
    seconds = compile_seconds(model, CHAIN_SECONDS, work)
    if is_sanitized():
        return f"{seconds:.2f} s; memory is the sanitizer's"
    used = harness.peak_memory(harness.aotc_command(model, os.path.join(work, "again"), NATIVE, ["-q"]))
    if used > SPLAT_BYTES:
        raise Failed(f"aotc used {used} bytes, {SPLAT_BYTES} are allowed")
    return f"{seconds:.2f} s, {used >> 20} MiB"


def check_resnet(work):
    """Time, and memory: that of a model without weights, and twice the packed weights."""
    model, folder = harness.find_model("resnet18"), os.path.join(work, "generated")
    seconds = compile_seconds(model, RESNET_SECONDS, work)
    if is_sanitized():
        return f"{seconds:.2f} s; memory is the sanitizer's"
    empty = make_chain(elementwise, 1, os.path.join(work, "empty.onnx"))
    base, used = (
        harness.peak_memory(harness.aotc_command(path, os.path.join(work, name), NATIVE, ["-q"]))
        for path, name in ((empty, "empty"), (model, "again"))
    )
    weights = os.path.getsize(os.path.join(folder, "src", "resnet18_weights.bin"))
    if used > base + 2 * weights:
        raise Failed(f"aotc used {used} bytes, allowed are {base} + 2 * {weights}")
    return f"{seconds:.2f} s; {used} bytes are an empty model's {base} and {(used - base) / weights:.2f} times {weights} of packed weights"


def is_sanitized():
    with open(os.path.join(harness.BUILD, "CMakeCache.txt")) as file:
        return "AOTC_SANITIZE:BOOL=ON" in file.read()


def check_deep(work):
    if not harness.SHARED:
        raise Skipped("AOTC_SHARED is not there")
    model = os.path.join(harness.SHARED, "cases", "041_ten_thousand_nodes_deep", "model.onnx")
    seconds = compile_seconds(model, DEEP_SECONDS, work)
    for compiler in ("g++", "clang++-19"):
        harness.build(os.path.join(work, "generated"), os.path.join(work, compiler), compiler, NATIVE)
    return f"{seconds:.2f} s; what it wrote compiles"


def make_external(gib, work):
    """A chain of products whose weights lie in a file of their own, 64 MiB each."""
    size, count = 4096, 16 * gib
    weights = numpy.random.default_rng(1).normal(size=(size, size)).astype(numpy.float32)
    nodes, tensors = [], []
    with open(os.path.join(work, "weights.bin"), "wb") as file:
        for k in range(count):
            place = {"location": "weights.bin", "offset": str(file.tell()), "length": str(weights.nbytes)}
            file.write((weights * numpy.float32(1 + k)).tobytes())
            tensor = TensorProto(name=f"w{k}", data_type=TensorProto.FLOAT, dims=weights.shape, data_location=TensorProto.EXTERNAL)
            for key, value in place.items():
                tensor.external_data.add(key=key, value=value)
            tensors.append(tensor)
            nodes.append(helper.make_node("MatMul", [f"v{k}", f"w{k}"], [f"v{k + 1}"]))
    ends = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, size])] for name in ("v0", f"v{count}")]
    model = helper.make_model(helper.make_graph(nodes, "external", *ends, tensors), opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    path = os.path.join(work, "external.onnx")
    with open(path, "wb") as file:
        file.write(model.SerializeToString())
    return path


def anonymous_peak(command):
    """The most memory that a program has which is no file's, in bytes, as seen 20 times a second; and its processor time."""
    start = os.times()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    most = 0
    while process.poll() is None:
        with open(f"/proc/{process.pid}/status") as file:
            most = max([most, *(int(line.split()[1]) * 1024 for line in file if line.startswith("RssAnon"))])
        time.sleep(0.05)
    if process.returncode != 0:
        raise Failed(f"aotc ended with {harness.describe_code(process.returncode)}")
    end = os.times()
    return most, end.children_user + end.children_system - start.children_user - start.children_system


def check_external(gib, work):
    command = harness.aotc_command(make_external(gib, work), os.path.join(work, "generated"), NATIVE, ["-q"])
    used, seconds = anonymous_peak(command)
    if is_sanitized():
        return f"{seconds:.1f} s; memory is the sanitizer's"
    allowed = EXTERNAL_SECONDS * max(1, gib / 3)
    if used > EXTERNAL_ANONYMOUS_BYTES or seconds > allowed:
        raise Failed(f"aotc held {used} bytes, {EXTERNAL_ANONYMOUS_BYTES} are allowed, and took {seconds:.1f} s of {allowed:.0f}")
    return f"{seconds:.1f} s of processor time and {used >> 20} MiB for {gib} GiB of weights"


def check_build(name, work):
    """The default build of a generated folder, without a cache of objects."""
    folder, build = os.path.join(work, "generated"), os.path.join(work, "build")
    harness.compile_model(harness.find_model(name), folder, NATIVE, ["-q"])
    harness.must(["cmake", "-G", "Ninja", "-S", folder, "-B", build, "-DCMAKE_CXX_COMPILER=g++", "-DCMAKE_BUILD_TYPE=Release"])
    seconds, limit = harness.must(["cmake", "--build", build, "-j", str(BUILD_CORES)]).cpu_s, BUILD_SECONDS[name]
    if seconds > BUILD_CORES * limit:
        raise Failed(f"building took {seconds:.1f} s of processor time, {BUILD_CORES} times {limit} s are allowed")
    return f"{seconds:.1f} s on all cores together"


def tests(many, gib):
    chains = [(kind.__name__ + " chain", lambda work, kind=kind: check_chain(lambda *to: make_chain(kind, *to), many, work)) for kind in KINDS]
    return [
        *chains,
        ("softmax chain for a GPU", lambda work: check_chain(lambda *to: make_chain(softmax, *to), many, work, VULKAN)),
        ("wide concat", check_wide_concat),
        ("splats", check_splats),
        ("resnet18", check_resnet),
        ("10,000 nodes", check_deep),
        ("external data", lambda work: check_external(gib, work)),
        *((f"build of {name}", lambda work, name=name: check_build(name, work)) for name in BUILD_SECONDS),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="tests whose name contains this text")
    parser.add_argument("--keep", action="store_true", help="leave the work files")
    parser.add_argument("--many", type=int, default=8 * CHAIN, help=f"ops of the long chains (default {8 * CHAIN})")
    parser.add_argument("--external", type=int, metavar="GIB", default=1, help="external data of a model in GiB (default 1)")
    arguments = parser.parse_args()
    # One after the other: they are about time.
    return harness.close([harness.test_in(WORK, name, arguments.keep, check) for name, check in tests(arguments.many, arguments.external) if arguments.only in name])


if __name__ == "__main__":
    sys.exit(main())
