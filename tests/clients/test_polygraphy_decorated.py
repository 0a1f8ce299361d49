# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Decorated plugins through GraphSurgeon and Polygraphy, as sample programs use them."""

import os
from pathlib import Path

import client_models as models
import decorated_pads
import kiln
import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from polygraphy import func
from polygraphy.backend.common import BytesFromPath
from polygraphy.backend.trt import (
    CreateConfig,
    CreateNetwork,
    EngineBytesFromNetwork,
    EngineFromBytes,
    EngineFromNetwork,
    NetworkFromOnnxPath,
    Profile,
    SaveEngine,
    TrtRunner,
    create_network,
    engine_from_network,
)

pytestmark = pytest.mark.xdist_group("registry")
PADS = [2, 3]
FILE = f"--plugins={decorated_pads.__file__}"


def model(path, **attributes):
    """A model of one node; its attributes tell the parser which plugin it is."""
    return models.one_node(
        path,
        "wrap",
        [("x", np.float32, ("rows", 4))],
        [("y", np.float32, ("rows", 9))],
        {"plugin_namespace": "clients", "plugin_version": "1", "pads": PADS, **attributes},
    )


@pytest.fixture
def x():
    return np.random.default_rng(3).random((5, 4), np.float32)


def expected(x):
    return np.pad(x, ((0, 0), tuple(PADS)), mode="wrap")


def config(**more):
    return CreateConfig(profiles=[Profile().add("x", (1, 4), (8, 4), (64, 4))], **more)


@pytest.mark.parametrize("aot", [False, True, 0, 1])
def test_from_onnx_saved_and_loaded(tmp_path, x, aot):
    path = model(tmp_path / "m.onnx", aot=aot)
    plan = str(tmp_path / "m.plan")
    build = SaveEngine(EngineFromNetwork(NetworkFromOnnxPath(path), config()), plan)
    with TrtRunner(build) as runner:
        assert np.array_equal(runner.infer({"x": x})["y"], expected(x))
    with TrtRunner(EngineFromBytes(BytesFromPath(plan))) as runner:
        assert np.array_equal(runner.infer({"x": x[:2]})["y"], expected(x[:2]))
    (plugin,) = kiln.describe_plan(plan)["plugins"]
    assert bool(plugin["code"]) == bool(aot)


@pytest.mark.parametrize("aot", [False, True])
def test_from_the_network_api(x, aot):
    @func.extend(CreateNetwork())
    def network(builder, network):
        x = network.add_input("x", trt.float32, (-1, 4))
        op = trtp.op.clients.wrap(x, pads=np.array(PADS, np.int32))
        layer = network.add_plugin(op, aot=aot)
        layer.get_output(0).name = "y"
        network.mark_output(layer.get_output(0))

    with TrtRunner(engine_from_network(network, config())) as runner:
        assert np.array_equal(runner.infer({"x": x})["y"], expected(x))


def test_a_network_made_at_once(x):
    builder, network = create_network()
    tensor = network.add_input("x", trt.float32, (-1, 4))
    op = trtp.op.clients.wrap(tensor, pads=np.array(PADS, np.int32))
    layer = network.add_plugin(op, aot=False)
    layer.get_output(0).name = "y"
    network.mark_output(layer.get_output(0))
    with TrtRunner(engine_from_network((builder, network), config())) as runner:
        assert np.array_equal(runner.infer({"x": x})["y"], expected(x))


def test_commands_with_a_plugin_file(kiln_run, tmp_path):
    path = model(tmp_path / "m.onnx", aot=False)
    ranges = ["--trt-min-shapes=x:[1,4]", "--trt-opt-shapes=x:[8,4]", "--trt-max-shapes=x:[9,4]"]
    text = kiln_run(FILE, "polygraphy", "run", path, "--trt", *ranges)
    assert "PASSED" in text
    kiln_run(FILE, "polygraphy", "convert", path, "-o", tmp_path / "m.plan", *ranges)
    text = kiln_run(FILE, "polygraphy", "inspect", "model", tmp_path / "m.plan", "--show", "layers")
    assert "the_wrap" in text
    text = kiln_run("polygraphy", "run", tmp_path / "m.plan", "--trt", code=1)
    assert "needs plugin clients::wrap (version 1)" in text


def test_commands_need_no_plugin_file_for_what_is_compiled(kiln_run, tmp_path):
    path = model(tmp_path / "m.onnx", aot=True)
    kiln_run(FILE, "polygraphy", "convert", path, "-o", tmp_path / "m.plan")
    text = kiln_run("polygraphy", "run", tmp_path / "m.plan", "--trt")
    assert "PASSED" in text
    text = kiln_run("polygraphy", "inspect", "model", tmp_path / "m.plan", "--show", "layers")
    assert "the_wrap" in text


def test_a_plan_that_carries_its_plugin(kiln_run, tmp_path):
    @func.extend(config())
    def with_source(builder, network, config):
        kiln.embed_python_plugins(config, decorated_pads)

    path = model(tmp_path / "m.onnx", aot=False)
    build = EngineBytesFromNetwork(NetworkFromOnnxPath(path), with_source)
    (tmp_path / "m.plan").write_bytes(build())
    command = ["polygraphy", "run", tmp_path / "m.plan", "--trt", "--input-shapes", "x:[3,4]"]
    assert "PASSED" in kiln_run("--allow-python-source", *command)
    text = kiln_run(*command, code=1)
    assert "carries its Python source 'decorated_pads', which may not run" in text


def test_aliases_and_sizes_that_data_decides(kiln_run, tmp_path, monkeypatch):
    folder = Path(__file__).parent
    monkeypatch.setenv("PYTHONPATH", str(models.EXAMPLES / "decorated"), prepend=os.pathsep)
    assert "all is right" in kiln_run(folder / "features_program.py", tmp_path)
