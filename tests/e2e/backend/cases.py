"""The official test cases of the ONNX package as files: a model, inputs and expected outputs per case.

Collecting them takes onnx many seconds, since it computes expected outputs in Python: so they are written once per version
of onnx into build/backend/cases and read from there afterwards. Knows nothing of aotc.

    build/backend/cases/1.23.2/index.json           all cases, in a fixed order
                               test_add/model.onnx
                               test_add/0/input_0.npy, output_0.npy     data set 0, by position in the model's graph
"""

import dataclasses
import json
import os
import random
import shutil
import tempfile

import harness

ROOT = os.path.join(harness.ROOT, "build", "backend", "cases")
FORMAT = 2  # of the files; a new number writes them anew
KINDS = ["node", "simple", "pytorch-operator", "pytorch-converted"]


@dataclasses.dataclass
class Case:
    name: str  # as onnx names it, in lower case, after the kind where it is no node
    kind: str  # one of KINDS
    operator: str  # what it tests: "Add", "ai.onnx.ml.Scaler"; empty for whole models
    rtol: float
    atol: float
    inputs: list  # names, in the order of the graph
    input_types: list  # numpy's and ml_dtypes' names of element types
    output_types: list
    data_sets: int
    obstacle: str  # why its values are no files: a sequence, a string; empty for a case of plain tensors
    folder: str = ""

    @property
    def model(self):
        return os.path.join(self.folder, "model.onnx")

    def data(self, index):
        return os.path.join(self.folder, str(index))


def load():
    """All cases. Writes their files first where this version of onnx has none yet."""
    import onnx.version

    folder = os.path.join(ROOT, onnx.version.version)
    index = os.path.join(folder, "index.json")
    if not os.path.exists(index) or read_index(index)["format"] != FORMAT:
        write_all(folder)
    return [Case(folder=os.path.join(folder, row["name"]), **row) for row in read_index(index)["cases"]]


def read_index(path):
    with open(path) as file:
        return json.load(file)


def write_all(folder):
    """Into a folder beside the final one, so that an interrupted run leaves nothing half done."""
    os.makedirs(ROOT, exist_ok=True)
    started = tempfile.mkdtemp(dir=ROOT)
    rows = [row for kind in KINDS for row in write_kind(kind, started)]
    with open(os.path.join(started, "index.json"), "w") as file:
        json.dump({"format": FORMAT, "cases": rows}, file, indent=1)
    shutil.rmtree(folder, ignore_errors=True)
    os.rename(started, folder)


def write_kind(kind, folder):
    import warnings

    import numpy

    random.seed(0)  # some cases draw their inputs
    numpy.random.seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of infinities that onnx computes on purpose
        cases = collect(kind)
        operators = {case.name: operator_of(case.model) for case in cases if case.model}
        return [write_case(case, kind, operators, folder) for case in cases]


def collect(kind):
    if kind == "node":
        from onnx.backend.test.case.node import collect_testcases

        return sorted(collect_testcases(None), key=lambda case: case.name)
    from onnx.backend.test.loader import load_model_tests

    return sorted(load_model_tests(kind=kind), key=lambda case: case.name)


def operator_of(model):
    node = model.graph.node[0]
    return f"{node.domain}.{node.op_type}" if node.domain not in ("", "ai.onnx") else node.op_type


def tested_operator(name, operators):
    """A case NAME_expanded[_verN] holds the definition of NAME's operator, in operators of other names."""
    return operators.get(name.partition("_expanded")[0], operators.get(name, ""))


def name_of(case, kind):
    """Of a folder and of a namespace. Names of node cases are in lower case but for a few, those of other kinds are not."""
    return case.name.lower() if kind == "node" else f"{kind.replace('-', '_')}_{case.name.lower()}"


def write_case(case, kind, operators, folder):
    import onnx

    name = name_of(case, kind)
    place = os.path.join(folder, name)
    os.makedirs(place)
    model = case.model or onnx.load(os.path.join(case.model_dir, "model.onnx"))
    onnx.save(model, os.path.join(place, "model.onnx"))
    sets = case.data_sets or stored_data_sets(case.model_dir, model)
    obstacle = next((text for values in sets for text in map(obstacle_in, [*values[0], *values[1]]) if text), "")
    if not obstacle:
        for index, (inputs, outputs) in enumerate(sets):
            write_data_set(os.path.join(place, str(index)), inputs, outputs)
    return {
        "name": name,
        "kind": kind,
        "operator": tested_operator(case.name, operators) if kind == "node" else "",
        "rtol": case.rtol,
        "atol": case.atol,
        "inputs": fed_inputs(model),
        "input_types": [] if obstacle else [array_of(value).dtype.name for value in sets[0][0]],
        "output_types": [] if obstacle else [array_of(value).dtype.name for value in sets[0][1]],
        "data_sets": len(sets),
        "obstacle": obstacle,
    }


def fed_inputs(model):
    """What the caller gives: old models list initializers among the inputs, after those that have none."""
    constants = {tensor.name for tensor in model.graph.initializer}
    return [value.name for value in model.graph.input if value.name not in constants]


def stored_data_sets(folder, model):
    """[(inputs, outputs)] of a case that lies in the package."""
    names = sorted(name for name in os.listdir(folder) if name.startswith("test_data_set"))
    return [(read_values(folder, name, "input", model.graph.input), read_values(folder, name, "output", model.graph.output)) for name in names]


def read_values(folder, data_set, prefix, declared):
    import onnx

    values = []
    while os.path.exists(path := os.path.join(folder, data_set, f"{prefix}_{len(values)}.pb")):
        kind = declared[len(values)].type.WhichOneof("value")
        value = {"sequence_type": onnx.SequenceProto, "optional_type": onnx.OptionalProto}.get(kind, onnx.TensorProto)()
        with open(path, "rb") as file:
            value.ParseFromString(file.read())
        values.append(value)
    return values


def obstacle_in(value):
    """Why a value cannot be written as a .npy file of an element type that aotc's tools read; empty where it can."""
    import onnx

    if value is None or isinstance(value, (list, dict, onnx.SequenceProto, onnx.OptionalProto)):
        return "values that are no tensors"
    array = array_of(value)
    if array.dtype.kind in "OUS":
        return "tensors of strings"
    if array.dtype.kind in "c":
        return "complex numbers"
    return ""


def array_of(value):
    import numpy
    import onnx

    if isinstance(value, onnx.TensorProto):
        return onnx.numpy_helper.to_array(value)
    return numpy.asarray(value)


def write_data_set(folder, inputs, outputs):
    import numpy

    os.makedirs(folder)
    for prefix, values in (("input", inputs), ("output", outputs)):
        for index, value in enumerate(values):
            numpy.save(os.path.join(folder, f"{prefix}_{index}.npy"), in_file(array_of(value)))


def in_file(array):
    """As templates/project/tools/npy.hpp reads it: 4-bit integers one a byte, other types that numpy has not as raw bytes."""
    import ml_dtypes
    import numpy

    array = numpy.asarray(array, order="C")
    if array.dtype.name in ("int4", "uint4", "int2", "uint2"):
        return array.astype(numpy.uint8 if array.dtype.name.startswith("u") else numpy.int8)
    is_foreign = hasattr(ml_dtypes, array.dtype.name)  # whatever its kind, which is "f" for some of them
    return array.view(f"V{array.dtype.itemsize}") if is_foreign else array


def from_file(array, type_name):
    """The inverse; arrays of other types than `type_name` come back as they are."""
    import ml_dtypes
    import numpy

    if not hasattr(ml_dtypes, type_name):
        return array
    wanted = numpy.dtype(getattr(ml_dtypes, type_name))
    if type_name in ("int4", "uint4", "int2", "uint2"):
        return array.astype(wanted)
    return array.view(wanted) if array.dtype.kind == "V" and array.dtype.itemsize == wanted.itemsize else array
