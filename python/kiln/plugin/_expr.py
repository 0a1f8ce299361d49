# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Symbolic scalars, known once shapes are known: extents, and arguments of kernels."""

import operator
from typing import TYPE_CHECKING, Any, ClassVar, Union, cast

from kiln._core import DimensionOperation, IDimensionExpr, PluginArgDataType
from kiln._messages import coded
from kiln.plugin._terms import (
    SYMBOLS,
    Operation,
    SizeTerm,
    Term,
    combine,
    current_builder,
    from_native,
    sizes_in,
    to_native,
)

if TYPE_CHECKING:
    from typing import Self


class SymExpr:
    """The base class of symbolic scalars, whose values are known once shapes are known."""

    def _abstract(self) -> "NotImplementedError":
        return NotImplementedError(
            f"[plugin] {type(self).__name__}: expected a class of numbers, such as SymInt32"
        )

    def __add__(self, other: Any) -> "SymExpr":
        raise self._abstract()

    def __sub__(self, other: Any) -> "SymExpr":
        raise self._abstract()

    def __mul__(self, other: Any) -> "SymExpr":
        raise self._abstract()

    def __floordiv__(self, other: Any) -> "SymExpr":
        raise self._abstract()

    def __lt__(self, other: Any) -> "SymExpr":
        raise self._abstract()

    def __eq__(self, other: Any) -> "SymExpr":  # type: ignore[override]
        raise self._abstract()

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_constant(self) -> bool:
        """Whether the value is known while the engine is built."""
        raise self._abstract()

    @property
    def constant_value(self) -> int:
        """The value of a constant expression."""
        raise self._abstract()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


IntLike = Union[int, IDimensionExpr, "SymIntExpr"]


def term_of(value: Any, what: str) -> Term:
    """The term of an int or an integer expression; ``what`` names it in the message."""
    if isinstance(value, SymIntExpr):
        return value._term
    if isinstance(value, IDimensionExpr):
        return from_native(value)
    try:
        return operator.index(value)
    except TypeError:
        raise coded(
            TypeError,
            f"[plugin] {what}: expected an int, an IDimensionExpr or a symbolic integer, got "
            f"{type(value).__name__}",
        ) from None


def given(value: Any) -> Any:
    """The value. Raises TypeError for None, for which constructors make fake expressions."""
    if value is None:
        raise coded(TypeError, "expected a value, got None")
    return value


def _text(term: Term) -> str:
    if term is None:
        return "fake"
    if isinstance(term, Operation):
        return f"({_text(term.first)} {SYMBOLS[term.kind]} {_text(term.second)})"
    if isinstance(term, SizeTerm):
        return "size"
    return str(term) if isinstance(term, int) else "?"


class SymIntExpr(SymExpr):
    """A symbolic integer, whose value is known once shapes are known.

    value: int, IDimensionExpr or SymIntExpr. Default: a fake expression, whose value cannot be
    read. Arithmetic (+ - * //) and comparisons return expressions; comparisons are 1 or 0.
    """

    _dtype: ClassVar[PluginArgDataType | None] = None
    _bits: ClassVar[int] = 64
    _term: Term

    def __init__(self, value: IntLike | None = None) -> None:
        term = None if value is None else term_of(value, type(self).__name__)
        limit = 1 << (self._bits - 1)
        if isinstance(term, int) and not -limit <= term < limit:
            raise coded(
                ValueError,
                f"[plugin] {type(self).__name__}: expected {-limit} to {limit - 1}, got {term}",
            )
        self._term = term

    @classmethod
    def _of(cls, term: Term) -> "Self":
        expr = cls.__new__(cls)
        expr._term = term
        return expr

    def _operate(self, kind: DimensionOperation, other: Any, swapped: bool = False) -> "Self":
        if not isinstance(other, SymIntExpr | IDimensionExpr):
            try:
                other = operator.index(other)
            except TypeError:
                return cast("Self", NotImplemented)
        terms = (self._term, term_of(other, type(self).__name__))
        result = _wider(type(self), type(other))
        # The result has the wider of the two classes; type checkers see Self.
        return cast("Self", result._of(combine(kind, *(reversed(terms) if swapped else terms))))

    def __add__(self, other: IntLike) -> "Self":
        return self._operate(DimensionOperation.SUM, other)

    def __sub__(self, other: IntLike) -> "Self":
        return self._operate(DimensionOperation.SUB, other)

    def __mul__(self, other: IntLike) -> "Self":
        return self._operate(DimensionOperation.PROD, other)

    def __floordiv__(self, other: IntLike) -> "Self":
        return self._operate(DimensionOperation.FLOOR_DIV, other)

    def __eq__(self, other: IntLike) -> "Self":  # type: ignore[override]
        return self._operate(DimensionOperation.EQUAL, other)

    def __lt__(self, other: IntLike) -> "Self":
        return self._operate(DimensionOperation.LESS, other)

    def __gt__(self, other: IntLike) -> "Self":
        return self._operate(DimensionOperation.LESS, other, swapped=True)

    def __ne__(self, other: IntLike) -> "Self":  # type: ignore[override]
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else 1 - equal

    def __le__(self, other: IntLike) -> "Self":
        greater = self.__gt__(other)
        return greater if greater is NotImplemented else 1 - greater

    def __ge__(self, other: IntLike) -> "Self":
        less = self.__lt__(other)
        return less if less is NotImplemented else 1 - less

    __radd__ = __add__
    __rmul__ = __mul__

    def __rsub__(self, other: IntLike) -> "Self":
        return self._operate(DimensionOperation.SUB, other, swapped=True)

    def __rfloordiv__(self, other: IntLike) -> "Self":
        return self._operate(DimensionOperation.FLOOR_DIV, other, swapped=True)

    __hash__ = None

    def __bool__(self) -> bool:
        return bool(self.constant_value())

    def _known(self) -> int | None:
        """The value, None if it is not known. Raises RuntimeError for a fake expression."""
        if self._term is None:
            raise coded(
                RuntimeError,
                f"[plugin] {type(self).__name__}: expected an expression with a value, got a fake "
                "one: shapes are not known in this call. Ask is_fake first.",
            )
        if isinstance(self._term, int):
            return self._term
        builder = current_builder()
        if builder is None or any(sizes_in(self._term)):
            return None
        known = from_native(to_native(self._term, builder))
        return known if isinstance(known, int) else None

    @property
    def is_constant(self) -> bool:
        """Whether the value is known while the engine is built. RuntimeError if fake."""
        return self._known() is not None

    def constant_value(self) -> int:  # type: ignore[override]
        """The value as an int. Raises RuntimeError if it is not constant, or fake."""
        value = self._known()
        if value is None:
            raise coded(
                RuntimeError,
                f"[plugin] {type(self).__name__}: expected a constant, got {self!r}, which is "
                "known only when the engine runs. Ask is_constant first.",
            )
        return value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({_text(self._term)})"


def text_of(value: object) -> str:
    """An expression without its class: "x.shape[0] + 1"."""
    return repr(value).partition("(")[2][:-1] if isinstance(value, SymExpr) else repr(value)


class SymInt8(SymIntExpr):
    """A symbolic integer of 8 bits."""

    _dtype, _bits = PluginArgDataType.INT8, 8


class SymInt16(SymIntExpr):
    """A symbolic integer of 16 bits."""

    _dtype, _bits = PluginArgDataType.INT16, 16


class SymInt32(SymIntExpr):
    """A symbolic integer of 32 bits."""

    _dtype, _bits = PluginArgDataType.INT32, 32

    def __call__(self) -> "SymInt32":
        """The same value as a plain SymInt32."""
        return SymInt32._of(self._term)


class ShapeExpr(SymInt32):
    """An extent of a tensor."""

    _bits = 64

    @property
    def is_fake(self) -> bool:
        """Whether there is no value, because the function is not called to compute shapes."""
        return self._term is None

    @property
    def is_size_tensor(self) -> bool:
        """Whether the op computes this extent when it runs."""
        return isinstance(self._term, SizeTerm) or (
            isinstance(self._term, IDimensionExpr) and self._term.is_size_tensor()
        )


class SizeTensorShapeExpr(ShapeExpr):
    """The extent that a size tensor holds."""

    def __init__(self, size_tensor_desc: Any) -> None:
        self._term = size_tensor_desc._size

    @property
    def is_constant(self) -> bool:
        """False."""
        return False

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


def _wider(first: type, second: type) -> type[SymIntExpr]:
    """The class of an operation's result."""
    ranked = [kind for kind in (first, second) if issubclass(kind, SymIntExpr)]
    if any(issubclass(kind, ShapeExpr) for kind in ranked):
        return ShapeExpr
    return max(ranked, key=lambda kind: kind._bits)
