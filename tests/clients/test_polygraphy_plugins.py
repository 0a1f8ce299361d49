# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Class-based plugins through GraphSurgeon and Polygraphy's Python API."""

import circ_pad_v3
import client_models as models
import nonzero
import numpy as np
import pytest
import tensorrt as trt
import tile
from polygraphy import func
from polygraphy.backend.common import BytesFromPath
from polygraphy.backend.trt import (
    CreateConfig,
    CreateNetwork,
    EngineFromBytes,
    EngineFromNetwork,
    NetworkFromOnnxPath,
    Profile,
    SaveEngine,
    TrtRunner,
    create_config,
    create_network,
    engine_from_network,
    network_from_onnx_path,
    save_engine,
)
from polygraphy.cuda import DeviceArray

pytestmark = pytest.mark.xdist_group("registry")


@pytest.fixture(autouse=True, scope="module")
def creators():
    registry = trt.get_plugin_registry()
    made = [circ_pad_v3.CircPadPluginCreator(), nonzero.NonzeroCreator(), tile.TileCreator()]
    for creator in made:
        assert registry.register_creator(creator, "")
    yield
    for creator in made:
        registry.deregister_creator(creator)


@pytest.fixture
def model(tmp_path):
    return models.circ_pad(tmp_path / "pad.onnx", plugin_version="2", plugin_namespace="")


@pytest.fixture
def x():
    return np.random.default_rng(1).random((3, 3, 8, 8), np.float32)


def profile():
    return Profile().add("x", (1, 3, 8, 8), (2, 3, 8, 8), (4, 3, 8, 8))


def test_built_saved_run_and_loaded_again(model, x, tmp_path):
    path = str(tmp_path / "pad.plan")
    build = EngineFromNetwork(NetworkFromOnnxPath(model), CreateConfig(profiles=[profile()]))
    with TrtRunner(SaveEngine(build, path)) as runner:
        assert runner.get_input_metadata()["x"].dtype == "float32"
        first = runner.infer({"x": x})["y"].copy()
        assert runner.last_inference_time() > 0
        smaller = runner.infer({"x": x[:1]})["y"]
        assert smaller.shape == (1, 3, 10, 10)
    with TrtRunner(EngineFromBytes(BytesFromPath(path))) as runner:
        second = runner.infer(feed_dict={"x": x})["y"]
    assert np.array_equal(first, models.wrapped(x))
    assert np.array_equal(second, first)


def test_functions_that_work_at_once(model, tmp_path):
    builder, network, parser = network_from_onnx_path(model)
    config = create_config(builder, network, profiles=[profile().fill_defaults(network)])
    engine = engine_from_network((builder, network, parser), config)
    save_engine(engine, str(tmp_path / "again.plan"))
    assert (tmp_path / "again.plan").stat().st_size > 0
    assert engine.get_tensor_profile_shape("x", 0)[2] == (4, 3, 8, 8)


def test_a_network_of_the_network_api(x):
    @func.extend(CreateNetwork())
    def network(builder, network):
        x = network.add_input("x", trt.float32, (2, 3, 8, 8))
        layer = network.add_plugin_v3([x], [], circ_pad_v3.CircPadPlugin([2, 2, 2, 2]))
        layer.get_output(0).name = "y"
        network.mark_output(layer.get_output(0))

    # The plugin takes both types; timing decides whether values are rounded to half.
    with TrtRunner(engine_from_network(network, CreateConfig(fp16=True))) as runner:
        y = runner.infer({"x": x[:2]})["y"]
        assert np.allclose(y, models.wrapped(x[:2], 2), atol=1e-3)
    builder, network = create_network()
    assert network.num_layers == 0
    assert isinstance(builder, trt.Builder)


def test_a_config_that_is_extended(model):
    seen = []

    @func.extend(CreateConfig(profiles=[profile()]))
    def config(builder, network, config):
        seen.append(network.get_input(0).name)
        config.builder_optimization_level = 1

    assert engine_from_network(NetworkFromOnnxPath(model), config) is not None
    assert seen == ["x"]


def test_rows_that_data_decides(tmp_path):
    path = models.one_node(
        tmp_path / "nonzero.onnx",
        "Nonzero",
        [("x", np.float32, ("rows", "columns"))],
        [("positions", np.int32, ("n", 2)), ("count", np.int32, ())],
        {},
    )
    shapes = Profile().add("x", (1, 1), (4, 4), (50, 50))
    build = EngineFromNetwork(NetworkFromOnnxPath(path), CreateConfig(profiles=[shapes]))
    with TrtRunner(build) as runner:
        for shape, share in (((3, 3), 0.5), ((40, 50), 0.9), ((4, 4), 0.0)):
            x = (np.random.default_rng(2).random(shape) < share).astype(np.float32)
            got = runner.infer({"x": x})
            assert np.array_equal(got["positions"], np.argwhere(x))
            assert got["count"] == np.count_nonzero(x)


def test_a_shape_input(tmp_path):
    path = models.one_node(
        tmp_path / "tile.onnx",
        "Tile",
        [("x", np.float32, (2,)), ("repeats", np.int32, (1,))],
        [("y", np.float32, ("n",))],
        {"tensorrt_plugin_shape_input_indices": [1]},
    )
    values = Profile().add("repeats", (1,), (2,), (5,))
    build = EngineFromNetwork(NetworkFromOnnxPath(path), CreateConfig(profiles=[values]))
    with TrtRunner(build) as runner:
        for times in (1, 5, 2):
            feed = {"x": np.array([1, 2], np.float32), "repeats": np.array([times], np.int32)}
            assert runner.infer(feed)["y"].tolist() == [1, 2] * times


def test_memory_of_the_caller(model, x):
    build = EngineFromNetwork(NetworkFromOnnxPath(model), CreateConfig(profiles=[profile()]))
    with TrtRunner(build) as runner, DeviceArray(shape=x.shape, dtype=np.float32) as device:
        device.copy_from(x)
        y = runner.infer({"x": device}, copy_outputs_to_host=False)["y"]
        assert np.array_equal(y.numpy(), models.wrapped(x))
