"""What generated code promises beside right results: no heap, no writable data, no shared symbols, nothing a sanitizer sees.

    run_guarantees.py [--all] [--models A,B] [--checks objects,heap,…] [--jobs N] [--keep] [--list]

A plain run takes one small model; --all takes every line of models.txt, for an hour or so. One test is one check on one model, or
one of the checks on small models of their own (--models none leaves only these). Checks are the functions of CHECKS and ALONE.
Work files lie in <build>/e2e/guarantees; --keep leaves them.
"""

import argparse
import dataclasses
import glob
import os
import re
import shutil
import sys

import numpy

import harness
import run_models
from harness import Failed, Target

WORK = os.path.join(harness.BUILD, "e2e", "guarantees")
PROGRAMS = os.path.join(harness.ROOT, "tests", "e2e", "programs")
IN_CI = ["mlperf_resnet8_fp32"]
NAME = "subject"  # of every model that programs/ may be linked with
STRICT = harness.WARNINGS + " -Werror"

# A finding must end the program. What the arena holds is told apart by the checked build.
ADDRESS = "-g -fsanitize=address,undefined -fno-sanitize-recover=all"
THREAD = "-g -fsanitize=thread"


class Subject:
    """A model of models.txt and what has been made of it."""

    def __init__(self, entry, work):
        self.entry = entry
        self.work = work
        self.data_folders = []
        self.builds = {}

    def generate(self, target_name, variant=""):
        """A generated folder; a variant is a copy of its own, to be edited."""
        folder = os.path.join(self.work, "generated " + target_name + variant)
        if not os.path.exists(folder):
            named = dataclasses.replace(self.entry, flags=[*self.entry.flags, "--name", NAME])
            self.data_folders = run_models.generate(named, Target(target_name), folder)
        return folder

    def build(self, folder, compiler, flags, definitions=(), programs=("run",)):
        """Built by `compiler` with `flags` for C++ and the assembler; returns the build folder and the programs. The same again
        builds what has changed."""
        key = (folder, compiler, flags, *definitions)
        build_folder = self.builds.setdefault(key, os.path.join(self.work, f"build {len(self.builds)}"))
        definitions = [f"-DCMAKE_CXX_FLAGS={flags}", f"-DCMAKE_ASM_FLAGS={flags}", *definitions]
        made = harness.build(folder, build_folder, compiler, Target("native"), definitions=definitions, programs=programs)
        return build_folder, *made


def edit(path, old, new):
    """Replaces all of `old` in a file; whether there was any."""
    with open(path, "rb") as file:
        text = file.read()
    if old.encode() not in text:
        return False
    with open(path, "wb") as file:
        file.write(text.replace(old.encode(), new.encode()))
    return True


# ---------------------------------------------------------------------------------------------------------------- objects


def check_sections(library):
    """Nothing that a program could write to, and nothing that runs before main()."""
    for line in harness.must(["objdump", "-h", library]).stdout.splitlines():
        found = re.match(r"\s*\d+ (\.\S+)\s+([0-9a-f]+) ", line)
        if not found or int(found.group(2), 16) == 0 or found.group(1).startswith(".data.rel.ro"):
            continue
        if re.match(r"\.(data|bss|tdata|tbss|init_array|ctors)($|\.)", found.group(1)):
            raise Failed(f"{os.path.basename(library)} has {int(found.group(2), 16)} bytes in {found.group(1)}")


def symbols_of(object_file):
    """Kind, mangled and demangled name of each symbol that the object defines."""
    listings = [harness.must(["nm", "--defined-only", *flags, object_file]).stdout.splitlines() for flags in ([], ["-C"])]
    rows = [(line.split(maxsplit=2), other.split(maxsplit=2)) for line, other in zip(*listings)]
    return [(mangled[1], mangled[2], plain[2]) for mangled, plain in rows if len(mangled) == 3]


X86_LEVELS = 5  # that the default target compiles for; some have empty sources where a model has no integer kernels


def check_level_symbols(build_folder, levels):
    """Weak symbols of two levels must never be merged: each carries its level, and none belongs to the standard library."""
    count = 0
    for path, _, names in os.walk(build_folder):
        level = re.search(r"_kernels_(\w+)\.dir", path)
        for name in names if level else ():
            if not name.endswith(".o"):
                continue
            count += 1
            for kind, mangled, plain in symbols_of(os.path.join(path, name)):
                if kind in "WVuw" and f"v0_1_{level.group(1)}" not in plain:
                    raise Failed(f"{name} of level {level.group(1)} defines '{plain}', which another level may take")
                if kind in "TtWVuw" and re.match(r"_ZN?K?S|_ZNK?9__gnu_cxx|_ZT[VTIS]N?S", mangled):
                    raise Failed(f"{name} of level {level.group(1)} holds '{plain}' of the standard library")
    if count != 4 * levels:
        raise Failed(f"expected {4 * levels} objects of kernels, found {count}")


def optimize(folder, level):
    """Edits the rules of a generated folder."""
    if not edit(os.path.join(folder, "cmake", "aotc_model.cmake"), "PRIVATE -O3 ${options}", f"PRIVATE {level} ${{options}}"):
        raise Failed("found no -O3 to replace in aotc_model.cmake")


def objects(subject):
    """Sections, symbols and warnings; of all levels in one library, also without optimization, and of this machine's."""
    generated = subject.generate("x86-64")
    plain = subject.generate("x86-64", " O0")
    optimize(plain, "-O0")  # a compiler that inlines nothing by itself shows every symbol
    native = subject.generate("native")
    for compiler in run_models.COMPILERS:
        for folder, flags, levels in [(generated, STRICT, X86_LEVELS), (plain, "-O0", X86_LEVELS), (native, STRICT + " -fno-exceptions -fno-rtti", 1)]:
            build_folder, _ = subject.build(folder, compiler, flags)
            check_sections(os.path.join(build_folder, f"lib{NAME}.a"))
            check_level_symbols(build_folder, levels)


# ------------------------------------------------------------------------------------------------------------ when it runs


def user_program(work, models, sources, compiler, flags="", definitions=""):
    """A program of an application: generated folders by name, sources with what is said about each. Returns its path."""
    folders = "".join(f'add_subdirectory("{folder}" {name})\n' for name, folder in models.items())
    text = f"cmake_minimum_required(VERSION 3.20)\nproject(user CXX)\nfind_package(Threads REQUIRED)\n{folders}add_executable(user {sources})\n{definitions}\n"
    if not definitions:
        text += f"target_link_libraries(user PRIVATE {' '.join(models)} Threads::Threads)\n"
    os.makedirs(work, exist_ok=True)
    with open(os.path.join(work, "CMakeLists.txt"), "w") as file:
        file.write(text)
    build_folder = os.path.join(work, "build")
    command = ["cmake", "-G", "Ninja", "-S", work, "-B", build_folder, "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_COMPILER={compiler}"]
    command += [f"-DCMAKE_CXX_FLAGS={flags}", *(["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else [])]
    harness.must(command, 120)
    harness.must(["cmake", "--build", build_folder, "-j", "1"], 1200)
    return os.path.join(build_folder, "user")


def heap(subject):
    """No call to the heap between the construction and the destruction of a session, on one thread and on three."""
    work = os.path.join(subject.work, "heap")
    program = user_program(work, {NAME: subject.generate("native")}, f'"{os.path.join(PROGRAMS, "heap.cpp")}"', "g++")
    if harness.must([program], 120).stdout != "quiet\n":
        raise Failed("the program did not come to its end")
    if "malloc was called" not in harness.run([program, "provoke"], 120).stderr:
        raise Failed("the program does not notice a call to malloc")


def check_outputs(subject, program):
    return run_models.check_data_sets(subject.entry, program, Target("native"), subject.data_folders, subject.work)


def address(subject):
    """AddressSanitizer and UndefinedBehaviorSanitizer in the checked build: each step sees its own buffers only."""
    _, program = subject.build(subject.generate("native"), "clang++-19", ADDRESS, ["-DAOTC_CHECKED=ON"])
    check_outputs(subject, program)


def thread(subject):
    """ThreadSanitizer."""
    _, program = subject.build(subject.generate("native"), "clang++-19", THREAD)
    check_outputs(subject, program)


def levels(subject):
    """The default build for x86-64 with each level that this processor has, the better ones left out of the choice."""
    folder = subject.generate("x86-64")
    source = os.path.join(folder, "src", NAME + ".cpp")
    with open(source) as file:
        choices = re.findall(r"if \(.*\) return steps_\w+;", file.read())
    if not choices:
        raise Failed(f"found no choice of levels in {NAME}.cpp")
    for choice in choices:
        _, program = subject.build(folder, "g++", STRICT)
        check_outputs(subject, program)
        edit(source, choice, "")


CHECKS = [objects, heap, address, thread, levels]

# -------------------------------------------------------------------------------------------------------- on their own


def small_models(work, target="native"):
    """Name -> generated folder of two models that share a program, with one input and one output each."""
    models = {"digits": "mnist_cntk", "anomaly": "mlperf_ad01_fp32"}
    folders = {name: os.path.join(work, name) for name in models}
    for name, model in models.items():
        harness.must([harness.AOTC, harness.find_model(model), "-o", folders[name], "--name", name, "--target", target, "-q"])
    return models, folders


def run_side_by_side(work, models, folders, compiler, flags=""):
    """Both models at once, two sessions each; outputs must be right. Each model's headers are seen by its own source only."""
    definitions = ""
    for name in models:
        definitions += f'add_library(with_{name} OBJECT "{os.path.join(PROGRAMS, "sessions.cpp")}")\n'
        definitions += f"target_compile_definitions(with_{name} PRIVATE MODEL={name} HEADER=\"{name}/{name}.hpp\")\ntarget_link_libraries(with_{name} PRIVATE {name})\n"
    definitions += "target_link_libraries(user PRIVATE with_digits with_anomaly digits anomaly Threads::Threads)\n"
    program = user_program(os.path.join(work, "user"), folders, f'"{os.path.join(PROGRAMS, "side_by_side.cpp")}"', compiler, flags, definitions)
    arguments, wanted = [], []
    for name, model in models.items():
        data = harness.find_model(model)[: -len(".onnx")] + ".io"
        paths = [os.path.join(work, f"{name}.{kind}") for kind in ("input", "output")]
        numpy.load(os.path.join(data, "input_0.npy")).tofile(paths[0])
        arguments += paths
        wanted.append((paths[1], numpy.load(os.path.join(data, "output_0.npy"))))
    harness.must([program, *arguments], 300)
    for path, reference in wanted:
        run_models.largest_difference(numpy.fromfile(path, reference.dtype).reshape(reference.shape), reference, os.path.basename(path))


def two_models(work):
    """Two models and two sessions of each at the same time, all of one version."""
    models, folders = small_models(work)
    run_side_by_side(work, models, folders, "clang++-19", THREAD)


def set_version(folder, version):
    """As if another aotc had written the folder."""
    for path, _, names in os.walk(folder):
        for name in names:
            edit(os.path.join(path, name), "v0_1", version)


def two_versions(work):
    """Two models written by two versions of aotc: no symbol of the one is known to the other."""
    models, folders = small_models(work, "x86-64")
    set_version(folders["anomaly"], "v9_9")
    run_side_by_side(work, models, folders, "g++")
    shared = set.intersection(*(weak_symbols(os.path.join(work, "user", "build", name, f"lib{name}.a")) for name in models))
    if shared:
        raise Failed(f"both libraries define '{sorted(shared)[0]}'")


def weak_symbols(library):
    """Those that the linker merges, what the standard library instantiates for the plan aside."""
    return {plain for kind, mangled, plain in symbols_of(library) if kind in "WVuw" and not re.match(r"_ZN?K?S", mangled)}


def checked_build_finds_a_stray_write(work):
    """One element past a step's buffer: seen by the checked build, and by no other."""
    folder = os.path.join(work, "generated")
    model = harness.find_model("mlperf_resnet8_fp32")
    harness.must([harness.AOTC, model, "-o", folder, "--name", NAME, "--target", "native", "-q"])
    optimize(folder, "-O1")  # which takes a fifth of the time
    begin, write = "void conv2d_5(const Frame& f, Part part) {\n", "  f.at<float>(buffer::conv2d_5)[16 * 16 * 32] = 0.0f;\n"
    if sum(edit(os.path.join(folder, "src", f"{NAME}_kernels_{shard}.cpp"), begin, begin + write) for shard in range(4)) != 1:
        raise Failed("found no step 'conv2d_5' to edit")
    inputs = model[: -len(".onnx")] + ".io"
    for checked in ("OFF", "ON"):
        definitions = [f"-DAOTC_CHECKED={checked}", f"-DCMAKE_CXX_FLAGS={ADDRESS}"]
        (program,) = harness.build(folder, os.path.join(work, checked), "g++", Target("native"), definitions=definitions)
        result = harness.run([program, "--inputs", inputs, "--outputs", harness.empty_folder(os.path.join(work, "outputs"))])
        if (result.code != 0, "use-after-poison" in result.stderr) != (checked == "ON", checked == "ON"):
            raise Failed(f"with AOTC_CHECKED={checked}: {harness.describe_code(result.code)}, {result.stderr.strip()[:200]}")


PAGE_WIDTH = 120
LONG_NAME = "name_that_makes_declarations_rather_wide"  # of more than 43 characters, a type and a name pass the page
# Names of exporters that are paths, quantized steps, an LSTM; weights in the library and beside it.
PAGES = {"mlperf_kws_fp32": ["--weights", "file"], "mlperf_resnet8_fp32": ["--name", LONG_NAME], "kws_lstm": [], "mlperf_resnet8_ortqdq": []}


SOURCES = (".hpp", ".cpp", ".h", ".cmake", "CMakeLists.txt")


def check_pages(folder, has_long_name):
    """What is written for the model, and copies; in those that its name is filled in to, a long one may pass the page."""
    paths = [path for path in glob.glob(f"{folder}/**", recursive=True) if path.endswith(SOURCES) and "/third_party/" not in path]
    filled_in = [f"{folder}/CMakeLists.txt", *glob.glob(f"{folder}/tools/*")]
    for path in paths:
        if has_long_name and path in filled_in:
            continue
        with open(path) as file:
            for number, line in enumerate(file, 1):
                if len(line) - 1 > PAGE_WIDTH:
                    raise Failed(f"{os.path.basename(path)}, line {number} has {len(line) - 1} columns: {line.strip()[:60]} …")


def lines_fit_the_page(work):
    """No file has a line of more than 120 columns, sources and headers of the model not even where its names are long."""
    for model, flags in PAGES.items():
        entry = next(entry for entry in run_models.read_entries() if entry.test == model)
        folder = os.path.join(work, model)
        run_models.generate(dataclasses.replace(entry, flags=[*entry.flags, *flags]), Target("native"), folder)
        check_pages(folder, LONG_NAME in flags)
    for shipped in ("runtime_stub", os.path.join("templates", "kernels")):
        check_pages(os.path.join(harness.ROOT, shipped), False)


ALONE = [two_models, two_versions, checked_build_finds_a_stray_write, lines_fit_the_page]


# -------------------------------------------------------------------------------------------------------------------- all


def report(name, outcome):
    print(f"  {outcome.status:7}  {name}{': ' if outcome.text else ''}{outcome.text}", flush=True)
    return outcome


def test_model(entry, checks, keep):
    """All checks of one model, one after the other, on the same generated folders."""
    subject = Subject(entry, harness.empty_folder(os.path.join(WORK, entry.test)))
    outcomes = [report(f"{entry.test}: {check.__name__}", harness.attempt(check, subject)) for check in checks]
    if not keep:
        shutil.rmtree(subject.work, ignore_errors=True)
    return outcomes


def test_alone(function, keep):
    return [harness.test_in(WORK, function.__name__.replace("_", " "), keep, function)]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every line of models.txt")
    parser.add_argument("--models", type=harness.words, help="tests of models.txt, by name")
    parser.add_argument("--checks", type=harness.words, help="names of checks")
    parser.add_argument("--jobs", type=int, default=harness.JOBS)
    parser.add_argument("--keep", action="store_true", help="leave the work files")
    parser.add_argument("--list", action="store_true", help="print the checks and stop")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    if arguments.list:
        for check in CHECKS + ALONE:
            print(f"{check.__name__:34} {check.__doc__}")
        return 0
    names = [entry.test for entry in run_models.read_entries()] if arguments.all else arguments.models or IN_CI
    chosen = lambda checks: [check for check in checks if arguments.checks is None or check.__name__ in arguments.checks]
    tasks = [lambda function=function: test_alone(function, arguments.keep) for function in chosen(ALONE)]
    entries = run_models.choose_entries(names) if names != ["none"] and chosen(CHECKS) else []
    tasks += [lambda entry=entry: test_model(entry, chosen(CHECKS), arguments.keep) for entry in entries]
    return harness.close([outcome for outcomes in harness.run_all(tasks, arguments.jobs) for outcome in outcomes])


if __name__ == "__main__":
    sys.exit(main())
