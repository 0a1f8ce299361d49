# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""No setting of a configuration does nothing and says nothing: a build refuses it by name, notes
that it only tunes, or a test of the file named below shows its effect.

test_builder_flags.py does this for flags, test_settings.py shows that settings are given back.
"""

import re
import warnings
from pathlib import Path

import pytest
import tensorrt as trt
from test_settings import SETTER_WORDS, Calibrator, settable

warnings.filterwarnings("ignore", category=DeprecationWarning)
HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "configuration.md").read_text()
POOLS = trt.MemoryPoolType


def attribute(name, value):
    return lambda config, lab: setattr(config, name, value)


# Setting: how it is set, and what the error or the note says.
REFUSED = {
    "build_route": (attribute("build_route", "fast"), "build route 'fast' ("),
    "engine_capability": (
        attribute("engine_capability", trt.EngineCapability.SAFETY),
        "EngineCapability SAFETY (",
    ),
    "runtime_platform": (
        attribute("runtime_platform", trt.RuntimePlatform.WINDOWS_AMD64),
        "RuntimePlatform WINDOWS_AMD64 (",
    ),
    "default_device_type": (
        attribute("default_device_type", trt.DeviceType.DLA),
        "DeviceType DLA of layer",
    ),
}
TUNES = {
    "DLA_core": (attribute("DLA_core", 1), "DLA core 1"),
    "builder_optimization_level": (
        attribute("builder_optimization_level", 5),
        "builder optimization level 5",
    ),
    "int8_calibrator": (
        lambda config, lab: setattr(config, "int8_calibrator", lab.setdefault("c", Calibrator())),
        "an INT8 calibrator without BuilderFlag INT8",
    ),
    "l2_limit_for_tiling": (attribute("l2_limit_for_tiling", 4096), "L2 limit for tiling 4096"),
    "max_aux_streams": (attribute("max_aux_streams", 2), "max aux streams 2"),
    "max_num_tactics": (attribute("max_num_tactics", 7), "max number of tactics 7"),
    "quantization_flags": (attribute("quantization_flags", 1), "quantization flags 1"),
    "remote_auto_tuning_config": (
        attribute("remote_auto_tuning_config", "ssh://there"),
        "remote auto-tuning ssh://there",
    ),
    "tiling_optimization_level": (
        attribute("tiling_optimization_level", trt.TilingOptimizationLevel.FULL),
        "TilingOptimizationLevel FULL",
    ),
    "set_calibration_profile": (
        lambda config, lab: config.set_calibration_profile(lab["profile"]),
        "a calibration profile",
    ),
    "set_memory_pool_limit": (
        lambda config, lab: config.set_memory_pool_limit(POOLS.DLA_MANAGED_SRAM, 1 << 20),
        "MemoryPoolType DLA_MANAGED_SRAM 1048576",
    ),
    "set_preview_feature": (
        lambda config, lab: config.set_preview_feature(
            trt.PreviewFeature.RUNTIME_ACTIVATION_RESIZE_10_10, True
        ),
        "PreviewFeature RUNTIME_ACTIVATION_RESIZE_10_10",
    ),
    "set_quantization_flag": (
        lambda config, lab: config.set_quantization_flag(
            trt.QuantizationFlag.CALIBRATE_BEFORE_FUSION
        ),
        "quantization flags 1",
    ),
    "set_tactic_sources": (
        lambda config, lab: config.set_tactic_sources(1 << int(trt.TacticSource.CUBLAS)),
        "tactic sources",
    ),
}
# A word that the test uses, and the file that shows the effect.
SHOWN = {
    "algorithm_selector": "test_builder_config.py",
    "avg_timing_iterations": None,  # tests/compiler/timing_test.cpp,
    "flags": "test_builder_flags.py",
    "hardware_compatibility_level": None,  # below, by target
    "max_workspace_size": None,  # below
    "plugins_to_serialize": "../tools/trtexec/test_trtexec_plugins.py",
    "profile_stream": None,  # the default stream is the only one on cpu; it tunes
    "profiling_verbosity": "test_watching.py",
    "progress_monitor": "test_watching.py",
    "clear_flag": "test_builder_config.py",
    "clear_quantization_flag": "test_settings.py",
    "reset": "test_builder_config.py",
    "reset_device_type": "test_builder_config.py",
    "set_device_type": "test_builder_config.py",
    "set_flag": "test_builder_flags.py",
    "set_timing_cache": "test_watching.py",
}


def build(logger, assign=lambda config, lab: None):
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    layer = network.add_softmax(network.add_input("x", trt.float32, (-1, 4)))
    layer.name = "soft"
    network.mark_output(layer.get_output(0))
    config = builder.create_builder_config()
    profile = builder.create_optimization_profile()
    profile.set_shape("x", (1, 4), (2, 4), (4, 4))
    config.add_optimization_profile(profile)
    lab = {"profile": profile}
    assign(config, lab)
    return builder.build_serialized_network(network, config)


def test_every_setting_is_in_a_table():
    cls = trt.IBuilderConfig
    names = settable(cls) | {name for name in dir(cls) if name.startswith(SETTER_WORDS)}
    tables = [set(REFUSED), set(TUNES), set(SHOWN)]
    assert names == set.union(*tables)
    assert sum(map(len, tables)) == len(names), "in two tables"


def test_defaults_are_not_noted(logger):
    assert build(logger) is not None
    assert "only tune" not in logger.messages_text()


@pytest.mark.parametrize("name", REFUSED)
def test_refused(logger, name):
    assign, message = REFUSED[name]
    assert build(logger, assign) is None
    assert message in logger.errors()


@pytest.mark.parametrize("name", TUNES)
def test_what_only_tunes_is_noted(logger, name):
    assign, note = TUNES[name]
    assert build(logger, assign) is not None, logger.errors()
    assert note in re.search(r"because they only tune:(.*)", logger.messages_text()).group(1)


@pytest.mark.parametrize("name", [name for name, file in SHOWN.items() if file])
def test_the_effect_is_shown_elsewhere(name):
    assert name in (HERE / SHOWN[name]).read_text()


def test_the_page_names_each_property():
    for name in settable(trt.IBuilderConfig) - {"flags", "max_workspace_size"}:
        word = name.replace("_", " ")
        assert name in PAGE or word in PAGE.lower(), name


def test_the_limit_of_workspaces(logger):
    """The old and the new name are one setting: a kernel may not take more."""
    builder = trt.Builder(logger)
    config = builder.create_builder_config()
    config.max_workspace_size = 12345
    assert config.get_memory_pool_limit(POOLS.WORKSPACE) == 12345
    config.set_memory_pool_limit(POOLS.WORKSPACE, 54321)
    assert config.max_workspace_size == 54321
