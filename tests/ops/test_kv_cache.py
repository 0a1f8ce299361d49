# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Caches of keys and values: updates in place, and attention that reads them. Either target."""

import device_memory
import numpy as np
import pytest
import tensorrt as trt
from case import Logger

CACHE, UPDATE = (2, 3, 8, 4), (2, 3, 2, 4)


@pytest.fixture
def logger():
    return Logger()


def engine_of(logger, define, flags=1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)):
    builder = trt.Builder(logger)
    network = builder.create_network(flags)
    cache = network.add_input("cache", trt.float32, CACHE)
    update = network.add_input("update", trt.float32, UPDATE)
    starts = network.add_input("starts", trt.int32, (2,))
    layer = network.add_kv_cache_update(cache, update, starts, trt.KVCacheMode.LINEAR)
    updated = layer.get_output(0)
    updated.name = "updated"
    network.mark_output(updated)
    define(network, updated)
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    assert plan is not None, logger.errors
    return trt.Runtime(logger).deserialize_cuda_engine(plan)


def numbers():
    rng = np.random.default_rng(3)
    cache = rng.uniform(-1, 1, CACHE).astype(np.float32)
    update = rng.uniform(-1, 1, UPDATE).astype(np.float32)
    return cache, update, np.array([5, 0], np.int32)


def expected(cache, update, starts):
    result = cache.copy()
    for b, start in enumerate(starts):
        result[b, :, start : start + update.shape[2]] = update[b]
    return result


def run(engine, in_place, others=None):
    memory = device_memory.for_target()
    cache, update, starts = numbers()
    context, stream = engine.create_execution_context(), memory.Stream()
    arrays = {name: memory.DeviceArray(value) for name, value in others or []}
    arrays |= {
        "cache": memory.DeviceArray(cache),
        "update": memory.DeviceArray(update),
        "starts": memory.DeviceArray(starts),
    }
    arrays["updated"] = arrays["cache"] if in_place else memory.DeviceArray(np.zeros_like(cache))
    for name, array in arrays.items():
        assert context.set_tensor_address(name, array.ptr)
    for _ in range(2):  # the second run finds the rows in the cache
        assert context.execute_async_v3(stream.handle)
    stream.synchronize()
    return {name: array.numpy() for name, array in arrays.items()}


@pytest.mark.parametrize("in_place", [True, False])
def test_cache_is_updated_where_it_is_bound(logger, in_place):
    engine = engine_of(logger, lambda *_: None)
    assert engine.get_aliased_input_tensor("updated") == "cache"
    assert engine.get_aliased_input_tensor("cache") is None
    result = run(engine, in_place)
    np.testing.assert_array_equal(result["updated"], expected(*numbers()))
    if not in_place:
        np.testing.assert_array_equal(result["cache"], numbers()[0])


@pytest.mark.parametrize("in_place", [True, False])
def test_attention_reads_the_updated_cache(logger, in_place):
    def define(network, keys):
        query = network.add_input("query", trt.float32, (2, 3, 1, 4))
        attention = network.add_attention_v2(
            query, keys, keys, trt.AttentionNormalizationOp.SOFTMAX, trt.CausalMaskKind.NONE
        )
        attention.get_output(0).name = "y"
        network.mark_output(attention.get_output(0))

    engine = engine_of(logger, define)
    query = np.random.default_rng(4).uniform(-1, 1, (2, 3, 1, 4)).astype(np.float32)
    others = [("query", query), ("y", np.zeros((2, 3, 1, 4), np.float32))]
    result = run(engine, in_place, others)
    keys = expected(*numbers()).astype(np.float64)
    np.testing.assert_array_equal(result["updated"], keys)
    weights = np.exp(query @ keys.swapaxes(2, 3))
    weights /= weights.sum(3, keepdims=True)
    np.testing.assert_allclose(result["y"], weights @ keys, rtol=2e-6, atol=2e-6)


def test_weakly_typed_caches_keep_their_type(logger):
    engine = engine_of(logger, lambda *_: None, flags=0)
    assert engine.get_tensor_dtype("updated") == trt.float32
    np.testing.assert_array_equal(run(engine, True)["updated"], expected(*numbers()))


def test_settings_come_back(logger):
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    cache = network.add_input("cache", trt.float32, CACHE)
    update = network.add_input("update", trt.float32, (5, 3, 4))
    starts = network.add_input("starts", trt.int32, (2,))
    lengths = network.add_input("lengths", trt.int32, (3,))
    layer = network.add_kv_cache_update(cache, update, starts, trt.KVCacheMode.LINEAR)
    assert layer.cache_mode == trt.KVCacheMode.LINEAR
    assert layer.update_form == trt.AttentionIOForm.PADDED_BHND
    assert layer.update_lengths is None
    layer.update_form = trt.AttentionIOForm.PACKED_NHD
    layer.update_lengths = lengths
    assert layer.update_form == trt.AttentionIOForm.PACKED_NHD
    assert layer.update_lengths.name == "lengths"
    assert layer.get_output(0).shape == CACHE
    layer.update_lengths = None
    assert layer.update_lengths is None
