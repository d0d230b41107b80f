"""Whole models: compiled with aotc, built by the generated CMakeLists.txt, run on stored inputs, compared with stored outputs.

    run_models.py [--all | --models A,B] [--targets native,x86-64,…] [--levels all|v2,v3,…] [--compilers g++,clang++-19]
                  [--keep] [--list] [--memory]

models.txt lists the models with their flags and what a plain run makes of them; --all takes every line, for an hour or so. One test is one model for one target by one
compiler. It passes where the arena is no larger than MEMORY_LIMITS allow, the generated code compiles without a warning,
every output of every data set is within 1e-4 * max|reference| + 1e-5 of the reference, and 1, 2 and 5 threads give the same
bits. Models marked as half may differ by 2e-2 * max|reference| + 2e-3. Models marked as quantized may differ more: their outputs point the way of the reference (cosine 0.999), or are no
further from it than twice what ONNX Runtime's own optimized run is. --levels adds x86 levels to the targets; TARGET@CPU runs a program under qemu as on that processor. --keep leaves the
work files (<build>/e2e/models). --memory stops after the first condition and prints the arenas as a table.
"""

import argparse
import ast
import dataclasses
import glob
import itertools
import json
import os
import shutil
import sys

import numpy

import harness
from harness import Failed, Target

WORK = os.path.join(harness.BUILD, "e2e", "models")
COMPILERS = ["g++", "clang++-19"]
MARKS = {"clang", "sweep", "quantized", "half"}  # of a line of models.txt, which says what they mean

# Of what is allowed, where ONNX Runtime's own runs with and without optimizations differ by more.
LOOSE = {"yolo11n": 10}
HALF = 200  # the same for models of 16-bit floats, whose roundings no two runtimes place alike

# On one thread, as factors: the arena over its peak (the largest sum of live bytes at any step, scratch memory and halos
# counted), and the peak over the lower bound (that sum without them). resnet8's bytes are those of a plan with halos.
MEMORY_LIMITS = {"arena_bytes": ("peak_bytes", 1.02), "peak_bytes": ("lower_bound_bytes", 1.30)}
ALIGNMENT_BYTES = 256  # what the places of buffers of a few bytes may add to that
ARENA_LIMITS = {"mlperf_resnet8_fp32": 152_448}


@dataclasses.dataclass
class Entry:
    """A line of models.txt."""

    test: str
    model: str
    data: list
    targets: list
    flags: list
    marks: frozenset

    @property
    def is_quantized(self):
        return "quantized" in self.marks

    def compilers(self, target):
        """Those of a plain run."""
        return COMPILERS if "clang" in self.marks and target.text == self.targets[0] else COMPILERS[:1]


def read_entry(test, model, data, targets, *rest):
    marks = frozenset(itertools.takewhile(lambda word: word in MARKS, rest))
    return Entry(test, model, harness.words(data), harness.words(targets), list(rest[len(marks) :]), marks)


def read_entries():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "models.txt")) as file:
        return [read_entry(*line.split()) for line in file if line.strip() and not line.startswith("#")]


def expand(targets):
    """The names in order, each once, with 'all-levels' replaced by this machine's."""
    names = [name for target in targets for name in (harness.levels_of_this_machine() if target == "all-levels" else [target])]
    return [Target(name) for name in dict.fromkeys(names)]


# ------------------------------------------------------------------------------------------------------------- comparing


def largest_difference(got, want, name, factor=1):
    """As a fraction of what is allowed, which is `factor` times the usual."""
    if got.shape != want.shape or got.dtype != want.dtype:
        raise Failed(f"{name}: expected {want.dtype}{list(want.shape)}, found {got.dtype}{list(got.shape)}")
    if want.size == 0:
        return 0.0
    if want.dtype.kind != "f":
        different = numpy.count_nonzero(got != want)
        if different:
            raise Failed(f"{name}: {different} of {want.size} values differ")
        return 0.0
    got, want = got.astype(numpy.float64), want.astype(numpy.float64)
    allowed = factor * (1e-4 * numpy.abs(want).max() + 1e-5)
    difference = numpy.abs(got - want).max()
    if not difference <= allowed:  # a NaN is a failure too
        raise Failed(f"{name}: differs by {difference:.3g}, allowed are {allowed:.3g}")
    return difference / allowed


def cosine(x, y):
    x, y = x.astype(numpy.float64).ravel(), y.astype(numpy.float64).ravel()
    lengths = numpy.linalg.norm(x) * numpy.linalg.norm(y)
    return x @ y / lengths if lengths else float(numpy.array_equal(x, y))


def optimized_outputs(model, reference):
    """What ONNX Runtime computes with all its optimizations, which also round and reorder."""
    import onnxruntime

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    inputs = {used.name: numpy.load(os.path.join(reference, f"input_{i}.npy")) for i, used in enumerate(session.get_inputs())}
    return session.run(None, inputs)


def quantized_difference(got, want, name, optimized):
    """As largest_difference(), for a model of quantized numbers; optimized() gives ONNX Runtime's own optimized output."""
    try:
        return largest_difference(got, want, name)
    except Failed:
        if got.shape != want.shape or got.dtype != want.dtype or not numpy.isfinite(got.astype(numpy.float64)).all():
            raise
    if cosine(got, want) >= 0.999:
        return 1.0
    distance = numpy.abs(got.astype(numpy.float64) - want).max()
    allowed = 2 * numpy.abs(optimized().astype(numpy.float64) - want).max()
    if not distance <= allowed:
        raise Failed(f"{name}: cosine {cosine(got, want):.5f}, differs by {distance:.3g}, allowed are {allowed:.3g}")
    return distance / allowed


def load_reference(path):
    """A stored output. The maps that ZipMap makes, one for each row, are JSON with Python's text in it: a column for each key."""
    if path.endswith(".npy"):
        return numpy.load(path)
    with open(path) as file:
        rows = ast.literal_eval(json.load(file))
    return numpy.array([list(row.values()) for row in rows], numpy.float32)


def compare(folder, reference, where, entry=None):
    """Without an entry of models.txt, as for one without marks."""
    wanted = sorted(os.path.basename(path) for path in glob.glob(os.path.join(glob.escape(reference), "output_*.*")))
    if not wanted:
        raise Failed(f"no stored outputs in {reference}")
    worst = 0.0
    for name in wanted:
        path = os.path.join(folder, os.path.splitext(name)[0] + ".npy")
        if not os.path.exists(path):
            raise Failed(f"{where}: {name} was not written")
        got, want = numpy.load(path), load_reference(os.path.join(reference, name))
        if entry and entry.is_quantized:
            index = int(name.removeprefix("output_").split(".")[0])
            optimized = lambda: optimized_outputs(harness.find_model(entry.model), reference)[index]
            worst = max(worst, quantized_difference(got, want, f"{where}: {name}", optimized))
        else:
            factor = HALF if entry and "half" in entry.marks else LOOSE.get(entry and entry.test, 1)
            worst = max(worst, largest_difference(got, want, f"{where}: {name}", factor))
    return worst


# ----------------------------------------------------------------------------------------------------------------- memory


def read_report(folder):
    with open(os.path.join(folder, "report.json")) as file:
        return json.load(file)


def read_memory(folder):
    return read_report(folder)["totals"]


def check_memory(entry, totals):
    for what, (base, factor) in MEMORY_LIMITS.items():
        if not 0 < totals[base] <= totals[what] <= max(factor * totals[base], totals[base] + ALIGNMENT_BYTES):
            raise Failed(f"{what} are {totals[what]}, expected from 1 to {factor} times {base}, which are {totals[base]}")
    limit = ARENA_LIMITS.get(entry.test, totals["arena_bytes"])
    if totals["arena_bytes"] > limit:
        raise Failed(f"arena_bytes are {totals['arena_bytes']}, at most {limit} are allowed")


def print_memory(entries):
    """The table of --memory, for the target native; one test is one model."""
    outcomes, rows = [], [("model", "arena", "live", "bound", "arena/live", "live/bound", "per thread", "")]
    for entry in entries:
        folder = os.path.join(harness.empty_folder(os.path.join(WORK, entry.test, "memory")), "generated")
        outcomes.append(harness.attempt(lambda: generate(entry, Target("native"), folder) and ""))
        figures = ["-"] * 6
        if os.path.exists(os.path.join(folder, "report.json")):
            totals = read_memory(folder)
            figures = [str(totals[key]) for key in ("arena_bytes", "peak_bytes", "lower_bound_bytes")]
            figures += [f"{totals[key]:.4f}" for key in ("arena_over_peak", "peak_over_lower_bound")]
            figures.append(str(totals["arena_bytes_per_thread"]))
        text = outcomes[-1].status if outcomes[-1].status == "passed" else f"{outcomes[-1].status}: {outcomes[-1].text}"
        rows.append((entry.test, *figures, text))
    harness.print_table(rows)
    return harness.close(outcomes)


# --------------------------------------------------------------------------------------------------------------- one test


def check_data_set(program, target, reference, work, entry=None):
    """Runs one data set with each number of threads; returns the largest difference as a fraction of what is allowed."""
    worst, folders = 0.0, []
    for threads in harness.THREADS:
        where = f"{os.path.basename(reference)}, {threads} threads"
        folders.append(harness.empty_folder(os.path.join(work, f"{os.path.basename(reference)}_{threads}")))
        harness.must([*target.runner, program, "--inputs", reference, "--outputs", folders[-1], "--threads", str(threads)], 600)
        worst = max(worst, compare(folders[-1], reference, where, entry))
        harness.check_same_bytes(folders[0], folders[-1], where)
    return worst


def check_data_sets(entry, program, target, folders, work):
    return max(check_data_set(program, target, folder, work, entry) for folder in folders)


def test_compiler(entry, generated, data_folders, target, compiler, work):
    totals = read_memory(generated)
    (program,) = harness.build(generated, os.path.join(work, "build"), compiler, target)
    worst = check_data_sets(entry, program, target, data_folders, work)
    return f"difference {100 * worst:.2g} % of what is allowed, arena {totals['arena_bytes']} bytes"


def generate(entry, target, folder):
    """Compiles the model and checks its memory; returns the folders of the data sets."""
    target.check()
    model = harness.find_model(entry.model)
    data_folders = [os.path.join(os.path.dirname(model), f"{entry.model}.{data}") for data in entry.data]
    flags = [flag.replace("{io}", data_folders[0]) for flag in entry.flags]
    harness.compile_model(model, folder, target, flags)
    check_memory(entry, read_memory(folder))
    return data_folders


def test_target(entry, target, compilers, keep):
    """All compilers on one generated folder; returns rows of (entry, target, compiler, outcome)."""
    work = harness.empty_folder(os.path.join(WORK, entry.test, target.text))
    generated = os.path.join(work, "generated")
    data_folders = []
    made = harness.attempt(lambda: data_folders.extend(generate(entry, target, generated)))
    rows = []
    for compiler in target.compilers(compilers):
        outcome = made
        if made.status == "passed":
            below = os.path.join(work, compiler)
            outcome = harness.attempt(test_compiler, entry, generated, data_folders, target, compiler, below)
        rows.append((entry, target, compiler, outcome))
        print(f"  {outcome.status:7}  {entry.test} {target.text} {compiler}: {outcome.text}", flush=True)
    if not keep:
        shutil.rmtree(work, ignore_errors=True)
    return rows


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every line of models.txt")
    parser.add_argument("--models", type=harness.words, help="tests of models.txt, by name")
    parser.add_argument("--targets", type=harness.words, help="in place of those in models.txt; TARGET@CPU runs under qemu")
    parser.add_argument("--levels", type=harness.words, default=[], help="x86 levels to test as well; all: those of this machine")
    parser.add_argument("--compilers", type=harness.words, help="in place of those in models.txt")
    parser.add_argument("--keep", action="store_true", help="leave the generated folders and the builds")
    parser.add_argument("--memory", action="store_true", help="compile for native only, and print what the arenas hold")
    parser.add_argument("--list", action="store_true", help="print the tests and stop")
    return parser.parse_args()


def choose_entries(wanted, everything=False):
    """By name, or those of a plain run."""
    entries = read_entries()
    if wanted is None:
        return [entry for entry in entries if everything or "sweep" not in entry.marks]
    unknown = set(wanted) - {entry.test for entry in entries}
    if unknown:
        sys.exit(f"models.txt has no test named {', '.join(sorted(unknown))}")
    return [entry for entry in entries if entry.test in wanted]


def main():
    arguments = parse_arguments()
    levels = ["all-levels" if level == "all" else level for level in arguments.levels]
    if arguments.memory:
        return print_memory(choose_entries(arguments.models, arguments.all))
    tasks = []
    for entry in choose_entries(arguments.models, arguments.all):
        targets = expand((arguments.targets or entry.targets) + levels)
        if arguments.list:
            print(f"{entry.test:24} {' '.join(target.text for target in targets)}")
        for target in targets:
            tasks.append(lambda entry=entry, target=target: test_target(entry, target, arguments.compilers or entry.compilers(target), arguments.keep))
    if arguments.list:
        return 0
    rows = [row for rows in harness.run_all(tasks) for row in rows]
    print()
    heading = ("model", "target", "compiler", "", "")
    harness.print_table([heading, *((e.test, t.text, c, outcome.status, outcome.text) for e, t, c, outcome in rows)])
    return harness.close([outcome for *_, outcome in rows])


if __name__ == "__main__":
    sys.exit(main())
