# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Collective operations between two GPUs of one process, each with a thread of its own."""

import device_memory
import kiln
import numpy as np
import pytest
import ranks
import tensorrt as trt
from case import TRT_TYPES, Logger
from ranks import on_gpu

C, R = trt.CollectiveOperation, trt.ReduceOperation
RANKS = 2
SHAPE = (4, 3)


@pytest.fixture
def logger():
    return Logger()


def built(logger, operation, reduction=None, root=None, groups=None, count=RANKS, dtype=np.float32):
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    x = network.add_input("x", TRT_TYPES[dtype], SHAPE)
    layer = network.add_dist_collective(x, operation, reduction, root, groups)
    layer.num_ranks = count
    assert layer.num_ranks == count
    layer.get_output(0).name = "y"
    network.mark_output(layer.get_output(0))
    return builder.build_serialized_network(network, builder.create_builder_config())


def test_needs_gpus(logger):
    kiln.set_default_target("cpu")
    try:
        assert built(logger, C.ALL_REDUCE, R.SUM) is None
    finally:
        kiln.set_default_target(None)
    assert "expected the target cuda: NCCL connects GPUs" in "\n".join(logger.errors)


def test_wrong_arguments(logger):
    network = trt.Builder(logger).create_network(0)
    x = network.add_input("x", trt.float32, SHAPE)
    assert network.add_dist_collective(x, C.ALL_REDUCE, None, None, None) is None
    assert "expected a reduction for this operation, got NONE." in logger.errors[-1]
    assert network.add_dist_collective(x, C.BROADCAST, None, None, None) is None
    assert "expected a root of 0 or more, got -1." in logger.errors[-1]
    assert network.add_dist_collective(x, C.ALL_GATHER, None, None, [0] * 65) is None
    assert "expected an array of 0 to 64 ranks, got 65" in logger.errors[-1]
    layer = network.add_dist_collective(x, C.ALL_GATHER, R.NONE, -1, np.array([0, 1]))
    assert layer.get_output(0).shape == (8, 3)
    layer.num_ranks = 0
    assert "expected 1 to 64 ranks" in logger.errors[-1]


def expected(operation, reduction, root, x):
    """The result of each rank; None where it is not defined."""
    functions = {R.SUM: np.sum, R.PROD: np.prod, R.MAX: np.max, R.MIN: np.min, R.AVG: np.mean}
    total = functions[reduction](x, axis=0).astype(x[0].dtype) if reduction is not None else None
    only = [lambda value, rank=rank: value if rank == root else None for rank in range(RANKS)]
    half = SHAPE[0] // RANKS
    return {
        C.ALL_REDUCE: lambda: [total] * RANKS,
        C.REDUCE: lambda: [at(total) for at in only],
        C.REDUCE_SCATTER: lambda: np.split(total, RANKS),
        C.BROADCAST: lambda: [x[root or 0]] * RANKS,
        C.ALL_GATHER: lambda: [np.concatenate(x)] * RANKS,
        C.GATHER: lambda: [at(np.concatenate(x)) for at in only],
        C.SCATTER: lambda: np.split(x[root or 0], RANKS),
        C.ALL_TO_ALL: lambda: [
            np.concatenate([own[rank * half : (rank + 1) * half] for own in x])
            for rank in range(RANKS)
        ],
    }[operation]()


ROWS = [
    *((C.ALL_REDUCE, reduction, None) for reduction in (R.SUM, R.PROD, R.MAX, R.MIN, R.AVG)),
    (C.REDUCE, R.SUM, 1), (C.REDUCE_SCATTER, R.SUM, None), (C.BROADCAST, None, 1),
    (C.ALL_GATHER, None, None), (C.GATHER, None, 1), (C.SCATTER, None, 1),
    (C.ALL_TO_ALL, None, None),
]  # fmt: skip


@on_gpu
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int32])
@pytest.mark.parametrize(("operation", "reduction", "root"), ROWS)
def test_between_two_gpus(logger, operation, reduction, root, dtype):
    if dtype is np.int32 and reduction == R.AVG:
        pytest.skip("a mean of integers is rounded")
    ranks.communicators(RANKS)
    rng = np.random.default_rng(5)
    x = [rng.integers(-8, 8, SHAPE).astype(dtype) for _ in range(RANKS)]
    plan = built(logger, operation, reduction, root, dtype=dtype)
    assert plan is not None, logger.errors
    want = expected(operation, reduction, root, x)
    shape = next(value.shape for value in want if value is not None)
    results = ranks.run(logger, plan, [{"x": own} for own in x], shape)
    for got, wanted in zip(results, want, strict=True):
        if wanted is not None:
            np.testing.assert_array_equal(got, wanted)


@on_gpu
def test_without_a_communicator(logger):
    ranks.communicators(RANKS)
    plan = built(logger, C.ALL_REDUCE, R.SUM)
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    memory = device_memory.for_target()
    array = memory.DeviceArray(np.zeros(SHAPE, np.float32))
    for name in ("x", "y"):
        assert context.set_tensor_address(name, array.ptr)
    assert not context.execute_async_v3(memory.Stream().handle)
    assert "expected a communicator, got none" in "\n".join(logger.errors)


@on_gpu
def test_groups_of_some_ranks_are_refused(logger):
    ranks.communicators(RANKS)
    assert built(logger, C.ALL_REDUCE, R.SUM, groups=[1, 0]) is None
    assert "expected a group of all ranks in order" in "\n".join(logger.errors)
