"""LSTM, GRU and RNN in the forms that ONNX's own node tests leave out, against ONNX Runtime.

    run_recurrent.py [--compiler g++] [--target native] [--keep]

All forms are nodes of one model, so that one program is built: lengths known and given at run time, every activation, clipping,
coupled gates, peepholes, both layouts of directions, weights computed at run time, any subset of the outputs. Where ONNX Runtime
lacks something (layout 1), what is expected comes from the transposed form.
"""

import argparse
import os
import shutil
import sys

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import harness
import run_models
from harness import Target

WORK = os.path.join(harness.BUILD, "e2e", "recurrent")
GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
STEPS, BATCH, WIDTH = 6, 3, 5
NAMES = ["X", "W", "R", "B", "lengths", "initial_h", "initial_c", "P"]


class Case:
    """One node. `given` are the optional inputs it has; of these, those in `at_run_time` are inputs of the model."""

    def __init__(self, op, hidden=7, given="B", at_run_time="", outputs=3, lengths=None, steps=STEPS, batch=BATCH, **attributes):
        self.op, self.hidden, self.given, self.at_run_time = op, hidden, given.split(), at_run_time.split()
        self.outputs, self.lengths, self.steps, self.batch, self.attributes = outputs, lengths, steps, batch, attributes
        self.directions = 2 if attributes.get("direction") == "bidirectional" else 1

    def shapes(self):
        d, h, gates = self.directions, self.hidden, GATES[self.op] * self.hidden
        x, state = (self.steps, self.batch, WIDTH), (d, self.batch, h)
        return dict(zip(NAMES, [x, (d, gates, WIDTH), (d, gates, h), (d, 2 * gates), (self.batch,), state, state, (d, 3 * h)]))

    def values(self, random):
        values = {}
        for name, shape in self.shapes().items():
            if name == "lengths":
                lengths = self.lengths if self.lengths is not None else random.integers(0, self.steps + 1, shape)
                values[name] = numpy.array(lengths, numpy.int32)
            else:
                values[name] = random.uniform(-0.7, 0.7, shape).astype(numpy.float32)
        return {name: value for name, value in values.items() if name in ["X", "W", "R", *self.given]}

    def node(self, prefix):
        present = [f"{prefix}{name}" if name in ["X", "W", "R", *self.given] else "" for name in NAMES]
        while not present[-1]:
            present.pop()
        names = ["Y", "Y_h", "Y_c"][: 3 if self.op == "LSTM" else 2]
        outputs = [f"{prefix}{name}" if self.outputs >> i & 1 else "" for i, name in enumerate(names)]
        return helper.make_node(self.op, present, outputs, name=prefix, hidden_size=self.hidden, **self.attributes)


FUNCTIONS = ["Relu", "Tanh", "Sigmoid", "Softsign", "Softplus", "Affine", "LeakyRelu", "ScaledTanh", "HardSigmoid", "Elu"]

CASES = [
    Case("LSTM", given="B lengths initial_h initial_c P", at_run_time="lengths initial_h initial_c", outputs=7, direction="bidirectional"),
    Case("LSTM", hidden=20, given="lengths P", lengths=[6, 2, 0], outputs=7, direction="reverse", clip=0.3),
    Case("LSTM", batch=10, outputs=2, input_forget=1),
    Case("LSTM", given="B lengths", lengths=[STEPS] * BATCH, at_run_time="W R B", outputs=4),
    Case("LSTM", hidden=17, outputs=6, direction="bidirectional", activation_alpha=[0.3, 0.7, 0.1], activation_beta=[0.4],
         activations=["HardSigmoid", "Elu", "Softsign", "Sigmoid", "LeakyRelu", "softplus"]),
    Case("LSTM", steps=1, batch=1, hidden=24, outputs=7, given="B initial_h initial_c", at_run_time="initial_h initial_c"),
    Case("GRU", given="B lengths initial_h", at_run_time="lengths", direction="bidirectional"),
    Case("GRU", given="B lengths initial_h", at_run_time="R", direction="bidirectional", linear_before_reset=1),
    Case("GRU", hidden=33, batch=1, outputs=1, clip=0.5, linear_before_reset=1),
    Case("GRU", hidden=18, batch=9, outputs=2, direction="reverse", activations=["Sigmoid", "Affine"],
         activation_alpha=[0.8], activation_beta=[0.1]),
    Case("RNN", given="B lengths initial_h", at_run_time="lengths X", direction="bidirectional", activations=["Relu", "Tanh"]),
    *[Case("RNN", hidden=4, batch=1, activations=[name], activation_alpha=[0.6], activation_beta=[0.3]) for name in FUNCTIONS],
]  # fmt: skip


# ------------------------------------------------------------------------------------------------------------- the model


def build_model(cases):
    """The model, and the values of its inputs by name."""
    random = numpy.random.default_rng(1)
    nodes, inputs, constants, outputs, values = [], [], [], [], {}
    for number, case in enumerate(cases):
        prefix = f"c{number}_"
        nodes.append(case.node(prefix))
        for name, value in case.values(random).items():
            if name in case.at_run_time:
                kind = TensorProto.INT32 if name == "lengths" else TensorProto.FLOAT
                inputs.append(helper.make_tensor_value_info(prefix + name, kind, value.shape))
                values[prefix + name] = value
            else:
                constants.append(numpy_helper.from_array(value, prefix + name))
        outputs += [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in nodes[-1].output if name]
    graph = helper.make_graph(nodes, "recurrent", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8), values


def transposed_layout(model):
    """The same model with layout 1, and the transposes that it takes around each node."""
    graph = onnx.ModelProto.FromString(model.SerializeToString()).graph
    nodes = []
    for node in graph.node:
        moved = {0: [1, 0, 2], 5: [1, 0, 2], 6: [1, 0, 2]}
        for index, order in moved.items():
            if index < len(node.input) and node.input[index]:
                nodes.append(helper.make_node("Transpose", [node.input[index]], [node.input[index] + "_t"], perm=order))
                node.input[index] += "_t"
        after = []
        for index, order in ((0, [1, 2, 0, 3]), (1, [1, 0, 2]), (2, [1, 0, 2])):
            if index < len(node.output) and node.output[index]:
                after.append(helper.make_node("Transpose", [node.output[index] + "_t"], [node.output[index]], perm=order))
                node.output[index] += "_t"
        node.attribute.append(helper.make_attribute("layout", 1))
        nodes += [node, *after]
    changed = helper.make_graph(nodes, graph.name, graph.input, graph.output, graph.initializer)
    return helper.make_model(changed, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)


# ------------------------------------------------------------------------------------------------------------------ tests


def run_expected(model, values, folder):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    for i, value in enumerate(session.run(None, values)):
        numpy.save(os.path.join(folder, f"output_{i}.npy"), value)
    for i, entry in enumerate(model.graph.input):
        numpy.save(os.path.join(folder, f"input_{i}.npy"), values[entry.name])


def check(name, model, tested, values, arguments):
    """Compiles and runs `tested` on what ONNX Runtime makes of `model`."""
    target = Target(arguments.target)
    work = harness.empty_folder(os.path.join(WORK, name))
    reference = harness.empty_folder(os.path.join(work, "expected"))
    run_expected(model, values, reference)
    path, generated = os.path.join(work, "recurrent.onnx"), os.path.join(work, "generated")
    onnx.save(tested, path)
    harness.compile_model(path, generated, target, [])
    (program,) = harness.build(generated, os.path.join(work, "build"), arguments.compiler, target)
    worst = run_models.check_data_set(program, target, reference, work)
    return f"difference {100 * worst:.2g} % of what is allowed"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--target", default="native")
    parser.add_argument("--keep", action="store_true", help="leave the generated folders and the builds")
    arguments = parser.parse_args()
    outcomes = []
    for name, cases, change in (("layout_0", CASES, lambda model: model), ("layout_1", CASES[::4], transposed_layout)):
        model, values = build_model(cases)
        outcomes.append(harness.attempt(check, name, model, change(model), values, arguments))
        print(f"  {outcomes[-1].status:7}  {name}: {outcomes[-1].text}", flush=True)
    if not arguments.keep:
        shutil.rmtree(WORK, ignore_errors=True)
    return harness.close(outcomes)


if __name__ == "__main__":
    sys.exit(main())
