"""Checks the formatting of every C and C++ file of the project with clang-format, as one test.

    format.py [--fix]

Build folders and what was generated are left alone.
"""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SUFFIXES = (".h", ".hpp", ".cpp", ".c")
NOT_OURS = {"build", "install", "model_gen"}


def main():
    files = sorted(sources())
    if "--fix" in sys.argv[1:]:
        return subprocess.run(["clang-format", "-i", *files]).returncode
    failed = 0
    for name in files:
        result = subprocess.run(["clang-format", "--dry-run", "-Werror", name], capture_output=True, text=True)
        if result.returncode != 0:
            failed += 1
            print(result.stderr.splitlines()[0] if result.stderr else f"{name}: clang-format failed")
    if failed:
        print(f"note: {failed} of {len(files)} files; tests/format.py --fix formats them all")
    print("0 passed, 1 failed" if failed else "1 passed, 0 failed")
    return 1 if failed else 0


def sources():
    os.chdir(ROOT)
    for folder, folders, names in os.walk("."):
        folders[:] = [name for name in folders if name not in NOT_OURS and not name.startswith(".")]
        for name in names:
            path = os.path.normpath(os.path.join(folder, name))
            if path.endswith(SUFFIXES) and not is_template(path):
                yield path


def is_template(name):
    """Files with @NAME@ placeholders are no C++ yet."""
    with open(name, encoding="utf-8", errors="replace") as file:
        return name.startswith("templates/project/") and "@" in file.read()


if __name__ == "__main__":
    sys.exit(main())
