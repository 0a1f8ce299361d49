# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Opening a plan: what it reads and opens, and what it leaves to the first run."""

import json
import os
import subprocess
import sys

import kiln
import numpy as np
import pytest
import tensorrt as trt
from numbered_choice import NumberedChoice

PROGRAM = """
import sys
import numpy as np
import kiln

def opened(name):
    return name in open("/proc/self/maps").read()

runtime = kiln.Runtime(kiln.Logger())
engine = kiln.open_engine(runtime, sys.argv[1])
if engine is None:
    sys.exit(3)
context = engine.create_execution_context()
print("before", opened("libkdnnl"))
x = np.ones((1, 64, 56, 56), np.float32)
y = np.empty((1, 64, 52, 52), np.float32)
context.set_tensor_address("x", x.ctypes.data)
context.set_tensor_address("y", y.ctypes.data)
assert context.execute_async_v3(0)
print("after", opened("libkdnnl"))
np.save(sys.argv[2], y)
"""


def built(logger, kernel, number):
    """A plan of a convolution with candidate `number`, so that no test depends on times; its
    tactics, and how many candidates there are."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (1, 64, 56, 56))
    y = network.add_convolution_nd(x, 64, kernel.shape[2:], kernel).get_output(0)
    y.name = "y"
    network.mark_output(y)
    config = builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    selector = NumberedChoice(number)
    config.algorithm_selector = selector
    plan = builder.build_serialized_network(network, config)
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    text = engine.create_engine_inspector().get_engine_information(trt.LayerInformationFormat.JSON)
    return plan, [layer["TacticName"] for layer in json.loads(text)["Layers"]], selector.most


@pytest.fixture
def convolution(logger, tmp_path):
    """The file of a plan with a convolution of oneDNN, and the sums of its kernels."""
    (library,) = kiln.describe_target("cpu")["libraries"]
    if "problem" in library:
        pytest.skip(library["problem"])
    # Windows of 3 x 3 have kernels of Kiln's own.
    kernel = np.random.default_rng(1).standard_normal((64, 64, 5, 5)).astype(np.float32)
    number, most, seen = 0, 1, []
    while number < most:
        plan, tactics, most = built(logger, kernel, number)
        if any("onednn" in tactic for tactic in tactics):
            break
        seen.append(tactics)
        number += 1
    else:
        pytest.fail(f"no candidate is of oneDNN: {seen}")
    path = tmp_path / "convolution.plan"
    path.write_bytes(plan)
    return path, kernel.sum((1, 2, 3))


def open_alone(path, result, **environment):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), str(result)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )


def test_libraries_wait_for_the_first_run(convolution, tmp_path):
    path, sums = convolution
    done = open_alone(path, tmp_path / "y.npy")
    assert done.stdout.split() == ["before", "False", "after", "True"], done.stderr
    expected = np.broadcast_to(sums[None, :, None, None], (1, 64, 52, 52))
    np.testing.assert_allclose(np.load(tmp_path / "y.npy"), expected, rtol=1e-4, atol=1e-4)


def test_a_missing_library_is_told_when_opening(convolution, tmp_path):
    done = open_alone(convolution[0], tmp_path / "y.npy", KILN_ONEDNN="/nowhere")
    assert done.returncode == 3
    assert "oneDNN is missing" in done.stderr + done.stdout


def test_a_damaged_library_is_told_when_running(convolution, tmp_path):
    for name in ("libkomp.so", "libkdnnl.so"):
        (tmp_path / name).write_bytes(b"no library")
    done = open_alone(convolution[0], tmp_path / "y.npy", KILN_ONEDNN=str(tmp_path))
    assert done.stdout.split()[:2] == ["before", "False"]
    assert "oneDNN cannot be opened" in done.stderr + done.stdout
