"""What the end-to-end tests and benchmarks share: where things are, how a model becomes a program, how tests are counted.

Settings come from the environment, as tests/run.sh sets them: AOTC (the compiler), AOTC_BUILD (its build folder; work files
go below it), AOTC_SHARED (large models; empty or missing: only tests/data). Knows neither models nor cases.
"""

import concurrent.futures
import dataclasses
import functools
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("AOTC_BUILD") or os.path.join(ROOT, "build", "release"))
AOTC = os.environ.get("AOTC") or os.path.join(BUILD, "driver", "aotc")
SHARED = os.environ.get("AOTC_SHARED", os.path.join(ROOT, "..", "shared"))
SHARED = os.path.abspath(SHARED) if SHARED and os.path.isdir(SHARED) else None
MODEL_CACHE = os.path.join(ROOT, "build", "models")
JOBS = 2
THREADS = [1, 2, 5]  # their outputs must have the same bits

# A source that is the same in many programs, such as those of the Vulkan runtime, is compiled once, wherever it lies.
os.environ.setdefault("CCACHE_BASEDIR", BUILD)
os.environ.setdefault("CCACHE_NOHASHDIR", "1")

WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow"

# What /proc/cpuinfo calls the features that a level needs.
LEVEL_FEATURES = {
    "v2": "sse4_2 ssse3 popcnt cx16",
    "v3": "avx2 bmi1 bmi2 f16c fma movbe abm",
    "v4": "avx512f avx512bw avx512cd avx512dq avx512vl",
    "avxvnni": "avx_vnni",
    "vnni": "avx512_vnni",
    "bf16": "avx512_bf16",
    "fp16": "avx512_fp16",
}
ALL_LEVELS = ["v2", "v3", "v3+avxvnni", "v4", "v4+vnni", "v4+bf16", "v4+fp16"]


class Failed(Exception):
    """The tested thing is wrong; the text says how."""


class Skipped(Exception):
    """The test cannot run here; the text says why."""


# ---------------------------------------------------------------------------------------------------------------- commands


@dataclasses.dataclass
class Finished:
    code: int
    stdout: str
    stderr: str
    wall_s: float
    cpu_s: float  # user and system time of the program and what it waited for
    peak_bytes: int  # largest resident memory, or this process's where that is more: fork() starts from it


def run(command, timeout=600, cwd=None):
    """Runs a command to its end, or kills it after `timeout` seconds (Failed). Output is text, undecodable bytes replaced."""
    start = time.monotonic()
    process = subprocess.Popen(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    with concurrent.futures.ThreadPoolExecutor(2) as readers:
        streams = [readers.submit(stream.read) for stream in (process.stdout, process.stderr)]
        deadline = Deadline(timeout, process)
        try:
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            deadline.cancel()
        stdout, stderr = (stream.result().decode(errors="replace") for stream in streams)
    process.returncode = os.waitstatus_to_exitcode(status)
    if deadline.passed:
        raise Failed(f"{name_of(command)} was stopped after {timeout} s")
    return Finished(process.returncode, stdout, stderr, time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


# A process as small as Python gets, so that what it forks from is less than any program of interest.
MEASURE = "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:]); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)"


def peak_memory(command, timeout=600):
    """Largest resident memory of a quiet program, in bytes; anything but exit code 0 is Failed."""
    return int(must([sys.executable, "-I", "-S", "-c", MEASURE, *command], timeout).stdout.split()[-1]) * 1024


class Deadline:
    """Kills a process and its children when the time is over."""

    def __init__(self, seconds, process):
        self.process = process
        self.passed = False
        self.timer = threading.Timer(seconds, self._kill)
        self.timer.start()

    def _kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.passed = True
        except ProcessLookupError:
            pass  # it ended by itself in the meantime

    def cancel(self):
        self.timer.cancel()


def must(command, timeout=600, cwd=None):
    """Like run(), but anything but exit code 0 is Failed with the last lines of the output."""
    result = run(command, timeout, cwd)
    if result.code != 0:
        lines = [line for line in (result.stdout + result.stderr).splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower()] or lines[-3:]
        text = " | ".join(line.strip() for line in errors[:3])[:400]
        raise Failed(f"{name_of(command)} ended with {describe_code(result.code)}: {text or 'no message'}")
    return result


def name_of(command):
    """What messages call it: the program, or the script that an interpreter runs."""
    script = command[0] == sys.executable and len(command) > 1
    return os.path.basename(command[1] if script else command[0])


def describe_code(code):
    return f"exit code {code}" if code >= 0 else f"signal {-code}"


# ----------------------------------------------------------------------------------------------------------------- targets


@dataclasses.dataclass
class Target:
    """A value of --target, and how its programs are built and run; 'x86-64@Haswell' runs under qemu as on that processor."""

    text: str

    @property
    def name(self):
        return self.text.partition("@")[0]

    @property
    def is_cross(self):
        return self.name.partition("+")[0] == "aarch64" and os.uname().machine != "aarch64"

    @property
    def runner(self):
        if self.is_cross:
            return ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]
        cpu = self.text.partition("@")[2]
        return ["qemu-x86_64", "-cpu", cpu] if cpu else []

    def compilers(self, wanted):
        return ["aarch64-linux-gnu-g++"] if self.is_cross else wanted

    def cmake_arguments(self):
        if self.is_cross:
            return ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64"]
        return []

    def check(self):
        """Skipped where this machine cannot run it."""
        if self.runner and not shutil.which(self.runner[0]):
            raise Skipped(f"{self.runner[0]} is not installed")
        missing = set() if self.runner else missing_features(self.name)
        if missing:
            raise Skipped(f"this processor has no {' '.join(sorted(missing))}")


def missing_features(level):
    if not re.match(r"v[234]($|\+)", level):
        return set()
    base, *additions = level.split("+")
    parts = ["v2", "v3", "v4"][: int(base[1]) - 1] + additions
    return set(" ".join(LEVEL_FEATURES.get(part, part) for part in parts).split()) - features_of_this_machine()


@functools.cache
def features_of_this_machine():
    with open("/proc/cpuinfo") as file:
        found = re.search(r"^(?:flags|Features)\s*:(.*)$", file.read(), re.M)
    return set(found.group(1).split() if found else ())


def has_byte_products():
    """Whether instructions multiply bytes and add in 32 bits."""
    return bool(features_of_this_machine() & {"avx_vnni", "avx512_vnni", "asimddp"})


def levels_of_this_machine():
    return [level for level in ALL_LEVELS if not missing_features(level)]


# ------------------------------------------------------------------------------------------------------ model -> program


def compile_model(model, folder, target, flags, timeout=120):
    """aotc's part; returns what the command used. Its warnings are no failure."""
    return must(aotc_command(model, folder, target, flags), timeout)


def aotc_command(model, folder, target, flags=()):
    if not os.path.exists(AOTC):
        raise Failed(f"no compiler at {os.path.relpath(AOTC, ROOT)}: build it, or name it by AOTC=…")
    return [AOTC, model, "-o", folder, "--target", target.name, *flags]


def build(folder, build_folder, compiler, target, jobs=1, definitions=(), programs=("run",), check_warnings=True):
    """Builds a generated folder by its own CMakeLists.txt. Returns the paths of <name>_run, … in the order of `programs`."""
    if not shutil.which(compiler):
        raise Skipped(f"{compiler} is not installed")
    command = ["cmake", "-G", "Ninja", "-S", folder, "-B", build_folder, f"-DCMAKE_CXX_COMPILER={compiler}", "-DAOTC_TOOLS=ON"]
    command += ["-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_FLAGS={WARNINGS}", *target.cmake_arguments(), *definitions]
    if shutil.which("ccache"):
        command.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    must(command, 120)
    output = must(["cmake", "--build", build_folder, "-j", str(jobs)], 1200).stdout
    warnings = re.findall(r"^.*warning: .*$", output, re.M)
    if warnings and check_warnings:
        raise Failed(f"{len(warnings)} warnings, the first: {warnings[0][-300:]}")
    return [find_program(build_folder, suffix) for suffix in programs]


def find_program(folder, suffix):
    """The one executable below `folder` whose name ends with _<suffix>."""
    found = [
        os.path.join(path, name)
        for path, _, names in os.walk(folder)
        for name in names
        if name.endswith("_" + suffix) and os.access(os.path.join(path, name), os.X_OK)
    ]
    if len(found) != 1:
        raise Failed(f"expected one program *_{suffix} in the build, found {len(found)}")
    return found[0]


def empty_folder(path):
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def check_same_bytes(first, other, where):
    """Two folders of outputs, the first of which comes from a single thread."""
    for name in sorted(os.listdir(first)):
        if not os.path.exists(os.path.join(other, name)):
            raise Failed(f"{where}: {name} was not written")
        with open(os.path.join(first, name), "rb") as a, open(os.path.join(other, name), "rb") as b:
            if a.read() != b.read():
                raise Failed(f"{where}: {name} has other bits than with 1 thread")


def find_model(name):
    """Path of NAME.onnx: from tests/data, the shared models, or completed from a skeleton into build/models."""
    places = [os.path.join(ROOT, "tests", "data")]
    if SHARED:
        places.append(os.path.join(SHARED, "models"))
    for place in places:
        if os.path.exists(os.path.join(place, name + ".onnx")):
            return os.path.join(place, name + ".onnx")
    if not SHARED:
        raise Skipped("the model is not in tests/data and AOTC_SHARED is not there")
    if not os.path.exists(os.path.join(SHARED, "models", "skeletons", name + ".onnx")):
        raise Failed(f"no model '{name}' in tests/data or in {os.path.join(SHARED, 'models')}")
    os.makedirs(MODEL_CACHE, exist_ok=True)
    must([sys.executable, os.path.join(SHARED, "models", "fill.py"), MODEL_CACHE, name], 900)
    return os.path.join(MODEL_CACHE, name + ".onnx")


# ------------------------------------------------------------------------------------------------------------ the tests


@dataclasses.dataclass
class Outcome:
    status: str  # passed, failed or skipped
    text: str


def attempt(function, *arguments):
    """Runs one test; what it returns is the text of a passed one. A slow one says how long it took."""
    start = time.monotonic()
    outcome = attempt_untimed(function, *arguments)
    seconds = time.monotonic() - start
    if seconds > 20:
        outcome.text += f" ({seconds:.0f} s)" if outcome.text else f"{seconds:.0f} s"
    return outcome


def attempt_untimed(function, *arguments):
    try:
        return Outcome("passed", function(*arguments) or "")
    except Failed as why:
        return Outcome("failed", str(why))
    except Skipped as why:
        return Outcome("skipped", str(why))
    except Exception as error:  # a fault of the harness must not hide the other results
        return Outcome("failed", f"{type(error).__name__}: {error}")


def test_in(folder, name, keep, function, *arguments):
    """Runs one test as attempt() does, with an empty folder below `folder` as its last argument, and prints its line."""
    work = empty_folder(os.path.join(folder, re.sub(r"[^\w+.-]+", "_", name)))
    outcome = attempt(function, *arguments, work)
    print(f"  {outcome.status:7}  {name}{': ' if outcome.text else ''}{outcome.text}", flush=True)
    if not keep:
        shutil.rmtree(work, ignore_errors=True)
    return outcome


def run_all(tasks, jobs=JOBS):
    """Runs functions of no arguments, `jobs` at a time; results in the order of `tasks`."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return [future.result() for future in [pool.submit(task) for task in tasks]]


def close(outcomes):
    """Prints the closing line that tests/run.sh reads and returns the exit code."""
    count = {status: sum(outcome.status == status for outcome in outcomes) for status in ("passed", "failed", "skipped")}
    for outcome in {o.text: o for o in outcomes if o.status == "skipped"}.values():
        print(f"skipped: {outcome.text}")
    print(f"{count['passed']} passed, {count['failed']} failed, {count['skipped']} skipped", flush=True)
    return 1 if count["failed"] or not outcomes else 0


def print_table(rows):
    """Rows of texts; the first is the heading. The last column is not padded."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join([*(text.ljust(width) for text, width in zip(row[:-1], widths)), row[-1]]).rstrip())


def words(text):
    return [word for word in text.split(",") if word]
