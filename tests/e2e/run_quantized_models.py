"""Quantized models operator by operator: each node fed with what ONNX Runtime, without optimizations, feeds it.

    run_quantized_models.py [--all | --models A,B] [--cuts nodes,steps] [--targets native,v3,…] [--compiler g++]
                            [--keep]

A model of models.txt that is marked as quantized is taken apart, in two ways. As `nodes`, every node becomes one by itself, whose
inputs are inputs of the model and whose outputs are outputs, and all of them one program. As `steps`, it is cut at its tensors of
bytes alone: what stands between two of them (a convolution between DequantizeLinear and QuantizeLinear) stays whole, so that it
is compiled to the kernel that computes it in the model. Integers must be the same on 99.9 % of the elements and never off by more
than one; floats within 1e-4 * max|reference| + 1e-5, halves within 2e-3 of it. Operators of OTHERWISE are
computed differently by intent (docs/differences.md) and left out. All targets must give the same integers as the first one, but
for ties behind products of two tensors in f32. Work files lie in <build>/e2e/quantized_models; --keep leaves them.
"""

import argparse
import os
import sys

import numpy
import onnx
import onnxruntime
from onnx import helper, numpy_helper

import harness
import run_edges
import run_models
from harness import Failed, Target

WORK = os.path.join(harness.BUILD, "e2e", "quantized_models")
OTHERWISE = {"DynamicQuantizeLSTM"}
# Integers of up to this many elements are taken for shapes and the like, which must be known when compiling.
LONGEST_SHAPE = 16


# Where operators have constant weights and their zero points. The zero point of x is input 2 of all.
WEIGHTS = {"MatMulInteger": (1, 3), "ConvInteger": (1, 3), "QLinearConv": (3, 5), "QLinearMatMul": (3, 5)}


def multiply_unsigned(graph):
    """Weights become unsigned bytes with zero points 128 higher: the same products, but of u8 by i8 ONNX Runtime clips sums of two to
    16 bits where the processor has no products of bytes."""
    constants, made = constants_of(graph), set()

    def unsigned(name):
        other = f"{name}/unsigned"
        if other not in made:
            array = numpy_helper.to_array(constants[name]) if name else numpy.zeros((), numpy.int8)
            graph.initializer.append(numpy_helper.from_array((array.astype(numpy.int16) + 128).astype(numpy.uint8), other))
            made.add(other)
        return other

    def is_unsigned(name):  # what the run computes is DynamicQuantizeLinear's
        return constants[name].data_type == onnx.TensorProto.UINT8 if name in constants else name != ""

    for node in graph.node:
        weights, zero_point = WEIGHTS.get(node.op_type, (None, None))
        if weights is None or node.input[weights] not in constants or not is_unsigned([*node.input, ""][2]):
            continue
        node.input.extend([""] * (zero_point + 1 - len(node.input)))
        is_signed = constants[node.input[weights]].data_type == onnx.TensorProto.INT8
        if is_signed and (not node.input[zero_point] or node.input[zero_point] in constants):
            node.input[weights], node.input[zero_point] = unsigned(node.input[weights]), unsigned(node.input[zero_point])


def all_tensors(model, inputs):
    """Every tensor of the graph, by name."""
    names = [name for node in model.graph.node for name in node.output if name]
    whole = onnx.ModelProto()
    whole.CopyFrom(model)
    del whole.graph.output[:]
    whole.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    multiply_unsigned(whole.graph)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(whole.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return {**inputs, **dict(zip(names, session.run(names, inputs)))}


def constants_of(graph):
    """Initializers, and the values of Constant nodes, as initializers."""
    found = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        value = next((attribute for attribute in node.attribute if attribute.name == "value"), None)
        if node.op_type == "Constant" and value is not None:
            tensor = onnx.TensorProto()
            tensor.CopyFrom(value.t)
            tensor.name = node.output[0]
            found[tensor.name] = tensor
    return found


def is_shape(array):
    return array.dtype in (numpy.int64, numpy.int32) and array.size <= LONGEST_SHAPE


# Where a model is cut, by what is there.
CUTS = {"nodes": lambda array: True, "steps": lambda array: array.dtype in (numpy.int8, numpy.uint8)}


class Apart:
    """A model taken apart: `inputs` and `expected` by the names in `model`."""

    def __init__(self, model, tensors, cuts):
        self.tensors, self.known = tensors, constants_of(model.graph)
        self.is_cut = lambda name: name not in self.made or cuts(tensors[name])
        self.keeps_weights = cuts is CUTS["steps"]
        self.made, self.results = set(), {output.name for output in model.graph.output}
        self.nodes, self.inputs, self.expected, self.weights = [], {}, {}, {}
        for node in model.graph.node:
            self.add(node)
        value = lambda name, array: helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        graph = helper.make_graph(
            self.nodes,
            "apart",
            [value(name, array) for name, array in self.inputs.items()],
            [value(name, array) for name, array in self.expected.items()],
            list(self.weights.values()),
        )
        self.model = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)

    def add(self, node):
        has_graph = any(attribute.type in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS) for attribute in node.attribute)
        if not has_graph and all(name in self.known or not name for name in node.input):
            if self.keeps_weights and node.op_type == "DequantizeLinear":
                self.keep(node)
                return
            self.known.update((name, numpy_helper.from_array(self.tensors[name], name)) for name in node.output if name not in self.known)
            return
        if node.op_type in OTHERWISE or has_graph:
            return
        copy = onnx.NodeProto()
        copy.CopyFrom(node)
        copy.input[:] = [self.use(name) for name in node.input]
        if not any(name in self.inputs or name in self.made for name in copy.input):
            return
        self.nodes.append(copy)
        self.made.update(name for name in node.output if name)
        ends = [name for name in node.output if name and (self.is_cut(name) or name in self.results)]
        self.expected.update((name, self.tensors[name]) for name in ends)

    def keep(self, node):
        """Quantized weights, as they are: from their values alone no integer kernel could be chosen."""
        self.weights.update((name, self.known[name]) for name in node.input if name)
        self.nodes.append(node)
        self.made.update(node.output)

    def use(self, name):
        """The name that a node finds an input under."""
        if not name:
            return name
        if name in self.known:
            self.weights[name] = self.known[name]
            return name
        if not self.is_cut(name):
            return name
        seen, array = f"{name}/seen", self.tensors[name]
        if is_shape(array):
            self.weights[seen] = numpy_helper.from_array(array, seen)
        else:
            self.inputs[seen] = array
        return seen


def check_tensor(name, found, expected):
    if found.shape != expected.shape or found.dtype != expected.dtype:
        raise Failed(f"{name}: expected {expected.dtype} {expected.shape}, found {found.dtype} {found.shape}")
    if found.size == 0 or numpy.array_equal(found, expected):
        return
    if found.dtype.kind == "f":
        wide, reference = found.astype(numpy.float64), expected.astype(numpy.float64)
        relative = 2e-3 if found.dtype == numpy.float16 else 1e-4
        distance, allowed = numpy.abs(wide - reference).max(), relative * numpy.abs(reference).max() + 1e-5
        if not distance <= allowed:
            raise Failed(f"{name}: differs by {distance:.3g}, allowed are {allowed:.3g}")
        return
    distance = numpy.abs(found.astype(numpy.int64) - expected.astype(numpy.int64))
    if distance.max() > 1 or numpy.count_nonzero(distance) > 1e-3 * found.size:
        raise Failed(f"{name}: {numpy.count_nonzero(distance)} of {found.size} differ, by up to {distance.max()}")


def load_inputs(model, folder):
    held = {tensor.name for tensor in model.graph.initializer}
    names = [used.name for used in model.graph.input if used.name not in held]
    return {name: numpy.load(os.path.join(folder, f"input_{index}.npy")) for index, name in enumerate(names)}


def run_apart(work, target, compiler, inputs):
    """The folder of what the program for this target makes of the inputs; another one's CPU is skipped."""
    target.check()
    place = os.path.join(work, target.name)
    folder, outputs = os.path.join(place, "generated"), harness.empty_folder(os.path.join(place, "outputs"))
    harness.compile_model(os.path.join(work, "apart.onnx"), folder, target, [])
    (compiler,) = target.compilers([compiler])
    (program,) = harness.build(folder, os.path.join(place, "build"), compiler, target, jobs=harness.JOBS)
    harness.must([*target.runner, program, "--inputs", inputs, "--outputs", outputs, "--threads", "2"], 900)
    return outputs


def wrong_tensors(apart, outputs):
    """What is wrong with each of the outputs that are."""
    producers = {name: node.op_type for node in apart.nodes for name in node.output}
    for index, (name, expected) in enumerate(apart.expected.items()):
        try:
            check_tensor(f"{producers[name]} {name}", numpy.load(os.path.join(outputs, f"output_{index}.npy")), expected)
        except Failed as failure:
            yield str(failure)


def behind_float_products(apart):
    """The tensors that depend on a product, in f32, of two tensors that the run computes: weights are none, dequantized or not."""
    computed, behind = set(apart.inputs), set()
    for node in apart.nodes:
        used = set(node.input)
        if used & computed:
            computed.update(node.output)
        if used & behind or (node.op_type == "MatMul" and used <= computed):
            behind.update(node.output)
    return behind


def other_integers(apart, first, other):
    """The tensors of integers that two targets have computed otherwise. Behind sums of f32 that may be so near a tie: their order,
    and fused multiply-adds, are the processor's."""
    behind = behind_float_products(apart)
    for index, (name, expected) in enumerate(apart.expected.items()):
        if expected.dtype.kind not in "iu":
            continue
        found, wanted = (numpy.load(os.path.join(folder, f"output_{index}.npy")) for folder in (other, first))
        try:
            if not numpy.array_equal(found, wanted) and name not in behind:
                raise Failed(name)
            check_tensor(name, found, wanted)
        except Failed as failure:
            yield str(failure)


def fail_by(failures, what):
    failures = list(failures)
    if failures:
        raise Failed("\n    ".join([f"{len(failures)} {what}", *failures[:20]]))


def check(entry, targets, compiler, cuts, work):
    path = harness.find_model(entry.model)
    model = onnx.load(path)
    reference = os.path.join(os.path.dirname(path), f"{entry.model}.{entry.data[0]}")
    apart = Apart(model, all_tensors(model, load_inputs(model, reference)), cuts)
    onnx.save(apart.model, os.path.join(work, "apart.onnx"))
    inputs = run_edges.write_inputs(apart.inputs.values(), os.path.join(work, "inputs"))
    first, *others = targets
    outputs = run_apart(work, first, compiler, inputs)
    fail_by(wrong_tensors(apart, outputs), f"of {len(apart.expected)} tensors are wrong")
    for other in others:
        fail_by(other_integers(apart, outputs, run_apart(work, other, compiler, inputs)), f"tensors are others for {other.name}")
    same = f", the same integers for {', '.join(target.name for target in others)}" if others else ""
    return f"{len(apart.expected)} tensors of {len(apart.nodes)} nodes right{same}"


def run_test(entry, cuts, arguments):
    return harness.test_in(WORK, f"{entry.test}, {cuts}", arguments.keep, check, entry, arguments.targets, arguments.compiler, CUTS[cuts])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every line of models.txt that is marked as quantized")
    parser.add_argument("--models", type=harness.words, help="tests of models.txt, by name")
    parser.add_argument("--cuts", type=harness.words, default=list(CUTS), help="nodes, steps, or both (default)")
    parser.add_argument("--targets", type=lambda text: list(map(Target, harness.words(text))), default=[run_edges.NATIVE])
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--keep", action="store_true", help="leave the work files")
    arguments = parser.parse_args()
    entries = [entry for entry in run_models.choose_entries(arguments.models, arguments.all) if entry.is_quantized]
    return harness.close([run_test(entry, cuts, arguments) for entry in entries for cuts in arguments.cuts])


if __name__ == "__main__":
    sys.exit(main())
