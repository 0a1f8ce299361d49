# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of layers that compute with elements, rows and windows."""

import numpy as np
import tensorrt as trt

from rivals.row import Operand, Row, both, cast, constant, held, one, typed, weights

IMAGE = (4, 256, 256)
BOTH = ("float", "half")
SLOPES = weights(1, 64, 1, 1)
GAMMA = {shape: weights(*shape) for shape in [(1, 1024), (1, 4096), (1, 64, 1, 1), (1, 32, 1, 1)]}
BETA = {shape: weights(*shape) + 1 for shape in GAMMA}


def activated(name, **numbers):
    def build(network, x):
        layer = network.add_activation(x[0], getattr(trt.ActivationType, name))
        for key, value in numbers.items():
            setattr(layer, key, value)
        return layer.get_output(0)

    return build


def unary(name):
    return lambda network, x: network.add_unary(x[0], getattr(trt.UnaryOperation, name)).get_output(
        0
    )


def elementwise(name):
    return lambda network, x: both(network, name, *x)


def softmax(axis):
    def build(network, x):
        layer = network.add_softmax(x[0])
        layer.axes = 1 << axis
        return layer.get_output(0)

    return build, lambda torch, x: torch.softmax(x[0], axis)


def reduced(name, *axes):
    mask = sum(1 << axis for axis in axes)
    return lambda network, x: network.add_reduce(
        x[0], getattr(trt.ReduceOperation, name), mask, False
    ).get_output(0)


def best(k, axis=1, values=False):
    def build(network, x):
        layer = network.add_topk(x[0], trt.TopKOperation.MAX, k, 1 << axis)
        return layer.get_output(0) if values else [layer.get_output(0), layer.get_output(1)]

    return build, lambda torch, x: torch.topk(x[0], k, axis)[0]


def normalized(axes, shape, groups=1, v2=True):
    """Layer, instance and group normalization."""

    def build(network, x):
        add = network.add_normalization_v2 if v2 else network.add_normalization
        factors = [typed(network, numbers[shape], x[0]) for numbers in (GAMMA, BETA)]
        layer = add(x[0], *factors, sum(1 << axis for axis in axes))
        layer.num_groups = groups
        return layer.get_output(0)

    return build


def layer_norm(shape):
    return lambda torch, x: torch.nn.functional.layer_norm(
        x[0], shape, *(held(torch, x[0], n[(1, *shape)]).reshape(shape) for n in (GAMMA, BETA))
    )


def by_channels(torch, x, shape):
    return (held(torch, x[0], numbers[shape]).reshape(-1) for numbers in (GAMMA, BETA))


def instance_norm(torch, x):
    gamma, beta = by_channels(torch, x, (1, 64, 1, 1))
    return torch.nn.functional.instance_norm(x[0], weight=gamma, bias=beta)


def group_norm(torch, x):
    return torch.nn.functional.group_norm(x[0], 32, *by_channels(torch, x, (1, 64, 1, 1)))


def rms_norm(network, x):
    """As the parser has it, in float32."""
    wide = cast(network, x[0], trt.float32)
    squares = both(network, "PROD", wide, wide)
    mean = network.add_reduce(squares, trt.ReduceOperation.AVG, 2, True).get_output(0)
    shifted = both(network, "SUM", mean, constant(network, [[1e-6]]))
    root = network.add_unary(shifted, trt.UnaryOperation.SQRT).get_output(0)
    narrow = cast(network, both(network, "DIV", wide, root), x[0].dtype)
    return both(network, "PROD", narrow, typed(network, GAMMA[1, 4096], x[0]))


def lrn(network, x):
    return network.add_lrn(x[0], 5, 1e-4, 0.75, 1.0).get_output(0)


def pooled(kind, window, stride, padding):
    def build(network, x):
        layer = network.add_pooling_nd(x[0], getattr(trt.PoolingType, kind), window)
        layer.stride_nd, layer.padding_nd = stride, padding
        return layer.get_output(0)

    return build


def summed(axis):
    def build(network, x):
        at = constant(network, axis, np.int32)
        layer = network.add_cumulative(x[0], at, trt.CumulativeOperation.SUM, False, False)
        return layer.get_output(0)

    return build, lambda torch, x: torch.cumsum(x[0], axis)


def ragged(network, x):
    return network.add_ragged_softmax(*x).get_output(0)


def ragged_rival(torch, x):
    hidden = torch.arange(x[0].shape[-1], device=x[0].device) >= x[1]
    return torch.softmax(x[0].masked_fill(hidden, float("-inf")), -1)


def sampled(mode):
    def build(network, x):
        layer = network.add_grid_sample(*x)
        layer.interpolation_mode = getattr(trt.InterpolationMode, mode)
        layer.sample_mode, layer.align_corners = trt.SampleMode.FILL, False
        return layer.get_output(0)

    names = {"LINEAR": "bilinear", "CUBIC": "bicubic", "NEAREST": "nearest"}
    return build, lambda torch, x: torch.nn.functional.grid_sample(
        *x, mode=names[mode], align_corners=False
    )


def sampled_images(n):
    return [Operand((n, 16, 128, 128)), Operand((n, 128, 128, 2), low=-1.1, high=1.1)]


def quantized(scale, axis=None):
    def build(network, x):
        layer = network.add_quantize(x[0], constant(network, scale), trt.int8)
        if axis is not None:
            layer.axis = axis
        return layer.get_output(0)

    return build


def dequantized(dtype):
    return lambda network, x: network.add_dequantize(
        x[0], typed_scale(network, dtype), dtype
    ).get_output(0)


def typed_scale(network, dtype):
    scale = constant(network, 0.02)
    return scale if dtype == trt.float32 else cast(network, scale, dtype)


def dynamic_quantized(network, x):
    """To FP8 by blocks, and back."""
    layer = network.add_dynamic_quantize_v2(x[0], (1, 128), trt.fp8, trt.float32)
    back = network.add_dequantize(layer.get_output(0), layer.get_output(1), x[0].dtype)
    back.block_shape = (1, 128)
    return back.get_output(0)


def prelu(network, x):
    return network.add_parametric_relu(x[0], typed(network, SLOPES, x[0])).get_output(0)


def candidates(n):
    return [Operand((1, 256 * n, 4), low=0, high=100), Operand((1, 256 * n, 8), low=0, high=1)]


def nms(limit):
    def build(network, x):
        layer = network.add_nms(*x, constant(network, 100, np.int32))
        layer.bounding_box_format = trt.BoundingBoxFormat.CENTER_SIZES
        layer.topk_box_limit = limit
        layer.set_input(3, constant(network, 0.5))
        layer.set_input(4, constant(network, 0.1))
        return [layer.get_output(0), layer.get_output(1)]

    return build


def nms_rival(limit):
    def rival(torch, x):
        import torchvision

        boxes, scores = x[0][0], x[1][0]
        count = min(limit, scores.numel())
        picked, at = scores.flatten().topk(count)
        corners = torchvision.ops.box_convert(boxes[at // scores.shape[1]], "cxcywh", "xyxy")
        kept = torchvision.ops.batched_nms(corners, picked, at % scores.shape[1], 0.5)
        return at[kept]

    return rival


def functional(name, *arguments, **options):
    return lambda torch, x: getattr(torch.nn.functional, name)(x[0], *arguments, **options)


ROWS = [
    Row("gelu", one((4, *IMAGE)), activated("GELU_ERF"), functional("gelu"), copies=True),
    Row("hard swish", one((4, *IMAGE)), activated("HARD_SIGMOID", alpha=0.2, beta=0.5),
        copies=True),
    Row("round", one((4, *IMAGE)), unary("ROUND"), lambda torch, x: x[0].round(), copies=True),
    Row("not", one((8, *IMAGE), type="bool", low=0, high=2), unary("NOT"),
        lambda torch, x: ~x[0], copies=True),
    Row("greater", lambda n: [Operand((n, *IMAGE))] * 2, elementwise("GREATER"),
        lambda torch, x: x[0] > x[1], copies=True, full=128),
    Row("integer division", lambda n: [Operand((n, *IMAGE), "int", 1, 1000)] * 2,
        elementwise("FLOOR_DIV"), lambda torch, x: x[0] // x[1], copies=True),
    Row("parametric relu", one((1, 64, 64, 64)), prelu,
        lambda torch, x: torch.nn.functional.prelu(
            x[0], held(torch, x[0], SLOPES).reshape(-1)), copies=True, full=128),
    Row("softmax of 1024", one((512, 1024)), *softmax(1), types=BOTH, copies=True, full=64),
    Row("softmax of 50257", one((16, 50257)), *softmax(1), types=BOTH, copies=True),
    Row("softmax of columns", one((1, 1024, 256)), *softmax(1), copies=True, full=128),
    Row("argmax of 1000", one((512, 1000)), lambda network, x: best(1)[0](network, x)[1],
        lambda torch, x: x[0].argmax(1, keepdim=True), types=BOTH, copies=True, full=64,
        exact=False),
    Row("sums of rows", one((512, 1024)), reduced("SUM", 1), lambda torch, x: x[0].sum(1),
        copies=True, full=64),
    Row("sums of columns", one((512, 1024)), reduced("SUM", 0), lambda torch, x: x[0].sum(0),
        copies=True, full=64),
    Row("largest of all", one((512, 1024)), reduced("MAX", 0, 1), lambda torch, x: x[0].max(),
        copies=True, full=64),
    Row("means of images", one((4, 64, 64, 64)), reduced("AVG", 2, 3),
        lambda torch, x: x[0].mean((2, 3)), copies=True),
    Row("top 8 of 1024", one((512, 1024)), *best(8, values=True), full=64),
    Row("top 10 of 8192", one((64, 8192)), *best(10, values=True), types=BOTH, full=64),
    Row("top 100 of 50257", one((8, 50257)), *best(100, values=True), types=BOTH, full=32),
    Row("top 2048 of 65536", one((1, 65536)), *best(2048, values=True), full=64),
    Row("top 5000 of 65536", one((1, 65536)), *best(5000, values=True), full=64),
    Row("top 30000 of 1000000", one((1, 1000000)), *best(30000, values=True), full=4),
    Row("top 4 of columns", one((1, 256, 1024)), *best(4, values=True), full=128),
    Row("layer norm of 1024", one((512, 1024)), normalized((1,), (1, 1024)), layer_norm((1024,)),
        types=BOTH, copies=True, full=64),
    Row("layer norm of 4096, version 1", one((64, 4096)),
        normalized((1,), (1, 4096), v2=False), layer_norm((4096,)), copies=True, full=128),
    Row("instance norm", one((1, 64, 128, 64)), normalized((2, 3), (1, 64, 1, 1)), instance_norm,
        types=BOTH, copies=True, full=64),
    Row("group norm", one((1, 64, 128, 64)), normalized((2, 3), (1, 64, 1, 1), groups=32),
        group_norm, types=BOTH, copies=True, full=64),
    Row("group norm of large images", one((1, 64, 512, 512)),
        normalized((2, 3), (1, 64, 1, 1), groups=32), group_norm, copies=True, full=4),
    Row("RMS norm of 4096", one((128, 4096)), rms_norm,
        lambda torch, x: torch.nn.functional.rms_norm(
            x[0], (4096,), held(torch, x[0], GAMMA[1, 4096]).reshape(-1), 1e-6),
        copies=True, full=64, compiled=True),
    Row("LRN", one((1, 64, 64, 64)), lrn, functional("local_response_norm", 5, 1e-4, 0.75, 1.0),
        copies=True, full=128, compiled=True),
    Row("maximum of 3x3, stride 2", one((1, 64, 112, 112)), pooled("MAX", (3, 3), (2, 2), (1, 1)),
        functional("max_pool2d", 3, 2, 1), copies=True, full=64),
    Row("average of 3x3", one((1, 64, 64, 64)), pooled("AVERAGE", (3, 3), (1, 1), (0, 0)),
        functional("avg_pool2d", 3, 1, 0), copies=True, full=64),
    Row("maximum of 2x2x2", one((1, 16, 32, 64, 64)), pooled("MAX", (2,) * 3, (2,) * 3, (0,) * 3),
        functional("max_pool3d", 2, 2), copies=True, full=32),
    Row("running sums of 1024", one((256, 1024)), *summed(1), types=BOTH, copies=True, full=128),
    Row("running sums of columns", one((1, 512, 512)), *summed(1), copies=True, full=128),
    Row("ragged softmax", lambda n: [Operand((n, 512, 1024)),
                                     Operand((n, 512, 1), "int", 1, 1025)],
        ragged, ragged_rival, copies=True, full=64),
    Row("grid sample, linear", sampled_images, *sampled("LINEAR"), types=BOTH, full=128),
    Row("grid sample, cubic", sampled_images, *sampled("CUBIC"), full=64),
    Row("quantize", one((4, *IMAGE), low=-2, high=2), quantized(0.02),
        lambda torch, x: (x[0].float() * 50).round().clamp(-128, 127).to(torch.int8),
        types=BOTH, copies=True, exact=False, compiled=True),
    Row("quantize channels", one((1, 64, 128, 64), low=-2, high=2),
        quantized(np.linspace(0.01, 0.03, 64), 1), copies=True, full=64, exact=False),
    Row("dequantize", one((4, *IMAGE), type="byte", low=-127, high=128),
        dequantized(trt.float16), lambda torch, x: x[0].half() * 0.02, copies=True),
    Row("quantize dynamically and back", one((256, 2048)), dynamic_quantized, copies=True,
        moved=lambda operands, results: 3 * results, full=64),
    Row("NMS of 1000", candidates, nms(1000), nms_rival(1000), types=("float",), exact=False),
    Row("NMS of 16384", candidates, nms(16384), nms_rival(16384), types=("float",), exact=False),
    Row("NMS of 40000", candidates, nms(40000), nms_rival(40000), types=("float",), exact=False),
]  # fmt: skip
