"""Compares the speed of several builds of the same models: their `_bench` programs take turns, round after round, so that a
drift of the machine's speed hits all alike.

    alternate.py [--rounds 5] [--seconds 1.0] [--threads 1,2] [--json FILE] MODEL:VARIANT=PROGRAM …

The first VARIANT named is the one that the others are compared with. A figure is the median over the rounds of the program's
median_ms; a speed is the median over the rounds of base/variant (above 1: faster than the base); the last lines are the
geometric means over all models and numbers of threads. Every model needs every variant. PROGRAM may have arguments.
"""

import argparse
import json
import math
import shlex
import statistics
import subprocess
import sys


def measure(program, threads, seconds):
    """Median latency of one inference in milliseconds."""
    command = [*shlex.split(program), "--threads", str(threads), "--min-time", str(seconds)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600)
    try:
        return float(json.loads(result.stdout.strip().splitlines()[-1])["median_ms"])
    except (IndexError, KeyError, ValueError):
        last = (result.stderr.strip().splitlines() or result.stdout.strip().splitlines() or ["no output"])[-1]
        raise SystemExit(f"alternate: {program} ended with exit code {result.returncode} and no median_ms: {last[:200]}")


def alternate(programs, threads, rounds, seconds):
    """programs: {variant: program} of one model. Returns {variant: {"ms": …, "speed": …}}, the speed relative to the first."""
    times = {variant: [] for variant in programs}
    for _ in range(rounds):
        for variant, program in programs.items():
            times[variant].append(measure(program, threads, seconds))
    base = next(iter(times.values()))
    return {
        variant: {"ms": statistics.median(taken), "speed": statistics.median(b / t for b, t in zip(base, taken))}
        for variant, taken in times.items()
    }


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def compare(models, threads, rounds, seconds):
    """models: {model: {variant: program}}. Returns [(model, threads, what alternate() gives)]."""
    return [(model, n, alternate(programs, n, rounds, seconds)) for model, programs in models.items() for n in threads]


def speeds_in_mean(results):
    variants = list(results[0][2])
    return {variant: geometric_mean([figures[variant]["speed"] for *_, figures in results]) for variant in variants}


def as_markdown(results):
    """One row for each model and number of threads, and the geometric means."""
    variants = list(results[0][2])
    base, *others = variants
    lines = ["| model | threads | " + " | ".join([f"{base}, ms", *(f"{v}, ms | speed" for v in others)]) + " |"]
    lines.append("|---|--:|" + "--:|" * (2 * len(variants) - 1))
    for model, threads, figures in results:
        cells = [f"{figures[base]['ms']:.3f}", *(f"{figures[v]['ms']:.3f} | {figures[v]['speed']:.2f}" for v in others)]
        lines.append(f"| {model} | {threads} | " + " | ".join(cells) + " |")
    mean = speeds_in_mean(results)
    lines.append("| geometric mean | | " + " | ".join(["", *(f"| {mean[v]:.3f}" for v in others)]) + " |")
    return "\n".join(lines)


def parse_programs(arguments):
    models = {}
    for text in arguments:
        head, equals, program = text.partition("=")
        model, colon, variant = head.rpartition(":")
        if not equals or not colon or not program:
            raise SystemExit(f"alternate: expected MODEL:VARIANT=PROGRAM, found '{text}'")
        models.setdefault(model, {})[variant] = program
    variants = list(next(iter(models.values())))
    for model, programs in models.items():
        if set(programs) != set(variants):
            raise SystemExit(f"alternate: model '{model}' must have the variants {', '.join(variants)}, found {', '.join(programs)}")
    return {model: {variant: programs[variant] for variant in variants} for model, programs in models.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", metavar="MODEL:VARIANT=PROGRAM")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--json", help="the figures, for other programs")
    arguments = parser.parse_args()
    threads = [int(n) for n in arguments.threads.split(",")]
    results = compare(parse_programs(arguments.programs), threads, arguments.rounds, arguments.seconds)
    print(as_markdown(results))
    for variant, speed in speeds_in_mean(results).items():
        print(f"{variant}: {speed:.3f} of the base's speed in geometric mean")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump([{"model": model, "threads": n, "variants": figures} for model, n, figures in results], file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
