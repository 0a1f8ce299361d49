# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Timings of a cache are those of the same number of threads."""

import numpy as np
import pytest
import tensorrt as trt


def build(logger, cache):
    """Returns the plan, None if a timing is missing, and the cache with the timings."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (8, 256))
    weights = network.add_constant((256, 256), np.ones((256, 256), np.float32)).get_output(0)
    plain = trt.MatrixOperation.NONE
    network.mark_output(network.add_matrix_multiply(x, plain, weights, plain).get_output(0))
    config = builder.create_builder_config()
    assert config.set_timing_cache(config.create_timing_cache(cache), False)
    if cache:
        config.set_flag(trt.BuilderFlag.ERROR_ON_TIMING_CACHE_MISS)
    plan = builder.build_serialized_network(network, config)
    return plan, bytes(config.get_timing_cache().serialize())


@pytest.fixture
def threads():
    yield trt.set_num_threads
    trt.set_num_threads(0)


def test_each_number_of_threads_has_timings(logger, threads):
    threads(1)
    plan, cache = build(logger, b"")
    assert plan is not None, logger.errors()
    assert build(logger, cache)[0] is not None
    threads(2)
    assert build(logger, cache)[0] is None
    assert "timings in the timing cache" in logger.errors()
    threads(1)
    assert build(logger, cache)[0] is not None
