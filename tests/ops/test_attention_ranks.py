# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention over several GPUs: sequences are split, and each query sees the keys of all ranks."""

import json

import kiln
import numpy as np
import pytest
import ranks
import tensorrt as trt
from case import Logger
from ranks import on_gpu

import onnx
from onnx import TensorProto, helper

SOFTMAX = trt.AttentionNormalizationOp.SOFTMAX
NONE, UPPER, LOWER = (
    trt.CausalMaskKind.NONE, trt.CausalMaskKind.UPPER_LEFT, trt.CausalMaskKind.LOWER_RIGHT,
)  # fmt: skip
STRONGLY_TYPED = 1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
BATCH, HEADS, KEY_HEADS, QUERIES, KEYS, SIZE, VALUE_SIZE = 2, 4, 2, 3, 5, 8, 4


@pytest.fixture
def logger():
    return Logger()


@pytest.fixture
def network(logger):
    return trt.Builder(logger).create_network(STRONGLY_TYPED)


def shapes(count, mask=None):
    """Of one rank."""
    own = {
        "q": (BATCH, HEADS, QUERIES, SIZE),
        "k": (BATCH, KEY_HEADS, KEYS, SIZE),
        "v": (BATCH, KEY_HEADS, KEYS, VALUE_SIZE),
    }
    return own | ({} if mask is None else {"mask": (BATCH, 1, QUERIES, count * KEYS)})


def attention_of(network, count, causal=NONE, mask=None, dtype=trt.float32, dynamic=False):
    """The attention, and its output as float32."""
    tensors = {}
    for name, shape in shapes(count, mask).items():
        length = (shape[0], shape[1], -1, -1 if name == "mask" else shape[3])
        kind = trt.bool if name == "mask" and mask is np.bool_ else trt.float32
        x = network.add_input(name, kind, length if dynamic else shape)
        narrow = kind == trt.float32 and dtype != trt.float32
        tensors[name] = network.add_cast(x, dtype).get_output(0) if narrow else x
    own = network.add_attention_v2(tensors["q"], tensors["k"], tensors["v"], SOFTMAX, causal)
    own.num_ranks = count
    assert own.num_ranks == count
    if mask is not None:
        own.mask = tensors["mask"]
    y = own.get_output(0)
    y = y if dtype == trt.float32 else network.add_cast(y, trt.float32).get_output(0)
    y.name = "y"
    network.mark_output(y)
    return own


def built(logger, network, count=None, mask=None, verbosity=None):
    """count: of ranks, for a profile of networks with dynamic lengths."""
    builder = trt.Builder(logger)
    config = builder.create_builder_config()
    if verbosity is not None:
        config.profiling_verbosity = verbosity
    if count is not None:
        profile = builder.create_optimization_profile()
        for name, own in shapes(count, mask).items():
            low = (*own[:2], 1, count if name == "mask" else own[3])
            high = (*own[:2], 2 * own[2], 2 * own[3] if name == "mask" else own[3])
            profile.set_shape(name, low, own, high)
        config.add_optimization_profile(profile)
    return builder.build_serialized_network(network, config)


def inputs_of(count, mask=None):
    """For each rank."""
    rng = np.random.default_rng(7)
    inputs = []
    for _ in range(count):
        own = {n: rng.standard_normal(s).astype(np.float32) for n, s in shapes(count, mask).items()}
        if mask is np.bool_:
            own["mask"] = own["mask"] > -0.5
            own["mask"][0, 0, 1] = False  # a query that sees no key
        inputs.append(own)
    return inputs


def expected(inputs, causal, scale=1.0):
    """The result of each rank, by one attention over the whole sequences."""
    count = len(inputs)
    q, k, v = (np.concatenate([own[n] for own in inputs], axis=2).astype(float) for n in "qkv")
    groups = q.shape[1] // k.shape[1]
    scores = scale * q @ np.repeat(k, groups, axis=1).swapaxes(2, 3)
    queries, keys = scores.shape[2:]
    last = {NONE: keys, UPPER: 0, LOWER: keys - queries}[causal]
    seen = np.arange(keys) <= np.arange(queries)[:, None] + last
    if "mask" in inputs[0]:
        mask = np.concatenate([own["mask"] for own in inputs], axis=2)
        if mask.dtype == bool:
            seen = seen & mask
        else:
            scores = scores + mask
    scores = np.where(seen, scores, -np.inf)
    largest = np.max(scores, axis=3, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(largest), largest, 0))
    total = weights.sum(axis=3, keepdims=True)
    weights = weights / np.where(total == 0, 1, total)
    return np.split(weights @ np.repeat(v, groups, axis=1), count, axis=2)


def check(logger, plan, inputs, wanted, tolerance=1e-5):
    assert plan is not None, logger.errors
    results = ranks.run(logger, plan, inputs, wanted[0].shape)
    for got, want in zip(results, wanted, strict=True):
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@on_gpu
@pytest.mark.parametrize("mask", [None, np.bool_, np.float32])
@pytest.mark.parametrize("causal", [NONE, UPPER, LOWER])
@pytest.mark.parametrize(("count", "dynamic"), [(2, True), (3, False)])
def test_each_query_sees_the_keys_of_all_ranks(logger, network, count, dynamic, causal, mask):
    ranks.communicators(count)
    attention_of(network, count, causal, mask, dynamic=dynamic)
    plan = built(logger, network, count if dynamic else None, mask)
    inputs = inputs_of(count, mask)
    check(logger, plan, inputs, expected(inputs, causal))


@on_gpu
@pytest.mark.parametrize("causal", [NONE, UPPER])
@pytest.mark.parametrize("dtype", [trt.float16, trt.bfloat16])
def test_narrow_types(logger, network, dtype, causal):
    ranks.communicators(2)
    attention_of(network, 2, causal, dtype=dtype)
    inputs = inputs_of(2)
    tolerance = 0.01 if dtype == trt.float16 else 0.06
    check(logger, built(logger, network), inputs, expected(inputs, causal), tolerance)


@on_gpu
def test_weights_may_be_quantized(logger, network):
    ranks.communicators(2)
    own = attention_of(network, 2)
    scale = network.add_constant((), np.full(1, 1 / 127, np.float32)).get_output(0)
    own.normalization_quantize_scale = scale
    own.normalization_quantize_to_type = trt.int8
    inputs = inputs_of(2)
    check(logger, built(logger, network), inputs, expected(inputs, NONE), 0.05)


@on_gpu
def test_all_ranks_may_have_the_same_queries(logger, network):
    ranks.communicators(2)
    attention_of(network, 2)
    inputs = inputs_of(2)
    inputs[1]["q"] = inputs[0]["q"]
    wanted = expected(inputs, NONE)
    np.testing.assert_array_equal(wanted[0], wanted[1])
    check(logger, built(logger, network), inputs, wanted)


@on_gpu
def test_inspectors_show_the_exchange(logger, network):
    attention_of(network, 2).name = "heads"
    plan = built(logger, network, verbosity=trt.ProfilingVerbosity.DETAILED)
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    inspector = engine.create_engine_inspector()
    layers = json.loads(inspector.get_engine_information(trt.LayerInformationFormat.JSON))["Layers"]
    kinds = [layer["LayerType"] for layer in layers]
    assert kinds.count("DistCollective") == 2
    assert all("heads" in layer["Name"] for layer in layers)


@on_gpu
def test_without_a_communicator(logger, network):
    attention_of(network, 2)
    engine = trt.Runtime(logger).deserialize_cuda_engine(built(logger, network))
    context = engine.create_execution_context()
    memory = ranks.device_memory.for_target()
    for name in engine:
        array = memory.DeviceArray(np.zeros(tuple(engine.get_tensor_shape(name)), np.float32))
        assert context.set_tensor_address(name, array.ptr)
    assert not context.execute_async_v3(memory.Stream().handle)
    assert "expected a communicator, got none" in "\n".join(logger.errors)


def onnx_model(count, causal, mask, past=False):
    elements = {np.bool_: TensorProto.BOOL, np.float32: TensorProto.FLOAT}
    infos = [
        helper.make_tensor_value_info(n, elements[mask if n == "mask" else np.float32], s)
        for n, s in shapes(count, mask).items()
    ]
    names = ["q", "k", "v", *(["mask"] if mask else [])]
    if past:
        names += ["", "k", "v"]
    node = helper.make_node("Attention", names, ["y"], is_causal=int(causal), nbRanks=count)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph([node], "split", infos, [y])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)])


@on_gpu
@pytest.mark.parametrize(("causal", "mask"), [(NONE, None), (UPPER, None), (UPPER, np.bool_)])
def test_onnx_nodes_with_ranks(logger, network, causal, mask):
    ranks.communicators(2)
    parser = trt.OnnxParser(network, logger)
    model: onnx.ModelProto = onnx_model(2, causal == UPPER, mask)
    assert parser.parse(model.SerializeToString()), logger.errors
    inputs = inputs_of(2, mask)
    check(logger, built(logger, network), inputs, expected(inputs, causal, SIZE**-0.5))


@pytest.mark.parametrize(
    ("count", "past", "message"),
    [
        (0, False, "attribute 'nbRanks': expected 1 to 64, got 0."),
        (2, True, "input 4: expected none for 2 ranks, got one."),
    ],
)
def test_onnx_nodes_that_are_refused(logger, network, count, past, message):
    parser = trt.OnnxParser(network, logger)
    assert not parser.parse(onnx_model(count, False, None, past).SerializeToString())
    assert message in parser.get_error(0).desc()


def test_a_number_above_1_stays(logger, network):
    attention = attention_of(network, 2)
    attention.num_ranks = 3
    assert "number of ranks: expected 2 ranks as before, got 3." in logger.errors[-1]
    network[0].num_ranks = 1
    assert "number of ranks: expected 2 ranks as before, got 1." in logger.errors[-1]
    assert attention.num_ranks == network[0].num_ranks == 2
    attention.num_ranks = 2
    assert len(logger.errors) == 2
    assert network[1].num_ranks == 1
    network[1].num_ranks = 2
    assert "number of ranks: not supported yet." in logger.errors[-1]


@pytest.mark.parametrize("count", [0, -1, 65])
def test_numbers_that_are_refused(logger, network, count):
    q, k, v = (network.add_input(name, trt.float32, (1, 1, 4, 8)) for name in "qkv")
    attention = network.add_attention_v2(q, k, v, SOFTMAX, NONE)
    attention.num_ranks = count
    assert f"expected 1 to 64 ranks, got {count}." in logger.errors[-1]
    assert attention.num_ranks == 1


def test_lengths_are_refused(logger, network):
    attention = attention_of(network, 2)
    attention.key_value_lengths = network.add_input("lengths", trt.int32, (BATCH,))
    assert built(logger, network) is None
    assert "without lengths for 2 ranks, got lengths." in "\n".join(logger.errors)


def test_packed_sequences_are_refused(logger, network):
    q, k, v = (network.add_input(name, trt.float32, (6, 2, 8)) for name in "qkv")
    attention = network.add_attention_v2(q, k, v, SOFTMAX, NONE)
    attention.query_form = attention.key_value_form = trt.AttentionIOForm.PACKED_NHD
    starts = network.add_input("starts", trt.int32, (3,))
    attention.query_lengths = attention.key_value_lengths = starts
    attention.num_ranks = 2
    network.mark_output(attention.get_output(0))
    assert built(logger, network) is None
    assert "without lengths for 2 ranks, got packed ones." in "\n".join(logger.errors)


def test_masks_are_for_the_keys_of_all_ranks(logger, network):
    attention = attention_of(network, 2)
    attention.mask = network.add_input("mask", trt.bool, (BATCH, 1, QUERIES, KEYS))
    assert built(logger, network) is None
    wanted = f"extents [{BATCH},{HEADS},{QUERIES},{2 * KEYS}] or 1"
    assert wanted in "\n".join(logger.errors)


def test_needs_gpus(logger, network):
    attention_of(network, 2)
    kiln.set_default_target("cpu")
    try:
        assert built(logger, network) is None
    finally:
        kiln.set_default_target(None)
    assert "expected the target cuda: NCCL connects GPUs" in "\n".join(logger.errors)
