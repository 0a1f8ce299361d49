# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A decorated plugin with an array attribute, two types, two tactics, impl and aot_impl.

y = x with its last dimensions extended by values from the opposite edge. The attribute pads holds
two numbers for each padded dimension, last dimension first. x: [...], float32 | float16.

Just in time, the engine calls impl, so a process that runs the plan needs register and impl. Ahead
of time, aot_impl compiles C for the plan, and a process that runs it needs neither Python nor this
file. In both cases the build times both tactics and the plan stores the faster one.
"""

from functools import partial

import engines
import kiln.aot
import numpy as np
import numpy.typing as npt
import onnx_graphsurgeon as gs
import tensorrt as trt
import tensorrt.plugin as trtp

import onnx

BY_ELEMENT, BY_ROW = 1, 2  # the tactics


@trtp.register("sample::circ_pad")
def circ_pad_desc(x: trtp.TensorDesc, pads: npt.NDArray[np.int32]) -> trtp.TensorDesc:
    """The padded dimensions grow by their pads."""
    y = x.like()
    for i in range(len(pads) // 2):
        axis = x.ndim - 1 - i
        y.shape_expr[axis] += int(pads[2 * i] + pads[2 * i + 1])
    return y


@trtp.autotune("sample::circ_pad")
def circ_pad_choices(
    x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]
) -> list[trtp.AutoTuneCombination]:
    """Float in and out or half in and out, row-major, each with both tactics."""
    return [trtp.AutoTuneCombination("FP32|FP16, FP32|FP16", "LINEAR", [BY_ELEMENT, BY_ROW])]


@trtp.impl("sample::circ_pad")
def circ_pad(
    x: trtp.Tensor,
    pads: npt.NDArray[np.int32],
    outputs: tuple[trtp.Tensor],
    stream: int,
    tactic: int,
) -> None:
    """Pads with NumPy, which can access the memory of the cpu target."""
    source, y = np.asarray(x), np.asarray(outputs[0])
    positions = [
        (np.arange(grown) - before) % extent
        for grown, extent, before in zip(y.shape, source.shape, befores(pads, x.ndim), strict=True)
    ]
    if tactic == BY_ELEMENT:
        y[...] = source[np.ix_(*positions)]
        return
    rows = source[np.ix_(*positions[:-1])]
    np.take(rows, positions[-1], axis=-1, out=y, mode="clip")


def befores(pads: npt.NDArray[np.int32], rank: int) -> list[int]:
    """The padding before each dimension."""
    given = [int(before) for before in pads[0::2]]
    return [0] * (rank - len(given)) + given[::-1]


SOURCE = """
#include <kiln/host_kernel.h>
#include <string.h>

static int64_t wrapped(int64_t index, int64_t extent) {
    int64_t const rest = index % extent;
    return rest < 0 ? rest + extent : rest;
}

// scalars: what is put before each dimension.
int32_t pad(void const* const* inputs, void* const* outputs, KilnScalar const* scalars,
            KilnHostCall const* call) {
    KilnTensorDesc const* const x = &call->inputs[0];
    KilnTensorDesc const* const y = &call->outputs[0];
    int const last = x->rank - 1;
    int64_t const size = SIZE, length = x->extents[last], grown = y->extents[last];
    int64_t const before = scalars[last].integer;
    int64_t rows = 1, at[8] = {0};
    for (int axis = 0; axis <= last; ++axis) {
        if (x->extents[axis] == 0 && y->extents[axis] != 0) {
            return 1;  // nothing to repeat
        }
        rows *= axis < last ? y->extents[axis] : 1;
    }
    char* to = outputs[0];
    for (int64_t row = 0; row < rows; ++row, to += grown * size) {
        int64_t source = 0;
        for (int axis = 0; axis < last; ++axis) {
            int64_t const index = wrapped(at[axis] - scalars[axis].integer, x->extents[axis]);
            source = source * x->extents[axis] + index;
        }
        char const* const from = (char const*)inputs[0] + source * length * size;
        // STEP is 1, or as many elements as lie side by side.
        for (int64_t column = 0, step; column < grown; column += step) {
            int64_t const index = wrapped(column - before, length);
            step = STEP;
            memcpy(to + column * size, from + index * size, step * size);
        }
        for (int axis = last - 1; axis >= 0 && ++at[axis] == y->extents[axis]; --axis) {
            at[axis] = 0;
        }
    }
    return 0;
}
"""
ALONGSIDE = "(length - index < grown - column ? length - index : grown - column)"


@trtp.aot_impl("sample::circ_pad")
def circ_pad_kernel(
    x: trtp.TensorDesc, pads: npt.NDArray[np.int32], outputs: tuple[trtp.TensorDesc], tactic: int
) -> tuple[str, bytes, trtp.KernelLaunchParams, trtp.SymExprs]:
    """Compiles C for one type and tactic; called once for each combination."""
    target = kiln.build_target().target
    if target != "cpu":
        raise NotImplementedError(f"circ_pad has C for cpu, not {target}; see circ_pad_triton.py")
    code = kiln.aot.compile_c(
        SOURCE,
        options=[
            f"-DSIZE={x.dtype.itemsize}",
            f"-DSTEP={ALONGSIDE if tactic == BY_ROW else 1}",
        ],
    )
    extra = trtp.SymIntExprs.from_tuple([trtp.SymInt32(n) for n in befores(pads, x.ndim)])
    return "pad", code, trtp.KernelLaunchParams(), extra


# -------------------------------------------------------------------------------------------------

PADS = np.array([1, 2, 3, 0], np.int32)  # columns: 1 before and 2 after, rows: 3 before
PROFILE = {"x": ((1, 2, 2), (8, 16, 16), (64, 64, 64))}


def model(aot: bool) -> onnx.ModelProto:
    """An ONNX model of one node; the attribute aot selects impl or aot_impl."""
    x = gs.Variable("x", np.float32, ("n", "rows", "columns"))
    y = gs.Variable("y", np.float32, ("n", "rows + 3", "columns + 3"))
    attributes = {"plugin_namespace": "sample", "plugin_version": "1", "pads": PADS.tolist()}
    attributes["aot"] = aot
    node = gs.Node("circ_pad", inputs=[x], outputs=[y], attrs=attributes)
    model: onnx.ModelProto = gs.export_onnx(gs.Graph([node], inputs=[x], outputs=[y]))
    return model


def define(network: trt.INetworkDefinition, aot: bool) -> None:
    """The same through the network API."""
    x = network.add_input("x", trt.float32, (-1, -1, -1))
    layer = network.add_plugin(trtp.op.sample.circ_pad(x, pads=PADS), aot=aot)
    layer.get_output(0).name = "y"
    network.mark_output(layer.get_output(0))


if __name__ == "__main__" and not engines.run_saved():
    kiln.set_default_target("cpu")  # NumPy and C compute in host memory
    x = np.random.default_rng(1).random((8, 16, 16), np.float32)
    padded = np.pad(x, ((0, 0), (3, 0), (1, 2)), mode="wrap")
    for aot in (False, True):
        print("Ahead of time:" if aot else "Just in time:")
        engines.check(
            # Compiled code runs in a process that does not load this file.
            engines.__file__ if aot else __file__,
            {
                "ONNX": partial(engines.build, model(aot), profile=PROFILE),
                "network API": partial(engines.build, partial(define, aot=aot), profile=PROFILE),
            },
            inputs={"x": x},
            expected={"y": padded},
            host_code=aot,
        )
