# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Decorated ops that run their impl."""

import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from oplab import STRONG, Net, define, new_id, op_of

pytestmark = pytest.mark.xdist_group("registry")


def add_desc(x: trtp.TensorDesc, y: trtp.TensorDesc, delta: float) -> trtp.TensorDesc:
    return x.like()


def add(x, y, delta, outputs, stream):
    np.add(x, y, out=np.asarray(outputs[0]))
    np.asarray(outputs[0])[...] += delta


def add_net(logger, plugin_id, shape=(2, 3), **options):
    net = Net(logger)
    x, y = net.input("x", shape), net.input("y", shape)
    net.output(net.add(op_of(plugin_id)(x, y, delta=0.5), **options)[0], "z")
    return net


def test_static_shapes(logger):
    engine = add_net(logger, define(add_desc, add)).engine()
    x, y, z = np.ones((2, 3), np.float32), np.full((2, 3), 2, np.float32), np.zeros((2, 3), "f4")
    assert engine.run({"x": x, "y": y}, {"z": z}), logger.errors()
    assert (z == 3.5).all()


def test_dynamic_shapes(logger):
    net = add_net(logger, define(add_desc, add), (-1, 3))
    net.profile(x=((1, 3), (2, 3), (8, 3)), y=((1, 3), (2, 3), (8, 3)))
    engine = net.engine()
    for rows in (2, 8, 1, 2):
        x = np.full((rows, 3), rows, np.float32)
        z = np.zeros_like(x)
        assert engine.run({"x": x, "y": x}, {"z": z}), logger.errors()
        assert (z == 2 * rows + 0.5).all()


def test_what_impl_gets(logger):
    seen = []

    def impl(x, y, delta, outputs, stream):
        seen.append((x.shape, x.dtype, x.format, x.strides, x.ndim, x.numel(), x.scale, delta))
        seen.append((tuple(outputs[0].shape), stream, len(outputs), x.is_data_dependent))
        seen.append((type(x) is trtp.Tensor, isinstance(x.data_ptr, int), x.device))
        add(x, y, delta, outputs, stream)

    engine = add_net(logger, define(add_desc, impl)).engine()
    x = np.ones((2, 3), np.float32)
    assert seen == [], "without autotune, impl runs at inference alone"
    assert engine.run({"x": x, "y": x}, {"z": np.zeros_like(x)}), logger.errors()
    linear = trt.TensorFormat.LINEAR
    assert seen[0] == ((2, 3), trt.float32, linear, (3, 1), 2, 6, seen[0][6], 0.5)
    assert seen[1] == ((2, 3), 0, 1, False)
    assert seen[2] == (True, True, "cpu")


def several_desc(x: trtp.TensorDesc, times: int) -> tuple[trtp.TensorDesc, trtp.TensorDesc]:
    rows, columns = x.shape_expr
    tall = trtp.from_shape_expr((rows * times, columns), dtype=x.dtype)
    return tall, trtp.from_shape_expr((columns, trtp.max(rows, 2), 1), dtype=trt.int32)


def test_several_outputs(logger):
    def impl(x, times, outputs, stream):
        np.asarray(outputs[0])[...] = np.tile(x, (times, 1))
        np.asarray(outputs[1])[...] = 7

    net = Net(logger)
    x = net.input("x", (-1, 3))
    net.profile(x=((1, 3), (2, 3), (4, 3)))
    tall, other = net.add(op_of(define(several_desc, impl))(x, 2))
    assert (tall.shape, other.shape, other.dtype) == ((-1, 3), (3, -1, 1), trt.int32)
    net.output(tall, "tall")
    net.output(other, "other")
    x, tall, other = np.ones((4, 3), "f4"), np.zeros((8, 3), "f4"), np.zeros((3, 4, 1), "i4")
    assert net.engine().run({"x": x}, {"tall": tall, "other": other}), logger.errors()
    assert (tall == 1).all()
    assert (other == 7).all()


def parts_desc(x: trtp.TensorDesc, count: int) -> tuple[trtp.TensorDesc, ...]:
    rows, columns = x.shape_expr
    return tuple(trtp.from_shape_expr((rows, columns // count), x.dtype) for _ in range(count))


def test_an_attribute_may_tell_the_number_of_outputs(logger):
    def impl(x, outputs, stream):
        for part, output in zip(np.split(np.asarray(x), len(outputs), 1), outputs, strict=True):
            np.asarray(output)[...] = part

    op, net = op_of(define(parts_desc, impl)), Net(logger)
    x = net.input("x", (-1, 6))
    net.profile(x=((1, 6), (2, 6), (4, 6)))
    for name, tensor in zip("abcde", [*net.add(op(x, 2)), *net.add(op(x, 3))], strict=True):
        net.output(tensor, name)
    x = np.arange(12, dtype=np.float32).reshape(2, 6)
    y = {name: np.zeros((2, 3 if name < "c" else 2), np.float32) for name in "abcde"}
    assert net.engine().run({"x": x}, y), logger.errors()
    np.testing.assert_array_equal(np.hstack([y["a"], y["b"]]), x)
    np.testing.assert_array_equal(np.hstack([y["c"], y["d"], y["e"]]), x)


def test_the_op_call_unpacks(logger):
    net = Net(logger)
    x = net.input("x", (2, 3))
    call = op_of(define(add_desc, add))(x, x, 1.0)
    inputs, shape_inputs, plugin = call
    assert (len(inputs), shape_inputs) == (2, [])
    assert isinstance(plugin, trt.IPluginV3)
    assert len(call) == 3 and call[2] is plugin
    assert net.network.add_plugin(call, aot=None) is not None
    assert net.network.add_plugin(tuple(call)) is not None
    assert net.network.add_plugin_v3(inputs, shape_inputs, plugin) is not None
    _, _, same = call(trt.QuickPluginCreationRequest.PREFER_JIT)
    assert type(same) is type(plugin)


def test_the_flags_of_the_network(logger):
    flag = trt.NetworkDefinitionCreationFlag
    both = 1 << int(flag.PREFER_JIT_PYTHON_PLUGINS) | 1 << int(flag.PREFER_AOT_PYTHON_PLUGINS)
    net = Net(logger, STRONG | both)
    x = net.input("x", (2, 3))
    call = op_of(define(add_desc, add))(x, x, 1.0)
    with pytest.raises(ValueError, match="expected one of PREFER_JIT_PYTHON_PLUGINS and"):
        net.network.add_plugin(call)
    assert net.network.add_plugin(call, aot=False) is not None


def test_the_choice_between_both_functions(logger):
    def aot_impl(x, y, outputs):
        raise AssertionError("not asked")

    plugin_id = define(add_desc, add, None, aot_impl)
    net = Net(logger)
    x = net.input("x", (2, 3))
    call = op_of(plugin_id)(x, x, 1.0)
    with pytest.raises(
        ValueError, match=r"got both and no choice. Say add_plugin\(..., aot=True\)"
    ):
        net.network.add_plugin(call)
    assert net.network.add_plugin(call, aot=False).plugin.style == "jit"
    assert net.network.add_plugin(call, aot=True).plugin.style == "aot"
    for name, style in (("JIT", "jit"), ("AOT", "aot")):
        prefer = getattr(trt.NetworkDefinitionCreationFlag, f"PREFER_{name}_PYTHON_PLUGINS")
        net = Net(logger, STRONG | 1 << int(prefer))
        x = net.input("x", (2, 3))
        assert net.network.add_plugin(op_of(plugin_id)(x, x, 1.0)).plugin.style == style


@pytest.mark.parametrize(
    ("functions", "options", "message"),
    [
        ({}, {}, "expected impl or aot_impl to be used for it, got neither"),
        ({"impl": add}, {"aot": True}, "expected aot_impl, because it was asked for ahead of time"),
        ({"aot_impl": lambda x, y, outputs: None}, {"aot": False}, "expected impl, because it was"),
    ],
)
def test_missing_functions(logger, functions, options, message):
    plugin_id = define(add_desc, **functions)
    net = Net(logger)
    x = net.input("x", (2, 3))
    with pytest.raises(ValueError, match=f"{plugin_id}: {message}"):
        net.network.add_plugin(op_of(plugin_id)(x, x, 1.0), **options)


def test_the_preferred_style_need_not_be_there(logger):
    prefer = trt.NetworkDefinitionCreationFlag.PREFER_AOT_PYTHON_PLUGINS
    net = Net(logger, STRONG | 1 << int(prefer))
    x = net.input("x", (2, 3))
    layer = net.network.add_plugin(op_of(define(add_desc, add))(x, x, 1.0))
    assert layer.plugin.style == "jit"


def test_lazy_registration():
    plugin_id = new_id("lazy")
    name = plugin_id.partition("::")[2]
    registry = trt.get_plugin_registry()
    define(add_desc, add, plugin_id=plugin_id, lazy_register=True)
    assert not any(c.name == name for c in registry.all_creators)
    assert op_of(plugin_id).plugin_id == plugin_id
    assert registry.get_creator(name, "1", "lab").name == name


def test_wrong_things_to_add(logger):
    net = Net(logger)
    with pytest.raises(TypeError, match=r"expected what trt.plugin.op\.namespace\.name"):
        net.network.add_plugin(7)
    with pytest.raises(TypeError, match="an IPluginV3, got a tuple of 2"):
        net.network.add_plugin(([], []))
    with pytest.raises(TypeError, match="expected func to return inputs, shape inputs"):
        net.network.add_plugin(lambda request: 7)
