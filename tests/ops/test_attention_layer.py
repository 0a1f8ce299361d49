# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention and mixtures of experts as objects: settings, boundaries, refusals, fused kernels."""

import json

import device_memory
import kiln
import numpy as np
import pytest
import tensorrt as trt
from case import Logger

SOFTMAX = trt.AttentionNormalizationOp.SOFTMAX


@pytest.fixture
def logger():
    return Logger()


@pytest.fixture
def builder(logger):
    return trt.Builder(logger)


@pytest.fixture
def network(builder):
    return builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))


def inputs(network, dtype=trt.float32, shape=(2, 4, 16, 8)):
    return [network.add_input(name, dtype, shape) for name in ("q", "k", "v")]


def test_settings_come_back(network):
    attention = network.add_attention(*inputs(network), SOFTMAX, True)
    assert attention.norm_op == SOFTMAX
    assert (attention.causal, attention.causal_kind) == (True, trt.CausalMaskKind.UPPER_LEFT)
    attention.causal_kind = trt.CausalMaskKind.LOWER_RIGHT
    assert attention.causal
    attention.causal = False
    assert attention.causal_kind == trt.CausalMaskKind.NONE
    assert (attention.num_inputs, attention.num_outputs) == (3, 1)
    assert attention.mask is None
    mask = network.add_input("mask", trt.bool, (1, 1, 16, 16))
    attention.mask = mask
    assert (attention.num_inputs, attention.mask.name) == (4, "mask")
    scale = network.add_input("scale", trt.float32, ())
    attention.normalization_quantize_scale = scale
    attention.normalization_quantize_to_type = trt.int8
    assert attention.normalization_quantize_scale.name == "scale"
    assert attention.normalization_quantize_to_type == trt.int8
    assert attention.get_input(4).name == "scale"
    assert attention.get_input(5) is None
    assert not attention.decomposable
    attention.decomposable = True
    assert attention.decomposable
    attention.name, attention.metadata = "heads", "a note"
    assert (attention.name, attention.metadata) == ("heads", "a note")
    assert attention.num_ranks == 1
    lengths = network.add_input("lengths", trt.int32, (2,))
    attention.query_lengths = attention.key_value_lengths = lengths
    assert attention.query_lengths.name == attention.key_value_lengths.name == "lengths"
    attention.query_lengths = None
    assert attention.query_lengths is None
    for name in ("query_form", "key_value_form"):
        assert getattr(attention, name) == trt.AttentionIOForm.PADDED_BHND
        setattr(attention, name, trt.AttentionIOForm.PACKED_NHD)
        assert getattr(attention, name) == trt.AttentionIOForm.PACKED_NHD
    assert attention.set_input(3, mask)
    assert not attention.set_input(9, mask)


def test_the_boundary_is_two_layers(network):
    attention = network.add_attention_v2(*inputs(network), SOFTMAX, trt.CausalMaskKind.NONE)
    attention.name = "heads"
    before, behind = network
    assert type(before) is trt.IAttentionInputLayer
    assert type(behind) is trt.IAttentionOutputLayer
    assert isinstance(before, trt.IAttentionBoundaryLayer)
    assert (before.type, behind.type) == (
        trt.LayerType.ATTENTION_INPUT, trt.LayerType.ATTENTION_OUTPUT,
    )  # fmt: skip
    assert (before.name, behind.name) == ("heads", "heads/output")
    assert before.attention.name == behind.attention.name == "heads"
    assert [before.get_input(i).name for i in range(3)] == ["q", "k", "v"]
    assert behind.get_output(0).name == attention.get_output(0).name
    assert attention.get_output(0).shape == (2, 4, 16, 8)


@pytest.mark.parametrize("causal", [trt.CausalMaskKind.NONE, trt.CausalMaskKind.LOWER_RIGHT])
def test_fused_kernels_are_considered(builder, network, causal):
    """The compiler finds the attention, and takes the whole or its parts, by measured times."""
    kiln.set_default_target("cpu")
    try:
        q, k, v = inputs(network, shape=(1, 8, 512, 64))
        scale = network.add_constant((1, 1, 1, 1), np.full(1, 0.125, np.float32)).get_output(0)
        q = network.add_elementwise(q, scale, trt.ElementWiseOperation.PROD).get_output(0)
        attention = network.add_attention_v2(q, k, v, SOFTMAX, causal)
        network.mark_output(attention.get_output(0))
        config = builder.create_builder_config()
        config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
        engine = builder.build_engine_with_config(network, config)
        text = engine.create_engine_inspector().get_engine_information(
            trt.LayerInformationFormat.JSON
        )
    finally:
        kiln.set_default_target(None)
    layers = json.loads(text)["Layers"]
    whole = [layer["LayerType"] for layer in layers] == ["Attention"]
    assert whole or "attention: expected at most" in text, text


def test_what_does_not_fit_is_refused(builder, network, logger):
    q, k, v = inputs(network)
    attention = network.add_attention_v2(q, k, v, SOFTMAX, trt.CausalMaskKind.NONE)
    attention.normalization_quantize_to_type = trt.int32
    assert "expected weights that are quantized to fp8 or int8, got int32" in logger.errors[-1]
    attention.mask = network.add_input("mask", trt.bool, (3, 4, 16, 16))
    network.mark_output(attention.get_output(0))
    assert builder.build_serialized_network(network, builder.create_builder_config()) is None
    assert "mask (input 3): expected bool or float32" in "\n".join(logger.errors)


def experts(network):
    x = network.add_input("x", trt.float32, (1, 3, 8))
    chosen = network.add_input("chosen", trt.int32, (1, 3, 2))
    scores = network.add_input("scores", trt.float32, (1, 3, 2))
    return network.add_moe(x, chosen, scores)


def weights(network):
    def of(*shape):
        return network.add_constant(shape, np.ones(shape, np.float32)).get_output(0)

    return of(4, 8, 16), of(4, 8, 16), of(4, 16, 8)


def test_settings_of_experts_come_back(network):
    moe = experts(network)
    assert moe.activation_type == trt.MoEActType.NONE
    swiglu = ("swiglu_param_limit", "swiglu_param_alpha", "swiglu_param_beta")
    assert [getattr(moe, name) for name in swiglu] == [np.inf, 1.0, 0.0]
    moe.set_swiglu_params(7.0, 1.5, 1.0)
    assert [getattr(moe, name) for name in swiglu] == [7.0, 1.5, 1.0]
    assert moe.get_output(0).shape == (1, 3, 8)
    moe.set_gated_weights(*weights(network), trt.MoEActType.SILU)
    assert (moe.num_inputs, moe.activation_type) == (6, trt.MoEActType.SILU)
    scale = network.add_input("scale", trt.float32, ())
    moe.set_quantization_dynamic_dbl_q(scale, trt.fp8, (1, 16), trt.float16)
    assert moe.quantization_to_type == trt.fp8
    assert tuple(moe.quantization_block_shape) == (1, 16)
    assert moe.dyn_q_output_scale_type == trt.float16
    assert moe.get_input(10).name == "scale"


def test_experts_that_cannot_be_built(builder, network, logger):
    moe = experts(network)
    network.mark_output(moe.get_output(0))
    assert builder.build_serialized_network(network, builder.create_builder_config()) is None
    assert "Set the gated weights" in "\n".join(logger.errors)


def test_weights_rounded_to_fp8(builder, network, logger):
    """Of two keys with equal scores: 1/2 is a number of FP8, a third of it is not."""
    x = np.zeros((1, 1, 1, 8), np.float32)
    query, key = (
        network.add_input(name, trt.float32, (1, 1, n, 8)) for name, n in (("q", 1), ("k", 3))
    )
    attention = network.add_attention_v2(query, key, key, SOFTMAX, trt.CausalMaskKind.NONE)
    scale = network.add_constant((), np.array(1.0, np.float32)).get_output(0)
    attention.normalization_quantize_scale = scale
    attention.normalization_quantize_to_type = trt.fp8
    output = attention.get_output(0)
    output.name = "y"
    network.mark_output(output)
    engine = builder.build_engine_with_config(network, builder.create_builder_config())
    assert engine is not None, logger.errors
    context = engine.create_execution_context()
    memory = device_memory.for_target()
    keys = np.arange(24, dtype=np.float32).reshape(1, 1, 3, 8)
    arrays = [memory.DeviceArray(value) for value in (x, keys, x)]
    for name, array in zip("qky", arrays, strict=True):
        assert context.set_tensor_address(name, array.ptr)
    stream = memory.Stream()
    assert context.execute_async_v3(stream.handle)
    stream.synchronize()
    # The number of FP8 next to 1/3: 1.375 / 4.
    np.testing.assert_allclose(arrays[2].numpy(), keys.sum(2, keepdims=True) * 0.34375, rtol=1e-6)
