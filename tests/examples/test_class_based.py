# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The feature plugins of examples/class_based: from ONNX models, in other processes, in trtexec.

The test of the guide checks what the programs print with networks of the network API.
"""

import subprocess
import sys

import accumulate
import nonzero
import numpy as np
import pytest
import shared_table
import tactics
import tensorrt as trt
import tile
from matrix.process import run_process
from matrix.trtexec import find_trtexec

import onnx
from onnx import TensorProto, helper

pytestmark = pytest.mark.xdist_group("registry")
FLOAT, INT32 = TensorProto.FLOAT, TensorProto.INT32
# Plugin: its module, inputs, outputs, attributes. A name in a shape is a dynamic dimension.
MODELS = {
    "Accumulate": (
        accumulate,
        [("total", FLOAT, [4]), ("x", FLOAT, [4])],
        [("sum", FLOAT, [4])],
        {},
    ),
    "Nonzero": (
        nonzero,
        [("x", FLOAT, ["rows", "columns"])],
        [("positions", INT32, ["count", 2]), ("count", INT32, [])],
        {},
    ),
    "Tile": (
        tile,
        [("x", FLOAT, [2]), ("repeats", INT32, [1])],
        [("y", FLOAT, ["n"])],
        {"tensorrt_plugin_shape_input_indices": [1]},
    ),
    "PadOnce": (tactics, [("x", FLOAT, [1, 3])], [("y", FLOAT, [1, 5])], {}),
    "SharedTable": (shared_table, [("x", INT32, [4])], [("y", FLOAT, [4])], {}),
}


def model_of(name):
    """An ONNX model of one node."""
    _, inputs, outputs, attributes = MODELS[name]
    node = helper.make_node(name, [i[0] for i in inputs], [o[0] for o in outputs], **attributes)
    values = [helper.make_tensor_value_info(*value) for value in (*inputs, *outputs)]
    shown = [value for value in values[len(inputs) :] if value.name != "count"]
    graph = helper.make_graph([node], name, values[: len(inputs)], shown)
    return helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])


def build(name, logger):
    """The plan of the model."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, logger)
    parsed = parser.parse(model_of(name).SerializeToString())
    assert parsed, [parser.get_error(i).desc() for i in range(parser.num_errors)]
    config = builder.create_builder_config()
    config.set_preview_feature(trt.PreviewFeature.ALIASED_PLUGIN_IO_10_03, name == "Accumulate")
    profile = builder.create_optimization_profile()
    if name == "Nonzero":
        profile.set_shape("x", (1, 1), (4, 4), (64, 64))
    if name == "Tile":
        profile.set_shape_input("repeats", [1], [2], [8])
    config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None
    return bytes(plan)


def result_of(name, plan, logger):
    """Returns what an engine of the plan computes, and the expected result."""
    module = MODELS[name][0]
    if name in ("Accumulate", "PadOnce"):
        expected = [3, 3, 3, 3] if name == "Accumulate" else [[3, 1, 2, 3, 1]]
        return module.run(plan, logger), expected
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    if name == "Nonzero":
        x = np.zeros((3, 5), np.float32)
        x[2, 1] = x[0, 4] = 1
        return module.run(context, x), [[0, 4], [2, 1]]
    if name == "Tile":
        return module.run(context, np.array([5, 6], np.float32), 2), [5, 6, 5, 6]
    return module.run(context), [0, 1, 4, 9]


@pytest.fixture(params=MODELS)
def name(request):
    """The name of a plugin whose creator is registered."""
    registry = trt.get_plugin_registry()
    creator = getattr(MODELS[request.param][0], f"{request.param}Creator")()
    assert registry.register_creator(creator, "")
    yield request.param
    assert registry.deregister_creator(creator)


def test_from_onnx(name):
    logger = trt.Logger(trt.Logger.WARNING)
    result, expected = result_of(name, build(name, logger), logger)
    np.testing.assert_array_equal(result, expected)


OTHER_PROCESS = """
import sys
import tensorrt as trt
import test_class_based as test
name, path = sys.argv[1:]
creator = getattr(test.MODELS[name][0], name + "Creator")
trt.get_plugin_registry().register_creator(creator(), "")
result, expected = test.result_of(name, open(path, "rb").read(), trt.Logger(trt.Logger.WARNING))
assert result.tolist() == expected, result
"""


def test_in_another_process(name, tmp_path):
    path = tmp_path / "model.plan"
    path.write_bytes(build(name, trt.Logger(trt.Logger.WARNING)))
    prefix = f"import sys; sys.path[:0] = {sys.path!r}\n"
    command = [sys.executable, "-c", prefix + OTHER_PROCESS, name, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr


def test_in_trtexec(name, tmp_path):
    module = MODELS[name][0]
    path = tmp_path / "model.plan"
    path.write_bytes(build(name, trt.Logger(trt.Logger.WARNING)))
    shapes = {"Nonzero": ["--shapes=x:3x5"], "Tile": ["--shapes=repeats:3"]}.get(name, [])
    printed = run_process(
        [
            find_trtexec(),
            f"--loadEngine={path}",
            f"--plugins={module.__file__}",
            *shapes,
            *("--iterations=1", "--warmUp=0", "--duration=0"),
        ],
        {"KILN_PYTHON": sys.executable},
    )
    assert "&&&& PASSED TensorRT.trtexec" in printed
