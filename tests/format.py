"""Checks the formatting of every C and C++ file of the project with clang-format, as one test.

    format.py [--fix]

Copies of other projects and generated folders are not in git, so git's list of files is what is checked.
"""

import subprocess
import sys

SUFFIXES = (".h", ".hpp", ".cpp", ".c")


def main():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], check=True, capture_output=True, text=True)
    files = sorted(name for name in listed.stdout.splitlines() if name.endswith(SUFFIXES) and not is_template(name))
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


def is_template(name):
    """Files with @NAME@ placeholders are no C++ yet."""
    with open(name, encoding="utf-8", errors="replace") as file:
        return name.startswith("templates/project/") and "@" in file.read()


if __name__ == "__main__":
    sys.exit(main())
