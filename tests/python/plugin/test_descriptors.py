# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""TensorDesc, SizeTensorDesc and Shape."""

import pytest
import tensorrt as trt
import tensorrt.plugin as trtp

LINEAR, HWC = trt.TensorFormat.LINEAR, trt.TensorFormat.HWC


def desc_of(*extents, dtype=trt.float32):
    return trtp.from_shape_expr(shape_expr=extents, dtype=dtype)


def values(desc):
    return [expr.constant_value() for expr in desc.shape_expr]


def dynamic(extents, low=(1, 3), opt=(2, 3), high=(8, 3)):
    desc = trt.DynamicPluginTensorDesc()
    desc.desc.dims, desc.min, desc.opt, desc.max = extents, low, opt, high
    return desc


def test_what_is_given_can_be_read():
    desc = trtp.TensorDesc(shape_expr=(2, 3), dtype=trt.int8, format=HWC, scale=0.5)
    assert (values(desc), desc.dtype, desc.format, desc.scale) == ([2, 3], trt.int8, HWC, 0.5)
    assert (desc.ndim, desc.has_shape_expr, desc.has_shape) == (2, True, False)
    assert not desc.is_aliased and desc.get_aliased() is None and not desc.is_size_tensor


@pytest.mark.parametrize("name", ["shape_expr", "dtype", "format", "scale", "shape", "ndim"])
def test_what_is_not_given_cannot(name):
    with pytest.raises(ValueError, match=rf"TensorDesc.{name}: expected a descriptor that has it"):
        getattr(trtp.TensorDesc(), name)
    with pytest.raises(ValueError, match=r"TensorDesc.shape: expected a descriptor that has it"):
        trtp.TensorDesc().is_dynamic  # noqa: B018
    with pytest.raises(ValueError, match=r"TensorDesc.shape: expected a descriptor that has it"):
        trtp.TensorDesc().numel()


def test_setting():
    desc = trtp.TensorDesc()
    desc.shape_expr, desc.dtype, desc.format, desc.scale = (1, 2), trt.float16, LINEAR, 2
    desc.shape = (4, 5)
    assert (values(desc), desc.dtype, desc.shape, desc.numel()) == ([1, 2], trt.float16, (4, 5), 20)
    desc.shape_expr[1] += 7
    assert values(desc) == [1, 9]
    for name, value in (("dtype", "float32"), ("format", 0), ("shape_expr", desc)):
        with pytest.raises(TypeError, match=f"TensorDesc.{name}: expected"):
            setattr(desc, name, value)
    with pytest.raises(AttributeError, match="expected one of shape_expr, dtype, shape, format"):
        desc.type = trt.float32


def test_like_is_a_copy():
    first = desc_of(2, 3)
    other = first.like()
    other.shape_expr[0] = 9
    other.dtype = trt.int32
    assert (values(first), first.dtype) == ([2, 3], trt.float32)
    assert (values(other), other.dtype, other.is_aliased) == ([9, 3], trt.int32, False)


def test_an_alias_cannot_be_changed():
    first = desc_of(2, 3)
    alias = first.aliased()
    assert alias.is_aliased and alias.get_aliased() is first
    assert values(alias) == [2, 3]
    with pytest.raises(AttributeError, match="an input or an alias, which cannot be changed"):
        alias.dtype = trt.int32
    with pytest.raises(AttributeError, match=r"which cannot be changed. Take inp.like\(\) first"):
        alias.shape_expr[0] = 1
    assert values(alias.like()) == [2, 3] and not alias.like().is_aliased


def test_from_shape_expr():
    desc = desc_of(trtp.ShapeExpr(2), 3, dtype=trt.int32)
    assert (values(desc), desc.dtype) == ([2, 3], trt.int32)
    source = trtp.ShapeExprs.from_tuple((4, 5))
    copy = trtp.from_shape_expr(source, trt.float32)
    copy.shape_expr[0] = 1
    assert source[0].constant_value() == 4
    for wrong in (7, trtp.ShapeExpr(7)):
        with pytest.raises(
            TypeError, match=r"expected a tuple of extents or ShapeExprs, got .*\(n"
        ):
            trtp.from_shape_expr(wrong, trt.float32)
    with pytest.raises(TypeError, match=r"TensorDesc.dtype: expected a DataType, got str"):
        trtp.from_shape_expr((1,), "float32")


def test_size_tensors():
    count = trtp.size_tensor(opt=trtp.ShapeExpr(2), upper_bound=8)
    assert isinstance(count, trtp.SizeTensorDesc) and isinstance(count, trtp.TensorDesc)
    assert (count.ndim, count.dtype, count.is_size_tensor) == (0, trt.int32, True)
    assert (count.opt.constant_value(), count.upper_bound.constant_value()) == (2, 8)
    expr = count.expr()
    assert isinstance(expr, trtp.SizeTensorShapeExpr)
    assert (expr.is_size_tensor, expr.is_constant, expr.is_fake) == (True, False, False)
    assert repr(expr) == "SizeTensorShapeExpr()"
    assert not (expr + 1).is_size_tensor and not (expr + 1).is_constant
    assert trtp.SizeTensorShapeExpr(size_tensor_desc=count).is_size_tensor
    with pytest.raises(ValueError, match="Return the size tensor as an output"):
        count.index  # noqa: B018
    count.dtype = trt.int64
    assert count.dtype == trt.int64


def test_a_shape_of_a_tuple():
    shape = trtp.Shape(tensor_desc=(2, 3, 4))
    assert (tuple(shape), len(shape), shape[1], shape[-1], shape[:2]) == (
        (2, 3, 4),
        3,
        3,
        4,
        (2, 3),
    )
    assert (shape.numel(), shape.is_dynamic, str(shape)) == (24, False, "Shape(2, 3, 4)")
    assert shape == (2, 3, 4) and shape == trtp.Shape((2, 3, 4)) and shape != (2, 3)
    shape[0] = 9
    assert shape == [9, 3, 4]
    assert len(trtp.Shape()) == 0 and trtp.Shape().numel() == 1


@pytest.mark.parametrize("name", ["opt", "min", "max"])
def test_the_range_of_a_shape_without(name):
    assert getattr(trtp.Shape((2, 3)), name) == (2, 3)
    with pytest.raises(ValueError, match=rf"Shape.{name}: expected fixed extents, or the shape of"):
        getattr(trtp.Shape((-1, 3)), name)


def test_a_shape_that_may_change():
    shape = trtp.Shape(dynamic((-1, 3)))
    assert (shape.is_dynamic, tuple(shape)) == (True, (-1, 3))
    assert (shape.min, shape.opt, shape.max) == ((1, 3), (2, 3), (8, 3))
    with pytest.raises(ValueError, match=r"Shape.numel: expected fixed extents, got Shape\(-1, 3"):
        shape.numel()
    with pytest.raises(AttributeError, match="expected a shape made of a tuple, got that of a"):
        shape[0] = 1


def test_a_shape_of_a_descriptor():
    desc = trt.PluginTensorDesc()
    desc.dims = (5, 6)
    assert trtp.Shape(desc) == (5, 6)
    with pytest.raises(TypeError, match="Shape: expected a tuple of int, a PluginTensorDesc or a"):
        trtp.Shape("ab")
