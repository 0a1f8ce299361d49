# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Ops whose output aliases an input."""

import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from oplab import Net, define, op_of

pytestmark = pytest.mark.xdist_group("registry")


def desc(x: trtp.TensorDesc, delta: int) -> trtp.TensorDesc:
    return x.aliased()


def add(x, delta, outputs, stream):
    assert outputs[0].data_ptr == x.data_ptr
    np.asarray(outputs[0])[...] += delta


def net_of(logger, allow=True):
    net = Net(logger)
    if allow:
        net.config.set_preview_feature(trt.PreviewFeature.ALIASED_PLUGIN_IO_10_03, True)
    return net


@pytest.fixture(scope="module")
def op():
    return op_of(define(desc, add))


def run(logger, net, *outputs):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    arrays = {name: np.full((2, 3), -1, np.float32) for name in outputs}
    assert net.engine().run({"x": x}, arrays), logger.errors()
    return x, [arrays[name] for name in outputs]


def test_the_user_s_input_is_not_written(logger, op):
    net = net_of(logger)
    net.output(net.add(op(net.input("x", (2, 3)), 1))[0], "y")
    x, (y,) = run(logger, net, "y")
    np.testing.assert_array_equal(x.ravel(), np.arange(6))
    np.testing.assert_array_equal(y, x + 1)


def test_a_chain(logger, op):
    net = net_of(logger)
    t = net.input("x", (2, 3))
    for delta in (1, 2, 3):
        t = net.add(op(t, delta))[0]
    net.output(t, "y")
    x, (y,) = run(logger, net, "y")
    np.testing.assert_array_equal(y, x + 6)
    np.testing.assert_array_equal(x.ravel(), np.arange(6))


def test_a_chain_whose_links_others_read(logger, op):
    net = net_of(logger)
    x = net.input("x", (2, 3))
    first = net.add(op(x, 1))[0]
    second = net.add(op(first, 2))[0]
    relu = net.network.add_activation(first, trt.ActivationType.RELU).get_output(0)
    again = net.add(op(first, 10))[0]
    for name, tensor in (("a", first), ("b", second), ("c", relu), ("d", again)):
        net.output(tensor, name)
    x, (a, b, c, d) = run(logger, net, "a", "b", "c", "d")
    for got, plus in ((a, 1), (b, 3), (c, 1), (d, 11)):
        np.testing.assert_array_equal(got, x + plus)


def test_in_place_for_the_user(logger, op):
    """One array for input and output: nothing is copied."""
    net = net_of(logger)
    net.output(net.add(op(net.input("x", (2, 3)), 5))[0], "y")
    x = np.zeros((2, 3), np.float32)
    assert net.engine().run({"x": x}, {"y": x}), logger.errors()
    assert (x == 5).all()


def test_the_preview_feature_is_needed(logger, op):
    net = net_of(logger, allow=False)
    net.output(net.add(op(net.input("x", (2, 3)), 5))[0], "y")
    assert net.plan() is None
    assert "ALIASED_PLUGIN_IO_10_03" in logger.errors()


def test_one_of_several(logger):
    def description(
        x: trtp.TensorDesc, y: trtp.TensorDesc
    ) -> tuple[trtp.TensorDesc, trtp.TensorDesc]:
        return x.like(), y.aliased()

    def impl(x, y, outputs, stream):
        assert outputs[1].data_ptr == y.data_ptr != outputs[0].data_ptr
        np.asarray(outputs[0])[...] = np.asarray(x) * np.asarray(y)
        np.asarray(outputs[1])[...] += x

    plugin_id = define(description, impl)
    net = net_of(logger)
    x = net.input("x", (2, 3))
    double = net.network.add_elementwise(x, x, trt.ElementWiseOperation.SUM).get_output(0)
    product, total = net.add(op_of(plugin_id)(x, double))
    net.output(product, "p")
    net.output(total, "s")
    x, (p, s) = run(logger, net, "p", "s")
    np.testing.assert_array_equal(p, 2 * x * x)
    np.testing.assert_array_equal(s, 3 * x)


def test_an_alias_of_an_alias(logger):
    def description(x: trtp.TensorDesc, delta: int) -> trtp.TensorDesc:
        return x.aliased().aliased()

    net = net_of(logger)
    net.output(net.add(op_of(define(description, add))(net.input("x", (2, 3)), 1))[0], "y")
    x, (y,) = run(logger, net, "y")
    np.testing.assert_array_equal(y, x + 1)


@pytest.mark.parametrize(
    ("describe", "message"),
    [
        (lambda x: x, "output 0: expected a descriptor of its own, got that of an input. Return"),
        (lambda x: x.like().aliased(), "output 0: expected an alias of an input, got one of"),
        (lambda x: None, "register: expected a TensorDesc or a tuple of them, got NoneType"),
        (lambda x: (), "register: expected a TensorDesc or a tuple of them, got an empty tuple"),
        (lambda x: (x.like(), 7), "expected 1 outputs, got 2"),
        (lambda x: (7,), "output 0: expected a TensorDesc, got int"),
        (lambda x: trtp.TensorDesc((1,)), "output 0: expected dtype to be set, got a TensorDesc"),
        (lambda x: trtp.TensorDesc(None, x.dtype), "output 0: expected shape_expr to be set"),
    ],
)
def test_wrong_outputs(logger, describe, message):
    def description(x: trtp.TensorDesc) -> trtp.TensorDesc:
        return describe(x)

    net = net_of(logger)
    call = op_of(define(description, lambda x, outputs, stream: None))(net.input("x", (2, 3)))
    net.output(net.add(call)[0], "y")
    assert net.plan() is None
    assert message in logger.errors()


def test_inputs_cannot_be_changed(logger):
    def description(x: trtp.TensorDesc) -> trtp.TensorDesc:
        x.shape_expr[0] = 7
        return x.like()

    net = net_of(logger)
    call = op_of(define(description, lambda x, outputs, stream: None))(net.input("x", (2, 3)))
    net.output(net.add(call)[0], "y")
    assert net.plan() is None
    assert "Take inp.like() first" in logger.errors()
