"""The program aotc from outside: exit codes, messages, and what it does to the output folder.

    run_cli.py [--only TEXT] [--keep]

Models are small and made here. Each message is held against a pattern; whatever goes wrong, an output folder that was there
before must be as it was.
"""

import argparse
import filecmp
import os
import re
import subprocess
import sys

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

import harness
from harness import Failed

WORK = os.path.join(harness.BUILD, "e2e", "cli")
TARGET = ["--target", "generic"]

# ------------------------------------------------------------------------------------------------------------------ models


def tensor(name, shape, element=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, element, shape)


def weights(name, *shape):
    values = numpy.arange(int(numpy.prod(shape)), dtype=numpy.float32).reshape(shape)
    return numpy_helper.from_array(values / 100, name)


def model(nodes, initializers=(), inputs=None, outputs=None, opset=17, domains=()):
    graph = helper.make_graph(nodes, "g", inputs or [tensor("x", [1, 4, 8, 8])], outputs or [tensor("y", None)], initializers)
    imports = [helper.make_opsetid("", opset), *(helper.make_opsetid(domain, 1) for domain in domains)]
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def conv(name="conv1", **attributes):
    return helper.make_node("Conv", ["x", "w"], ["y"], name=name, **attributes)


def good_model():
    return model([conv(pads=[1, 1, 1, 1])], [weights("w", 4, 4, 3, 3)])


def save(folder, content, name="model.onnx"):
    """Writes a model, or bytes as they are; returns the path."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.SerializeToString())
    return path


def bad_models():
    """Name, model, and the pattern of its one message behind `model.onnx: `."""
    whole = good_model().SerializeToString()
    sum_of = lambda *names: helper.make_node("Add", list(names), ["y"], name="sum")
    return [
        *impossible_models(),
        ("truncated", whole[: len(whole) // 2], r"cannot parse: not an ONNX model, or cut short after \d+ bytes"),
        ("text", b"This is no model.\n" * 20, r"cannot parse: not an ONNX model.*"),
        ("empty", b"", r"cannot parse: not an ONNX model.*"),
        ("unknown operator", model([helper.make_node("Frobnicate", ["x"], ["y"], name="f")]), r"node 'f' \(Frobnicate, opset 17\): .*not supported"),
        ("unknown domain", model([helper.make_node("Relu", ["x"], ["y"], name="f", domain="my.ops")], domains=["my.ops"]), r"node 'f' \(my.ops.Relu, opset 1\): .*not supported"),
        ("domain without opset", model([helper.make_node("Relu", ["x"], ["y"], name="f", domain="my.ops")]), r".*my.ops.*"),
        ("missing attribute", model([helper.make_node("Cast", ["x"], ["y"], name="cast")]), r"node 'cast' \(Cast, opset 17\): .*'to'.*"),
        ("missing attribute of Concat", model([helper.make_node("Concat", ["x", "x"], ["y"], name="cat")]), r"node 'cat' \(Concat, opset 17\): .*'axis'.*"),
        ("unknown attribute", model([conv(colour=3)], [weights("w", 4, 4, 3, 3)]), r"node 'conv1' \(Conv, opset 17\): .*'colour'.*"),
        ("attribute of another kind", model([conv(group="two")], [weights("w", 4, 4, 3, 3)]), r"node 'conv1' \(Conv, opset 17\): .*'group'.*"),
        ("wrong type", model([sum_of("x", "n")], [numpy_helper.from_array(numpy.array([1], dtype=numpy.int64), "n")]), r"node 'sum' \(Add, opset 17\): .*f32.*i64.*"),
        ("contradictory shapes", model([sum_of("x", "b")], [weights("b", 5)]), r"node 'sum' \(Add, opset 17\): .*8.*5.*"),
        ("declared type is wrong", model([helper.make_node("Relu", ["x"], ["y"], name="r")], outputs=[tensor("y", [1, 4, 8, 8], TensorProto.INT64)]), r"node 'r' \(Relu, opset 17\): .*int64.*"),
        ("channels do not fit", model([conv()], [weights("w", 4, 3, 3, 3)]), r"node 'conv1' \(Conv, opset 17\): .*"),
        ("group of zero", model([conv(group=0)], [weights("w", 4, 4, 3, 3)]), r"node 'conv1' \(Conv, opset 17\): 'group' must be at least 1, found 0"),
        ("stride of zero", model([conv(strides=[1, 0])], [weights("w", 4, 4, 3, 3)]), r"node 'conv1' \(Conv, opset 17\): 'strides' must be at least 1, found 0"),
        ("too many dilations", model([conv(dilations=[1, 1, 1])], [weights("w", 4, 4, 3, 3)]), r"node 'conv1' \(Conv, opset 17\): 'dilations' must have 2 values, found 3"),
        ("kernel larger than image", model([conv()], [weights("w", 4, 4, 9, 9)]), r"node 'conv1' \(Conv, opset 17\): .*"),
        ("reshape of another size", model([helper.make_node("Reshape", ["x", "s"], ["y"], name="re")], [numpy_helper.from_array(numpy.array([3, 5], dtype=numpy.int64), "s")]), r"node 're' \(Reshape, opset 17\): .*"),
        ("value that is not there", model([sum_of("x", "nothing")]), r"node 'sum' \(Add, opset 17\): .*'nothing'.*"),
        ("defined twice", model([helper.make_node("Relu", ["x"], ["y"], name="a"), helper.make_node("Neg", ["x"], ["y"], name="b")]), r".*'y'.*"),
        ("old opset", model([helper.make_node("Relu", ["x"], ["y"])], opset=5), r"operator set 5 is older than 6, the oldest that is supported"),
        ("external data above the folder", model([conv()], [external_weights("../secret.bin")]), r"initializer 'w': external data '../secret.bin' is outside the model's folder.*"),
        ("external data by absolute path", model([conv()], [external_weights("/etc/passwd")]), r"initializer 'w': external data '/etc/passwd' .*"),
        ("open dimensions", model([helper.make_node("Relu", ["x"], ["y"])], inputs=[tensor("x", [1, "rows", "columns"])]), r"2 dimensions are open: 'rows' .*"),
    ]


def impossible_models():
    gather = model([helper.make_node("Gather", ["x", "i"], ["y"], name="g")], inputs=[tensor("x", [0, 3]), tensor("i", [1], TensorProto.INT64)])
    large = model([helper.make_node("Expand", ["x", "s"], ["y"], name="e")], [numpy_helper.from_array(numpy.array([1 << 31]), "s")], inputs=[tensor("x", [1])])
    return [
        ("gather from nothing", gather, r"node 'g' \(Gather, opset 17\): axis 0 of f32 \[0,3\] has no elements to choose from"),
        ("too many elements", large, r"node 'e' \(Expand, opset 17\): .*fewer than 2\^31 elements.*"),
        ("stride too large", model([conv(strides=[1 << 40, 1])], [weights("w", 4, 4, 3, 3)]), r"node 'conv1' \(Conv, opset 17\): 'strides' must be less than 2\^31, found 1099511627776"),
    ]


def external_weights(location):
    result = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[4, 4, 3, 3], data_location=TensorProto.EXTERNAL)
    result.external_data.add(key="location", value=location)
    return result


# ------------------------------------------------------------------------------------------------------------------ checks


def aotc(*arguments):
    return harness.run([harness.AOTC, *arguments], timeout=60)


def expect(used, code, pattern=None):
    """The exit code, and the one message (notes and warnings aside) if a pattern is given."""
    if used.code != code:
        raise Failed(f"expected exit code {code}, found {harness.describe_code(used.code)}: {used.stderr.strip()[:300]}")
    messages = [line for line in used.stderr.splitlines() if not re.search(r"(^|: )(note|warning): ", line)]
    if pattern is None:
        return
    if len(messages) != 1 or not re.fullmatch(pattern, messages[0]):
        raise Failed(f"expected one message like '{pattern}', found: {' | '.join(messages)[:400]}")
    if used.stdout:
        raise Failed(f"expected nothing on the standard output, found '{used.stdout.strip()[:100]}'")


def snapshot(folder):
    """Path -> bytes and time stamp of every file below."""
    result = {}
    for path, _, names in os.walk(folder):
        for name in names:
            full = os.path.join(path, name)
            with open(full, "rb") as file:
                result[os.path.relpath(full, folder)] = (file.read(), os.stat(full).st_mtime_ns)
    return result


def make_output(work, folder="out"):
    """An output that exists before a test."""
    output = os.path.join(work, folder)
    expect(aotc(save(work, good_model(), "good.onnx"), "-o", output, *TARGET), 0)
    return output


def expect_untouched(work, output, before):
    if snapshot(output) != before:
        raise Failed("the output folder was touched")
    left = [name for name in os.listdir(work) if "aotc" in name]
    if left:
        raise Failed(f"left behind: {' '.join(left)}")


# ------------------------------------------------------------------------------------------------------------------- tests


def test_bad_model(work, content, pattern):
    output = make_output(work)
    before = snapshot(output)
    path = save(work, content)
    expect(aotc(path, "-o", output, *TARGET), 1, re.escape(path) + ": " + pattern)
    expect_untouched(work, output, before)
    fresh = os.path.join(work, "fresh")
    expect(aotc(path, "-o", fresh, *TARGET), 1)
    if os.path.exists(fresh):
        raise Failed("made an output folder")


def test_all_unsupported_nodes(work):
    chain = [helper.make_node(f"Unknown{i}", ["x" if i == 0 else f"v{i - 1}"], [f"v{i}"], name=f"node{i}") for i in range(5)]
    path = save(work, model([*chain, helper.make_node("Relu", ["v4"], ["y"])]))
    used = aotc(path, "-o", os.path.join(work, "out"), *TARGET)
    expect(used, 1)
    found = re.findall(r"node '(node\d)' \(Unknown\d, opset 17\)", used.stderr)
    if found != [f"node{i}" for i in range(5)]:
        raise Failed(f"expected five messages, found {used.stderr[:400]}")


def test_usage(work):
    path = save(work, good_model())
    output = os.path.join(work, "out")
    for arguments, pattern in [
        ([], r"aotc: no model given"),
        ([path], r"aotc: no output folder given"),
        ([path, "-o", output, "--thread", "2"], r"aotc: unknown option '--thread'"),
        ([path, "-o", output, "--target", "v9"], r"aotc: unknown target 'v9'"),
        ([path, "-o", output, "--target", "vulkan", "--threads", "2"], r"aotc: target 'vulkan' has no threads, found '--threads 2'"),
        ([path, "-o", output, "--input-dim", "nothing=4"], r".*'nothing=4'.*"),
        ([path, "-o", output, "--input-dim", "x:7=4"], r".*"),
        ([path, "-o", output, "--input-dim", "x:0=-1"], r".*"),
        ([path, "-o", output, "--input-dim", "x:0=5..2"], r".*"),
        ([path, "-o", output, "--input-shape", "x=4x"], r".*expected NAME=1x3x224x224.*"),
        ([path, "-o", output, "--input-shape", "nothing=4"], r".*no such input"),
        ([path, "-o", output, "--variable-input", "w"], r".*'w'.*"),
    ]:
        expect(aotc(*arguments), 2, pattern)
    if os.path.exists(output):
        raise Failed("made an output folder")


def test_input_value(work):
    """An input that decides a shape: refused as an input, a constant with --input-value."""
    inputs = [tensor("x", [2, 3]), tensor("axes", [1], TensorProto.INT64)]
    path = save(work, model([helper.make_node("Unsqueeze", ["x", "axes"], ["y"], name="un")], inputs=inputs))
    output, value = os.path.join(work, "out"), os.path.join(work, "axes.npy")
    numpy.save(value, numpy.array([0]))
    expect(aotc(path, "-o", output, *TARGET), 1, r".*node 'un' \(Unsqueeze, opset 17\): .*'axes'.* must be known when compiling")
    expect(aotc(path, "-o", output, "--input-value", f"axes={value}", *TARGET), 0)
    header = open(os.path.join(output, "include", "model", "model.hpp")).read()
    if "input   x" not in header or "axes" in header or "[1,2,3]" not in header:
        raise Failed("the generated model is not that of the value")
    expect(aotc(path, "-o", output, "--input-value", f"nothing={value}", *TARGET), 2, r".*--input-value.*'nothing'.*")
    expect(aotc(path, "-o", output, "--input-value", f"x={value}", *TARGET), 1, r".*input 'x'.*")
    expect(aotc(path, "-o", output, "--input-value", "axes=/nowhere.npy", *TARGET), 3, r".*/nowhere.npy.*")


def test_help_and_version(work):
    text = aotc("--help")
    expect(text, 0)
    for option in ["--input-dim", "--input-shape", "--like", "--input-value", "--describe", "--depfile", "cortex-m7", "Exit codes"]:
        if option not in text.stdout:
            raise Failed(f"--help does not mention {option}")
    version = aotc("--version")
    expect(version, 0)
    if not re.fullmatch(r"aotc \d+\.\d+\.\d+\n", version.stdout):
        raise Failed(f"--version prints {version.stdout}")


def test_describe(work):
    path = save(work, model([helper.make_node("Relu", ["x"], ["h"]), helper.make_node("Frobnicate", ["h"], ["y"])], inputs=[tensor("x", ["batch", 3])]))
    used = aotc(path, "--describe")
    expect(used, 0)
    for text in ["batch", "Relu", "Frobnicate", "not supported"]:
        if text not in used.stdout:
            raise Failed(f"does not mention '{text}': {used.stdout}")


def test_emit(work):
    path = save(work, good_model())
    for stage, text in [("nn", "nn.conv"), ("kern", "kern.conv2d"), ("plan", "memref.view"), ("cpp", "namespace model")]:
        used = aotc(path, "--emit", stage, "-q", *TARGET)
        expect(used, 0)
        if text not in used.stdout:
            raise Failed(f"--emit {stage} does not show '{text}'")
        file = os.path.join(work, stage)
        expect(aotc(path, "--emit", stage, "-o", file, *TARGET), 0)
        if open(file).read() != used.stdout:
            raise Failed(f"--emit {stage} -o writes another text")


def test_quiet_and_verbose(work):
    path = save(work, model([helper.make_node("Relu", ["x"], ["y"])], inputs=[tensor("x", ["batch", 3])]))
    output = os.path.join(work, "out")
    quiet = aotc(path, "-o", output, "-q", *TARGET)
    expect(quiet, 0)
    if quiet.stdout or quiet.stderr:
        raise Failed(f"-q prints '{quiet.stdout + quiet.stderr}'")
    normal = aotc(path, "-o", output, *TARGET)
    if len(re.findall("warning: ", normal.stderr)) != 1 or "--input-dim batch=" not in normal.stderr:
        raise Failed(f"expected one warning that names the flag, found '{normal.stderr}'")
    told = aotc(path, "-o", output, "-v", *TARGET).stdout
    if not re.search(r"arena +\d+ bytes \(optimal for its order of steps\), .* its peak of \d+ \(optimal\), .* the bound of \d+\n", told):
        raise Failed(f"-v does not tell the memory plan, found '{told}'")


def test_wrong_declared_shape(work):
    """As tools write it: a warning."""
    path = save(work, model([helper.make_node("Relu", ["x"], ["y"], name="r")], outputs=[tensor("y", [1, 4, 8, 9])]))
    used = aotc(path, "-o", os.path.join(work, "out"), *TARGET)
    expect(used, 0)
    if not re.search(r"warning: node 'r' \(Relu, opset 17\): output 'y' is declared as \[1,4,8,9\], found f32 \[1,4,8,8\]", used.stderr):
        raise Failed(f"expected a warning of the declared shape, found '{used.stderr}'")


def test_unreadable_model(work):
    output = make_output(work)
    before = snapshot(output)
    missing = os.path.join(work, "missing.onnx")
    expect(aotc(missing, "-o", output, *TARGET), 3, re.escape(missing) + r": cannot open: no such file or directory")
    expect(aotc(work, "-o", output, *TARGET), 3, re.escape(work) + r": cannot read: it is a folder")
    expect_untouched(work, output, before)


def test_external_data_missing(work):
    path = save(work, model([conv()], [external_weights("weights.bin")]))
    expect(aotc(path, "-o", os.path.join(work, "out"), *TARGET), 3, r".*initializer 'w'.*weights.bin.*")


def test_unwritable_output(work):
    path = save(work, good_model())
    file = save(work, b"a file", "file")
    expect(aotc(path, "-o", os.path.join(file, "out"), *TARGET), 3, r".*file.*: not a directory")
    expect(aotc(path, "-o", file, *TARGET), 3, r".*file.*")
    expect(aotc(path, "-o", "/proc/nowhere/out", *TARGET), 3, r".*/proc/nowhere.*")
    output = os.path.join(work, "out")
    expect(aotc(path, "-o", output, "--depfile", "/proc/nowhere/x.d", *TARGET), 3, r".*/proc/nowhere/x.d.*")


def run_where_full(command, folder):
    """Runs a command that finds `folder` on a full disk; where nothing can be mounted, files that may not grow."""
    mounted = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=128k tmpfs "$0" && exec "$@"', folder, *command]
    if subprocess.run([*mounted[:5], folder, "true"], capture_output=True).returncode == 0:
        return harness.run(mounted), "no space left on device"
    limited = ["sh", "-c", 'trap "" XFSZ; ulimit -f 64; exec "$0" "$@"', *command]
    return harness.run(limited), "file too large"


def test_full_disk(work):
    path = save(work, model([conv()], [weights("w", 256, 4, 8, 8)]))
    disk = os.path.join(work, "disk")
    os.makedirs(disk)
    used, reason = run_where_full([harness.AOTC, path, "-o", os.path.join(disk, "out"), *TARGET], disk)
    expect(used, 3, rf".*disk/out.*: cannot write: {reason}")
    if os.listdir(disk):
        raise Failed(f"left behind: {os.listdir(disk)}")


def test_full_standard_output(work):
    path = save(work, good_model())
    command = f'exec "$0" "$@" >/dev/full'
    used = harness.run(["sh", "-c", command, harness.AOTC, path, "--emit", "cpp", *TARGET])
    expect(used, 3, r"aotc: standard output: cannot write: no space left on device")


def test_foreign_folder(work):
    path = save(work, good_model())
    output = os.path.join(work, "thesis")
    save(output, b"years of work", "thesis.tex")
    before = snapshot(output)
    expect(aotc(path, "-o", output, *TARGET), 2, r".*thesis.*")
    expect_untouched(work, output, before)


def test_reproducible(work):
    path = save(work, good_model())
    first, second = os.path.join(work, "a"), os.path.join(work, "some where", "else")
    expect(aotc(path, "-o", first), 0)
    used = harness.run([harness.AOTC, os.path.basename(path), "-o", os.path.relpath(second, work)], cwd=work)
    expect(used, 0)
    contents = [{name: content for name, (content, _) in snapshot(folder).items()} for folder in (first, second)]
    if contents[0] != contents[1]:
        names = sorted(name for name in {*contents[0], *contents[1]} if contents[0].get(name) != contents[1].get(name))
        raise Failed(f"differ: {' '.join(names)}")
    for name, content in contents[0].items():
        if work.encode() in content:
            raise Failed(f"{name} holds an absolute path")


def test_time_stamps(work):
    output = make_output(work)
    before = snapshot(output)
    expect(aotc(os.path.join(work, "good.onnx"), "-o", output, *TARGET), 0)
    if snapshot(output) != before:
        raise Failed("files that did not change have new time stamps")
    save(work, model([conv(pads=[1, 1, 1, 1])], [weights("w", 4, 4, 3, 3), ]), "good.onnx")
    other = model([conv(pads=[1, 1, 1, 1])], [numpy_helper.from_array(numpy.ones((4, 4, 3, 3), dtype=numpy.float32), "w")])
    expect(aotc(save(work, other, "good.onnx"), "-o", output, *TARGET), 0)
    after = snapshot(output)
    changed = {name for name in after if after[name] != before.get(name)}
    if not {"src/good_weights.bin", "src/good_weights.S", "MANIFEST.json"} <= changed:
        raise Failed(f"new weights, but changed are only {' '.join(sorted(changed))}")
    if "src/good_kernels_0.cpp" in changed or "include/good/good.hpp" in changed:
        raise Failed(f"new weights changed code: {' '.join(sorted(changed))}")


def test_depfile(work):
    output = os.path.join(work, "out")
    data = numpy.zeros((4, 4, 3, 3), dtype=numpy.float32)
    save(work, data.tobytes(), "weights of w.bin")
    path = save(work, model([conv()], [external_weights("weights of w.bin")]))
    depfile = os.path.join(work, "model.stamp.d")
    expect(aotc(path, "-o", output, "--depfile", depfile, *TARGET), 0)
    text = open(depfile).read().replace("\\\n", " ")
    target, _, dependencies = text.partition(":")
    if target != os.path.join(work, "model.stamp"):
        raise Failed(f"the rule's target is '{target}'")
    for wanted in [path, os.path.join(work, "weights\\ of\\ w.bin"), "conv2d.hpp", os.path.realpath(harness.AOTC)]:
        if wanted not in dependencies:
            raise Failed(f"does not depend on {wanted}")


def all_tests():
    tests = [(name[5:], function, ()) for name, function in globals().items() if name.startswith("test_") and name != "test_bad_model"]
    return tests + [(f"bad: {name}", test_bad_model, (content, pattern)) for name, content, pattern in bad_models()]


def run_test(name, function, arguments, keep):
    return harness.test_in(WORK, name, keep, lambda work: function(work, *arguments))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="tests whose name holds this text")
    parser.add_argument("--keep", action="store_true", help="leave the work folders")
    arguments = parser.parse_args()
    chosen = [test for test in all_tests() if arguments.only in test[0]]
    return harness.close(harness.run_all([lambda test=test: run_test(*test, arguments.keep) for test in chosen]))


if __name__ == "__main__":
    sys.exit(main())
