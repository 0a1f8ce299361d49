# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Terms, the parts of symbolic expressions.

A term is an int (known), an IDimensionExpr (known once shapes are known), None (fake: its value is
not read), a size tensor, or an operation on two terms. Terms become IDimensionExprs at the end of a
callback, because only then is it known which output holds a size.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from kiln._core import DimensionOperation, IDimensionExpr, IExprBuilder
from kiln._messages import coded

_scope = threading.local()


class SizeTerm:
    """An extent that the op writes to one of its outputs when it runs."""

    def __init__(self, desc: Any) -> None:
        self.desc = desc
        self.declared: tuple[IExprBuilder, IDimensionExpr] | None = None


class Operation(NamedTuple):
    """An operation on two terms, at least one of which is not known."""

    kind: DimensionOperation
    first: "Term"
    second: "Term"


Term = int | IDimensionExpr | SizeTerm | Operation | None


@contextmanager
def expr_builder(builder: IExprBuilder) -> Iterator[None]:
    """Sets the builder of the callback that runs on this thread."""
    previous = getattr(_scope, "builder", None)
    _scope.builder = builder
    try:
        yield
    finally:
        _scope.builder = previous


def current_builder() -> IExprBuilder | None:
    """The builder of the callback that runs on this thread."""
    return getattr(_scope, "builder", None)


def from_native(expr: IDimensionExpr) -> Term:
    """The term of a native expression."""
    return expr.get_constant_value() if expr.is_constant() else expr


_OPERATIONS: dict[DimensionOperation, Callable[[int, int], int]] = {
    DimensionOperation.SUM: lambda a, b: a + b,
    DimensionOperation.SUB: lambda a, b: a - b,
    DimensionOperation.PROD: lambda a, b: a * b,
    DimensionOperation.MAX: max,
    DimensionOperation.MIN: min,
    DimensionOperation.EQUAL: lambda a, b: int(a == b),
    DimensionOperation.LESS: lambda a, b: int(a < b),
    DimensionOperation.FLOOR_DIV: lambda a, b: a // b,
    DimensionOperation.CEIL_DIV: lambda a, b: -(-a // b),
}
SYMBOLS = {
    DimensionOperation.SUM: "+",
    DimensionOperation.SUB: "-",
    DimensionOperation.PROD: "*",
    DimensionOperation.MAX: "max",
    DimensionOperation.MIN: "min",
    DimensionOperation.EQUAL: "==",
    DimensionOperation.LESS: "<",
    DimensionOperation.FLOOR_DIV: "//",
    DimensionOperation.CEIL_DIV: "cdiv",
}


def combine(kind: DimensionOperation, first: Term, second: Term) -> Term:
    """The term of an operation, computed if both operands are known."""
    if first is None or second is None:
        return None
    if isinstance(first, int) and isinstance(second, int):
        if second == 0 and kind in (DimensionOperation.FLOOR_DIV, DimensionOperation.CEIL_DIV):
            raise coded(
                ZeroDivisionError, "[plugin] expected a divisor other than 0 in a shape expression"
            )
        return _OPERATIONS[kind](first, second)
    return Operation(kind, first, second)


def sizes_in(term: Term) -> Iterator[SizeTerm]:
    """The size tensors in a term."""
    if isinstance(term, SizeTerm):
        yield term
    elif isinstance(term, Operation):
        yield from sizes_in(term.first)
        yield from sizes_in(term.second)


def _declare(size: SizeTerm, builder: IExprBuilder) -> IDimensionExpr:
    if size.declared is None or size.declared[0] is not builder:
        desc = size.desc
        opt, upper = (to_native(expr._term, builder) for expr in (desc.opt, desc.upper_bound))
        size.declared = builder, builder.declare_size_tensor(desc.index, opt, upper)
    return size.declared[1]


def to_native(term: Term, builder: IExprBuilder) -> IDimensionExpr:
    """The native expression of a term."""
    if isinstance(term, int):
        return builder.constant(term)
    if isinstance(term, Operation):
        first, second = to_native(term.first, builder), to_native(term.second, builder)
        native: IDimensionExpr | None = builder.operation(term.kind, first, second)
        if native is None:
            raise coded(
                ValueError,
                f"[plugin] expected an extent, got a {term.kind.name} that divides by the constant "
                "0 or overflows",
            )
        return native
    if isinstance(term, SizeTerm):
        return _declare(term, builder)
    if term is None:
        raise coded(
            RuntimeError,
            "[plugin] expected an expression of the shapes that this call was given, got a fake "
            "one that was made in another call. Compute shapes in the function that returns them.",
        )
    return term
