# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""sample::circ_pad ahead of time for GPUs: Triton, compiled into the plan when the engine is built.

The engine that runs the plan needs neither Triton nor Python.
"""

import circ_pad_cuda
import circ_pad_op
import circ_pad_v3
import tensorrt.plugin as trtp
import triton
import triton.language as tl
from triton.language import tensor as T

BLOCK = 1024
DIMENSION_NAMES = [f"{what}{i}" for i in range(4) for what in ("extent", "before", "grown")]


@triton.jit
def source(index: T, extent: T, before: T) -> T:
    """The index in x of an element of y; % of a negative number is negative."""
    rest = (index - before) % extent
    return tl.where(rest < 0, rest + extent, rest)


# fmt: off
@triton.jit
def pad(x: T, count: T, extent0: T, before0: T, grown0: T, extent1: T, before1: T, grown1: T,
        extent2: T, before2: T, grown2: T, extent3: T, before3: T, grown3: T, y: T,
        BLOCK: tl.constexpr) -> None:
    """The same as circ_pad_kernel.cu."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    row = at // grown3
    plane = row // grown2
    cube = plane // grown1
    outer = cube // grown0
    place = outer * extent0 + source(cube - outer * grown0, extent0, before0)
    place = place * extent1 + source(plane - cube * grown1, extent1, before1)
    place = place * extent2 + source(row - plane * grown2, extent2, before2)
    place = place * extent3 + source(at - row * grown3, extent3, before3)
    tl.store(y + at, tl.load(x + place, mask=inside), mask=inside)


# The names contain the type that a kernel is compiled for.
@triton.jit
def circ_pad_float32(x: T, count: T, extent0: T, before0: T, grown0: T,
                     extent1: T, before1: T, grown1: T, extent2: T, before2: T, grown2: T,
                     extent3: T, before3: T, grown3: T, y: T, BLOCK: tl.constexpr) -> None:
    """For float."""
    pad(x, count, extent0, before0, grown0, extent1, before1, grown1,
        extent2, before2, grown2, extent3, before3, grown3, y, BLOCK)


@triton.jit
def circ_pad_float16(x: T, count: T, extent0: T, before0: T, grown0: T,
                     extent1: T, before1: T, grown1: T, extent2: T, before2: T, grown2: T,
                     extent3: T, before3: T, grown3: T, y: T, BLOCK: tl.constexpr) -> None:
    """For half."""
    pad(x, count, extent0, before0, grown0, extent1, before1, grown1,
        extent2, before2, grown2, extent3, before3, grown3, y, BLOCK)
# fmt: on


KERNELS = {"circ_pad_float32": circ_pad_float32, "circ_pad_float16": circ_pad_float16}
POINTERS = {"circ_pad_float32": "*fp32", "circ_pad_float16": "*fp16"}


@trtp.aot_impl("sample::circ_pad")
def circ_pad(
    x: trtp.TensorDesc, pads: circ_pad_op.Pads, outputs: tuple[trtp.TensorDesc]
) -> tuple[str, str, trtp.KernelLaunchParams, trtp.SymExprs]:
    """Compiles for the type of x and the target architecture, which Kiln reports to Triton."""
    name = circ_pad_op.entry_name(x)
    pointer = POINTERS[name]
    signature = {"x": pointer, **dict.fromkeys(["count", *DIMENSION_NAMES], "i32"), "y": pointer}
    compiled = triton.compile(
        triton.compiler.ASTSource(
            fn=KERNELS[name],
            signature={**signature, "BLOCK": "constexpr"},
            constexprs={"BLOCK": BLOCK},
        )
    )
    numbers = circ_pad_cuda.scalars(list(x.shape_expr), circ_pad_v3.pairs_of(pads.tolist()))
    launch = trtp.KernelLaunchParams(
        grid_x=trtp.cdiv(numbers[0], BLOCK),
        block_x=compiled.metadata.num_warps * 32,
        shared_mem=compiled.metadata.shared,
    )
    extra = trtp.SymIntExprs.from_tuple([trtp.SymInt32(number) for number in numbers])
    return compiled.metadata.name, compiled.asm["ptx"], launch, extra
