# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""How trtexec runs engines: profiles, several contexts, waiting times, plan files."""

import json
import re

import numpy as np
import pytest
from trtexec_models import ADDED

NUMBER = r"[\d.e+-]+"


def value_of(result, name):
    return float(re.search(rf"{re.escape(name)}: ({NUMBER})", result.out).group(1))


def mean_of(result, name):
    return float(re.search(rf"{re.escape(name)}: .*mean = ({NUMBER}) ms", result.out).group(1))


def test_notes_say_what_has_no_effect(quick_run, add_model):
    result = quick_run(f"--onnx={add_model(rows=1)}", "--useCudaGraph", "--exposeDMA").passed()
    assert "Note: --useCudaGraph has no effect on the cpu target: a run is a flat" in result.out
    assert "Note: --exposeDMA has no effect: copies and runs of a stream take" in result.out


PROFILES = [
    "--minShapes=x:1x4",
    "--maxShapes=x:2x4",
    "--profile=1",
    "--minShapes=x:5x4",
    "--optShapes=x:6x4",
    "--maxShapes=x:8x4",
]


def test_profiles(quick_run, add_model):
    built = quick_run(
        f"--onnx={add_model()}", *PROFILES, "--useProfile=1", "--saveEngine=m.plan"
    ).passed()
    assert "Input build shape (profile 0): x=1x4+2x4+2x4" in built.out
    assert "Input build shape (profile 1): x=5x4+6x4+8x4" in built.out
    assert "Input binding for x with dimensions 6x4 is created." in built.out
    loaded = quick_run("--loadEngine=m.plan", "--useProfile=1", "--dumpOptimizationProfile")
    assert "Automatically setting shape to: 6x4" in loaded.passed().err
    assert "Profile 0, input x: min 1x4, opt 2x4, max 2x4" in loaded.out
    assert "Profile 1, input x: min 5x4, opt 6x4, max 8x4" in loaded.out
    quick_run("--loadEngine=m.plan", "--shapes=x:6x4").failed("the engine refused the shape 6x4")
    quick_run("--loadEngine=m.plan", "--useProfile=2").failed(
        "--useProfile: the engine refused profile 2 (it has 2)"
    )


@pytest.mark.parametrize("threads", [[], ["--threads"]])
def test_several_contexts(run, add_model, tmp_path, threads):
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    x.tofile(tmp_path / "x.bin")
    result = run(
        f"--onnx={add_model(rows=2)}",
        "--infStreams=3",
        *threads,
        "--iterations=20",
        "--warmUp=1",
        "--duration=0",
        "--loadInputs=x:x.bin",
        "--exportOutput=y.json",
        "--exportTimes=t.json",
    ).passed()
    assert "Created 3 execution contexts" in result.out
    assert "Timing trace has 60 queries" in result.out
    times = json.loads((tmp_path / "t.json").read_text())
    begins = [entry["startComputeMs"] for entry in times]
    assert len(begins) == 60
    assert begins == sorted(begins)
    values = json.loads((tmp_path / "y.json").read_text())[0]["values"]
    np.testing.assert_allclose(np.reshape(values, (2, 4)), np.maximum(x + ADDED, 0))


def test_times_have_their_shape(run, add_model, tmp_path):
    run(
        f"--onnx={add_model(rows=1)}",
        "--iterations=2",
        "--warmUp=0",
        "--duration=0",
        "--exportTimes=t.json",
    ).passed()
    for entry in json.loads((tmp_path / "t.json").read_text()):
        assert list(entry) == [
            "startEnqMs",
            "endEnqMs",
            "startH2dMs",
            "endH2dMs",
            "startComputeMs",
            "endComputeMs",
            "startD2hMs",
            "endD2hMs",
            "h2dMs",
            "computeMs",
            "d2hMs",
            "latencyMs",
            "endToEndMs",
        ]
        assert entry["latencyMs"] == pytest.approx(entry["endComputeMs"] - entry["startComputeMs"])


def test_sleep_counts_and_idling_does_not(run, add_model):
    options = [f"--onnx={add_model(rows=1)}", "--iterations=5", "--warmUp=0", "--duration=0"]
    assert mean_of(run(*options, "--sleepTime=5").passed(), "Latency") >= 5
    idle = run(*options, "--idleTime=5").passed()
    assert mean_of(idle, "Latency") < 5
    assert value_of(idle, "Total Host Walltime") >= 0.02


def test_average_runs_and_percentiles(run, add_model):
    result = run(
        f"--onnx={add_model(rows=1)}",
        "--iterations=6",
        "--warmUp=0",
        "--duration=0",
        "--avgRuns=3",
        "--percentile=50,99.5",
    ).passed()
    assert result.out.count("Average on 3 runs - GPU latency: ") == 2
    assert "percentile(50%) = " in result.out
    assert "percentile(99.5%) = " in result.out


def test_opening_is_timed(quick_run, add_model):
    quick_run(f"--onnx={add_model(rows=1)}", "--saveEngine=m.plan", "--timeDeserialize").passed()
    result = quick_run("--loadEngine=m.plan", "--timeDeserialize").passed()
    assert re.search(rf"Engine deserialized 10 times, {NUMBER} ms each", result.out)


@pytest.mark.parametrize("strategy", ["static", "profile", "runtime"])
def test_allocation_strategies(quick_run, add_model, strategy):
    quick_run(f"--onnx={add_model(rows=1)}", f"--allocationStrategy={strategy}").passed()


def test_raw_bindings(quick_run, add_model, tmp_path):
    x = np.array([[1, 2, -3, 0]], np.float32)
    x.tofile(tmp_path / "x.bin")
    result = quick_run(
        f"--onnx={add_model(rows=1)}", "--loadInputs=x:x.bin", "--dumpRawBindingsToFile"
    ).passed()
    assert "Values of y saved to y.1x4.FLOAT.raw" in result.out
    assert (np.fromfile(tmp_path / "x.1x4.FLOAT.raw", np.float32) == x).all()
    y = np.fromfile(tmp_path / "y.1x4.FLOAT.raw", np.float32)
    np.testing.assert_array_equal(y, np.maximum(x + ADDED, 0).reshape(-1))


def test_plan_version(run, add_model, tmp_path):
    run(f"--onnx={add_model(rows=1)}", "--saveEngine=m.plan", "--skipInference").passed()
    result = run("--loadEngine=m.plan", "--getPlanVersionOnly").passed()
    assert re.search(r"Plan version: Kiln \d+\.\d+\.\d+\n", result.out)
    assert "=== Device Information ===" not in result.out
    (tmp_path / "text.plan").write_text("no plan")
    run("--loadEngine=text.plan", "--getPlanVersionOnly").failed(
        "the plan 'text.plan' does not tell its version: [plan] header: expected the magic number"
    )


def test_tuning_options_reach_the_builder(quick_run, add_model):
    result = quick_run(
        f"--onnx={add_model(rows=1)}",
        "--builderOptimizationLevel=5",
        "--avgTiming=2",
        "--maxTactics=3",
        "--memPoolSize=workspace:64",
        "--profilingVerbosity=detailed",
        "--noTF32",
        "--noBuilderCache",
        "--useRuntime=full",
    ).passed()
    assert "Builder optimization level: 5" in result.out
    assert "Memory Pools: workspace: 64 MiB" in result.out
    assert result.err == ""


def test_nvtx_modes(quick_run, add_model):
    given = [f"--onnx={add_model(rows=1)}", "--saveEngine=m.plan"]
    for mode in ("default", "verbose", "none"):
        quick_run(*given, f"--nvtxMode={mode}").passed()
    quick_run(*given, "--nvtxMode=all").failed("expected one of default, verbose, none")
    quick_run(*given).passed()
    quick_run("--loadEngine=m.plan", "--nvtxMode=verbose").failed("--nvtxMode: the engine refused")
