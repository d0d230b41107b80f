"""Runs clang-tidy over every source of a build folder, as one test. A source found clean is not looked at again until it or a
header of it changes: a full run takes minutes, so what was clean is remembered in the user's cache, by content.

    lint.py BUILD_FOLDER        (configured and built with Ninja, which knows each source's headers)
"""

import concurrent.futures
import hashlib
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "aotc-lint")
TIDY = "clang-tidy-19"


def sources(build):
    """One entry of the compilation database per source of ours; generated sources and sanitized doubles are left out."""
    with open(os.path.join(build, "compile_commands.json")) as file:
        entries = json.load(file)
    chosen = {}
    for entry in entries:
        path = os.path.realpath(entry["file"])
        if path.startswith(ROOT + os.sep) and not path.startswith(build + os.sep):
            chosen.setdefault(path, entry)
    return sorted(chosen.items())


def output_of(entry):
    return re.search(r" -o (\S+)", entry["command"]).group(1)


def headers_by_object(build):
    """What Ninja recorded: object file -> the files it was made from that are ours or were generated."""
    listed = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    headers, current = {}, []
    for line in listed.splitlines():
        if line.startswith(" "):
            path = os.path.normpath(os.path.join(build, line.strip()))
            if path.startswith(ROOT + os.sep):
                current.append(path)
        elif ": #deps" in line:
            current = headers.setdefault(line.split(": #deps")[0], [])
    return headers


def fingerprint(version, entry, files, build):
    digest = hashlib.sha256()
    command = entry["command"].replace(build, "BUILD").replace(ROOT, "ROOT")
    for part in (version, command):
        digest.update(part.encode() + b"\0")
    for path in sorted(files):
        with open(path, "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    return digest.hexdigest()


def lint(path, build):
    """The diagnostics of one source, or an empty text."""
    result = subprocess.run([TIDY, "--quiet", "-p", build, path], capture_output=True, text=True)
    return "" if result.returncode == 0 else result.stdout + re.sub(r"(?m)^\d+ warnings.*\n", "", result.stderr)


def check(path, entry, headers, version, build):
    files = {path, os.path.join(ROOT, ".clang-tidy"), *headers}
    stamp = os.path.join(CACHE, fingerprint(version, entry, files, build))
    if os.path.exists(stamp):
        return ""
    found = lint(path, build)
    if not found:
        open(stamp, "w").close()
    return found


def main():
    build = os.path.realpath(sys.argv[1])
    os.makedirs(CACHE, exist_ok=True)
    version = subprocess.run([TIDY, "--version"], check=True, capture_output=True, text=True).stdout
    headers = headers_by_object(build)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(check, path, entry, headers.get(output_of(entry), []), version, build) for path, entry in sources(build)]
        for job in jobs:
            if job.result():
                failed += 1
                print(job.result().replace(ROOT + os.sep, ""))
    print(f"{len(jobs)} sources, {failed} with findings")
    print("0 passed, 1 failed" if failed or not jobs else "1 passed, 0 failed")
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
