# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration is data: every property and every setter of the objects that build and run engines
gives back what was set.

A setting that is missing from the tables below fails a test, so none can be added and forgotten.
test_builder_flags.py does the same for the effects of flags, test_setting_effects.py for those of
properties.
"""

import inspect
import warnings

import device_memory
import numpy as np
import pytest
import tensorrt as trt

warnings.filterwarnings("ignore", category=DeprecationWarning)


class Recorder(trt.IErrorRecorder):
    def __init__(self):
        super().__init__()

    def num_errors(self):
        return 0

    def get_error_code(self, i):
        return trt.ErrorCodeTRT.SUCCESS

    def get_error_desc(self, i):
        return ""

    def has_overflowed(self):
        return False

    def clear(self):
        pass

    def report_error(self, val, desc):
        return True


class Allocator(trt.IGpuAllocator):
    def __init__(self):
        super().__init__()


class Profiler(trt.IProfiler):
    def __init__(self):
        super().__init__()

    def report_layer_time(self, layer_name, ms):
        pass


class Listener(trt.IDebugListener):
    def __init__(self):
        super().__init__()


class OutputAllocator(trt.IOutputAllocator):
    def __init__(self):
        super().__init__()


class Monitor(trt.IProgressMonitor):
    def __init__(self):
        super().__init__()

    def phase_start(self, phase_name, parent_phase, num_steps):
        pass

    def step_complete(self, phase_name, step):
        return True

    def phase_finish(self, phase_name):
        pass


class Selector(trt.IAlgorithmSelector):
    def __init__(self):
        super().__init__()


class Calibrator(trt.IInt8EntropyCalibrator2):
    def __init__(self):
        super().__init__()


class Lab:
    """One object of each class, around a network of dynamic shapes with a debug tensor."""

    def __init__(self, logger):
        self.logger = logger
        self.builder = trt.Builder(logger)
        self.network = network = self.builder.create_network(0)
        self.x = network.add_input("x", trt.float32, (-1, 4))
        self.s = network.add_input("s", trt.int32, (2,))
        self.layer = network.add_activation(self.x, trt.ActivationType.RELU)
        self.layer.name = "relu"
        self.h = self.layer.get_output(0)
        self.h.name = "h"
        network.mark_debug(self.h)
        self.w = np.ones((4, 4), np.float32)
        self.constant = network.add_constant((4, 4), self.w)
        self.constant.name = "w"
        none = trt.MatrixOperation.NONE
        self.product = network.add_matrix_multiply(self.h, none, self.constant.get_output(0), none)
        self.shuffle = network.add_shuffle(self.product.get_output(0))
        self.shuffle.set_input(1, self.s)
        self.y = self.shuffle.get_output(0)
        self.y.name = "y"
        network.mark_output(self.y)
        self.config = self.builder.create_builder_config()
        self.profile = self.builder.create_optimization_profile()
        for _ in range(2):
            profile = self.builder.create_optimization_profile()
            profile.set_shape("x", (1, 4), (2, 4), (8, 4))
            profile.set_shape_input("s", (1, 1), (4, 2), (32, 32))
            self.config.add_optimization_profile(profile)
        self.config.set_flag(trt.BuilderFlag.REFIT)
        self.config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
        self.runtime = trt.Runtime(logger)

    def open(self):
        plan = self.builder.build_serialized_network(self.network, self.config)
        assert plan is not None, self.logger.errors()
        self.engine = self.runtime.deserialize_cuda_engine(plan)
        self.context = self.engine.create_execution_context()
        self.refitter = trt.Refitter(self.engine, self.logger)
        self.inspector = self.engine.create_engine_inspector()
        self.serialization = self.engine.create_serialization_config()
        self.runtime_config = self.engine.create_runtime_config()
        return self


@pytest.fixture
def lab(logger):
    return Lab(logger)


# Objects of these classes, the values that their properties take, one by one, and None for a
# property that a function of SETTERS checks.
PROPERTIES = {
    "builder": {
        "error_recorder": [Recorder, None],
        "gpu_allocator": None,  # write-only
        "max_threads": [1, 3],
    },
    "config": {
        "DLA_core": [1],
        "algorithm_selector": [Selector, None],
        "avg_timing_iterations": [4],
        "build_route": ["", "somewhere"],
        "builder_optimization_level": [0, 5],
        "default_device_type": [trt.DeviceType.DLA],
        "engine_capability": list(trt.EngineCapability.__members__.values()),
        "flags": [0, 1 << int(trt.BuilderFlag.DEBUG) | 1 << int(trt.BuilderFlag.FP16)],
        "hardware_compatibility_level": list(trt.HardwareCompatibilityLevel.__members__.values()),
        "int8_calibrator": [Calibrator, None],
        "l2_limit_for_tiling": [1 << 20],
        "max_aux_streams": [0, 7],
        "max_num_tactics": [0, 9],
        "max_workspace_size": [1 << 22],
        "plugins_to_serialize": [[], ["liba.so", "libb.so"]],
        "profile_stream": [0],
        "profiling_verbosity": list(trt.ProfilingVerbosity.__members__.values()),
        "progress_monitor": [Monitor, None],
        "quantization_flags": [1],
        "remote_auto_tuning_config": ["", "ssh://host"],
        "runtime_platform": list(trt.RuntimePlatform.__members__.values()),
        "tiling_optimization_level": list(trt.TilingOptimizationLevel.__members__.values()),
    },
    "profile": {"extra_memory_target": [0.0, 0.25, 1.0]},
    "runtime": {
        "DLA_core": [1, 2],
        "engine_host_code_allowed": [True, False],
        "error_recorder": [Recorder, None],
        "gpu_allocator": None,  # write-only
        "max_threads": [1, 3],
        "tempfile_control_flags": [1, 2, 3],
        "temporary_directory": ["/tmp"],
    },
    "network": {"error_recorder": [Recorder, None], "name": ["a net", ""]},
    "layer": {
        "metadata": ["m", ""],
        "name": ["n"],
        "num_ranks": None,
        "precision": [trt.float16, trt.float32],
    },
    "x": {
        "allowed_formats": [1 << int(trt.TensorFormat.LINEAR), 3],
        "broadcast_across_batch": None,
        "dtype": [trt.float16, trt.int32],
        "dynamic_range": [(-2.0, 2.0)],
        "location": None,
        "name": ["other"],
        "shape": [(2, 4), (-1, 4)],
    },
    "runtime_config": {},
    "engine": {
        "error_recorder": [Recorder, None],
        "weight_streaming_budget": None,
        "weight_streaming_budget_v2": None,
    },
    "context": {
        "debug_sync": [True, False],
        "device_memory": None,  # write-only
        "enqueue_emits_profile": [False, True],
        "error_recorder": [Recorder, None],
        "name": ["c", ""],
        "nvtx_verbosity": list(trt.ProfilingVerbosity.__members__.values()),
        "persistent_cache_limit": [0, 4096],
        "profiler": [Profiler, None],
        "temporary_allocator": [Allocator, None],
        "unfused_tensors_debug_state": [True, False],
    },
    "refitter": {
        "error_recorder": [Recorder, None],
        "max_threads": [1, 3],
        "weights_validation": [False, True],
    },
    "inspector": {"error_recorder": [Recorder, None], "execution_context": None},
    "serialization": {"flags": [0, 1, 3]},
}
OPENED = ["engine", "context", "refitter", "inspector", "serialization", "runtime_config"]


def objects(lab):
    return lab.open() if not hasattr(lab, "engine") else lab


def settable(cls):
    """Names of the properties of a class that can be set."""
    return {
        name
        for name, value in inspect.getmembers(cls)
        if isinstance(value, property) and value.fset is not None
    }


def plain(value):
    return tuple(value) if isinstance(value, (trt.Dims, list)) else value


@pytest.mark.parametrize("owner", sorted(PROPERTIES))
def test_properties_give_back_what_was_set(lab, owner):
    target = getattr(objects(lab) if owner in OPENED else lab, owner)
    cls = trt.ILayer if owner == "layer" else type(target)
    assert settable(cls) == set(PROPERTIES[owner]), "the table lacks or has too many"
    for name, values in PROPERTIES[owner].items():
        for value in values or []:
            wanted = value() if isinstance(value, type) else value
            setattr(target, name, wanted)
            assert plain(getattr(target, name)) == plain(wanted), (name, wanted)


def each(values, assign, read):
    for value in values:
        assert assign(value) in (None, True), value
        assert plain(read(value)) == plain(value)


# What a setter sets and what gives it back, by class and method.
SETTERS = {}


def setter(owner, *names):
    def add(function):
        SETTERS[owner, function.__name__.split("__")[-1]] = function
        for name in names:
            SETTERS[owner, name] = function
        return function

    return add


@setter("builder", "reset")
def builder__reset(lab):
    lab.builder.reset()
    assert lab.builder.error_recorder is None


@setter("config", "set_flag", "clear_flag")
def config__flags(lab):
    for flag in trt.BuilderFlag.__members__.values():
        lab.config.set_flag(flag)
        assert lab.config.get_flag(flag) and lab.config.flags >> int(flag) & 1
        lab.config.clear_flag(flag)
        assert not lab.config.get_flag(flag)


@setter("config", "set_quantization_flag", "clear_quantization_flag")
def config__quantization(lab):
    for flag in trt.QuantizationFlag.__members__.values():
        lab.config.set_quantization_flag(flag)
        assert lab.config.get_quantization_flag(flag)
        lab.config.clear_quantization_flag(flag)
        assert not lab.config.get_quantization_flag(flag)


@setter("config", "reset")
def config__reset(lab):
    lab.config.set_flag(trt.BuilderFlag.DEBUG)
    lab.config.builder_optimization_level = 1
    lab.config.reset()
    assert not lab.config.get_flag(trt.BuilderFlag.DEBUG)
    assert lab.config.builder_optimization_level == 3
    assert lab.config.num_optimization_profiles == 0


@setter("config", "set_device_type", "reset_device_type")
def config__device(lab):
    config, layer = lab.config, lab.layer
    assert not config.is_device_type_set(layer)
    config.set_device_type(layer, trt.DeviceType.DLA)
    assert config.is_device_type_set(layer)
    assert config.get_device_type(layer) == trt.DeviceType.DLA
    config.reset_device_type(layer)
    assert not config.is_device_type_set(layer)
    assert config.get_device_type(layer) == config.default_device_type


@setter("config")
def config__set_calibration_profile(lab):
    assert lab.config.get_calibration_profile() is None
    lab.config.set_calibration_profile(lab.profile)
    assert lab.config.get_calibration_profile() is not None


@setter("config")
def config__set_memory_pool_limit(lab):
    for number, pool in enumerate(trt.MemoryPoolType.__members__.values()):
        lab.config.set_memory_pool_limit(pool, 4096 << number)
    for number, pool in enumerate(trt.MemoryPoolType.__members__.values()):
        assert lab.config.get_memory_pool_limit(pool) == 4096 << number


@setter("config")
def config__set_preview_feature(lab):
    for feature in trt.PreviewFeature.__members__.values():
        for on in (True, False):
            lab.config.set_preview_feature(feature, on)
            assert lab.config.get_preview_feature(feature) == on


@setter("config")
def config__set_tactic_sources(lab):
    each([0, 1, 2, 5], lab.config.set_tactic_sources, lambda _: lab.config.get_tactic_sources())


@setter("config")
def config__set_timing_cache(lab):
    assert lab.config.get_timing_cache() is None
    lab.config.set_flag(trt.BuilderFlag.EDITABLE_TIMING_CACHE)
    cache = lab.config.create_timing_cache(b"")
    assert lab.config.set_timing_cache(cache, False)
    assert lab.config.get_timing_cache() is not None


@setter("profile")
def profile__set_shape(lab):
    assert lab.profile.get_shape("x") == []
    lab.profile.set_shape("x", (1, 4), (2, 4), (3, 4))
    assert [tuple(dims) for dims in lab.profile.get_shape("x")] == [(1, 4), (2, 4), (3, 4)]


@setter("profile")
def profile__set_shape_input(lab):
    assert lab.profile.get_shape_input("s") == []
    lab.profile.set_shape_input("s", (1, 2), (3, 4), (5, 6))
    got = [list(values) for values in lab.profile.get_shape_input("s")]
    assert got == [[1, 2], [3, 4], [5, 6]]


@setter("network", "mark_debug", "unmark_debug")
def network__debug(lab):
    for tensor in (lab.x, lab.y):
        assert lab.network.mark_debug(tensor) and lab.network.is_debug_tensor(tensor)
        assert lab.network.unmark_debug(tensor) and not lab.network.is_debug_tensor(tensor)


@setter(
    "network", "mark_unfused_tensors_as_debug_tensors", "unmark_unfused_tensors_as_debug_tensors"
)
def network__unfused(lab):
    assert lab.network.mark_unfused_tensors_as_debug_tensors()
    assert lab.network.unmark_unfused_tensors_as_debug_tensors()


@setter("network", "mark_output", "unmark_output")
def network__output(lab):
    lab.network.mark_output(lab.h)
    assert lab.h.is_network_output and lab.network.num_outputs == 2
    lab.network.unmark_output(lab.h)
    assert not lab.h.is_network_output and lab.network.num_outputs == 1


@setter("network", "mark_output_for_shapes", "unmark_output_for_shapes")
def network__output_for_shapes(lab):
    shape = lab.network.add_shape(lab.h).get_output(0)
    assert lab.network.mark_output_for_shapes(shape)
    assert lab.network.num_outputs == 2 and shape.is_shape_tensor
    assert lab.network.unmark_output_for_shapes(shape)
    assert lab.network.num_outputs == 1


@setter("network", "set_weights_name", "mark_weights_refittable", "unmark_weights_refittable")
def network__weights(lab):
    assert lab.network.set_weights_name(trt.Weights(lab.w), "named")
    assert not lab.network.are_weights_marked_refittable("named")
    assert lab.network.mark_weights_refittable("named")
    assert lab.network.are_weights_marked_refittable("named")
    assert lab.network.unmark_weights_refittable("named")
    assert not lab.network.are_weights_marked_refittable("named")


@setter("layer", "reset_precision")
def layer__precision(lab):
    lab.layer.precision = trt.float16
    assert lab.layer.precision_is_set
    lab.layer.reset_precision()
    assert not lab.layer.precision_is_set


@setter("layer", "set_output_type", "reset_output_type")
def layer__output_type(lab):
    assert not lab.layer.output_type_is_set(0)
    lab.layer.set_output_type(0, trt.float16)
    assert lab.layer.output_type_is_set(0)
    assert lab.layer.get_output_type(0) == trt.float16
    lab.layer.reset_output_type(0)
    assert not lab.layer.output_type_is_set(0)


@setter("layer")
def layer__set_input(lab):
    other = lab.network.add_input("other", trt.float32, (-1, 4))
    lab.layer.set_input(0, other)
    assert lab.layer.get_input(0).name == "other"


@setter("x", "set_dynamic_range", "reset_dynamic_range")
def x__range(lab):
    assert lab.x.set_dynamic_range(-3, 4)
    assert lab.x.dynamic_range == (-3, 4)
    lab.x.reset_dynamic_range()
    assert lab.x.dynamic_range is None


@setter("x")
def x__set_dimension_name(lab):
    lab.x.set_dimension_name(0, "batch")
    assert lab.x.get_dimension_name(0) == "batch"
    assert lab.x.get_dimension_name(1) in (None, "")


@setter("runtime_config")
def runtime_config__set_execution_context_allocation_strategy(lab):
    config = lab.runtime_config
    each(
        list(trt.ExecutionContextAllocationStrategy.__members__.values()),
        config.set_execution_context_allocation_strategy,
        lambda _: config.get_execution_context_allocation_strategy(),
    )


@setter("serialization", "set_flag", "clear_flag")
def serialization__flags(lab):
    for flag in trt.SerializationFlag.__members__.values():
        assert lab.serialization.set_flag(flag) and lab.serialization.get_flag(flag)
        assert lab.serialization.clear_flag(flag) and not lab.serialization.get_flag(flag)


@setter("context", "set_tensor_debug_state", "set_all_tensors_debug_state")
def context__debug(lab):
    assert not lab.context.get_debug_state("h")
    assert lab.context.set_tensor_debug_state("h", True) and lab.context.get_debug_state("h")
    assert lab.context.set_all_tensors_debug_state(False)
    assert not lab.context.get_debug_state("h")


@setter("context")
def context__set_debug_listener(lab):
    listener = Listener()
    assert lab.context.set_debug_listener(listener)
    assert lab.context.get_debug_listener() is listener
    assert lab.context.set_debug_listener(None)
    assert lab.context.get_debug_listener() is None


@setter("context", "set_aux_streams", "set_communicator")
def context__handles(lab):
    lab.context.set_aux_streams([])
    assert lab.context.set_communicator(None)


@setter("context")
def context__set_device_memory(lab):
    context = lab.engine.create_execution_context(
        trt.ExecutionContextAllocationStrategy.USER_MANAGED
    )
    size = max(lab.engine.device_memory_size_v2, 1)
    memory = device_memory.for_target().DeviceArray(np.zeros(size, np.uint8))
    context.set_device_memory(memory.ptr, size)
    context.device_memory = memory.ptr
    assert not lab.logger.errors()


@setter("context")
def context__set_input_consumed_event(lab):
    assert lab.context.set_input_consumed_event(0)
    assert lab.context.get_input_consumed_event() == 0


@setter("context", "set_input_shape", "set_optimization_profile_async")
def context__shape(lab):
    assert lab.context.set_optimization_profile_async(1, 0)
    assert lab.context.active_optimization_profile == 1
    assert lab.context.set_input_shape("x", (3, 4))
    assert tuple(lab.context.get_tensor_shape("x")) == (3, 4)


@setter("context")
def context__set_output_allocator(lab):
    allocator = OutputAllocator()
    assert lab.context.set_output_allocator("y", allocator)
    assert lab.context.get_output_allocator("y") is allocator
    assert lab.context.set_output_allocator("y", None)
    assert lab.context.get_output_allocator("y") is None


@setter("context")
def context__set_tensor_address(lab):
    memory = device_memory.for_target().DeviceArray(np.zeros((8, 4), np.float32))
    for name in ("x", "y"):
        assert lab.context.set_tensor_address(name, memory.ptr)
        assert lab.context.get_tensor_address(name) == memory.ptr


@setter("refitter", "set_weights", "set_named_weights")
def refitter__weights(lab):
    assert lab.refitter.get_all()[1] == [trt.WeightsRole.CONSTANT]
    assert lab.refitter.set_weights("w", trt.WeightsRole.CONSTANT, np.ones((4, 4), np.float32))
    assert lab.refitter.refit_cuda_engine()


@setter("refitter")
def refitter__set_dynamic_range(lab):
    """Refused: an engine computes with scales, as weights, or has no use for ranges."""
    assert not lab.refitter.set_dynamic_range("h", (-1, 1))
    assert "expected a tensor whose range can change" in lab.logger.errors()
    assert np.isnan(lab.refitter.get_dynamic_range("h")).all()


@setter("inspector", "execution_context")
def inspector__context(lab):
    lab.inspector.execution_context = lab.context
    assert lab.inspector.execution_context is lab.context


SETTER_WORDS = ("set_", "mark_", "unmark_", "clear_", "reset")


@pytest.mark.parametrize("owner", sorted(PROPERTIES))
def test_every_setter_is_in_the_table(lab, owner):
    cls = type(getattr(objects(lab) if owner in OPENED else lab, owner))
    if owner == "layer":
        cls = trt.ILayer
    names = {name for name in dir(cls) if name.startswith(SETTER_WORDS)}
    missing = {name for name in names if (owner, name) not in SETTERS}
    assert missing == set()


@pytest.mark.parametrize("function", sorted(set(SETTERS.values()), key=lambda f: f.__name__))
def test_setters_give_back_what_was_set(lab, function):
    if function.__name__.split("__")[0] in OPENED:
        objects(lab)
    function(lab)
