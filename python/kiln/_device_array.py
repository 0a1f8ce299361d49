# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrays in the memory of the target, for programs that run on either of them."""

from typing import Any, cast

import numpy as np
import numpy.typing as npt

from kiln import _core


class DeviceArray:
    """An array where an engine works: on the GPU, or on the host for the target cpu.

    array: what is copied there; or a shape, for memory that is not set. dtype: of a shape's
    elements, or what the values are converted to. Default: float32 for a shape. engine: the
    ICudaEngine that it is for, which may come from a plan for another target. Default: any of the
    default target.

    ptr: int, the address, for set_tensor_address; valid as long as this object. shape, dtype,
    nbytes: as NumPy has them. Programs that use PyTorch or CuPy anyway take their arrays instead.
    Raises RuntimeError when there is not enough memory.
    Example: ``y = kiln.DeviceArray((2, 3)); context.set_tensor_address("y", y.ptr)``, a run, then
    ``y.numpy()``.
    """

    def __init__(
        self,
        array: "npt.ArrayLike | tuple[int, ...]",
        dtype: Any = None,
        *,
        engine: "_core.ICudaEngine | None" = None,
    ) -> None:
        is_shape = isinstance(array, tuple) and all(type(extent) is int for extent in array)
        values = None if is_shape else np.asarray(array, dtype, order="C")
        self.shape = cast("tuple[int, ...]", array) if values is None else values.shape
        self.dtype = np.dtype(dtype or np.float32) if values is None else values.dtype
        self.nbytes = int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize
        self._device = (
            _core._open_device(_core.default_target())
            if engine is None
            else _core._device_of(engine)
        )
        self.ptr: int = self._device.allocate(self.nbytes)
        if values is not None:
            self.set(values)

    def set(self, array: npt.ArrayLike, stream: int = 0) -> "DeviceArray":
        """Copies values of the same shape there, in the order of a stream, and waits."""
        values = np.ascontiguousarray(np.broadcast_to(array, self.shape), self.dtype)
        self._device.copy(self.ptr, values.ctypes.data, self.nbytes, True, stream)
        return self

    def numpy(self, stream: int = 0) -> npt.NDArray[Any]:
        """A copy of the values, taken in the order of a stream."""
        values = np.empty(self.shape, self.dtype)
        self._device.copy(values.ctypes.data, self.ptr, self.nbytes, False, stream)
        return values

    def synchronize(self, stream: int = 0) -> None:
        """Waits for all work of a stream. Raises RuntimeError if some of it failed."""
        self._device.synchronize(stream)

    def __del__(self) -> None:
        if hasattr(self, "ptr"):
            self._device.release(self.ptr)
