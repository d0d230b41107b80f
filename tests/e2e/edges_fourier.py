"""Parts of run_edges.py: short Fourier transforms as operators and as convolutions, and scales behind transposes."""

import numpy


def ints(*values):
    return numpy.array(values, numpy.int64)


def transforms(p):
    """Of a real signal, windows known when compiling and not; of a complex one; without a window."""
    real, complex_ = p.input("fs_real", [2, 50, 1], p.floats(2, 50, 1)), p.input("fs_complex", [2, 50, 2], p.floats(2, 50, 2))
    window, step, length = p.constant("fs_window", numpy.hanning(16).astype(numpy.float32)), p.constant("fs_step", numpy.array(5)), p.constant("fs_length", numpy.array(16))
    p.output(p.add("STFT", [real, step, window], "fs_a"))
    p.output(p.add("STFT", [real, step, p.input("fs_given", [16], p.floats(16))], "fs_b"))
    p.output(p.add("STFT", [complex_, step, window], "fs_c", onesided=0))
    p.output(p.add("STFT", [real, step, "", length], "fs_d"))


def magnitudes(p):
    """A convolution by cosines and sines, and the length of both."""
    turns = numpy.arange(9)[:, None] * numpy.arange(16)[None] * 2 * numpy.pi / 16
    basis = numpy.concatenate([numpy.cos(turns), -numpy.sin(turns)]) * numpy.hanning(16)
    x = p.input("fm_x", [2, 1, 50], p.floats(2, 1, 50))
    both = p.add("Conv", [x, p.constant("fm_w", basis.astype(numpy.float32)[:, None])], "fm_both", strides=[5])
    squares = []
    for name, begin, end in [("real", 0, 9), ("imaginary", 9, 18)]:
        ends = [p.constant(f"fm_{name}_{k}", ints(value)) for k, value in enumerate([begin, end, 1])]
        part = p.add("Slice", [both, *ends], f"fm_{name}")
        squares.append(p.add("Mul", [part, part], f"fm_{name}_squared"))
    p.output(p.add("Sqrt", [p.add("Add", squares, "fm_sum")], "fm_y"))


def scales_behind_transposes(p):
    """Batch normalization that sees the channels of a product, or of an image that is channels-last, behind a transpose."""
    scales = [p.constant(f"ft_{k}", numpy.abs(p.floats(6)) + 0.5) for k in range(4)]
    x, w = p.input("ft_x", [2, 7, 5], p.floats(2, 7, 5)), p.constant("ft_w", p.floats(5, 6))
    moved = p.add("Transpose", [p.add("MatMul", [x, w], "ft_product")], "ft_moved", perm=[0, 2, 1])
    p.output(p.add("Transpose", [p.add("BatchNormalization", [moved, *scales], "ft_scaled")], "ft_y", perm=[0, 2, 1]))
    image = p.add("Transpose", [p.input("ft_image", [2, 4, 4, 3], p.floats(2, 4, 4, 3))], "ft_planes", perm=[0, 3, 1, 2])
    conv = p.add("Transpose", [p.add("Conv", [image, p.constant("ft_filters", p.floats(6, 3, 3, 3))], "ft_conv")], "ft_last", perm=[0, 2, 3, 1])
    p.output(p.add("Add", [p.add("Mul", [conv, scales[0]], "ft_times"), scales[1]], "ft_z"))


STATIC = [transforms, magnitudes, scales_behind_transposes]
