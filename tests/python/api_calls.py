# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A call of each name of the plugin system, with the keywords and defaults that the API lists.

CALLS maps the path of a name to its call. Each call gets an Env, and returns a true value if it
succeeds.
"""

import numpy as np
import tensorrt as trt
from scaling import ScaleCreatorV2, ScaleCreatorV3, ScaleV2, ScaleV3, build

FLOAT = trt.PluginFieldType.FLOAT32
OPERATION = trt.DimensionOperation
LINEAR = trt.TensorFormat.LINEAR


class ScaleV3Build2(
    trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuildV2, trt.IPluginV3OneRuntime
):
    """Has no callbacks, so calls reach the methods that the classes only document."""

    def __init__(self):
        for base in type(self).__bases__:
            base.__init__(self)


class BareV2(trt.IPluginV2DynamicExt):
    pass


class BareCreatorV2(trt.IPluginCreator):
    pass


class BareCreatorV3(trt.IPluginCreatorV3One):
    pass


class Shared(trt.IPluginResource):
    def __init__(self):
        super().__init__()

    def clone(self):
        return Shared()

    def release(self):
        pass


class Env:
    """The objects that the calls need."""

    def __init__(self, logger):
        self.logger = logger
        self.registry = trt.get_plugin_registry()
        self.plugin = ScaleV3Build2()
        self.v2 = BareV2()
        self.desc = trt.PluginTensorDesc()
        self.dynamic = trt.DynamicPluginTensorDesc()
        self.info = trt.IPluginV3().interface_info
        self.collection = trt.PluginFieldCollection([self.field()])

    def field(self):
        return trt.PluginField(name="f", data=np.ones(2, np.float32), type=FLOAT)

    def inside(self, function):
        """Calls function(inputs, expr_builder) inside get_output_shapes of a plugin."""
        results = []

        def shapes(plugin, inputs, shape_inputs, expr_builder):
            results.append(function(inputs[0], expr_builder))
            return [trt.DimsExprs(inputs[0])]

        assert build(self.logger, ScaleV3(get_output_shapes=shapes)) is not None
        return results[0]

    def network(self):
        self.builder = trt.Builder(self.logger)
        network = self.builder.create_network(0)
        return network, network.add_input("x", trt.float32, (2, 4))

    def registered(self, function):
        creator = ScaleCreatorV2()
        assert self.registry.register_creator(creator=creator, plugin_namespace="")
        try:
            return function(creator)
        finally:
            assert self.registry.deregister_creator(creator=creator)


def same(get, put, value):
    """Whether get() returns what put() was given."""
    put(value)
    got = get()
    return got == value or tuple(got) == value


def attribute(make, name, value):
    """A call that sets an attribute of a new object and reads it."""

    def call(env):
        item = make(env)
        return same(lambda: getattr(item, name), lambda v: setattr(item, name, v), value)

    return call


def read(make, name, check):
    return lambda env: check(getattr(make(env), name))


def resource_round_trip(env):
    kept = env.registry.acquire_plugin_resource(key="shared", resource=Shared())
    code = env.registry.release_plugin_resource(key="shared")
    return type(kept) is Shared and code == 0


def collect(env, *steps):
    """The length of a field collection after some calls on it."""
    fields = trt.PluginFieldCollection([env.field(), env.field()])
    for step in steps:
        step(fields)
    return len(fields)


def set_item(fields):
    fields[0] = trt.PluginField(name="g")
    fields[0:1] = trt.PluginFieldCollection([trt.PluginField(name="h")])


def operate(shape, exprs):
    two = exprs.constant(2)
    return exprs.operation(OPERATION.SUM, two, exprs.constant(3)).get_constant_value()


def plugin_of(layer):
    return type(layer.plugin)


def add_v2(env):
    network, x = env.network()
    return plugin_of(network.add_plugin_v2(inputs=[x], plugin=ScaleV2())) is ScaleV2


def add_v3(env):
    network, x = env.network()
    layer = network.add_plugin_v3(inputs=[x], shape_inputs=[], plugin=ScaleV3())
    return plugin_of(layer) is ScaleV3


def new_plugin(env):
    return env.plugin


def new_v2(env):
    return env.v2


def new_field(env):
    return env.field()


DOCUMENTED = None  # the result of a callback that the class only documents


def in_context(env, check):
    """Whether check(resource_context) holds while a plugin is attached."""
    seen = []

    def attach(plugin, resource_context):
        seen.append(check(resource_context))
        return plugin.clone()

    plan = build(env.logger, ScaleV3())
    creator = ScaleCreatorV3(attach_to_context=attach)
    assert env.registry.register_creator(creator, "")
    try:
        engine = trt.Runtime(env.logger).deserialize_cuda_engine(plan)
        assert engine.create_execution_context() is not None
    finally:
        assert env.registry.deregister_creator(creator)
    return all(seen) and bool(seen)


CALLS = {
    "Builder.get_plugin_registry": lambda e: (
        trt.Builder(e.logger).get_plugin_registry() is not None
    ),
    "Runtime.get_plugin_registry": lambda e: (
        trt.Runtime(e.logger).get_plugin_registry() is not None
    ),
    "IBuilderConfig.plugins_to_serialize": lambda e: (
        trt.Builder(e.logger).create_builder_config().plugins_to_serialize == []
    ),
    "INetworkDefinition.add_plugin_v2": add_v2,
    "INetworkDefinition.add_plugin_v3": add_v3,
    "OnnxParser.get_used_vc_plugin_libraries": lambda e: (
        trt.OnnxParser(e.network()[0], e.logger).get_used_vc_plugin_libraries() == []
    ),
    "get_plugin_registry": lambda e: trt.get_plugin_registry() is not None,
    "get_builder_plugin_registry": lambda e: (
        trt.get_builder_plugin_registry(trt.EngineCapability.STANDARD) is not None
    ),
    "init_libnvinfer_plugins": lambda e: (
        trt.init_libnvinfer_plugins(logger=e.logger, namespace="")
        and trt.init_libnvinfer_plugins(logger=None, namespace="")
    ),
    # descriptors
    "PluginTensorDesc.__init__": lambda e: trt.PluginTensorDesc().scale == 0,
    "PluginTensorDesc.dims": attribute(lambda e: e.desc, "dims", (2, 3)),
    "PluginTensorDesc.type": attribute(lambda e: e.desc, "type", trt.int8),
    "PluginTensorDesc.format": attribute(lambda e: e.desc, "format", LINEAR),
    "PluginTensorDesc.scale": attribute(lambda e: e.desc, "scale", 0.5),
    "DynamicPluginTensorDesc.__init__": lambda e: tuple(trt.DynamicPluginTensorDesc().min) == (),
    "DynamicPluginTensorDesc.desc": lambda e: type(e.dynamic.desc) is trt.PluginTensorDesc,
    "DynamicPluginTensorDesc.min": attribute(lambda e: e.dynamic, "min", (1,)),
    "DynamicPluginTensorDesc.opt": attribute(lambda e: e.dynamic, "opt", (2,)),
    "DynamicPluginTensorDesc.max": attribute(lambda e: e.dynamic, "max", (3,)),
    # expressions
    "DimsExprs.__init__": lambda e: e.inside(
        lambda shape, exprs: (
            len(trt.DimsExprs()), len(trt.DimsExprs(2)), len(trt.DimsExprs([exprs.constant(4)])),
        )
    ) == (0, 2, 1),
    "DimsExprs.__len__": lambda e: e.inside(lambda shape, exprs: len(shape)) == 2,
    "DimsExprs.__getitem__": lambda e: (
        e.inside(lambda shape, _: shape[1].get_constant_value()) == 4
    ),
    "DimsExprs.__iter__": lambda e: e.inside(lambda shape, _: len(list(shape))) == 2,
    "DimsExprs.__setitem__": lambda e: e.inside(
        lambda shape, exprs: shape.__setitem__(0, exprs.constant(1))
    ) is None,
    "IDimensionExpr.is_constant": lambda e: e.inside(
        lambda shape, _: [extent.is_constant() for extent in shape]
    ) == [False, True],
    "IDimensionExpr.get_constant_value": lambda e: e.inside(operate) == 5,
    "IDimensionExpr.is_size_tensor": lambda e: not e.inside(lambda s, _: s[0].is_size_tensor()),
    "IExprBuilder.__init__": lambda e: trt.IExprBuilder() is not None,
    "IExprBuilder.constant": lambda e: e.inside(operate) == 5,
    "IExprBuilder.operation": lambda e: e.inside(operate) == 5,
    "IExprBuilder.declare_size_tensor": lambda e: callable(e.inside(
        lambda shape, exprs: exprs.declare_size_tensor
    )),
    # fields
    "PluginField.__init__": lambda e: (
        trt.PluginField().type == trt.PluginFieldType.UNKNOWN
        and trt.PluginField(name="n").name == "n"
        and trt.PluginField(name="n", data=b"ab").size == 2
    ),
    "PluginField.name": attribute(new_field, "name", "g"),
    "PluginField.data": read(new_field, "data", lambda data: data.tolist() == [1, 1]),
    "PluginField.type": attribute(new_field, "type", FLOAT),
    "PluginField.size": attribute(new_field, "size", 1),
    "PluginFieldCollection.__init__": lambda e: (
        len(trt.PluginFieldCollection()) == 0
        and len(trt.PluginFieldCollection(e.collection)) == 1
        and len(trt.PluginFieldCollection(iter([e.field()]))) == 1
    ),
    "PluginFieldCollection.__bool__": lambda e: bool(e.collection),
    "PluginFieldCollection.__iter__": lambda e: [f.name for f in e.collection] == ["f"],
    "PluginFieldCollection.__len__": lambda e: len(e.collection) == 1,
    "PluginFieldCollection.__getitem__": lambda e: (
        e.collection[0].name == "f" and type(e.collection[:1]) is trt.PluginFieldCollection
    ),
    "PluginFieldCollection.__setitem__": lambda e: collect(e, set_item) == 2,
    "PluginFieldCollection.__delitem__": lambda e: (
        collect(e, lambda f: f.__delitem__(0)) == 1
        and collect(e, lambda f: f.__delitem__(slice(0, 2))) == 0
    ),
    "PluginFieldCollection.append": lambda e: collect(e, lambda f: f.append(x=e.field())) == 3,
    "PluginFieldCollection.clear": lambda e: collect(e, lambda f: f.clear()) == 0,
    "PluginFieldCollection.extend": lambda e: (
        collect(e, lambda f: f.extend(L=e.collection), lambda f: f.extend(L=[e.field()])) == 4
    ),
    "PluginFieldCollection.insert": lambda e: collect(e, lambda f: f.insert(i=0, x=e.field())) == 3,
    "PluginFieldCollection.pop": lambda e: (
        collect(e, lambda f: f.pop()) == 1 and collect(e, lambda f: f.pop(i=0)) == 1
    ),
    "PluginFieldCollection_.__init__": lambda e: len(trt.PluginFieldCollection_(e.collection)) == 1,
    "PluginFieldCollection_.__len__": lambda e: len(ScaleCreatorV3().field_names) == 1,
    "PluginFieldCollection_.__iter__": lambda e: (
        [field.name for field in ScaleCreatorV3().field_names] == ["factor"]
    ),
    "PluginFieldCollection_.__getitem__": lambda e: (
        ScaleCreatorV3().field_names[0].name == "factor"
    ),
    # information about interfaces
    "IVersionedInterface.api_language": lambda e: e.plugin.api_language == trt.APILanguage.PYTHON,
    "IVersionedInterface.interface_info": lambda e: e.plugin.interface_info.kind == "PLUGIN_V3",
    "InterfaceInfo.kind": attribute(lambda e: e.info, "kind", "K"),
    "InterfaceInfo.major": attribute(lambda e: e.info, "major", 3),
    "InterfaceInfo.minor": attribute(lambda e: e.info, "minor", 4),
    # creators
    "IPluginCreator.__init__": lambda e: type(trt.IPluginCreator()) is trt.IPluginCreator,
    "IPluginCreator.name": attribute(lambda e: BareCreatorV2(), "name", "n"),
    "IPluginCreator.plugin_version": attribute(lambda e: BareCreatorV2(), "plugin_version", "1"),
    "IPluginCreator.plugin_namespace": attribute(
        lambda e: BareCreatorV2(), "plugin_namespace", "s"
    ),
    "IPluginCreator.field_names": lambda e: len(ScaleCreatorV2().field_names) == 1,
    "IPluginCreator.create_plugin": lambda e: type(
        ScaleCreatorV2().create_plugin(name="n", field_collection=[e.field()])
    ) is ScaleV2,
    "IPluginCreator.deserialize_plugin": lambda e: type(
        ScaleCreatorV2().deserialize_plugin(name="n", serialized_plugin=np.float32(2).tobytes())
    ) is ScaleV2,
    "IPluginCreatorV3One.__init__": lambda e: trt.IPluginCreatorV3One().interface_info.major == 1,
    "IPluginCreatorV3One.name": attribute(lambda e: BareCreatorV3(), "name", "n"),
    "IPluginCreatorV3One.plugin_version": attribute(
        lambda e: BareCreatorV3(), "plugin_version", "1"
    ),
    "IPluginCreatorV3One.plugin_namespace": attribute(
        lambda e: BareCreatorV3(), "plugin_namespace", "s"
    ),
    "IPluginCreatorV3One.field_names": lambda e: len(ScaleCreatorV3().field_names) == 1,
    "IPluginCreatorV3One.create_plugin": lambda e: type(
        ScaleCreatorV3().create_plugin(
            name="n", field_collection=[e.field()], phase=trt.TensorRTPhase.BUILD
        )
    ) is ScaleV3,
    # registry
    "IPluginRegistry.acquire_plugin_resource": resource_round_trip,
    "IPluginRegistry.release_plugin_resource": resource_round_trip,
    "IPluginRegistry.register_creator": lambda e: e.registered(lambda creator: True),
    "IPluginRegistry.deregister_creator": lambda e: (
        not e.registry.deregister_creator(creator=ScaleCreatorV3())
    ),
    "IPluginRegistry.get_creator": lambda e: e.registered(
        lambda creator: e.registry.get_creator(type="Scale", version="2") is creator
        and e.registry.get_creator(type="Scale", version="2", plugin_namespace="") is creator
    ),
    "IPluginRegistry.get_plugin_creator": lambda e: e.registered(
        lambda creator: e.registry.get_plugin_creator(type="Scale", version="2") is creator
        and e.registry.get_plugin_creator(type="Scale", version="2", plugin_namespace="") is creator
    ),
    "IPluginRegistry.load_library": lambda e: (
        e.registry.load_library(plugin_path="/no/such/library.so") is None
    ),
    "IPluginRegistry.deregister_library": lambda e: callable(e.registry.deregister_library),
    "IPluginRegistry.all_creators": lambda e: e.registered(
        lambda creator: any(found is creator for found in e.registry.all_creators)
    ),
    "IPluginRegistry.all_creators_recursive": lambda e: e.registered(
        lambda creator: any(found is creator for found in e.registry.all_creators_recursive)
    ),
    "IPluginRegistry.plugin_creator_list": lambda e: e.registered(
        lambda creator: any(found is creator for found in e.registry.plugin_creator_list)
    ),
    "IPluginRegistry.error_recorder": attribute(lambda e: e.registry, "error_recorder", None),
    "IPluginRegistry.parent_search_enabled": attribute(
        lambda e: e.registry, "parent_search_enabled", True
    ),
    # resources
    "IPluginResource.__init__": lambda e: type(trt.IPluginResource()) is trt.IPluginResource,
    "IPluginResource.clone": lambda e: trt.IPluginResource().clone() is DOCUMENTED,
    "IPluginResource.release": lambda e: trt.IPluginResource().release() is DOCUMENTED,
    "IPluginResourceContext.gpu_allocator": lambda e: in_context(
        e, lambda context: isinstance(context.gpu_allocator, trt.IGpuAllocator)
    ),
    "IPluginResourceContext.error_recorder": lambda e: in_context(
        e, lambda context: context.error_recorder is None
    ),
    # the second generation; IPluginV2's own methods: test_native_plugins.py
    "IPluginV2DynamicExt.__init__": lambda e: (
        type(trt.IPluginV2DynamicExt()) is trt.IPluginV2DynamicExt
        and trt.IPluginV2DynamicExt(ScaleV2()).plugin_type == "Scale"
    ),
    "IPluginV2DynamicExt.clone": lambda e: type(ScaleV2().clone()) is ScaleV2,
    "IPluginV2DynamicExt.attach_to_context": lambda e: (
        e.v2.attach_to_context(cudnn=None, cublas=None, allocator=None) is DOCUMENTED
    ),
    "IPluginV2DynamicExt.detach_from_context": lambda e: e.v2.detach_from_context() is DOCUMENTED,
    "IPluginV2DynamicExt.configure_plugin": lambda e: (
        e.v2.configure_plugin(pos=[], in_out=[]) is DOCUMENTED
    ),
    "IPluginV2DynamicExt.destroy": lambda e: e.v2.destroy() is DOCUMENTED,
    "IPluginV2DynamicExt.enqueue": lambda e: e.v2.enqueue(
        input_desc=[], output_desc=[], inputs=[], outputs=[], workspace=0, stream=0
    ) is DOCUMENTED,
    "IPluginV2DynamicExt.get_output_datatype": lambda e: (
        e.v2.get_output_datatype(index=0, input_types=[]) is DOCUMENTED
    ),
    "IPluginV2DynamicExt.get_output_dimensions": lambda e: (
        e.v2.get_output_dimensions(output_index=0, inputs=[], expr_builder=None) is DOCUMENTED
    ),
    "IPluginV2DynamicExt.get_serialization_size": lambda e: e.v2.get_serialization_size() == 0,
    "IPluginV2DynamicExt.get_workspace_size": lambda e: (
        e.v2.get_workspace_size(**{"in": [], "out": []}) == 0
    ),
    "IPluginV2DynamicExt.initialize": lambda e: e.v2.initialize() == 0,
    "IPluginV2DynamicExt.serialize": lambda e: len(ScaleV2().serialize()) == 4,
    "IPluginV2DynamicExt.supports_format_combination": lambda e: (
        e.v2.supports_format_combination(pos=0, in_out=[], num_inputs=1) is DOCUMENTED
    ),
    "IPluginV2DynamicExt.terminate": lambda e: e.v2.terminate() is DOCUMENTED,
    "IPluginV2DynamicExt.FORMAT_COMBINATION_LIMIT": lambda e: e.v2.FORMAT_COMBINATION_LIMIT == 100,
    "IPluginV2Layer.plugin": add_v2,
    # the third generation
    "IPluginV3.__init__": lambda e: trt.IPluginV3(trt.IPluginV3()).interface_info.major == 1,
    "IPluginV3.clone": lambda e: type(ScaleV3().clone()) is ScaleV3,
    "IPluginV3.destroy": lambda e: e.plugin.destroy() is DOCUMENTED,
    "IPluginV3.get_capability_interface": lambda e: (
        type(ScaleV3().get_capability_interface(type=trt.PluginCapabilityType.CORE)) is ScaleV3
    ),
    "IPluginV3OneCore.__init__": lambda e: (
        trt.IPluginV3OneCore(ScaleV3()).plugin_name == "Scale"
        and trt.IPluginV3OneCore().interface_info.kind == "PLUGIN_V3ONE_CORE"
    ),
    "IPluginV3OneCore.plugin_name": attribute(new_plugin, "plugin_name", "n"),
    "IPluginV3OneCore.plugin_version": attribute(new_plugin, "plugin_version", "1"),
    "IPluginV3OneCore.plugin_namespace": attribute(new_plugin, "plugin_namespace", "s"),
    "IPluginV3OneBuild.__init__": lambda e: (
        trt.IPluginV3OneBuild(ScaleV3()).num_outputs == 1
        and trt.IPluginV3OneBuild().interface_info.major == 1
    ),
    "IPluginV3OneBuild.num_outputs": attribute(new_plugin, "num_outputs", 2),
    "IPluginV3OneBuild.format_combination_limit": attribute(
        new_plugin, "format_combination_limit", 7
    ),
    "IPluginV3OneBuild.timing_cache_id": attribute(new_plugin, "timing_cache_id", "id"),
    "IPluginV3OneBuild.metadata_string": attribute(new_plugin, "metadata_string", "m"),
    "IPluginV3OneBuild.DEFAULT_FORMAT_COMBINATION_LIMIT": lambda e: (
        e.plugin.DEFAULT_FORMAT_COMBINATION_LIMIT == 100
    ),
    "IPluginV3OneBuild.configure_plugin": lambda e: (
        e.plugin.configure_plugin(**{"in": [], "out": []}) is DOCUMENTED
    ),
    "IPluginV3OneBuild.get_output_data_types": lambda e: (
        e.plugin.get_output_data_types(input_types=[]) is DOCUMENTED
    ),
    "IPluginV3OneBuild.get_output_shapes": lambda e: (
        e.plugin.get_output_shapes(inputs=[], shape_inputs=[], expr_builder=None) is DOCUMENTED
    ),
    "IPluginV3OneBuild.supports_format_combination": lambda e: (
        e.plugin.supports_format_combination(pos=0, in_out=[], num_inputs=1) is DOCUMENTED
    ),
    "IPluginV3OneBuild.get_workspace_size": lambda e: (
        e.plugin.get_workspace_size(**{"in": [], "out": []}) == 0
    ),
    "IPluginV3OneBuild.get_valid_tactics": lambda e: e.plugin.get_valid_tactics() == [],
    "IPluginV3OneBuildV2.__init__": lambda e: (
        trt.IPluginV3OneBuildV2(trt.IPluginV3OneBuildV2()).interface_info.major == 2
    ),
    "IPluginV3OneBuildV2.get_aliased_input": lambda e: (
        e.plugin.get_aliased_input() == -1 and e.plugin.get_aliased_input(output_index=0) == -1
    ),
    "IPluginV3OneRuntime.__init__": lambda e: (
        trt.IPluginV3OneRuntime(trt.IPluginV3OneRuntime()).interface_info.major == 1
    ),
    "IPluginV3OneRuntime.attach_to_context": lambda e: (
        e.plugin.attach_to_context(resource_context=None) is DOCUMENTED
    ),
    "IPluginV3OneRuntime.enqueue": lambda e: e.plugin.enqueue(
        input_desc=[], output_desc=[], inputs=[], outputs=[], workspace=0, stream=0
    ) is DOCUMENTED,
    "IPluginV3OneRuntime.get_fields_to_serialize": lambda e: (
        e.plugin.get_fields_to_serialize() is DOCUMENTED
    ),
    "IPluginV3OneRuntime.on_shape_change": lambda e: (
        e.plugin.on_shape_change(**{"in": [], "out": []}) is DOCUMENTED
    ),
    "IPluginV3OneRuntime.set_tactic": lambda e: e.plugin.set_tactic(tactic=1) is DOCUMENTED,
    "IPluginV3Layer.plugin": add_v3,
}  # fmt: skip
