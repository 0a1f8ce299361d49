# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""trtexec on the cuda target: on a GPU where there is one, else on the emulated one."""

import json
import os

import device_memory
import emulated_gpu
import numpy as np
import pytest
from trtexec_models import FLOAT, save_model

from onnx import helper


@pytest.fixture
def cuda_run(run):
    """Like run, with one measured run on the cuda target."""
    environment = {"KILN_TARGET": "cuda"}
    if not (device_memory.on_cuda() and not device_memory.available()):
        environment |= emulated_gpu.variables()

    def call(*arguments, **more):
        quick = ["--iterations=1", "--warmUp=0", "--duration=0"]
        return run(*arguments, *quick, **{**environment, **more})

    return call


@pytest.fixture
def model(tmp_path):
    nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Add", ["r", "x"], ["y"])]
    shape = {"x": (FLOAT, ["n", 5])}
    return save_model(tmp_path / "m.onnx", nodes, shape, {"y": (FLOAT, ["n", 5])})


@pytest.fixture
def x(tmp_path):
    values = np.linspace(-2, 2, 15, dtype=np.float32).reshape(3, 5)
    values.tofile(tmp_path / "x.bin")
    return values


def outputs(path):
    return {
        tensor["name"]: np.array(tensor["values"], np.float32)
        for tensor in json.loads(path.read_text())
    }


@pytest.mark.parametrize(("built_for", "default"), [("cpu", "cuda"), ("cuda", "cpu")])
def test_a_plan_says_where_it_runs(cuda_run, model, x, tmp_path, built_for, default):
    given = [f"--onnx={model}", "--shapes=x:3x5", "--saveEngine=m.plan", "--skipInference"]
    cuda_run(*given, KILN_TARGET=built_for).passed()
    given = ["--loadEngine=m.plan", "--shapes=x:3x5", "--loadInputs=x:x.bin"]
    result = cuda_run(*given, "--exportOutput=y.json", KILN_TARGET=default).passed()
    np.testing.assert_array_equal(outputs(tmp_path / "y.json")["y"], (np.maximum(x, 0) + x).ravel())
    assert f"Target: {built_for}" in result.out


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--noDataTransfers"],
        ["--useCudaGraph"],
        ["--useCudaGraph", "--infStreams=3", "--threads"],
        ["--infStreams=2", "--allocationStrategy=runtime"],
    ],
    ids=" ".join,
)
def test_results(cuda_run, model, x, tmp_path, options):
    given = [f"--onnx={model}", "--shapes=x:3x5", "--loadInputs=x:x.bin", "--exportOutput=y.json"]
    result = cuda_run(*given, *options, "--exportTimes=t.json").passed()
    np.testing.assert_array_equal(outputs(tmp_path / "y.json")["y"], (np.maximum(x, 0) + x).ravel())
    assert "Target: cuda" in result.out
    assert "has no effect" not in result.out
    (run_times,) = json.loads((tmp_path / "t.json").read_text())[:1]
    assert run_times["computeMs"] >= 0
    assert run_times["latencyMs"] >= run_times["computeMs"]


def test_a_saved_plan_and_its_debug_tensors(cuda_run, model, x, tmp_path):
    cuda_run(f"--onnx={model}", "--saveEngine=m.plan", "--shapes=x:3x5", "--markDebug=r").passed()
    given = ["--loadEngine=m.plan", "--shapes=x:3x5", "--loadInputs=x:x.bin"]
    cuda_run(*given, "--saveDebugTensors=r:r.bin", "--dumpProfile").passed()
    saved = np.fromfile(tmp_path / "r.bin", np.float32)
    np.testing.assert_array_equal(saved, np.maximum(x, 0).ravel())


def test_a_plan_for_a_gpu_needs_one(cuda_run, run, model):
    cuda_run(f"--onnx={model}", "--saveEngine=m.plan", "--skipInference").passed()
    nowhere = {"KILN_CUDA_DRIVER": os.devnull, "KILN_TARGET": "cpu"}
    run("--loadEngine=m.plan", **nowhere).failed("the NVIDIA driver was not opened")


def test_a_gpu_by_its_number(cuda_run, model):
    environment = {"CUDA_VISIBLE_DEVICES": "0"}
    given = [f"--onnx={model}", "--shapes=x:1x5"]
    cuda_run(*given, "--device=0", **environment).passed()
    cuda_run(*given, "--device=3", **environment).failed(
        "--device: expected 0 to 0, the GPUs of CUDA_VISIBLE_DEVICES=0, got 3"
    )


@pytest.fixture
def layers(tmp_path):
    """Three products of 64 x 64."""
    rng = np.random.default_rng(1)
    constants = {f"w{i}": rng.normal(0, 0.2, (64, 64)).astype(np.float32) for i in range(3)}
    names = ["x", "a", "b", "y"]
    nodes = [
        node
        for i in range(3)
        for node in (
            helper.make_node("MatMul", [names[i], f"w{i}"], [f"p{i}"]),
            helper.make_node("Tanh", [f"p{i}"], [names[i + 1]]),
        )
    ]
    shape = (FLOAT, [2, 64])
    return save_model(tmp_path / "layers.onnx", nodes, {"x": shape}, {"y": shape}, constants)


@pytest.mark.parametrize("graph", [[], ["--useCudaGraph"]])
def test_weight_streaming(cuda_run, layers, tmp_path, graph):
    given = [f"--onnx={layers}", "--stronglyTyped", "--allowWeightStreaming", *graph]
    results = []
    for budget in ("-2", "-1", "0", "20K", "50%"):
        more = [f"--weightStreamingBudget={budget}", "--exportOutput=y.json"]
        results.append((cuda_run(*given, *more).passed().out, outputs(tmp_path / "y.json")["y"]))
    for _, y in results[1:]:
        np.testing.assert_array_equal(y, results[0][1])
    texts = [text for text, _ in results]
    assert "Weight streaming" not in texts[0]
    assert "Weight streaming: 0.046875 of 0.046875 MiB of weights stay" in texts[1]
    assert "Weight streaming: 0 of 0.046875 MiB" in texts[2]
    assert "each context has 0.03125 MiB of scratch memory" in texts[2]
    assert "Weight streaming: 0.0195312 of 0.046875 MiB" in texts[3]
    assert "Weight streaming: 0.0234375 of 0.046875 MiB" in texts[4]
    cuda_run(f"--onnx={layers}", "--weightStreamingBudget=0").failed(
        "--weightStreamingBudget: the engine refused 0 bytes", "built with BuilderFlag"
    )


def test_hardware_compatibility(cuda_run, layers):
    given = [f"--onnx={layers}", "--saveEngine=m.plan", "--hardwareCompatibilityLevel=ampere+"]
    cuda_run(*given).passed()
    cuda_run("--loadEngine=m.plan").passed()
