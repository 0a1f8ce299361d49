# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Code of an aot_impl that would not run: it is refused when the engine is built."""

import kiln
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from oplab import Net, define, op_of

pytestmark = pytest.mark.xdist_group("registry")

PTX = """
.version 8.0
.target {target}
.address_size 64
.visible .entry scale(.param .u64 x, .param .u32 n, .param .u64 y)
{{
    ret;
}}
"""


def desc(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


@pytest.fixture
def cuda():
    kiln.set_default_target("cuda:sm_80")
    yield
    kiln.set_default_target(None)


def plan_of(logger, name="scale", code=None, count=1, extra=None, **launch):
    """Builds a plan of one kernel. count: number of extra arguments."""

    def aot_impl(x, outputs):
        arguments = [x.shape_expr[0]] * count if extra is None else extra
        params = trtp.KernelLaunchParams(**launch)
        return kiln.Kernel(name, code or PTX.format(target="sm_80"), params, arguments)

    net = Net(logger)
    x = net.input("x", (-1, 3))
    net.profile(x=((1, 3), (2, 3), (8, 3)))
    net.output(net.add(op_of(define(desc, None, None, aot_impl))(x))[0], "y")
    return net.plan()


def test_right_code(logger, cuda):
    assert plan_of(logger, grid_x=2, block_x=32, shared_mem=64) is not None, logger.errors()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "scales"}, "'scales': expected it among the entry points of PTX, got near names"),
        ({"count": 0}, "parameter 1: expected the address of a tensor (8 bytes), the code has an"),
        (
            {"count": 3},
            "expected 5 parameters (1 inputs, 3 scalars, 1 outputs, in this order), the",
        ),
        ({"extra": [kiln.SymInt64(1)]}, "expected the extra argument 0 (int64, 8 bytes), the code"),
        ({"grid_x": 0}, "grid_x: expected 1 to 2147483647, got 0"),
        ({"grid_y": -1}, "grid_y: expected 1 to 65535, got -1"),
        ({"grid_z": 65536}, "grid_z: expected 1 to 65535, got 65536"),
        ({"block_x": 1025}, "block_x: expected 1 to 1024, got 1025"),
        ({"shared_mem": 1 << 20}, "shared_mem: expected 0 to 232448, got 1048576"),
        ({"code": PTX.format(target="sm_90")}, "code that runs on sm_80, got PTX for sm_90"),
        ({"code": "this is no code"}, "expected PTX, a cubin or a host object, got 15 bytes"),
        ({"code": b"\x7fELF\x02\x01"}, "expected 64 bytes of the ELF header at byte 0, got a file"),
    ],
)
def test_wrong_code(logger, cuda, options, message):
    assert plan_of(logger, **options) is None
    assert message in logger.errors()


def test_gpu_code_for_the_cpu(logger):
    assert plan_of(logger) is None
    assert "expected code for the target cpu, got PTX for sm_80" in logger.errors()


def test_a_grid_that_is_zero_for_some_shapes(logger, cuda):

    def aot_impl(x, outputs):
        launch = trtp.KernelLaunchParams(grid_x=x.shape_expr[0] // 4)
        return kiln.Kernel("scale", PTX.format(target="sm_80"), launch, [1])

    net = Net(logger)
    x = net.input("x", (-1, 3))
    net.profile(x=((4, 3), (4, 3), (8, 3)))
    net.output(net.add(op_of(define(desc, None, None, aot_impl))(x))[0], "y")
    assert net.plan() is not None, logger.errors()
    net.profile(x=((3, 3), (4, 3), (8, 3)))
    assert net.plan() is None
    assert "grid_x: expected 1 to 2147483647, got 0" in logger.errors()


def test_an_alias_of_another_type(logger):
    def aliased(x: trtp.TensorDesc) -> trtp.TensorDesc:
        return x.aliased()

    def autotune(x, outputs):
        return [trtp.AutoTuneCombination("FP32, FP16")]

    net = Net(logger, 0)
    net.config.set_flag(trt.BuilderFlag.FP16)
    net.config.set_preview_feature(trt.PreviewFeature.ALIASED_PLUGIN_IO_10_03, True)
    plugin_id = define(aliased, lambda x, outputs, stream: None, autotune)
    net.output(net.add(op_of(plugin_id)(net.input("x", (2, 3))))[0], "y")
    assert net.plan() is None
    assert "alias" in logger.errors()
