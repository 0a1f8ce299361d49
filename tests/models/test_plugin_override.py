# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugins with the names of operators: they replace the layers where the parser's flag says so."""

import sys
from pathlib import Path

import kiln
import numpy as np
import pytest
import tensorrt as trt

torch = pytest.importorskip("torch")
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "models"))
sys.path.insert(0, str(Path(__file__).parent))

from export import export_bytes  # noqa: E402
from model_checks import Errors, as_arrays, compare, expected, run  # noqa: E402
from small import SMALL  # noqa: E402

pytestmark = pytest.mark.xdist_group("models")

FORMULAS = {
    "Softmax": lambda x: np.exp(x - x.max(-1, keepdims=True)),
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1),
    "Relu": lambda x: np.maximum(x, 0),
    "Tanh": np.tanh,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}
ran = []


class Unary(trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime):
    """A function of one tensor, in host memory."""

    def __init__(self, name):
        trt.IPluginV3.__init__(self)
        trt.IPluginV3OneCore.__init__(self)
        trt.IPluginV3OneBuild.__init__(self)
        trt.IPluginV3OneRuntime.__init__(self)
        self.plugin_name, self.plugin_version, self.plugin_namespace = name, "1", ""
        self.num_outputs = 1

    def get_capability_interface(self, type):
        return self

    def clone(self):
        return Unary(self.plugin_name)

    def get_output_data_types(self, input_types):
        return [input_types[0]]

    def get_output_shapes(self, inputs, shape_inputs, expr_builder):
        return [trt.DimsExprs(inputs[0])]

    def supports_format_combination(self, pos, in_out, num_inputs):
        desc = in_out[pos].desc
        return desc.type == trt.float32 and desc.format == trt.TensorFormat.LINEAR

    def configure_plugin(self, inputs, outputs):
        pass

    def get_fields_to_serialize(self):
        return trt.PluginFieldCollection()

    def attach_to_context(self, resource_context):
        return self.clone()

    def set_tactic(self, tactic):
        pass

    def on_shape_change(self, inputs, outputs):
        pass

    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        ran.append(self.plugin_name)
        x = np.asarray(kiln.buffer(inputs[0], input_desc[0]))
        y = np.asarray(kiln.buffer(outputs[0], output_desc[0]))
        y[...] = FORMULAS[self.plugin_name](x)
        if self.plugin_name == "Softmax":
            y /= y.sum(-1, keepdims=True)


class Creator(trt.IPluginCreatorV3One):
    def __init__(self, name):
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = name, "1", ""
        self.field_names = trt.PluginFieldCollection()

    def create_plugin(self, name, fields, phase):
        return Unary(self.name)


@pytest.fixture
def creators():
    registry = trt.get_plugin_registry()
    own = [Creator(name) for name in FORMULAS]
    for creator in own:
        assert registry.register_creator(creator, "")
    yield
    for creator in own:
        registry.deregister_creator(creator)


def built(model, serialized, flags):
    """The engine and how many nodes are plugins."""
    errors = Errors()
    builder = trt.Builder(errors)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, errors)
    for flag in flags:
        parser.set_flag(flag)
    assert parser.parse(serialized), errors.texts
    plugins = sum(
        network.get_layer(i).type == trt.LayerType.PLUGIN_V3 for i in range(network.num_layers)
    )
    config = builder.create_builder_config()
    if model.dynamic:
        profile = builder.create_optimization_profile()
        for name, *bounds in model.profile():
            profile.set_shape(name, *bounds)
        config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, errors.texts
    return trt.Runtime(errors).deserialize_cuda_engine(plan), plugins


@pytest.mark.parametrize(
    ("name", "operator", "nodes"),
    [
        ("resnet", "Relu", None),
        ("mobilenet", "HardSwish", None),
        ("vit", "Softmax", 2),
        ("bert_dynamic", "Tanh", 1),
        ("gpt2", "Softmax", 2),
        ("llama", "Sigmoid", 2),
        ("whisper_decoder", "Softmax", 4),
    ],
)
def test_override(name, operator, nodes, creators):
    model = SMALL[name]
    serialized = export_bytes(model)
    data = model.data()
    ran.clear()
    engine, plugins = built(model, serialized, [])
    compare(run(engine, as_arrays(data)), expected(model, data), 2e-6)
    assert plugins == 0
    assert ran == []
    engine, plugins = built(model, serialized, [trt.OnnxParserFlag.ENABLE_PLUGIN_OVERRIDE])
    compare(run(engine, as_arrays(data)), expected(model, data), 2e-6)
    assert plugins >= (nodes or 1)
    assert ran.count(operator) >= (nodes or 1)
