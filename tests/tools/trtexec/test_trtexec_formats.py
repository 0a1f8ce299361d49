# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Types and formats of inputs and outputs, as --inputIOFormats and --outputIOFormats set them."""

import json

import kiln
import numpy as np
import pytest
from trtexec_models import ADDED, FLOAT, save_model

from onnx import helper


def test_types_of_inputs_and_outputs(quick_run, add_model, tmp_path):
    x = np.array([[1, 2, -3, 4]], np.float16)
    x.tofile(tmp_path / "x.bin")
    quick_run(
        f"--onnx={add_model(rows=1)}",
        "--fp16",
        "--inputIOFormats=fp16:chw",
        "--outputIOFormats=fp16:chw+hwc8",
        "--loadInputs=x:x.bin",
        "--exportOutput=y.json",
        "--saveEngine=m.plan",
    ).passed()
    values = json.loads((tmp_path / "y.json").read_text())[0]["values"]
    np.testing.assert_array_equal([values], np.maximum(x + ADDED, 0))
    plan = kiln.describe_plan(tmp_path / "m.plan")
    assert [tensor["type"] for tensor in plan["inputs"] + plan["outputs"]] == ["float16"] * 2


def test_one_spec_or_one_for_each(quick_run, add_model):
    quick_run(f"--onnx={add_model(rows=1)}", "--inputIOFormats=fp32:chw,fp32:chw").failed(
        "--inputIOFormats: expected 1 or 1 of TYPE:FORMAT, got 2"
    )


def test_refused_formats_name_the_tensor(quick_run, add_model):
    quick_run(f"--onnx={add_model(rows=1)}", "--inputIOFormats=fp32:hwc8").failed("tensor 'x'")


@pytest.mark.parametrize("name", ["chw4", "hwc8", "hwc"])
def test_vectorised_inputs_and_outputs(quick_run, tmp_path, name):
    shape = [1, 3, 2, 2]
    model = save_model(
        tmp_path / "relu.onnx",
        [helper.make_node("Relu", ["x"], ["y"])],
        {"x": (FLOAT, shape)},
        {"y": (FLOAT, shape)},
    )
    x = np.arange(-6, 6, dtype=np.float32).reshape(shape)
    x.tofile(tmp_path / "x.bin")
    quick_run(
        f"--onnx={model}",
        f"--inputIOFormats=fp32:{name}",
        f"--outputIOFormats=fp32:{name}",
        "--loadInputs=x:x.bin",
        "--exportOutput=y.json",
        "--dumpRawBindingsToFile",
    ).passed()
    values = json.loads((tmp_path / "y.json").read_text())[0]["values"]
    np.testing.assert_array_equal(np.reshape(values, shape), np.maximum(x, 0))
    raw = np.fromfile(tmp_path / "y.1x3x2x2.FLOAT.raw", np.float32)
    width = {"chw4": 4, "hwc8": 8, "hwc": 3}[name]
    last = np.moveaxis(np.maximum(x, 0), 1, -1)  # one vector holds all channels here
    np.testing.assert_array_equal(raw.reshape(1, 2, 2, width)[..., :3], last)
