# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Engines of one padding layer: a class-based plugin for a framework, or ahead-of-time code."""

import kiln
import numpy as np
import source
import tensorrt as trt
import tensorrt.plugin as trtp
from frameworks import LAUNCHES

SHAPES = {}  # so that both sides pass the same tuple object to the caches of views
LOGGER = trt.Logger(trt.Logger.ERROR)


class PadPlugin(
    trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime
):
    """Pads the last two axes by calling one of the frameworks."""

    def __init__(self, framework):
        for interface in type(self).__bases__:
            interface.__init__(self)
        self.plugin_name = "BenchPad"
        self.plugin_version = "1"
        self.plugin_namespace = ""
        self.num_outputs = 1
        self.framework = framework
        self.launch = LAUNCHES[framework]

    def get_capability_interface(self, kind):
        return self

    def get_output_data_types(self, input_types):
        return input_types

    def get_output_shapes(self, inputs, shape_inputs, builder):
        dims = trt.DimsExprs(inputs[0])
        for axis in (len(dims) - 2, len(dims) - 1):
            both = builder.constant(2 * source.PAD)
            dims[axis] = builder.operation(trt.DimensionOperation.SUM, dims[axis], both)
        return [dims]

    def supports_format_combination(self, pos, in_out, num_inputs):
        desc = in_out[pos].desc
        return desc.format == trt.TensorFormat.LINEAR and desc.type == in_out[0].desc.type

    def configure_plugin(self, inputs, outputs):
        pass

    def on_shape_change(self, inputs, outputs):
        shape = tuple(inputs[0].dims)
        self.shape = SHAPES.setdefault(shape, shape)
        self.dtype = np.dtype(trt.nptype(inputs[0].type))

    def get_fields_to_serialize(self):
        name = np.frombuffer(self.framework.encode(), np.int8)
        return trt.PluginFieldCollection(
            [trt.PluginField("framework", name, trt.PluginFieldType.CHAR)]
        )

    def set_tactic(self, tactic):
        pass

    def attach_to_context(self, context):
        return self.clone()

    def clone(self):
        copy = PadPlugin(self.framework)
        copy.__dict__.update(self.__dict__)
        return copy

    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        self.launch(inputs[0], outputs[0], self.shape, self.dtype, stream)


class PadCreator(trt.IPluginCreatorV3One):
    """Creates PadPlugin."""

    def __init__(self):
        trt.IPluginCreatorV3One.__init__(self)
        self.name = "BenchPad"
        self.plugin_version = "1"
        self.plugin_namespace = ""
        self.field_names = trt.PluginFieldCollection([])

    def create_plugin(self, name, fields, phase):
        return PadPlugin(bytes(fields[0].data).decode().rstrip("\0"))


trt.get_plugin_registry().register_creator(PadCreator(), "")


@trtp.register("bench::circ_pad")
def describe(x: trtp.TensorDesc) -> trtp.TensorDesc:
    y = x.like()
    for axis in (x.ndim - 2, x.ndim - 1):
        y.shape_expr[axis] = x.shape_expr[axis] + 2 * source.PAD
    return y


@trtp.aot_impl("bench::circ_pad")
def compiled(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]):
    y = outputs[0]
    count = y.shape_expr.numel()
    launch = trtp.KernelLaunchParams(grid_x=trtp.cdiv(count, source.BLOCK), block_x=source.BLOCK)
    numbers = [x.shape_expr[x.ndim - 2], x.shape_expr[x.ndim - 1], source.PAD, count]
    code = source.cubin(np.dtype(trt.nptype(x.dtype)), kiln.build_target().architecture)
    return [kiln.Kernel(source.NAME, code, launch, [trtp.SymInt32(n) for n in numbers])]


TYPES = {np.dtype("float32"): trt.float32, np.dtype("float16"): trt.float16}


def plan_of(add_layer, shape, dtype):
    """Builds a network of one layer."""
    builder = trt.Builder(LOGGER)
    flags = 1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
    network = builder.create_network(flags)
    x = network.add_input("x", TYPES[np.dtype(dtype)], shape)
    y = add_layer(network, x).get_output(0)
    y.name = "y"
    network.mark_output(y)
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    assert plan is not None
    return plan


def plugin_plan(framework, shape, dtype):
    """Builds a plan with a class-based plugin for a framework."""
    return plan_of(lambda n, x: n.add_plugin_v3([x], [], PadPlugin(framework)), shape, dtype)


def compiled_plan(shape, dtype):
    """Builds a plan with ahead-of-time code."""
    return plan_of(lambda n, x: n.add_plugin(trtp.op.bench.circ_pad(x), aot=True), shape, dtype)


def context_of(plan, x, y):
    """An execution context with both tensors bound."""
    engine = trt.Runtime(LOGGER).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    assert context.set_tensor_address("x", x)
    assert context.set_tensor_address("y", y)
    return context
