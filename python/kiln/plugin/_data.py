# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensors with data, as an impl gets them."""

from collections.abc import Sequence
from typing import Any

from kiln._core import Dims, _PluginTensor
from kiln.plugin._shape import Shape, ShapeLike, shape_of


class Tensor(_PluginTensor):
    """A tensor with data, for NumPy, PyTorch, CuPy and others to take without copying.

    ``np.asarray(tensor)`` works on the cpu target, ``cupy.asarray(tensor)`` on cuda,
    ``torch.as_tensor(tensor, device=tensor.device)`` and from_dlpack on both. Valid while the impl
    runs that got it.
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(type(self), name):
            raise AttributeError(
                "[plugin] Tensor: expected one of data_ptr, dtype, format, scale, shape and "
                f"strides to be set, got {name}"
            )
        super().__setattr__(name, value)

    @property
    def shape(self) -> Shape:
        """The shape; -1 where the op finds the extent out (see is_data_dependent)."""
        shape = self._shape
        if shape is None:
            shape = self._shape = Shape(self._desc)
        return shape  # type: ignore[no-any-return]

    @shape.setter
    def shape(self, value: Shape | Sequence[int]) -> None:
        self._dims = Dims(tuple(value))

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def is_data_dependent(self) -> bool:
        """Whether the op finds an extent out: take aliased(shape) to write to it."""
        return self.shape.is_dynamic

    def numel(self) -> int:
        """The number of elements. Raises ValueError if is_data_dependent."""
        return self.shape.numel()

    @property
    def is_aliased(self) -> bool:
        """Whether this was made by aliased()."""
        return self._aliased is not None

    def get_aliased(self) -> "Tensor | None":
        """The tensor that this one was made of by aliased(), None if it was not."""
        return self._aliased  # type: ignore[no-any-return]

    def aliased(self, shape: ShapeLike | None = None) -> "Tensor":
        """A tensor over the same memory.

        shape: Shape, tuple of int or PluginTensorDesc, of the same number of elements; any for a
        tensor that is_data_dependent. Default: the same shape.
        Raises ValueError if the number of elements is another, or the shape is none.
        """
        alias = Tensor()
        alias._take(self)
        if shape is not None:
            try:
                wanted = shape_of(shape)
            except TypeError as error:
                raise ValueError(str(error)) from error
            if wanted.is_dynamic:
                raise ValueError(f"[plugin] Tensor.aliased: expected fixed extents, got {wanted}")
            if not self.is_data_dependent and wanted.numel() != self.numel():
                raise ValueError(
                    f"[plugin] Tensor.aliased: expected {self.numel()} elements as in "
                    f"{self.shape}, got {wanted.numel()} in {wanted}"
                )
            alias.shape = wanted
        return alias
