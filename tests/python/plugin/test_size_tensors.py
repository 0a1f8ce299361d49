# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Ops that determine their output shapes at run time."""

import kiln
import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from oplab import Net, define, op_of

pytestmark = pytest.mark.xdist_group("registry")
WIDTH = 3


def nonzero_desc(x: trtp.TensorDesc) -> tuple[trtp.TensorDesc, trtp.TensorDesc]:
    bound = x.shape_expr.numel()
    count = trtp.size_tensor(bound // 2, bound)
    return trtp.from_shape_expr((count.expr(), 2), dtype=trt.int32), count


def nonzero(x, outputs, stream):
    assert outputs[0].is_data_dependent and not outputs[1].is_data_dependent
    assert tuple(outputs[0].shape) == (-1, 2) and outputs[1].ndim == 0
    with pytest.raises(ValueError, match="expected fixed extents"):
        outputs[0].numel()
    with pytest.raises(ValueError, match="got one whose shape the op finds out"):
        np.asarray(outputs[0])
    found = np.argwhere(np.asarray(x)).astype(np.int32)
    np.asarray(outputs[0].aliased(found.shape))[...] = found
    np.asarray(outputs[1])[...] = len(found)


def engine_of(logger, plugin_id):
    net = Net(logger)
    outputs = net.add(op_of(plugin_id)(net.input("x", (-1, WIDTH))))
    net.output(outputs[0], "y")
    net.profile(x=((0, WIDTH), (2, WIDTH), (4, WIDTH)))
    return net.engine()


@pytest.mark.parametrize(
    "x",
    [np.eye(3), np.zeros((4, WIDTH)), np.ones((4, WIDTH)), np.zeros((0, WIDTH))],
    ids=["some", "none", "the upper bound", "no input"],
)
def test_nonzero(logger, x):
    engine = engine_of(logger, define(nonzero_desc, nonzero))
    x, y = x.astype(np.float32), np.full((4 * WIDTH, 2), -1, np.int32)
    assert engine.run({"x": x}, {"y": y}), logger.errors()
    expected = np.argwhere(x)
    assert tuple(kiln.found_shape(engine.context, "y")) == expected.shape
    np.testing.assert_array_equal(y[: len(expected)], expected)


class Allocator(trt.IOutputAllocator):
    def __init__(self):
        super().__init__()
        self.shape = None

    def reallocate_output(self, tensor_name, memory, size, alignment):
        self.memory = np.zeros(size + alignment, np.uint8)
        return self.memory.ctypes.data + -self.memory.ctypes.data % alignment

    def notify_shape(self, tensor_name, shape):
        self.shape = tuple(shape)


def test_with_an_output_allocator(logger):
    engine = engine_of(logger, define(nonzero_desc, nonzero))
    allocator = Allocator()
    engine.context.set_output_allocator("y", allocator)
    assert engine.run({"x": np.eye(3, dtype=np.float32)}, {}), logger.errors()
    assert allocator.shape == (3, 2)


def split_desc(
    x: trtp.TensorDesc,
) -> tuple[trtp.TensorDesc, trtp.TensorDesc, trtp.TensorDesc, trtp.TensorDesc]:
    """Rows whose first element is positive, rows where it is negative, and both counts."""
    rows, width = x.shape_expr
    up, down = trtp.size_tensor(rows, rows), trtp.size_tensor(rows // 2, rows)
    down.dtype = trt.int64
    parts = (trtp.from_shape_expr((n.expr() + 1, width), x.dtype) for n in (up, down))
    return *parts, up, down


def test_several(logger):
    indices = []

    def impl(x, outputs, stream):
        x = np.asarray(x)
        for i, part in enumerate((x[x[:, 0] > 0], x[x[:, 0] < 0])):
            target = np.asarray(outputs[i].aliased((len(part) + 1, WIDTH)))
            target[0], target[1:] = 99, part
            np.asarray(outputs[2 + i])[...] = len(part)
        indices.append([output.dtype for output in outputs[2:]])

    net = Net(logger)
    up, down, *sizes = net.add(op_of(define(split_desc, impl))(net.input("x", (-1, WIDTH))))
    net.output(up, "up")
    net.output(down, "down")
    assert [tensor.dtype for tensor in sizes] == [trt.int32, trt.int64]
    net.profile(x=((0, WIDTH), (2, WIDTH), (8, WIDTH)))
    engine = net.engine()
    for signs in ([1, -1, 1], [-1] * 8, [0, 0]):
        x = np.ones((len(signs), WIDTH), np.float32) * np.array(signs, np.float32)[:, None]
        up, down = np.zeros((9, WIDTH), np.float32), np.zeros((9, WIDTH), np.float32)
        assert engine.run({"x": x}, {"up": up, "down": down}), logger.errors()
        for name, got, count in (("up", up, signs.count(1)), ("down", down, signs.count(-1))):
            assert tuple(kiln.found_shape(engine.context, name)) == (count + 1, WIDTH)
            assert (got[0] == 99).all() and (abs(got[1 : count + 1]) == 1).all()
    assert indices[0] == [trt.int32, trt.int64]


def test_a_size_that_is_too_large(logger):
    def impl(x, outputs, stream):
        np.asarray(outputs[1])[...] = 1000

    engine = engine_of(logger, define(nonzero_desc, impl))
    x, y = np.ones((2, WIDTH), np.float32), np.zeros((12, 2), np.int32)
    assert not engine.run({"x": x}, {"y": y})
    assert "1000" in logger.errors()


def test_timing_at_opt(logger):
    """Tactics are timed at the optimum; sizes that the op determines are unknown there, too."""
    shapes = []

    def impl(x, outputs, stream, tactic):
        shapes.append((tuple(x.shape), tuple(outputs[0].shape)))
        nonzero(x, outputs, stream)

    def autotune(x, outputs):
        return [trtp.AutoTuneCombination("FP32, INT32, INT32", "LINEAR", [1, 2])]

    engine_of(logger, define(nonzero_desc, impl, autotune))
    assert set(shapes) == {((2, WIDTH), (-1, 2))}


WRONG = {
    "not an output": (
        lambda x, n: (trtp.from_shape_expr((n.expr(),), x.dtype), x.like()),
        "output 0: expected every size tensor in its shape to be an output, too",
    ),
    "inside another": (
        lambda x, n: (
            trtp.from_shape_expr((trtp.size_tensor(n.expr(), 9).expr(),), x.dtype),
            n,
        ),
        "output 0: expected every size tensor in its shape to be an output, too",
    ),
    "twice": (lambda x, n: (n, n), "output 1: expected a size tensor once, got it twice"),
}


@pytest.mark.parametrize("name", list(WRONG))
def test_wrong_size_tensors(logger, name):
    describe, message = WRONG[name]

    def description(x: trtp.TensorDesc) -> tuple[trtp.TensorDesc, trtp.TensorDesc]:
        return describe(x, trtp.size_tensor(1, 9))

    net = Net(logger)
    call = op_of(define(description, nonzero))(net.input("x", (2, WIDTH)))
    net.output(net.add(call)[0], "y")
    assert net.plan() is None
    assert message in logger.errors()


def test_a_size_bounded_by_a_size(logger):
    def description(x: trtp.TensorDesc) -> tuple[trtp.TensorDesc, trtp.TensorDesc, trtp.TensorDesc]:
        first = trtp.size_tensor(1, 9)
        second = trtp.size_tensor(1, first.expr())
        return trtp.from_shape_expr((second.expr(),), x.dtype), first, second

    net = Net(logger)
    call = op_of(define(description, nonzero))(net.input("x", (2, WIDTH)))
    net.output(net.add(call)[0], "y")
    assert net.plan() is None
    assert "expected opt and upper_bound of a size tensor to be computed from" in logger.errors()
