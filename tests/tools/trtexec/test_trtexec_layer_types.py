# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""--layerPrecisions, --layerOutputTypes, --layerDeviceTypes and --decomposableAttentions.

2049 and 4098 are no numbers of 16 bits: they tell in which type 2 * 2049 was computed.
"""

import json

import numpy as np
import pytest
from trtexec_models import FLOAT, save_model

from onnx import helper

X = np.array([2049, 1], np.float32)
OBEY = "--precisionConstraints=obey"


@pytest.fixture
def result_of(quick_run, tmp_path):
    """2 * x + 0 for options."""
    model = save_model(
        tmp_path / "double.onnx",
        [
            helper.make_node("Mul", ["x", "two"], ["h"], name="double"),
            helper.make_node("Add", ["h", "zero"], ["y"], name="last"),
        ],
        {"x": (FLOAT, [2])},
        {"y": (FLOAT, [2])},
        {"two": np.float32([2, 2]), "zero": np.float32([0, 0])},
    )
    source, target = tmp_path / "x.raw", tmp_path / "y.json"
    X.tofile(source)

    def result(*options):
        ran = quick_run(
            f"--onnx={model}", f"--loadInputs=x:{source}", f"--exportOutput={target}", *options
        )
        return json.loads(target.read_text())[0]["values"] if ran.code == 0 else ran

    return result


@pytest.mark.parametrize(
    ("options", "want"),
    [
        (["--fp16", OBEY, "--layerPrecisions=double:fp16,last:fp32"], [4096, 2]),
        (["--fp16", OBEY, "--layerPrecisions=*:fp16,double:fp32", "--layerOutputTypes=double:fp32"],
         [4096, 2]),  # the addition rounds
        (["--fp16", OBEY, "--layerPrecisions=*:fp32"], [4098, 2]),
        (["--fp16", OBEY, "--layerOutputTypes=double:fp16"], [4096, 2]),
        (["--bf16", "--precisionConstraints=prefer", "--layerPrecisions=double:bf16"], [4096, 2]),
        (["--precisionConstraints=prefer", "--layerPrecisions=double:fp16"], [4098, 2]),
        (["--layerDeviceTypes=double:GPU"], [4098, 2]),
        (["--layerDeviceTypes=double:DLA", "--allowGPUFallback"], [4098, 2]),
    ],
)  # fmt: skip
def test_types(result_of, options, want):
    assert result_of(*options) == want


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([OBEY, "--layerPrecisions=double:fp16"], "BuilderFlag FP16 is not set"),
        ([OBEY, "--layerPrecisions=mul:fp32"],
         "--layerPrecisions: the network has no layer 'mul'. --verbose lists the layers"),
        ([OBEY, "--layerOutputTypes=double:fp32+fp32"],
         "--layerOutputTypes: expected 1 or 1 types with '+' between them for layer 'double', got"),
        (["--decomposableAttentions=att"],
         "--decomposableAttentions: the network has no attention 'att'"),
    ],
)  # fmt: skip
def test_refusals(result_of, options, message):
    result_of(*options).failed(message)


def test_types_without_constraints(quick_run, result_of, tmp_path):
    ran = quick_run(f"--onnx={tmp_path / 'double.onnx'}", "--layerPrecisions=double:fp16").passed()
    assert "have no effect without --precisionConstraints=prefer or obey" in ran.out + ran.err
