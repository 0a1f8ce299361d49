# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Matrix products by cuBLASLt and convolutions by cuDNN, through the network API.

Rows skip if a library is missing. test_emulated.py runs them on emulated libraries.
"""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import device_memory
import kiln
import numpy as np
import pytest
import tensorrt as trt

pytestmark = pytest.mark.skipif(not device_memory.on_cuda(), reason="KILN_TARGET is not cuda")
TYPES = {np.float32: trt.float32, np.float16: trt.float16}
# float32: sums of 512 products of magnitude 1, each rounded; TF32 would be off by 5e-4 * sqrt(512).
# float16: one rounding of a result of magnitude 60.
TOLERANCE = {np.float32: (5e-5, 2e-6), np.float16: (3e-3, 1e-3)}


class Logger(trt.ILogger):
    """Keeps all messages."""

    def __init__(self):
        super().__init__()
        self.lines = []

    def log(self, severity, msg):
        self.lines.append(msg)

    def text(self):
        return "\n".join(self.lines)


def built(logger, shapes, dtype, layer, workspace=None, without=()):
    builder = trt.Builder(logger)
    network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
    inputs = [network.add_input(f"x{i}", TYPES[dtype], s) for i, s in enumerate(shapes)]
    output = layer(network, inputs).get_output(0)
    output.name = "y"
    network.mark_output(output)
    config = builder.create_builder_config()
    for flag in without:
        config.clear_flag(flag)
    if workspace is not None:
        config.set_memory_pool_limit(trt.MemoryPoolType.WORKSPACE, workspace)
    return builder.build_serialized_network(network, config)


def run(logger, plan, arrays):
    """Returns the output of a run; a second run by a graph must give the same."""
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    assert engine is not None, logger.text()
    context = engine.create_execution_context()
    memory = device_memory.for_target()
    held = [memory.DeviceArray(array) for array in arrays]
    result = memory.DeviceArray(
        np.zeros(tuple(engine.get_tensor_shape("y")), trt.nptype(engine.get_tensor_dtype("y")))
    )
    for i, array in enumerate(held):
        context.set_tensor_address(f"x{i}", array.ptr)
    context.set_tensor_address("y", result.ptr)
    stream = memory.Stream()
    assert context.execute_async_v3(stream.handle), logger.text()
    stream.synchronize()
    first = result.numpy()
    result.fill(0)
    graph = stream.capture(lambda: context.execute_async_v3(stream.handle))
    graph.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(result.numpy(), first)
    return first


def product(network, x):
    none = trt.MatrixOperation.NONE
    return network.add_matrix_multiply(x[0], none, x[1], none)


def convolution(network, x):
    layer = network.add_convolution_nd(x[0], 32, (3, 3), trt.Weights(), trt.Weights())
    layer.padding_nd = (1, 1)
    layer.set_input(1, x[1])
    return layer


def convolved(x, kernel):
    height, width = x.shape[2:]
    around = kernel.shape[-1] // 2
    padded = np.pad(x, ((0, 0), (0, 0), (around, around), (around, around)))
    result = np.zeros((x.shape[0], kernel.shape[0], height, width))
    for dy in range(kernel.shape[2]):
        for dx in range(kernel.shape[3]):
            part = padded[:, :, dy : dy + height, dx : dx + width]
            result += np.einsum("nchw,mc->nmhw", part, kernel[:, :, dy, dx])
    return result


LAYERS = {
    "matrix_multiply_cublaslt": (product, np.matmul, [(256, 512), (512, 256)]),
    "convolution_cudnn": (convolution, convolved, [(2, 32, 32, 32), (32, 32, 3, 3)]),
}


def random(shapes, dtype):
    rng = np.random.default_rng(5)
    return [rng.uniform(-1, 1, shape).astype(dtype) for shape in shapes]


def skip_without(logger):
    for line in logger.lines:
        if "was not found" in line or "was not opened" in line:
            pytest.skip(line)


def check(got, formula, arrays, dtype):
    want = formula(*[array.astype(np.float64) for array in arrays])
    atol, rtol = TOLERANCE[dtype]
    np.testing.assert_allclose(got.astype(np.float64), want, atol=atol, rtol=rtol)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("kernel", LAYERS)
def test_library_takes_large_layers(kernel, dtype):
    layer, formula, shapes = LAYERS[kernel]
    logger = Logger()
    plan = built(logger, shapes, dtype, layer)
    skip_without(logger)
    assert f"cuda/{kernel} takes" in logger.text()
    reference = kernel.replace("cublaslt", "reference").replace("cudnn", "reference")
    assert f"cuda/{reference} takes" not in logger.text()  # not even tried
    arrays = random(shapes, dtype)
    check(run(logger, plan, arrays), formula, arrays, dtype)


@pytest.mark.parametrize("kernel", LAYERS)
def test_tf32(kernel, monkeypatch):
    layer, formula, shapes = LAYERS[kernel]
    arrays = random(shapes, np.float32)
    tried = f"cuda/{kernel}_tf32 takes"

    logger = Logger()
    monkeypatch.delenv("NVIDIA_TF32_OVERRIDE", raising=False)
    plan = built(logger, shapes, np.float32, layer)
    skip_without(logger)
    assert tried in logger.text()
    want = formula(*[array.astype(np.float64) for array in arrays])
    # Two operands, each off by 2^-11 at most; sums of signed products grow with the square root.
    terms = np.prod(shapes[1]) // want.shape[1]
    np.testing.assert_allclose(run(logger, plan, arrays), want, atol=2e-3 * terms**0.5)

    logger = Logger()
    plan = built(logger, shapes, np.float32, layer, without=[trt.BuilderFlag.TF32])
    assert tried not in logger.text()
    check(run(logger, plan, arrays), formula, arrays, np.float32)

    logger = Logger()
    monkeypatch.setenv("NVIDIA_TF32_OVERRIDE", "0")
    plan = built(logger, shapes, np.float32, layer)
    assert tried not in logger.text()


def attention(network, x):
    return network.add_attention(*x, trt.AttentionNormalizationOp.SOFTMAX, False)


def attended(q, k, v):
    weights = np.exp(q @ k.swapaxes(2, 3))
    return weights @ v / weights.sum(axis=3, keepdims=True)


def test_attention_in_tf32(monkeypatch):
    shapes = [(1, 2, 64, 32)] * 3
    arrays = [array / 4 for array in random(shapes, np.float32)]
    want = attended(*[array.astype(np.float64) for array in arrays])
    tried = "cuda/attention_float_tf32 takes"

    logger = Logger()
    monkeypatch.delenv("NVIDIA_TF32_OVERRIDE", raising=False)
    plan = built(logger, shapes, np.float32, attention)
    skip_without(logger)
    assert tried in logger.text()
    np.testing.assert_allclose(run(logger, plan, arrays), want, atol=4e-3)

    logger = Logger()
    plan = built(logger, shapes, np.float32, attention, without=[trt.BuilderFlag.TF32])
    assert tried not in logger.text()
    np.testing.assert_allclose(run(logger, plan, arrays), want, atol=4e-6)


@pytest.mark.parametrize("kernel", LAYERS)
def test_workspace_may_be_forbidden(kernel, tmp_path):
    layer, formula, shapes = LAYERS[kernel]
    logger = Logger()
    plan = built(logger, shapes, np.float16, layer, workspace=0)
    skip_without(logger)
    assert plan is not None, logger.text()
    path = tmp_path / "layer.plan"
    path.write_bytes(plan)
    layers = kiln.describe_plan(path)["layers"]  # another kernel, or an algorithm without
    assert all(layer["workspace_bytes"] == 0 for layer in layers)
    arrays = random(shapes, np.float16)
    check(run(logger, plan, arrays), formula, arrays, np.float16)


def test_kernels_that_no_engine_has_go_to_ours():
    def layer(network, x):
        made = network.add_convolution_nd(x[0], 32, (31, 31), trt.Weights(), trt.Weights())
        made.padding_nd = (15, 15)
        made.set_input(1, x[1])
        return made

    shapes = [(1, 1, 20, 20), (32, 1, 31, 31)]
    logger = Logger()
    plan = built(logger, shapes, np.float32, layer)
    skip_without(logger)
    assert plan is not None, logger.text()
    refused = "expected an engine for a convolution" in logger.text()
    assert refused or not device_memory.emulated()
    assert not refused or "cuda/convolution_reference takes" in logger.text()
    arrays = random(shapes, np.float32)
    check(run(logger, plan, arrays), convolved, arrays, np.float32)


CHILD = """
import sys
sys.path[:0] = [{folder!r}, {parent!r}]
from test_libraries import *
logger = Logger()
layer, formula, shapes = LAYERS[{kernel!r}]
plan = built(logger, shapes, np.float16, layer)
open({path!r}, "wb").write(bytes(plan))
print(logger.text())
"""


def build_in_child(kernel, path, **variables):
    """Builds in a process with these environment variables; returns what the build logs."""
    folder = Path(__file__).parent
    script = CHILD.format(
        folder=str(folder), parent=str(folder.parent), kernel=kernel, path=str(path)
    )
    result = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.mark.parametrize("kernel", LAYERS)
def test_without_the_library_ours_takes_over(kernel, tmp_path):
    path = tmp_path / "a.plan"
    log = build_in_child(kernel, path, KILN_CUBLASLT="/nowhere.so", KILN_CUDNN="/nowhere.so")
    title = "cuBLASLt" if "cublaslt" in kernel else "cuDNN"
    assert f"cuda/{kernel} refused: {title} was not opened" in log
    (warning,) = [line for line in log.splitlines() if "It takes a slower kernel." in line]
    assert f"': {title} was not opened, KILN_" in warning
    assert "_reference takes" in log
    _, formula, shapes = LAYERS[kernel]
    arrays = random(shapes, np.float16)
    check(run(Logger(), path.read_bytes(), arrays), formula, arrays, np.float16)


@pytest.mark.parametrize("kernel", LAYERS)
def test_plan_of_a_machine_without_gpu(kernel, tmp_path):
    """The build assumes the library; opening the plan asks it for an algorithm."""
    path = tmp_path / "a.plan"
    target = f"cuda:{architecture()}"
    log = build_in_child(kernel, path, KILN_TARGET=target, KILN_CUDA_DRIVER="/nowhere.so")
    assert f"cuda/{kernel} takes" in log
    logger = Logger()
    _, formula, shapes = LAYERS[kernel]
    arrays = random(shapes, np.float16)
    engine = trt.Runtime(logger).deserialize_cuda_engine(path.read_bytes())
    skip_without(logger)
    assert engine is not None, logger.text()
    check(run(logger, path.read_bytes(), arrays), formula, arrays, np.float16)


def architecture():
    """The architecture of the GPU, such as sm_90."""
    device_memory.Stream()  # opens the driver
    numbers = []
    for attribute in [75, 76]:  # major, minor compute capability
        value = ctypes.c_int()
        device_memory.call("cuDeviceGetAttribute", ctypes.byref(value), attribute, 0)
        numbers.append(value.value)
    return "sm_{}{}".format(*numbers)
