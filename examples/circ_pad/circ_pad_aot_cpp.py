# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""sample::circ_pad ahead of time: C++, compiled into the plan when the engine is built."""

from pathlib import Path

import circ_pad_op
import kiln.aot
import tensorrt.plugin as trtp

SOURCE = Path(__file__).with_name("circ_pad_kernel.cpp")


@trtp.aot_impl("sample::circ_pad")
def circ_pad(
    x: trtp.TensorDesc, pads: circ_pad_op.Pads, outputs: tuple[trtp.TensorDesc]
) -> tuple[str, bytes, trtp.KernelLaunchParams, trtp.SymExprs]:
    """Compiles all types at once, and returns the entry point for the type of x."""
    code = kiln.aot.compile_c(SOURCE)
    launch = trtp.KernelLaunchParams()  # ignored on the CPU: a kernel is called once
    return circ_pad_op.entry_name(x), code, launch, circ_pad_op.kernel_scalars(x, pads)
