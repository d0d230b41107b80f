"""Runs ctest or lit and closes with 'N passed, N failed, N skipped', counting each test once.

    summarize.py ctest BUILD_FOLDER RESULT.xml
    summarize.py lit TOOLS_FOLDER RESULT.json

Exit code 0 where nothing failed; that nothing was found is a failure too. Judges no test itself.
"""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIT_CODES = {"PASS": "passed", "FLAKYPASS": "passed", "XFAIL": "passed", "UNSUPPORTED": "skipped", "SKIPPED": "skipped"}


def run_ctest(build, result):
    command = ["ctest", "--test-dir", build, "--output-on-failure", "--timeout", "300", "-j", str(os.cpu_count()), "--output-junit", result]
    subprocess.run(command)
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for case in ElementTree.parse(result).getroot().iter("testcase"):
        status = case.get("status")
        counts["passed" if status == "run" else "failed" if status == "fail" else "skipped"] += 1
    return counts


def run_lit(tools, result):
    prefix = subprocess.run(["llvm-config-19", "--prefix"], check=True, capture_output=True, text=True).stdout.strip()
    lit = os.path.join(prefix, "build", "utils", "lit", "lit.py")
    subprocess.run([sys.executable, lit, "-v", "--no-progress-bar", "-D", f"tools={tools}", "-o", result, os.path.join(ROOT, "tests", "passes")])
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    with open(result) as file:
        for test in json.load(file)["tests"]:
            counts[LIT_CODES.get(test["code"], "failed")] += 1
    return counts


def main():
    runner = {"ctest": run_ctest, "lit": run_lit}[sys.argv[1]]
    if os.path.exists(sys.argv[3]):
        os.remove(sys.argv[3])
    counts = runner(sys.argv[2], os.path.abspath(sys.argv[3]))
    if not any(counts.values()):
        counts["failed"] = 1
        print(f"{sys.argv[1]} found no test")
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
