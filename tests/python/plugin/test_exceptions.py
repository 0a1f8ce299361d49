# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""What an exception in a decorated function looks like to the user."""

import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from oplab import Net, define, op_of

pytestmark = pytest.mark.xdist_group("registry")


class Planned(Exception):
    pass


def desc(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


def copy(x, outputs, stream):
    np.asarray(outputs[0])[...] = x


def net_of(logger, plugin_id):
    net = Net(logger)
    outputs = net.add(op_of(plugin_id)(net.input("x", (2, 3))))
    net.output(outputs[0], "y")
    return net


def fails(*args):
    raise Planned("as planned")


def run(engine):
    x = np.ones((2, 3), np.float32)
    return engine.run({"x": x}, {"y": np.zeros_like(x)})


def test_in_impl(logger):
    plugin_id = define(desc, lambda x, outputs, stream: fails())
    engine = net_of(logger, plugin_id).engine()
    assert not run(engine)
    name = plugin_id.partition("::")[2]
    for part in ("Planned: as planned", "in fails", "enqueue", name, "(Unnamed Layer* 0)"):
        assert part in logger.errors()


def test_code_that_names_a_gpu(logger):
    """Raises the error of a Torch without CUDA."""

    def impl(x, outputs, stream):
        raise AssertionError("Torch not compiled with CUDA enabled")

    assert not run(net_of(logger, define(desc, impl)).engine())
    assert "write tensor.device, or 'cpu', where the plugin says 'cuda'" in logger.errors()


def test_in_impl_raised(logger, raising):
    engine = net_of(logger, define(desc, lambda x, outputs, stream: fails())).engine()
    with pytest.raises(Planned, match="as planned"):
        run(engine)


@pytest.mark.parametrize(("value", "name"), [(0, "int"), (True, "bool"), ([], "list")])
def test_impl_that_returns_something(logger, value, name):
    engine = net_of(logger, define(desc, lambda x, outputs, stream: value)).engine()
    assert not run(engine)
    assert f"impl: expected None to be returned, got {name}" in logger.errors()


def test_in_register(logger):
    def description(x: trtp.TensorDesc) -> trtp.TensorDesc:
        return fails()

    assert net_of(logger, define(description, copy)).plan() is None
    assert "Planned: as planned" in logger.errors()


def test_register_that_returns_something_else(logger):
    """No line of user code raised this, so the message gives the place of the function."""

    def two(x: trtp.TensorDesc) -> trtp.TensorDesc:
        return x.like(), x.like()

    assert net_of(logger, define(two, copy)).plan() is None
    line = two.__code__.co_firstlineno
    assert "register: expected 1 outputs, got 2" in logger.errors()
    assert f'Returned by two, File "{__file__}", line {line}' in logger.errors()
    assert "_describe.py" not in logger.errors() and "_plugin.py" not in logger.errors()


def test_tracebacks_are_the_users(logger):
    """Kiln's frames around a function are hidden, those of the function are not."""

    def description(x: trtp.TensorDesc) -> trtp.TensorDesc:
        return fails()

    assert net_of(logger, define(description, copy)).plan() is None
    assert "in description" in logger.errors() and "in fails" in logger.errors()
    assert "/kiln/plugin/" not in logger.errors()


def test_an_exception_is_no_number(logger):
    plugin_id = define(desc, lambda x, outputs, stream: fails())
    assert not run(net_of(logger, plugin_id).engine())
    assert "enqueue: raised an error\nTraceback" in logger.errors()
    assert "expected 0" not in logger.errors()


def test_in_autotune(logger):
    plugin_id = define(desc, copy, lambda x, outputs: fails())
    assert net_of(logger, plugin_id).plan() is None
    assert "Planned: as planned" in logger.errors()


def test_after_a_failure_the_next_call_works(logger):
    calls = []

    def impl(x, outputs, stream):
        calls.append(1)
        if len(calls) == 2:
            fails()
        copy(x, outputs, stream)

    engine = net_of(logger, define(desc, impl)).engine()
    assert [run(engine) for _ in range(4)] == [True, False, True, True]


def test_keyboard_interrupt_comes_through(logger):
    def impl(x, outputs, stream):
        raise KeyboardInterrupt

    engine = net_of(logger, define(desc, impl)).engine()
    with pytest.raises(KeyboardInterrupt):
        run(engine)


def test_a_float16_network(logger):
    net = Net(logger)
    y = net.add(op_of(define(desc, copy))(net.input("x", (2, 3), trt.float16)))[0]
    net.output(y, "y")
    x = np.ones((2, 3), np.float16)
    y = np.zeros_like(x)
    assert net.engine().run({"x": x}, {"y": y}), logger.errors()
    assert (y == 1).all()
