# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What objects look like at a prompt and in a notebook, and kiln.show."""

import kiln
import numpy as np
import pytest
import tensorrt as trt


@pytest.fixture(scope="module")
def made():
    """Objects of a network with one layer, all the way to a context."""
    logger = trt.Logger(trt.Logger.ERROR)
    builder = trt.Builder(logger)
    network = builder.create_network()
    network.name = "small"
    x = network.add_input("x", trt.float16, (-1, 3))
    layer = network.add_activation(x, trt.ActivationType.RELU)
    layer.name = "relu"
    layer.get_output(0).name = "y"
    network.mark_output(layer.get_output(0))
    config = builder.create_builder_config()
    config.set_memory_pool_limit(trt.MemoryPoolType.WORKSPACE, 3 << 29)
    config.clear_flag(trt.BuilderFlag.TF32)
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1, 3), (2, 3), (4, 3))
    config.add_optimization_profile(profile)
    plan = builder.build_serialized_network(network, config)
    runtime = trt.Runtime(logger)
    engine = runtime.deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    context.set_input_shape("x", (2, 3))
    field = trt.PluginField("a", np.array([1.5], np.float32), trt.PluginFieldType.FLOAT32)
    return {
        "network": network,
        "tensor": x,
        "layer": layer,
        "plain layer": network.get_layer(0),
        "config": config,
        "profile": profile,
        "empty profile": builder.create_optimization_profile(),
        "plan": plan,
        "engine": engine,
        "context": context,
        "field": field,
        "fields": trt.PluginFieldCollection([field]),
        "weights": trt.Weights(np.ones(3, np.float32)),
        "registry": builder.get_plugin_registry(),
        "desc": trt.PluginTensorDesc(),
        "keep": (builder, runtime),
    }


LINES = {
    "network": "<INetworkDefinition 'small': 1 layer, x -> y>",
    "tensor": "<ITensor 'x': float16 (-1, 3) input>",
    "layer": "<IActivationLayer 'relu': x -> y>",
    "plain layer": "<ILayer ACTIVATION 'relu': x -> y>",
    "config": "<IBuilderConfig: flags none, profiles 1, workspace 1.5 GiB>",
    "profile": "<IOptimizationProfile: x (1, 3)..(2, 3)..(4, 3)>",
    "empty profile": "<IOptimizationProfile: empty>",
    "engine": "<ICudaEngine 'small': 1 layer, x float16 (-1, 3) -> y float16 (-1, 3)>",
    "context": "<IExecutionContext: profile 0, x (2, 3) -> y (2, 3)>",
    "field": "PluginField('a', array([1.5], dtype=float32), FLOAT32)",
    "fields": "[PluginField('a', array([1.5], dtype=float32), FLOAT32)]",
    "weights": "<Weights: float32, 3 elements>",
    "registry": "<IPluginRegistry: 0 creators>",
    "desc": "<PluginTensorDesc: float32 () LINEAR>",
}


@pytest.mark.parametrize("name", LINES)
def test_line(made, name):
    assert repr(made[name]) == LINES[name]


def test_line_of_a_plan(made):
    plan = made["plan"]
    size = plan.nbytes
    shown = f"{size} B" if size < 1024 else f"{size / 1024:.1f} KiB"
    assert repr(plan) == f"<IHostMemory: plan, {shown}>"


def test_a_line_never_raises():
    line = kiln._repr._guarded(lambda value: value.missing)
    assert line(object()).startswith("<object object at 0x")
    assert kiln._repr.html(object()) is None


def test_a_layer_without_shape_does_not_raise():
    builder = trt.Builder(trt.Logger(trt.Logger.INTERNAL_ERROR))
    network = builder.create_network()
    x, y = (network.add_input(n, trt.float32, s) for n, s in (("x", (2,)), ("y", (3,))))
    wrong = network.add_elementwise(x, y, trt.ElementWiseOperation.SUM)
    assert repr(wrong.get_output(0)).startswith("<ITensor")
    assert "?" in repr(wrong.get_output(0)) or "()" in repr(wrong.get_output(0))


SHOWN = {
    "network": """\
Network 'small'
        tensor  type     shape
input   x       float16  (-1, 3)
output  y       float16  (-1, 3)

Layers
   layer  kind        inputs  outputs
0  relu   ACTIVATION  x       y float16 (-1, 3)""",
    "layer": """\
ACTIVATION 'relu'
        tensor  type     shape
input   x       float16  (-1, 3)
output  y       float16  (-1, 3)""",
    "tensor": "tensor  type     shape\nx       float16  (-1, 3)",
    "profile": "Optimization profile\ninput  min     opt     max\nx      (1, 3)  (2, 3)  (4, 3)",
    "context": """\
Context, profile 0
        tensor  shape   address set
input   x       (2, 3)  no
output  y       (2, 3)  no""",
    "fields": "field  type     value\na      FLOAT32  [1.5]",
}


@pytest.mark.parametrize("name", SHOWN)
def test_show(made, name):
    assert repr(kiln.show(made[name])) == SHOWN[name]


def test_show_an_engine_and_a_plan(made):
    text = repr(kiln.show(made["engine"]))
    assert "(1, 3)..(2, 3)..(4, 3)" in text
    assert "relu" in text
    plan = repr(kiln.show(made["plan"]))
    assert "input    x float16 (-1, 3)" in plan
    assert repr(kiln.show(bytes(made["plan"]))) == plan


@pytest.mark.parametrize(
    "name", [name for name in LINES if name not in ("weights", "registry", "desc")]
)
def test_notebooks_get_a_table(made, name):
    html = made[name]._repr_html_()
    assert html.count("<table") >= 1
    drawn = kiln.show(made[name])._repr_html_()
    if name in ("network", "plan", "engine"):
        assert drawn.startswith("<iframe srcdoc=")
        assert 'sandbox="allow-scripts"' in drawn
    else:
        assert html == drawn


def test_a_network_that_cannot_be_drawn_has_tables(monkeypatch, made):
    def fail(subject):
        raise ValueError("a mistake")

    monkeypatch.setattr("kiln.report.describe", fail)
    assert kiln.show(made["network"])._repr_html_().count("<table") == 2


def test_names_are_escaped(made):
    x = made["network"].add_input("<b>", trt.float32, (1,))
    assert "&lt;b&gt;" in x._repr_html_()
    made["network"].remove_tensor(x)


def test_long_tables_are_cut():
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    network = builder.create_network()
    x = network.add_input("x", trt.float32, (1,))
    for _ in range(120):
        x = network.add_activation(x, trt.ActivationType.RELU).get_output(0)
    assert "Layers (the first 100 of 120; limit=None shows all)" in repr(kiln.show(network))
    assert repr(kiln.show(network, limit=None)).count("ACTIVATION") == 120


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match=r"kiln.show: expected one of .*ICudaEngine.*, got \[1\]"):
        kiln.show([1])


def test_plugins_as_functions():
    import tensorrt.plugin as trtp

    seen = []

    @trtp.register("shown::add_one")
    def describe(x: trtp.TensorDesc, amount: float = 1.0) -> trtp.TensorDesc:
        seen.append(repr(x))
        return x.like()

    @trtp.impl("shown::add_one")
    def add(x: trtp.Tensor, amount: float, outputs: tuple[trtp.Tensor], stream: int) -> None:
        seen.append(repr(x))

    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    network = builder.create_network()
    call = trtp.op.shown.add_one(network.add_input("x", trt.float32, (2, 3)), amount=2.0)
    assert repr(call) == "<shown::add_one(x, amount=2.0)>"
    assert repr(trtp.op.shown.add_one) == "<plugin shown::add_one(x, amount)>"
    assert repr(trtp.op.shown) == "<plugins of shown: add_one>"
    assert repr(trtp.op).startswith("<namespaces of plugins: ")
    layer = network.add_plugin(call)
    network.mark_output(layer.get_output(0))
    assert repr(layer.plugin) == "<plugin shown::add_one(amount=2.0)>"
    assert builder.build_serialized_network(network, builder.create_builder_config())
    assert "<TensorDesc: float32 (2, 3)>" in seen
    launch = trtp.KernelLaunchParams(grid_x=3)
    assert repr(launch).startswith("KernelLaunchParams(grid_x=3, grid_y=1, ")
