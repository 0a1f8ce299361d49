# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Weight streaming: results with every budget, the numbers of the API, and what is refused."""

import itertools
import warnings

import device_memory
import numpy as np
import pytest
import tensorrt as trt

warnings.filterwarnings("ignore", category=DeprecationWarning)
Flag = trt.BuilderFlag
RNG = np.random.default_rng(11)
SIZES = (48, 96, 32, 80, 16)
X = RNG.normal(0, 1, (4, SIZES[0])).astype(np.float32)
TYPED = 1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)


class Lab:
    """y = a chain of products and biases over x, in a strongly typed network."""

    def __init__(self, logger, *flags, typed=True):
        self.logger = logger
        self.builder = trt.Builder(logger)
        self.network = self.builder.create_network(TYPED if typed else 0)
        self.config = self.builder.create_builder_config()
        for flag in (Flag.WEIGHT_STREAMING, *flags):
            self.config.set_flag(flag)
        self.x = self.network.add_input("x", trt.float32, X.shape)
        self.weights = {}

    def constant(self, name, *shape):
        values = RNG.normal(0, 0.3, shape).astype(np.float32)
        self.weights[name] = values
        layer = self.network.add_constant(shape, values)
        layer.name = name
        return layer.get_output(0)

    def layer(self, x, name, rows, columns):
        none = trt.MatrixOperation.NONE
        product = self.network.add_matrix_multiply(
            x, none, self.constant(f"w{name}", rows, columns), none
        )
        total = self.network.add_elementwise(
            product.get_output(0),
            self.constant(f"b{name}", 1, columns),
            trt.ElementWiseOperation.SUM,
        )
        return self.network.add_activation(total.get_output(0), trt.ActivationType.TANH).get_output(
            0
        )

    def chain(self):
        y = self.x
        for i, (rows, columns) in enumerate(itertools.pairwise(SIZES)):
            y = self.layer(y, i, rows, columns)
        return self.output(y)

    def output(self, y):
        y.name = "y"
        self.network.mark_output(y)
        return self

    def expected(self, weights=None):
        weights = weights or self.weights
        y = X.astype(np.float64)
        for i in range(len(SIZES) - 1):
            y = np.tanh(y @ weights[f"w{i}"] + weights[f"b{i}"])
        return y

    def engine(self, allocator=None):
        plan = self.builder.build_serialized_network(self.network, self.config)
        assert plan is not None, self.logger.errors()
        self.runtime = trt.Runtime(self.logger)
        if allocator is not None:
            self.runtime.gpu_allocator = allocator
        return self.runtime.deserialize_cuda_engine(plan)


class Run:
    """A context with memory for x and y."""

    def __init__(self, engine, context=None):
        memory = device_memory.for_target()
        self.context = context or engine.create_execution_context()
        shape = tuple(self.context.get_tensor_shape("y"))
        self.x, self.y = memory.DeviceArray(X), memory.DeviceArray(shape, np.float32)
        self.context.set_tensor_address("x", self.x.ptr)
        self.context.set_tensor_address("y", self.y.ptr)
        self.stream = memory.Stream()

    def __call__(self):
        assert self.context.execute_async_v3(self.stream.handle)
        self.stream.synchronize()
        return self.y.numpy()


def budgets(engine):
    size = engine.streamable_weights_size
    return sorted({0, 64, 640, size // 3, size // 2, size - 64, size - 1, size, 2 * size})


def take_errors(logger):
    text = logger.errors()
    logger.messages.clear()
    return text


def test_every_budget_gives_the_same_result(logger):
    lab = Lab(logger).chain()
    engine = lab.engine()
    results = []
    for budget in budgets(engine):
        engine.weight_streaming_budget_v2 = budget
        run = Run(engine)
        results += [run(), run()]  # the second run does not prepare anything
        del run
    np.testing.assert_allclose(results[0], lab.expected(), rtol=1e-4, atol=1e-5)
    for result in results:
        np.testing.assert_array_equal(result, results[0])


def test_numbers(logger):
    lab = Lab(logger).chain()
    engine = lab.engine()
    size = engine.streamable_weights_size
    assert size >= sum(w.nbytes for w in lab.weights.values()) * 0.9
    assert engine.weight_streaming_budget_v2 == size  # nothing is streamed
    assert engine.weight_streaming_scratch_memory_size == 0
    assert 0 < engine.get_weight_streaming_automatic_budget() <= size
    base = engine.device_memory_size_v2
    engine.weight_streaming_budget_v2 = 0
    scratch = engine.weight_streaming_scratch_memory_size
    assert engine.weight_streaming_budget_v2 == 0
    assert base + scratch <= engine.device_memory_size_v2 <= base + scratch + 256
    if not device_memory.on_cuda():  # kernels read weights in the plan
        assert scratch == 0
    else:  # two of the largest layers
        assert 2 * 96 * 48 * 4 <= scratch <= 2 * (96 * 48 * 4 + 96 * 4 + 512)
    engine.weight_streaming_budget_v2 = 10 * size
    assert engine.weight_streaming_budget_v2 == size


def test_first_generation(logger):
    engine = Lab(logger).chain().engine()
    size = engine.streamable_weights_size
    assert engine.weight_streaming_budget == 0  # streams nothing
    least = engine.minimum_weight_streaming_budget
    assert (least == 0) == (not device_memory.on_cuda())
    engine.weight_streaming_budget = least + 1024
    assert engine.weight_streaming_budget_v2 == 1024
    assert engine.weight_streaming_budget == least + 1024
    engine.weight_streaming_budget = -1
    assert engine.weight_streaming_budget == -1
    Run(engine)()
    assert engine.weight_streaming_budget_v2 == size  # all of them fit
    engine.weight_streaming_budget = 0
    assert engine.weight_streaming_budget_v2 == size


def test_budgets_that_are_refused(logger):
    engine = Lab(logger).chain().engine()
    engine.weight_streaming_budget_v2 = 640
    engine.weight_streaming_budget_v2 = -1
    assert "expected bytes, 0 or more, got -1" in take_errors(logger)
    run = Run(engine)
    engine.weight_streaming_budget_v2 = 0
    assert "expected no execution context, got 1" in take_errors(logger)
    assert engine.weight_streaming_budget_v2 == 640
    del run
    engine.weight_streaming_budget_v2 = 0
    assert engine.weight_streaming_budget_v2 == 0
    assert not take_errors(logger)


def test_engines_without_the_flag(logger):
    lab = Lab(logger).chain()
    lab.config.clear_flag(Flag.WEIGHT_STREAMING)
    engine = lab.engine()
    assert engine.streamable_weights_size == engine.weight_streaming_budget_v2 == 0
    engine.weight_streaming_budget_v2 = 0
    assert "built with BuilderFlag WEIGHT_STREAMING" in take_errors(logger)
    np.testing.assert_allclose(Run(engine)(), lab.expected(), rtol=1e-4, atol=1e-5)


def test_weakly_typed_networks_are_refused(logger):
    lab = Lab(logger, typed=False).chain()
    assert lab.builder.build_serialized_network(lab.network, lab.config) is None
    assert "BuilderFlag WEIGHT_STREAMING (weights of strongly typed networks" in logger.errors()


def test_several_contexts(logger):
    lab = Lab(logger).chain()
    engine = lab.engine()
    engine.weight_streaming_budget_v2 = 1024
    runs = [Run(engine) for _ in range(3)]
    for run in runs:  # all at once
        assert run.context.execute_async_v3(run.stream.handle)
    for run in runs:
        run.stream.synchronize()
        np.testing.assert_allclose(run.y.numpy(), lab.expected(), rtol=1e-4, atol=1e-5)


def test_memory_of_the_user(logger):
    lab = Lab(logger).chain()
    engine = lab.engine()
    engine.weight_streaming_budget_v2 = 0
    context = engine.create_execution_context(trt.ExecutionContextAllocationStrategy.USER_MANAGED)
    run = Run(engine, context)
    memory = device_memory.for_target()
    block = memory.DeviceArray((engine.device_memory_size_v2 + 256,), np.uint8)
    begin = (block.ptr + 255) // 256 * 256
    context.set_device_memory(begin, engine.device_memory_size_v2)
    np.testing.assert_allclose(run(), lab.expected(), rtol=1e-4, atol=1e-5)


def refit(lab, engine):
    weights = {name: values + np.float32(0.25) for name, values in lab.weights.items()}
    refitter = trt.Refitter(engine, lab.logger)
    for name, values in weights.items():
        assert refitter.set_weights(name, trt.WeightsRole.CONSTANT, values)
    assert refitter.refit_cuda_engine()
    return weights


@pytest.mark.parametrize("flags", [(Flag.REFIT,), (Flag.REFIT, Flag.STRIP_PLAN)])
def test_refit(logger, flags):
    lab = Lab(logger, *flags).chain()
    engine = lab.engine()
    for budget in budgets(engine):
        engine.weight_streaming_budget_v2 = budget
        run = None
        if Flag.STRIP_PLAN not in flags:
            run = Run(engine)  # which takes the new weights
            run()
        expected = lab.expected(refit(lab, engine))
        run = run or Run(engine)
        np.testing.assert_allclose(run(), expected, rtol=1e-4, atol=1e-5)
        del run
        np.testing.assert_allclose(Run(engine)(), expected, rtol=1e-4, atol=1e-5)


def test_loop(logger):
    """The product of a loop's body is streamed in each pass."""
    lab = Lab(logger)
    y = lab.layer(lab.x, 0, SIZES[0], 32)
    loop = lab.network.add_loop()
    count = lab.network.add_constant((), np.array(5, np.int32)).get_output(0)
    loop.add_trip_limit(count, trt.TripLimit.COUNT)
    state = loop.add_recurrence(y)
    following = lab.layer(lab.layer(state.get_output(0), 1, 32, 64), 2, 64, 32)
    state.set_input(1, following)
    result = loop.add_loop_output(state.get_output(0), trt.LoopOutput.LAST_VALUE)
    lab.output(lab.layer(result.get_output(0), 3, 32, 16))
    engine = lab.engine()

    def apply(y, i):
        return np.tanh(y @ lab.weights[f"w{i}"] + lab.weights[f"b{i}"])

    expected = apply(X.astype(np.float64), 0)
    for _ in range(5):
        expected = apply(apply(expected, 1), 2)
    expected = apply(expected, 3)
    for budget in budgets(engine):
        engine.weight_streaming_budget_v2 = budget
        np.testing.assert_allclose(Run(engine)(), expected, rtol=1e-4, atol=1e-5)


def test_branches(logger):
    lab = Lab(logger)
    choice = lab.network.add_input("choice", trt.bool, ())
    branch = lab.network.add_if_conditional()
    branch.set_condition(choice)
    x = branch.add_input(lab.x).get_output(0)
    result = branch.add_output(lab.layer(x, 0, SIZES[0], 16), lab.layer(x, 1, SIZES[0], 16))
    lab.output(result.get_output(0))
    engine = lab.engine()
    memory = device_memory.for_target()
    for budget in budgets(engine):
        engine.weight_streaming_budget_v2 = budget
        run = Run(engine)
        for value, i in ((True, 0), (False, 1)):
            condition = np.array(value)
            kept = condition
            if engine.get_tensor_location("choice") == trt.TensorLocation.DEVICE:
                kept = memory.DeviceArray(condition)
            run.context.set_tensor_address("choice", getattr(kept, "ptr", condition.ctypes.data))
            expected = np.tanh(X @ lab.weights[f"w{i}"] + lab.weights[f"b{i}"])
            np.testing.assert_allclose(run(), expected, rtol=1e-4, atol=1e-5)


def test_shared_and_equal_weights(logger):
    """One constant that several layers read, and another one with equal elements."""
    lab = Lab(logger)
    none = trt.MatrixOperation.NONE
    w = lab.constant("w", SIZES[0], SIZES[0])
    same = lab.network.add_constant((SIZES[0], SIZES[0]), lab.weights["w"]).get_output(0)
    y = lab.x
    expected = X.astype(np.float64)
    for factor in (w, w, same, w):
        y = lab.network.add_matrix_multiply(y, none, factor, none).get_output(0)
        softmax = lab.network.add_softmax(y)
        softmax.axes = 2
        y = softmax.get_output(0)
        expected = expected @ lab.weights["w"]
        expected = np.exp(expected) / np.exp(expected).sum(axis=-1, keepdims=True)
    lab.output(y)
    engine = lab.engine()
    assert engine.streamable_weights_size <= 2 * lab.weights["w"].nbytes + 256
    for budget in budgets(engine):
        engine.weight_streaming_budget_v2 = budget
        np.testing.assert_allclose(Run(engine)(), expected, rtol=1e-4, atol=1e-5)


def test_profiles_with_kernels_of_their_own(logger):
    """The kernels of a second profile may read other constants."""
    lab = Lab(logger)
    lab.network = lab.builder.create_network(TYPED)
    lab.x = lab.network.add_input("x", trt.float32, (-1, SIZES[0]))
    lab.chain()
    for rows in ((1, 1, 4), (1, 256, 512)):
        profile = lab.builder.create_optimization_profile()
        profile.set_shape("x", *((r, SIZES[0]) for r in rows))
        lab.config.add_optimization_profile(profile)
    engine = lab.engine()
    memory = device_memory.for_target()
    for budget in budgets(engine):
        engine.weight_streaming_budget_v2 = budget
        context = engine.create_execution_context()
        for profile in (0, 1, 0):
            stream = memory.Stream()
            assert context.set_optimization_profile_async(profile, stream.handle)
            assert context.set_input_shape("x", X.shape)
            run = Run(engine, context)
            np.testing.assert_allclose(run(), lab.expected(), rtol=1e-4, atol=1e-5)
