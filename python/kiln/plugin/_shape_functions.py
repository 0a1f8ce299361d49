# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of extents. They hide Python's max and min, so the module has nothing else."""

from typing import Any

from kiln._core import DimensionOperation
from kiln.plugin._expr import ShapeExpr, term_of
from kiln.plugin._terms import combine


def _operation(kind: DimensionOperation, name: str, first: Any, second: Any) -> ShapeExpr:
    term = combine(kind, term_of(first, name), term_of(second, name))
    return ShapeExpr._of(term)


def cdiv(first: int | ShapeExpr, second: int | ShapeExpr) -> ShapeExpr:
    """The quotient, rounded up.

    first, second: int or ShapeExpr. Example: ``grid_x = trtp.cdiv(x.shape_expr.numel(), 256)``.
    """
    return _operation(DimensionOperation.CEIL_DIV, "cdiv", first, second)


def max(first: int | ShapeExpr, second: int | ShapeExpr) -> ShapeExpr:
    """The larger of two. first, second: int or ShapeExpr."""
    return _operation(DimensionOperation.MAX, "max", first, second)


def min(first: int | ShapeExpr, second: int | ShapeExpr) -> ShapeExpr:
    """The smaller of two. first, second: int or ShapeExpr."""
    return _operation(DimensionOperation.MIN, "min", first, second)
