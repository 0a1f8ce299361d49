# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""How often an aot_impl is called: compilers take their time."""

import kiln
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from oplab import Net, define, op_of

pytestmark = pytest.mark.xdist_group("registry")

# The second tactic is the faster one by far.
SOURCE = """
#include <kiln/host_kernel.h>

static int32_t add(float* y, float const* x, int64_t times) {
    for (int64_t j = 0; j < times; ++j) {
        for (int64_t i = 0; i < 64; ++i) {
            ((float volatile*)y)[i] = x[i] + 1;
        }
    }
    return 0;
}

int32_t tactic1(void const* const* in, void* const* out, KilnScalar const* s,
                KilnHostCall const* c) {
    return add((float*)out[0], (float const*)in[0], 100000);
}

int32_t tactic2(void const* const* in, void* const* out, KilnScalar const* s,
                KilnHostCall const* c) {
    return add((float*)out[0], (float const*)in[0], 1);
}
"""


def desc(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


@pytest.mark.parametrize(
    ("types", "flags", "expected"),
    [
        ("FP32, FP32", 0, [1, 2]),
        # In a weakly typed network with FP16, both types are tried.
        ("FP32|FP16, FP32|FP16", 1 << int(trt.BuilderFlag.FP16), [1, 2, 1, 2]),
    ],
)
def test_once_for_each_tactic(logger, tmp_path, types, flags, expected):
    code, calls = kiln.aot.compile_c(SOURCE), []

    def autotune(x, outputs):
        return [trtp.AutoTuneCombination(types, "LINEAR", [1, 2])]

    def aot_impl(x, outputs, tactic):
        calls.append(tactic)
        return [kiln.Kernel(f"tactic{tactic}", code)]

    net = Net(logger, 0)
    net.config.flags = flags
    op = op_of(define(desc, None, autotune, aot_impl))
    net.output(net.add(op(net.input("x", (64,))))[0], "y")
    plan = net.plan()
    assert plan is not None, logger.errors()
    assert calls == expected
    path = tmp_path / "model.plan"
    path.write_bytes(plan)
    (plugin,) = kiln.describe_plan(path)["plugins"]
    (kernel,) = plugin["code"][0]["kernels"]
    assert (plugin["tactic"], kernel["entry"]) == (2, "tactic2"), "the code is that of the tactic"
