# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A configuration is data: getters return what was set, and the build names what it cannot honour.

Values and defaults are those of the API's documentation.
"""

import gc
import warnings
import weakref

import pytest
import tensorrt as trt

warnings.filterwarnings("ignore", category=DeprecationWarning)

FLAGS = list(dict.fromkeys(trt.BuilderFlag.__members__.values()))
PROMISES = [
    "SAFETY_SCOPE",
    "WEIGHT_STREAMING",  # of weakly typed networks
    "DISTRIBUTIVE_INDEPENDENCE",
]
TUNING = [
    "FP8",
    "INT4",
    "FP4",
    "SPARSE_WEIGHTS",
    "DEBUG",
    "EXCLUDE_LEAN_RUNTIME",
    "DISABLE_COMPILATION_CACHE",
    "STRICT_NANS",
    "MONITOR_MEMORY",
]


@pytest.fixture
def builder(logger):
    return trt.Builder(logger)


@pytest.fixture
def config(builder):
    return builder.create_builder_config()


def build(builder, config, flags=0):
    network = builder.create_network(flags)
    layer = network.add_identity(network.add_input("x", trt.float32, (2,)))
    layer.name = "copy"
    network.mark_output(layer.get_output(0))
    return builder.build_serialized_network(network, config)


def describe(config):
    """A configuration as text, the way that command line clients print one."""
    lines = [f"flags: {[flag.name for flag in FLAGS if config.get_flag(flag)]}"]
    pools = trt.MemoryPoolType.__members__
    limits = {name: config.get_memory_pool_limit(pool) for name, pool in pools.items()}
    lines.append(f"memory pools: {limits}")
    sources = trt.TacticSource.__members__
    bits = config.get_tactic_sources()
    lines.append(f"tactic sources: {[n for n, s in sources.items() if bits >> int(s) & 1]}")
    previews = trt.PreviewFeature.__members__
    lines.append(f"preview: {[n for n, p in previews.items() if config.get_preview_feature(p)]}")
    quantization = trt.QuantizationFlag.__members__
    names = [n for n, q in quantization.items() if config.get_quantization_flag(q)]
    lines.append(f"quantization: {names}")
    for name in (
        "profiling_verbosity",
        "engine_capability",
        "default_device_type",
        "hardware_compatibility_level",
        "runtime_platform",
        "tiling_optimization_level",
    ):
        lines.append(f"{name}: {getattr(config, name).name}")
    for name in ("builder_optimization_level", "DLA_core", "max_aux_streams", "max_num_tactics"):
        lines.append(f"{name}: {getattr(config, name)}")
    return lines


def test_printing_a_configuration_gives_the_defaults(config):
    lines = describe(config)
    assert lines[0] == "flags: ['TF32']"
    assert lines[2] == "tactic sources: ['EDGE_MASK_CONVOLUTIONS', 'JIT_CONVOLUTIONS']"
    assert lines[3:5] == ["preview: ['PROFILE_SHARING_0806']", "quantization: []"]
    assert lines[5:] == [
        "profiling_verbosity: LAYER_NAMES_ONLY",
        "engine_capability: STANDARD",
        "default_device_type: GPU",
        "hardware_compatibility_level: NONE",
        "runtime_platform: SAME_AS_BUILD",
        "tiling_optimization_level: NONE",
        "builder_optimization_level: 3",
        "DLA_core: -1",
        "max_aux_streams: -1",
        "max_num_tactics: -1",
    ]


def test_printing_a_configuration_gives_what_was_set(logger, config):
    config.set_flag(trt.BuilderFlag.INT8)
    config.set_flag(trt.BuilderFlag.DIRECT_IO)
    config.clear_flag(trt.BuilderFlag.TF32)
    for number, pool in enumerate(trt.MemoryPoolType.__members__.values()):
        config.set_memory_pool_limit(pool, 4096 << number)
    config.set_tactic_sources(1 << int(trt.TacticSource.CUBLAS))
    config.set_preview_feature(trt.PreviewFeature.RUNTIME_ACTIVATION_RESIZE_10_10, True)
    config.set_preview_feature(trt.PreviewFeature.PROFILE_SHARING_0806, False)
    config.set_quantization_flag(trt.QuantizationFlag.CALIBRATE_BEFORE_FUSION)
    config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    config.engine_capability = trt.EngineCapability.SAFETY
    config.default_device_type = trt.DeviceType.DLA
    config.hardware_compatibility_level = trt.HardwareCompatibilityLevel.AMPERE_PLUS
    config.runtime_platform = trt.RuntimePlatform.WINDOWS_AMD64
    config.tiling_optimization_level = trt.TilingOptimizationLevel.FULL
    config.builder_optimization_level = 5
    config.DLA_core = 1
    config.max_aux_streams = 2
    config.max_num_tactics = 7
    lines = describe(config)
    assert lines[0] == "flags: ['INT8', 'DIRECT_IO']"
    for number in range(len(trt.MemoryPoolType.__members__)):
        assert str(4096 << number) in lines[1]
    assert lines[2:] == [
        "tactic sources: ['CUBLAS']",
        "preview: ['RUNTIME_ACTIVATION_RESIZE_10_10']",
        "quantization: ['CALIBRATE_BEFORE_FUSION']",
        "profiling_verbosity: DETAILED",
        "engine_capability: SAFETY",
        "default_device_type: DLA",
        "hardware_compatibility_level: AMPERE_PLUS",
        "runtime_platform: WINDOWS_AMD64",
        "tiling_optimization_level: FULL",
        "builder_optimization_level: 5",
        "DLA_core: 1",
        "max_aux_streams: 2",
        "max_num_tactics: 7",
    ]
    config.l2_limit_for_tiling = 1 << 20
    config.avg_timing_iterations = 4
    config.remote_auto_tuning_config = "ssh://there"
    config.build_route = "fast"
    config.profile_stream = 0
    assert (config.l2_limit_for_tiling, config.avg_timing_iterations) == (1 << 20, 4)
    assert (config.remote_auto_tuning_config, config.build_route) == ("ssh://there", "fast")
    assert logger.errors() == ""
    config.reset()
    assert describe(config)[0] == "flags: ['TF32']"
    assert (config.DLA_core, config.build_route) == (-1, "")


@pytest.mark.parametrize("flag", FLAGS, ids=lambda flag: flag.name)
def test_every_flag_is_kept(logger, config, flag):
    config.set_flag(flag)
    assert config.get_flag(flag) and config.flags >> int(flag) & 1
    config.clear_flag(flag)
    assert not config.get_flag(flag)
    config.flags = 1 << int(flag)
    assert [other for other in FLAGS if config.get_flag(other)] == [flag]
    assert logger.errors() == ""


@pytest.mark.parametrize("name", PROMISES)
def test_promises_are_refused_by_name(logger, builder, config, name):
    config.set_flag(getattr(trt.BuilderFlag, name))
    assert build(builder, config) is None
    assert f"BuilderFlag {name} (" in logger.errors()


@pytest.mark.parametrize("name", TUNING)
def test_what_only_tunes_is_noted(logger, builder, config, name):
    config.set_flag(getattr(trt.BuilderFlag, name))
    assert build(builder, config) is not None, logger.errors()
    assert f"because they only tune: BuilderFlag {name}." in logger.messages_text()


def test_the_other_flags_take_effect(logger, builder, config):
    others = [flag for flag in FLAGS if flag.name not in (*PROMISES, *TUNING)]
    for flag in others:
        config.set_flag(flag)
    assert [flag.name for flag in others] == [
        "FP16",
        "INT8",
        "GPU_FALLBACK",
        "REFIT",
        "DISABLE_TIMING_CACHE",
        "TF32",
        "OBEY_PRECISION_CONSTRAINTS",
        "PREFER_PRECISION_CONSTRAINTS",
        "DIRECT_IO",
        "REJECT_EMPTY_ALGORITHMS",
        "VERSION_COMPATIBLE",
        "ERROR_ON_TIMING_CACHE_MISS",
        "BF16",
        "STRIP_PLAN",
        "REFIT_IDENTICAL",
        "REFIT_INDIVIDUAL",
        "EDITABLE_TIMING_CACHE",
    ]
    assert build(builder, config) is not None, logger.errors()
    assert "because they only tune" not in logger.messages_text()


def test_precision_flags_are_for_weakly_typed_networks(logger, builder, config):
    config.set_flag(trt.BuilderFlag.FP16)
    typed = 1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED)
    assert build(builder, config, typed) is None
    assert "BuilderFlag FP16 (the types of a strongly typed network" in logger.errors()


CALIBRATORS = {
    trt.IInt8EntropyCalibrator: trt.CalibrationAlgoType.ENTROPY_CALIBRATION,
    trt.IInt8EntropyCalibrator2: trt.CalibrationAlgoType.ENTROPY_CALIBRATION_2,
    trt.IInt8MinMaxCalibrator: trt.CalibrationAlgoType.MINMAX_CALIBRATION,
    trt.IInt8LegacyCalibrator: trt.CalibrationAlgoType.LEGACY_CALIBRATION,
}


@pytest.mark.parametrize("base", CALIBRATORS, ids=lambda base: base.__name__)
def test_calibrators(logger, builder, config, base):
    class Calibrator(base):
        def __init__(self):
            super().__init__()
            self.cache = b""

        def get_batch_size(self):
            return 1

        def get_batch(self, names):
            return None

        def get_quantile(self):
            return 0.99

        def get_regression_cutoff(self):
            return 0.5

        def read_histogram_cache(self, length):
            return None

        def read_calibration_cache(self):
            return self.cache

        def write_calibration_cache(self, cache):
            self.cache = bytes(cache)

    calibrator = Calibrator()
    assert isinstance(calibrator, trt.IInt8Calibrator)
    assert calibrator.get_algorithm() == CALIBRATORS[base]
    assert config.int8_calibrator is None
    config.int8_calibrator = calibrator
    config.set_flag(trt.BuilderFlag.INT8)
    known = weakref.ref(calibrator)
    del calibrator
    gc.collect()
    assert known() is not None and config.int8_calibrator is known()
    assert build(builder, config) is None
    assert "[calibration] expected a batch or more from the calibrator, got none" in logger.errors()
    config.int8_calibrator = None
    assert config.int8_calibrator is None
    assert build(builder, config) is not None


def test_a_calibrator_without_its_callbacks():
    class Calibrator(trt.IInt8Calibrator):
        pass

    with pytest.raises(NotImplementedError, match=r"expected Calibrator to define get_batch\(\)"):
        Calibrator().get_batch(["x"])
    with pytest.raises(NotImplementedError, match="get_algorithm"):
        Calibrator().get_algorithm()


class Selector(trt.IAlgorithmSelector):
    """Keeps what it is asked and told, and chooses `answer(choices)`."""

    def __init__(self, answer):
        super().__init__()
        self.answer = answer
        self.asked = []
        self.reported = []

    def select_algorithms(self, context, choices):
        facts = [
            (choice.algorithm_variant.implementation, choice.timing_msec, choice.workspace_size)
            for choice in choices
        ]
        first = choices[0]
        inputs = [first.get_algorithm_io_info(i).dtype for i in range(context.num_inputs)]
        shape = [tuple(dims) for dims in context.get_shape(0)]
        self.asked.append((context.name, context.num_outputs, shape, inputs, facts))
        return self.answer(choices)

    def report_algorithms(self, contexts, choices):
        self.reported = [
            (context.name, choice.algorithm_variant.implementation)
            for context, choice in zip(contexts, choices, strict=True)
        ]


def product(builder, config):
    """Builds a matrix product, for which there are several kernels."""
    network = builder.create_network()
    x = network.add_input("x", trt.float32, (64, 64))
    none = trt.MatrixOperation.NONE
    layer = network.add_matrix_multiply(x, none, x, none)
    layer.name = "product"
    network.mark_output(layer.get_output(0))
    return builder.build_serialized_network(network, config)


def test_algorithm_selectors(logger, builder, config):
    config.algorithm_selector = selector = Selector(lambda choices: [len(choices) - 1])
    assert config.algorithm_selector is selector
    assert product(builder, config) is not None, logger.errors()
    [(name, outputs, shape, inputs, facts)] = selector.asked
    assert (name, outputs, shape) == ("product", 1, [(64, 64)] * 3)
    assert inputs == [trt.float32] * 2
    assert len({implementation for implementation, _, _ in facts}) == len(facts)
    assert all(milliseconds > 0 and workspace >= 0 for _, milliseconds, workspace in facts)
    assert selector.reported == [("product", facts[-1][0])]
    config.algorithm_selector = other = Selector(lambda choices: [])  # any
    assert product(builder, config) is not None
    assert len(other.reported) == 1
    config.set_flag(trt.BuilderFlag.REJECT_EMPTY_ALGORITHMS)
    assert product(builder, config) is None
    assert "expected the algorithm selector to choose 1 to" in logger.errors()
    config.algorithm_selector = Selector(lambda choices: [len(choices)])
    assert product(builder, config) is None
    assert "expected indices of algorithms from 0 to" in logger.errors()
    for name in ("IAlgorithm", "IAlgorithmContext", "IAlgorithmIOInfo", "IAlgorithmVariant"):
        with pytest.raises(TypeError, match="No constructor"):
            getattr(trt, name)()


def test_device_types_of_layers(logger, builder, config):
    network = builder.create_network()
    first = network.add_identity(network.add_input("x", trt.float32, (2,)))
    second = network.add_identity(first.get_output(0))
    second.name = "second"
    network.mark_output(second.get_output(0))
    config.set_device_type(second, trt.DeviceType.DLA)
    assert config.is_device_type_set(network.get_layer(1))
    assert not config.is_device_type_set(first)
    assert config.get_device_type(second) == trt.DeviceType.DLA
    assert config.get_device_type(first) == trt.DeviceType.GPU
    assert not config.can_run_on_DLA(second)
    assert builder.build_serialized_network(network, config) is None
    assert "DeviceType DLA of layer 'second' (there is no DLA" in logger.errors()
    config.set_flag(trt.BuilderFlag.GPU_FALLBACK)
    assert builder.build_serialized_network(network, config) is not None
    config.reset_device_type(second)
    assert not config.is_device_type_set(second)


def test_profiles_outlive_a_reset_of_the_builder(logger, builder, config):
    network = builder.create_network()
    x = network.add_input("x", trt.float32, (-1,))
    network.mark_output(network.add_identity(x).get_output(0))
    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1,), (2,), (4,))
    profile.extra_memory_target = 0.5
    assert config.add_optimization_profile(profile) == 0
    assert config.set_calibration_profile(profile)
    builder.reset()
    assert config.get_calibration_profile() is profile
    assert [tuple(shape) for shape in profile.get_shape("x")] == [(1,), (2,), (4,)]
    assert profile.extra_memory_target == 0.5
    assert builder.build_serialized_network(network, config) is not None, logger.errors()


def test_a_runtime_keeps_its_settings(logger, tmp_path):
    runtime = trt.Runtime(logger)
    assert runtime.DLA_core == -1
    runtime.DLA_core = 1
    runtime.max_threads = 3
    runtime.temporary_directory = str(tmp_path)
    runtime.tempfile_control_flags = 1 << int(trt.TempfileControlFlag.ALLOW_TEMPORARY_FILES)
    runtime.engine_host_code_allowed = True
    assert (runtime.DLA_core, runtime.max_threads) == (1, 3)
    assert runtime.temporary_directory == str(tmp_path)
    assert runtime.tempfile_control_flags == 2
    assert runtime.engine_host_code_allowed is True
    assert logger.errors() == ""
