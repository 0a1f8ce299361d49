# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Lists of symbolic expressions: shapes, and extra arguments of kernels."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from kiln._messages import coded
from kiln.plugin._expr import ShapeExpr, SymExpr, SymInt32, SymIntExpr, given

RANKS = range(9)


class SymExprs:
    """A fixed-length list of symbolic expressions.

    length: int. Elements are None until they are set; an int becomes a SymInt32.
    """

    _element: ClassVar[type[SymExpr]] = SymExpr
    _default: ClassVar[type[SymIntExpr]] = SymInt32
    _frozen = False

    def __init__(self, length: int) -> None:
        self._exprs: list[Any] = [None] * length

    @classmethod
    def _converted(cls, value: Any, index: int) -> Any:
        if isinstance(value, cls._element):
            return value
        try:
            return cls._default(given(value))
        except TypeError:
            raise coded(
                TypeError,
                f"[plugin] {cls.__name__}[{index}]: expected {cls._element.__name__} or int, got "
                f"{type(value).__name__}",
            ) from None

    @classmethod
    def from_tuple(cls, shape_exprs: Sequence[SymExpr | int]) -> "SymExprs":
        """A list of given elements. shape_exprs: tuple of expressions and ints."""
        exprs = cls(len(shape_exprs))
        exprs._exprs = [cls._converted(value, i) for i, value in enumerate(shape_exprs)]
        return exprs

    def __iter__(self) -> Iterator[Any]:
        return iter(tuple(self._exprs))

    def __len__(self) -> int:
        return len(self._exprs)

    def __getitem__(self, index: int) -> Any:
        return self._exprs[index]

    def __setitem__(self, index: int, expr: SymExpr | int) -> None:
        if self._frozen:
            raise coded(
                AttributeError,
                f"[plugin] {type(self).__name__}: expected a list of the function's own, got the "
                "one of an input or alias, which cannot be changed. Take inp.like() first.",
            )
        self._exprs[index] = self._converted(expr, index)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self._exprs))})"


class SymIntExprs(SymExprs):
    """A list of symbolic integers, such as the extra arguments of a kernel.

    length: int. Example: ``extra = trtp.SymIntExprs(1); extra[0] = trtp.SymInt32(n)``.
    """

    _element = SymIntExpr

    if TYPE_CHECKING:

        def __iter__(self) -> Iterator[SymIntExpr]: ...
        def __getitem__(self, index: int) -> SymIntExpr: ...

    @classmethod
    def from_tuple(  # type: ignore[override]
        cls, shape_exprs: Sequence[SymIntExpr | int]
    ) -> "SymIntExprs":
        """A list of given elements. shape_exprs: tuple of SymIntExpr and int."""
        return super().from_tuple(shape_exprs)  # type: ignore[return-value]


class ShapeExprs(SymExprs):
    """The shape of a tensor as expressions.

    length: int, the rank, at most 8. Elements are fake until they are set.
    """

    _element = ShapeExpr
    _default = ShapeExpr

    if TYPE_CHECKING:

        def __iter__(self) -> Iterator[ShapeExpr]: ...
        def __getitem__(self, index: int) -> ShapeExpr: ...

    def __init__(self, length: int, _is_dummy: bool = False) -> None:
        if length not in RANKS:
            raise coded(
                ValueError, f"[plugin] ShapeExprs: expected 0 to 8 dimensions, got {length}"
            )
        super().__init__(length)
        self._exprs = [ShapeExpr() for _ in range(length)]
        self._is_dummy = _is_dummy

    @classmethod
    def from_tuple(  # type: ignore[override]
        cls, shape_exprs: Sequence[ShapeExpr | int]
    ) -> "ShapeExprs":
        """A shape of given extents. shape_exprs: tuple of ShapeExpr and int."""
        return super().from_tuple(shape_exprs)  # type: ignore[return-value]

    def numel(self) -> ShapeExpr:
        """The number of elements as an expression."""
        product = ShapeExpr(1)
        for extent in self._exprs:
            product = product * extent
        return product


def shape_exprs_of(extents: Iterable[Any]) -> ShapeExprs:
    """A new ShapeExprs from extents of any kind."""
    return ShapeExprs.from_tuple(tuple(extents))
