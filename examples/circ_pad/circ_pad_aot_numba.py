# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""sample::circ_pad ahead of time: a Numba cfunc, compiled into the plan.

The engine that runs the plan needs neither Numba nor Python. The function copies bits, as in
circ_pad_numba.py, so there is one for each element width.
"""

from collections.abc import MutableSequence, Sequence

import circ_pad_op
import kiln.aot
import tensorrt.plugin as trtp
from numba import cfunc, types
from numba.core.typing import Signature


def signature(element: types.Type) -> Signature:
    """The signature in <kiln/host_kernel.h>; the call's descriptors are not used."""
    tensors = types.CPointer(types.CPointer(element))
    return types.int32(tensors, tensors, types.CPointer(types.int64), types.voidptr)


def pad(
    inputs: Sequence[Sequence[int]],
    outputs: Sequence[MutableSequence[int]],
    scalars: Sequence[int],
    call: int,
) -> int:
    """Fills y. scalars: the rank; for each dimension the extent, and the pads before and after."""
    x, y, last = inputs[0], outputs[0], scalars[0] - 1
    rows = 1
    for axis in range(last):
        rows *= scalars[3 * axis + 1] + scalars[3 * axis + 2] + scalars[3 * axis + 3]
    extent, before = scalars[3 * last + 1], scalars[3 * last + 2]
    columns = extent + before + scalars[3 * last + 3]
    for row in range(rows):
        rest, source, stride = row, 0, extent
        for axis in range(last - 1, -1, -1):
            length, above = scalars[3 * axis + 1], scalars[3 * axis + 2]
            grown = length + above + scalars[3 * axis + 3]
            source += (rest % grown - above) % length * stride
            rest //= grown
            stride *= length
        index = -before % extent
        for column in range(columns):
            y[row * columns + column] = x[source + index]
            index = index + 1 if index + 1 < extent else 0
    return 0


WIDTHS = {2: types.uint16, 4: types.uint32}


@trtp.aot_impl("sample::circ_pad")
def circ_pad(
    x: trtp.TensorDesc, pads: circ_pad_op.Pads, outputs: tuple[trtp.TensorDesc]
) -> tuple[str, bytes, trtp.KernelLaunchParams, trtp.SymExprs]:
    """Compiles for the type of x."""
    entry = circ_pad_op.entry_name(x)
    function = cfunc(signature(WIDTHS[x.dtype.itemsize]))(pad)
    code = kiln.aot.from_numba(function, name=entry)
    scalars = [trtp.SymInt32(x.ndim), *circ_pad_op.kernel_scalars(x, pads)]
    launch = trtp.KernelLaunchParams()  # ignored on the CPU: a kernel is called once
    return entry, code, launch, trtp.SymIntExprs.from_tuple(scalars)
