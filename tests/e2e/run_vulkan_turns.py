"""Models of which --target vulkan computes some steps on the processor, by data sets and by what a model can do.

    run_vulkan_turns.py [--only TEXT] [--device] [--keep]

Small models whose steps take turns, in rows, loops and branches, on bounded dims and with extents that the run finds, against ONNX
Runtime; and models of models.txt against their stored outputs. Each runs with memory that the host sees and, as on a discrete GPU, with
memory that it does not, under the validation layers. aotc warns of the processor's steps, and with --gpu-only refuses them.
"""

import functools
import os
import sys

import numpy
import onnx
import onnx.parser

import harness
import run_models
import run_vulkan
import run_vulkan_steps
from harness import Failed

WORK = os.path.join(harness.BUILD, "e2e", "vulkan_turns")
MODELS = ["mlperf_resnet8_batch", "greedy_loop_decoder", "skl_gnb_wine"]
HEAD = '<ir_version: 8, opset_import: ["" : 17]>\n'

# Sorting has no shader. Sorted values go on to one, its result to the next, and both are outputs.
ROWS = """turns (float[4,9] x) => (float[4,5] y, int64[4,3] at, float[4,3] best)
<int64[1] five = {5}, int64[1] three = {3}>
{
  a = Relu (x)
  sorted, where = TopK (a, five)
  b = Exp (sorted)
  best, at = TopK <largest = 0> (b, three)
  c = Neg (best)
  sum = ReduceSum <keepdims = 1> (c)
  y = Add (b, sum)
}"""

# Starts and ends with the processor, which also reads the input that shaders read.
ENDS = """ends (float[3,8] x) => (float[3,4] y)
<int64[1] four = {4}>
{
  first, at = TopK (x, four)
  b = Mul (first, first)
  wide = Concat <axis = 1> (b, x)
  y, index = TopK (wide, four)
}"""

# A loop around shaders that decides by what they computed, with a step of the processor in it.
LOOP = """loop (float[6] x, float limit) => (float[6] y, int64 count)
<int64 zero = {0}, int64 most = {20}, bool yes = {1}, int64[1] six = {6}>
{
  count, y = Loop (most, yes, zero, x) <body = step (int64 i, bool on, int64 n, float[6] v) => (bool again, int64 m, float[6] w)
    <int64 one = {1}, float half = {1.5}>
    {
      grown = Mul (v, half)
      w, order = TopK (grown, six)
      m = Add (n, one)
      total = ReduceSum <keepdims = 0> (w)
      again = Less (total, limit)
    }>
}"""

BRANCH = """branch (float[3,4] x) => (float[3,4] y)
<float zero = {0}, int64[1] four = {4}>
{
  total = ReduceSum <keepdims = 0> (x)
  positive = Greater (total, zero)
  chosen = If (positive) <
    then_branch = yes () => (float[3,4] a) { a = Exp (x) },
    else_branch = no () => (float[3,4] b) { b, order = TopK (x, four) }
  >
  y = Mul (chosen, x)
}"""

BOUNDED = """bounded (float[N,6] x) => (float[N,3] y)
<float[6,3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9}>
{
  a = MatMul (x, w)
  y = Softmax <axis = 1> (a)
}"""

# How many there are is found by the run; the steps before have shaders.
FOUND = """found (float[5,7] x) => (int64[2,M] where, float[5,7] a)
<float zero = {0}>
{
  a = Sin (x)
  above = Greater (a, zero)
  where = NonZero (above)
}"""


# Steps are put in another order than memory was planned in: what the processor works in is nobody else's meanwhile.
SCRATCH = """scratch (float[1,1000,4] boxes, float[1,1,1000] scores, float[1900] z) =>
    (int64[M,3] kept, float[5] s, float[1900] n, float[1,1000,4] b, float[1,1,1000] c)
<int64[1] five = {5}, int64[1] most = {20}, float[1] over = {0.5}, float[1] least = {0.1}>
{
  kept = NonMaxSuppression (boxes, scores, most, over, least)
  e = Exp (z)
  s, at = TopK (e, five)
  n = Neg (z)
  b = Neg (boxes)
  c = Neg (scores)
}"""


def floats(*shape, seed=0):
    return numpy.random.default_rng(seed).standard_normal(shape).astype(numpy.float32)


# Name, graph, flags of aotc, data sets, how many steps have no shader (None: who knows).
CASES = [
    ("rows", ROWS, [], [[floats(4, 9)], [floats(4, 9, seed=1)]], 2),
    ("ends", ENDS, [], [[floats(3, 8)], [floats(3, 8, seed=1)]], 2),
    ("loop", LOOP, [], [[abs(floats(6)), numpy.array(limit, numpy.float32)] for limit in (0, 50, 1e9)], None),
    ("branch", BRANCH, [], [[abs(floats(3, 4))], [-abs(floats(3, 4))]], 1),
    ("bounded", BOUNDED, ["--input-dim", "N=1..5"], [[floats(n, 6)] for n in (5, 2)], 2),
    ("scratch", SCRATCH, [], [[floats(1, 1000, 4, seed=seed), abs(floats(1, 1, 1000, seed=seed)), floats(1900, seed=seed)] for seed in (0, 3)], 2),
    ("found", FOUND, [], [[floats(5, 7)], [-abs(floats(5, 7))]], 1),
]


def host_steps(generated):
    return [step["name"] for step in run_models.read_report(generated)["steps"] if "no_shader" in step]


def check_warning(model, work, flags):
    """Returns how many steps aotc says have no shader; with --gpu-only there is no output."""
    generated = os.path.join(work, "generated")
    result = harness.run(harness.aotc_command(model, generated, run_vulkan.TARGET, flags), 120)
    if result.code != 0:
        raise Failed(f"aotc ended with {harness.describe_code(result.code)}: {result.stderr.strip()[:300]}")
    steps = host_steps(generated)
    if bool(steps) != ("steps have no shader" in result.stderr):
        raise Failed(f"{len(steps)} steps without a shader, said: {result.stderr.strip()[:300]}")
    strict = harness.run(harness.aotc_command(model, generated + "_strict", run_vulkan.TARGET, [*flags, "--gpu-only"]), 120)
    if strict.code != (1 if steps else 0):
        raise Failed(f"--gpu-only ended with {harness.describe_code(strict.code)}: {strict.stderr.strip()[:300]}")
    return len(steps)


def stage_always(generated):
    """As on a device whose memory the host does not see."""
    path = os.path.join(generated, "runtime", "aotc", "vulkan", "device.hpp")
    with open(path) as file:
        text = file.read()
    if "bool always_stage = false;" not in text:
        raise Failed("device.hpp has no member to stage always")
    with open(path, "w") as file:
        file.write(text.replace("bool always_stage = false;", "bool always_stage = true;"))


def run_twice(work, check):
    """With mapped and with staged memory; `check` gets the program."""
    generated, build = os.path.join(work, "generated"), os.path.join(work, "build")
    run_vulkan.validate_shaders(generated)
    (program,) = harness.build(generated, build, "g++", run_vulkan.TARGET)
    check(program)
    stage_always(generated)
    harness.must(["cmake", "--build", build], 1200)
    check(program)


def check_outputs(program, inputs, expected, work):
    data, found = os.path.join(work, "inputs"), os.path.join(work, "outputs")
    run_vulkan_steps.save_inputs(inputs, data)
    run_vulkan.run_program(program, data, found)
    for i, want in enumerate(expected):
        if not run_vulkan_steps.is_right(numpy.load(os.path.join(found, f"output_{i}.npy")), want):
            raise Failed(f"output {i} is wrong, of inputs {[value.tolist() for value in inputs]}"[:300])


def test_case(graph, flags, data_sets, expected_steps, work):
    model = onnx.parser.parse_model(HEAD + graph)
    path = os.path.join(work, "turns.onnx")
    onnx.save(model, path)
    steps = check_warning(path, work, flags)
    if expected_steps is not None and steps != expected_steps:
        raise Failed(f"{steps} steps have no shader, expected {expected_steps}")
    names = [value.name for value in model.graph.input]
    references = [run_vulkan_steps.reference(model, dict(zip(names, inputs))) for inputs in data_sets]

    def check(program):
        for inputs, expected in zip(data_sets, references):
            check_outputs(program, inputs, expected, work)

    run_twice(work, check)
    return f"{len(data_sets)} data sets right, {steps} steps on the processor"


def test_model(entry, work):
    model = harness.find_model(entry.model)
    data = [os.path.join(os.path.dirname(model), f"{entry.model}.{name}") for name in entry.data]
    steps = check_warning(model, work, [flag.replace("{io}", data[0]) for flag in entry.flags])
    if steps == 0:
        raise Failed("every step has a shader: this is no test of the processor's")
    outputs = os.path.join(work, "outputs")

    def check(program):
        for reference in data:
            run_vulkan.run_program(program, reference, outputs)
            run_vulkan.compare(outputs, reference, run_vulkan.TOLERANCE)

    run_twice(work, check)
    return f"{len(data)} data sets right, {steps} steps on the processor"


def main():
    parser = run_vulkan.make_parser(__doc__)
    parser.add_argument("--only", default="", help="tests whose names hold this")
    arguments = parser.parse_args()
    tests = [(name, test_case, *inputs) for name, *inputs in CASES]
    tests += [(entry.test, test_model, entry) for entry in run_models.choose_entries(MODELS)]
    chosen = [functools.partial(harness.test_in, WORK, name, arguments.keep, *test) for name, *test in tests if arguments.only in name]
    return run_vulkan.run_tests(chosen, arguments)


if __name__ == "__main__":
    sys.exit(main())
