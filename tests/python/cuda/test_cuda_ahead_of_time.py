# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels that are compiled into a plan, run from Python and by trtexec without Python."""

import os
import shutil
import subprocess
from pathlib import Path

import kiln
import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from cudalab import Runner
from device_memory import Stream
from oplab import Engine, Net, define, op_of

X = np.arange(6, dtype=np.float32)
# y[i] = factor * x[i]; arguments: x, n, factor, y.
SCALE_PTX = """
.version 7.0
.target sm_70
.address_size 64
.visible .entry scale(.param .u64 px, .param .u32 pn, .param .f32 pf, .param .u64 py) {
    .reg .pred %p1;
    .reg .u32 %r<6>;
    .reg .u64 %rd<6>;
    .reg .f32 %f<4>;
    ld.param.u64 %rd1, [px];
    ld.param.u32 %r1, [pn];
    ld.param.f32 %f1, [pf];
    ld.param.u64 %rd2, [py];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 ret;
    mul.wide.u32 %rd3, %r5, 4;
    add.u64 %rd4, %rd1, %rd3;
    add.u64 %rd5, %rd2, %rd3;
    ld.global.f32 %f2, [%rd4];
    mul.f32 %f3, %f2, %f1;
    st.global.f32 [%rd5], %f3;
    ret;
}
"""
SCALE_CPP = r"""
extern "C" __global__ void scale(float const* x, int n, float factor, float* y) {
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n) y[at] = factor * x[at];
}
"""


def like(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


def launch_of(x, block=64):
    count = x.shape_expr.numel()
    return count, trtp.KernelLaunchParams(grid_x=trtp.cdiv(count, block), block_x=block)


def from_ptx(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]) -> list[kiln.Kernel]:
    count, launch = launch_of(x)
    return [kiln.Kernel("scale", SCALE_PTX, launch, [count, 3.0])]


def from_nvrtc(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]) -> list[kiln.Kernel]:
    nvrtc = pytest.importorskip("cuda.bindings.nvrtc")
    architecture = kiln.build_target().architecture
    _, program = nvrtc.nvrtcCreateProgram(SCALE_CPP.encode(), b"scale.cu", 0, [], [])
    options = [f"--gpu-architecture={architecture}".encode()]
    assert nvrtc.nvrtcCompileProgram(program, 1, options)[0].value == 0
    cubin = b" " * nvrtc.nvrtcGetCUBINSize(program)[1]
    nvrtc.nvrtcGetCUBIN(program, cubin)
    count, launch = launch_of(x)
    return [kiln.Kernel("scale", cubin, launch, [count, 3.0])]


def from_triton(
    x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]
) -> tuple[str, str, trtp.KernelLaunchParams, trtp.SymExprs]:
    triton = pytest.importorskip("triton")
    from triton_kernels import scale_aot

    types = {"x": "*fp32", "n": "i32", "factor": "i32", "y": "*fp32", "BLOCK": "constexpr"}
    source = triton.compiler.ASTSource(fn=scale_aot, signature=types, constexprs={"BLOCK": 64})
    compiled = triton.compile(source)
    count = x.shape_expr.numel()
    launch = trtp.KernelLaunchParams(
        grid_x=trtp.cdiv(count, 64),
        block_x=compiled.metadata.num_warps * 32,
        shared_mem=compiled.metadata.shared,
    )
    extra = trtp.SymIntExprs.from_tuple([trtp.SymInt32(count), trtp.SymInt32(3)])
    return compiled.metadata.name, compiled.asm["ptx"], launch, extra


def two_kernels(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]) -> list[kiln.Kernel]:
    """The second kernel overwrites the results of the first."""
    count, launch = launch_of(x)
    return [kiln.Kernel("scale", SCALE_PTX, launch, [count, f]) for f in (2.0, 3.0)]


FORMS = {
    "PTX": from_ptx,
    "NVRTC": from_nvrtc,
    "Triton": from_triton,
    "two kernels": two_kernels,
}


def build(logger, aot_impl):
    net = Net(logger)
    y = net.add(op_of(define(like, aot_impl=aot_impl))(net.input("x", (-1,))), aot=True)[0]
    net.output(y, "y")
    net.profile(x=((1,), (6,), (1 << 20,)))
    plan = net.plan()
    assert plan is not None, logger.errors()
    return plan


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.filterwarnings("ignore:.*expected a ptxas:RuntimeWarning")
def test_run_from_python(logger, gpu, form):
    opened = Engine(logger, build(logger, FORMS[form]))
    runner = Runner(opened.engine, opened.context)
    for count in (6, 1, 1000, 1 << 20):
        x = np.arange(count, dtype=np.float32)
        assert runner.bind(x=x).run(), logger.errors()
        np.testing.assert_array_equal(runner(), 3 * x)
    stream = Stream()
    graph = stream.capture(lambda: opened.context.execute_async_v3(stream.handle))
    runner.arrays["x"].set(np.full_like(x, 7))
    graph.launch(stream)
    stream.synchronize()
    assert (runner() == 21).all()


@pytest.mark.filterwarnings("ignore:.*expected a ptxas:RuntimeWarning")
def test_contexts_with_different_needs_of_shared_memory(logger, gpu):
    """Both share one loaded function, which has one limit."""

    def describe(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]) -> list[kiln.Kernel]:
        count, launch = launch_of(x)
        launch.shared_mem = count * 4
        return [kiln.Kernel("scale", SCALE_PTX, launch, [count, 3.0])]

    net = Net(logger)
    y = net.add(op_of(define(like, aot_impl=describe))(net.input("x", (-1,))), aot=True)[0]
    net.output(y, "y")
    net.profile(x=((1,), (6,), (50000,)))
    opened = net.engine()
    greedy = Runner(opened.engine, opened.context)
    modest = Runner(opened.engine, opened.engine.create_execution_context())
    many, few = np.arange(50000, dtype=np.float32), np.arange(15000, dtype=np.float32)
    greedy.bind(x=many)
    modest.bind(x=few)
    for _ in range(2):
        assert greedy.run(), logger.errors()
        assert modest.run(), logger.errors()
    np.testing.assert_array_equal(greedy(), 3 * many)
    np.testing.assert_array_equal(modest(), 3 * few)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.filterwarnings("ignore:.*expected a ptxas:RuntimeWarning")
def test_run_without_python(logger, gpu, form, tmp_path):
    trtexec = os.environ.get("KILN_TRTEXEC") or shutil.which("trtexec")
    if not trtexec:
        pytest.skip("trtexec is not on PATH")
    plan, x, y = tmp_path / "scale.plan", tmp_path / "x.bin", tmp_path / "y.json"
    plan.write_bytes(build(logger, FORMS[form]))
    X.tofile(x)
    (tmp_path / "empty").mkdir()
    done = subprocess.run(
        [trtexec, f"--loadEngine={plan}", "--shapes=x:6", f"--loadInputs=x:{x}",
         f"--exportOutput={y}", "--iterations=1", "--warmUp=0", "--duration=0"],
        env={
            **{k: v for k, v in os.environ.items() if not k.startswith("PYTHON")},
            "PATH": str(tmp_path / "empty"),
            "KILN_PYTHON": str(tmp_path / "empty" / "python"),
        },
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    import json

    (tensor,) = (entry for entry in json.loads(Path(y).read_text()) if entry["name"] == "y")
    np.testing.assert_array_equal(np.array(tensor["values"], np.float32), 3 * X)


def test_target_of_the_build(logger):
    """The build target is the GPU of this machine, inside and outside of aot_impl."""
    seen = []

    def aot_impl(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]) -> list[kiln.Kernel]:
        seen.append(kiln.build_target())
        raise ValueError("enough")

    net = Net(logger)
    net.output(net.add(op_of(define(like, aot_impl=aot_impl))(net.input("x", (4,))))[0], "y")
    assert net.plan() is None
    device = kiln.describe_target("cuda")["device"]
    assert seen[0] == kiln.build_target() == ("cuda", device["architecture"])
    assert seen[0].compute_capability == kiln.build_target().compute_capability


def other_architecture():
    """An architecture whose machine code this GPU does not run."""
    major, _ = kiln.build_target().compute_capability
    return "sm_80" if major != 8 else "sm_90"


def test_plan_for_another_gpu(logger):
    """The error names the GPU of the plan and the GPU here."""
    architecture = other_architecture()
    kiln.set_default_target(f"cuda:{architecture}")
    net = Net(logger)
    op = op_of(define(like, lambda x, outputs, stream: None))
    net.output(net.add(op(net.input("x", (4,))))[0], "y")
    plan = net.plan()
    assert plan is not None, logger.errors()
    assert trt.Runtime(logger).deserialize_cuda_engine(plan) is None
    errors = logger.errors()
    assert architecture in errors and "the GPU here is" in errors, errors


@pytest.mark.filterwarnings("ignore:.*expected a ptxas:RuntimeWarning")
def test_ptx_of_a_later_toolkit(logger, gpu):
    """A driver takes PTX of its own toolkit and of earlier ones."""

    def aot_impl(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]) -> list[kiln.Kernel]:
        count, launch = launch_of(x)
        text = SCALE_PTX.replace(".version 7.0", ".version 19.9")
        return [kiln.Kernel("scale", text, launch, [count, 3.0])]

    net = Net(logger)
    op = op_of(define(like, aot_impl=aot_impl))
    net.output(net.add(op(net.input("x", (4,))), aot=True)[0], "y")
    plan = net.plan()
    assert plan is None or trt.Runtime(logger).deserialize_cuda_engine(plan) is None
    errors = logger.errors()
    assert "it is PTX 19.9" in errors and "install a newer driver" in errors, errors
