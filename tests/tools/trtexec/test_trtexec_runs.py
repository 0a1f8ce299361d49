# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""trtexec builds, saves, loads and runs engines, and its files hold the right values."""

import json
import re
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest
from trtexec_models import ADDED, FLOAT, save_model

from onnx import TensorProto, helper

NUMBER = r"[\d.e+-]+"
STATISTICS = (
    rf"min = {NUMBER} ms, max = {NUMBER} ms, mean = {NUMBER} ms, median = {NUMBER} ms, "
    rf"percentile\(90%\) = {NUMBER} ms, percentile\(95%\) = {NUMBER} ms, "
    rf"percentile\(99%\) = {NUMBER} ms"
)


def read_outputs(path):
    """{name: array} of the file of --exportOutput."""
    arrays = {}
    for entry in json.loads(path.read_text()):
        shape = [int(extent) for extent in entry["dimensions"].split("x")]
        arrays[entry["name"]] = np.array(entry["values"]).reshape(shape)
    return arrays


def expected(x):
    return np.maximum(x + ADDED.astype(x.dtype), 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_build_save_load_run(quick_run, add_model, tmp_path, dtype):
    x = np.random.default_rng(1).standard_normal((3, 4)).astype(dtype)
    x.tofile(tmp_path / "x.bin")
    files = ["--loadInputs=x:x.bin", "--exportOutput=y.json"]
    shapes = ["--minShapes=x:1x4", "--optShapes=x:3x4", "--maxShapes=x:5x4"]
    built = quick_run(f"--onnx={add_model(dtype)}", "--saveEngine=m.plan", *shapes, *files)
    built.passed()
    assert built.err == ""
    assert "Using values loaded from x.bin for input x" in built.out
    assert "Engine built in " in built.out
    np.testing.assert_array_equal(read_outputs(tmp_path / "y.json")["y"].astype(dtype), expected(x))

    (tmp_path / "y.json").unlink()
    loaded = quick_run("--loadEngine=m.plan", "--shapes=x:3x4", *files).passed()
    assert "Engine loaded in " in loaded.out
    np.testing.assert_array_equal(read_outputs(tmp_path / "y.json")["y"].astype(dtype), expected(x))


@pytest.mark.parametrize("flag", ["--fp16", "--stronglyTyped"])
def test_precision_flags(quick_run, add_model, tmp_path, flag):
    x = np.array([[1, 2, -3, 4]], np.float32)
    x.tofile(tmp_path / "x.bin")
    quick_run(
        f"--onnx={add_model()}",
        flag,
        "--shapes=x:1x4",
        "--loadInputs=x:x.bin",
        "--exportOutput=y.json",
    ).passed()
    np.testing.assert_array_equal(read_outputs(tmp_path / "y.json")["y"], expected(x))


def test_integer_inputs(quick_run, tmp_path):
    model = save_model(
        tmp_path / "cast.onnx",
        [helper.make_node("Cast", ["x"], ["y"], to=FLOAT)],
        {"x": (TensorProto.INT32, [3])},
        {"y": (FLOAT, [3])},
    )
    np.array([-1, 0, 70000], np.int32).tofile(tmp_path / "x.bin")
    quick_run(f"--onnx={model}", "--loadInputs=x:x.bin", "--exportOutput=y.json").passed()
    assert read_outputs(tmp_path / "y.json")["y"].tolist() == [-1, 0, 70000]


def test_dump_output(quick_run, add_model, tmp_path):
    np.array([[1, 2, -3, 0]], np.float32).tofile(tmp_path / "x.bin")
    out = (
        quick_run(f"--onnx={add_model(rows=1)}", "--loadInputs=x:x.bin", "--dumpOutput")
        .passed()
        .out
    )
    assert re.search(r"Output Tensors:\n.*\[I\] y: \(1x4\)\n.*\[I\] 1.5 1 0 0.25\n", out)


def test_not_a_number_survives_the_export(quick_run, add_model, tmp_path):
    x = np.array([[np.inf, 1, 1, 1]], np.float32)
    x.tofile(tmp_path / "x.bin")
    quick_run(
        f"--onnx={add_model(rows=1)}", "--loadInputs=x:x.bin", "--exportOutput=y.json"
    ).passed()
    np.testing.assert_array_equal(read_outputs(tmp_path / "y.json")["y"], expected(x))


def test_random_inputs_are_the_same_each_time(quick_run, add_model, tmp_path):
    texts = []
    for _ in range(2):
        result = quick_run(f"--onnx={add_model(rows=2)}", "--exportOutput=y.json").passed()
        assert "Using random values for input x" in result.out
        texts.append((tmp_path / "y.json").read_text())
    assert texts[0] == texts[1]
    assert read_outputs(tmp_path / "y.json")["y"].std() > 0


def test_performance_summary(run, add_model):
    out = run(f"--onnx={add_model(rows=1)}", "--iterations=25", "--warmUp=1", "--duration=0")
    out = out.passed().out
    assert "Timing trace has 25 queries" in out
    assert "Average on 10 runs - GPU latency: " in out
    assert "=== Performance summary ===" in out
    assert re.search(rf"\[I\] Throughput: {NUMBER} qps", out)
    for name in ["Latency", "Enqueue Time", "H2D Latency", "GPU Compute Time", "D2H Latency"]:
        assert re.search(rf"\[I\] {name}: {STATISTICS}\n", out), name
    assert re.search(rf"\[I\] Total Host Walltime: {NUMBER} s", out)
    assert re.search(rf"\[I\] Total GPU Compute Time: {NUMBER} s", out)


def test_endless_runs_keep_no_times(program, add_model):
    """--duration=-1 runs until it is stopped, within the memory that it has after a moment."""
    command = [program, f"--onnx={add_model(rows=1)}", "--duration=-1", "--warmUp=0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            started = any("Starting inference" in line for line in process.stdout)
            assert started and process.poll() is None
            time.sleep(0.5)
            before = resident_mib(process.pid)
            time.sleep(1.5)
            assert process.poll() is None
            assert resident_mib(process.pid) < before + 16
        finally:
            process.kill()


def resident_mib(pid):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1]) / 1024


def test_duration_is_a_least(run, add_model):
    out = run(f"--onnx={add_model(rows=1)}", "--iterations=1", "--warmUp=0", "--duration=0.3")
    wall = re.search(rf"Total Host Walltime: ({NUMBER}) s", out.passed().out)
    assert 0.3 <= float(wall.group(1)) < 2


def test_export_times(run, add_model, tmp_path):
    run(
        f"--onnx={add_model(rows=1)}",
        "--iterations=3",
        "--warmUp=0",
        "--duration=0",
        "--exportTimes=t.json",
    ).passed()
    times = json.loads((tmp_path / "t.json").read_text())
    assert len(times) == 3
    assert all(t["endComputeMs"] >= t["startComputeMs"] for t in times)


def test_skip_inference(run, add_model, tmp_path):
    result = run(f"--onnx={add_model(rows=1)}", "--saveEngine=m.plan", "--skipInference").passed()
    assert (tmp_path / "m.plan").stat().st_size > 0
    assert "Performance summary" not in result.out


def test_missing_shapes_become_ones(quick_run, add_model):
    result = quick_run(f"--onnx={add_model()}").passed()
    assert "Dynamic dimensions required for input: x, but no shapes were provided" in result.err
    assert "Automatically overriding shape to: 1x4" in result.err


def test_a_loaded_plan_runs_at_its_optimum(quick_run, add_model):
    shapes = ["--minShapes=x:1x4", "--optShapes=x:2x4", "--maxShapes=x:5x4"]
    quick_run(f"--onnx={add_model()}", "--saveEngine=m.plan", "--skipInference", *shapes).passed()
    result = quick_run("--loadEngine=m.plan").passed()
    assert "Shape missing for input with dynamic shape: x." in result.err
    assert "Automatically setting shape to: 2x4" in result.err
    assert "Output binding for y with dimensions 2x4 is created." in result.out


def test_shapes_outside_of_the_profile(quick_run, add_model):
    shapes = ["--minShapes=x:1x4", "--maxShapes=x:5x4"]
    quick_run(f"--onnx={add_model()}", *shapes, "--shapes=x:6x4").failed(
        "input 'x': the engine refused the shape 6x4"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--shapes=x:2x5"], "input 'x': expected a shape that fits -1x4 (-1: any), got 2x5"),
        (["--shapes=x:4"], "input 'x': expected a shape that fits -1x4 (-1: any), got 4"),
        (["--shapes=z:1x4"], "expected names of inputs (x), got 'z'"),
        (
            ["--shapes=x:1x4", "--loadInputs=z:x.bin"],
            "--loadInputs: expected names of inputs (x), got 'z'",
        ),
        (
            ["--shapes=x:1x4", "--loadInputs=x:x.bin"],
            "--loadInputs, tensor 'x' (1x4 of FLOAT): expected 16 bytes, got 12 in 'x.bin'",
        ),
        (["--shapes=x:1x4", "--loadInputs=x:no.bin"], "cannot open 'no.bin': No such file"),
        (["--shapes=x:1x4", "--saveEngine=no/m.plan"], "to 'no/m.plan': No such file"),
        (["--shapes=x:1x4", "--exportOutput=no/y.json"], "to 'no/y.json': No such file"),
    ],
)
def test_refusals(quick_run, add_model, tmp_path, arguments, message):
    np.zeros(3, np.float32).tofile(tmp_path / "x.bin")
    quick_run(f"--onnx={add_model()}", *arguments).failed(message)


def test_verbose_logs_more(quick_run, add_model):
    quiet = quick_run(f"--onnx={add_model(rows=1)}").passed().out
    loud = quick_run(f"--onnx={add_model(rows=1)}", "--verbose").passed().out
    assert "[V]" not in quiet
    assert "[V] === Explanations of the performance metrics ===" in loud
