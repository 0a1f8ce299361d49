# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention of com.microsoft for decoding, for blocks of keys and for batches without padding."""

import node_suite
import numpy as np
import onnxruntime
import pytest
from test_against_onnxruntime import MS, compare, model_of, real
from test_microsoft_operators import result_of

BATCH, HEADS, SIZE, PAST, LONGEST = 2, 2, 4, 3, 8
WIDTH = HEADS * SIZE


def int32(*values):
    return np.array(values, np.int32)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("full", [False, True])
def test_decoder_attention_in_a_shared_buffer(full, masked):
    caches = [real(BATCH, HEADS, LONGEST, SIZE) for _ in range(2)]
    mask = np.array([[0, 1, 1, 1], [1, 1, 1, 1]], np.int32) if masked else None
    bias = real(1, HEADS, 1, PAST + 1) if full else None
    inputs = [real(BATCH, 1, WIDTH) for _ in range(3)] + [mask, bias, *caches, int32(PAST)]
    inputs += [None, None, real(3 * WIDTH)] if full else []
    compare(
        "DecoderMaskedMultiHeadAttention",
        inputs,
        ["y", "key", "value"],
        num_heads=HEADS,
        past_present_share_buffer=1,
    )


@pytest.mark.parametrize("masked", [False, True])
def test_decoder_attention_to_an_encoder(masked):
    mask = np.array([[0, 1, 1, 1, 1], [1, 1, 1, 1, 0]], np.int32) if masked else None
    encoded = [real(BATCH, HEADS, 5, SIZE) for _ in range(2)]
    inputs = [real(BATCH, 1, WIDTH), *encoded, mask]
    compare("DecoderMaskedMultiHeadAttention", inputs, num_heads=HEADS)


def test_decoder_attention_with_joined_caches():
    """ONNX Runtime has it on GPUs alone; MultiHeadAttention is the same formula."""
    caches = [real(BATCH, HEADS, PAST, SIZE) for _ in range(2)]
    operands = [real(BATCH, 1, WIDTH) for _ in range(3)]
    names = ["y", "key", "value"]
    found = result_of(
        "DecoderMaskedMultiHeadAttention", [*operands, None, None, *caches], names, num_heads=HEADS
    )
    wanted = result_of(
        "MultiHeadAttention", [*operands, None, None, None, *caches], names, num_heads=HEADS
    )
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, 1e-5, 1e-5)


def test_decoder_self_attention():
    """One product for queries, keys and values, and one tensor for both caches."""
    x, weights, bias = real(BATCH, 1, 6), real(6, 3 * WIDTH), real(3 * WIDTH)
    past = real(2, BATCH, HEADS, LONGEST, SIZE)
    found = result_of(
        "DecoderMaskedSelfAttention",
        [x, weights, bias, None, past, None, int32(PAST)],
        ["y", "present"],
        num_heads=HEADS,
        past_present_share_buffer=1,
    )
    wanted = result_of(
        "DecoderMaskedMultiHeadAttention",
        [*np.split(x @ weights + bias, 3, 2), None, None, *past, int32(PAST)],
        ["y", "key", "value"],
        num_heads=HEADS,
        past_present_share_buffer=1,
    )
    np.testing.assert_allclose(found[0], wanted[0], 1e-4, 1e-4)
    np.testing.assert_allclose(found[1], np.stack(wanted[1:]), 1e-4, 1e-4)


def test_beams_are_refused():
    caches = [real(BATCH, HEADS, LONGEST, SIZE) for _ in range(2)]
    operands = [real(BATCH, 1, WIDTH) for _ in range(3)]
    with pytest.raises(node_suite.Refused, match="expected no beams"):
        result_of(
            "DecoderMaskedMultiHeadAttention",
            [*operands, None, None, *caches, int32(PAST), int32(2)],
            num_heads=HEADS,
            past_present_share_buffer=1,
        )


# Two layouts of three blocks: rows of the first see their own block, those of the second see all.
POINTERS = np.array([[0, 1, 2, 3], [0, 1, 3, 6]], np.int32)
COLUMNS = np.array([[0, 1, 2, -1, -1, -1], [0, 0, 1, 0, 1, 2]], np.int32)


SHARED = (5, 6, 7, 9, 10)  # inputs for all sequences


def sparse_inputs(steps, lengths, longest, packed, heads=4, size=16):
    operands = [real(2, steps, heads * size), real(2, steps, size), real(2, steps, size)]
    if packed:
        operands = [np.concatenate(operands, 2), None, None]
    caches = [real(2, 1, longest, size) for _ in range(2)]
    total = np.array(max(lengths), np.int32)
    caches += [POINTERS, COLUMNS, total, np.array(lengths, np.int32)]
    angles = real(longest, size // 2)
    return [*operands, *caches, np.cos(angles), np.sin(angles)]


def only(inputs, b):
    """The inputs for one sequence of the batch."""
    kept = [x if x is None or i in SHARED else x[b : b + 1] for i, x in enumerate(inputs)]
    kept[7] = kept[8].reshape(())
    return kept


def in_place(op, inputs, outputs, attributes):
    """The results of ONNX Runtime, whose kernel wants inputs 3 and 4 as outputs 1 and 2."""
    model = model_of(op, inputs, outputs, MS, attributes)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    binding = session.io_binding()
    copies = {f"x{i}": x.copy() for i, x in enumerate(inputs) if x is not None}
    values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(copy) for name, copy in copies.items()}
    for name, value in values.items():
        binding.bind_ortvalue_input(name, value)
    binding.bind_output(outputs[0])
    for name, cache in zip(outputs[1:], ["x3", "x4"], strict=True):
        binding.bind_ortvalue_output(name, values[cache])
    session.run_with_iobinding(binding)
    return [np.array(value.numpy()) for value in binding.get_outputs()]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("rotary", [0, 1])
@pytest.mark.parametrize(
    ("steps", "lengths"), [(40, (40, 40)), (1, (41, 18)), (1, (2, 1))], ids=str
)
def test_sparse_attention(steps, lengths, rotary, packed):
    inputs = sparse_inputs(steps, lengths, 48, packed)[: 11 if rotary else 9]
    attributes = {"num_heads": 4, "kv_num_heads": 1, "sparse_block_size": 16, "do_rotary": rotary}
    outputs = ["y", "key", "value"]
    wanted = in_place("SparseAttention", inputs, outputs, attributes)
    found = result_of("SparseAttention", inputs, outputs, **attributes)
    for b, length in enumerate(lengths):
        if length < max(lengths):  # its kernel gives weights to keys behind shorter sequences
            alone = only(inputs, b)
            wanted[0][b] = in_place("SparseAttention", alone, outputs, attributes)[0]
        np.testing.assert_allclose(found[0][b], wanted[0][b], 1e-4, 1e-4)
        for cache, other in zip(found[1:], wanted[1:], strict=True):
            np.testing.assert_allclose(cache[b, :, :length], other[b, :, :length], 1e-4, 1e-4)


COUNTS = int32(3, 5, 1)
LENGTH = 5
IS_TOKEN = np.arange(LENGTH) < COUNTS[:, None]
OFFSETS = np.concatenate([np.flatnonzero(IS_TOKEN), np.flatnonzero(~IS_TOKEN)]).astype(np.int32)
ENDS = np.concatenate([[0], np.cumsum(COUNTS)]).astype(np.int32)


def test_padding_is_removed_and_restored():
    x = real(3, LENGTH, 6)
    rows, offsets, ends, longest = result_of(
        "RemovePadding", [x, COUNTS], ["rows", "offsets", "ends", "longest"]
    )
    np.testing.assert_array_equal(rows, x[IS_TOKEN])
    np.testing.assert_array_equal(offsets, OFFSETS.reshape(3, LENGTH))
    np.testing.assert_array_equal(ends, ENDS)
    assert longest == [5]
    (back,) = result_of("RestorePadding", [rows, offsets])
    np.testing.assert_array_equal(back, np.where(IS_TOKEN[..., None], x, 0))


@pytest.mark.parametrize("biased", [False, True])
def test_packed_attention(biased):
    """The tokens of a padded batch, which Attention with lengths computes."""
    x, weights, bias = real(3, LENGTH, 6), real(6, 3 * WIDTH), real(3 * WIDTH)
    scores = [real(1, HEADS, LENGTH, LENGTH)] if biased else []
    offsets = OFFSETS.reshape(3, LENGTH)
    (found,) = result_of(
        "PackedAttention", [x[IS_TOKEN], weights, bias, offsets, ENDS, *scores], num_heads=HEADS
    )
    inputs = [x, weights, bias, COUNTS] + ([None, *scores] if biased else [])
    (wanted,) = result_of("Attention", inputs, num_heads=HEADS)
    np.testing.assert_allclose(found, wanted[IS_TOKEN], 1e-4, 1e-4)


@pytest.mark.parametrize("together", [False, True])
def test_packed_attention_of_many_heads(together):
    operands = [real(3, LENGTH, WIDTH) for _ in range(3)]
    bias = None if together else real(3 * WIDTH)
    offsets = OFFSETS.reshape(3, LENGTH)
    packed = [x[IS_TOKEN] for x in operands]
    if together:
        heads = [x.reshape(-1, HEADS, 1, SIZE) for x in packed]
        packed = [np.concatenate(heads, 2), None, None]
    (found,) = result_of(
        "PackedMultiHeadAttention", [*packed, bias, offsets, ENDS], num_heads=HEADS
    )
    (wanted,) = result_of("MultiHeadAttention", [*operands, bias, COUNTS], num_heads=HEADS)
    np.testing.assert_allclose(found, wanted[IS_TOKEN], 1e-4, 1e-4)
