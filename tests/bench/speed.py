"""The speed tables of docs/: generated code beside the runtimes that a user would pick instead, and its builds beside each other.

    speed.py [--models A,B] [--threads 1,2] [--rounds 5] [--seconds 1.0] [--peers ort,openvino,ncnn] [--output FILE.md] [--builds]

Builds each model (a line of tests/e2e/models.txt) for the target native with g++ -O3, lets $AOTC_SHARED/bench/peers.py time it and its peers in turn, and writes one
markdown table. The ratio is that of the faster of ONNX Runtime and OpenVINO, or of the one that is there (above 1: ours is faster). --builds adds a second
table: clang++-19's native build and g++'s default x86-64 build beside the first, by alternate.py. Exit code 1 where a bar is missed:
1.0 for each model, 1.2 in geometric mean of the default ones; 0.90 for Clang and 0.93 for x86-64.

The peers need, beside numpy, onnx and onnxruntime: pip install openvino ncnn pnnx. Nothing else should run on the machine.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))

import alternate
import harness
import run_models

MODELS = "mobilenet_v2,resnet18,squeezenet1_1,ultraface_rfb_320,mlperf_vww_fp32,mlperf_resnet8_fp32"
WORK = os.path.join(harness.BUILD, "bench")
BASE = ("g++ native", "native", "g++")
OTHER_BUILDS = [("clang native", "native", "clang++-19"), ("g++ x86-64", "x86-64", "g++")]
RIVALS = ("ort", "openvino")  # the bar is the faster of these
BARS = {"model": 1.0, "mean": 1.2, "clang native": 0.90, "g++ x86-64": 0.93}


def data_folder(name):
    return harness.find_model(name)[: -len(".onnx")] + ".io"


def bench_program(name, target, compiler):
    """The command that runs the built <name>_bench on the stored inputs."""
    target = harness.Target(target)
    work = os.path.join(WORK, name, f"{target.text}_{compiler}")
    generated = os.path.join(work, "generated")
    (entry,) = run_models.choose_entries([name])
    run_models.generate(entry, target, generated)
    (program,) = harness.build(generated, os.path.join(work, "build"), compiler, target, harness.JOBS, programs=["bench"])
    return shlex.join([program, "--inputs", data_folder(name)])


# ------------------------------------------------------------------------------------------------------------------ peers


def time_with_peers(name, program, options):
    """What peers.py stores: {"threads=1": {"ours": {"ms": …}, "ort": {"ms": …, "peer_over_ours": …}, …}, …}."""
    figures = os.path.join(WORK, name, "peers.json")
    command = [sys.executable, os.path.join(harness.SHARED, "bench", "peers.py"), harness.find_model(name), "--ours", program]
    command += ["--io", data_folder(name), "--threads", options.threads, "--rounds", str(options.rounds)]
    command += ["--seconds", str(options.seconds), "--peers", options.peers, "--json", figures]
    subprocess.run(command, check=True)
    with open(figures) as file:
        return {key: row for key, row in json.load(file).items() if key != "model"}


def ratio(row, peers):
    """That of the faster rival among the peers; None where one of them or ours was left out."""
    found = [row.get(rival, {}).get("peer_over_ours") for rival in RIVALS if rival in peers]
    return None if None in found or not found else min(found)


def peers_table(results, peers):
    """results: [(model, threads, row of peers.py)]."""
    titles = {"ort": "ONNX Runtime", "openvino": "OpenVINO"}
    lines = ["| model | threads | aotc, ms | " + " | ".join(f"{titles.get(p, p)}, ms" for p in peers) + " | faster of ONNX Runtime and OpenVINO / aotc |"]
    lines.append("|---|--:|--:|" + "--:|" * (len(peers) + 1))
    cell = lambda row, name: f"{row[name]['ms']:.3f}" if name in row else "–"
    for model, threads, row in results:
        against = ratio(row, peers)
        cells = [cell(row, name) for name in ("ours", *peers)] + [f"{against:.2f}" if against else "–"]
        lines.append(f"| {model} | {threads} | " + " | ".join(cells) + " |")
    ratios = [ratio(row, peers) for *_, row in results]
    mean = f"{alternate.geometric_mean(ratios):.3f}" if None not in ratios else "–"
    lines.append("| geometric mean | | " + "| " * len(peers) + f"| {mean} |")
    return "\n".join(lines)


def missed_peers(results, peers, has_mean):
    """Texts of the bars that the first table misses, that of the mean where it has one."""
    missed, ratios = [], []
    for model, threads, row in results:
        against = ratio(row, peers)
        if against is None:
            missed.append(f"{model}, {threads} threads: no figure for ours or for a rival")
            continue
        ratios.append(against)
        if against < BARS["model"]:
            missed.append(f"{model}, {threads} threads: {against:.2f}, wanted {BARS['model']}")
    mean = alternate.geometric_mean(ratios) if ratios else None
    if has_mean and mean is not None and mean < BARS["mean"]:
        missed.append(f"geometric mean: {mean:.3f}, wanted {BARS['mean']}")
    return missed


# ----------------------------------------------------------------------------------------------------------------- builds


def compare_builds(bases, options):
    """bases: {model: program of the base}. Returns the table and the bars it misses."""
    models = {}
    for name, program in bases.items():
        models[name] = {BASE[0]: program}
        for title, target, compiler in OTHER_BUILDS:
            models[name][title] = bench_program(name, target, compiler)
    threads = [int(n) for n in options.threads.split(",")]
    results = alternate.compare(models, threads, options.rounds, options.seconds)
    mean = alternate.speeds_in_mean(results)
    missed = [f"{title}: {mean[title]:.3f}, wanted {BARS[title]}" for title, *_ in OTHER_BUILDS if mean[title] < BARS[title]]
    return alternate.as_markdown(results), missed


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=harness.words, default=harness.words(MODELS))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--peers", default="ort,openvino,ncnn")
    parser.add_argument("--output", help="a file for the tables; without it they go to the standard output")
    parser.add_argument("--builds", action="store_true", help="also compare the Clang build and the x86-64 build")
    return parser.parse_args()


def main():
    options = parse_arguments()
    if not harness.SHARED:
        sys.exit("speed: bench/peers.py is in AOTC_SHARED, which is not there")
    try:
        bases = {name: bench_program(name, *BASE[1:]) for name in options.models}
        results = []
        for name, program in bases.items():
            for key, row in time_with_peers(name, program, options).items():
                results.append((name, int(key.partition("=")[2]), row))
        peers = harness.words(options.peers)
        text = peers_table(results, peers) + "\n"
        missed = missed_peers(results, peers, has_mean=options.models == harness.words(MODELS))
        if options.builds:
            table, more = compare_builds(bases, options)
            text, missed = text + "\n" + table + "\n", missed + more
    except (harness.Failed, harness.Skipped) as why:
        sys.exit(f"speed: {why}")
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)
    else:
        print(text, end="")
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
