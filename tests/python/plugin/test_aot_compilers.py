# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Decorated ops compiled by Numba, NVRTC and the system's compiler, without a GPU."""

import re
import subprocess

import kiln
import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from numba_for_cuda import numba_cuda
from oplab import Net, define, op_of

pytestmark = pytest.mark.xdist_group("registry")
CUDA_SOURCE = b"""
extern "C" __global__ void scale(float const* x, int n, float factor, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * factor;
}
"""


def desc(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


def plan_of(logger, tmp_path, aot_impl, target="cpu"):
    """Builds an engine of one op y = op(x), x of 1 to 8 rows of 3; returns the plan's path."""
    kiln.set_default_target(target)
    try:
        net = Net(logger)
        x = net.input("x", (-1, 3))
        net.output(net.add(op_of(define(desc, None, None, aot_impl))(x), aot=True)[0], "y")
        net.profile(x=((1, 3), (2, 3), (8, 3)))
        plan = net.plan()
    finally:
        kiln.set_default_target(None)
    assert plan is not None, logger.errors()
    path = tmp_path / "model.plan"
    path.write_bytes(plan)
    return path


def run(logger, path, x):
    """Runs the op on the CPU; returns y."""
    runtime = trt.Runtime(logger)
    runtime.engine_host_code_allowed = True
    engine = kiln.open_engine(runtime, path)
    assert engine is not None, logger.errors()
    context = engine.create_execution_context()
    y = np.zeros_like(x)
    context.set_input_shape("x", x.shape)
    context.set_tensor_address("x", x.ctypes.data)
    context.set_tensor_address("y", y.ctypes.data)
    assert context.execute_async_v3(0), logger.errors()
    return y


def kernels_of(path):
    """{architecture: [(entry, kinds of images)]} of the kernels of the only plugin."""
    (plugin,) = kiln.describe_plan(path)["plugins"]
    return {
        variant["architecture"]: [
            (kernel["entry"], [image["kind"] for image in kernel["images"]])
            for kernel in variant["kernels"]
        ]
        for variant in plugin["code"]
    }


def launch_for(x, block):
    count = x.shape_expr.numel()
    extra = [trtp.SymInt32(count), 0.5]
    return trtp.KernelLaunchParams(grid_x=trtp.cdiv(count, block), block_x=block), extra


def test_a_numba_cfunc_on_the_cpu(logger, tmp_path):
    numba = pytest.importorskip("numba")
    types = numba.types
    floats = types.CPointer(types.CPointer(types.float32))

    @numba.cfunc(types.int32(floats, floats, types.CPointer(types.int64), types.voidptr))
    def negate(inputs, outputs, scalars, call):
        for i in range(scalars[0]):
            outputs[0][i] = -inputs[0][i]
        return 0

    def aot_impl(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]):
        count = kiln.SymInt64(x.shape_expr.numel())
        return [kiln.Kernel("negate", kiln.aot.from_numba(negate), extra_args=[count])]

    path = plan_of(logger, tmp_path, aot_impl)
    x = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.testing.assert_array_equal(run(logger, path, x), -x)


def test_a_relocatable_object_on_the_cpu(logger, tmp_path):
    source = tmp_path / "third.c"
    source.write_text(
        "#include <kiln/host_kernel.h>\n"
        "int32_t third(void const* const* in, void* const* out, KilnScalar const* s,\n"
        "              KilnHostCall const* call) {\n"
        "    for (int64_t i = 0; i < call->inputs[0].extents[0] * 3; ++i)\n"
        "        ((float*)out[0])[i] = ((float const*)in[0])[i] / 3;\n"
        "    return 0;\n}\n"
    )
    include = f"-I{kiln.aot._c.INCLUDE}"
    command = [*kiln.aot._c.compiler_for("c"), "-c", "-fPIC", include, source, "-o"]
    subprocess.run([*command, tmp_path / "third.o"], check=True)

    def aot_impl(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]):
        return [kiln.Kernel("third", (tmp_path / "third.o").read_bytes())]

    path = plan_of(logger, tmp_path, aot_impl)
    x = np.full((8, 3), 6, np.float32)
    np.testing.assert_array_equal(run(logger, path, x), x / 3)


def test_nvrtc(logger, tmp_path):
    nvrtc = pytest.importorskip("cuda.bindings.nvrtc", reason="cuda-bindings is not installed")

    def ptx_for(architecture):
        def succeeded(result):
            assert result[0] == nvrtc.nvrtcResult.NVRTC_SUCCESS, result
            return result[1] if len(result) > 1 else None

        program = succeeded(nvrtc.nvrtcCreateProgram(CUDA_SOURCE, b"scale.cu", 0, [], []))
        option = f"--gpu-architecture={architecture}".encode()
        succeeded(nvrtc.nvrtcCompileProgram(program, 1, [option]))
        text = b" " * succeeded(nvrtc.nvrtcGetPTXSize(program))
        succeeded(nvrtc.nvrtcGetPTX(program, text))
        return text

    try:
        ptx_for("compute_90")
    except RuntimeError as error:
        pytest.skip(f"nvidia-cuda-nvrtc is not installed: {error}")

    def aot_impl(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]):
        launch, extra = launch_for(x, 128)
        ptx = ptx_for(kiln.build_target().architecture)
        return [kiln.Kernel("scale", ptx, launch, extra)] * 2

    path = plan_of(logger, tmp_path, aot_impl, "cuda:sm_80+sm_90")
    expected = [("scale", ["cubin", "PTX"])] * 2
    assert kernels_of(path) == {"sm_80": expected, "sm_90": expected}


def test_numba_for_cuda(logger, tmp_path):
    cuda = numba_cuda()
    types = pytest.importorskip("numba").types

    def scale(x, n, factor, y):
        i = cuda.grid(1)
        if i < n:
            y[i] = x[i] * factor

    def aot_impl(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]):
        floats = types.CPointer(types.float32)
        signature = types.void(floats, types.int32, types.float32, floats)
        capability = kiln.build_target().compute_capability
        ptx, _ = cuda.compile(
            scale, signature, device=False, cc=capability, abi="numba", output="ptx"
        )
        (name,) = re.findall(r"\.entry\s+([\w$]+)", ptx)
        return [kiln.Kernel(name, ptx, *launch_for(x, 64))]

    path = plan_of(logger, tmp_path, aot_impl, "cuda:sm_90")
    ((name, kinds),) = kernels_of(path)["sm_90"]
    assert "scale" in name
    assert kinds == ["cubin", "PTX"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "scala"}, "among the entry points of PTX, got near names: scale"),
        ({"ptx": ".version 8.0\n.target sm_80\n"}, "entry points of PTX, got none"),
        ({"ptx": "int main() {}"}, "expected PTX, a cubin or a host object, got 13 bytes of other"),
        ({"extra": [0.5]}, "expected 3 parameters (1 inputs, 1 scalars, 1 outputs, in this order)"),
        ({"extra": [0.5, 3]}, "parameter 1: expected the extra argument 0 (float32, 4 bytes)"),
        ({"grid": 0}, "grid_x: expected 1 to 2147483647, got 0"),
        ({"target": "sm_100"}, "expected code that runs on sm_80, got PTX for sm_100"),
    ],
)
def test_code_that_does_not_fit(logger, tmp_path, change, message, monkeypatch):
    monkeypatch.setattr("kiln.aot._compilation.cubin_for", lambda ptx, architecture: None)
    text = (
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry scale(.param .u64 x, .param .u32 n, .param .f32 f, .param .u64 y) {\n"
        "    .reg .b64 %rd1; ld.param.b64 %rd1, [y]; ret;\n}"
    )
    ptx = change.get("ptx", text).replace("sm_80", change.get("target", "sm_80"))

    def aot_impl(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]):
        launch, extra = launch_for(x, 128)
        launch.grid_x = change.get("grid", launch.grid_x)
        return [kiln.Kernel(change.get("name", "scale"), ptx, launch, change.get("extra", extra))]

    with pytest.raises(AssertionError, match=re.escape(message)):
        plan_of(logger, tmp_path, aot_impl, "cuda:sm_80")


def test_an_op_for_gpus_on_the_cpu(logger, tmp_path):
    def aot_impl(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]):
        return [kiln.Kernel("scale", ".version 8.0\n.target sm_80\n.entry scale() {ret;}")]

    with pytest.raises(AssertionError, match="code for the target cpu, got PTX for sm_80"):
        plan_of(logger, tmp_path, aot_impl)
