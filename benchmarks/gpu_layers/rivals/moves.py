# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of layers that move or fill data; the limit is a copy of as many bytes."""

import numpy as np
import tensorrt as trt

from rivals.row import BYTES, Operand, Row, both, cast, constant, one, typed

IMAGE = (4, 256, 256)  # 1 MB of float for n = 1
BOTH = ("float", "half")


def written(operands, results):
    return results


def resized(mode, factor=2.0, **settings):
    def build(network, x):
        layer = network.add_resize(x[0])
        layer.resize_mode = getattr(trt.InterpolationMode, mode)
        layer.coordinate_transformation = trt.ResizeCoordinateTransformation.HALF_PIXEL
        layer.scales = [1.0, 1.0, factor, factor]
        for name, value in settings.items():
            setattr(layer, name, value)
        return layer.get_output(0)

    return build


NEAREST = resized(
    "NEAREST",
    coordinate_transformation=trt.ResizeCoordinateTransformation.ASYMMETRIC,
    nearest_rounding=trt.ResizeRoundMode.FLOOR,
)


def interpolated(mode, factor=2.0):
    corners = {} if mode == "nearest" else {"align_corners": False}
    return lambda torch, x: torch.nn.functional.interpolate(
        x[0], scale_factor=factor, mode=mode, **corners
    )


def sliced(mode, before, after, strides=(1, 1, 1, 1)):
    def build(network, x):
        shape = x[0].shape
        size = [
            -(-(n + b + a) // s) for n, b, a, s in zip(shape, before, after, strides, strict=True)
        ]
        layer = network.add_slice(x[0], [-b for b in before], size, strides)
        layer.mode = getattr(trt.SampleMode, mode)
        if mode == "FILL":
            layer.set_input(4, typed(network, 0, x[0]))
        return layer.get_output(0)

    return build


def padded(mode, margin):
    return lambda torch, x: torch.nn.functional.pad(x[0], (margin,) * 4, mode=mode)


def transposed(*order):
    def build(network, x):
        layer = network.add_shuffle(x[0])
        layer.first_transpose = order
        return layer.get_output(0)

    return build, lambda torch, x: x[0].permute(order).contiguous()


def joined(axis):
    def build(network, x):
        layer = network.add_concatenation(x)
        layer.axis = axis
        return layer.get_output(0)

    return build


def gathered(mode, axis=0):
    def build(network, x):
        layer = network.add_gather_v2(x[0], x[1], getattr(trt.GatherMode, mode))
        layer.axis = axis
        return layer.get_output(0)

    return build


def picked(operands, results):
    """Bytes of a gather, which reads what it writes."""
    return 2 * results + sum(np.prod(o.shape) * BYTES[kind] for o, kind in operands[1:])


def scattered(mode, axis=0):
    def build(network, x):
        layer = network.add_scatter(*x, getattr(trt.ScatterMode, mode))
        if mode == "ELEMENT":
            layer.axis = axis
        return layer.get_output(0)

    return build


def lookups(n):
    return [Operand((n * 1024, 256)), Operand((n * 1024,), "int", distinct=True)]


def odd_lookups(n):
    return [Operand((n * 1024, 250)), Operand((n * 1024,), "int", distinct=True)]


def elements(n):
    return [Operand((n * 256, 1024)), Operand((n * 256, 1024), "int", 0, 1024)]


def tuples(n):
    return [Operand((n, 256, 1024)), Operand((n * 256, 2), "int", 0, min(n, 32))]


def some_rows(n):
    return [
        Operand((n * 1024, 256)),
        Operand((n * 512, 1), "int", 0, n * 1024, distinct=True),
        Operand((n * 512, 256)),
    ]


def some_elements(n):
    return [
        Operand((n * 256, 1024)),
        Operand((n * 256, 512), "int", distinct=True),
        Operand((n * 256, 512)),
    ]


def put_rows(torch, x):
    return x[0].clone().index_copy_(0, x[1].reshape(-1).long(), x[2])


def put_elements(torch, x):
    return x[0].scatter(1, x[1].long(), x[2])


def reversed_sequences(network, x):
    layer = network.add_reverse_sequence(x[0], x[1])
    layer.batch_axis, layer.sequence_axis = 1, 0
    return layer.get_output(0)


def one_hot(network, x):
    values = cast(network, constant(network, [0, 1]), trt.float16)
    return network.add_one_hot(x[0], values, constant(network, 1024, np.int32), -1).get_output(0)


def found(network, x):
    return network.add_non_zero(x[0]).get_output(0)


def lower_triangle(network, x):
    """Trilu, as a selection."""
    shape = x[0].shape
    ramps = []
    for axis in (1, 2):
        layer = network.add_fill((1, *shape[1:]), trt.FillOperation.LINSPACE, trt.int32)
        layer.set_input(1, constant(network, 0, np.int32))
        layer.set_input(2, constant(network, [int(i == axis) for i in range(3)], np.int32))
        ramps.append(layer.get_output(0))
    condition = both(network, "LESS", ramps[0], ramps[1])
    zero = typed(network, [[[0]]], x[0])
    return network.add_select(condition, zero, x[0]).get_output(0)


def random_numbers(operation, *numbers):
    """Of as many elements as the input, which is not read."""

    def build(network, x):
        layer = network.add_fill(x[0].shape, getattr(trt.FillOperation, operation), x[0].dtype)
        for i, number in enumerate(numbers):
            layer.set_input(1 + i, typed(network, number, x[0]))
        return layer.get_output(0)

    return build


def cached(n):
    return [
        Operand((n, 8, 1024, 64)),
        Operand((n, 8, 256, 64)),
        Operand((n,), "int", 0, 512),
    ]


def updated(network, x):
    return network.add_kv_cache_update(*x, trt.KVCacheMode.LINEAR).get_output(0)


def update_cache(torch, x):
    places = x[2].long()[:, None] + torch.arange(x[1].shape[2], device=x[0].device)
    index = places[:, None, :, None].expand(x[1].shape)
    return x[0].scatter_(2, index, x[1])


def written_rows(operands, results):
    return 2 * np.prod(operands[1][0].shape) * BYTES[operands[1][1]]


def chosen(network, x):
    return network.add_select(*x).get_output(0)


ROWS = [
    Row("resize nearest", one((1, *IMAGE)), NEAREST, interpolated("nearest"), types=BOTH,
        copies=True),
    Row("resize linear", one((1, *IMAGE)), resized("LINEAR"), interpolated("bilinear"), types=BOTH,
        copies=True),
    Row("resize linear, half as large", one((4, *IMAGE)), resized("LINEAR", 0.5),
        interpolated("bilinear", 0.5), copies=True),
    Row("resize cubic", one((1, *IMAGE)), resized("CUBIC"), interpolated("bicubic"), types=BOTH,
        copies=True),
    Row("pad zeros", one((2, *IMAGE)), sliced("FILL", (0, 0, 3, 3), (0, 0, 3, 3)),
        padded("constant", 3), copies=True),
    Row("pad reflect", one((2, *IMAGE)), sliced("REFLECT", (0, 0, 3, 3), (0, 0, 3, 3)),
        padded("reflect", 3), copies=True),
    Row("pad clamp", one((2, *IMAGE)), sliced("CLAMP", (0, 0, 3, 3), (0, 0, 3, 3)),
        padded("replicate", 3), copies=True),
    Row("slice, steps of 2 rows", one((4, *IMAGE)),
        sliced("STRICT_BOUNDS", (0,) * 4, (0,) * 4, (1, 1, 2, 1)),
        lambda torch, x: x[0][:, :, ::2].contiguous(), copies=True,
        moved=lambda operands, results: 2 * results),
    Row("slice, steps of 2 columns", one((4, *IMAGE)),
        sliced("STRICT_BOUNDS", (0,) * 4, (0,) * 4, (1, 1, 1, 2)),
        lambda torch, x: x[0][..., ::2].contiguous(), types=BOTH, copies=True,
        moved=lambda operands, results: 3 * results),  # whole sectors are read
    Row("transpose 0213", one((2, 512, 8, 64)), *transposed(0, 2, 1, 3), copies=True),
    Row("transpose 021", one((2, 512, 512)), *transposed(0, 2, 1), types=BOTH, copies=True),
    Row("transpose of 5 axes", one((2, 8, 32, 8, 64)), *transposed(0, 3, 1, 4, 2), copies=True,
        full=128),
    Row("concatenate columns", lambda n: [Operand((n * 1024, 200)), Operand((n * 1024, 312))],
        joined(1), lambda torch, x: torch.cat(x, 1), copies=True),
    Row("cast to int8", one((4, *IMAGE), low=-100, high=100),
        lambda network, x: cast(network, x[0], trt.int8),
        lambda torch, x: x[0].to(torch.int8), types=BOTH, copies=True),
    Row("cast int64 to int32", one((1, *IMAGE), type="long", low=-9, high=9),
        lambda network, x: cast(network, x[0], trt.int32),
        lambda torch, x: x[0].int(), copies=True),
    Row("cast to bfloat16", one((1, *IMAGE), type="float"),
        lambda network, x: cast(network, x[0], trt.bfloat16),
        lambda torch, x: x[0].bfloat16(), copies=True),
    Row("gather rows", lookups, gathered("DEFAULT"),
        lambda torch, x: x[0].index_select(0, x[1]), full=128, types=BOTH, copies=True,
        moved=picked),
    Row("gather columns", elements, gathered("ELEMENT", 1),
        lambda torch, x: x[0].gather(1, x[1].long()), types=BOTH, copies=True),
    Row("gather rows of 250", odd_lookups, gathered("DEFAULT"),
        lambda torch, x: x[0].index_select(0, x[1]), full=128, types=BOTH, copies=True,
        moved=picked),
    Row("gather tuples", tuples, gathered("ND"),
        lambda torch, x: x[0][x[1][:, 0], x[1][:, 1]], full=128, copies=True, moved=picked),
    Row("scatter rows", some_rows, scattered("ND"), put_rows, full=128, copies=True),
    Row("scatter elements", some_elements, scattered("ELEMENT", 1), put_elements, full=128,
        copies=True),
    Row("reverse sequence", lambda n: [Operand((256, n * 4, 256)),
                                       Operand((n * 4,), "int", 1, 257)],
        reversed_sequences, copies=True, full=128),
    Row("one hot", lambda n: [Operand((n * 512,), "int", 0, 1024)], one_hot,
        lambda torch, x: torch.nn.functional.one_hot(x[0].long(), 1024).half(), full=128,
        copies=True, moved=written),
    Row("nonzero", one((1, 512, 512), share=0.1), found,
        lambda torch, x: torch.nonzero(x[0]).T, full=128),
    Row("lower triangle", one((1, 1024, 1024)), lower_triangle,
        lambda torch, x: torch.tril(x[0]), copies=True),
    Row("random uniform", one((1, 512, 1024)), random_numbers("RANDOM_UNIFORM", 0, 1),
        lambda torch, x: torch.rand_like(x[0]), types=BOTH, full=128, copies=True, moved=written,
        exact=False),
    Row("random normal", one((1, 512, 1024)), random_numbers("RANDOM_NORMAL", 0, 1),
        lambda torch, x: torch.randn_like(x[0]), types=BOTH, full=128, exact=False),
    Row("key-value cache", cached, updated, update_cache, full=128, copies=True,
        moved=written_rows),
    Row("select", lambda n: [Operand((n, *IMAGE), "bool", 0, 2), *[Operand((n, *IMAGE))] * 2],
        chosen, lambda torch, x: torch.where(*x), copies=True, full=128),
]  # fmt: skip
