"""docs/operators.md: what becomes of the official backend tests, operator by operator. Text from results, nothing else."""

import collections
import re

HEADING = """# Operators

How aotc fares with the official backend tests of the ONNX package ({version}), by operator: the number of test cases that give
the right numbers, and those that aotc refuses, with its reasons. No case gives a wrong number. Cases `…_expanded`, which hold the
definition of an operator in other operators, count for the operator that they define; values that aotc must know when compiling,
such as a shape, were given with `--input-value`, bounds that nothing tells with `--output-bound`.

{total}

`tests/e2e/run_backend.py --all --write` writes this page; CI checks that every case is still accepted or refused as it says.
Operators of com.microsoft and the rest of ai.onnx.ml have no cases there: other tests of [testing.md](testing.md) are theirs.

| operator | right | refused | why |
|---|---|---|---|
"""
WHOLE_MODELS = {"simple": "(simple models)", "pytorch-operator": "(PyTorch's operators)", "pytorch-converted": "(PyTorch's modules)"}


def render(results, version):
    """The page. `results` have a case, a status ('refused', or anything else for accepted) and aotc's message."""
    rows = collections.defaultdict(list)
    for result in results:
        rows[result.case.operator or WHOLE_MODELS[result.case.kind]].append(result)
    return HEADING.format(version=version, total=total(results)) + "".join(map(row, sorted(rows.items())))


def total(results):
    nodes = [result for result in results if result.case.kind == "node" and not result.case.obstacle]
    pytorch = [result for result in results if result.case.kind.startswith("pytorch")]
    counts = [(f"{accepted(group)} of {len(group)} {what}") for group, what in ((nodes, "node cases on plain tensors"), (pytorch, "PyTorch cases"))]
    return f"In all: {counts[0]}, {counts[1]}, {accepted(results)} of {len(results)} cases of any kind."


def accepted(results):
    return sum(result.status != "refused" for result in results)


def row(item):
    operator, results = item
    reasons = sorted({reason(result.text) for result in results if result.status == "refused"})
    return f"| {operator} | {accepted(results)} | {len(results) - accepted(results)} | {'; '.join(reasons)} |\n"


def reason(text):
    """aotc's message without what is particular to one case: names, shapes, the node that it is about."""
    text = re.sub(r"^node [^:]*\((\w+), opset \d+\): ", lambda found: f"{found[1]}: ", text)
    text = re.sub(r" ?\[[\d, ?]*\]", "", text)
    text = re.sub(r" \('[^']*'\)", "", text)
    return re.sub(r"^(input|output) '[^']*'", r"an \1", text).replace("|", "\\|")
