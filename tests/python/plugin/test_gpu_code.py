# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans for GPUs of decorated ops, built without a GPU."""

import json

import kiln
import pytest
import tensorrt.plugin as trtp
from oplab import Net, define, op_of

triton = pytest.importorskip("triton")
tl = triton.language
pytestmark = pytest.mark.xdist_group("registry")


@triton.jit
def double(x, n, y, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)


def desc(x: trtp.TensorDesc, block_size: int) -> trtp.TensorDesc:
    return x.like()


@pytest.fixture
def cuda():
    kiln.set_default_target("cuda:sm_80+sm_90")
    yield
    kiln.set_default_target(None)


def test_triton(logger, cuda, tmp_path):
    targets = []

    def aot_impl(
        x: trtp.TensorDesc, block_size: int, outputs: tuple[trtp.TensorDesc], tactic: int
    ) -> tuple[str | bytes, str | bytes, trtp.KernelLaunchParams, trtp.SymExprs]:
        targets.append(kiln.build_target().compute_capability)
        source = triton.compiler.ASTSource(
            double,
            signature={"x": "*fp32", "n": "i32", "y": "*fp32", "BLOCK": "constexpr"},
            constexprs={"BLOCK": block_size},
        )
        kernel = triton.compile(source)
        count = x.shape_expr.numel()
        launch = trtp.KernelLaunchParams()
        launch.grid_x = trtp.cdiv(count, block_size)
        launch.block_x = kernel.metadata.num_warps * 32
        launch.shared_mem = kernel.metadata.shared
        extra = trtp.SymIntExprs(1)
        extra[0] = trtp.SymInt32(count)
        return kernel.metadata.name, kernel.asm["ptx"], launch, extra

    net = Net(logger)
    x = net.input("x", (-1, 3))
    net.output(net.add(op_of(define(desc, None, None, aot_impl))(x, block_size=128))[0], "y")
    net.profile(x=((1, 3), (2, 3), (8, 3)))
    plan = net.plan()
    assert plan is not None, logger.errors()
    assert targets == [(8, 0), (9, 0)]
    path = tmp_path / "model.plan"
    path.write_bytes(plan)
    text = json.dumps(kiln.describe_plan(path))
    assert "sm_80" in text and "sm_90" in text and "cubin" in text
