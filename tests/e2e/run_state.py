"""What a session keeps from run to run (--state), against as many runs of ONNX Runtime whose outputs are its next inputs.

    run_state.py [--only TEXT] [--compiler g++] [--keep]

A small model with states that are read before, while and after their next values are computed, that change places and that stay
as they are; and recurrent models of the shared folder. Work files lie in <build>/e2e/state; --keep leaves them.
"""

import os
import sys

import numpy
import onnxruntime

import harness
import run_edges
import run_guarantees
from harness import Failed

WORK = os.path.join(harness.BUILD, "e2e", "state")
RUNS = 6
MODELS = {"silero_vad_openvino_16k": {"state": "stateN"}, "dtln_1": {"input_3": "tf_op_layer_stack_2"}}
SMALL = {"a": "a1", "b": "b1", "c": "c1", "d": "c", "e": "e"}


def small_model(path):
    p = run_edges.Parts()
    x, w = p.input("x", [2, 3], p.floats(2, 3)), p.constant("w", p.floats(3, 3) / 3)
    for name in SMALL:
        p.input(name, [2, 3], numpy.zeros((2, 3), numpy.float32))
    p.add("Add", ["a", x], "a1")  # in the state's place
    p.add("Mul", [p.add("Add", ["d", x], "c_sum"), x], "c1")
    p.add("MatMul", ["b", w], "product")
    p.add("Tanh", [p.add("Add", ["product", x], "sum")], "b1")
    p.output(p.add("Sub", ["b1", "b"], "y"))  # b is read once more
    p.output(p.add("Add", [p.add("Exp", ["a1"], "power"), p.add("Mul", ["c", "d"], "both")], "z"))
    for name in SMALL.values():
        p.output(name)
    return p.save(path)


def runs_of(path, states, random):
    """The inputs of all runs that are no states, and the outputs of all runs and the last states, as bytes in order."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    given = {value.name: value.shape for value in session.get_inputs()}
    kept = {name: numpy.zeros(given[name], numpy.float32) for name in states}
    inputs, outputs = [], []
    for _ in range(RUNS):
        fed = {name: random.normal(size=shape).astype(numpy.float32) * 0.3 for name, shape in given.items() if name not in states}
        found = dict(zip(names, session.run(None, {**fed, **kept})))
        inputs += fed.values()
        outputs += [found[name] for name in names if name not in states.values()]
        kept = {name: found[output] for name, output in states.items()}
    return inputs, outputs + [kept[value.name] for value in session.get_inputs() if value.name in states]


def check(path, states, work, compiler):
    folder = os.path.join(work, "generated")
    flags = [flag for name, output in states.items() for flag in ("--state", f"{name}={output}")]
    harness.compile_model(path, folder, run_edges.NATIVE, [*flags, "--name", "subject"])
    source = os.path.join(run_guarantees.PROGRAMS, "states.cpp")
    program = run_guarantees.user_program(os.path.join(work, "user"), {"subject": folder}, f'"{source}"', compiler)
    inputs, expected = runs_of(path, states, numpy.random.default_rng(5))
    files = [os.path.join(work, name) for name in ("inputs", "outputs")]
    with open(files[0], "wb") as file:
        file.write(b"".join(array.tobytes() for array in inputs))
    harness.must([program, str(RUNS), *files], 60)
    found = numpy.fromfile(files[1], numpy.float32)
    wanted = numpy.concatenate([array.ravel() for array in expected])
    if found.shape != wanted.shape or not numpy.allclose(found, wanted, rtol=1e-3, atol=1e-4):
        raise Failed(f"expected {wanted.size} numbers, {wanted[:4]} …, found {found.size}, {found[:4]} …")
    return f"{RUNS} runs right, and again after a reset"


def check_small(work, compiler):
    return check(small_model(os.path.join(work, "small.onnx")), SMALL, work, compiler)


def check_model(name):
    def test(work, compiler):
        path = harness.find_model(name)
        return check(path, MODELS[name], work, compiler)

    return test


TESTS = {"small": check_small, **{name: check_model(name) for name in MODELS}}

if __name__ == "__main__":
    sys.exit(run_edges.run_tests(__doc__, WORK, TESTS))
