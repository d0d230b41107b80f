"""Operators of ai.onnx.ml in all their variants, as one model of many nodes on the same rows.

    run_learning.py [--keep]

Trees are held against a walk node by node, everything else against ONNX Runtime, as far as it does what the standard says:
what differs is named in docs/output.md and not tried here. The model is compiled for 1 to 9 rows and run on 9 and on 2. --keep
leaves the work files (<build>/e2e/learning).
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
from harness import Failed

WORK = os.path.join(harness.BUILD, "e2e", "learning")
ROWS, FEATURES = 9, 4
TRANSFORMS = ["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"]
TYPES = {numpy.float32: TensorProto.FLOAT, numpy.float64: TensorProto.DOUBLE, numpy.int64: TensorProto.INT64}
MODES = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER"]
COMPARE = [numpy.less_equal, numpy.less, numpy.greater_equal, numpy.greater, numpy.equal, numpy.not_equal]
AGGREGATES = ["AVERAGE", "SUM", "MIN", "MAX"]
THRESHOLDS = [-1.5, -1.0, 0.0, 0.5, 1.0, numpy.inf]  # many values of the inputs are equal to one


def make_inputs(rows):
    """x: finite; n: with NaN and infinities; d: n in double; i: integers."""
    random = numpy.random.default_rng(5)
    x = (random.integers(-4, 5, (ROWS, FEATURES)) / 2).astype(numpy.float32)
    x[0] = 0
    n = x.copy()
    n[1] = numpy.nan
    n[2, :2] = [numpy.inf, -numpy.inf]
    n[5, 2] = numpy.nan
    i = random.integers(-3, 4, (ROWS, FEATURES))
    return {name: value[:rows] for name, value in {"x": x, "n": n, "d": n.astype(numpy.float64), "i": i}.items()}


# ------------------------------------------------------------------------------------------------------------------ trees


class Ensemble:
    """Random trees: nodes (feature, mode, threshold, members, missing is true, children), a leaf being ~index into leaves."""

    def __init__(self, seed, modes, targets, trees=11, depth=4, element=numpy.float32):
        self.random = numpy.random.default_rng(seed)
        self.modes, self.targets, self.element = modes, targets, element
        self.nodes, self.leaves, self.roots = [], [], []
        for tree in range(trees):
            self.roots.append(self.grow(depth if tree % 3 else 1))

    def grow(self, depth):
        if depth == 0 or (depth < 3 and self.random.random() < 0.3):
            self.leaves.append((int(self.random.integers(self.targets)), float(self.element(self.random.normal()))))
            return ~(len(self.leaves) - 1)
        place = len(self.nodes)
        self.nodes.append(None)
        members = sorted(set(self.random.choice(THRESHOLDS[:-1], 3).tolist()))
        test = (int(self.random.integers(FEATURES)), int(self.random.choice(self.modes)), float(self.random.choice(THRESHOLDS)))
        self.nodes[place] = (*test, members, bool(self.random.integers(2)), self.grow(depth - 1), self.grow(depth - 1))
        return place

    def leaf_of(self, row, at):
        while at >= 0:
            feature, mode, threshold, members, missing, if_true, if_false = self.nodes[at]
            value = row[feature]
            holds = value in members if mode == 6 else COMPARE[mode](value, threshold)
            at = if_true if (missing if numpy.isnan(value) else holds) else if_false
        return self.leaves[~at]

    def scores(self, x, aggregate="SUM", base=0.0):
        result = numpy.zeros((len(x), self.targets))
        for row, values in zip(x, result):
            for target in range(self.targets):
                weights = [weight for at, weight in (self.leaf_of(row, root) for root in self.roots) if at == target]
                total = sum(weights) / (len(self.roots) if aggregate == "AVERAGE" else 1)
                values[target] = {"MIN": min, "MAX": max}[aggregate](weights, default=0) if aggregate in ("MIN", "MAX") else total
        return result + base

    def lists(self, entries):
        """Attributes of TreeEnsembleRegressor and TreeEnsembleClassifier."""
        rows, weights = [], []
        for tree, root in enumerate(self.roots):
            self.add_rows(tree, root, rows, weights)
        names = ["treeids", "nodeids", "featureids", "modes", "values", "missing_value_tracks_true", "truenodeids", "falsenodeids"]
        result = {f"nodes_{name}": list(column) for name, column in zip(names, zip(*rows))}
        for name, column in zip(["treeids", "nodeids", "ids", "weights"], zip(*weights)):
            result[f"{entries}_{name}"] = list(column)
        if self.element is numpy.float64:
            for name in ("nodes_values", f"{entries}_weights"):
                result[name + "_as_tensor"] = numpy_helper.from_array(numpy.array(result.pop(name)))
        return result

    def add_rows(self, tree, at, rows, weights):
        place = sum(row[0] == tree for row in rows)
        if at < 0:
            rows.append((tree, place, 0, "LEAF", 0.0, 0, 0, 0))
            weights.append((tree, place, *self.leaves[~at]))
            return place
        feature, mode, threshold, _, missing, if_true, if_false = self.nodes[at]
        rows.append(None)
        rows[-1] = (tree, place)
        mine = len(rows) - 1
        children = [self.add_rows(tree, child, rows, weights) for child in (if_true, if_false)]
        rows[mine] = (tree, place, feature, MODES[mode], threshold, int(missing), *children)
        return place

    def tables(self):
        """Attributes of TreeEnsemble."""
        nodes, roots, element = list(self.nodes), list(self.roots), self.element
        for tree, root in enumerate(roots):  # a leaf alone is a node both of whose branches lead there
            if root < 0:
                roots[tree] = len(nodes)
                nodes.append((0, 0, 0.0, [], False, root, root))
        features, modes, splits, members, missing, if_true, if_false = zip(*nodes)
        sets = [value for mode, values in zip(modes, members) if mode == 6 for value in [*values, numpy.nan]]
        index = [[place if place >= 0 else ~place for place in places] for places in (if_true, if_false)]
        leaf = [[int(place < 0) for place in places] for places in (if_true, if_false)]
        result = dict(nodes_featureids=features, nodes_truenodeids=index[0], nodes_falsenodeids=index[1], tree_roots=roots)
        result |= dict(nodes_trueleafs=leaf[0], nodes_falseleafs=leaf[1], nodes_missing_value_tracks_true=[int(m) for m in missing])
        result |= dict(nodes_splits=numpy.array(splits, element), nodes_modes=numpy.array(modes, numpy.uint8), n_targets=self.targets)
        result |= dict(leaf_targetids=[t for t, _ in self.leaves], leaf_weights=numpy.array([w for _, w in self.leaves], element))
        if sets:
            result["membership_values"] = numpy.array(sets, element)
        return {k: numpy_helper.from_array(v) if isinstance(v, numpy.ndarray) else v for k, v in result.items()}


# ------------------------------------------------------------------------------------------------------------------ the model


class Suite:
    """Nodes, the types of their outputs, and what is expected of them: a function of the inputs, or ONNX Runtime's result."""

    def __init__(self):
        self.nodes, self.outputs, self.expected = [], [], {}

    def add(self, op, inputs, element=TensorProto.FLOAT, expected=None, classifier=False, **attributes):
        name = f"out{len(self.nodes)}_{op}"
        names = [name + "_label", name] if classifier else [name]
        self.nodes.append(helper.make_node(op, inputs.split(), names, name=name, domain="ai.onnx.ml", **attributes))
        if classifier:
            self.outputs.append((names[0], TensorProto.INT64))
        self.outputs.append((name, element))
        if expected:
            self.expected[name] = expected

    def model(self, with_expected):
        nodes = [node for node in self.nodes if with_expected or node.name not in self.expected]
        made = {name for node in nodes for name in node.output}
        inputs = [("x", TensorProto.FLOAT), ("n", TensorProto.FLOAT), ("d", TensorProto.DOUBLE), ("i", TensorProto.INT64)]
        used = {name for node in nodes for name in node.input}
        graph = helper.make_graph(
            nodes,
            "learning",
            [helper.make_tensor_value_info(name, element, ["N", FEATURES]) for name, element in inputs if name in used],
            [helper.make_tensor_value_info(name, element, None) for name, element in self.outputs if name in made],
        )
        # Version 5 has TreeEnsemble; ONNX Runtime refuses there what that replaces.
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("ai.onnx.ml", 5 if with_expected else 4)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    def references(self, inputs):
        model = self.model(with_expected=False)
        session = onnxruntime.InferenceSession(model.SerializeToString())
        wanted = {value.name: inputs[value.name] for value in session.get_inputs()}
        results = dict(zip([value.name for value in session.get_outputs()], session.run(None, wanted)))
        return results | {name: function(inputs) for name, function in self.expected.items()}


def add_trees(suite):
    number = numpy.random.default_rng(1).integers
    for aggregate in AGGREGATES:
        for source, element, targets in (("n", numpy.float32, 1), ("d", numpy.float64, 3)):
            trees = Ensemble(int(number(1000)), range(7), targets, element=element)
            code = AGGREGATES.index(aggregate)
            expected = lambda data, t=trees, a=aggregate, s=source, e=element: t.scores(data[s], a).astype(e)
            suite.add("TreeEnsemble", source, TYPES[element], expected, aggregate_function=code, post_transform=0, **trees.tables())
            old = Ensemble(int(number(1000)), range(6), targets, element=element)
            base = [0.5, -1.0, 2.0][:targets]
            expected = lambda data, t=old, a=aggregate, s=source, b=base: t.scores(data[s], a, b).astype(numpy.float32)
            values = {"base_values": base} if element is numpy.float32 else {"base_values_as_tensor": numpy_helper.from_array(numpy.array(base))}
            suite.add("TreeEnsembleRegressor", source, expected=expected, aggregate_function=aggregate, n_targets=targets, **old.lists("target"), **values)
    single = Ensemble(3, [0], 1, trees=1, depth=0)
    suite.add("TreeEnsembleRegressor", "x", expected=lambda data: single.scores(data["x"]).astype(numpy.float32), n_targets=1, **single.lists("target"))
    for transform in TRANSFORMS[:3]:
        trees = Ensemble(int(number(1000)), range(4), 3)
        suite.add("TreeEnsembleClassifier", "x", classifier=True, classlabels_int64s=[4, -2, 9], post_transform=transform, **trees.lists("class"))
    for transform in ("NONE", "LOGISTIC"):  # one score for two classes, a margin
        trees = Ensemble(int(number(1000)), range(4), 1)
        suite.add("TreeEnsembleClassifier", "i", classifier=True, classlabels_int64s=[4, -2], post_transform=transform, base_values=[0.25], **trees.lists("class"))
    votes = Ensemble(8, range(4), 1)
    votes.leaves = [(0, abs(weight) / 9) for _, weight in votes.leaves]  # a probability
    suite.add("TreeEnsembleClassifier", "d", classifier=True, classlabels_int64s=[4, -2], **votes.lists("class"))


def add_linear(suite):
    random = numpy.random.default_rng(2)
    for transform in TRANSFORMS:
        values = random.normal(size=(3, FEATURES + 1)).round(3)
        flat = values[:, 1:].flatten().tolist()
        suite.add("LinearClassifier", "x", classifier=True, classlabels_ints=[4, -2, 9], coefficients=flat, intercepts=values[:, 0].tolist(), post_transform=transform)
        suite.add("LinearRegressor", "n", coefficients=flat, intercepts=values[:, 0].tolist(), targets=3, post_transform=transform)
    for place, transform in enumerate(("NONE", "LOGISTIC")):
        suite.add("LinearClassifier", "i", classifier=True, classlabels_ints=[4, -2], coefficients=flat[place:][:FEATURES], intercepts=[0.25], post_transform=transform)
    suite.add("LinearRegressor", "x", coefficients=flat[:FEATURES], intercepts=[0.25])


def add_machines(suite):
    random = numpy.random.default_rng(3)
    vectors = random.normal(size=(12, FEATURES)).round(3)
    shared = dict(kernel_params=[0.3, 0.5, 3.0], support_vectors=vectors.flatten().tolist())
    for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID"):
        for per_class in ([5, 7], [3, 4, 5]):
            classes = len(per_class)
            pairs = classes * (classes - 1) // 2
            weights = random.normal(size=((classes - 1) * 12)).round(3).tolist()
            rho = random.normal(size=pairs).round(3).tolist()
            attributes = dict(kernel_type=kernel, coefficients=weights, rho=rho, vectors_per_class=per_class, classlabels_ints=[4, -2, 9][:classes], **shared)
            suite.add("SVMClassifier", "x", classifier=True, **attributes)
            suite.add("SVMClassifier", "i", classifier=True, prob_a=[-1.5] * pairs, prob_b=[0.1] * pairs, **attributes)
            attributes["coefficients"] = weights[::-1]
            suite.add("SVMClassifier", "i", classifier=True, post_transform="LOGISTIC", **attributes)
        weights = random.normal(size=12).round(3).tolist()
        suite.add("SVMRegressor", "x", kernel_type=kernel, coefficients=weights, rho=[0.5], n_supports=12, **shared)
        suite.add("SVMRegressor", "x", kernel_type=kernel, coefficients=weights, rho=[0.5], n_supports=12, one_class=1, **shared)
    linear = random.normal(size=3 * FEATURES).round(3).tolist()
    suite.add("SVMClassifier", "x", classifier=True, coefficients=linear, kernel_params=[0.0] * 3, rho=[0.1], classlabels_ints=[4, -2, 9])
    suite.add("SVMRegressor", "x", coefficients=linear[:FEATURES], kernel_params=[0.0] * 3, rho=[0.1])


def add_features(suite):
    offset, scale = [0.5, -1.0, 0.0, 2.0], [2.0, 0.25, 1.5, -1.0]
    suite.add("Scaler", "n", offset=offset, scale=scale)
    suite.add("Scaler", "d", offset=[0.5], scale=[3.0])
    suite.add("Scaler", "i", offset=offset, scale=scale)
    for norm in ("MAX", "L1", "L2"):
        suite.add("Normalizer", "x", norm=norm)
        suite.add("Normalizer", "i", norm=norm)
    suite.add("Binarizer", "x", threshold=0.5)
    suite.add("Imputer", "n", imputed_value_floats=[1.0, 2.0, 3.0, 4.0], replaced_value_float=numpy.nan)
    suite.add("Imputer", "d", TensorProto.DOUBLE, expected=lambda data: numpy.where(data["d"] == 0.5, 7.0, data["d"]), imputed_value_floats=[7.0], replaced_value_float=0.5)
    suite.add("Imputer", "i", TensorProto.INT64, imputed_value_int64s=[10, 20, 30, 40], replaced_value_int64=-1)
    suite.add("OneHotEncoder", "i", cats_int64s=[2, -1, 0])
    suite.add("OneHotEncoder", "x", cats_int64s=[1, 0])
    suite.add("FeatureVectorizer", "x n", inputdimensions=[4, 4])
    suite.add("LabelEncoder", "i", TensorProto.INT64, keys_int64s=[3, -1, 0, 2], values_int64s=[30, -10, 7, 20])
    suite.add("LabelEncoder", "i", keys_int64s=[3, -1, 0, 2], values_floats=[3.5, -1.5, 0.5, 2.5], default_float=9.0)
    suite.add("LabelEncoder", "n", TensorProto.INT64, keys_floats=[numpy.nan, 0.5, -1.0, numpy.inf], values_int64s=[1, 2, 3, 4], default_int64=-7)
    tensors = dict(keys_tensor=numpy.array([0.5, numpy.nan]), values_tensor=numpy.array([5, 6], numpy.int16), default_tensor=numpy.array([-3], numpy.int16))
    expected = lambda data: numpy.where(numpy.isnan(data["d"]), 6, numpy.where(data["d"] == 0.5, 5, -3)).astype(numpy.int16)
    suite.add("LabelEncoder", "d", TensorProto.INT16, expected, **{name: numpy_helper.from_array(value) for name, value in tensors.items()})


# ------------------------------------------------------------------------------------------------------------------- the test


def compare(folder, names, references):
    for place, name in enumerate(names):
        want = references[name]
        got = numpy.load(os.path.join(folder, f"output_{place}.npy"))
        if got.shape != want.shape or got.dtype != want.dtype:
            raise Failed(f"{name}: expected {want.dtype}{list(want.shape)}, found {got.dtype}{list(got.shape)}")
        if not numpy.allclose(got, want, rtol=1e-4, atol=1e-5, equal_nan=True):
            at = tuple(numpy.argwhere(~numpy.isclose(got, want, rtol=1e-4, atol=1e-5, equal_nan=True))[0])
            raise Failed(f"{name} at {list(map(int, at))}: expected {want[at]}, found {got[at]}")


def run_rows(program, suite, rows, work):
    inputs = make_inputs(rows)
    folder = harness.empty_folder(os.path.join(work, f"inputs_{rows}"))
    for place, value in enumerate(inputs.values()):
        numpy.save(os.path.join(folder, f"input_{place}.npy"), value)
    references, folders = suite.references(inputs), []
    for threads in (1, 3):
        folders.append(harness.empty_folder(os.path.join(work, f"outputs_{rows}_{threads}")))
        harness.must([program, "--inputs", folder, "--outputs", folders[-1], "--threads", str(threads)])
        compare(folders[-1], [name for name, _ in suite.outputs], references)
        harness.check_same_bytes(folders[0], folders[-1], f"{rows} rows, {threads} threads")


def test_learning(work):
    suite = Suite()
    for add in (add_trees, add_linear, add_machines, add_features):
        add(suite)
    path = os.path.join(work, "learning.onnx")
    onnx.save(suite.model(with_expected=True), path)
    generated, target = os.path.join(work, "generated"), harness.Target("native")
    harness.compile_model(path, generated, target, ["--input-dim", f"N=1..{ROWS}"])
    (program,) = harness.build(generated, os.path.join(work, "build"), "g++", target, jobs=2)
    for rows in (ROWS, 2):
        run_rows(program, suite, rows, work)
    return f"{len(suite.nodes)} nodes, {ROWS} rows and 2"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", action="store_true", help="leave the work files")
    arguments = parser.parse_args()
    work = harness.empty_folder(WORK)
    outcome = harness.attempt(test_learning, work)
    print(f"  {outcome.status:7}  ai.onnx.ml: {outcome.text}", flush=True)
    if not arguments.keep and outcome.status == "passed":
        shutil.rmtree(work)
    return harness.close([outcome])


if __name__ == "__main__":
    sys.exit(main())
