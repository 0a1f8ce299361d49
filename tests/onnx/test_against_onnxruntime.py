# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators that have no node cases, or few: the results are those of ONNX Runtime."""

import node_suite
import numpy as np
import onnxruntime
import pytest

import onnx
from onnx import helper

MS = "com.microsoft"
NUMBERS = np.random.default_rng(7)


def real(*shape):
    return NUMBERS.standard_normal(shape).astype(np.float32)


def model_of(op, inputs, outputs, domain, attributes):
    """A model of one node; inputs of None are absent."""
    names = [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)]
    node = helper.make_node(op, names, outputs, domain=domain, **attributes)
    values = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
        for name, x in zip(names, inputs, strict=True)
        if x is not None
    ]
    results = [onnx.ValueInfoProto(name=name) for name in outputs if name]  # of any type
    graph = helper.make_graph([node], "graph", values, results)
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(MS, 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def compare(
    op, inputs, outputs=("y",), domain=MS, tolerance=1e-4, constants=False, step=0, **attributes
):
    """`constants`: all inputs but the first are initializers. `step`: what quantized results may
    differ by, where a quotient lies between two numbers."""
    model = model_of(op, inputs, list(outputs), domain, attributes)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    given = [x for x in inputs if x is not None]
    names = [value.name for value in model.graph.input]
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    expected = session.run(None, dict(zip(names, given, strict=True)))
    messages = node_suite.Messages()
    if constants:
        model, given = node_suite.with_constants(model, given)
    results = node_suite.run(model, given, messages)
    for result, wanted in zip(results, expected, strict=True):
        assert result.shape == wanted.shape
        np.testing.assert_allclose(
            result.astype(np.float64),
            wanted.astype(np.float64),
            rtol=tolerance,
            atol=max(tolerance, step),
        )


RECURRENT = {"RNN": 1, "GRU": 3, "LSTM": 4}


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("op", RECURRENT)
@pytest.mark.parametrize("full", [False, True], ids=["plain", "full"])
def test_recurrent(op, direction, full):
    """`full`: with biases, lengths, initial states, other activations and a clip."""
    steps, batch, width, hidden, gates = 5, 3, 4, 6, RECURRENT[op]
    n = 2 if direction == "bidirectional" else 1
    inputs = [
        real(steps, batch, width),
        real(n, gates * hidden, width) * 0.5,
        real(n, gates * hidden, hidden) * 0.5,
    ]
    attributes = {"hidden_size": hidden, "direction": direction}
    outputs = ["y", "h"] + (["c"] if op == "LSTM" else [])
    if full:
        inputs += [real(n, 2 * gates * hidden), np.array([5, 2, 3], np.int32)]
        inputs += [real(n, batch, hidden)]
        attributes["clip"] = 0.8
        if op == "LSTM":
            inputs += [real(n, batch, hidden), real(n, 3 * hidden)]
        if op == "GRU":
            attributes["linear_before_reset"] = 1
    compare(op, inputs, outputs, domain="", **attributes)


@pytest.mark.parametrize("op", ["Gelu", "QuickGelu", "BiasGelu", "FastGelu"])
def test_activations(op):
    inputs = [real(2, 3, 8)] + ([real(8)] if op in ("BiasGelu", "FastGelu") else [])
    compare(op, inputs)


def test_normalizations():
    x, skip, scale, bias = real(2, 3, 8), real(2, 3, 8), real(8), real(8)
    compare("SkipLayerNormalization", [x, skip, scale, bias, bias], ["y", "", "", "s"])
    compare("SkipSimplifiedLayerNormalization", [x, skip, scale], ["y", "", "", "s"])
    compare("SimplifiedLayerNormalization", [x, scale], domain="", axis=-1)


def test_embed_layer_normalization():
    ids = np.array([[1, 3, 0], [2, 2, 1]], np.int32)
    segments = np.array([[0, 0, 1], [0, 1, 1]], np.int32)
    mask = np.array([[1, 1, 1], [1, 1, 0]], np.int32)
    inputs = [ids, segments, real(5, 8), real(4, 8), real(2, 8), real(8), real(8), mask]
    compare("EmbedLayerNormalization", inputs, ["y", "m"])


@pytest.mark.parametrize("mask", [None, "lengths", "keys"])
@pytest.mark.parametrize("causal", [0, 1])
def test_attention(mask, causal):
    batch, length, width = 2, 5, 8
    masks = {
        None: None,
        "lengths": np.array([5, 3], np.int32),
        "keys": np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], np.int32),
    }
    inputs = [real(batch, length, width), real(width, 3 * width), real(3 * width), masks[mask]]
    compare("Attention", inputs, num_heads=2, unidirectional=causal)


@pytest.mark.parametrize("past", [False, True])
def test_multi_head_attention(past):
    batch, length, keys, width, heads = 2, 3, 5, 8, 2
    inputs = [real(batch, length, width), real(batch, keys, width), real(batch, keys, width)]
    inputs += [real(3 * width)]
    if past:
        inputs[1:3] = [real(batch, length, width), real(batch, length, width)]
        inputs += [None, None, real(batch, heads, 2, 4), real(batch, heads, 2, 4)]
    compare("MultiHeadAttention", inputs, ["y", "k", "v"] if past else ["y"], num_heads=heads)


@pytest.mark.parametrize("rotary", [0, 1])
def test_group_query_attention_of_one_step(rotary):
    batch, heads, own, size, past = 2, 4, 2, 16, 6
    angles = np.outer(np.arange(32), 1.0 / 10000 ** (np.arange(size // 2) / 8))
    caches = [np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)]
    inputs = [real(batch, 1, heads * size), real(batch, 1, own * size), real(batch, 1, own * size)]
    inputs += [real(batch, own, past, size), real(batch, own, past, size)]
    inputs += [np.full(batch, past, np.int32), np.array(past + 1, np.int32)]
    compare(
        "GroupQueryAttention",
        inputs + (caches if rotary else []),
        ["y", "k", "v"],
        num_heads=heads,
        kv_num_heads=own,
        do_rotary=rotary,
    )


def test_group_query_attention_of_a_prompt():
    batch, heads, own, size, length = 1, 4, 2, 16, 5
    inputs = [real(batch, length, heads * size), real(batch, length, own * size)]
    inputs += [real(batch, length, own * size), None, None]
    inputs += [np.full(batch, length - 1, np.int32), np.array(length, np.int32)]
    outputs = ["y", "k", "v"]
    compare("GroupQueryAttention", inputs, outputs, num_heads=heads, kv_num_heads=own)


def test_rotary_embedding():
    batch, length, heads, size = 2, 3, 2, 8
    angles = real(16, size // 2)
    positions = np.array([[0, 1, 2], [4, 5, 6]], np.int64)
    caches = [np.cos(angles), np.sin(angles)]
    for interleaved in (0, 1):
        x = real(batch, length, heads * size)
        compare("RotaryEmbedding", [x, positions, *caches], interleaved=interleaved)


def bytes_of(*shape):
    return NUMBERS.integers(0, 255, shape).astype(np.uint8)


SCALES = [np.float32(0.05), np.float32(0.03), np.float32(0.11)]


@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul"])
def test_quantized_elementwise(op):
    a, b = (np.array(s) for s in SCALES[:2])
    zero = np.array(120, np.uint8)
    inputs = [bytes_of(3, 8), a, zero, bytes_of(3, 8), b, zero, np.array(SCALES[2]), zero]
    compare(op, inputs, tolerance=1.01)  # halves may round to the other side


def test_integer_products_as_float():
    a, b = np.array(SCALES[0]), np.array(SCALES[1])
    inputs = [bytes_of(3, 8), bytes_of(8, 5), a, b, np.array(120, np.uint8)]
    compare("MatMulIntegerToFloat", [*inputs, np.array(7, np.uint8), real(5)])


@pytest.mark.parametrize(
    ("left", "right"), [((3, 8), (8,)), ((8,), (8, 5)), ((2, 3, 8), (8,)), ((8,), (2, 8, 5))]
)
def test_quantized_vectors(left, right):
    a, b = bytes_of(*left), bytes_of(*right)
    zeros = [np.array(120, np.uint8), np.array(7, np.uint8)]
    compare("MatMulInteger", [a, b, *zeros], domain="")
    scales = [np.array(s) for s in SCALES[:2]]
    wide = np.array(0.5, np.float32)
    inputs = [a, scales[0], zeros[0], b, scales[1], zeros[1], wide, zeros[0]]
    compare("QLinearMatMul", inputs, domain="", step=1)


@pytest.mark.parametrize("transposed", ["", "A", "B", "AB"])
def test_products_with_factors(transposed):
    a, b = real(2, 3, 5), real(2, 5, 4)
    flags = {f"trans{x}": 1 for x in transposed}
    a = a.swapaxes(1, 2).copy() if "A" in transposed else a
    b = b.swapaxes(1, 2).copy() if "B" in transposed else b
    compare("FusedMatMul", [a, b], alpha=0.5, **flags)
    compare("FusedMatMul", [a, b], alpha=1.0, **flags)
    gemm = {"alpha": 0.5, "beta": 2.0, "activation_alpha": 0.1, **flags}
    for activation in ("Relu", "LeakyRelu", "Sigmoid", "Tanh"):
        compare("FusedGemm", [a[0], b[0], real(4)], activation=activation, **gemm)


def test_products_with_moved_batches():
    a, b = real(3, 2, 5), real(2, 5, 4)
    compare("FusedMatMul", [a, b], transBatchA=1)


PACKED = {
    "plain": {},
    "zero points": {"zero": True},
    "real zero points": {"zero": "real"},
    "8 bits": {"bits": 8},
    "8 bits, zero points": {"bits": 8, "zero": True},
    "a short block": {"columns": 50},
    "a short block, zero points": {"columns": 50, "zero": True, "bias": True},
    "less than a block": {"columns": 5, "zero": True},
    "groups by index": {"index": True},
}


@pytest.mark.parametrize("name", PACKED)
@pytest.mark.parametrize("extents", [(), (3,), (2, 3)], ids=str)
def test_products_with_packed_integers(name, extents):
    case = {"bits": 4, "zero": False, "columns": 64, "index": False, "bias": False} | PACKED[name]
    rows, block, bits, columns = 6, 16, case["bits"], case["columns"]
    blocks = -(-columns // block)
    packed_blocks = (blocks * bits + 7) // 8
    zero = None
    if case["zero"]:
        zero = bytes_of(rows * packed_blocks)
        zero = real(rows * blocks) + 8 if case["zero"] == "real" else zero
    index = NUMBERS.permutation(np.repeat(np.arange(blocks), block))[:columns].astype(np.int32)
    inputs = [
        real(*extents, columns) if extents else real(1, columns),
        bytes_of(rows, blocks, block * bits // 8),
        real(rows * blocks) * 0.1,
        zero,
        index if case["index"] else None,
        real(rows) if case["bias"] else None,
    ]
    while inputs[-1] is None:
        inputs.pop()
    settings = {"K": columns, "N": rows, "bits": bits, "block_size": block}
    compare("MatMulNBits", inputs, constants=True, tolerance=2e-4, **settings)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_pooling_by_norms(p):
    x = real(2, 3, 9, 8)
    shape = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}
    compare("LpPool", [x], domain="", p=p, **shape)
    compare("GlobalLpPool", [x], domain="", p=p)


@pytest.mark.parametrize("onesided", [0, 1])
def test_short_time_fourier_transforms(onesided):
    window = np.hanning(16).astype(np.float32)
    length = np.array(16, np.int64)
    signal = real(2, 80, 1)
    inputs = [signal, np.array(8, np.int64), window, length]
    compare("STFT", inputs, domain="", constants=True, onesided=onesided)


@pytest.mark.parametrize("indices", [(), (3,), (2, 3)], ids=str)
@pytest.mark.parametrize("zero", [False, True], ids=["", "zero points"])
@pytest.mark.parametrize("bits", [4, 8])
def test_rows_of_packed_tables(bits, zero, indices):
    rows, columns, block = 9, 96, 32
    inputs = [
        bytes_of(rows, columns * bits // 8),
        NUMBERS.integers(0, rows, indices),
        real(rows, columns // block),
    ]
    if zero:
        inputs.append(bytes_of(rows, (columns // block * bits + 7) // 8))
    model = model_of("GatherBlockQuantized", inputs, ["y"], MS, {"block_size": block, "bits": bits})
    for value, x in list(zip(model.graph.input, inputs, strict=True)):
        if value.name in ("x0", "x3"):
            model.graph.initializer.append(onnx.numpy_helper.from_array(x, value.name))
            model.graph.input.remove(value)
    feeds = {"x1": inputs[1], "x2": inputs[2]}
    session = onnxruntime.InferenceSession(model.SerializeToString())
    (wanted,) = session.run(None, feeds)
    (result,) = node_suite.run(model, [*feeds.values()], node_suite.Messages())
    np.testing.assert_allclose(result, wanted, rtol=1e-6, atol=1e-6)
