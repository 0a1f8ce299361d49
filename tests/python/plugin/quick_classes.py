# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugins derived from the classes that decorated functions are built on."""

import types

import kiln
import numpy as np
import tensorrt as trt

FLOAT = trt.PluginFieldType.FLOAT32


def array(address, desc):
    return np.asarray(kiln.buffer(address, desc))


class QuickBase(trt.IPluginV3, trt.IPluginV3QuickCore, trt.IPluginV3QuickRuntime):
    """Scales input 0. ``Quick(enqueue=f)`` calls f(plugin, ...) instead of a callback."""

    def __init__(self, **parts):
        for interface in (*QuickBase.__bases__, *self.build_interfaces):
            interface.__init__(self)
        self.plugin_name, self.plugin_version, self.plugin_namespace = "Quick", "1", "quick"
        self.parts, self.calls = parts, []
        for name, part in parts.items():
            if isinstance(part, types.FunctionType):
                part = types.MethodType(part, self)
            setattr(self, name, part)

    def clone(self):
        return type(self)(**self.parts)

    def get_capability_interface(self, type):
        return self

    def get_num_outputs(self):
        return 1

    def get_output_data_types(self, input_types, input_ranks):
        assert input_ranks == [2]
        return input_types

    def get_output_shapes(self, inputs, shape_inputs, expr_builder):
        return [trt.DimsExprs(inputs[0])]

    def configure_plugin(self, inputs, outputs):
        pass

    def get_supported_format_combinations(self, in_out, num_inputs):
        descs = []
        for tensor in in_out:
            desc = trt.PluginTensorDesc()
            desc.type, desc.format = tensor.desc.type, trt.TensorFormat.LINEAR
            descs.append(desc)
        return descs

    def get_fields_to_serialize(self):
        return trt.PluginFieldCollection(
            [trt.PluginField("scale", np.array([2], np.float32), FLOAT)]
        )

    def set_tactic(self, tactic):
        self.calls.append(("set_tactic", tactic))

    def enqueue(
        self, input_desc, output_desc, inputs, outputs, input_strides, output_strides, stream
    ):
        assert tuple(input_strides[0]) == tuple(output_strides[0]) == (3, 1)
        array(outputs[0], output_desc[0])[...] = 2 * array(inputs[0], input_desc[0])


class Quick(QuickBase, trt.IPluginV3QuickBuild):
    build_interfaces = (trt.IPluginV3QuickBuild,)


class QuickAot(QuickBase, trt.IPluginV3QuickAOTBuild):
    """Runs the kernel ``scale`` of some code. Its arguments: number of elements, a factor of 2."""

    build_interfaces = (trt.IPluginV3QuickAOTBuild,)

    def get_kernel(self, input_descs, output_descs):
        assert (len(input_descs), len(output_descs)) == (1, 1)
        return "scale", self.code

    def get_launch_params(
        self, inputs, in_out, num_inputs, launch_params, extra_args, expr_builder
    ):
        assert (len(inputs), len(in_out), num_inputs) == (1, 2, 1)
        count = expr_builder.operation(trt.DimensionOperation.PROD, inputs[0][0], inputs[0][1])
        self.fill(launch_params, extra_args, count, expr_builder)

    def fill(self, launch_params, extra_args, count, expr_builder):
        assert launch_params.grid_x is None
        for name in ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"):
            setattr(launch_params, name, scalar(expr_builder.constant(1)))
        launch_params.shared_mem = scalar(expr_builder.constant(0))
        assert isinstance(launch_params.grid_x, trt.ISymExpr)
        extra_args.nbSymExprs = 2
        assert len(extra_args) == extra_args.nbSymExprs == 2 and extra_args[0] is None
        extra_args[0] = scalar(count)
        extra_args[1] = scalar(expr_builder.constant(2), trt.PluginArgDataType.INT8)
        assert isinstance(extra_args[1], trt.ISymExpr)


def scalar(expr, dtype=trt.PluginArgDataType.INT32):
    result = trt.ISymExpr()
    result.type, result.dtype, result.expr = trt.PluginArgType.INT, dtype, expr
    return result


class QuickCreator(trt.IPluginCreatorV3Quick):
    """Makes copies of one plugin, and keeps the arguments of its calls."""

    def __init__(self, plugin):
        super().__init__()
        self.name, self.plugin_version, self.plugin_namespace = "Quick", "1", "quick"
        self.field_names = trt.PluginFieldCollection()
        self.plugin, self.asked = plugin, []

    def create_plugin(
        self, name, namespace, field_collection, phase, quick_plugin_creation_request
    ):
        fields = {field.name: field.data.tolist() for field in field_collection}
        self.asked.append((name, namespace, fields, phase, quick_plugin_creation_request))
        return self.plugin.clone()
