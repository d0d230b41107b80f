"""A microcontroller: models of f32 and of bytes for cortex-m7, built by arm-none-eabi-g++ and run by QEMU's Cortex-M7 board.

    run_cortex_m.py [--keep]

cortex_m/ holds the program around the model: start-up code, memory map, and files of the host by semihosting. It passes
where nothing warns, the program holds no heap and no exceptions, and the outputs are within the tolerance of run_models.py.
--keep leaves the work files (<build>/e2e/cortex_m).
"""

import argparse
import functools
import os
import re
import shutil
import sys

import numpy

import harness
from harness import Failed, Skipped, Target
from run_models import compare

MODELS = ["mlperf_resnet8_fp32", "mlperf_resnet8_ortqdq"]
WORK = os.path.join(harness.BUILD, "e2e", "cortex_m")
GENERATED, BUILD, OUTPUTS = (os.path.join(WORK, name) for name in ("generated", "build", "outputs"))
FIRMWARE = os.path.join(BUILD, "firmware")

PROCESSOR = "-mcpu=cortex-m7 -mthumb -mfpu=fpv5-d16 -mfloat-abi=hard"
# Without AOTC_NO_HEAP the session's second constructor brings operator new, and with it malloc and the unwinder.
LANGUAGE = "-std=c++17 -fno-exceptions -fno-rtti -DAOTC_NO_HEAP=1"
QEMU = ["qemu-system-arm", "-M", "mps2-an500", "-display", "none", "-monitor", "none", "-serial", "none", "-semihosting-config", "enable=on,target=native"]


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skipped(f"{program} is not installed")


def builds(model):
    need("arm-none-eabi-g++")
    harness.compile_model(harness.find_model(model), GENERATED, Target("cortex-m7"), [])
    harness.must(["cmake", "-G", "Ninja", "-S", os.path.join(harness.ROOT, "tests", "e2e", "cortex_m"), "-B", BUILD, *definitions(model)], 120)
    output = harness.must(["cmake", "--build", BUILD, "-j", str(harness.JOBS)], 600).stdout
    warnings = re.findall(r"^.*warning: .*$", output, re.M)
    if warnings:
        raise Failed(f"{len(warnings)} warnings, the first: {warnings[0][-300:]}")


def definitions(model):
    values = {
        "CMAKE_SYSTEM_NAME": "Generic",
        "CMAKE_SYSTEM_PROCESSOR": "arm",
        "CMAKE_TRY_COMPILE_TARGET_TYPE": "STATIC_LIBRARY",  # a program would need the memory map
        "CMAKE_CXX_COMPILER": "arm-none-eabi-g++",
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_CXX_FLAGS": f"{PROCESSOR} {LANGUAGE} {harness.WARNINGS}",
        "CMAKE_ASM_FLAGS": PROCESSOR,
        "GENERATED": GENERATED,
        "MODEL": model,
    }
    if shutil.which("ccache"):
        values["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    return [f"-D{name}={value}" for name, value in values.items()]


def holds_no_heap_and_no_exceptions(_):
    need("arm-none-eabi-nm")
    names = harness.must(["arm-none-eabi-nm", "--format=just-symbols", FIRMWARE], 60).stdout.split()
    unwanted = [name for name in names if re.match(r"_?(malloc|free|realloc|sbrk)|_Zn[wa]|_Zd[la]|__cxa_throw|_Unwind_RaiseException|_ZT[IS]", name)]
    if unwanted or "reset" not in names:
        raise Failed(f"the program holds {', '.join(unwanted) or 'no symbols'}")


def computes_what_is_stored(model):
    need(QEMU[0])
    reference = os.path.join(os.path.dirname(harness.find_model(model)), model + ".io")
    numpy.load(os.path.join(reference, "input_0.npy")).tofile(os.path.join(WORK, "input.bin"))
    harness.must([*QEMU, "-kernel", FIRMWARE], 120, cwd=WORK)
    want = numpy.load(os.path.join(reference, "output_0.npy"))
    got = numpy.fromfile(os.path.join(WORK, "output.bin"), want.dtype)
    if got.size != want.size:
        raise Failed(f"output.bin holds {got.size} values, expected {want.size}")
    numpy.save(os.path.join(harness.empty_folder(OUTPUTS), "output_0.npy"), got.reshape(want.shape))
    return f"difference {100 * compare(OUTPUTS, reference, model):.2g} % of what is allowed"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="leave the work files")
    arguments = parser.parse_args()
    outcomes = []
    for model in MODELS:
        harness.empty_folder(WORK)
        for test in (builds, holds_no_heap_and_no_exceptions, computes_what_is_stored):
            outcomes.append(harness.attempt(functools.partial(test, model)))
            print(f"  {outcomes[-1].status:7}  {model} {test.__name__} {outcomes[-1].text}", flush=True)
            if outcomes[-1].status != "passed" and test is builds:
                break
    if not arguments.keep:
        shutil.rmtree(WORK, ignore_errors=True)
    return harness.close(outcomes)


if __name__ == "__main__":
    sys.exit(main())
