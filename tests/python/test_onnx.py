# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""OnnxParser from Python, with a plugin node and its attributes."""

import gc

import numpy as np
import pytest
import tensorrt as trt
from scaling import Engine, Registered, ScaleCreatorV2, ScaleCreatorV3

from onnx import TensorProto, helper

pytestmark = pytest.mark.xdist_group("registry")


def model_with_plugin(version):
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 4])
    node = helper.make_node("Scale", ["x"], ["s"], "scale", factor=3.0, plugin_version=version)
    bias = helper.make_tensor("b", TensorProto.FLOAT, [4], [1.0, 2.0, 3.0, 4.0])
    add = helper.make_node("Add", ["s", "b"], ["y"])
    graph = helper.make_graph([node, add], "g", [x], [y], [bias])
    opsets = [helper.make_opsetid("", 13)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def parse(logger, model):
    """Makes a network from a model; its parser is destroyed on return."""
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, logger)
    if not parser.parse(model):
        return builder, None, [parser.get_error(i) for i in range(parser.num_errors)]
    return builder, network, []


@pytest.mark.parametrize(("creator", "version"), [(ScaleCreatorV2, "2"), (ScaleCreatorV3, "3")])
def test_plugin_node(logger, creator, version):
    with Registered(creator()):
        builder, network, _ = parse(logger, model_with_plugin(version))
        gc.collect()
        assert network is not None, logger.errors()
        plan = builder.build_serialized_network(network, builder.create_builder_config())
        assert plan is not None, logger.errors()
        x = np.ones((2, 4), np.float32)
        np.testing.assert_array_equal(
            Engine(logger, plan).run(x), 3 * x + np.array([1, 2, 3, 4], np.float32)
        )


def test_missing_plugin(logger):
    _, network, errors = parse(logger, model_with_plugin("7"))
    assert network is None
    assert errors[0].node_operator() == "Scale"
    assert errors[0].code() in trt.ErrorCode
    assert "Scale" in str(errors[0])


@pytest.mark.parametrize(("base", "version"), [(ScaleCreatorV2, "2"), (ScaleCreatorV3, "3")])
def test_creator_that_raises(logger, base, version):
    class Raising(base):
        def create_plugin(self, *arguments, **named):
            raise ValueError("factor must not be 3")

    with Registered(Raising()):
        _, network, errors = parse(logger, model_with_plugin(version))
    assert network is None
    for text in (str(errors[0]), logger.errors()):
        assert "the plugin creator returned no plugin" in text
        assert "Traceback" in text
        assert "ValueError: factor must not be 3" in text


def test_bad_model(logger):
    _, network, errors = parse(logger, b"\x00not a model")
    assert network is None
    assert errors


def test_file_and_flags(logger, tmp_path):
    with Registered(ScaleCreatorV3()):
        path = tmp_path / "model.onnx"
        path.write_bytes(model_with_plugin("3"))
        network = trt.Builder(logger).create_network(0)
        parser = trt.OnnxParser(network, logger)
        assert parser.parse_from_file(str(path)), logger.errors()
        assert network.num_outputs == 1
        parser.set_flag(trt.OnnxParserFlag.NATIVE_INSTANCENORM)
        assert parser.get_flag(trt.OnnxParserFlag.NATIVE_INSTANCENORM)
        assert parser.supports_operator("Conv")
        with pytest.raises(IndexError):
            parser.get_error(0)


def model_of(nodes, opset=13, initializers=()):
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    graph = helper.make_graph(nodes, "g", [x], [y], list(initializers))
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def test_every_node_that_is_refused_is_reported(logger):
    nodes = [
        helper.make_node("TfIdfVectorizer", ["x"], ["e"], "first"),
        helper.make_node("Nowhere", ["x"], ["n"], "second"),
        helper.make_node("Cast", ["x"], ["y"], "third", to=int(TensorProto.STRING)),
    ]
    model = model_of(nodes).SerializeToString()
    network = trt.Builder(logger).create_network(0)
    parser = trt.OnnxParser(network, logger)
    for ask in (parser.parse, parser.supports_model_v2):
        assert not ask(model)
        errors = [parser.get_error(i) for i in range(parser.num_errors)]
        assert [(e.node_name(), e.node_operator(), e.node()) for e in errors] == [
            ("first", "TfIdfVectorizer", 0),
            ("second", "Nowhere", 1),
            ("third", "Cast", 2),
        ]
        assert "operator TfIdfVectorizer of ONNX (operator set 13) is not supported yet" in str(
            errors[0]
        )
        assert "no plugin creator is registered for name 'Nowhere'" in str(errors[1])
        assert "got STRING" in str(errors[2])
        for error in errors:
            assert error.func().isidentifier()
            assert error.file().startswith("onnx/")
            assert "::" not in str(error)


def test_the_parts_of_a_model_have_names(logger):
    nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Nowhere", ["r"], ["y"])]
    parser = trt.OnnxParser(trt.Builder(logger).create_network(0), logger)
    whole, parts = parser.supports_model(model_of(nodes).SerializeToString())
    assert not whole and isinstance(parts, trt.SubGraphCollection)
    assert parts == [([0], True), ([1], False)]
    assert all(isinstance(indices, trt.NodeIndices) for indices, _ in parts)


def test_external_data_needs_the_path_of_the_model(logger, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bias = np.arange(4, dtype=np.float32)
    (tmp_path / "bias.bin").write_bytes(bias.tobytes())
    tensor = TensorProto(name="b", data_type=TensorProto.FLOAT, dims=[4])
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="bias.bin")
    add = helper.make_node("Add", ["x", "b"], ["y"], "add")
    model = model_of([add], initializers=[tensor]).SerializeToString()
    (tmp_path / "model.onnx").write_bytes(model)

    def outcome(call):
        builder = trt.Builder(logger)
        network = builder.create_network(0)
        parser = trt.OnnxParser(network, logger)
        if not call(parser):
            return parser.get_error(0).desc()
        plan = builder.build_serialized_network(network, builder.create_builder_config())
        return Engine(logger, plan).run(np.ones((2, 4), np.float32))

    assert "without a path" in outcome(lambda parser: parser.parse(model))
    for call in (
        lambda parser: parser.parse(model, "model.onnx"),
        lambda parser: parser.parse(model, path=str(tmp_path / "model.onnx")),
        lambda parser: parser.parse_from_file("model.onnx"),
    ):
        np.testing.assert_array_equal(outcome(call), 1 + np.broadcast_to(bias, (2, 4)))


def test_attributes_that_the_creator_does_not_list(logger):
    node = helper.make_node(
        "Scale", ["x"], ["y"], "scale", factor=3.0, plugin_version="3", colour="red"
    )
    with Registered(ScaleCreatorV3()):
        _, network, _ = parse(logger, model_of([node]).SerializeToString())
    assert network is not None, logger.errors()
    assert any(
        "node 'scale' (Scale): attribute 'colour' is not passed" in m for _, m in logger.messages
    )
