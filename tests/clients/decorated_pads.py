# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A decorated plugin that runs just in time and ahead of time: y = x with circular padding.

It contains only what a plan needs, because plans embed this file.
"""

import kiln
import kiln.aot
import numpy as np
import numpy.typing as npt
import tensorrt.plugin as trtp


@trtp.register("clients::wrap")
def wrap_desc(x: trtp.TensorDesc, pads: npt.NDArray[np.int32]) -> trtp.TensorDesc:
    y = x.like()
    y.shape_expr[1] += int(pads.sum())
    return y


@trtp.autotune("clients::wrap")
def wrap_choices(
    x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]
) -> list[trtp.AutoTuneCombination]:
    return [trtp.AutoTuneCombination("FP32, FP32", "LINEAR", [1, 2])]


@trtp.impl("clients::wrap")
def wrap(
    x: trtp.Tensor,
    pads: npt.NDArray[np.int32],
    outputs: tuple[trtp.Tensor],
    stream: int,
    tactic: int,
) -> None:
    np.asarray(outputs[0])[...] = np.pad(np.asarray(x), ((0, 0), tuple(pads)), mode="wrap")


SOURCE = """
#include <kiln/host_kernel.h>

int32_t wrap(void const* const* inputs, void* const* outputs, KilnScalar const* scalars,
             KilnHostCall const* call) {
    int64_t const rows = call->inputs[0].extents[0], columns = call->inputs[0].extents[1];
    int64_t const grown = call->outputs[0].extents[1], before = scalars[0].integer;
    float const* x = inputs[0];
    float* y = outputs[0];
    for (int64_t row = 0; row < rows; ++row) {
        for (int64_t column = 0; column < grown; ++column) {
            y[row * grown + column] = x[row * columns + (column + columns - before) % columns];
        }
    }
    return 0;
}
"""


@trtp.aot_impl("clients::wrap")
def wrap_kernel(
    x: trtp.TensorDesc, pads: npt.NDArray[np.int32], outputs: tuple[trtp.TensorDesc], tactic: int
) -> tuple[str, bytes, trtp.KernelLaunchParams, trtp.SymExprs]:
    extra = trtp.SymIntExprs.from_tuple([trtp.SymInt32(int(pads[0]))])
    return "wrap", kiln.aot.compile_c(SOURCE), trtp.KernelLaunchParams(), extra
