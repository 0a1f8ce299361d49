# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What goes wrong in Python is told in Python's words: no message has a name that only C++ has."""

import warnings

import kiln
import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from cpp_names import cpp_names
from plugin_lab import AliasLab, Definition, Engine, Lab, array
from scaling import ScaleV2
from tensorrt.plugin._lib import QDP_REGISTRY

pytestmark = pytest.mark.xdist_group("registry")
WIDTH = 4


def told(logger, mistake):
    """All messages of a mistake, and the exception if it raises one."""
    raised = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            mistake(logger)
        except AssertionError:
            raise
        except Exception as error:
            raised = f"{type(error).__name__}: {error}\n"
    return raised + logger.messages_text()


def test_names_of_cpp_are_found():
    wrong = ["kFLOAT32", "setFlag: x", "BuilderFlag::kINT8", "std::bad_alloc", "Use getCreators()"]
    assert all(cpp_names(text) for text in wrong)
    right = ["float32", "my_project::add", "set_flag", "ITensor", "onnx", "TensorFormat.CHW4", "OK"]
    assert not any(cpp_names(text) for text in right)


# Networks


def network_of(logger, flags=0):
    network = trt.Builder(logger).create_network(flags)
    return network, network.add_input("x", trt.float32, (2, WIDTH))


def same_name(logger):
    network, _ = network_of(logger)
    network.add_input("x", trt.float32, (1,))


def no_name(logger):
    network, _ = network_of(logger)
    network.add_input("", trt.float32, (1,))


def foreign_input(logger):
    network, _ = network_of(logger)
    network.add_activation(network_of(logger)[1], trt.ActivationType.RELU)


def foreign_output(logger):
    network, _ = network_of(logger)
    network.mark_output(network_of(logger)[1])


def foreign_operand(logger):
    network, x = network_of(logger)
    network.add_identity(x).set_input(0, network_of(logger)[1])


def input_index(logger):
    network, x = network_of(logger)
    network.add_identity(x).set_input(9, x)


def removed_in_use(logger):
    network, x = network_of(logger)
    network.add_identity(x)
    network.remove_tensor(x)


def negative_axis(logger):
    network, x = network_of(logger)
    network.add_concatenation([x, x]).axis = -1


def no_axes(logger):
    network, x = network_of(logger)
    network.add_softmax(x).axes = 0


def two_types(logger):
    network, x = network_of(logger)
    other = network.add_input("y", trt.int32, (2, WIDTH))
    total = network.add_elementwise(x, other, trt.ElementWiseOperation.SUM)
    assert len(total.get_output(0).shape) == 0


def random_fill(logger):
    network, _ = network_of(logger)
    network.add_fill((2,), trt.FillOperation.RANDOM_UNIFORM, trt.int32)


def kernel_count(logger):
    network = trt.Builder(logger).create_network()
    x = network.add_input("x", trt.float32, (1, 2, 8, 8))
    layer = network.add_convolution_nd(x, 2, (3, 3), np.zeros(7, np.float32))
    assert len(layer.get_output(0).shape) == 0


def data_as_shape(logger):
    network, x = network_of(logger)
    network.mark_output_for_shapes(x)


def dynamic_range(logger):
    network_of(logger)[1].dynamic_range = (1, -1)


def layer_precision(logger):
    strong = 1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
    network, x = network_of(logger, strong)
    network.add_identity(x).precision = trt.float16


def output_type(logger):
    network, x = network_of(logger)
    network.add_identity(x).set_output_type(1, trt.float16)


def formats(logger):
    network_of(logger)[1].allowed_formats = 0


def host_location(logger):
    network_of(logger)[1].location = trt.TensorLocation.HOST


def type_of_strong(logger):
    strong = 1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
    network, x = network_of(logger, strong)
    network.add_identity(x).get_output(0).dtype = trt.float16


NETWORKS = {
    same_name: "[network] input 'x': expected a new name, got that of another input",
    no_name: "[network] input: expected a name, got an empty text",
    foreign_input: "[network] activation layer: tensor 'x' belongs to another network",
    foreign_output: "[network] output: tensor 'x' belongs to another network",
    foreign_operand: "(Identity): tensor 'x' belongs to another network",
    input_index: "(Identity), input: expected a number from 0 to 1, got 9",
    removed_in_use: "tensor 'x' is an input of layer",
    negative_axis: "(Concatenation), axis: expected 0 or more, got -1",
    no_axes: "(SoftMax), axes: expected one bit set, got none",
    two_types: "expected input 1 to be float32 like input 0, got int32. Add a cast layer",
    random_fill: "fill layer: expected a floating-point type for random values, got int32",
    kernel_count: "kernel weights: expected 36 values",
    data_as_shape: "[network] shape output: expected a shape tensor, got 'x'",
    dynamic_range: "dynamic range: expected finite numbers in order, got 1 to -1",
    layer_precision: "(Identity), precision: the types of a strongly typed network follow",
    output_type: "(Identity), output type: expected an output from 0 to 0, got 1",
    formats: "[network] tensor 'x', allowed formats: expected a mask",
    host_location: "[kiln] tensor location HOST: not supported yet",
    type_of_strong: "type: the types of a strongly typed network follow from its layers",
}


# Configurations and profiles


def dynamic(logger, *, size=-1):
    definition = Definition(logger)
    x = definition.input("x", trt.float32, (size, WIDTH))
    definition.output(definition.network.add_identity(x).get_output(0), "y")
    return definition


def set_config(**values):
    def mistake(logger):
        config = trt.Builder(logger).create_builder_config()
        for name, value in values.items():
            setattr(config, name, value)

    return mistake


def build_flag(flag):
    def mistake(logger):
        definition = dynamic(logger, size=2)
        definition.config.set_flag(flag)
        assert definition.build() is None

    return mistake


def no_profile(logger):
    assert dynamic(logger).build() is None


def profile_of(*bounds):
    def mistake(logger):
        definition = dynamic(logger)
        definition.profile({"x": bounds} if bounds else {})
        assert definition.build() is None

    return mistake


def unnamed_profile(logger):
    trt.Builder(logger).create_optimization_profile().set_shape("", (1,), (1,), (1,))


def unnamed_values(logger):
    trt.Builder(logger).create_optimization_profile().set_shape_input("", [1], [1], [1])


def no_values(logger):
    definition = Definition(logger)
    x = definition.input("x", trt.float32, (2, WIDTH))
    wanted = definition.input("wanted", trt.int64, (2,))
    shuffle = definition.network.add_shuffle(x)
    shuffle.set_input(1, wanted)
    definition.output(shuffle.get_output(0), "y")
    assert definition.build() is None


def sealed_cache(logger):
    trt.Builder(logger).create_builder_config().create_timing_cache(b"").queryKeys()


CONFIGS = {
    "flags": (set_config(flags=1 << 31), "[config] flags: expected bits within"),
    "timing": (set_config(avg_timing_iterations=0), "[config] timing iterations: expected 1"),
    "level": (
        set_config(builder_optimization_level=-1),
        "[config] builder optimization level: expected 0 or more, got -1",
    ),
    "unsupported flag": (build_flag(trt.BuilderFlag.SAFETY_SCOPE), "BuilderFlag SAFETY_SCOPE"),
    "typed precision": (build_flag(trt.BuilderFlag.FP16), "BuilderFlag FP16 (the types of a"),
    "no profile": (no_profile, "but the configuration has no optimization profile"),
    "empty profile": (profile_of(), "gives it no min shape. Set the min, opt and max shapes"),
    "wrong rank": (profile_of((1,), (2,), (3,)), "expected rank 2, because the input is declared"),
    "wrong order": (profile_of((2, 4), (1, 4), (3, 4)), "expected min <= opt <= max"),
    "wrong extent": (profile_of((1, 5), (2, 5), (3, 5)), "Keep the fixed extents"),
    "unnamed shapes": (unnamed_profile, "ValueError: [profile] shape: expected the name of an"),
    "unnamed values": (unnamed_values, "ValueError: [profile] shape values: expected the name"),
    "no values": (no_values, "Add one with the min, opt and max values of this input"),
    "sealed cache": (sealed_cache, "RuntimeError: [timing cache] keys: expected a cache that was"),
}


# Engines


def context_of(logger):
    definition = dynamic(logger)
    definition.profile({"x": ((1, WIDTH), (2, WIDTH), (4, WIDTH))})
    engine = trt.Runtime(logger).deserialize_cuda_engine(definition.build())
    return engine.create_execution_context()


def run_without_shapes(logger):
    assert not context_of(logger).execute_async_v3(0)


def run_without_addresses(logger):
    context = context_of(logger)
    context.set_input_shape("x", (2, WIDTH))
    assert not context.execute_async_v3(0)


def too_few_bindings(logger):
    context_of(logger).execute_v2([1])


def use(method, *arguments):
    def mistake(logger):
        getattr(context_of(logger), method)(*arguments)

    return mistake


def inspected_layer(logger):
    inspector = context_of(logger).engine.create_engine_inspector()
    inspector.get_layer_information(7, trt.LayerInformationFormat.JSON)


def junk_plan(logger):
    assert trt.Runtime(logger).deserialize_cuda_engine(b"junk") is None


def profile_index(logger):
    context_of(logger).engine.get_tensor_profile_shape("x", 3)


ENGINES = {
    "no shapes": (run_without_shapes, "Set the shape of the input before the engine runs"),
    "no addresses": (run_without_addresses, "Set the address of the tensor before the engine"),
    "bindings": (too_few_bindings, "[context] bindings: expected 2 addresses"),
    "shape": (use("set_input_shape", "x", (9, WIDTH)), "expected a shape from [1,4] to [4,4]"),
    "name": (use("set_input_shape", "z", (1,)), "expected the name of an input or output"),
    "output": (use("set_input_shape", "y", (1, WIDTH)), "expected an input, got an output"),
    "address": (use("set_tensor_address", "x", [1]), "expected an address (int) or a"),
    "profile": (use("set_optimization_profile_async", 5, 0), "expected 0 to 0, got 5"),
    "report": (use("report_to_profiler"), "[run] report to the profiler: expected a profiler"),
    "inspector": (inspected_layer, "[inspector] layer: expected a number from 0 to"),
    "plan": (junk_plan, "[plan] header"),
    "profile shape": (profile_index, "[engine] profile shape: expected a profile from 0 to 0"),
}


# Plugins: one callback of each kind answers something that no plugin may.


def add(logger, plugin, inputs=1):
    definition = Definition(logger)
    given = [definition.input(f"x{i}", trt.float32, (2, WIDTH)) for i in range(inputs)]
    outputs = definition.plugin(plugin, given)
    if outputs:
        definition.output(outputs[0], "y")
    return definition


def built(plugin_class, **parts):
    """Adds a plugin and builds it, which fails."""

    def mistake(logger):
        assert add(logger, plugin_class(**parts)).build() is None

    return mistake


def opened(**parts):
    """Builds a plugin, opens the plan and runs it; one of the last two fails."""

    def mistake(logger):
        good = Lab()
        plan = add(logger, good).build()
        assert plan is not None
        engine = Engine(logger, plan, Lab(**parts))
        x = np.zeros((2, WIDTH), np.float32)
        assert engine.context is None or not engine.run({"x0": x}, {"y": x.copy()})

    return mistake


def answer(value):
    return lambda *_: value


def fails(*_):
    raise RuntimeError("as told")


def undeclared(plugin, inputs, shape_inputs, expr_builder):
    size = expr_builder.declare_size_tensor(5, inputs[0][0], inputs[0][0])
    return [trt.DimsExprs([size, inputs[0][1]])]


def of_version_2(**replaced):
    def mistake(logger):
        definition = Definition(logger, strong=False)
        x = definition.input("x", trt.float32, (2, WIDTH))
        layer = definition.network.add_plugin_v2([x], ScaleV2(**replaced))
        if layer is not None:
            definition.output(layer.get_output(0), "y")
        assert definition.build() is None

    return mistake


def decorated(describe, impl):
    def mistake(logger):
        name = f"{describe.__name__}_{len(QDP_REGISTRY)}"
        trtp.register(f"words::{name}")(describe)
        trtp.impl(f"words::{name}")(impl)
        definition = Definition(logger)
        x = definition.input("x", trt.float32, (2, WIDTH))
        layer = definition.network.add_plugin(getattr(trtp.op.words, name)(x))
        definition.output(layer.get_output(0), "y")
        engine = trt.Runtime(logger).deserialize_cuda_engine(definition.build())
        context, memory = engine.create_execution_context(), np.zeros((2, WIDTH), np.float32)
        assert not context.execute_v2([memory.ctypes.data, memory.copy().ctypes.data])

    return mistake


def no_descriptor(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return "x"


def as_input(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


def failing_impl(x: trtp.Tensor, outputs: tuple[trtp.Tensor], stream: int) -> None:
    raise RuntimeError("as told")


PLUGINS = {
    "num_outputs": (built(Lab, outputs=0), "num_outputs of Lab: expected 1 or more, got 0"),
    "types": (built(Lab, get_output_data_types=answer([])), "get_output_data_types"),
    "kind of type": (built(Lab, get_output_data_types=answer([7])), "get_output_data_types"),
    "shapes": (built(Lab, get_output_shapes=answer([])), "get_output_shapes"),
    "failing shapes": (built(Lab, get_output_shapes=fails), ", get_output_shapes: raised an error"),
    "size tensor": (built(Lab, get_output_shapes=undeclared), "get_output_shapes: size tensor:"),
    "formats": (
        built(Lab, supports_format_combination=answer(False)),
        "supports_format_combination takes no combination of types",
    ),
    "limit": (built(Lab, format_combination_limit=0), "format_combination_limit"),
    "configure": (built(Lab, configure_plugin=answer(7)), "configure_plugin: expected 0, returned"),
    "workspace": (built(Lab, get_workspace_size=answer(-1)), "get_workspace_size"),
    "tactics": (
        built(Lab, get_valid_tactics=answer([0])),
        "get_valid_tactics: expected 1 or more, got 0",
    ),
    "tactic": (opened(set_tactic=answer(7)), "set_tactic: expected 0, returned 7"),
    "fields": (built(Lab, get_fields_to_serialize=answer(None)), "get_fields_to_serialize"),
    "capability": (built(Lab, get_capability_interface=answer(None)), "get_capability_interface"),
    "clone": (built(Lab, clone=answer(None)), "clone: expected an IPluginV3, got NoneType"),
    "attach": (opened(attach_to_context=answer(None)), "attach_to_context"),
    "shape change": (opened(on_shape_change=answer(7)), "on_shape_change: expected 0, returned 7"),
    "enqueue": (opened(enqueue=fails), "enqueue: raised an error"),
    "alias": (
        built(AliasLab, get_aliased_input=answer(0)),
        "get_aliased_input(0): expected -1, since the preview feature ALIASED_PLUGIN_IO_10_03",
    ),
    "type, version 2": (of_version_2(get_output_datatype=fails), "get_output_datatype: raised"),
    "shape, version 2": (of_version_2(get_output_dimensions=fails), "get_output_dimensions: rai"),
    "formats, version 2": (
        of_version_2(supports_format_combination=answer(False)),
        "supports_format_combination takes no combination of types",
    ),
    "configure, version 2": (of_version_2(configure_plugin=fails), "configure_plugin: raised an"),
    "size, version 2": (of_version_2(get_serialization_size=answer(2**40)), "expected at most"),
    "outputs, decorated": (
        decorated(no_descriptor, failing_impl),
        "expected a TensorDesc or a tuple of them",
    ),
    "impl, decorated": (decorated(as_input, failing_impl), "enqueue: raised an error"),
}


def run_found_out(logger, enqueue):
    """Runs a plugin that finds out the first extent of its output: -1 in the descriptor."""

    def shapes(plugin, inputs, shape_inputs, expr_builder):
        count = expr_builder.declare_size_tensor(1, inputs[0][0], inputs[0][0])
        return [trt.DimsExprs([count, inputs[0][1]]), trt.DimsExprs(0)]

    def types(plugin, input_types):
        return [input_types[0], trt.int64]

    plugin = Lab(outputs=2, get_output_shapes=shapes, get_output_data_types=types, enqueue=enqueue)
    engine = Engine(logger, add(logger, plugin).build(), plugin)
    x, y = np.zeros((2, WIDTH), np.float32), np.zeros((2, WIDTH), np.float32)
    return engine.run({"x0": x}, {"y": y}), y


def buffer_in_enqueue(logger):
    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        array(outputs[0], output_desc[0])

    assert not run_found_out(logger, enqueue)[0]


def test_the_advice_of_a_buffer_in_enqueue_helps(logger):
    def enqueue(plugin, input_desc, output_desc, inputs, outputs, workspace, stream):
        output_desc[0].dims = input_desc[0].dims
        array(outputs[0], output_desc[0])[...] = 3
        array(outputs[1], output_desc[1])[...] = 2

    ran, y = run_found_out(logger, enqueue)
    assert ran, logger.errors()
    assert (y == 3).all()


def read(**settings):
    def mistake(logger):
        desc = trt.PluginTensorDesc()
        desc.dims, desc.type, desc.format = (2, 3, 4), trt.float32, trt.TensorFormat.LINEAR
        for name, value in settings.items():
            setattr(desc, name, value)
        kiln.buffer(64, desc)

    return mistake


BUFFERS = {
    "found out": (buffer_in_enqueue, "got -1. The plugin finds it out while it runs: set the dims"),
    "outside": (read(dims=(2, -1)), "got -1. Extents are known in enqueue"),
    "type": (read(type=trt.int4), "got DataType.INT4. Describe the memory as UINT8"),
    "format": (read(format=trt.TensorFormat.DLA_LINEAR), "got TensorFormat.DLA_LINEAR. Set LINEAR"),
    "rank": (
        read(dims=(2, 3), format=trt.TensorFormat.CHW4),
        "expected 3 or more dimensions for TensorFormat.CHW4, got 2",
    ),
}
CASES = {f"network, {mistake.__name__}": (mistake, text) for mistake, text in NETWORKS.items()}
for group, cases in (
    ("config", CONFIGS), ("engine", ENGINES), ("plugin", PLUGINS), ("buffer", BUFFERS),
):  # fmt: skip
    CASES |= {f"{group}, {name}": case for name, case in cases.items()}


@pytest.mark.parametrize("name", CASES)
def test_a_mistake_is_told_in_words_of_python(logger, name):
    mistake, expected = CASES[name]
    text = told(logger, mistake)
    assert expected in text, text
    assert not cpp_names(text), text
