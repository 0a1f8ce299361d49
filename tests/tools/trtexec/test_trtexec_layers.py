# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What trtexec reports about layers: times, engine information, values between them."""

import json

import numpy as np
import pytest
from trtexec_models import ADDED

LAYERS = 2  # of the model of add_model, at most: kernels may be fused


@pytest.mark.parametrize("separate", [[], ["--separateProfileRun"]])
def test_times_of_layers(run, add_model, tmp_path, separate):
    result = run(
        f"--onnx={add_model(rows=1)}",
        "--iterations=7",
        "--warmUp=1",
        "--duration=0",
        "--dumpProfile",
        "--exportProfile=p.json",
        *separate,
    ).passed()
    count, *layers = json.loads((tmp_path / "p.json").read_text())
    assert count == {"count": 7}
    assert 1 <= len(layers) <= LAYERS
    for layer in layers:
        assert list(layer) == ["name", "timeMs", "averageMs", "medianMs", "percentage"]
        assert layer["timeMs"] == pytest.approx(7 * layer["averageMs"])
    assert sum(layer["percentage"] for layer in layers) == pytest.approx(100)
    assert "=== Profile (7 iterations) ===" in result.out
    for layer in layers:
        assert any(line.endswith("   " + layer["name"]) for line in result.out.splitlines())
    assert ("Running once more for the times of layers" in result.out) == bool(separate)


def test_layer_information(quick_run, add_model, tmp_path):
    result = quick_run(
        f"--onnx={add_model(rows=1)}",
        "--profilingVerbosity=detailed",
        "--dumpLayerInfo",
        "--exportLayerInfo=l.json",
        "--skipInference",
    ).passed()
    information = json.loads((tmp_path / "l.json").read_text())
    assert 1 <= len(information["Layers"]) <= LAYERS
    assert information["Bindings"] == ["x", "y"]
    assert "Layer Information:" in result.out
    assert "Performance summary" not in result.out


def test_unfused_tensors(quick_run, add_model, tmp_path):
    """The layers become one, so only its result is left."""
    x = np.array([[1, 2, -3, 4]], np.float32)
    x.tofile(tmp_path / "x.bin")
    quick_run(
        f"--onnx={add_model(rows=1)}",
        "--markUnfusedTensorsAsDebugTensors",
        "--saveAllDebugTensors=numpy",
        "--loadInputs=x:x.bin",
    ).passed()
    expected = np.maximum((x + ADDED).astype(np.float32), 0)
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), expected)
    assert not (tmp_path / "s.npy").exists()


def test_debug_tensors(quick_run, add_model, tmp_path):
    x = np.array([[1, 2, -3, 4]], np.float32)
    x.tofile(tmp_path / "x.bin")
    result = quick_run(
        f"--onnx={add_model(rows=1)}",
        "--markDebug=s",
        "--saveDebugTensors=s:s.bin",
        "--saveAllDebugTensors=numpy,raw,string,summary",
        "--loadInputs=x:x.bin",
    ).passed()
    expected = (x + ADDED).astype(np.float32)
    np.testing.assert_array_equal(np.fromfile(tmp_path / "s.bin", np.float32), expected[0])
    np.testing.assert_array_equal(np.fromfile(tmp_path / "s.raw", np.float32), expected[0])
    np.testing.assert_array_equal(np.load(tmp_path / "s.npy"), expected)
    assert (tmp_path / "s.string").read_text().split() == ["1.5", "1", "-1", "4.25"]
    assert (tmp_path / "s.summary").read_text() == (
        "shape 1x4, type FLOAT, count 4, min -1, max 4.25, mean 1.4375\n"
    )
    assert "Debug tensor s (1x4 of FLOAT) saved to s.bin" in result.out


def test_debug_tensors_must_exist(quick_run, add_model):
    model = f"--onnx={add_model(rows=1)}"
    quick_run(model, "--markDebug=nothing").failed(
        "--markDebug: the network has no tensor 'nothing'"
    )
    quick_run(model, "--saveDebugTensors=s:s.bin").failed(
        "--saveDebugTensors: 's' is not a debug tensor of this engine. Build it with --markDebug=s"
    )
    result = quick_run(model, "--saveAllDebugTensors=raw").passed()
    assert "No debug tensor was saved: the engine was built without --markDebug" in result.err
