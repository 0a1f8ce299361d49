# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""OnnxParserRefitter: engines get the weights of other models of the same structure."""

import numpy as np
import pytest
import tensorrt as trt
from refit_lab import Flag, Opened, convolve, floats

from onnx import TensorProto, helper, numpy_helper


class Model:
    """conv -> batch normalization -> relu -> mean of rows and columns -> product + bias."""

    def __init__(self):
        self.arrays = {
            "conv.weight": floats(8, 3, 3, 3),
            "conv.bias": floats(8),
            "bn.weight": floats(8),
            "bn.bias": floats(8),
            "bn.running_mean": floats(8),
            "bn.running_var": floats(8) ** 2 + 0.5,
            "fc.weight": floats(8, 6),
            "fc.bias": floats(6),
        }
        self.factor = floats(1, 6)

    def value(self, x):
        a = self.arrays
        y = convolve(x, a["conv.weight"], a["conv.bias"])
        y = y - a["bn.running_mean"].reshape(1, -1, 1, 1)
        scale = a["bn.weight"] / np.sqrt(a["bn.running_var"].astype(np.float64) + 1e-5)
        y = y * scale.reshape(1, -1, 1, 1) + a["bn.bias"].reshape(1, -1, 1, 1)
        y = np.maximum(y, 0).mean(axis=(2, 3))
        return (y @ a["fc.weight"] + a["fc.bias"]) * self.factor

    def bytes(self, names=None):
        nodes = [
            helper.make_node("Conv", ["x", "conv.weight", "conv.bias"], ["c"], "conv"),
            helper.make_node(
                "BatchNormalization",
                ["c", "bn.weight", "bn.bias", "bn.running_mean", "bn.running_var"],
                ["n"],
                "bn",
            ),
            helper.make_node("Relu", ["n"], ["r"], "relu"),
            helper.make_node("GlobalAveragePool", ["r"], ["p"], "pool"),
            helper.make_node("Flatten", ["p"], ["f"], "flatten", axis=1),
            helper.make_node("MatMul", ["f", "fc.weight"], ["m"], "matmul"),
            helper.make_node("Add", ["m", "fc.bias"], ["a"], "add"),
            helper.make_node(
                "Constant", [], ["factor"], "const", value=numpy_helper.from_array(self.factor)
            ),
            helper.make_node("Mul", ["a", "factor"], ["y"], "mul"),
        ]
        values = [numpy_helper.from_array(array, name) for name, array in self.arrays.items()]
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3, 9, 9])
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 6])
        graph = helper.make_graph(nodes[: len(names or nodes)], "g", [x], [y], values)
        opsets = [helper.make_opsetid("", 17)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def build(logger, model, *flags):
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, logger)
    assert parser.parse(model.bytes()), logger.errors()
    config = builder.create_builder_config()
    for flag in flags:
        config.set_flag(flag)
    plan = builder.build_serialized_network(network, config)
    assert plan is not None, logger.errors()
    return bytes(plan)


def near(got, wanted):
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)


@pytest.fixture
def x():
    return floats(2, 3, 9, 9)


def test_weights_have_the_names_of_the_model(logger, x):
    model = Model()
    refitter = Opened(logger, build(logger, model, Flag.REFIT)).refitter()
    assert {"conv.weight", "conv.bias", "fc.weight", "fc.bias", "factor"} <= set(
        refitter.get_all_weights()
    )


def refit_from_bytes(refitter, model, path):
    return refitter.refit_from_bytes(model)


def refit_from_file(refitter, model, path):
    path.write_bytes(model)
    return refitter.refit_from_file(str(path))


def refit_from_parts(refitter, model, path):
    return refitter.load_model_proto(model) and refitter.refit_model_proto()


@pytest.mark.parametrize("way", [refit_from_bytes, refit_from_file, refit_from_parts])
@pytest.mark.parametrize("flag", [Flag.REFIT, Flag.STRIP_PLAN])
def test_new_weights(logger, x, tmp_path, flag, way):
    before, after = Model(), Model()
    engine = Opened(logger, build(logger, before, flag))
    if flag == Flag.REFIT:
        near(engine.run(x), before.value(x))
    for model in (after, before):
        refitter = engine.refitter()
        parser_refitter = trt.OnnxParserRefitter(refitter, logger)
        assert way(parser_refitter, model.bytes(), tmp_path / "m.onnx"), logger.errors()
        assert parser_refitter.num_errors == 0
        del parser_refitter  # the refitter keeps its weights
        assert refitter.get_missing_weights() == []
        assert refitter.refit_cuda_engine(), logger.errors()
        near(engine.run(x), model.value(x))


def test_an_initializer_of_the_caller(logger, x):
    model = Model()
    engine = Opened(logger, build(logger, model, Flag.REFIT))
    refitter = engine.refitter()
    parser_refitter = trt.OnnxParserRefitter(refitter, logger)
    bias = floats(6)
    assert parser_refitter.load_model_proto(model.bytes())
    assert parser_refitter.load_initializer("fc.bias", bias.ctypes.data, bias.nbytes)
    assert parser_refitter.refit_model_proto()
    assert refitter.refit_cuda_engine()
    model.arrays["fc.bias"] = bias
    near(engine.run(x), model.value(x))


def test_names_of_weights_work_without_the_model(logger, x):
    model = Model()
    engine = Opened(logger, build(logger, model, Flag.REFIT))
    refitter = engine.refitter()
    model.arrays["fc.weight"] = floats(8, 6)
    assert refitter.set_named_weights("fc.weight", model.arrays["fc.weight"])
    assert refitter.refit_cuda_engine()
    near(engine.run(x), model.value(x))


def test_other_structures_are_refused(logger, x):
    model = Model()
    engine = Opened(logger, build(logger, model, Flag.REFIT))
    refitter = engine.refitter()
    parser_refitter = trt.OnnxParserRefitter(refitter, logger)
    assert not parser_refitter.refit_from_bytes(b"no model")
    assert parser_refitter.get_error(0).code() == trt.ErrorCode.MODEL_DESERIALIZE_FAILED
    parser_refitter.clear_errors()
    assert parser_refitter.num_errors == 0
    other = Model()
    other.arrays["fc.weight"] = floats(8, 1)
    other.arrays["fc.bias"] = floats(1)
    assert not parser_refitter.refit_from_bytes(other.bytes())
    assert parser_refitter.get_error(0).code() == trt.ErrorCode.REFIT_FAILED
    near(engine.run(x), model.value(x))
    assert not parser_refitter.refit_model_proto()
