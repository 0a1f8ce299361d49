# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Random fills: distribution, sequences of runs, parameters as tensors.

The tests use the default target; test_emulated.py runs them on the emulated GPU. The words of the
generator are those of a NumPy version of Philox4x32-10.
"""

import device_memory
import numpy as np
import pytest
import tensorrt as trt

UNIFORM, NORMAL = trt.FillOperation.RANDOM_UNIFORM, trt.FillOperation.RANDOM_NORMAL
BITS = {trt.float32: 24, trt.float16: 11}


def philox(seed, run, count):
    """The words of counters 0 .. count - 1, uint64[count, 4]."""
    x = np.zeros((4, count), np.uint64)
    low = np.uint64(0xFFFFFFFF)
    x[0], x[2], x[3] = np.arange(count), run & 0xFFFFFFFF, run >> 32
    keys = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * x[0], np.uint64(0xCD9E8D57) * x[2]
        x = np.stack([
            (b >> np.uint64(32)) ^ x[1] ^ np.uint64(keys[0]), b & low,
            (a >> np.uint64(32)) ^ x[3] ^ np.uint64(keys[1]), a & low,
        ])  # fmt: skip
        keys = [(keys[0] + 0x9E3779B9) & 0xFFFFFFFF, (keys[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return x.T


class Engine:
    """An engine whose outputs y0, y1, ... are the tensors that add_layers(network) returns."""

    def __init__(self, logger, add_layers):
        builder = trt.Builder(logger)
        network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
        for i, tensor in enumerate(add_layers(network)):
            tensor.name = f"y{i}"
            network.mark_output(tensor)
        plan = builder.build_serialized_network(network, builder.create_builder_config())
        assert plan is not None, logger.errors
        self.engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
        self.memory = device_memory.for_target()

    def context(self):
        context = self.engine.create_execution_context()
        self.targets = {}
        for i in range(self.engine.num_io_tensors):
            name = self.engine.get_tensor_name(i)
            dtype = trt.nptype(self.engine.get_tensor_dtype(name))
            shape = tuple(context.get_tensor_shape(name))
            self.targets[name] = self.memory.DeviceArray(np.zeros(shape, dtype))
            context.set_tensor_address(name, self.targets[name].ptr)
        return context

    def run(self, context):
        stream = self.memory.Stream()
        assert context.execute_async_v3(stream.handle)
        stream.synchronize()
        return [target.numpy() for target in self.targets.values()]


def fill(network, shape, op, dtype=trt.float32, alpha=None, beta=None):
    layer = network.add_fill(shape, op, dtype)
    if alpha is not None:
        layer.alpha, layer.beta = alpha, beta
    return layer.get_output(0)


@pytest.mark.parametrize("dtype", [trt.float32, trt.float16], ids=str)
def test_uniform_numbers(logger, dtype):
    engine = Engine(logger, lambda network: [fill(network, (7, 131), UNIFORM, dtype)])
    context = engine.context()
    for run in range(3):
        (got,) = engine.run(context)
        words = philox(0, run, 230)
        if dtype == trt.float16:  # two numbers of a word, from its high half first
            words = np.stack([words, words << np.uint64(16) & np.uint64(0xFFFFFFFF)], -1)
        words = words.reshape(-1)[: got.size]
        bits = BITS[dtype]
        want = (words >> np.uint64(32 - bits)).astype(np.float64) * 2.0**-bits
        np.testing.assert_array_equal(got.ravel(), want.astype(got.dtype))


def test_normal_numbers(logger):
    engine = Engine(logger, lambda network: [fill(network, (1003,), NORMAL, alpha=3.0, beta=0.5)])
    context = engine.context()
    for run in range(2):
        (got,) = engine.run(context)
        words = philox(0, run, 251).astype(np.float64)
        radius = np.sqrt(-2 * np.log((words[:, ::2] // 256 + 0.5) * 2.0**-24))
        angle = 2 * np.pi * words[:, 1::2] * 2.0**-32
        pairs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], -1)
        np.testing.assert_allclose(got, 3 + 0.5 * pairs.reshape(-1)[:1003], rtol=0, atol=2e-6)


@pytest.mark.parametrize("dtype", [trt.float32, trt.float16], ids=str)
def test_moments(logger, dtype):
    count = 200_000
    engine = Engine(
        logger,
        lambda network: [
            fill(network, (count,), UNIFORM, dtype, -1.0, 3.0),
            fill(network, (count,), NORMAL, dtype, 2.0, 4.0),
        ],
    )
    uniform, normal = (x.astype(np.float64) for x in engine.run(engine.context()))
    assert uniform.min() >= -1 and uniform.max() <= 3
    # Five standard errors.
    assert abs(uniform.mean() - 1) < 5 * 4 / np.sqrt(12 * count)
    assert abs(uniform.var() - 16 / 12) < 0.02
    assert abs(normal.mean() - 2) < 5 * 4 / np.sqrt(count)
    assert abs(normal.std() - 4) < 5 * 4 / np.sqrt(2 * count)
    assert abs(np.mean(((normal - 2) / 4) ** 3)) < 5 * np.sqrt(6 / count)
    assert abs(np.mean(((normal - 2) / 4) ** 4) - 3) < 5 * np.sqrt(24 / count)


def test_layers_runs_and_contexts(logger):
    """Layers and runs differ; contexts begin alike, and so does another build."""

    def layers(network):
        return [fill(network, (50,), UNIFORM), fill(network, (50,), UNIFORM)]

    runs = []
    for _ in range(2):
        engine = Engine(logger, layers)
        for _ in range(2):
            context = engine.context()
            runs.append([engine.run(context), engine.run(context)])
    for both in runs:
        assert len({x.tobytes() for one in both for x in one}) == 4
        np.testing.assert_array_equal(both, runs[0])


def test_bounds_as_tensors(logger):
    def layers(network):
        def constant(values):
            values = np.array(values, np.float32)
            return network.add_constant(values.shape, values).get_output(0)

        layer = network.add_fill((), UNIFORM)
        extents = network.add_constant((2,), np.array([3, 40], np.int64)).get_output(0)
        layer.set_input(0, extents)
        layer.set_input(1, constant(10.0))
        layer.set_input(2, constant(11.0))
        return [layer.get_output(0)]

    engine = Engine(logger, layers)
    (got,) = engine.run(engine.context())
    words = philox(0, 0, 30).reshape(3, 40)
    want = 10 + (words >> np.uint64(8)).astype(np.float32) * np.float32(2.0**-24)
    np.testing.assert_allclose(got, want, rtol=1e-7)


def test_nothing(logger):
    engine = Engine(logger, lambda network: [fill(network, (0, 3), NORMAL)])
    assert engine.run(engine.context())[0].shape == (0, 3)


def test_refusals(logger):
    network = trt.Builder(logger).create_network(0)
    assert network.add_fill((3,), NORMAL, trt.int32) is None
    assert "expected a floating-point type for random values, got int32" in logger.errors[-1]
    logger.errors.clear()
