# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""sample::circ_pad ahead of time: C, compiled into the plan when the engine is built."""

from pathlib import Path

import circ_pad_op
import kiln.aot
import tensorrt.plugin as trtp

SOURCE = Path(__file__).with_name("circ_pad_kernel.c")


@trtp.aot_impl("sample::circ_pad")
def circ_pad(
    x: trtp.TensorDesc, pads: circ_pad_op.Pads, outputs: tuple[trtp.TensorDesc]
) -> tuple[str, bytes, trtp.KernelLaunchParams, trtp.SymExprs]:
    """Compiles for the type of x."""
    entry = circ_pad_op.entry_name(x)
    element = f"uint{8 * x.dtype.itemsize}_t"
    code = kiln.aot.compile_c(SOURCE, options=[f"-DENTRY={entry}", f"-DELEMENT={element}"])
    return entry, code, trtp.KernelLaunchParams(), circ_pad_op.kernel_scalars(x, pads)
