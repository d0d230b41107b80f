"""Whole models for --target vulkan: compiled, their shaders validated, built, run on a software device, compared with stored outputs.

    run_vulkan.py [--models A,B] [--flags="--precision fp16 --gpu desktop"] [--options=-fsanitize=address] [--device] [--keep]

A test is one model of models.txt, compiled as it says there or with further flags. It passes where spirv-val accepts every shader for
Vulkan 1.1, the generated code compiles without a warning, the validation layers have nothing to say with synchronization validation
on, and every output is within 1e-3 * max|reference| of the stored one, with weights in 16 bits 2e-2. Without --models, two
applications are tested too. The device is lavapipe of mesa-vulkan-drivers, with --device whatever the loader finds, without layers.
--options adds to the compiler's. --keep leaves the work files (<build>/e2e/vulkan).
"""

import argparse
import functools
import glob
import os
import shutil
import sys

import numpy

import harness
import run_models
from harness import Failed, Skipped, Target

WORK = os.path.join(harness.BUILD, "e2e", "vulkan")
TARGET = Target("vulkan")
TOLERANCE, HALF_TOLERANCE = 1e-3, 2e-2  # of the largest magnitude in the reference

MODELS = """mnist_cntk mlperf_resnet8_fp32 mlperf_kws_fp32 mlperf_vww_fp32 mlperf_ad01_fp32 ultraface_rfb_320 mobilenet_v2
            mobilenet_v3_small resnet18 squeezenet1_1 super_resolution_x3 unet_small_256 minilm_l6_seq128 mjx_g1_policy
            kws_lstm mlperf_resnet8_int8 ds_cnn_kws_qdq_u8 mlperf_resnet8_fp16 mobilenet_v2_fp16""".split()
# On top of those: models and further flags.
VARIANTS = [("mlperf_resnet8_fp32", "--precision fp16"), ("kws_lstm", "--precision fp16"), ("mlperf_resnet8_fp32", "--gpu desktop"),
            ("mlperf_kws_fp32", "--gpu mobile"), ("mlperf_resnet8_fp16", "--gpu desktop"),
            ("mlperf_ad01_fp32", "--weights file"), ("skl_gnb_wine", "--weights file")]  # fmt: skip

LAYER = "VK_LAYER_KHRONOS_validation"
LAYER_SETTINGS = """khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn
khronos_validation.log_filename = stdout
"""


# ---------------------------------------------------------------------------------------------------------------- the device


def find_file(pattern, package):
    found = [path for folder in ("/usr/share", "/usr/local/share", "/etc") for path in glob.glob(os.path.join(folder, "vulkan", pattern))]
    if not found:
        raise Skipped(f"{package} is not installed")
    return found[0]


def choose_software():
    """Lavapipe and the layers, for all programs that this one runs."""
    os.makedirs(WORK, exist_ok=True)
    find_file("explicit_layer.d/VkLayer_khronos_validation.json", "vulkan-validationlayers")
    settings = os.path.join(WORK, "vk_layer_settings.txt")
    with open(settings, "w") as file:
        file.write(LAYER_SETTINGS)
    icd = find_file("icd.d/lvp_icd*.json", "mesa-vulkan-drivers")
    # The driver is unloaded before leaks are looked for, which then shows its own, by nobody's name.
    os.environ["ASAN_OPTIONS"] = "detect_leaks=0"
    os.environ.update(VK_ICD_FILENAMES=icd, VK_DRIVER_FILES=icd, VK_INSTANCE_LAYERS=LAYER, VK_LAYER_SETTINGS_PATH=settings)


def make_parser(description):
    """What all programs for a device understand."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", action="store_true", help="run on the device that the loader finds, without layers")
    parser.add_argument("--keep", action="store_true", help="leave the work files")
    return parser


def run_tests(tests, arguments, jobs=1):
    """Functions of no arguments that return outcomes, on the device that `arguments` choose. Returns the exit code."""
    ready = harness.Outcome("passed", "") if arguments.device else harness.attempt(choose_software)
    return harness.close(harness.run_all(tests, jobs) if ready.status == "passed" else [ready])


# ------------------------------------------------------------------------------------------------------------------ one test


def validate_shaders(folder):
    """Returns how many there are."""
    if not shutil.which("spirv-val"):
        raise Skipped("spirv-tools is not installed")
    shaders = sorted(glob.glob(os.path.join(folder, "shaders", "*.spv")))
    for shader in shaders:
        result = harness.run(["spirv-val", "--target-env", "vulkan1.1", shader])
        if result.code != 0:
            raise Failed(f"{os.path.basename(shader)}: {(result.stdout + result.stderr).strip()[:300]}")
    return len(shaders)


def run_program(program, inputs, outputs):
    """A program that is well says nothing; the layers speak on the standard output."""
    result = harness.run([program, "--inputs", inputs, "--outputs", harness.empty_folder(outputs)], 1200)
    said = (result.stdout + result.stderr).strip()
    if result.code != 0 or said:
        raise Failed(f"{harness.name_of([program])} ended with {harness.describe_code(result.code)}: {said[:400] or 'no message'}")


def difference(got, want, name, tolerance):
    """As a fraction of what is allowed."""
    if got.shape != want.shape or got.dtype != want.dtype:
        raise Failed(f"{name}: expected {want.dtype}{list(want.shape)}, found {got.dtype}{list(got.shape)}")
    if want.dtype.kind != "f":
        return run_models.largest_difference(got, want, name)
    got, want = got.astype(numpy.float64), want.astype(numpy.float64)
    allowed = tolerance * numpy.abs(want).max(initial=0)
    largest = numpy.abs(got - want).max(initial=0)
    if not largest <= allowed:  # a NaN is a failure too
        raise Failed(f"{name}: differs by {largest:.3g}, allowed are {allowed:.3g}")
    return largest / allowed if allowed else 0.0


def compare(outputs, reference, tolerance):
    names = sorted(os.path.basename(path) for path in glob.glob(os.path.join(glob.escape(reference), "output_*.npy")))
    if not names:
        raise Failed(f"no stored outputs in {reference}")
    where = os.path.basename(reference)
    return max(difference(numpy.load(os.path.join(outputs, name)), numpy.load(os.path.join(reference, name)), f"{where}: {name}", tolerance) for name in names)


def generate(entry, flags, folder):
    """Returns the folders of the data sets."""
    model = harness.find_model(entry.model)
    data = [os.path.join(os.path.dirname(model), f"{entry.model}.{name}") for name in entry.data]
    harness.compile_model(model, folder, TARGET, [flag.replace("{io}", data[0]) for flag in entry.flags] + flags)
    return data


def test_model(entry, further, options, work):
    generated = os.path.join(work, "generated")
    data = generate(entry, further, generated)
    tolerance = HALF_TOLERANCE if "fp16" in further or "half" in entry.marks else TOLERANCE
    shaders = validate_shaders(generated)
    flags = [f"-DCMAKE_CXX_FLAGS={harness.WARNINGS} {options}", f"-DCMAKE_EXE_LINKER_FLAGS={options}"] if options else []
    (program,) = harness.build(generated, os.path.join(work, "build"), "g++", TARGET, definitions=flags)
    worst = 0.0
    for reference in data:
        outputs = os.path.join(work, "outputs")
        run_program(program, reference, outputs)
        worst = max(worst, compare(outputs, reference, tolerance))
    report = run_models.read_report(generated)
    gpu, steps = report["gpu"], len(report["steps"])
    if gpu["dispatches"] > steps or gpu["barriers"] > gpu["dispatches"]:
        raise Failed(f"{steps} steps take {gpu['dispatches']} dispatches and {gpu['barriers']} barriers")
    return f"difference {100 * worst:.2g} % of what is allowed, {shaders} shaders, {gpu['dispatches']} dispatches, {gpu['barriers']} barriers"


# ------------------------------------------------------------------------------------------------------------ applications

PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(app CXX)
include("@RULES@")
aotc_add_model(digits MODEL "@MODEL@" NAME digits TARGET vulkan)
add_executable(app "@ROOT@/tests/e2e/programs/vulkan.cpp")
target_link_libraries(app PRIVATE digits)
find_package(Vulkan REQUIRED)
target_link_libraries(app PRIVATE Vulkan::Vulkan)
find_package(Threads REQUIRED)
target_link_libraries(app PRIVATE Threads::Threads)
"""


def test_application(options, work):
    """aotc_add_model() for a device, and a program that does what applications may do."""
    values = {"RULES": os.path.join(harness.ROOT, "runtime_stub", "cmake", "aotc_add_model.cmake"), "ROOT": harness.ROOT}
    values["MODEL"] = harness.find_model("mnist_cntk")
    text = PROJECT
    for key, value in values.items():
        text = text.replace(f"@{key}@", value)
    with open(os.path.join(work, "CMakeLists.txt"), "w") as file:
        file.write(text)
    build = os.path.join(work, "build")
    flags = [f"-DCMAKE_CXX_FLAGS={harness.WARNINGS} {options}", f"-DCMAKE_EXE_LINKER_FLAGS={options}"]
    harness.must(["cmake", "-G", "Ninja", "-S", work, "-B", build, f"-DAOTC_EXECUTABLE={harness.AOTC}", "-DCMAKE_BUILD_TYPE=Release", *flags])
    harness.must(["cmake", "--build", build], 1200)
    result = harness.run([os.path.join(build, "app")], 1200)
    if result.code != 0 or result.stdout or result.stderr:
        raise Failed(f"ended with {harness.describe_code(result.code)} (a line of vulkan.cpp): {(result.stdout + result.stderr).strip()[:400]}")


def test_no_device(options, work):
    """With the loader opened at run time, a machine without a device, or without Vulkan, gets a message."""
    generated = os.path.join(work, "generated")
    harness.compile_model(harness.find_model("mnist_cntk"), generated, TARGET, [])
    (program,) = harness.build(generated, os.path.join(work, "build"), "g++", TARGET, definitions=["-DAOTC_VULKAN_DLOPEN=ON"])
    if "libvulkan" in harness.must(["readelf", "-d", program]).stdout:
        raise Failed("the program is linked with the loader")
    nowhere = ["env", "VK_ICD_FILENAMES=/nowhere", "VK_DRIVER_FILES=/nowhere"]
    data = os.path.splitext(harness.find_model("mnist_cntk"))[0] + ".io"
    result = harness.run([*nowhere, program, "--inputs", data, "--outputs", os.path.join(work, "outputs")])
    if result.code != 1 or result.stderr != "error: model 'mnist_cntk': no suitable device was found\n":
        raise Failed(f"ended with {harness.describe_code(result.code)}: {result.stderr.strip()[:400]}")


def parse_arguments():
    parser = make_parser(__doc__)
    parser.add_argument("--models", type=harness.words, default=MODELS, help="tests of models.txt, by name")
    parser.add_argument("--flags", type=str.split, default=[], help="for aotc, beside those of models.txt")
    parser.add_argument("--options", default="", help="for the compiler of the generated code")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    chosen = [(entry, arguments.flags) for entry in run_models.choose_entries(arguments.models)]
    is_plain = arguments.models == MODELS and not arguments.flags
    if is_plain:
        chosen += [(entry, flags.split()) for name, flags in VARIANTS for entry in run_models.choose_entries([name])]
    tests = [(" ".join([entry.test, *flags]), functools.partial(test_model, entry, flags)) for entry, flags in chosen]
    if is_plain and not arguments.device:
        tests += [("application", test_application), ("no_device", test_no_device)]
    tasks = [functools.partial(harness.test_in, WORK, name, arguments.keep, test, arguments.options) for name, test in tests]
    return run_tests(tasks, arguments, harness.JOBS)


if __name__ == "__main__":
    sys.exit(main())
