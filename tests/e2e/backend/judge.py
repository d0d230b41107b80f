"""Whether computed outputs are the expected ones, by the rule of onnx's own runner: the case's tolerances for floats, NaN equal
to NaN; stricter than it in that integers and booleans must be equal.
"""

import os

import numpy

from backend.cases import from_file

BFLOAT16_RTOL = 2**-6  # two units in the last place, as onnx's runner allows
FLOAT16_RTOL = 2**-9  # the same: numpy rounds every sum to half, we round once
# Cases whose expected zeros are rounding noise of numpy's own transform, larger than the case's tolerance.
NOISE_ATOL = {"test_dft_inverse_opset19": 1e-5, "test_dft_inverse": 1e-5}


def difference(case, outputs):
    """What is wrong with the folder of outputs, in one line; empty where nothing is."""
    atol = max(case.atol, NOISE_ATOL.get(case.name, 0))
    for data_set in range(case.data_sets):
        for index, type_name in enumerate(case.output_types):
            name = f"output_{index}.npy"
            found = os.path.join(outputs, str(data_set), name)
            if not os.path.exists(found):
                return f"output {index} was not computed"
            expected = from_file(numpy.load(os.path.join(case.data(data_set), name)), type_name)
            text = difference_of_arrays(expected, from_file(numpy.load(found), type_name), case.rtol, atol)
            if text:
                return f"output {index}: {text}"
    return ""


def difference_of_arrays(expected, found, rtol, atol):
    if expected.shape != found.shape:
        return f"expected shape {list(expected.shape)}, found {list(found.shape)}"
    if expected.dtype != found.dtype:
        return f"expected {expected.dtype.name}, found {found.dtype.name}"
    good = numpy.asarray(equal_enough(expected, found, rtol, atol))
    if good.all():
        return ""
    place = tuple(int(i) for i in numpy.argwhere(~good)[0])
    return f"{(~good).sum()} of {good.size} elements, the first at {list(place)}: expected {expected[place]}, found {found[place]}"


def equal_enough(expected, found, rtol, atol):
    if expected.dtype.kind in "biu" or "int" in expected.dtype.name:
        return expected == found
    if expected.dtype.name == "bfloat16":
        rtol = max(rtol, BFLOAT16_RTOL)
    if expected.dtype.name == "float16":
        rtol = max(rtol, FLOAT16_RTOL)
    if expected.dtype.kind == "V" or expected.dtype.itemsize == 1:
        expected, found = expected.astype(numpy.float32), found.astype(numpy.float32)
    return numpy.isclose(found, expected, rtol=rtol, atol=atol, equal_nan=True)
