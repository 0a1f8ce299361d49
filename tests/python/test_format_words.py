# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Words for formats, as public logs of the original show them.

Tools that draw an engine know the inspector's words exactly.
"""

import json

import pytest
import tensorrt as trt


def built(logger, dtype, layout, shape=(1, 8, 4, 4)):
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    x = network.add_input("x", dtype, shape)
    x.allowed_formats = 1 << int(layout)
    y = network.add_identity(x).get_output(0)
    y.name = "y"
    network.mark_output(y)
    config = builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors()
    return trt.Runtime(logger).deserialize_cuda_engine(plan)


@pytest.mark.parametrize(
    ("dtype", "layout", "words"),
    [
        (trt.float32, "LINEAR", "Row major linear FP32 format (kLINEAR)"),
        (trt.int64, "LINEAR", "Row major linear Int64 format (kLINEAR)"),
        (trt.bfloat16, "LINEAR", "Row major linear BF16 format (kLINEAR)"),
        (trt.float16, "CHW2", "Two wide channel vectorized row major FP16 format (kCHW2)"),
        (trt.int8, "CHW32", "Thirty-two wide channel vectorized row major Int8 format (kCHW32)"),
        (trt.float16, "HWC8", "Channel major FP16 format where channel % 8 == 0 (kHWC8)"),
    ],
)
def test_words(logger, dtype, layout, words):
    engine = built(logger, dtype, getattr(trt.TensorFormat, layout))
    assert engine.get_tensor_format_desc("x") == words
    assert engine.get_tensor_format_desc("x", 0) == words


def test_an_unknown_tensor_has_none(logger):
    engine = built(logger, trt.float32, trt.TensorFormat.LINEAR)
    assert engine.get_tensor_format_desc("z") == ""


@pytest.mark.parametrize(
    ("dtype", "layout", "words"),
    [
        (trt.float32, "LINEAR", "Row major linear FP32"),
        (trt.float16, "LINEAR", "Row major linear FP16 format"),
        (trt.int32, "LINEAR", "Row major linear Int32"),
        (trt.int8, "LINEAR", "Row major Int8 format"),
        (trt.bool, "LINEAR", "Row major linear BOOL"),
        (trt.int8, "CHW4", "Four wide channel vectorized row major Int8 format"),
        (trt.float16, "HWC8", "Channel major FP16 format where channel % 8 == 0"),
    ],
)
def test_the_inspector_says_them(logger, dtype, layout, words):
    engine = built(logger, dtype, getattr(trt.TensorFormat, layout))
    text = engine.create_engine_inspector().get_engine_information(trt.LayerInformationFormat.JSON)
    operands = [
        operand
        for layer in json.loads(text)["Layers"]
        for operand in layer["Inputs"] + layer["Outputs"]
        if operand["Name"] == "x"
    ]
    assert operands
    for operand in operands:
        assert operand["Format/Datatype"] == words
