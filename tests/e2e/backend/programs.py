"""Makes one program of many generated folders and runs it: names in generated code are those of the model, so the sources of
some twenty models make one translation unit, with the shipped headers once. Knows cases only by name.

    <work>/generated/<name>/     aotc's output
    <work>/include/ xsimd/       the shipped headers of all of them
    <work>/units/unit_0.cpp .S   the sources of MODELS_PER_UNIT models
    <work>/program
"""

import dataclasses
import os
import re
import shutil

import harness
from harness import Failed

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.path.join(harness.ROOT, "templates", "project", "tools")
MODELS_PER_UNIT = 20
KERNEL_FILES = 4

# What the generated CMake project sets for a target of one instruction set.
LEVEL_FLAGS = {"generic": ["-DAOTC_SCALAR=1"], "native": ["-march=native"]}
LEVEL_FEATURE_FLAGS = {"avxvnni": "-mavxvnni", "vnni": "-mavx512vnni", "bf16": "-mavx512bf16", "fp16": "-mavx512fp16"}


@dataclasses.dataclass
class Model:
    name: str  # of the case and, where it may be one, of the namespace
    folder: str  # aotc's output
    files: list  # for each input of the model, its position among the case's


@dataclasses.dataclass
class Build:
    work: str
    target: str
    compiler: str
    options: list  # more options for every source

    def path(self, *names):
        return os.path.join(self.work, *names)


def level_flags(target):
    if target in LEVEL_FLAGS:
        return LEVEL_FLAGS[target]
    base, *features = target.split("+")
    if not re.fullmatch(r"v[234]", base):
        raise Failed(f"target '{target}': give one with a single instruction set, as {', '.join(LEVEL_FLAGS)}, v2, v3 or v4")
    return [f"-march=x86-64-{base}", *(LEVEL_FEATURE_FLAGS[feature] for feature in features)]


def compile_flags(build):
    level = re.sub(r"[-+]", "_", build.target)
    flags = ["-std=c++17", "-O1", "-ffp-contract=off", "-fno-exceptions", *harness.WARNINGS.split(), "-Werror"]
    flags += [f"-DAOTC_NAMESPACE=v0_1_{level}", f"-DAOTC_LEVEL={level}", *level_flags(build.target), *build.options]
    return [*flags, f"-I{build.path('include')}", f"-I{HERE}", f"-I{TOOLS}", "-isystem", build.path("xsimd")]


def compiler_command(build, *arguments):
    launcher = ["ccache"] if shutil.which("ccache") else []
    return [*launcher, build.compiler, *compile_flags(build), *arguments]


# ------------------------------------------------------------------------------------------------------------------- units


def make(build, models):
    """Compiles and links. Returns the program (None where nothing compiled) and {name: why} for models that do not compile."""
    harness.empty_folder(build.path("units"))
    merge_headers(build, models)
    size = min(MODELS_PER_UNIT, -(-len(models) // harness.JOBS) or 1)
    units = [models[start : start + size] for start in range(0, len(models), size)]
    results = harness.run_all([lambda unit=unit, k=k: compile_unit(build, f"unit_{k}", unit) for k, unit in enumerate(units)])
    objects = [path for made, _ in results for path in made]
    broken = {name: why for _, failed in results for name, why in failed.items()}
    if not objects:
        return None, broken
    harness.must(compiler_command(build, "-pthread", "-o", build.path("program"), *objects, *common_objects(build)), 300)
    return build.path("program"), broken


def merge_headers(build, models):
    """A shipped header is the same file in every folder that has it."""
    for place in (build.path("include"), build.path("xsimd")):
        harness.empty_folder(place)
    for model in models:
        for part, destination in (("runtime", "include"), ("kernels", "include"), ("third_party/xsimd", "xsimd")):
            copy_missing(os.path.join(model.folder, part), build.path(destination))


def copy_missing(source, destination):
    for path, _, names in os.walk(source):
        below = os.path.normpath(os.path.join(destination, os.path.relpath(path, source)))
        os.makedirs(below, exist_ok=True)
        for name in names:
            if not os.path.exists(os.path.join(below, name)):
                shutil.copy(os.path.join(path, name), below)


def compile_unit(build, name, models):
    """Paths of objects and {name: why}: where the unit does not compile, its models are compiled one by one."""
    try:
        return [compile_source(build, name, models), compile_weights(build, name, models)], {}
    except Failed as why:
        if len(models) == 1:
            return [], {models[0].name: str(why)}
    made, failed = [], {}
    for index, model in enumerate(models):
        objects, failures = compile_unit(build, f"{name}_{index}", [model])
        made += objects
        failed.update(failures)
    return made, failed


def compile_source(build, name, models):
    text = '#include "program.hpp"\n' + "".join(source_of(model) for model in models)
    return compile_file(build, name + ".cpp", text, include_flags(models))


def source_of(model):
    """The sources of one model. Two of its C interface's helpers have no namespace, nor arguments of its own types."""
    place = os.path.join(model.folder, "src", model.name)
    files = [f"{place}_kernels_{k}.cpp" for k in range(KERNEL_FILES)] + [place + ".cpp"]
    register = f'backend::add<{model.name}::Model, {model.name}::Session>("{model.name}", {model.name}::info(), '
    return "\n".join(
        [
            "",
            f"#define c_status {model.name}_c_status",
            *(f'#include "{file}"' for file in files),
            "#undef c_status",
            f"[[maybe_unused]] static const bool {model.name}_is_registered =",
            f"    {register}{{{', '.join(map(str, model.files))}}});",
            "",
        ]
    )


def compile_weights(build, name, models):
    text = "".join(f'#include "{model.folder}/src/{model.name}_weights.S"\n#undef AOTC_SYMBOL\n' for model in models)
    return compile_file(build, name + "_weights.S", text, include_flags(models))


def include_flags(models):
    return [f"-I{model.folder}/{part}" for model in models for part in ("include", "src")]


def compile_file(build, name, text, flags):
    source = build.path("units", name)
    with open(source, "w") as file:
        file.write(text)
    harness.must(compiler_command(build, *flags, "-c", source, "-o", source + ".o"), 600)
    return source + ".o"


def common_objects(build):
    """The test's main() and the runtime's one source."""
    objects = []
    for source in (os.path.join(HERE, "main.cpp"), build.path("include", "aotc", "thread_pool.cpp")):
        objects.append(build.path("units", os.path.basename(source) + ".o"))
        harness.must(compiler_command(build, "-c", source, "-o", objects[-1]), 300)
    return objects


# ----------------------------------------------------------------------------------------------------------------- running


def run(program, cases, outputs):
    """{name: what went wrong, or empty} for each model in the program."""
    harness.empty_folder(outputs)
    finished = harness.run([program, cases, outputs], 1800)
    result, lines, name = {}, [], ""
    for line in finished.stdout.splitlines():
        if line.startswith("= "):
            name, lines = line[2:], []
        elif line.startswith("@ "):
            result[name] = verdict(int(line.split()[2]), lines)
        else:
            lines.append(line.strip())
    return result


def verdict(code, lines):
    """'' for a run to the end, else what it said; a signal is named first."""
    if code == 0:
        return ""
    said = next((line for line in lines if "ERROR" in line or "error" in line), lines[0] if lines else "")
    return f"signal {-code} {said}".strip() if code < 0 else said or f"exit code {code}"
