"""The official backend tests of the ONNX package: every case passes or is refused by name; never a wrong number, never a crash.

    run_backend.py [--all [--write] | --fraction N] [--match PATTERN] [--target generic] [--compiler g++] [--options "…"]

Compiles every case by aotc, holds what it accepts and refuses against docs/operators.md, and runs every eighth one; or with
--all all of them (minutes, and --write writes that page anew), or those whose name contains PATTERN (a regular expression).
The accepted ones become one program, whose results are held against the case's by the rule
of onnx's own runner (integers exactly). One line per case:

    pass      the numbers are right, with the same bits on one and on three threads; inputs that aotc must know when
              compiling, such as a shape, are given to it by --input-value, bounds by --output-bound
    refused   aotc says what it does not support: no failure here
    WRONG     other numbers, or other bits on other threads
    CRASHED   aotc or the program ended in disorder, or did not end
    BROKEN    the generated code does not compile without a warning
"""

import argparse
import collections
import dataclasses
import os
import re
import sys

import numpy

import harness
from backend import cases, judge, operators, programs
from harness import Failed

WORK = os.path.join(harness.BUILD, "e2e", "backend")
PAGE = os.path.join(harness.ROOT, "docs", "operators.md")
CI_FRACTION = 8
AOTC_SECONDS = 20  # no case takes a tenth of a second
OUTPUT_BOUND = 64  # no case finds a larger extent
FAILURES = ("WRONG", "CRASHED", "BROKEN")


@dataclasses.dataclass
class Result:
    case: cases.Case
    status: str = ""  # as above
    text: str = ""
    model: programs.Model = None


# ------------------------------------------------------------------------------------------------------------------ stages


def generate(case, target):
    """aotc's part: a result without status where the model is ready to be built."""
    folder = os.path.join(WORK, target, "generated", case.name)
    result = Result(case)
    try:
        finished, known = run_with_values(case, folder, target)
    except Failed as why:
        result.status, result.text = "CRASHED", str(why)
        return result
    if finished.code == 0:
        fed = [index for index, name in enumerate(case.inputs) if name not in known]
        result.model = programs.Model(case.name, folder, fed)
        if case.obstacle:
            result.status, result.text = "WRONG", f"accepted, but this test cannot give and compare {case.obstacle} yet"
    else:
        result.status = "refused" if finished.code == 1 else "CRASHED"
        result.text = message_of(finished, case)
    return result


def run_with_values(case, folder, target):
    """aotc's end, and the inputs whose values it asked for and got. It gets the bounds that it asks for, too."""
    known, bounds = [], []
    while True:
        finished = run_aotc(case, folder, target, known, bounds)
        if finished.code != 1 or case.obstacle or case.data_sets != 1:
            return finished, known
        values, bound = missing_values(message_of(finished, case), case, known), missing_bound(message_of(finished, case), bounds)
        if not values and not bound:
            return finished, known
        known += values
        bounds += bound


def missing_values(message, case, known):
    asked = re.search(r"input \d+ \('([^']+)'\).* known when compiling", message)
    names = [] if not asked else [asked[1]] if asked[1] in case.inputs else lists_of(case)
    return [name for name in names if name not in known]


def missing_bound(message, bounds):
    asked = re.search(r"output \d+ \('([^']+)'\) is found at run time", message)
    return [asked[1]] if asked and asked[1] not in bounds else []


def lists_of(case):
    """Inputs that shapes, axes and the like may be worked out from: single integers and lists of them."""
    lists = []
    for index, name in enumerate(case.inputs):
        is_integer = case.input_types[index] in ("int32", "int64")
        if is_integer and numpy.load(os.path.join(case.data(0), f"input_{index}.npy"), mmap_mode="r").ndim < 2:
            lists.append(name)
    return lists


def run_aotc(case, folder, target, known, bounds):
    values = [f"--output-bound={name}={OUTPUT_BOUND}" for name in bounds]
    values += [f"--input-value={name}={case.data(0)}/input_{case.inputs.index(name)}.npy" for name in known]
    command = harness.aotc_command(case.model, folder, harness.Target(target), ["--name", case.name, "--quiet", *values])
    return harness.run(command, AOTC_SECONDS)


def message_of(finished, case):
    """aotc's first line without the file's name; ends in disorder say so."""
    lines = finished.stderr.strip().splitlines()
    text = (lines[0] if lines else "no message").removeprefix(case.model + ": ").removeprefix("error: ")
    return text if finished.code in (1, 70) else f"aotc: {harness.describe_code(finished.code)}: {text}"


def build_and_run(results, build):
    """Sets the status of those that have none."""
    ready = [result for result in results if not result.status]
    if not ready:
        return
    program, broken = programs.make(build, [result.model for result in ready])
    outputs = build.path("outputs")
    found = programs.run(program, os.path.dirname(ready[0].case.folder), outputs) if program else {}
    for result in ready:
        name = result.case.name
        if name in broken:
            result.status, result.text = "BROKEN", broken[name]
        else:
            result.status, result.text = verdict(result.case, found.get(name, "did not run"), os.path.join(outputs, name))


def verdict(case, error, outputs):
    if error.startswith("signal"):
        return "CRASHED", error
    error = error or judge.difference(case, outputs)
    return ("WRONG", error) if error else ("pass", "")


# -------------------------------------------------------------------------------------------------------------------- main


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--all", action="store_true", help="every case")
    choice.add_argument("--fraction", type=int, metavar="N", help=f"every N-th case (default {CI_FRACTION}; with --match 1)")
    parser.add_argument("--match", metavar="PATTERN", help="only cases whose name this is found in")
    parser.add_argument("--write", action="store_true", help="with --all: write docs/operators.md where nothing failed")
    parser.add_argument("--target", default="generic", help="with one instruction set: generic (default), native, v2, v3, …")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--options", default="", help="more options for it, as --options='-fsanitize=address'")
    parser.add_argument("--failures", action="store_true", help="print no line for what passed or was refused")
    return parser.parse_args()


def close(results, complaint):
    """The summary, and the closing line that tests/run.sh reads: a refused case is no failure."""
    count = collections.Counter(result.status for result in results)
    failed = sum(count[status] for status in FAILURES)
    print(f"{count['pass']} passed, {count['refused']} refused, {failed} failed: {dict(count)}")
    if complaint:
        print(complaint)
    print(f"{count['pass']} passed, {failed + bool(complaint)} failed", flush=True)
    return 1 if failed or complaint or not results else 0


def check_page(results, write):
    """What is wrong with docs/operators.md, which is written first where that is wanted and no case failed."""
    import onnx.version

    wanted = operators.render(results, onnx.version.version)
    if write and not any(result.status in FAILURES for result in results):
        with open(PAGE, "w") as file:
            file.write(wanted)
    with open(PAGE) as file:
        found = file.read()
    lines = [line for line in wanted.splitlines() if line not in found.splitlines()]
    return "" if found == wanted else f"docs/operators.md is out of date (--all --write): {lines[0] if lines else 'lines too many'}"


def main():
    arguments = parse_arguments()
    all_cases = [case for case in cases.load() if re.search(arguments.match or "", case.name)]
    fraction = arguments.fraction or (1 if arguments.all or arguments.match else CI_FRACTION)
    is_whole = not (arguments.match or arguments.fraction)
    build = programs.Build(os.path.join(WORK, arguments.target), arguments.target, arguments.compiler, arguments.options.split())
    compiled = harness.run_all([lambda case=case: generate(case, arguments.target) for case in all_cases[:: 1 if is_whole else fraction]])
    results = compiled[::fraction] if is_whole else compiled
    build_and_run(results, build)
    for result in results:
        if result.status in FAILURES or not arguments.failures:
            print(f"{result.status:8} {result.case.name}: {result.text}".rstrip(": "))
    return close(results, check_page(compiled, arguments.write and arguments.all) if is_whole else "")


if __name__ == "__main__":
    sys.exit(main())
