"""The pass tests: every .mlir file below this folder runs the commands of its RUN lines.

Started by tests/run.sh; by hand: python3 /usr/lib/llvm-19/build/utils/lit/lit.py -v -D tools=build/release/driver tests/passes
`aotc-opt` and `aotc` come from the folder `tools`, FileCheck, not and split-file from LLVM. Knows nothing of CMake.
"""

import os
import subprocess

import lit.formats

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
tools = os.path.abspath(lit_config.params.get("tools", os.path.join(root, "build", "release", "driver")))
if not os.access(os.path.join(tools, "aotc-opt"), os.X_OK):
    lit_config.fatal(f"no aotc-opt in '{tools}'; build it, or name its folder with -D tools=FOLDER")
llvm_tools = subprocess.run(["llvm-config-19", "--bindir"], check=True, capture_output=True, text=True).stdout.strip()

config.name = "passes"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.join(os.path.dirname(tools), "passes")
config.environment["PATH"] = os.pathsep.join([tools, llvm_tools, os.environ["PATH"]])
config.environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "detect_leaks=0")
config.substitutions.append(("%data", os.path.join(root, "tests", "data")))
