# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The network of tests/data/version_compatible.plan, and what it computes.

    KILN_ONEDNN=none python tests/python/version_compatible_plan.py

writes the file again. Do so only to add to it what plans could not hold before: later versions of
Kiln must open the file that earlier ones wrote.
"""

from pathlib import Path

import numpy as np
import tensorrt as trt

FILE = Path(__file__).parents[1] / "data" / "version_compatible.plan"
RNG = np.random.default_rng(11)
W = RNG.normal(0, 1, (8, 6)).astype(np.float32)
BIAS = RNG.normal(0, 1, (1, 6)).astype(np.float32)


def build(logger, *flags):
    """Dynamic shapes, two profiles, fused and other kernels, constants, a loop and a branch."""
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    network.name = "version compatible"
    none, elementwise = trt.MatrixOperation.NONE, trt.ElementWiseOperation
    x = network.add_input("x", trt.float32, (-1, 8))
    positive = network.add_input("positive", trt.bool, ())
    w = network.add_constant(W.shape, W).get_output(0)
    bias = network.add_constant(BIAS.shape, BIAS).get_output(0)
    y = network.add_matrix_multiply(x, none, w, none).get_output(0)
    y = network.add_elementwise(y, bias, elementwise.SUM).get_output(0)
    y = network.add_activation(y, trt.ActivationType.SIGMOID).get_output(0)
    loop = network.add_loop()
    count = network.add_constant((), np.asarray(3, np.int32)).get_output(0)
    loop.add_trip_limit(count, trt.TripLimit.COUNT)
    value = loop.add_recurrence(y)
    soft = network.add_softmax(value.get_output(0))
    soft.axes = 2
    value.set_input(
        1, network.add_elementwise(soft.get_output(0), y, elementwise.SUM).get_output(0)
    )
    y = loop.add_loop_output(value.get_output(0), trt.LoopOutput.LAST_VALUE, 0).get_output(0)
    branch = network.add_if_conditional()
    branch.set_condition(positive)
    inside = branch.add_input(y).get_output(0)
    minus = network.add_unary(inside, trt.UnaryOperation.NEG).get_output(0)
    y = branch.add_output(inside, minus).get_output(0)
    shuffle = network.add_shuffle(y)
    shuffle.first_transpose = trt.Permutation([1, 0])
    mean = network.add_reduce(shuffle.get_output(0), trt.ReduceOperation.AVG, 2, False)
    mean.get_output(0).name = "mean"
    network.mark_output(mean.get_output(0))
    half = network.add_cast(y, trt.float16).get_output(0)
    half.name = "half"
    network.mark_output(half)
    config = builder.create_builder_config()
    for most in (4, 64):
        profile = builder.create_optimization_profile()
        profile.set_shape("x", (1, 8), (most // 2, 8), (most, 8))
        config.add_optimization_profile(profile)
    for flag in flags:
        config.set_flag(flag)
    return builder.build_serialized_network(network, config)


def expected(x, positive):
    start = 1 / (1 + np.exp(-(x @ W + BIAS)))
    y = start
    for _ in range(3):
        e = np.exp(y - y.max(1, keepdims=True))
        y = e / e.sum(1, keepdims=True) + start
    y = y if positive else -y
    return {"mean": y.mean(0), "half": y.astype(np.float16)}


if __name__ == "__main__":
    FILE.write_bytes(bytes(build(trt.Logger(), trt.BuilderFlag.VERSION_COMPATIBLE)))
