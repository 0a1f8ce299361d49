# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of products, convolutions, attention, experts, loops and conditionals."""

import numpy as np
import tensorrt as trt

from rivals.row import Operand, Row, both, channels_last, constant, held, one, weights

NONE, TRANSPOSE = trt.MatrixOperation.NONE, trt.MatrixOperation.TRANSPOSE
CAUSAL = trt.CausalMaskKind.UPPER_LEFT
KERNELS = {
    "deconvolution": weights(64, 64, 4, 4) / 16,
    "small": weights(64, 64, 2, 2) / 8,
    "square": weights(64, 64, 3, 3) / 16,
    "dilated": weights(64, 64, 3, 3) / 16,
    "depthwise": weights(64, 1, 3, 3),
    "cube": weights(32, 32, 3, 3, 3) / 16,
}


def product(network, x, transposed=False):
    how = TRANSPOSE if transposed else NONE
    return network.add_matrix_multiply(x[0], NONE, x[1], how).get_output(0)


def einsum(equation):
    return (
        lambda network, x: network.add_einsum(x, equation).get_output(0),
        lambda torch, x: torch.einsum(equation, *x),
    )


def halved(values, x):
    return values.astype(np.float16) if x.dtype == trt.float16 else values


def convolved(kernel, stride=1, padding=1, dilation=1, groups=1, transposed=False):
    values = KERNELS[kernel]
    rank = values.ndim - 2

    def build(network, x):
        add = network.add_deconvolution_nd if transposed else network.add_convolution_nd
        maps = values.shape[1] if transposed else values.shape[0]
        layer = add(x[0], maps, values.shape[2:], halved(values, x[0]))
        layer.stride_nd, layer.padding_nd = (stride,) * rank, (padding,) * rank
        layer.num_groups = groups
        if not transposed:
            layer.dilation_nd = (dilation,) * rank
        return layer.get_output(0)

    def rival(torch, x):
        """Channels last."""
        kernel = kernel_last(torch, held(torch, x[0], values))
        if transposed:
            function = torch.nn.functional.conv_transpose2d
            return function(x[0], kernel, stride=stride, padding=padding, groups=groups)
        function = getattr(torch.nn.functional, f"conv{rank}d")
        return function(x[0], kernel, None, stride, padding, dilation, groups)

    return build, rival


def kernel_last(torch, x):
    if id(x) not in _LAST:
        _LAST[id(x)] = x, channels_last(torch, x)
    return _LAST[id(x)][1]


_LAST = {}


def attention(causal=False, masked=False):
    def build(network, x):
        kind = CAUSAL if causal else trt.CausalMaskKind.NONE
        scale = constant(network, np.full((1,) * 4, x[0].shape[3] ** -0.5))
        if x[0].dtype != trt.float32:
            scale = network.add_cast(scale, x[0].dtype).get_output(0)
        query = both(network, "PROD", x[0], scale)
        layer = network.add_attention_v2(
            query, x[1], x[2], trt.AttentionNormalizationOp.SOFTMAX, kind
        )
        if masked:
            layer.mask = x[3]
        layer.decomposable = True
        return layer.get_output(0)

    def rival(torch, x):
        grouped = x[0].shape[1] != x[1].shape[1]
        return torch.nn.functional.scaled_dot_product_attention(
            *x[:3], attn_mask=x[3] if masked else None, is_causal=causal, enable_gqa=grouped
        )

    return build, rival


def heads(length, size, count=16, keys=0, key_heads=0, mask=""):
    def inputs(n):
        own = max(length * n // 32, 1)
        other = keys * n // 32 if keys else own
        key = Operand((2, key_heads or count, other, size))
        found = [Operand((2, count, own, size)), key, key]
        if mask:
            found.append(Operand((1, 1, own, other), "bool" if mask == "bool" else "", 0, 2))
        return found

    return inputs


def experts(n):
    hidden, inner, count = 64 * n, 128 * n, 8
    wide, tall = (count, hidden, inner), (count, inner, hidden)
    return [
        Operand((1, 64 * n, hidden)),
        Operand((1, 64 * n, 2), "int", 0, count),
        Operand((1, 64 * n, 2), low=0, high=1),
        Operand(wide, low=-0.05, high=0.05),
        Operand(wide, low=-0.05, high=0.05),
        Operand(tall, low=-0.05, high=0.05),
    ]


def moe(network, x):
    layer = network.add_moe(*x[:3])
    layer.set_gated_weights(*x[3:6], trt.MoEActType.SILU)
    return layer.get_output(0)


def moe_rival(torch, x):
    """Each expert for its tokens, sorted, by a product for groups of rows."""
    hidden, chosen, scores = x[0][0], x[1][0].reshape(-1), x[2][0].reshape(-1)
    order = chosen.argsort()
    rows = hidden[order // 2]
    ends = torch.bincount(chosen, minlength=8)[:8].cumsum(0).tolist()
    result = torch.zeros_like(hidden)
    begin = 0
    for expert, end in enumerate(ends):
        part = rows[begin:end]
        inner = torch.nn.functional.silu(part @ x[3][expert]) * (part @ x[4][expert])
        result.index_add_(
            0, order[begin:end] // 2, inner @ x[5][expert] * scores[order[begin:end], None]
        )
        begin = end
    return result[None]


def rotated(network, x):
    return network.add_rotary_embedding(*x, False, 0).get_output(0)


def rotate(torch, x):
    a, b = x[0].chunk(2, -1)
    cosines, sines = x[1][:, None], x[2][:, None]
    return torch.cat([a * cosines - b * sines, a * sines + b * cosines], -1)


def rotations(n):
    table = (n, 512, 64)
    return [Operand((n, 8, 512, 128)), Operand(table), Operand(table)]


def recurrent(passes):
    def build(network, x):
        loop = network.add_loop()
        loop.add_trip_limit(constant(network, passes, np.int32), trt.TripLimit.COUNT)
        part = loop.add_iterator(x[0], 0).get_output(0)
        state = loop.add_recurrence(x[1])
        carried = product(network, [state.get_output(0), x[2]])
        total = both(network, "SUM", part, carried)
        after = network.add_activation(total, trt.ActivationType.TANH).get_output(0)
        state.set_input(1, after)
        return loop.add_loop_output(state.get_output(0), trt.LoopOutput.LAST_VALUE).get_output(0)

    def rival(torch, x):
        state = x[1]
        for i in range(passes):
            state = torch.tanh(x[0][i] + state @ x[2])
        return state

    return build, rival


def states(passes):
    return lambda n: [
        Operand((passes, 32, 16 * n)),
        Operand((32, 16 * n)),
        Operand((16 * n, 16 * n), low=-0.05, high=0.05),
    ]


def either(network, x):
    """The condition is computed on the device."""
    total = network.add_reduce(x[1], trt.ReduceOperation.SUM, 1, False).get_output(0)
    zero = constant(network, np.zeros((), np.float32))
    condition = both(network, "GREATER", total, zero)
    conditional = network.add_if_conditional()
    conditional.set_condition(condition)
    then = network.add_activation(x[0], trt.ActivationType.TANH).get_output(0)
    other = both(network, "PROD", x[0], x[0])
    return conditional.add_output(then, other).get_output(0)


def either_rival(torch, x):
    return torch.tanh(x[0]) if x[1].sum() > 0 else x[0] * x[0]


def matrices(n):
    return [Operand((1, 64 * n, 64 * n)), Operand((1, 64 * n, 64 * n))]


HALVES = ("half", "bfloat16")
ROWS = [
    Row("matrix product of 2048", matrices, product, lambda torch, x: x[0] @ x[1],
        types=("half", "float")),
    Row("einsum of heads", lambda n: [Operand((n, 128, 16, 64))] * 2,
        *einsum("bqhd,bkhd->bhqk"), full=16),
    Row("einsum of channels", lambda n: [Operand((n, 256, 64)), Operand((64, 32, 8))],
        *einsum("nlc,chd->nlhd"), full=64),
    Row("deconvolution 4x4, stride 2", one((1, 64, 32, 32)),
        *convolved("deconvolution", 2, transposed=True), full=32, last=True),
    Row("deconvolution 2x2, stride 2", one((1, 64, 32, 32)),
        *convolved("small", 2, 0, transposed=True), full=32, last=True),
    Row("deconvolution 3x3", one((1, 64, 32, 32)), *convolved("square", transposed=True), full=32,
        last=True),
    Row("convolution 3x3, dilated", one((1, 64, 32, 32)), *convolved("dilated", 1, 2, 2), full=32,
        last=True),
    Row("convolution 3x3, by channels", one((1, 64, 64, 64)),
        *convolved("depthwise", groups=64), full=32, last=True),
    Row("convolution 3x3x3", one((1, 32, 16, 32, 32)), *convolved("cube"), full=4, last=True),
    Row("attention of 1024x64", heads(1024, 64), *attention(), full=32, types=(*HALVES, "float")),
    Row("attention of 4096x128, causal", heads(4096, 128), *attention(True), full=32,
        types=HALVES),
    Row("attention of 1024x128, float", heads(1024, 128, 8), *attention(), full=32,
        types=("float",)),
    Row("attention of 1024x64, causal", heads(1024, 64), *attention(True), full=32,
        types=("float",)),
    Row("attention of 1024x256", heads(1024, 256, 8), *attention(), full=32, types=HALVES),
    Row("attention, boolean mask", heads(1024, 64, mask="bool"), *attention(masked=True), full=32),
    Row("attention, added mask", heads(1024, 64, mask="added"), *attention(masked=True), full=32),
    Row("attention of one query", heads(1, 128, 32, keys=4096, key_heads=8), *attention(), full=32),
    Row("attention of 16384x64", heads(16384, 64, 4), *attention(), full=32),
    Row("mixture of experts", experts, moe, moe_rival, full=16),
    Row("rotary embedding", rotations, rotated, rotate, copies=True, full=64, compiled=True),
    Row("recurrence of 64 passes", states(64), *recurrent(64), full=32, types=("half", "float")),
    Row("condition on the device", lambda n: [Operand((n, 1024)), Operand((8,), "float", 0, 1)],
        either, either_rival, full=1024),
]  # fmt: skip
