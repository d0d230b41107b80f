"""The CMake package: aotc is installed, and projects use find_package(aotc) and aotc_add_model() with Ninja and with Make.

    run_package.py [--keep]

One test is one thing that a project relies on; each generator goes through all of them on one small project. Work files lie in
<build>/e2e, under a name with a blank. --keep leaves them.
"""

import argparse
import os
import shutil
import sys
import time

import numpy
import onnx

import harness
from harness import Failed

WORK = os.path.join(harness.BUILD, "e2e", "pack age")
PREFIX = os.path.join(WORK, "prefix")
GENERATORS = ["Ninja", "Unix Makefiles"]

PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(app CXX)
find_package(aotc 0.1 CONFIG REQUIRED)
aotc_add_model(digits MODEL "my model.onnx" NAME digits THREADS 2 TARGET native)
aotc_add_model(anomaly MODEL anomaly.onnx INPUT_DIMS @DIMS@ OPTIONS --weights file -q)
add_executable(app main.cpp)
target_link_libraries(app PRIVATE digits anomaly)
get_target_property(weights anomaly AOTC_WEIGHTS_FILE)
target_compile_definitions(app PRIVATE "WEIGHTS=\\"${weights}\\"")
"""

MAIN = """
#include <cstdio>
#include "anomaly/anomaly.hpp"
#include "digits/digits.hpp"

int main() {
  const digits::Model model;
  digits::Session session{model};
  const anomaly::Model other{WEIGHTS};
  anomaly::Session second{other};
  for (int i = 0; i < 28 * 28; ++i) static_cast<float*>(session.input(0))[i] = 0.5f;
  if (session.run() != aotc::Status::ok) return 1;
  if (second.run() != aotc::Status::ok) return 2;
  std::printf("%.9g\\n", static_cast<double>(*static_cast<const float*>(session.output(0))));
}
"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def install():
    harness.must(["cmake", "--install", harness.BUILD, "--prefix", PREFIX])
    for path in ("bin/aotc", "lib/cmake/aotc/aotcConfig.cmake", "share/aotc/project/CMakeLists.txt.in", "share/aotc/third_party/xsimd/LICENSE"):
        if not os.path.exists(os.path.join(PREFIX, path)):
            raise Failed(f"{path} was not installed")


class Project:
    """A small application in source/ and its build by one generator."""

    def __init__(self, generator):
        self.generator = generator
        self.source = os.path.join(WORK, "source " + generator.split()[0])
        self.build_folder = os.path.join(WORK, "build " + generator.split()[0])
        self.model = os.path.join(self.source, "my model.onnx")
        write(os.path.join(self.source, "main.cpp"), MAIN)
        write(os.path.join(self.source, "CMakeLists.txt"), PROJECT.replace("@DIMS@", "input_1:0=1"))
        shutil.copy(harness.find_model("mnist_cntk"), self.model)
        anomaly = onnx.load(harness.find_model("mlperf_ad01_fp32"))
        onnx.save(anomaly, os.path.join(self.source, "anomaly.onnx"), save_as_external_data=True, location="anomaly.data", size_threshold=0)

    def configure(self):
        command = ["cmake", "-G", self.generator, "-S", self.source, "-B", self.build_folder, "-DCMAKE_PREFIX_PATH=" + PREFIX]
        if shutil.which("ccache"):
            command.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        harness.must(command, 120)

    def build(self):
        """What was done, as lines of the build tool."""
        command = ["cmake", "--build", self.build_folder, "-j", str(harness.JOBS)]
        lines = harness.must(command, 900).stdout.splitlines()
        return [line for line in lines if "Compiling" in line or "Building" in line or "Linking" in line]

    def run(self):
        return harness.must([os.path.join(self.build_folder, "app")], 60).stdout

    # -------------------------------------------------------------------------------------------------------- the tests

    def builds_and_runs(self):
        self.configure()
        self.build()
        self.first_result = self.run()

    def does_nothing_twice(self):
        done = self.build()
        if done:
            raise Failed(f"the second build did {len(done)} steps, the first: {done[0]}")

    def sees_a_touched_model(self):
        time.sleep(1.1)
        os.utime(self.model)
        done = self.build()
        if not any("my model.onnx" in line for line in done):
            raise Failed("aotc was not run again")
        if any("Building" in line for line in done):
            raise Failed(f"sources that are the same were compiled again: {done}")
        self.does_nothing_twice()

    def sees_changed_weights(self):
        model = onnx.load(self.model)
        bias = next(i for i in model.graph.initializer if i.data_type == onnx.TensorProto.FLOAT and list(i.dims) == [1, 10])
        bias.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(bias) + numpy.float32(1), bias.name))
        time.sleep(1.1)
        onnx.save(model, self.model)
        done = self.build()
        if not any("digits_weights.S" in line for line in done):
            raise Failed("the weights were not assembled again")
        if any("_kernels_" in line for line in done):
            raise Failed("kernels were compiled again although only a weight changed")
        if self.run() == self.first_result:
            raise Failed("the program still has the old weights")
        self.does_nothing_twice()

    def sees_changed_external_data(self):
        time.sleep(1.1)
        with open(os.path.join(self.source, "anomaly.data"), "r+b") as file:
            file.seek(-4, os.SEEK_END)
            file.write(b"\0\0\x80\x3f")
        done = self.build()
        if not any("anomaly.onnx" in line for line in done) or any("my model.onnx" in line for line in done):
            raise Failed(f"aotc must run again for the model whose data changed, and for it alone: {done}")
        self.run()
        self.does_nothing_twice()

    def sees_a_new_aotc(self):
        time.sleep(1.1)
        os.utime(os.path.join(PREFIX, "bin", "aotc"))
        if sum("Compiling" in line for line in self.build()) != 2:
            raise Failed("aotc was not run again for both models")
        self.does_nothing_twice()

    def keeps_the_old_output_when_it_fails(self):
        with open(self.model, "rb") as file:
            good = file.read()
        before = self.run()
        time.sleep(1.1)
        with open(self.model, "wb") as file:
            file.write(good[:100])
        if harness.run(["cmake", "--build", self.build_folder], 300).code == 0:
            raise Failed("a truncated model was built")
        if self.run() != before:
            raise Failed("the program changed")
        time.sleep(1.1)
        with open(self.model, "wb") as file:
            file.write(good)
        self.build()
        self.does_nothing_twice()


def tests_of(project):
    return [project.builds_and_runs, project.does_nothing_twice, project.sees_a_touched_model, project.sees_changed_weights,
            project.sees_changed_external_data, project.sees_a_new_aotc, project.keeps_the_old_output_when_it_fails]


def takes_the_host_tool():
    """Cross-compiling: nothing but AOTC_EXECUTABLE, or PATH, says which aotc runs here."""
    source = os.path.join(WORK, "cross")
    shutil.copytree(os.path.join(PREFIX, "share"), os.path.join(source, "target", "share"), dirs_exist_ok=True)
    shutil.copytree(os.path.join(PREFIX, "lib", "cmake"), os.path.join(source, "target", "lib", "cmake"), dirs_exist_ok=True)
    shutil.copy(harness.find_model("mnist_cntk"), os.path.join(source, "digits.onnx"))
    write(os.path.join(source, "CMakeLists.txt"), 'cmake_minimum_required(VERSION 3.20)\nproject(app CXX)\n'
          "find_package(aotc CONFIG REQUIRED)\naotc_add_model(digits MODEL digits.onnx)\n")
    command = ["cmake", "-G", "Ninja", "-S", source, "-DCMAKE_PREFIX_PATH=" + os.path.join(source, "target"),
               "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=" + os.uname().machine]
    without = dict(os.environ, PATH=os.pathsep.join(p for p in os.environ["PATH"].split(os.pathsep) if not os.path.exists(os.path.join(p, "aotc"))))
    env = ["env", "PATH=" + without["PATH"]]
    result = harness.run([*env, *command, "-B", os.path.join(source, "none")], 120)
    if result.code == 0 or "cannot find aotc" not in result.stderr:
        raise Failed("without an aotc for this machine CMake must say so")
    harness.must([*env, *command, "-B", os.path.join(source, "given"), "-DAOTC_EXECUTABLE=" + os.path.join(PREFIX, "bin", "aotc")], 120)
    harness.must(["cmake", "--build", os.path.join(source, "given"), "--target", "digits_generate"], 120)
    with_path = ["env", "PATH=" + os.path.join(PREFIX, "bin") + os.pathsep + without["PATH"]]
    harness.must([*with_path, *command, "-B", os.path.join(source, "path")], 120)
    harness.must(["cmake", "--build", os.path.join(source, "path"), "--target", "digits_generate"], 120)


def is_part_of_another_project():
    """As with FetchContent: aotc is built first, then run. Configured only; building aotc once more takes too long."""
    source = os.path.join(WORK, "fetched")
    shutil.copy(harness.find_model("mnist_cntk"), os.path.join(harness.empty_folder(source), "digits.onnx"))
    write(os.path.join(source, "CMakeLists.txt"), 'cmake_minimum_required(VERSION 3.25)\nproject(app C CXX)\ninclude(FetchContent)\n'
          f'FetchContent_Declare(aotc SOURCE_DIR "{harness.ROOT}")\nFetchContent_MakeAvailable(aotc)\naotc_add_model(digits MODEL digits.onnx)\n')
    folder = os.path.join(source, "build")
    harness.must(["cmake", "-G", "Ninja", "-S", source, "-B", folder], 300)
    commands = harness.must(["ninja", "-C", folder, "-t", "commands", "digits"], 120).stdout.splitlines()
    built = [i for i, line in enumerate(commands) if " -o _deps/aotc-build/driver/aotc " in line]
    used = [i for i, line in enumerate(commands) if "driver/aotc" in line and "--depfile" in line]
    if len(built) != 1 or len(used) != 1 or built[0] > used[0]:
        raise Failed("aotc must be linked, then run on the model")
    if any("GTest" in line or "_test" in line for line in commands):
        raise Failed("the tests of aotc are part of the other project")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="leave the work files")
    options = parser.parse_args()
    harness.empty_folder(WORK)
    outcomes = []

    def test(name, function):
        outcome = harness.attempt(function)
        outcomes.append(outcome)
        print(f"{outcome.status}  {name}  {outcome.text}".rstrip(), flush=True)

    test("install", install)
    for generator in GENERATORS:
        project = Project(generator)
        for function in tests_of(project):
            test(f"{generator}: {function.__name__.replace('_', ' ')}", function)
    test("takes the host tool", takes_the_host_tool)
    test("is part of another project", is_part_of_another_project)
    if not options.keep:
        shutil.rmtree(WORK)
    return harness.close(outcomes)


if __name__ == "__main__":
    sys.exit(main())
