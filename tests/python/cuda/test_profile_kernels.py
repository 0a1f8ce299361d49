# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Each optimization profile has kernels of its own; contexts switch between them."""

import numpy as np
import pytest
import tensorrt as trt
from cudalab import Runner
from oplab import Net

INNER, COLUMNS = 64, 48
PROFILES = (((1, INNER), (1, INNER), (2, INNER)), ((32, INNER), (40, INNER), (64, INNER)))


def softmax(x):
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@pytest.fixture
def story(logger):
    """A Runner of softmax(x @ w) with two profiles, and w."""
    w = np.random.default_rng(0).standard_normal((INNER, COLUMNS)).astype(np.float32)
    net = Net(logger)
    x = net.input("x", (-1, INNER))
    weights = net.network.add_constant(w.shape, w).get_output(0)
    none = trt.MatrixOperation.NONE
    product = net.network.add_matrix_multiply(x, none, weights, none).get_output(0)
    layer = net.network.add_softmax(product)
    layer.axes = 2
    net.output(layer.get_output(0), "y")
    for shapes in PROFILES:
        profile = net.builder.create_optimization_profile()
        profile.set_shape("x", *shapes)
        assert net.config.add_optimization_profile(profile) >= 0
    opened = net.engine()
    runner = Runner(opened.engine, opened.context)
    runner.kept = opened
    return runner, w


def test_switching_back_and_forth(story):
    runner, w = story
    random = np.random.default_rng(1)
    for profile, rows in ((0, 1), (1, 64), (1, 33), (0, 2), (1, 40), (0, 1)):
        assert runner.context.set_optimization_profile_async(profile, 0)
        x = random.standard_normal((rows, INNER)).astype(np.float32)
        assert runner.bind(x=x).run()
        np.testing.assert_allclose(runner(), softmax(x @ w), rtol=1e-4, atol=1e-5)


def test_two_contexts_have_profiles_of_their_own(story):
    runner, w = story
    other = Runner(runner.engine, runner.engine.create_execution_context())
    assert other.context.set_optimization_profile_async(1, 0)
    few = np.ones((2, INNER), np.float32)
    many = np.linspace(-1, 1, 64 * INNER, dtype=np.float32).reshape(64, INNER)
    runner.bind(x=few)
    other.bind(x=many)
    for _ in range(2):
        assert runner.run()
        assert other.run()
        np.testing.assert_allclose(runner(), softmax(few @ w), rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(other(), softmax(many @ w), rtol=1e-4, atol=1e-5)
