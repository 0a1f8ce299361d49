# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Shape inputs, and outputs of data-dependent shapes."""

import json
import subprocess
import sys

import kiln
import numpy as np
import pytest
from trtexec_models import FLOAT, save_model

from onnx import TensorProto, helper

POSITIVE = '''
import ctypes

import numpy as np
import tensorrt as trt


def view(address, shape, kind):
    count = int(np.prod(shape))
    buffer = (ctypes.c_char * (count * np.dtype(kind).itemsize)).from_address(address)
    return np.frombuffer(buffer, kind).reshape(shape)


class Positive(trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime):
    """The values above zero of a vector, and how many they are."""

    def __init__(self):
        trt.IPluginV3.__init__(self)
        trt.IPluginV3OneCore.__init__(self)
        trt.IPluginV3OneBuild.__init__(self)
        trt.IPluginV3OneRuntime.__init__(self)
        self.plugin_name = "Positive"
        self.plugin_version = "1"
        self.plugin_namespace = ""
        self.num_outputs = 2

    def get_capability_interface(self, type):
        return self

    def get_output_data_types(self, input_types):
        return [trt.float32, trt.int64]

    def get_output_shapes(self, inputs, shape_inputs, exprs):
        most = inputs[0][0]
        half = exprs.operation(trt.DimensionOperation.CEIL_DIV, most, exprs.constant(2))
        values = trt.DimsExprs(1)
        values[0] = exprs.declare_size_tensor(1, half, most)
        return [values, trt.DimsExprs(0)]

    def supports_format_combination(self, pos, in_out, num_inputs):
        kind = trt.int64 if pos == 2 else trt.float32
        return in_out[pos].desc.type == kind and in_out[pos].desc.format == trt.TensorFormat.LINEAR

    def configure_plugin(self, inputs, outputs):
        pass

    def on_shape_change(self, inputs, outputs):
        pass

    def set_tactic(self, tactic):
        pass

    def get_fields_to_serialize(self):
        return trt.PluginFieldCollection([])

    def attach_to_context(self, context):
        return self.clone()

    def clone(self):
        return Positive()

    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        x = view(inputs[0], tuple(input_desc[0].dims), np.float32)
        found = x[x > 0]
        view(outputs[0], found.shape, np.float32)[...] = found
        view(outputs[1], (1,), np.int64)[0] = found.size


class PositiveCreator(trt.IPluginCreatorV3One):
    def __init__(self):
        super().__init__()
        self.name = "Positive"
        self.plugin_version = "1"
        self.plugin_namespace = ""
        self.field_names = trt.PluginFieldCollection([])

    def create_plugin(self, name, fields, phase):
        return Positive()
'''


@pytest.fixture
def reshape_model(tmp_path):
    """y = reshape(x, s), where s is an input."""
    return save_model(
        tmp_path / "reshape.onnx",
        [helper.make_node("Reshape", ["x", "s"], ["y"])],
        {"x": (FLOAT, ["N", 6]), "s": (TensorProto.INT64, [2])},
        {"y": (FLOAT, ["A", "B"])},
    )


SHAPES = [
    "--minShapes=x:1x6,s:1x1",
    "--optShapes=x:2x6,s:4x3",
    "--maxShapes=x:4x6,s:24x24",
]


def exported(folder):
    (y,) = json.loads((folder / "y.json").read_text())
    return y["dimensions"], y["values"]


def test_values_of_shape_inputs(quick_run, reshape_model, tmp_path):
    x = np.arange(12, dtype=np.float32)
    x.tofile(tmp_path / "x.bin")
    files = ["--loadInputs=x:x.bin", "--exportOutput=y.json"]
    quick_run(f"--onnx={reshape_model}", *SHAPES, "--saveEngine=m.plan", *files).passed()
    assert exported(tmp_path) == ("4x3", x.tolist())
    quick_run("--loadEngine=m.plan", "--shapes=x:2x6,s:6x2", *files).passed()
    assert exported(tmp_path) == ("6x2", x.tolist())
    np.array([3, 4], np.int64).tofile(tmp_path / "s.bin")
    quick_run(
        "--loadEngine=m.plan",
        "--shapes=x:2x6",
        "--loadInputs=x:x.bin,s:s.bin",
        "--exportOutput=y.json",
    ).passed()
    assert exported(tmp_path) == ("3x4", x.tolist())


def test_a_wrong_number_of_values(quick_run, reshape_model):
    quick_run(f"--onnx={reshape_model}", *SHAPES, "--saveEngine=m.plan").passed()
    quick_run("--loadEngine=m.plan", "--shapes=x:2x6,s:12").failed(
        "input 's' holds shapes: expected 2 values in --shapes, got 1"
    )


@pytest.mark.parametrize("values", [[1, -2, 3, -4, 5], [-1] * 5, [1, 2, 3, 4, 5]])
def test_data_decide_the_shape(quick_run, tmp_path, values):
    (tmp_path / "positive.py").write_text(POSITIVE)
    model = save_model(
        tmp_path / "positive.onnx",
        [helper.make_node("Positive", ["x"], ["y", "n"], plugin_version="1", plugin_namespace="")],
        {"x": (FLOAT, [5])},
        {"y": (FLOAT, ["K"])},
    )
    np.array(values, np.float32).tofile(tmp_path / "x.bin")
    quick_run(
        f"--onnx={model}",
        "--plugins=positive.py",
        "--loadInputs=x:x.bin",
        "--exportOutput=y.json",
    ).passed()
    above = [value for value in values if value > 0]
    assert exported(tmp_path) == (str(len(above)), above)


def test_plans_tell_the_values(quick_run, reshape_model, tmp_path):
    quick_run(f"--onnx={reshape_model}", *SHAPES, "--saveEngine=m.plan").passed()
    inputs = {entry["name"]: entry for entry in kiln.describe_plan(tmp_path / "m.plan")["inputs"]}
    assert inputs["s"]["profiles"] == [
        {"values": True, "min": [1, 1], "opt": [4, 3], "max": [24, 24]}
    ]
    shown = subprocess.run(
        [sys.executable, "-m", "kiln", "inspect", tmp_path / "m.plan"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert "values 1x1..4x3..24x24" in shown
