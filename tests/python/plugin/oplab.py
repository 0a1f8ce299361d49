# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Engines of decorated ops, and ids that no other test uses."""

import itertools

import tensorrt as trt
import tensorrt.plugin as trtp
from tensorrt.plugin._lib import QDP_REGISTRY

NUMBERS = itertools.count()
STRONG = 1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)


def new_id(name="op"):
    """An id that is not in use."""
    return f"lab::{name}_{next(NUMBERS)}"


def op_of(plugin_id):
    """The op of an id, from trtp.op."""
    namespace, name = plugin_id.split("::")
    return getattr(getattr(trtp.op, namespace), name)


def define(describe, impl=None, autotune=None, aot_impl=None, plugin_id=None, **options):
    """Registers functions under a new id; returns it."""
    plugin_id = plugin_id or new_id()
    trtp.register(plugin_id, **options)(describe)
    for decorator, function in (
        (trtp.impl, impl),
        (trtp.autotune, autotune),
        (trtp.aot_impl, aot_impl),
    ):
        if function is not None:
            decorator(plugin_id)(function)
    return plugin_id


def definition_of(plugin_id):
    return QDP_REGISTRY[plugin_id]


class Net:
    """A network under construction, and its engine."""

    def __init__(self, logger, flags=STRONG):
        self.logger = logger
        self.builder = trt.Builder(logger)
        self.network = self.builder.create_network(flags)
        self.config = self.builder.create_builder_config()

    def input(self, name, shape, dtype=trt.float32):
        return self.network.add_input(name, dtype, shape)

    def add(self, call, **options):
        """Adds an op; returns its outputs."""
        layer = self.network.add_plugin(call, **options)
        assert layer is not None, self.logger.errors()
        return [layer.get_output(i) for i in range(layer.num_outputs)]

    def output(self, tensor, name):
        tensor.name = name
        self.network.mark_output(tensor)

    def profile(self, **shapes):
        """Adds a profile: input=(min, opt, max)."""
        profile = self.builder.create_optimization_profile()
        for name, bounds in shapes.items():
            profile.set_shape(name, *bounds)
        self.config.add_optimization_profile(profile)

    def plan(self):
        return self.builder.build_serialized_network(self.network, self.config)

    def engine(self):
        plan = self.plan()
        assert plan is not None, self.logger.errors()
        return Engine(self.logger, plan)


class Engine:
    """An opened plan with one context."""

    def __init__(self, logger, plan):
        self.logger = logger
        self.runtime = trt.Runtime(logger)
        self.engine = self.runtime.deserialize_cuda_engine(plan)
        assert self.engine is not None, logger.errors()
        self.context = self.engine.create_execution_context()

    def run(self, inputs, outputs):
        """Binds all arrays, sets the inputs' shapes and runs. Returns whether the run succeeded."""
        for name, value in inputs.items():
            assert self.context.set_input_shape(name, value.shape)
        for name, value in {**inputs, **outputs}.items():
            assert self.context.set_tensor_address(name, value.ctypes.data)
        return self.context.execute_async_v3(0)
