# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Names that are not UTF-8, from models, plans and C++ plugins: only invalid bytes are replaced."""

import json

import numpy as np
import pytest
import tensorrt as trt

import onnx
from onnx import TensorProto, helper

pytestmark = pytest.mark.xdist_group("registry")
SHOWN = "caf\ufffd\ufffd"


@pytest.fixture
def model():
    """A model with a node whose name is not valid UTF-8."""
    node = helper.make_node("Relu", ["x"], ["y"], name="cafXX")
    info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy"]
    graph = helper.make_graph([node], "g", info[:1], info[1:])
    text = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    return onnx.ModelProto.SerializeToString(text).replace(b"cafXX", b"caf\xff\xfe")


def test_names_come_through(model, logger):
    builder = trt.Builder(logger)
    network = builder.create_network()
    parser = trt.OnnxParser(network, logger)
    assert parser.parse(model), logger.errors()
    names = [network.get_layer(i).name for i in range(network.num_layers)]
    assert any(SHOWN in name for name in names)
    config = builder.create_builder_config()
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    plan = builder.build_serialized_network(network, config)
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    inspector = engine.create_engine_inspector()
    for layout in (trt.LayerInformationFormat.JSON, trt.LayerInformationFormat.ONELINE):
        text = inspector.get_engine_information(layout)
        assert SHOWN in text
        assert SHOWN in inspector.get_layer_information(0, layout)
    layers = json.loads(inspector.get_engine_information(trt.LayerInformationFormat.JSON))
    assert any(SHOWN in layer["Name"] for layer in layers["Layers"])

    seen = []

    class Times(trt.IProfiler):
        def report_layer_time(self, name, ms):
            seen.append(name)

    context = engine.create_execution_context()
    context.profiler = Times()
    x, y = np.array([-1, 2], np.float32), np.zeros(2, np.float32)
    context.set_tensor_address("x", x.ctypes.data)
    context.set_tensor_address("y", y.ctypes.data)
    assert context.execute_async_v3(0)
    assert any(SHOWN in name for name in seen)


def test_log_lines_come_through(model):
    lines = []

    class Listener(trt.ILogger):
        def log(self, severity, message):
            lines.append(message)

    listener = Listener()
    builder = trt.Builder(listener)
    network = builder.create_network()
    wrong = model.replace(b"Relu", b"Rel\xff")
    parser = trt.OnnxParser(network, listener)
    assert not parser.parse(wrong)
    texts = [parser.get_error(i).desc() for i in range(parser.num_errors)]
    assert any("Rel\ufffd" in text for text in [*lines, *texts])
    assert any("Rel\ufffd" in line for line in lines)
