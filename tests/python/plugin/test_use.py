# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Decorated ops over many calls, in many contexts, from many threads."""

import gc
import sys
import threading

import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from oplab import Net, define, op_of

pytestmark = pytest.mark.xdist_group("registry")


def desc(x: trtp.TensorDesc, weights: trtp.TensorDesc, bias: float) -> trtp.TensorDesc:
    return x.like()


def net_of(logger, impl):
    net = Net(logger)
    x, w = net.input("x", (4, 4)), net.input("w", (4, 4))
    net.output(net.add(op_of(define(desc, impl))(x, w, 0.25))[0], "y")
    return net


def product(x, weights, bias, outputs, stream):
    np.matmul(x, weights, out=np.asarray(outputs[0]))
    np.asarray(outputs[0])[...] += bias


def bind(context, seed):
    values = np.random.default_rng(seed)
    arrays = {name: values.random((4, 4), np.float32) for name in "xw"}
    arrays["y"] = np.zeros((4, 4), np.float32)
    for name, array in arrays.items():
        context.set_tensor_address(name, array.ctypes.data)
    return arrays


def test_contexts_in_threads(logger):
    engine = net_of(logger, product).engine()
    problems = []

    def work(seed):
        context = engine.engine.create_execution_context()
        for i in range(50):
            a = bind(context, seed * 100 + i)
            if not context.execute_async_v3(0):
                problems.append(logger.errors())
            elif not np.allclose(a["y"], a["x"] @ a["w"] + 0.25, atol=1e-5):
                problems.append(f"thread {seed}, run {i}")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_nothing_is_left_behind(logger):
    """Reference counts and the number of objects do not grow, even with failures."""

    class Counted(Exception):
        pass

    calls = []

    def impl(x, weights, bias, outputs, stream):
        calls.append(None)
        if len(calls) % 10 == 0:
            raise Counted
        product(x, weights, bias, outputs, stream)

    engine = net_of(logger, impl).engine()
    arrays = bind(engine.context, 1)

    def run(count):
        for _ in range(count):
            engine.context.execute_async_v3(0)
        logger.messages.clear()
        calls.clear()
        gc.collect()
        return len(gc.get_objects()), sys.getrefcount(impl), sys.getrefcount(Counted)

    run(40)
    before = run(40)
    after = run(400)
    assert after[1:] == before[1:]
    assert abs(after[0] - before[0]) < 20
    assert arrays["y"].any()


def test_one_op_many_times(logger):
    net = Net(logger)
    x, w = net.input("x", (4, 4)), net.input("w", (4, 4))
    op = op_of(define(desc, product))
    y = x
    for i in range(20):
        y = net.add(op(y, w, bias=i / 20))[0]
    net.output(y, "y")
    engine = net.engine()
    a = bind(engine.context, 5)
    assert engine.context.execute_async_v3(0), logger.errors()
    expected = a["x"]
    for i in range(20):
        expected = expected @ a["w"] + np.float32(i / 20)
    np.testing.assert_allclose(a["y"], expected, rtol=1e-3)


def test_among_other_layers(logger):
    net = Net(logger)
    x, w = net.input("x", (4, 4)), net.input("w", (4, 4))
    relu = net.network.add_activation(x, trt.ActivationType.RELU).get_output(0)
    y = net.add(op_of(define(desc, product))(relu, w, 1.0))[0]
    y = net.network.add_elementwise(y, x, trt.ElementWiseOperation.SUM).get_output(0)
    net.output(y, "y")
    engine = net.engine()
    a = bind(engine.context, 6)
    assert engine.context.execute_async_v3(0), logger.errors()
    np.testing.assert_allclose(a["y"], a["x"] @ a["w"] + 1 + a["x"], rtol=1e-5)


def test_functions_may_be_replaced_by_callables(logger):
    """Any callable with a signature works."""

    class Product:
        def __call__(self, x, weights, bias, outputs, stream):
            product(x, weights, bias, outputs, stream)

    engine = net_of(logger, Product()).engine()
    a = bind(engine.context, 7)
    assert engine.context.execute_async_v3(0), logger.errors()
    np.testing.assert_allclose(a["y"], a["x"] @ a["w"] + 0.25, rtol=1e-5)
