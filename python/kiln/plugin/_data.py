# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensors with data, as an impl receives them."""

from collections.abc import Sequence
from typing import Any

from kiln._core import Dims, _PluginTensor
from kiln._messages import coded
from kiln._repr import dtype as name_of_type
from kiln.plugin._shape import Shape, ShapeLike, shape_of


class Tensor(_PluginTensor):
    """A tensor with data, which NumPy, PyTorch, CuPy and others can use without a copy.

    ``np.asarray(tensor)`` works on the cpu target, ``cupy.asarray(tensor)`` on cuda,
    ``torch.as_tensor(tensor, device=tensor.device)`` and from_dlpack on both. Valid only while the
    impl that received it runs.
    """

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__()

    def __setattr__(self, name: str, value: Any) -> None:
        if not hasattr(type(self), name):
            raise coded(
                AttributeError,
                "[plugin] Tensor: expected one of data_ptr, dtype, format, scale, shape and "
                f"strides to be set, got {name}",
            )
        super().__setattr__(name, value)

    def __repr__(self) -> str:
        return f"<Tensor: {name_of_type(self.dtype)} {tuple(self.shape)} on {self.device}>"

    @property
    def shape(self) -> Shape:
        """The shape; -1 for an extent that the op computes (see is_data_dependent)."""
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
        """Whether the op computes an extent. Use aliased(shape) to write to the tensor."""
        return self.shape.is_dynamic

    def numel(self) -> int:
        """The number of elements. Raises ValueError if is_data_dependent."""
        return self.shape.numel()

    @property
    def is_aliased(self) -> bool:
        """Whether this was made by aliased()."""
        return self._aliased is not None

    def get_aliased(self) -> "Tensor | None":
        """The tensor whose aliased() made this one, None if there is none."""
        return self._aliased  # type: ignore[no-any-return]

    def aliased(self, shape: ShapeLike | None = None) -> "Tensor":
        """A tensor over the same memory.

        shape: Shape, tuple of int or PluginTensorDesc, with the same number of elements; any number
        if is_data_dependent. Default: the same shape.
        Raises ValueError if the number of elements differs, or for anything but a fixed shape.
        """
        alias = Tensor()
        alias._take(self)
        if shape is not None:
            try:
                wanted = shape_of(shape)
            except TypeError as error:
                raise ValueError(str(error)) from error
            if wanted.is_dynamic:
                raise coded(
                    ValueError, f"[plugin] Tensor.aliased: expected fixed extents, got {wanted}"
                )
            if not self.is_data_dependent and wanted.numel() != self.numel():
                raise coded(
                    ValueError,
                    f"[plugin] Tensor.aliased: expected {self.numel()} elements as in "
                    f"{self.shape}, got {wanted.numel()} in {wanted}",
                )
            alias.shape = wanted
        return alias
