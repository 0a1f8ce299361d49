# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Large weights of a model file stay in the file, at any address, and small models are copied."""

import kiln as trt
import numpy as np
import pytest

from onnx import helper, numpy_helper

ROWS, WIDTH = 1100, 1024  # 4.3 MiB: above the limit for files


def save(path, weights, shift):
    """A product with `weights`, whose bytes lie `shift` further in the file."""
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", 1, [2, weights.shape[0]])],
        [helper.make_tensor_value_info("y", 1, [2, weights.shape[1]])],
        [numpy_helper.from_array(weights, "w")],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.producer_name = "p" * (1 + shift)
    path.write_bytes(model.SerializeToString())
    return str(path)


def anonymous_bytes():
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("RssAnon"))
    return int(line.split()[1]) << 10


def run(plan, logger, x, outputs):
    engine = trt.Runtime(logger).deserialize_cuda_engine(plan)
    context = engine.create_execution_context()
    y = np.empty((2, outputs), np.float32)
    context.set_tensor_address("x", x.ctypes.data)
    context.set_tensor_address("y", y.ctypes.data)
    assert context.execute_async_v3(0)
    return y


@pytest.mark.parametrize("shift", range(4))
def test_weights_at_any_address(tmp_path, shift):
    random = np.random.default_rng(shift)
    weights = random.standard_normal((ROWS, WIDTH)).astype(np.float32)
    x = random.standard_normal((2, ROWS)).astype(np.float32)
    file = save(tmp_path / "m.onnx", weights, shift)
    logger = trt.Logger(trt.Logger.ERROR)
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, logger)
    before = anonymous_bytes()
    assert parser.parse_from_file(file)
    assert anonymous_bytes() - before < weights.nbytes // 2
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    np.testing.assert_allclose(run(plan, logger, x, WIDTH), x @ weights, rtol=1e-4, atol=1e-3)


def test_small_files_may_change_after_parsing(tmp_path):
    weights = np.full((256, 128), 2.0, np.float32)
    path = tmp_path / "m.onnx"
    file = save(path, weights, 0)
    logger = trt.Logger(trt.Logger.ERROR)
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, logger)
    assert parser.parse_from_file(file)
    path.write_bytes(b"")
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    x = np.ones((2, 256), np.float32)
    np.testing.assert_array_equal(run(plan, logger, x, 128), np.full((2, 128), 512, np.float32))


def parsed(file):
    logger = Messages()
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    parser = trt.OnnxParser(network, logger)
    assert parser.parse_from_file(file)
    return logger, builder, network, parser


class Messages(trt.ILogger):
    def __init__(self):
        trt.ILogger.__init__(self)
        self.errors = []

    def log(self, severity, text):
        if severity <= trt.ILogger.Severity.ERROR:
            self.errors.append(text)


def test_a_build_refuses_a_large_file_that_changed(tmp_path):
    weights = np.ones((ROWS, WIDTH), np.float32)
    path = tmp_path / "m.onnx"
    file = save(path, weights, 0)
    logger, builder, network, parser = parsed(file)
    save(path, weights * 2, 0)
    assert builder.build_serialized_network(network, builder.create_builder_config()) is None
    (error,) = logger.errors
    assert str(path) in error
    assert "Parse the model again" in error
    del parser


def test_a_large_file_may_be_removed_or_replaced(tmp_path):
    weights = np.ones((ROWS, WIDTH), np.float32)
    path = tmp_path / "m.onnx"
    file = save(path, weights, 0)
    logger, builder, network, parser = parsed(file)
    path.unlink()
    save(path, weights * 2, 0)
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    assert plan is not None, logger.errors
    x = np.ones((2, ROWS), np.float32)
    np.testing.assert_array_equal(run(plan, logger, x, WIDTH), np.full((2, WIDTH), ROWS))
    del parser
