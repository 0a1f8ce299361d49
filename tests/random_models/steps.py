# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Steps of random models. A step that finds no value that it can take adds nothing."""

import math

import numpy as np

UNARY = ("Relu", "Sigmoid", "Tanh", "Erf", "Neg", "Abs", "HardSwish", "HardSigmoid", "Softplus")
MAXIMUM = 200_000  # elements of a value


def unary(m):
    x = m.pick()
    m.add(m.choose(UNARY), [x], m.shapes[x])


def silu(m):
    x = m.pick()
    m.add("Mul", [x, m.add("Sigmoid", [x], m.shapes[x])], m.shapes[x])


def gelu(m):
    x = m.pick()
    shape = m.shapes[x]
    if m.chance(0.5):
        inner = m.add("Erf", [m.add("Div", [x, m.scalar(math.sqrt(2))], shape)], shape)
    else:
        cube = m.add("Mul", [m.add("Pow", [x, m.scalar(3)], shape), m.scalar(0.044715)], shape)
        scaled = m.add("Mul", [m.add("Add", [x, cube], shape), m.scalar(0.7978845608)], shape)
        inner = m.add("Tanh", [scaled], shape)
    both = m.add("Mul", [x, m.add("Add", [inner, m.scalar(1)], shape)], shape)
    m.add("Mul", [both, m.scalar(0.5)], shape)


def other_pointwise(m):
    x = m.pick()
    shape = m.shapes[x]
    kind = m.choose(["square", "root", "exponential", "clip", "select", "truth"])
    if kind == "square":
        m.add("Pow", [x, m.scalar(2)], shape)
    elif kind == "root":
        m.add("Sqrt", [m.add("Abs", [x], shape)], shape)
    elif kind == "exponential":
        m.add("Exp", [m.add("Tanh", [x], shape)], shape)
    elif kind == "clip":
        m.add("Clip", [x, m.scalar(-1), m.scalar(2)], shape)
    else:
        # Only inputs are compared: rounding would turn comparisons of computed values.
        x = m.choose(m.inputs)
        shape = m.shapes[x]
        seen = m.node("Greater", [x, m.scalar(0.1)])
        if kind == "truth":
            m.add("Cast", [seen], shape, to=1)
        else:
            m.add("Where", [seen, x, m.pick(lambda other: other == shape)], shape)


def binary(m):
    x = m.pick()
    shape = m.shapes[x]
    kind = m.random.random()
    if kind < 0.45:
        y = m.pick(lambda other: other == shape)
    elif kind < 0.6:
        y = m.scalar(m.random.standard_normal())
    else:
        extents = [extent if m.chance(0.5) else 1 for extent in shape]
        if m.dynamic:
            extents[0] = 1
        y = m.weights(*extents[int(m.random.integers(0, len(extents) + 1)) :])
    operands = [x, y] if m.chance(0.6) else [y, x]
    m.add(m.choose(["Add", "Mul", "Sub", "Max", "Min"]), operands, shape)


def convolution(m):
    x = m.pick(lambda shape: len(shape) == 4 and shape[2] * shape[3] <= 600)
    if x is None:
        return
    batch, channels, *image = m.shapes[x]
    kernel, stride = m.choose([1, 1, 3, 3, 5]), m.choose([1, 1, 2])
    pad = int(m.random.integers(0, kernel // 2 + 1))
    image = [(extent + 2 * pad - kernel) // stride + 1 for extent in image]
    if min(image) < 1:
        return
    groups, maps = m.choose([(channels, channels), (1, 3), (1, 8), (1, 16), (1, 17), (1, 32)])
    if channels % 2 == 0 and m.chance(0.15):
        groups, maps = 2, 6
    inner = channels // groups
    inputs = [x, m.weights(maps, inner, kernel, kernel, scale=(inner * kernel * kernel) ** -0.5)]
    if m.chance(0.6):
        inputs.append(m.weights(maps))
    shape = (batch, maps, *image)
    y = m.add("Conv", inputs, shape, strides=[stride] * 2, pads=[pad] * 4, group=groups)
    if m.chance(0.5):
        positive = [
            m.constant(m.random.uniform(0.5, 1.5, maps).astype(np.float32)) for _ in range(2)
        ]
        inputs = [y, positive[0], m.weights(maps), m.weights(maps, scale=0.3), positive[1]]
        y = m.add("BatchNormalization", inputs, shape)
    if m.chance(0.3):
        y = m.add("Add", [y, m.pick(lambda other: other == shape)], shape)
    if m.chance(0.5):
        m.add("Relu", [y], shape)


def pooling(m):
    x = m.pick(lambda shape: len(shape) == 4 and min(shape[2:]) >= 3)
    if x is None:
        return
    batch, channels, *image = m.shapes[x]
    if m.chance(0.3):
        m.add("GlobalAveragePool", [x], (batch, channels, 1, 1))
        return
    kernel, stride = m.choose([2, 3]), m.choose([1, 2])
    pad = int(m.random.integers(0, 2)) if kernel == 3 else 0
    shape = (batch, channels, *((extent + 2 * pad - kernel) // stride + 1 for extent in image))
    window = {"kernel_shape": [kernel] * 2, "strides": [stride] * 2, "pads": [pad] * 4}
    if m.chance(0.5):
        m.add("MaxPool", [x], shape, **window)
    else:
        m.add("AveragePool", [x], shape, count_include_pad=int(m.chance(0.5)), **window)


def linear(m, x, columns):
    """x times weights, with a bias or not."""
    *outer, rows = m.shapes[x]
    y = m.add("MatMul", [x, m.matrix(rows, columns)], (*outer, columns))
    return m.add("Add", [y, m.weights(columns)], m.shapes[y]) if m.chance(0.6) else y


def product(m):
    x = m.pick(lambda shape: len(shape) >= 2)
    if x is not None:
        linear(m, x, m.choose([1, 4, 8, 16, 24, 33, 64]))


def gemm(m):
    x = m.pick(lambda shape: len(shape) == 2)
    if x is None:
        return
    rows, inner = m.shapes[x]
    columns, transposed = m.choose([4, 10, 32]), m.chance(0.5)
    weights = m.weights(*((columns, inner) if transposed else (inner, columns)), scale=inner**-0.5)
    factors = {"alpha": m.choose([1.0, 0.5]), "beta": m.choose([1.0, 2.0])}
    inputs = [x, weights, m.weights(columns)]
    m.add("Gemm", inputs, (rows, columns), transB=int(transposed), **factors)


def product_of_values(m):
    x = m.pick(lambda shape: len(shape) >= 3)
    if x is None:
        return
    *outer, rows, inner = m.shapes[x]
    y = m.pick(lambda other: len(other) == len(outer) + 2 and other[:-2] == tuple(outer)
               and inner in other[-2:])  # fmt: skip
    if y is None:
        return
    *_, height, width = m.shapes[y]
    if height != inner:
        height, width = width, height
        axes = [*range(len(outer)), len(outer) + 1, len(outer)]
        y = m.add("Transpose", [y], (*outer, height, width), perm=axes)
    z = m.add("MatMul", [x, y], (*outer, rows, width))
    m.add("Mul", [z, m.scalar(inner**-0.5)], m.shapes[z])


def attention(m):
    x = m.pick(lambda shape: len(shape) == 3 and shape[-1] % 4 == 0)
    if x is None:
        return
    batch, length, width = m.shapes[x]
    heads = m.choose([1, 2, 4])
    size = width // heads

    def split_in_heads(axes):
        y = m.add("Reshape", [linear(m, x, width), m.integers(0, length, heads, size)],
                  (batch, length, heads, size))  # fmt: skip
        shape = [m.shapes[y][axis] for axis in axes]
        return m.add("Transpose", [y], shape, perm=axes)

    query, key, value = map(split_in_heads, ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
    shape = (batch, heads, length, length)
    early = m.chance(0.4)
    if early:
        query = m.add("Mul", [query, m.scalar(size**-0.5)], m.shapes[query])
    scores = m.add("MatMul", [query, key], shape)
    if not early:
        scores = m.add("Div", [scores, m.scalar(size**0.5)], shape)
    mask = m.random.random()
    if mask < 0.3:
        hidden = m.choose([-1e9, -np.inf])
        rows = np.triu(np.full((length, length), hidden, np.float32), 1)
        scores = m.add("Add", [scores, m.constant(rows)], shape)
    elif mask < 0.5:
        scores = m.add("Add", [scores, m.weights(1, heads, length, length)], shape)
    elif mask < 0.6:
        seen = m.constant(np.tril(np.ones((length, length), bool)))
        scores = m.add("Where", [seen, scores, m.scalar(-1e4)], shape)
    weights = m.add("Softmax", [scores], shape, axis=-1)
    result = m.add("MatMul", [weights, value], (batch, heads, length, size))
    result = m.add("Transpose", [result], (batch, length, heads, size), perm=[0, 2, 1, 3])
    m.add("Reshape", [result, m.integers(0, length, width)], (batch, length, width))


def normalization(m):
    """Layer or RMS normalization of the last axis, whole or from its parts."""
    x = m.pick(lambda shape: len(shape) >= 2 and shape[-1] >= 4)
    if x is None:
        return
    shape = m.shapes[x]
    size, rows = shape[-1], (*shape[:-1], 1)
    if m.chance(0.3):
        m.add("LayerNormalization", [x, m.weights(size), m.weights(size)], shape)
        return

    def mean(value):
        return m.add("ReduceMean", [value], rows, axes=[-1], keepdims=1)

    centred = m.add("Sub", [x, mean(x)], shape) if m.chance(0.7) else x
    factors = [centred, centred] if m.chance(0.5) else [centred, m.scalar(2)]
    square = m.add("Mul" if factors[0] == factors[1] else "Pow", factors, shape)
    variance = m.add("Add", [mean(square), m.scalar(1e-2)], rows)
    y = m.add("Div", [centred, m.add("Sqrt", [variance], rows)], shape)
    if m.chance(0.7):
        y = m.add("Mul", [y, m.weights(size)], shape)
    if m.chance(0.7):
        m.add("Add", [y, m.weights(size)], shape)


def gate(m):
    """act(x A) * (x B), from two products or from the halves of one."""
    x = m.pick(lambda shape: len(shape) >= 2)
    if x is None:
        return
    columns = m.choose([8, 24, 64])
    if m.chance(0.5):
        wide = linear(m, x, 2 * columns)
        one, two = m.split(wide, len(m.shapes[wide]) - 1, [columns, columns])
    else:
        one, two = linear(m, x, columns), linear(m, x, columns)
    shape = m.shapes[one]
    kind = m.choose(["Sigmoid", "Relu", "Tanh", "silu"])
    acted = m.add("Sigmoid" if kind == "silu" else kind, [one], shape)
    if kind == "silu":
        acted = m.add("Mul", [one, acted], shape)
    m.add("Mul", [acted, two] if m.chance(0.5) else [two, acted], shape)


def transpose(m):
    x = m.pick(lambda shape: len(shape) >= 2)
    if x is None:
        return
    first = [0] if m.dynamic else []
    rest = range(len(first), len(m.shapes[x]))
    axes = first + [int(axis) for axis in m.random.permutation(list(rest))]
    m.add("Transpose", [x], [m.shapes[x][axis] for axis in axes], perm=axes)


def reshape(m):
    x = m.pick()
    shape = list(m.shapes[x])
    axis = m.axis(shape)
    if axis is None:
        return
    if m.chance(0.5) and axis + 1 < len(shape):
        shape[axis : axis + 2] = [shape[axis] * shape[axis + 1]]
    else:
        parts = [part for part in (2, 3, 4, 8) if shape[axis] % part == 0]
        if len(shape) >= 5 or not parts:
            return
        part = m.choose(parts)
        shape[axis : axis + 1] = [part, shape[axis] // part]
    m.add("Reshape", [x, m.integers(*([0] if m.dynamic else shape[:1]), *shape[1:])], shape)


def change_rank(m):
    x = m.pick(lambda shape: len(shape) < 5)
    if x is None:
        return
    shape = list(m.shapes[x])
    axis = m.axis(shape, lambda extent: extent == 1)
    if axis is not None and len(shape) > 1:
        m.add("Squeeze", [x, m.integers(axis)], shape[:axis] + shape[axis + 1 :])
    else:
        axis = int(m.random.integers(int(m.dynamic), len(shape) + 1))
        m.add("Unsqueeze", [x, m.integers(axis)], [*shape[:axis], 1, *shape[axis:]])


def slice_one_axis(m):
    x = m.pick()
    shape = list(m.shapes[x])
    axis = m.axis(shape, lambda extent: extent >= 2)
    if axis is None:
        return
    begin = int(m.random.integers(0, shape[axis]))
    end = int(m.random.integers(begin + 1, shape[axis] + 1))
    step = m.choose([1, 1, 1, 2])
    shape[axis] = -(-(end - begin) // step)
    m.add("Slice", [x, *(m.integers(n) for n in (begin, end, axis, step))], shape)


def split_one_axis(m):
    x = m.pick()
    shape = m.shapes[x]
    axis = m.axis(shape, lambda extent: extent >= 2)
    if axis is not None:
        first = int(m.random.integers(1, shape[axis]))
        m.split(x, axis, [first, shape[axis] - first])


def concatenation(m):
    x = m.pick()
    shape = list(m.shapes[x])
    axis = m.axis(shape)
    if axis is None:
        return

    def fits(other):
        same = [i for i in range(len(shape)) if i != axis]
        return len(other) == len(shape) and all(other[i] == shape[i] for i in same)

    parts = [x] + [m.pick(fits) for _ in range(int(m.random.integers(1, 3)))]
    shape[axis] = sum(m.shapes[part][axis] for part in parts)
    if math.prod(shape) <= MAXIMUM:
        m.add("Concat", parts, shape, axis=axis)


def gather(m):
    x = m.pick()
    shape = list(m.shapes[x])
    axis = m.axis(shape)
    if axis is None:
        return
    extent = shape[axis]
    if m.chance(0.3) and len(shape) > 1:
        index = m.constant(np.int64(m.random.integers(-extent, extent)))
        m.add("Gather", [x, index], shape[:axis] + shape[axis + 1 :], axis=axis)
    else:
        indices = m.constant(m.random.integers(-extent, extent, int(m.random.integers(1, 5))))
        shape[axis] = int(m.constants[-1].dims[0])
        m.add("Gather", [x, indices], shape, axis=axis)


def padding(m):
    x = m.pick(lambda shape: len(shape) >= 2)
    if x is None:
        return
    shape = list(m.shapes[x])
    axis = int(m.random.integers(1, len(shape)))
    before, after = np.zeros((2, len(shape)), np.int64)
    before[axis], after[axis] = m.random.integers(0, 3, 2)
    shape[axis] += int(before[axis] + after[axis])
    m.add("Pad", [x, m.integers(*before, *after), m.scalar(m.choose([0, 0, 1.5]))], shape)


def reduction(m):
    x = m.pick()
    shape = m.shapes[x]
    axes = [i for i in range(int(m.dynamic), len(shape)) if m.chance(0.5)]
    keep = m.chance(0.5)
    left = [1 if i in axes else extent for i, extent in enumerate(shape) if keep or i not in axes]
    if not axes or not left:
        return
    kind = m.choose(["ReduceMean", "ReduceMax", "ReduceMin", "ReduceL2"])
    y = m.add(kind, [x], left, axes=axes, keepdims=int(keep))
    if kind == "ReduceL2":
        m.add("Div", [y, m.scalar(math.prod(shape[i] for i in axes) ** 0.5)], left)


def softmax(m):
    x = m.pick()
    axis = m.axis(m.shapes[x])
    if axis is not None:
        m.add("Softmax", [x], m.shapes[x], axis=axis)


STEPS = [
    *([unary] * 3 + [silu, gelu, other_pointwise] + [binary] * 3),
    *([convolution] * 2 + [pooling, product, gemm, product_of_values, attention, gate]),
    *(normalization, softmax, reduction, transpose, reshape, change_rank),
    *(slice_one_axis, split_one_axis, concatenation, gather, padding),
]
