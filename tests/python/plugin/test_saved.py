# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plans of ops, opened in another process."""

import subprocess
import sys
import textwrap

import numpy as np
import numpy.typing as npt
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from oplab import Net, define, op_of

pytestmark = pytest.mark.xdist_group("registry")

REGISTER = """
from typing import Tuple
import numpy as np
import numpy.typing as npt
import tensorrt as trt
import tensorrt.plugin as trtp

@trtp.register("saved::pad")
def desc(
    x: trtp.TensorDesc, pads: npt.NDArray[np.int32], mode: str, value: float
) -> Tuple[trtp.TensorDesc]:
    out = x.like()
    out.shape_expr[1] += int(pads.sum())
    return out
"""
IMPL = """
@trtp.impl("saved::pad")
def pad(x, pads: npt.NDArray[np.int32], mode, outputs: Tuple[trtp.Tensor], stream, tactic) -> None:
    assert tactic == 4
    rows = [(0, 0), tuple(pads)]
    np.asarray(outputs[0])[...] = np.pad(x, rows, mode)
"""
AUTOTUNE = """
@trtp.autotune("saved::pad")
def autotune(x, outputs):
    return [trtp.AutoTuneCombination("FP32, FP32", "LINEAR", [4])]
"""
BUILD = """
import sys
builder = trt.Builder(trt.Logger())
network = builder.create_network()
x = network.add_input("x", trt.float32, (2, 3))
call = trtp.op.saved.pad(x, np.array([1, 2], np.int32), mode="wrap", value=0.5)
y = network.add_plugin(call).get_output(0)
y.name = "y"
network.mark_output(y)
plan = builder.build_serialized_network(network, builder.create_builder_config())
open(sys.argv[1], "wb").write(plan)
"""
RUN = """
import sys
import numpy as np
import tensorrt as trt
runtime = trt.Runtime(trt.Logger())
engine = runtime.deserialize_cuda_engine(open(sys.argv[1], "rb").read())
assert engine is not None, "no engine"
context = engine.create_execution_context()
x = np.arange(6, dtype=np.float32).reshape(2, 3)
y = np.zeros((2, 6), np.float32)
context.set_tensor_address("x", x.ctypes.data)
context.set_tensor_address("y", y.ctypes.data)
assert context.execute_async_v3(0)
assert (y == np.pad(x, [(0, 0), (1, 2)], "wrap")).all(), y
print("right")
"""


def python(text, *arguments):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / "pad.plan"
    made = python(REGISTER + IMPL + AUTOTUNE + BUILD, path)
    assert made.returncode == 0, made.stdout + made.stderr
    return path


def test_register_and_impl_are_enough(plan):
    ran = python(REGISTER + IMPL + RUN, plan)
    assert ran.stdout.strip().endswith("right"), ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("", "saved::pad"),
        (REGISTER, "saved::pad: expected impl, which the engine calls, got register without it"),
        (
            REGISTER + IMPL.replace("mode, outputs", "mode, value, outputs"),
            "expected values of pads, mode, value, got none for value",
        ),
        (
            (REGISTER + IMPL).replace("pads: npt.NDArray[np.int32]", "padding: int").replace(
                "int(pads.sum())", "1").replace("tuple(pads)", "(1, 1)"),
            "expected attributes padding, mode, value, got 'pads'",
        ),
    ],
    ids=["nothing", "no impl", "impl takes more", "another register"],
)  # fmt: skip
def test_what_is_missing_is_said(plan, code, message):
    ran = python(code + RUN, plan)
    assert ran.returncode != 0
    assert message in ran.stdout + ran.stderr


def test_the_timing_cache_id():
    def desc(x: trtp.TensorDesc, size: int, w: npt.NDArray[np.float32]) -> trtp.TensorDesc:
        return x.like()

    def one(x, outputs, stream):
        pass

    def two(x, outputs, stream):
        return None

    def plugin(impl, size, w):
        net = Net(trt.Logger())
        call = op_of(define(desc, impl))(net.input("x", (2,)), size, np.array(w, np.float32))
        return call(trt.QuickPluginCreationRequest.UNKNOWN)[2].get_timing_cache_id()

    first = plugin(one, 1, [1, 2])
    assert first == plugin(one, 1, [1, 2])
    others = {plugin(two, 1, [1, 2]), plugin(one, 2, [1, 2]), plugin(one, 1, [1, 3])}
    assert len({first, *others}) == 4


def test_the_timing_cache_id_without_source():
    def made(body):
        names = {"trtp": trtp}
        exec(f"def impl(x, outputs, stream):\n    return [lambda: {body}] and None", names)

        def desc(x: trtp.TensorDesc) -> trtp.TensorDesc:
            return x.like()

        call = op_of(define(desc, names["impl"]))(Net(trt.Logger()).input("x", (2,)))
        return call()[2].get_timing_cache_id()

    assert made("1 + 1j") == made("1 + 1j") != made("2 + 2j")


def test_a_clone_is_equal(logger):
    def desc(x: trtp.TensorDesc, size: int) -> trtp.TensorDesc:
        return x.like()

    _, _, plugin = op_of(define(desc, lambda x, outputs, stream: None))(
        Net(logger).input("x", (2,)), 5
    )
    plugin.set_tactic(3)
    copy = plugin.clone()
    assert copy is not plugin and type(copy) is type(plugin)
    assert (copy.attributes, copy.tactic, copy.hints) == (plugin.attributes, 3, plugin.hints)
    assert plugin.get_capability_interface(type=trt.PluginCapabilityType.BUILD) is plugin
