# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Symbolic integers, lists of them, and functions of extents."""

import numpy as np
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp
from oplab import Net, define, op_of
from tensorrt.plugin._tensor import SymExpr, SymIntExpr

pytestmark = pytest.mark.xdist_group("registry")


def value(expr):
    return expr.constant_value()


@pytest.mark.parametrize("make", [int, trtp.ShapeExpr, trtp.SymInt32, np.int64])
@pytest.mark.parametrize("kind", [trtp.SymInt8, trtp.SymInt16, trtp.SymInt32, trtp.ShapeExpr])
def test_arithmetic_of_constants(kind, make):
    a, b = kind(7), make(2)
    assert [value(e) for e in (a + b, a - b, a * b, a // b)] == [9, 5, 14, 3]
    assert [value(e) for e in (b + a, b - a, b * a, b // a)] == [9, -5, 14, 0]
    assert [bool(e) for e in (a == b, a != b, a < b, a > b)] == [False, True, False, True]
    assert [bool(e) for e in (a <= b, a >= b, b < a, b == a)] == [False, True, True, False]
    assert value(a == 7) == 1


def test_the_class_of_results():
    assert type(trtp.SymInt8(1) + trtp.SymInt16(1)) is trtp.SymInt16
    assert type(trtp.SymInt32(1) * trtp.ShapeExpr(1)) is trtp.ShapeExpr
    assert type(trtp.ShapeExpr(1)()) is trtp.SymInt32
    assert issubclass(trtp.ShapeExpr, trtp.SymInt32)
    assert issubclass(trtp.SymInt8, SymIntExpr) and issubclass(SymIntExpr, SymExpr)


def test_functions_of_extents():
    assert value(trtp.cdiv(first=7, second=2)) == 4
    assert value(trtp.max(first=7, second=trtp.ShapeExpr(9))) == 9
    assert value(trtp.min(first=trtp.ShapeExpr(7), second=9)) == 7
    assert type(trtp.cdiv(1, 1)) is trtp.ShapeExpr


def test_fake_expressions():
    fake = trtp.ShapeExpr(value=None)
    assert fake.is_fake and not fake.is_size_tensor
    assert (fake + 1).is_fake and (2 * fake).is_fake and trtp.cdiv(fake, 3).is_fake
    for ask in (lambda: fake.is_constant, fake.constant_value, lambda: bool(fake == 1)):
        with pytest.raises(RuntimeError, match="with a value, got a fake one"):
            ask()
    assert repr(fake) == "ShapeExpr(fake)"
    assert not trtp.ShapeExpr(3).is_fake and trtp.ShapeExpr(3).is_constant


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: trtp.SymInt8(200), "SymInt8: expected -128 to 127, got 200"),
        (lambda: trtp.SymInt32(1 << 31), "SymInt32: expected -2147483648 to 2147483647"),
        (lambda: trtp.ShapeExpr(1) // 0, "expected a divisor other than 0"),
    ],
)
def test_wrong_numbers(make, message):
    with pytest.raises((ValueError, ZeroDivisionError), match=message):
        make()


@pytest.mark.parametrize(
    "make", [lambda: trtp.SymInt32("7"), lambda: trtp.ShapeExpr(1.5), lambda: trtp.max(None, 1)]
)
def test_wrong_types(make):
    with pytest.raises(TypeError, match="expected an int, an IDimensionExpr or a symbolic integer"):
        make()
    with pytest.raises(TypeError):
        trtp.ShapeExpr(1) + 1.5


def test_the_base_class():
    base = SymExpr()
    for operate in (
        lambda: base + 1,
        lambda: base - 1,
        lambda: base * 1,
        lambda: base // 1,
        lambda: base < 1,
        lambda: base == 1,
        lambda: base.is_constant,
        lambda: base.constant_value,
    ):
        with pytest.raises(NotImplementedError, match="SymExpr: expected a class of numbers"):
            operate()
    assert repr(base) == "SymExpr()"


@pytest.mark.parametrize(
    ("kind", "element"),
    [
        (trtp.SymExprs, trtp.SymInt32),
        (trtp.SymIntExprs, trtp.SymInt32),
        (trtp.ShapeExprs, trtp.ShapeExpr),
    ],
)
def test_lists(kind, element):
    exprs = kind(length=2)
    exprs[0], exprs[1] = 5, element(6)
    assert (len(exprs), value(exprs[0]), [value(e) for e in exprs]) == (2, 5, [5, 6])
    assert all(isinstance(e, element) for e in exprs)
    assert repr(exprs) == f"{kind.__name__}({element.__name__}(5), {element.__name__}(6))"
    assert [value(e) for e in kind.from_tuple(shape_exprs=(1, element(2)))] == [1, 2]
    for wrong in ("x", None):
        with pytest.raises(TypeError, match=rf"{kind.__name__}\[1\]: expected"):
            exprs[1] = wrong


def test_a_list_of_no_expressions_yet():
    assert list(trtp.SymIntExprs(2)) == [None, None]
    assert [e.is_fake for e in trtp.ShapeExprs(2)] == [True, True]
    assert value(trtp.ShapeExprs.from_tuple((2, 3, 4)).numel()) == 24
    assert value(trtp.ShapeExprs(0).numel()) == 1
    with pytest.raises(ValueError, match="expected 0 to 8 dimensions, got 9"):
        trtp.ShapeExprs(9)


def test_launch_parameters():
    launch = trtp.KernelLaunchParams(
        grid_x=2, grid_y=3, grid_z=4, block_x=5, block_y=6, block_z=7, shared_mem=8
    )
    names = ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "shared_mem")
    assert [value(getattr(launch, name)) for name in names] == [2, 3, 4, 5, 6, 7, 8]
    assert all(isinstance(getattr(launch, name), trtp.SymInt32) for name in names)
    defaults = trtp.KernelLaunchParams()
    assert [value(getattr(defaults, name)) for name in names] == [1, 1, 1, 1, 1, 1, 0]
    launch.grid_x = trtp.cdiv(100, 32)
    assert value(launch.grid_x) == 4
    with pytest.raises(AttributeError, match="expected one of grid_x, grid_y"):
        launch.grid = 1
    with pytest.raises(TypeError, match=r"KernelLaunchParams.block_x: expected an int, an IDim"):
        launch.block_x = None


def test_native_expressions(logger):
    """Inside get_output_shapes, expressions are those of the network."""
    seen = {}

    def desc(x: trtp.TensorDesc) -> trtp.TensorDesc:
        rows, columns = x.shape_expr
        out = x.like()
        if rows.is_fake:
            return out
        seen["known"] = rows.is_constant, columns.is_constant, columns.constant_value()
        seen["same"] = bool(columns == 3), bool(columns < 3), (rows - rows).is_constant
        seen["text"] = repr(rows * 2)
        with pytest.raises(RuntimeError, match="expected a constant, got ShapeExpr"):
            rows.constant_value()
        out.shape_expr[0] = trtp.min(rows * 2, 6) + (columns == 3)
        out.shape_expr[1] = trtp.cdiv(columns, 2)
        return out

    net = Net(logger)
    x = net.input("x", (-1, 3))
    net.output(net.add(op_of(define(desc, shape_of))(x))[0], "y")
    net.profile(x=((1, 3), (2, 3), (8, 3)))
    engine = net.engine()
    assert seen["known"] == (False, True, 3)
    assert seen["same"][:2] == (True, False)
    assert seen["text"] == "ShapeExpr((? * 2))"
    for rows in (1, 2, 3, 8):
        engine.context.set_input_shape("x", (rows, 3))
        assert tuple(engine.context.get_tensor_shape("y")) == (min(2 * rows, 6) + 1, 2)


def shape_of(x, outputs, stream):
    pass


def test_native_expressions_end_with_their_call(logger):
    kept = []

    def desc(x: trtp.TensorDesc) -> trtp.TensorDesc:
        out = x.like()
        if not x.shape_expr[0].is_fake:
            kept.append(x.shape_expr[0])
            out.shape_expr[0] = kept[0] * 2
        return out

    net = Net(logger)
    x = net.input("x", (-1, 3))
    call = op_of(define(desc, shape_of))
    net.output(net.add(call(net.add(call(x))[0]))[0], "y")
    net.profile(x=((1, 3), (2, 3), (8, 3)))
    assert net.plan() is None
    assert "expected use inside the callback" in logger.errors()


def test_enums():
    assert {m.name: m.value for m in trt.PluginArgDataType} == {"INT8": 0, "INT16": 1, "INT32": 2}
    assert {m.name: m.value for m in trt.PluginArgType} == {"INT": 0}
    assert {m.name: m.value for m in trt.QuickPluginCreationRequest} == {
        "UNKNOWN": 0,
        "PREFER_JIT": 1,
        "PREFER_AOT": 2,
        "STRICT_JIT": 3,
        "STRICT_AOT": 4,
    }
