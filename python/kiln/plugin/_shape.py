# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Shapes as numbers."""

import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any, overload

from kiln._core import Dims, DynamicPluginTensorDesc, PluginTensorDesc
from kiln._messages import coded


class Shape:
    """The shape of a tensor as numbers; -1 for an extent that is not fixed or that the op computes.

    tensor_desc: tuple of int, PluginTensorDesc or DynamicPluginTensorDesc. Default: no dimensions.
    """

    def __init__(
        self,
        tensor_desc: "Sequence[int] | DynamicPluginTensorDesc | PluginTensorDesc | None" = None,
    ) -> None:
        self._range: DynamicPluginTensorDesc | None = None
        self._frozen = True
        if isinstance(tensor_desc, DynamicPluginTensorDesc):
            self._range = tensor_desc
            self._extents = list(tensor_desc.desc.dims)
        elif isinstance(tensor_desc, PluginTensorDesc):
            self._extents = list(tensor_desc.dims)
        else:
            self._extents = _extents_of(tensor_desc)
            self._frozen = False

    @property
    def is_dynamic(self) -> bool:
        """Whether an extent is not fixed."""
        return any(extent < 0 for extent in self._extents)

    def _bound(self, name: str) -> tuple[int, ...]:
        if not self.is_dynamic:
            return tuple(self._extents)
        if self._range is None:
            raise coded(
                ValueError,
                f"[plugin] Shape.{name}: expected fixed extents, or the shape of a configuration "
                f"that is tried, got {self}",
            )
        return tuple(getattr(self._range, name))

    @property
    def opt(self) -> tuple[int, ...]:
        """The extents that the engine is tuned for; the shape itself if it is fixed."""
        return self._bound("opt")

    @property
    def min(self) -> tuple[int, ...]:
        """The smallest extents; the shape itself if it is fixed."""
        return self._bound("min")

    @property
    def max(self) -> tuple[int, ...]:
        """The largest extents; the shape itself if it is fixed."""
        return self._bound("max")

    def numel(self) -> int:
        """The number of elements. Raises ValueError if an extent is not fixed."""
        if self.is_dynamic:
            raise coded(
                ValueError,
                f"[plugin] Shape.numel: expected fixed extents, got {self}. Ask is_dynamic first, "
                "and use opt, min or max.",
            )
        return math.prod(self._extents)

    def __iter__(self) -> Iterator[int]:
        return iter(tuple(self._extents))

    def __len__(self) -> int:
        return len(self._extents)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[int, ...]: ...
    def __getitem__(self, index: int | slice) -> int | tuple[int, ...]:
        found = self._extents[index]
        return tuple(found) if isinstance(found, list) else found

    def __setitem__(self, index: int, val: int) -> None:
        if self._frozen:
            raise coded(
                AttributeError,
                f"[plugin] Shape: expected a shape made of a tuple, got that of a tensor, {self}, "
                "which cannot be changed. Take trtp.Shape(tuple(shape)) first.",
            )
        self._extents[index] = operator.index(val)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Shape | tuple | list | Dims):
            return self._extents == list(other)
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return f"Shape{tuple(self._extents)}"

    __repr__ = __str__


ShapeLike = Shape | Sequence[int] | PluginTensorDesc | DynamicPluginTensorDesc


def _extents_of(value: Any) -> list[int]:
    try:
        return [] if value is None else [operator.index(extent) for extent in value]
    except TypeError:
        raise coded(
            TypeError,
            f"[plugin] Shape: expected a tuple of int, a PluginTensorDesc or a "
            f"DynamicPluginTensorDesc, got {value!r}",
        ) from None


def shape_of(value: ShapeLike) -> Shape:
    """The Shape itself, or a new one made of the value."""
    return value if isinstance(value, Shape) else Shape(value)
