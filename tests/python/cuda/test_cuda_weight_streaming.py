# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Weight streaming on the GPU: the tests of both targets, memory of the device, and captures."""

import ctypes

import device_memory
import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from device_memory import call
from oplab import define, op_of
from test_weight_streaming import *  # noqa: F403
from test_weight_streaming import Flag, Lab, Run, budgets


class Counting(trt.IGpuAllocator):
    """Counts the bytes that are allocated."""

    def __init__(self):
        super().__init__()
        self.sizes = {}

    def allocate(self, size, alignment, flags):
        memory = ctypes.c_uint64()
        call("cuMemAlloc_v2", ctypes.byref(memory), size)
        self.sizes[memory.value] = size
        return memory.value

    def allocate_async(self, size, alignment, flags, stream):
        return self.allocate(size, alignment, flags)

    def deallocate(self, memory):
        call("cuMemFree_v2", memory)
        del self.sizes[memory]
        return True

    def deallocate_async(self, memory, stream):
        return self.deallocate(memory)

    def reallocate(self, address, alignment, size):
        return 0

    def total(self):
        return sum(self.sizes.values())


def test_budgets_hold(logger):
    """Weights on the device are within the budget, contexts take their scratch memory alone."""
    allocator = Counting()
    lab = Lab(logger).chain()
    engine = lab.engine(allocator)
    opened = allocator.total()
    assert opened <= 256  # weights wait for the first context
    for budget in budgets(engine):
        engine.weight_streaming_budget_v2 = budget
        run = Run(engine)
        own = engine.device_memory_size_v2
        weights = allocator.total() - opened - own
        size = engine.streamable_weights_size
        assert min(budget, size) - 96 * 48 * 4 - 64 <= weights <= budget + 512
        run()
        another = Run(engine)
        another()
        assert weights - 512 <= allocator.total() - opened - 2 * own <= weights + 512
        del run, another
        assert allocator.total() == opened
    np.testing.assert_allclose(Run(engine)(), lab.expected(), rtol=1e-4, atol=1e-5)


def test_refit_keeps_the_budget(logger):
    allocator = Counting()
    lab = Lab(logger, Flag.REFIT).chain()
    engine = lab.engine(allocator)
    engine.weight_streaming_budget_v2 = engine.streamable_weights_size // 2
    run = Run(engine)
    before = allocator.total()
    expected = lab.expected(refit(lab, engine))  # noqa: F405
    assert allocator.total() == before
    np.testing.assert_allclose(run(), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("share", [0, 0.5])
def test_capture(logger, share):
    """Copies are part of the graph."""
    engine = Lab(logger).chain().engine()
    engine.weight_streaming_budget_v2 = int(engine.streamable_weights_size * share)
    run = Run(engine)
    expected = run()
    graph = run.stream.capture(lambda: run.context.execute_async_v3(run.stream.handle))
    for _ in range(3):
        run.y.set(np.zeros_like(expected))
        graph.launch(run.stream)
        run.stream.synchronize()
        np.testing.assert_array_equal(run.y.numpy(), expected)
    assert np.array_equal(run(), expected)


def test_python_plugins_on_the_default_stream(logger):
    """They run on a stream that takes its place, and read weights that were copied for them."""

    def describe(x: trtp.TensorDesc, w: trtp.TensorDesc) -> trtp.TensorDesc:
        return x.like()

    seen = []

    def impl(x: trtp.Tensor, w: trtp.Tensor, outputs: tuple[trtp.Tensor], stream: int) -> None:
        values = np.zeros((4, 48), np.float32)
        call("cuMemcpyDtoHAsync_v2", values.ctypes.data, w.data_ptr, values.nbytes, stream)
        call("cuStreamSynchronize", stream)
        seen.append(values)
        call("cuMemcpyDtoDAsync_v2", outputs[0].data_ptr, w.data_ptr, values.nbytes, stream)

    lab = Lab(logger)
    op = op_of(define(describe, impl))
    y = lab.x
    for name in "abc":
        inputs, _, plugin = op(y, lab.constant(name, 4, 48))
        y = lab.network.add_plugin((list(inputs), [], plugin)).get_output(0)
    engine = lab.output(y).engine()
    for budget in budgets(engine):
        engine.weight_streaming_budget_v2 = budget
        run = Run(engine)
        seen.clear()
        assert run.context.execute_async_v3(0), logger.errors()
        device_memory.synchronize()
        np.testing.assert_array_equal(run.y.numpy(), lab.weights["c"])
        for name, values in zip("abc", seen, strict=True):
            np.testing.assert_array_equal(values, lab.weights[name])
