"""The small models after public bug reports in $AOTC_SHARED/cases: valid ones must be right, bad ones refused in good order.

    run_cases.py [--cases 001,003_name,…] [--all] [--compiler g++] [--target native] [--keep]

cases.txt lists those that must hold. --all tries every case and reports which unlisted ones hold, without counting them.
A valid case must compile (with the flags in its file FLAGS), build without a warning, and match the stored outputs of all its
data sets by the case's own rule (check_outputs.py beside the cases), with the same bits on 1, 2 and 5 threads. A bad one must
end with exit code 1, one message that names the file, no output folder, within 2 s of processor time and 200 MB.
"""

import argparse
import glob
import os
import re
import shlex
import shutil
import sys

import harness
from harness import Failed, Skipped, Target

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.path.join(harness.BUILD, "e2e", "cases")
COMPILE_SECONDS = 10  # processor time of aotc, on the largest case too
REFUSE_SECONDS = 2
REFUSE_BYTES = 200 << 20


def listed_cases():
    with open(os.path.join(HERE, "cases.txt")) as file:
        return [line.strip() for line in file if line.strip() and not line.startswith("#")]


def case_folder(name):
    if not harness.SHARED:
        raise Skipped("the cases are in AOTC_SHARED, which is not there")
    folder = os.path.join(harness.SHARED, "cases", name)
    if not os.path.isdir(folder):
        raise Failed(f"no folder {folder}")
    return folder


# ------------------------------------------------------------------------------------------------------------ valid cases


def data_sets(folder):
    """Prefixes of the case's data sets: '' and alt1_, alt2_, …"""
    names = [os.path.basename(path) for path in glob.glob(os.path.join(glob.escape(folder), "*output_*.npy"))]
    return sorted({re.sub(r"output_\d+\.npy$", "", name) for name in names})


def collect_inputs(folder, prefix, inputs):
    harness.empty_folder(inputs)
    for path in glob.glob(os.path.join(glob.escape(folder), prefix + "input_*.npy")):
        shutil.copy(path, os.path.join(inputs, os.path.basename(path)[len(prefix) :]))


def check_data_set(folder, prefix, program, target, work):
    inputs = os.path.join(work, prefix + "inputs")
    collect_inputs(folder, prefix, inputs)
    outputs = []
    for threads in harness.THREADS:
        outputs.append(harness.empty_folder(os.path.join(work, f"{prefix}outputs_{threads}")))
        harness.must([*target.runner, program, "--inputs", inputs, "--outputs", outputs[-1], "--threads", str(threads)], 60)
        harness.check_same_bytes(outputs[0], outputs[-1], f"{prefix}inputs, {threads} threads")
    judge = harness.run([sys.executable, os.path.join(os.path.dirname(folder), "check_outputs.py"), folder, outputs[0], prefix])
    if judge.code != 0:
        wrong = [line for line in judge.stdout.splitlines() if not line.endswith(" ok")] or judge.stderr.splitlines()[-1:]
        raise Failed(f"{prefix or 'first data set'}: {'; '.join(wrong)[:300]}")


def check_valid(folder, work, compiler, target):
    target.check()
    flags_file = os.path.join(folder, "FLAGS")
    flags = shlex.split(open(flags_file).read()) if os.path.exists(flags_file) else []
    generated = os.path.join(work, "generated")
    used = harness.compile_model(os.path.join(folder, "model.onnx"), generated, target, flags, timeout=60)
    if used.cpu_s > COMPILE_SECONDS:
        raise Failed(f"aotc took {used.cpu_s:.1f} s, allowed are {COMPILE_SECONDS}")
    (program,) = harness.build(generated, os.path.join(work, "build"), compiler, target)
    prefixes = data_sets(folder)
    for prefix in prefixes:
        check_data_set(folder, prefix, program, target, work)
    return f"{len(prefixes)} data set{'s' if len(prefixes) > 1 else ''} right; aotc took {used.cpu_s:.2f} s"


# -------------------------------------------------------------------------------------------------------------- bad cases


def check_refused(folder, work, target):
    output = os.path.join(work, "generated")
    used = harness.run([harness.AOTC, os.path.join(folder, "model.onnx"), "-o", output, "--target", target.name], timeout=60)
    message = [line for line in used.stderr.splitlines() if line.strip()]
    text = " | ".join(message)[:300]
    if used.code != 1:
        raise Failed(f"expected exit code 1, found {harness.describe_code(used.code)}: {text or used.stdout[:200]}")
    complaints = [line for line in message if not re.search(r"\b(note|warning):", line)]
    if len(complaints) != 1 or "model.onnx" not in complaints[0]:
        raise Failed(f"expected one message that names model.onnx, found {len(complaints)}: {text}")
    if used.stdout.strip():
        raise Failed(f"expected nothing on the standard output, found '{used.stdout.strip()[:100]}'")
    if os.listdir(work):
        raise Failed(f"left something behind: {', '.join(os.listdir(work))}")
    if used.cpu_s > REFUSE_SECONDS or used.peak_bytes > REFUSE_BYTES:
        raise Failed(f"took {used.cpu_s:.1f} s and {used.peak_bytes >> 20} MB, allowed are {REFUSE_SECONDS} s and {REFUSE_BYTES >> 20} MB")
    return complaints[0].replace(folder + os.sep, "")


# ------------------------------------------------------------------------------------------------------------------- all


def is_bad(folder):
    with open(os.path.join(folder, "README")) as file:
        return re.search(r"^expect:\s*reject", file.read(), re.M) is not None


def check_case(name, arguments, work):
    folder = case_folder(name)
    if not os.path.exists(harness.AOTC):
        raise Failed(f"no compiler at {os.path.relpath(harness.AOTC, harness.ROOT)}: build it, or name it by AOTC=…")
    target = Target(arguments.target)
    return check_refused(folder, work, target) if is_bad(folder) else check_valid(folder, work, arguments.compiler, target)


def test_case(name, arguments):
    return harness.test_in(WORK, name, arguments.keep, check_case, name, arguments)


def choose_cases(arguments):
    """Names to run, and those among them that count."""
    listed = listed_cases()
    names = list(listed)
    if (arguments.all or arguments.cases) and harness.SHARED:
        found = sorted(os.listdir(os.path.join(harness.SHARED, "cases")))
        names = [name for name in found if re.match(r"\d{3}_", name)]
    if arguments.cases:
        names = [name for name in names if name in arguments.cases or name[:3] in arguments.cases]
        return names, names
    return names, listed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=harness.words, help="cases by name or number; they all count")
    parser.add_argument("--all", action="store_true", help="try the cases that are not in cases.txt too")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--target", default="native")
    parser.add_argument("--keep", action="store_true", help="leave the generated folders and the builds")
    arguments = parser.parse_args()
    names, counted = choose_cases(arguments)
    outcomes = harness.run_all([lambda name=name: test_case(name, arguments) for name in names])
    holding = [name for name, outcome in zip(names, outcomes) if name not in counted and outcome.status == "passed"]
    if holding:
        print(f"not in cases.txt, but they hold: {' '.join(holding)}")
    return harness.close([outcome for name, outcome in zip(names, outcomes) if name in counted])


if __name__ == "__main__":
    sys.exit(main())
