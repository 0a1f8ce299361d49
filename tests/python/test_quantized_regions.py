# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Products and convolutions between dequantizations, which the CPU computes in int8, against NumPy.

The steps of the reference are those of the layers: integers and their sums are exact in float64.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import device_memory
import numpy as np
import pytest
import tensorrt as trt
from quantized_nets import run

ON_CPU = not device_memory.on_cuda()
ISA = os.environ.get("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_VNNI")
# Without these instructions, products are those of float32.
IN_INT8 = (
    ON_CPU and "avx512_vnni" in Path("/proc/cpuinfo").read_text() and ISA.startswith("AVX512_CORE_")
)


@pytest.fixture
def builder(logger):
    return trt.Builder(logger)


class Net:
    """A strongly typed network with weights of int8."""

    def __init__(self, builder, seed=1):
        self.builder = builder
        self.rng = np.random.default_rng(seed)
        self.network = builder.create_network(
            1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
        )

    def constant(self, array):
        return self.network.add_constant(array.shape, array).get_output(0)

    def dequantized(self, tensor, scale, axis=-1):
        layer = self.network.add_dequantize(
            tensor, self.constant(np.asarray(scale, np.float32)), trt.float32
        )
        layer.axis = axis
        return layer.get_output(0)

    def quantized(self, tensor, scale):
        return self.network.add_quantize(
            tensor, self.constant(np.asarray(scale, np.float32)), trt.int8
        ).get_output(0)

    def weights(self, shape, axis):
        """int8 weights with a scale for each channel: the tensor, and its numbers."""
        codes = self.rng.integers(-127, 128, shape).astype(np.int8)
        scale = self.rng.uniform(0.001, 0.01, shape[axis]).astype(np.float32)
        wide = [1] * len(shape)
        wide[axis] = -1
        return (self.dequantized(self.constant(codes), scale, axis),
                codes.astype(np.float64) * scale.reshape(wide))  # fmt: skip

    def build(self, logger, output):
        output.name = "y"
        self.network.mark_output(output)
        config = self.builder.create_builder_config()
        config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
        plan = self.builder.build_serialized_network(self.network, config)
        assert plan is not None, logger.errors()
        engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
        text = engine.create_engine_inspector().get_engine_information(
            trt.LayerInformationFormat.JSON
        )
        self.layers = json.loads(text)["Layers"]
        return plan

    def is_one_kernel(self):
        """Whether nothing but the region is left."""
        kernels = [layer["TacticName"] for layer in self.layers]
        return kernels == ["cpu/region_onednn"]


def to_int8(x, scale):
    return np.clip(np.rint((x / np.float32(scale)).astype(np.float32)), -128, 127)


@pytest.mark.parametrize("narrow", [False, True], ids=["float", "int8"])
@pytest.mark.parametrize("shape", [(5, 64), (2, 3, 64)], ids=str)
@pytest.mark.parametrize("transposed", [False, True], ids=["plain", "transposed"])
def test_products(logger, builder, shape, transposed, narrow):
    net = Net(builder)
    x = net.network.add_input("x", trt.int8, shape)
    axis = 0 if transposed else 1
    w, numbers = net.weights((48, 64) if transposed else (64, 48), axis)
    if len(shape) == 3:
        shuffle = net.network.add_shuffle(w)
        shuffle.reshape_dims = (1, *numbers.shape)
        w = shuffle.get_output(0)
    operation = trt.MatrixOperation.TRANSPOSE if transposed else trt.MatrixOperation.NONE
    a = net.dequantized(x, 0.02)
    y = net.network.add_matrix_multiply(a, trt.MatrixOperation.NONE, w, operation).get_output(0)
    bias = net.rng.normal(0, 1, (1,) * (len(shape) - 1) + (48,)).astype(np.float32)
    y = net.network.add_elementwise(y, net.constant(bias), trt.ElementWiseOperation.SUM)
    y = net.network.add_activation(y.get_output(0), trt.ActivationType.RELU).get_output(0)
    if narrow:
        y = net.quantized(y, 0.05)
    plan = net.build(logger, y)
    codes = net.rng.integers(-128, 128, shape).astype(np.int8)
    want = codes.astype(np.float64) * np.float32(0.02) @ (numbers.T if transposed else numbers)
    want = np.maximum(want + bias, 0)
    got = run(logger, plan, x=codes)["y"]
    assert net.is_one_kernel() or not IN_INT8 or len(shape) == 3
    if narrow:
        assert np.abs(got.astype(int) - to_int8(want, 0.05)).max() <= 1
        assert (got == to_int8(want, 0.05)).mean() > 0.99
    else:
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def convolved(x, kernels, groups):
    """The convolution of the planes of x with windows of an odd size, which are padded."""
    batch, channels, height, width = x.shape
    maps, _, size, _ = kernels.shape
    around = size // 2
    x = np.pad(x, ((0, 0), (0, 0), (around, around), (around, around)))
    x = x.reshape(batch, groups, channels // groups, *x.shape[2:])
    kernels = kernels.reshape(groups, maps // groups, channels // groups, size, size)
    sums = sum(
        np.einsum("bgchw,gmc->bgmhw", x[..., i : i + height, j : j + width], kernels[..., i, j])
        for i in range(size)
        for j in range(size)
    )
    return sums.reshape(batch, maps, height, width)


@pytest.mark.parametrize("narrow", [False, True], ids=["float", "int8"])
@pytest.mark.parametrize("size", [1, 3])
@pytest.mark.parametrize("groups", [1, 4])
def test_convolutions(logger, builder, groups, size, narrow):
    net = Net(builder)
    x = net.network.add_input("x", trt.int8, (2, 16, 9, 9))
    w, numbers = net.weights((32, 16 // groups, size, size), 0)
    bias = net.rng.normal(0, 1, 32).astype(np.float32)
    layer = net.network.add_convolution_nd(
        net.dequantized(x, 0.02), 32, (size, size), trt.Weights(), bias
    )
    layer.set_input(1, w)
    layer.num_groups = groups
    layer.padding_nd = (size // 2, size // 2)
    y = net.network.add_activation(layer.get_output(0), trt.ActivationType.RELU).get_output(0)
    if narrow:
        y = net.quantized(y, 0.03)
    plan = net.build(logger, y)
    codes = net.rng.integers(-128, 128, (2, 16, 9, 9)).astype(np.int8)
    want = convolved(codes.astype(np.float64) * np.float32(0.02), numbers, groups)
    want = np.maximum(want + bias.reshape(32, 1, 1), 0)
    got = run(logger, plan, x=codes)["y"]
    tactics = [layer["TacticName"] for layer in net.layers]
    assert "cpu/region_onednn" in tactics or not ON_CPU or groups > 1, tactics
    if narrow:
        assert np.abs(got.astype(int) - to_int8(want, 0.03)).max() <= 1
        assert (got == to_int8(want, 0.03)).mean() > 0.99
    else:
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_a_shared_source(logger, builder):
    """Three products of one dequantized tensor, as queries, keys and values are."""
    net = Net(builder)
    x = net.network.add_input("x", trt.int8, (8, 64))
    a = net.dequantized(x, 0.02)
    total, want = None, 0.0
    codes = net.rng.integers(-128, 128, (8, 64)).astype(np.int8)
    for _ in range(3):
        w, numbers = net.weights((64, 32), 1)
        none = trt.MatrixOperation.NONE
        y = net.network.add_matrix_multiply(a, none, w, none).get_output(0)
        want = want + codes.astype(np.float64) * np.float32(0.02) @ numbers
        total = y if total is None else net.network.add_elementwise(
            total, y, trt.ElementWiseOperation.SUM).get_output(0)  # fmt: skip
    plan = net.build(logger, total)
    np.testing.assert_allclose(run(logger, plan, x=codes)["y"], want, rtol=1e-5, atol=1e-5)


def test_a_chain_of_layers(logger, builder):
    """Quantized from end to end: each layer gives the int8 of the next."""
    net = Net(builder)
    y = net.network.add_input("x", trt.float32, (16, 64))
    x = net.rng.normal(0, 1, (16, 64)).astype(np.float32)
    want = x
    for _ in range(3):
        w, numbers = net.weights((64, 64), 1)
        none = trt.MatrixOperation.NONE
        y = net.dequantized(net.quantized(y, 0.03), 0.03)
        y = net.network.add_matrix_multiply(y, none, w, none).get_output(0)
        y = net.network.add_activation(y, trt.ActivationType.RELU).get_output(0)
        want = np.maximum(to_int8(want, 0.03) * np.float32(0.03) @ numbers, 0)
    got = run(logger, net.build(logger, y), x=x)["y"]
    # Sums in float32 may round to the other neighbour, which all columns of a row then see.
    np.testing.assert_allclose(got, want, rtol=2e-2, atol=0.06)
    assert np.isclose(got, want, rtol=1e-3, atol=1e-3).mean() > 0.9


@pytest.mark.skipif(not ON_CPU, reason="the order of weights in a plan of the CPU")
@pytest.mark.parametrize("groups", [1, 4])
def test_narrow_weights_of_a_convolution_of_floats(logger, builder, groups):
    """The plan has the int8 weights, and the engine widens them, but for those of groups."""
    net = Net(builder)
    x = net.network.add_input("x", trt.float32, (1, 64, 12, 12))
    w, numbers = net.weights((128, 64 // groups, 3, 3), 0)
    layer = net.network.add_convolution_nd(x, 128, (3, 3), trt.Weights(), trt.Weights())
    layer.set_input(1, w)
    layer.num_groups = groups
    layer.padding_nd = (1, 1)
    y = net.network.add_activation(layer.get_output(0), trt.ActivationType.RELU).get_output(0)
    plan = net.build(logger, y)
    if groups > 1:  # the log says why of each kernel that may run it
        (said,) = {line for _, line in logger.messages if "[select] quantized" in line}
        assert "onednn: expected one group" in said
        assert len({part.split(":")[0] for part in said.split("; ")[1:]}) > 1
    assert groups > 1 or plan.nbytes < 1.5 * numbers.size + 20_000  # float32 has 4 bytes each
    image = net.rng.normal(0, 1, (1, 64, 12, 12)).astype(np.float32)
    got = run(logger, plan, x=image)["y"]
    want = np.maximum(convolved(image.astype(np.float64), numbers, groups), 0)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.skipif(not ON_CPU, reason="instructions of the CPU")
@pytest.mark.parametrize(
    ("isa", "flag"),
    [
        ("AVX2", "avx2"),
        ("AVX512_CORE", "avx512bw"),
        ("AVX2_VNNI", "avx_vnni"),
        ("AVX512_CORE_VNNI", "avx512_vnni"),
    ],
)
def test_instructions_of_other_processors(isa, flag):
    """All of this file with fewer instructions: the results are the same."""
    if flag not in Path("/proc/cpuinfo").read_text():
        pytest.skip(f"this processor has no {flag}")
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(
        [*words, "-k", "not other_processors"],
        env=os.environ | {"ONEDNN_MAX_CPU_ISA": isa},
        capture_output=True, text=True, timeout=300, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


@pytest.mark.skipif(not IN_INT8, reason="a processor with VNNI")
def test_a_plan_of_a_processor_with_vnni(logger, builder, tmp_path):
    """Where products of int8 are not exact, the plan is refused."""
    net = Net(builder)
    x = net.network.add_input("x", trt.int8, (4, 64))
    w, _ = net.weights((64, 48), 1)
    none = trt.MatrixOperation.NONE
    y = net.network.add_matrix_multiply(net.dequantized(x, 0.02), none, w, none).get_output(0)
    (tmp_path / "vnni.plan").write_bytes(net.build(logger, y))
    script = """
import sys
import numpy as np
import tensorrt as trt
logger = trt.Logger(trt.Logger.ERROR)
engine = trt.Runtime(logger).deserialize_cuda_engine(open(sys.argv[1], "rb").read())
context = engine.create_execution_context()
x, y = np.zeros((4, 64), np.int8), np.zeros((4, 48), np.float32)
context.set_tensor_address("x", x.ctypes.data)
context.set_tensor_address("y", y.ctypes.data)
print("ran:", context.execute_async_v3(0))
"""
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path / "vnni.plan")],
                          env=os.environ | {"ONEDNN_MAX_CPU_ISA": "AVX2"},
                          capture_output=True, text=True, timeout=60, check=False)  # fmt: skip
    assert "ran: False" in done.stdout, done.stdout + done.stderr
    assert "expected a processor with VNNI" in done.stderr + done.stdout
