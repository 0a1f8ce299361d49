# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A module name of the API, for its clients: tensors, descriptors, expressions."""

from kiln.plugin._data import Tensor
from kiln.plugin._desc import SizeTensorDesc, TensorDesc, from_shape_expr, size_tensor
from kiln.plugin._expr import (
    ShapeExpr,
    SizeTensorShapeExpr,
    SymExpr,
    SymInt8,
    SymInt16,
    SymInt32,
    SymIntExpr,
)
from kiln.plugin._exprs import ShapeExprs, SymExprs, SymIntExprs
from kiln.plugin._launch import KernelLaunchParams
from kiln.plugin._shape import Shape
from kiln.plugin._shape_functions import cdiv, max, min

__all__ = [
    "KernelLaunchParams",
    "Shape",
    "ShapeExpr",
    "ShapeExprs",
    "SizeTensorDesc",
    "SizeTensorShapeExpr",
    "SymExpr",
    "SymExprs",
    "SymInt8",
    "SymInt16",
    "SymInt32",
    "SymIntExpr",
    "SymIntExprs",
    "Tensor",
    "TensorDesc",
    "cdiv",
    "from_shape_expr",
    "max",
    "min",
    "size_tensor",
]
