"""The CMake project of a generated folder: what an application may do with it beside building the tools.

    run_project.py [--keep]

Two small models are compiled once; each test uses their folders in another way. Work files lie in <build>/e2e, under a
name with a blank. --keep leaves them.
"""

import argparse
import filecmp
import json
import os
import shutil
import sys

import harness
from harness import Failed

WORK = os.path.join(harness.BUILD, "e2e", "pro ject")
MODELS = {"digits": "mnist_cntk", "anomaly": "mlperf_ad01_fp32"}

USER = """
#include <cstdio>
#include "digits/digits.hpp"
#ifdef BOTH
#include "anomaly/anomaly.hpp"
#endif

int main() {
  const digits::Model model;
  digits::Session session{model};
  if (session.run() != aotc::Status::ok) return 1;
#ifdef BOTH
  const anomaly::Model other;
  anomaly::Session second{other};
  if (second.run() != aotc::Status::ok) return 2;
#endif
  std::puts("ran");
}
"""

# Prints for each model whether its library calls the hooks.
PROFILED = """
#include <cstdio>
#include "anomaly/anomaly.hpp"
#include "digits/digits.hpp"

void note(void* called, int) { *static_cast<int*>(called) = 1; }

template <class Model, class Session>
int calls_hooks() {
  int called = 0;
  const aotc::Profiler profiler{note, note, &called};
  aotc::SessionOptions options;
  options.profiler = &profiler;
  const Model model;
  Session session{model, options};
  return session.run() == aotc::Status::ok ? called : -1;
}

int main() {
  const int digits = calls_hooks<digits::Model, digits::Session>();
  std::printf("%d %d\\n", digits, calls_hooks<anomaly::Model, anomaly::Session>());
}
"""


def folder(name):
    return os.path.join(WORK, name)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def configure(source, build, *definitions):
    command = ["cmake", "-G", "Ninja", "-S", source, "-B", build, *definitions]
    if shutil.which("ccache"):
        command.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    harness.must(command, 120)


def build(path):
    harness.must(["cmake", "--build", path, "-j", str(harness.JOBS)], 900)


def expect_ran(program):
    if harness.must([program], 60).stdout != "ran\n":
        raise Failed("the program did not run both models")


def user_project(name, lines):
    source = folder(name)
    write(os.path.join(source, "main.cpp"), USER)
    write(os.path.join(source, "CMakeLists.txt"), "cmake_minimum_required(VERSION 3.20)\nproject(user CXX)\n" + lines)
    return source


# ------------------------------------------------------------------------------------------------------------- the tests


def compiles_the_models():
    for name, model in MODELS.items():
        harness.must([harness.AOTC, harness.find_model(model), "-o", folder(name), "--name", name, "-q"])


def two_runs_give_the_same_bytes():
    other = os.path.join(WORK, "elsewhere", "digits")
    harness.must([harness.AOTC, harness.find_model("mnist_cntk"), "-o", other, "--name", "digits", "-q"])
    compare_folders(folder("digits"), other)
    stamps = {path: os.stat(path).st_mtime_ns for path in files_below(other)}
    harness.must([harness.AOTC, harness.find_model("mnist_cntk"), "-o", other, "--name", "digits", "-q"])
    if stamps != {path: os.stat(path).st_mtime_ns for path in files_below(other)}:
        raise Failed("files that did not change have new time stamps")


def files_below(path):
    return [os.path.join(where, name) for where, _, names in os.walk(path) for name in names]


def compare_folders(first, second):
    names = [sorted(os.path.relpath(path, root) for path in files_below(root)) for root in (first, second)]
    if names[0] != names[1]:
        raise Failed("the folders hold different files")
    for name in names[0]:
        if not filecmp.cmp(os.path.join(first, name), os.path.join(second, name), shallow=False):
            raise Failed(f"{name} differs")


def says_what_it_holds():
    with open(os.path.join(folder("digits"), "MANIFEST.json")) as file:
        manifest = json.load(file)
    found = {os.path.relpath(path, folder("digits")) for path in files_below(folder("digits"))} - {"MANIFEST.json"}
    if found != set(manifest["files"]):
        raise Failed(f"MANIFEST.json and the folder differ in {sorted(found ^ set(manifest['files']))}")
    for path in files_below(folder("digits")):
        with open(path, "rb") as file:
            if WORK.encode() in file.read():
                raise Failed(f"{os.path.basename(path)} holds an absolute path")


def serves_as_subdirectories():
    source = user_project("subdirectories", f"""
add_subdirectory("{folder('digits')}" digits)
add_subdirectory("{folder('anomaly')}" anomaly)
add_executable(user main.cpp)
target_compile_definitions(user PRIVATE BOTH)
target_link_libraries(user PRIVATE digits::digits anomaly::anomaly)
""")
    configure(source, os.path.join(source, "build"), "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    build(os.path.join(source, "build"))
    expect_ran(os.path.join(source, "build", "user"))
    return source


def optimizes_kernels_in_debug_builds():
    with open(os.path.join(folder("subdirectories"), "build", "compile_commands.json")) as file:
        commands = [entry["command"].split() for entry in json.load(file) if "_kernels_" in entry["file"]]
    models, sources, levels = 2, 4, 5
    if len(commands) != models * sources * levels:
        raise Failed(f"expected {models * sources * levels} compilations of kernels, found {len(commands)}")
    for command in commands:
        if [word for word in command if word.startswith("-O")][-1:] != ["-O3"] or "-ffp-contract=off" not in command:
            raise Failed(f"not optimized: {' '.join(command)}")


def installs(shared):
    kind = "shared" if shared else "static"
    prefix, made = folder("prefix " + kind), folder("build " + kind)
    configure(folder("digits"), made, "-DBUILD_SHARED_LIBS=" + ("ON" if shared else "OFF"))
    build(made)
    harness.must(["cmake", "--install", made, "--prefix", prefix])
    source = user_project("user " + kind, "find_package(digits 0.1 REQUIRED)\nadd_executable(user main.cpp)\n"
                          "target_link_libraries(user PRIVATE digits::digits)\n")
    configure(source, os.path.join(source, "build"), "-DCMAKE_PREFIX_PATH=" + prefix)
    build(os.path.join(source, "build"))
    expect_ran(os.path.join(source, "build", "user"))


def installs_as_a_static_library():
    installs(False)


def installs_as_a_shared_library():
    installs(True)


def goes_into_a_shared_library():
    source = user_project("plugin", f"""
add_subdirectory("{folder('digits')}" digits)
add_library(plugin MODULE main.cpp)
target_link_libraries(plugin PRIVATE digits)
""")
    configure(source, os.path.join(source, "build"))
    build(os.path.join(source, "build"))
    symbols = harness.must(["nm", "-D", "--defined-only", "-C", os.path.join(source, "build", "libplugin.so")]).stdout
    shown = [line for line in symbols.splitlines() if "digits" in line]
    if shown:
        raise Failed(f"{len(shown)} symbols of the model are visible, the first: {shown[0]}")


def refuses_fast_math():
    made = folder("fast math")
    configure(folder("digits"), made, "-DCMAKE_CXX_FLAGS=-ffast-math")
    result = harness.run(["cmake", "--build", made], 300)
    if result.code == 0 or "compile without -ffast-math" not in result.stdout:
        raise Failed("-ffast-math must be an error that says so")


def needs_no_cmake():
    native = folder("native")
    harness.must([harness.AOTC, harness.find_model("mnist_cntk"), "-o", native, "--name", "digits", "--target", "native", "-q"])
    write(os.path.join(WORK, "main.cpp"), USER)
    for compiler in ("g++", "clang++-19"):
        if not shutil.which(compiler):
            continue
        program = folder("without cmake " + compiler)
        command = f"{compiler} -std=c++17 -O2 -march=native -ffp-contract=off -Iinclude -Iruntime -Ikernels -Ithird_party/xsimd -Isrc " \
                  f"src/*.cpp src/*.S runtime/aotc/*.cpp ../main.cpp -pthread -o '{program}'"
        harness.must(["sh", "-c", command], 600, native)
        expect_ran(program)


def builds_without_threads():
    source = user_project("alone", f"""
add_subdirectory("{folder('digits')}" digits)
add_executable(user main.cpp)
target_link_libraries(user PRIVATE digits)
""")
    configure(source, os.path.join(source, "build"), "-DAOTC_NO_THREADS=ON")
    build(os.path.join(source, "build"))
    expect_ran(os.path.join(source, "build", "user"))
    symbols = harness.must(["nm", "-C", os.path.join(source, "build", "user")]).stdout
    if "pthread_create" in symbols:
        raise Failed("the program still starts threads")


def profiles_one_of_two_models():
    source = user_project("profiled", f"""
add_subdirectory("{folder('digits')}" digits)
add_subdirectory("{folder('anomaly')}" anomaly)
add_executable(user profiled.cpp)
target_link_libraries(user PRIVATE digits anomaly)
""")
    write(os.path.join(source, "profiled.cpp"), PROFILED)
    for model, expected in (("DIGITS", "1 0\n"), ("ANOMALY", "0 1\n")):
        path = os.path.join(source, "build " + model)
        configure(source, path, "-DCMAKE_BUILD_TYPE=Debug", f"-D{model}_PROFILE=ON")
        build(path)
        found = harness.must([os.path.join(path, "user")], 60).stdout
        if found != expected:
            raise Failed(f"{model}_PROFILE: expected hooks to be called as '{expected.strip()}', found '{found.strip()}'")


TESTS = [compiles_the_models, two_runs_give_the_same_bytes, says_what_it_holds, serves_as_subdirectories,
         optimizes_kernels_in_debug_builds, installs_as_a_static_library, installs_as_a_shared_library, goes_into_a_shared_library,
         refuses_fast_math, needs_no_cmake, builds_without_threads, profiles_one_of_two_models]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="leave the work files")
    options = parser.parse_args()
    harness.empty_folder(WORK)
    outcomes = []
    for function in TESTS:
        outcome = harness.attempt(function)
        outcomes.append(outcome)
        print(f"{outcome.status}  {function.__name__.replace('_', ' ')}  {outcome.text if outcome.status != 'passed' else ''}".rstrip(), flush=True)
    if not options.keep:
        shutil.rmtree(WORK)
    return harness.close(outcomes)


if __name__ == "__main__":
    sys.exit(main())
