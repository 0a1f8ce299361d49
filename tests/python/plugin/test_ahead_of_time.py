# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Decorated ops that are compiled into the engine."""

import ctypes

import kiln
import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from oplab import Engine, Net, define, op_of

pytestmark = pytest.mark.xdist_group("registry")

SOURCE = """
#include <kiln/host_kernel.h>

int32_t scale(void const* const* in, void* const* out, KilnScalar const* s, KilnHostCall const* c) {
    float const* x = (float const*)in[0];
    float* y = (float*)out[0];
    for (int64_t i = 0; i < s[0].integer; ++i) {
        y[i] = x[i] * (float)s[1].real + (float)s[2].integer;
    }
    return c->scalarCount == 3 ? 0 : 1;
}

int32_t twice(void const* const* in, void* const* out, KilnScalar const* s, KilnHostCall const* c) {
    float* y = (float*)out[0];
    for (int64_t i = 0; i < c->grid[0] * c->block[0]; ++i) {
        y[i] *= 2;
    }
    return 0;
}
"""
SHAPES = ((1, 3), (2, 3), (8, 3))


@pytest.fixture(scope="module")
def code():
    return kiln.aot.compile_c(SOURCE)


def desc(x: trtp.TensorDesc, factor: float, plus: int) -> trtp.TensorDesc:
    return x.like()


def scale_of(code, seen=None):
    def aot_impl(x: trtp.TensorDesc, plus: int, factor: float, outputs: tuple[trtp.TensorDesc]):
        if seen is not None:
            seen.append((kiln.build_target(), x, outputs))
        count = x.shape_expr.numel()
        scale = kiln.Kernel("scale", code, extra_args=(kiln.SymInt64(count), factor, plus))
        launch = trtp.KernelLaunchParams(grid_x=count, block_x=1)
        return [scale, kiln.Kernel("twice", code, launch)]

    return aot_impl


def net_of(logger, plugin_id, shape=(-1, 3), **attributes):
    net = Net(logger)
    x = net.input("x", shape)
    y = net.add(op_of(plugin_id)(x, **attributes), aot=True)[0]
    net.output(y, "y")
    if -1 in shape:
        net.profile(x=SHAPES)
    return net


def allowed(logger, plan):
    """Opens a plan with host code allowed."""
    runtime = trt.Runtime(logger)
    runtime.engine_host_code_allowed = True
    engine = Engine.__new__(Engine)
    engine.logger, engine.runtime = logger, runtime
    engine.engine = runtime.deserialize_cuda_engine(plan)
    assert engine.engine is not None, logger.errors()
    engine.context = engine.engine.create_execution_context()
    return engine


def test_kernels_on_the_cpu(logger, code):
    plan = net_of(logger, define(desc, None, None, scale_of(code)), factor=1.5, plus=1).plan()
    assert plan is not None, logger.errors()
    engine = allowed(logger, plan)
    for rows in (1, 8, 3):
        x = np.arange(rows * 3, dtype=np.float32).reshape(rows, 3)
        y = np.zeros_like(x)
        assert engine.run({"x": x}, {"y": y}), logger.errors()
        np.testing.assert_array_equal(y, 2 * (x * 1.5 + 1))


def test_host_code_runs_only_when_it_is_allowed(logger, code):
    plan = net_of(logger, define(desc, None, None, scale_of(code)), factor=1.5, plus=1).plan()
    assert trt.Runtime(logger).deserialize_cuda_engine(plan) is None
    assert "engine_host_code_allowed" in logger.errors() or "HostCode" in logger.errors()


def test_what_aot_impl_gets(logger, code):
    seen = []
    plugin_id = define(desc, None, None, scale_of(code, seen))

    def look(x, plus, factor, outputs):
        assert x.dtype == trt.float32
        assert x.has_shape and x.has_shape_expr and x.is_dynamic
        assert (x.shape.min, x.shape.opt, x.shape.max) == SHAPES
        assert not x.shape_expr[0].is_constant
        assert x.shape_expr[1].constant_value() == 3
        assert x.format == outputs[0].format == trt.TensorFormat.LINEAR
        assert len(outputs[0].shape_expr) == 2
        return scale_of(code, seen)(x, plus, factor, outputs)

    plugin_id = define(desc, None, None, look)
    assert net_of(logger, plugin_id, factor=1.0, plus=0).plan() is not None, logger.errors()
    target = seen[0][0]
    assert (target.target, target.architecture) == ("cpu", "x86-64")
    assert target.compute_capability is None
    with pytest.raises(AttributeError, match=r"TensorDesc.dtype: expected a descriptor of the"):
        seen[0][1].dtype = trt.float16


def test_the_target_outside():
    assert kiln.build_target().target == "cpu"


def test_the_form_of_the_api(logger, code):
    """One kernel with SymIntExprs, as a tuple."""

    def aot_impl(x, outputs, tactic):
        assert tactic == 0
        launch = trtp.KernelLaunchParams()
        launch.grid_x = x.shape_expr.numel()
        return "twice", code, launch, trtp.SymIntExprs(0)

    net = net_of(logger, define(desc, None, None, aot_impl), factor=1.0, plus=0)
    assert net.plan() is not None, logger.errors()


def plan_with(logger, result):
    plugin_id = define(desc, None, None, lambda x, outputs: result)
    assert net_of(logger, plugin_id, (2, 3), factor=1.0, plus=0).plan() is None
    return logger.errors()


LAUNCH, NONE = trtp.KernelLaunchParams(), trtp.SymIntExprs(0)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (None, "expected (name, code, KernelLaunchParams, SymExprs) or a list of kiln.Kernel, got"),
        ((), "or a list of kiln.Kernel, got tuple"),
        (("k", "code", 7, NONE), "expected KernelLaunchParams after the code, got int"),
        (("k", "code", LAUNCH, 7), "expected SymExprs as the extra arguments, got int"),
        (("", "code", LAUNCH, NONE), "expected the name of an entry point, got ''"),
        (("k", "", LAUNCH, NONE), "kernel 'k', code: expected PTX, a cubin or an ELF object, got"),
        (("k", 7, LAUNCH, NONE), "kernel 'k', code: expected PTX as str, or PTX, a cubin or an"),
        (("k", "code", LAUNCH, [None]), "kernel 'k', extra argument 0: expected an int, a float"),
    ],
)
def test_wrong_results(logger, result, message):
    assert message in plan_with(logger, result)


def test_kernel_arguments():
    values = (
        1,
        trtp.SymInt8(2),
        kiln.SymInt64(3),
        1.5,
        np.float32(2.5),
        np.float64(3.5),
        kiln.Float64(4.5),
        ctypes.c_double(5.5),
        ctypes.c_int64(6),
    )
    kernel = kiln.Kernel(name=b"k", code=["ptx", b"cubin"], launch_params=None, extra_args=values)
    assert kernel.images == [b"ptx", b"cubin"]
    assert [type(value).__name__ for value in kernel.extra_args] == [
        "SymInt32",
        "SymInt8",
        "SymInt64",
        "Float32",
        "Float32",
        "Float64",
        "Float64",
        "Float64",
        "SymInt64",
    ]
    with pytest.raises(TypeError, match="kernel 'k': expected KernelLaunchParams, got int"):
        kiln.Kernel("k", "ptx", 7)


def test_a_size_tensor_launches_nothing(logger, code):
    def description(x: trtp.TensorDesc) -> tuple[trtp.TensorDesc, trtp.TensorDesc]:
        count = trtp.size_tensor(x.shape_expr[0], x.shape_expr[0])
        return trtp.from_shape_expr((count.expr(),), dtype=x.dtype), count

    def aot_impl(x, outputs):
        return kiln.Kernel("twice", code, extra_args=[outputs[0].shape_expr[0]])

    net = net_of(logger, define(description, None, None, aot_impl))
    assert net.plan() is None
    assert "extra argument 0: expected an expression of the inputs' shapes" in logger.errors()
