# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Code is compiled once and loaded once."""

import sys

import kiln
import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from oplab import Net, define, op_of

pytestmark = pytest.mark.xdist_group("registry")

# The second tactic is much faster.
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


def loaded(entry):
    """Number of loaded copies of a kernel's code in this process, found by their memory file."""
    with open("/proc/self/maps") as maps:
        return sum(f"/memfd:{entry} " in line and " r-xp " in line for line in maps)


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


@pytest.mark.skipif(sys.platform != "linux", reason="counts mappings in /proc")
def test_equal_code_of_layers_and_engines_is_loaded_once(logger):
    code = kiln.aot.compile_c(SOURCE.replace("tactic2", "shared"))

    def aot_impl(x, outputs):
        return [kiln.Kernel("shared", code)]

    op, net = op_of(define(desc, None, None, aot_impl)), Net(logger, 0)
    tensor = net.input("x", (64,))
    for _ in range(3):
        (tensor,) = net.add(op(tensor))
    net.output(tensor, "y")
    plan = net.plan()
    assert plan is not None, logger.errors()
    assert loaded("shared") == 0
    runtime = trt.Runtime(logger)
    runtime.engine_host_code_allowed = True
    engines = [runtime.deserialize_cuda_engine(plan) for _ in range(2)]
    assert loaded("shared") == 1
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    for engine in engines:
        context = engine.create_execution_context()
        context.set_tensor_address("x", x.ctypes.data)
        context.set_tensor_address("y", y.ctypes.data)
        assert context.execute_async_v3(0), logger.errors()
        np.testing.assert_array_equal(y, x + 3)
    del engine, context
    engines.clear()
    assert loaded("shared") == 0
