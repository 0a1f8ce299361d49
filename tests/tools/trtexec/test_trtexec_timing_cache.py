# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Timing cache files: written, reused, refused when damaged."""

import pytest
from trtexec_models import FLOAT, save_model

from onnx import helper


@pytest.fixture
def build(run, add_model):
    """Builds an engine with the cache file c.bin."""
    return lambda *more: run(
        f"--onnx={add_model(rows=1)}", "--skipInference", "--timingCacheFile=c.bin", *more
    )


def test_a_cache_is_written_and_taken_again(build, tmp_path):
    first = build().passed()
    assert "Timing cache: 'c.bin' does not exist yet, starting with an empty one" in first.out
    bytes_before = (tmp_path / "c.bin").read_bytes()
    assert f"Timing cache: saved {len(bytes_before)} bytes to 'c.bin'" in first.out
    second = build("--errorOnTimingCacheMiss").passed()
    assert f"Timing cache: loaded {len(bytes_before)} bytes from 'c.bin'" in second.out
    assert (tmp_path / "c.bin").read_bytes() == bytes_before


@pytest.mark.parametrize("damage", ["cut", "flipped", "foreign"])
def test_damaged_caches_are_refused(build, tmp_path, damage):
    build().passed()
    data = bytearray((tmp_path / "c.bin").read_bytes())
    if damage == "cut":
        del data[-3:]
    elif damage == "flipped":
        data[-1] ^= 1
    else:
        data = bytearray(b"this is no timing cache")
    (tmp_path / "c.bin").write_bytes(data)
    build().failed("--timingCacheFile: 'c.bin' could not be used; the lines above say why")
    assert (tmp_path / "c.bin").read_bytes() == data, "a file that is refused stays as it was"


def test_an_empty_file_is_refused(build, tmp_path):
    (tmp_path / "c.bin").touch()
    build().failed("expected a timing cache, got the empty file 'c.bin'. Delete it to start anew")


TACTICS = '''
import tensorrt as trt


class Idle(trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime):
    """Does nothing, in one of two ways that the builder has to time."""

    def __init__(self):
        trt.IPluginV3.__init__(self)
        trt.IPluginV3OneCore.__init__(self)
        trt.IPluginV3OneBuild.__init__(self)
        trt.IPluginV3OneRuntime.__init__(self)
        self.plugin_name = "Idle"
        self.plugin_version = "1"
        self.plugin_namespace = ""
        self.num_outputs = 1
        self.timing_cache_id = "idle"
        self.tactic = 0

    def get_capability_interface(self, type):
        return self

    def get_output_data_types(self, input_types):
        return list(input_types)

    def get_output_shapes(self, inputs, shape_inputs, exprs):
        return list(inputs)

    def supports_format_combination(self, pos, in_out, num_inputs):
        desc = in_out[pos].desc
        return desc.type == trt.float32 and desc.format == trt.TensorFormat.LINEAR

    def get_valid_tactics(self):
        return [1, 2]

    def set_tactic(self, tactic):
        self.tactic = tactic

    def configure_plugin(self, inputs, outputs):
        pass

    def on_shape_change(self, inputs, outputs):
        pass

    def get_fields_to_serialize(self):
        return trt.PluginFieldCollection([])

    def attach_to_context(self, context):
        return self.clone()

    def clone(self):
        cloned = Idle()
        cloned.tactic = self.tactic
        return cloned

    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        print("tactic", self.tactic)


class IdleCreator(trt.IPluginCreatorV3One):
    def __init__(self):
        super().__init__()
        self.name = "Idle"
        self.plugin_version = "1"
        self.plugin_namespace = ""
        self.field_names = trt.PluginFieldCollection([])

    def create_plugin(self, name, fields, phase):
        return Idle()
'''


def test_measurements_are_reused(run, tmp_path):
    (tmp_path / "idle.py").write_text(TACTICS)
    model = save_model(
        tmp_path / "idle.onnx",
        [helper.make_node("Idle", ["x"], ["y"], plugin_version="1", plugin_namespace="")],
        {"x": (FLOAT, [4])},
        {"y": (FLOAT, [4])},
    )
    options = (
        f"--onnx={model}",
        "--plugins=idle.py",
        "--timingCacheFile=c.bin",
        "--errorOnTimingCacheMiss",
        "--skipInference",
    )
    run(*options).failed("the timing cache", "no engine could be built")
    measured = run(*(option for option in options if "Miss" not in option)).passed()
    assert "tactic 1" in measured.out
    assert "tactic 2" in measured.out
    reused = run(*options).passed()
    assert "tactic" not in reused.out, "nothing is left to measure"
