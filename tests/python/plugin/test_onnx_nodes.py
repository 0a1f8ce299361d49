# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Nodes of ONNX models as decorated ops, and inputs whose values decide shapes."""

import kiln
import numpy as np
import numpy.typing as npt
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from oplab import STRONG, Net, define, op_of

onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.xdist_group("registry")
FLOAT, INT64 = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64


def parsed(logger, plugin_id, inputs, initializers=(), flags=STRONG, **attributes):
    """A network of one node; inputs: {name: (type, shape)}; its output is y."""
    namespace, name = plugin_id.split("::")
    names = [*inputs, *(tensor.name for tensor in initializers)]
    node = onnx.helper.make_node(name, names, ["y"], plugin_namespace=namespace, **attributes)
    graph = onnx.helper.make_graph(
        [node],
        "graph",
        [onnx.helper.make_tensor_value_info(n, *facts) for n, facts in inputs.items()],
        [onnx.helper.make_tensor_value_info("y", FLOAT, None)],
        list(initializers),
    )
    net = Net(logger, flags)
    net.parser = trt.OnnxParser(net.network, logger)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)])
    net.parsed = net.parser.parse(model.SerializeToString())
    return net


def errors_of(net):
    return "\n".join(net.parser.get_error(i).desc() for i in range(net.parser.num_errors))


def test_attributes(logger):
    seen = []

    def desc(
        x: trtp.TensorDesc,
        count: int,
        factor: float,
        wrap: bool,
        mode: str,
        pads: npt.NDArray[np.int32],
        weights: npt.NDArray[np.float32],
        left: str = "out",
    ) -> tuple[trtp.TensorDesc]:
        return (x.like(),)

    def impl(x, count, factor, wrap, mode, pads, weights, left, outputs, stream):
        seen.append((count, factor, wrap, mode, pads.tolist(), weights.tolist(), left))
        seen.append((pads.dtype, weights.dtype))
        np.asarray(outputs[0])[...] = x

    net = parsed(
        logger, define(desc, impl), {"x": (FLOAT, (2, 3))}, plugin_version="1",
        count=3, factor=0.5, wrap=1, mode="edge", pads=[1, 2], weights=[0.5, 1.5],
    )  # fmt: skip
    assert net.parsed, errors_of(net)
    x = np.ones((2, 3), np.float32)
    assert net.engine().run({"x": x}, {"y": np.zeros_like(x)}), logger.errors()
    assert seen[0] == (3, 0.5, True, "edge", [1, 2], [0.5, 1.5], "out")
    assert seen[1] == (np.int32, np.float32)


def copy_desc(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


def copy(x, outputs, stream):
    np.asarray(outputs[0])[...] = x


def style_of(net):
    assert net.parsed, errors_of(net)
    return net.network[0].plugin.style


def test_the_style(logger):
    plugin_id = define(copy_desc, copy, None, lambda x, outputs: None)
    x = {"x": (FLOAT, (2, 3))}
    assert style_of(parsed(logger, plugin_id, x, aot=1)) == "aot"
    assert style_of(parsed(logger, plugin_id, x, aot=0)) == "jit"
    prefer = 1 << int(trt.NetworkDefinitionCreationFlag.PREFER_AOT_PYTHON_PLUGINS)
    assert style_of(parsed(logger, plugin_id, x, flags=STRONG | prefer)) == "aot"
    net = parsed(logger, plugin_id, x)
    assert not net.parsed
    assert "got both and no choice" in errors_of(net)


def test_a_missing_attribute(logger):
    def desc(x: trtp.TensorDesc, count: int) -> trtp.TensorDesc:
        return x.like()

    net = parsed(logger, define(desc, copy), {"x": (FLOAT, (2, 3))})
    assert not net.parsed
    assert "expected values of count, got none for count" in errors_of(net)


def test_an_alias(logger):
    def desc(x: trtp.TensorDesc) -> trtp.TensorDesc:
        return x.aliased()

    def impl(x, outputs, stream):
        np.asarray(outputs[0])[...] *= 2

    net = parsed(logger, define(desc, impl), {"x": (FLOAT, (2, 3))})
    net.config.set_preview_feature(trt.PreviewFeature.ALIASED_PLUGIN_IO_10_03, True)
    x = np.ones((2, 3), np.float32)
    y = np.zeros_like(x)
    assert net.engine().run({"x": x}, {"y": y}), logger.errors()
    assert (x == 1).all() and (y == 2).all()


def test_the_rank_is_not_known_before(logger):
    """The number of outputs is queried first, even if the function indexes dimensions."""

    def desc(x: trtp.TensorDesc) -> tuple[trtp.TensorDesc]:
        rows, columns = x.shape_expr
        return (trtp.from_shape_expr((columns, rows), x.dtype),)

    def impl(x, outputs, stream):
        np.asarray(outputs[0])[...] = np.asarray(x).T

    net = parsed(logger, define(desc, impl), {"x": (FLOAT, (2, 3))})
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = np.zeros((3, 2), np.float32)
    assert net.engine().run({"x": x}, {"y": y}), logger.errors()
    np.testing.assert_array_equal(y, x.T)


def test_a_function_that_asks_for_extents(logger):
    """Types and the number of outputs are queried before extents are known."""

    def desc(x: trtp.TensorDesc) -> tuple[trtp.TensorDesc]:
        columns = x.shape_expr[1].constant_value()
        half = x.like() if columns % 2 else trtp.from_shape_expr((columns // 2,), x.dtype)
        return (half,)

    def impl(x, outputs, stream):
        np.asarray(outputs[0])[...] = np.asarray(x)[0, ::2]

    net = parsed(logger, define(desc, impl), {"x": (FLOAT, (1, 6))})
    x, y = np.arange(6, dtype=np.float32).reshape(1, 6), np.zeros(3, np.float32)
    assert net.engine().run({"x": x}, {"y": y}), logger.errors()
    np.testing.assert_array_equal(y, [0, 2, 4])


@pytest.mark.parametrize("names", [[], ["x", "z"]], ids=["none", "two"])
def test_the_number_of_inputs(logger, names):
    net = parsed(logger, define(copy_desc, copy), dict.fromkeys(names, (FLOAT, (2, 3))))
    assert not net.parsed or net.plan() is None
    assert f"expected 1 inputs (x), got {len(names)}" in logger.errors() + errors_of(net)


def tile_desc(x: trtp.TensorDesc, rows: trtp.TensorDesc) -> trtp.TensorDesc:
    count = kiln.shape_values(rows)[0]
    return trtp.from_shape_expr((count, *x.shape_expr), x.dtype)


def tile(x, rows, outputs, stream):
    assert np.asarray(rows)[0] == outputs[0].shape[0]
    np.asarray(outputs[0])[...] = x


def tile_autotune(x, rows, outputs):
    assert rows.shape_expr[0].is_fake
    return [trtp.AutoTuneCombination("FP32, FP32")]


def check_tiles(net, logger):
    profile = net.builder.create_optimization_profile()
    profile.set_shape_input("rows", [1], [2], [4])
    net.config.add_optimization_profile(profile)
    engine = net.engine()
    x = np.arange(3, dtype=np.float32)
    for count in (1, 4, 2):
        rows, y = np.array([count], np.int64), np.zeros((count, 3), np.float32)
        for name, value in (("x", x), ("rows", rows), ("y", y)):
            engine.context.set_tensor_address(name, value.ctypes.data)
        assert engine.context.execute_async_v3(0), logger.errors()
        np.testing.assert_array_equal(y, np.tile(x, (count, 1)))


def test_shape_inputs_of_a_node(logger):
    plugin_id = define(tile_desc, tile, tile_autotune)
    inputs = {"x": (FLOAT, (3,)), "rows": (INT64, (1,))}
    net = parsed(logger, plugin_id, inputs, tensorrt_plugin_shape_input_indices=[1])
    assert net.parsed, errors_of(net)
    check_tiles(net, logger)


def test_shape_inputs_of_the_network(logger):
    net = Net(logger)
    x, rows = net.input("x", (3,)), net.input("rows", (1,), trt.int64)
    inputs, _, plugin = op_of(define(tile_desc, tile))(x, rows)
    net.output(net.add(([inputs[0]], [inputs[1]], plugin))[0], "y")
    check_tiles(net, logger)


def test_values_of_what_is_no_shape_input(logger):
    net = Net(logger)
    call = op_of(define(tile_desc, tile))(net.input("x", (3,)), net.input("rows", (1,), trt.int64))
    net.output(net.add(call)[0], "y")
    assert net.plan() is None
    assert "shape_values: expected the descriptor of a shape input, got one" in logger.errors()
