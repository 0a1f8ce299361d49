# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory of contexts: strategies, sizes for profiles and for shapes, memory of the user.

Also run on the emulated GPU: cuda/test_cuda_context_memory.py.
"""

import warnings

import device_memory
import numpy as np
import pytest
import tensorrt as trt

warnings.filterwarnings("ignore", category=DeprecationWarning)
Strategy = trt.ExecutionContextAllocationStrategy
SMALL, LARGE = 8, 512
W = np.random.default_rng(1).normal(0, 0.1, (64, 64)).astype(np.float32)


class Counting(trt.IGpuAllocator):
    """Memory of the target, counted."""

    def __init__(self):
        super().__init__()
        self.memory = device_memory.for_target()
        self.blocks = {}
        self.total = 0

    def allocate_async(self, size, alignment, flags, stream):
        block = self.memory.DeviceArray(np.zeros(size + alignment, np.uint8))
        address = (block.ptr + alignment - 1) // alignment * alignment
        self.blocks[address] = (block, size)
        self.total += 1
        return address

    def allocate(self, size, alignment, flags):
        return self.allocate_async(size, alignment, flags, 0)

    def deallocate_async(self, memory, stream):
        return self.blocks.pop(memory, None) is not None

    def deallocate(self, memory):
        return self.deallocate_async(memory, 0)

    def sizes(self):
        return sorted(size for _, size in self.blocks.values())


def plan_of(logger, *profiles):
    """y = softmax(softmax(x @ w) @ w) @ w for x [n, 64], with values between its steps."""
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    y = network.add_input("x", trt.float32, (-1, 64))
    w = network.add_constant(W.shape, W).get_output(0)
    none = trt.MatrixOperation.NONE
    for last in (False, False, True):
        y = network.add_matrix_multiply(y, none, w, none).get_output(0)
        if not last:
            soft = network.add_softmax(y)
            soft.axes = 2
            y = soft.get_output(0)
    y.name = "y"
    network.mark_output(y)
    config = builder.create_builder_config()
    # Workspaces that depend on what is fastest would blur the sizes.
    config.set_memory_pool_limit(trt.MemoryPoolType.WORKSPACE, 0)
    for low, best, high in profiles or [(1, SMALL, SMALL), (1, LARGE, LARGE)]:
        profile = builder.create_optimization_profile()
        profile.set_shape("x", (low, 64), (best, 64), (high, 64))
        config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors()
    return plan


def expected(x):
    def softmax(z):
        e = np.exp(z - z.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    return softmax(softmax(x @ W) @ W) @ W


class Running:
    """An engine, and a context that was made in some way."""

    def __init__(self, logger, plan, make=None, allocator=None):
        self.logger = logger
        self.runtime = trt.Runtime(logger)
        if allocator is not None:
            self.runtime.gpu_allocator = allocator
        self.engine = self.runtime.deserialize_cuda_engine(plan)
        self.before = allocator.total if allocator else 0
        make = make or (lambda engine: engine.create_execution_context(Strategy.USER_MANAGED))
        self.context = make(self.engine)
        self.memory = device_memory.for_target()
        self.stream = self.memory.Stream()
        self.given = None

    def use(self, profile):
        return self.context.set_optimization_profile_async(profile, self.stream.handle)

    def give(self, size, extra=4096):
        """Memory with a guard behind it, which no run may touch."""
        self.size = size
        self.given = self.memory.DeviceArray(np.full(size + extra, 77, np.uint8))
        self.context.set_device_memory(self.given.ptr, size)

    def guard_is_intact(self):
        return bool((self.given.numpy()[self.size :] == 77).all())

    def shape(self, rows):
        assert self.context.set_input_shape("x", (rows, 64))

    def run(self, rows):
        """Whether the run works and is right."""
        x = np.random.default_rng(rows).normal(0, 1, (rows, 64)).astype(np.float32)
        self.shape(rows)
        source = self.memory.DeviceArray(x)
        target = self.memory.DeviceArray(np.zeros_like(x))
        self.context.set_tensor_address("x", source.ptr)
        self.context.set_tensor_address("y", target.ptr)
        if not self.context.execute_async_v3(self.stream.handle):
            return False
        self.stream.synchronize()
        np.testing.assert_allclose(target.numpy(), expected(x), rtol=1e-4, atol=1e-5)
        return True


@pytest.fixture(scope="module")
def two_profiles():
    return plan_of(trt.Logger(trt.Logger.ERROR))


def test_sizes_of_profiles(logger, two_profiles):
    engine = Running(logger, two_profiles).engine
    small, large = (engine.get_device_memory_size_for_profile_v2(i) for i in (0, 1))
    assert 0 < small <= engine.device_memory_size_v2 // 16
    assert small < large <= engine.device_memory_size_v2
    assert engine.get_device_memory_size_for_profile(0) == small
    assert engine.device_memory_size == engine.device_memory_size_v2
    assert engine.get_device_memory_size_for_profile_v2(2) == 0
    assert "expected a profile from 0 to 1, got 2" in logger.errors()


def test_a_profile_runs_in_as_much_memory_as_it_needs(logger, two_profiles):
    running = Running(logger, two_profiles)
    for profile, rows in ((0, SMALL), (1, LARGE), (1, 3), (0, 1)):
        running.use(profile)
        running.give(running.engine.get_device_memory_size_for_profile_v2(profile))
        assert running.run(rows)
        assert running.guard_is_intact()


def test_memory_for_all_profiles_serves_each(logger, two_profiles):
    running = Running(logger, two_profiles)
    running.give(running.engine.device_memory_size_v2)
    for profile, rows in ((0, SMALL), (1, LARGE), (0, 2)):
        running.use(profile)
        assert running.run(rows)
    assert running.guard_is_intact()


def test_memory_that_is_too_small_is_refused(logger, two_profiles):
    running = Running(logger, two_profiles)
    size = running.engine.get_device_memory_size_for_profile_v2(0)
    running.give(size - 1)
    assert f"expected {size} bytes or more, got {size - 1}" in logger.errors()
    assert not running.run(SMALL)
    assert "the context has no device memory" in logger.errors()
    running.give(size)
    assert running.run(SMALL)
    running.use(1)
    assert not running.run(LARGE)
    assert "update its device memory size for the shapes" in logger.errors()
    running.use(0)
    assert running.run(1)
    assert running.guard_is_intact()


def test_sizes_for_shapes(logger, two_profiles):
    running = Running(logger, two_profiles)
    running.use(1)
    sizes = []
    for rows in (1, 16, 100, LARGE):
        running.shape(rows)
        sizes.append(running.context.update_device_memory_size_for_shapes())
        running.give(sizes[-1])
        assert running.run(rows)
        assert running.guard_is_intact()
    assert sizes == sorted(set(sizes))
    assert sizes[-1] <= running.engine.get_device_memory_size_for_profile_v2(1)
    assert sizes[0] < sizes[-1] // 10


def test_memory_for_shapes_limits_later_shapes(logger, two_profiles):
    running = Running(logger, two_profiles)
    running.use(1)
    running.shape(64)
    running.give(running.context.update_device_memory_size_for_shapes())
    assert running.run(64)
    assert running.run(10)
    assert not running.run(LARGE)
    assert "for the shapes of the inputs, got" in logger.errors()
    assert running.run(64)
    assert running.guard_is_intact()


def test_size_for_unknown_shapes(logger, two_profiles):
    running = Running(logger, two_profiles)
    assert running.context.update_device_memory_size_for_shapes() == 0
    assert "Set the shape of the input" in logger.errors()


def test_memory_without_a_size(logger, two_profiles):
    """Old programs give the memory alone: each run takes what its shapes need."""
    running = Running(logger, two_profiles)
    running.use(0)
    running.give(running.engine.device_memory_size_v2)
    running.context.device_memory = running.given.ptr
    running.size = running.engine.get_device_memory_size_for_profile_v2(0)
    assert running.run(SMALL) and running.run(2)
    assert running.guard_is_intact()
    running.use(1)
    assert running.run(LARGE)


@pytest.mark.parametrize("way", ["strategy", "config", "old"])
def test_a_context_with_memory_of_the_user_allocates_nothing(logger, two_profiles, way):
    def make(engine):
        if way == "old":
            return engine.create_execution_context_without_device_memory()
        if way == "strategy":
            return engine.create_execution_context(Strategy.USER_MANAGED)
        config = engine.create_runtime_config()
        config.set_execution_context_allocation_strategy(Strategy.USER_MANAGED)
        return engine.create_execution_context(config)

    allocator = Counting()
    running = Running(logger, two_profiles, make, allocator)
    assert not running.run(4)
    assert "no device memory" in logger.errors()
    running.give(running.engine.device_memory_size_v2)
    for profile, rows in ((0, SMALL), (1, LARGE)):
        running.use(profile)
        assert running.run(rows)
    assert allocator.total == running.before


def test_strategies_allocate_what_they_say(logger, two_profiles):
    allocator = Counting()

    def sizes(strategy, profile):
        before = allocator.sizes()
        running = Running(logger, two_profiles, lambda e: e.create_execution_context(strategy))
        del running
        running = Running(
            logger, two_profiles, lambda e: e.create_execution_context(strategy), allocator
        )
        with_engine = allocator.sizes()
        running.use(profile)
        assert running.run(SMALL if profile == 0 else LARGE)
        now = allocator.sizes()
        for size in before:
            now.remove(size)
        engine = running.engine
        wanted = [engine.device_memory_size_v2] + [
            engine.get_device_memory_size_for_profile_v2(i) for i in (0, 1)
        ]
        return [size in now for size in wanted], len(now) == len(with_engine) - len(before)

    assert sizes(Strategy.STATIC, 0)[0][0]
    assert sizes(Strategy.STATIC, 1)[0][0]
    assert sizes(Strategy.ON_PROFILE_CHANGE, 0) == ([False, True, False], True)
    assert sizes(Strategy.ON_PROFILE_CHANGE, 1)[0][1:] == [False, True]


def test_a_profile_without_memory_for_it_can_be_tried_again(logger, two_profiles):
    class Limited(Counting):
        limit = 1 << 40

        def allocate_async(self, size, alignment, flags, stream):
            if size > self.limit:
                return None
            return super().allocate_async(size, alignment, flags, stream)

    allocator = Limited()
    running = Running(
        logger,
        two_profiles,
        lambda e: e.create_execution_context(Strategy.ON_PROFILE_CHANGE),
        allocator,
    )
    assert running.run(SMALL)
    allocator.limit = running.engine.get_device_memory_size_for_profile_v2(0)
    assert not running.use(1)
    assert "gave no memory for the arena" in logger.errors()
    assert not running.run(LARGE)
    allocator.limit = 1 << 40
    assert running.run(LARGE)
    assert running.use(0)
    assert running.run(SMALL)


@pytest.mark.parametrize("strategy", list(Strategy.__members__.values()))
def test_runtime_config(logger, two_profiles, strategy):
    running = Running(logger, two_profiles)
    config = running.engine.create_runtime_config()
    assert config.get_execution_context_allocation_strategy() == Strategy.STATIC
    config.set_execution_context_allocation_strategy(strategy)
    assert config.get_execution_context_allocation_strategy() == strategy
    context = running.engine.create_execution_context(config)
    config.set_execution_context_allocation_strategy(Strategy.STATIC)
    copy = context.get_runtime_config()
    assert copy.get_execution_context_allocation_strategy() == strategy
    copy.set_execution_context_allocation_strategy(Strategy.STATIC)
    again = context.get_runtime_config()
    assert again.get_execution_context_allocation_strategy() == strategy
    direct = running.engine.create_execution_context(strategy).get_runtime_config()
    assert direct.get_execution_context_allocation_strategy() == strategy


def test_sizes_of_loops_and_found_sizes(logger):
    """Shapes that a run finds: memory for the shapes of the inputs suffices for all of them."""
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    x = network.add_input("x", trt.float32, (-1, 64))
    found = network.add_non_zero(x).get_output(0)
    cast = network.add_cast(found, trt.float32).get_output(0)
    soft = network.add_softmax(cast)
    soft.axes = 2
    total = network.add_reduce(soft.get_output(0), trt.ReduceOperation.SUM, 3, False)
    total.get_output(0).name = "y"
    network.mark_output(total.get_output(0))
    config = builder.create_builder_config()
    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1, 64), (8, 64), (64, 64))
    config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors()
    running = Running(logger, plan)
    x = np.zeros((4, 64), np.float32)
    x[1, 3] = x[2, 5] = 1
    running.shape(4)
    size = running.context.update_device_memory_size_for_shapes()
    assert 0 < size <= running.engine.device_memory_size_v2
    running.give(size)
    for filled in (x, np.ones_like(x)):
        source = running.memory.DeviceArray(filled)
        target = running.memory.DeviceArray(np.zeros((), np.float32))
        running.context.set_tensor_address("x", source.ptr)
        running.context.set_tensor_address("y", target.ptr)
        assert running.context.execute_async_v3(running.stream.handle)
        running.stream.synchronize()
        np.testing.assert_allclose(target.numpy(), 2, rtol=1e-5)
        assert running.guard_is_intact()
