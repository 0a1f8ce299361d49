# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A decorated plugin compiled by Triton into a plan for a GPU, on a machine without one.

y = x with its last dimension extended by `before` and `after` values from the opposite edge.
x: [rows, columns], float32. The plan is for the target on the command line (default: cuda:sm_90;
several GPUs as in cuda:sm_80+sm_90) and needs no Python. The program inspects it, and runs it if
there is such a GPU.
"""

import sys
import tempfile
from pathlib import Path

import engines
import kiln
import numpy as np
import onnx_graphsurgeon as gs
import tensorrt as trt
import tensorrt.plugin as trtp
import triton
import triton.language as tl

import onnx

BLOCK = 256


@triton.jit
def pad_columns(
    x: tl.tensor,
    columns: tl.tensor,
    grown: tl.tensor,
    before: tl.tensor,
    count: tl.tensor,
    y: tl.tensor,
    BLOCK: tl.constexpr,
) -> None:
    """The order of arguments: inputs, extra scalars, outputs."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    # Operands of % are not negative: before is at most columns.
    column = (at % grown + columns - before) % columns
    values = tl.load(x + at // grown * columns + column, mask=inside)
    tl.store(y + at, values, mask=inside)


@trtp.register("sample::circ_pad_columns")
def circ_pad_desc(x: trtp.TensorDesc, before: int, after: int) -> trtp.TensorDesc:
    """The columns grow."""
    return trtp.from_shape_expr((x.shape_expr[0], x.shape_expr[1] + before + after), x.dtype)


@trtp.aot_impl("sample::circ_pad_columns")
def circ_pad_kernel(
    x: trtp.TensorDesc, before: int, after: int, outputs: tuple[trtp.TensorDesc]
) -> tuple[str, str, trtp.KernelLaunchParams, trtp.SymExprs]:
    """Compiles for one architecture; called once for each architecture of the plan."""
    scalars = dict.fromkeys(("columns", "grown", "before", "count"), "i32")
    source = triton.compiler.ASTSource(
        fn=pad_columns,
        signature={"x": "*fp32", **scalars, "y": "*fp32", "BLOCK": "constexpr"},
        constexprs={"BLOCK": BLOCK},
    )
    compiled = triton.compile(source)  # Kiln reports the plan's GPU to Triton

    # Expressions of the input's extents: the engine evaluates them when shapes change.
    rows, columns = x.shape_expr
    grown = columns + before + after
    count = rows * grown
    launch = trtp.KernelLaunchParams(
        grid_x=trtp.cdiv(count, BLOCK),
        block_x=compiled.metadata.num_warps * 32,
        shared_mem=compiled.metadata.shared,
    )
    extra = trtp.SymIntExprs.from_tuple(
        [trtp.SymInt32(value) for value in (columns, grown, before, count)]
    )
    return compiled.metadata.name, compiled.asm["ptx"], launch, extra


# -------------------------------------------------------------------------------------------------

PROFILE = {"x": ((1, 8), (32, 32), (1024, 1024))}


def model() -> onnx.ModelProto:
    """An ONNX model of one node."""
    x = gs.Variable("x", np.float32, ("rows", "columns"))
    y = gs.Variable("y", np.float32, ("rows", "columns + 3"))
    attributes = {"plugin_namespace": "sample", "plugin_version": "1", "aot": True}
    attributes |= {"before": 1, "after": 2}
    node = gs.Node("circ_pad_columns", inputs=[x], outputs=[y], attrs=attributes)
    model: onnx.ModelProto = gs.export_onnx(gs.Graph([node], inputs=[x], outputs=[y]))
    return model


def define(network: trt.INetworkDefinition) -> None:
    """The same through the network API."""
    x = network.add_input("x", trt.float32, (-1, -1))
    layer = network.add_plugin(trtp.op.sample.circ_pad_columns(x, before=1, after=2), aot=True)
    layer.get_output(0).name = "y"
    network.mark_output(layer.get_output(0))


def check(plan: bytes, architectures: list[str]) -> None:
    """Checks and prints the code of a plan: a cubin and PTX for each architecture."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "circ_pad.plan"
        path.write_bytes(plan)
        (plugin,) = kiln.describe_plan(path)["plugins"]
    assert not plugin["needs_python"]
    assert [code["architecture"] for code in plugin["code"]] == architectures
    for code in plugin["code"]:
        (kernel,) = code["kernels"]
        kinds = [image["kind"] for image in kernel["images"]]
        assert kinds == ["cubin", "PTX"], kinds
        print(f"  {kernel['entry']} for {code['architecture']}: {', '.join(kinds)}")


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else "cuda:sm_90"
    kiln.set_default_target(target)
    for name, way_in in (("ONNX", model()), ("network API", define)):
        print(f"{name}, {target}:")
        plan = engines.build(way_in, profile=PROFILE)
        check(plan, kiln.describe_target(target)["architectures"])
        if kiln.describe_target(target)["runs_here"]:
            x = np.random.default_rng(1).random((5, 8), np.float32)
            y = engines.run(engines.open_plan(plan), {"x": x})["y"]
            np.testing.assert_array_equal(y, np.pad(x, ((0, 0), (1, 2)), mode="wrap"))
            print("  right on the GPU of this machine")
