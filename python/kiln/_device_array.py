# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Arrays in the memory of the target, for programs that run on every target."""

import types
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kiln import _core
from kiln._core import DataType
from kiln._messages import coded

# The types that engines support, by NumPy's names; the last three are from the package ml_dtypes.
_TYPES = {
    "float32": DataType.FLOAT,
    "float16": DataType.HALF,
    "int8": DataType.INT8,
    "int32": DataType.INT32,
    "int64": DataType.INT64,
    "uint8": DataType.UINT8,
    "bool": DataType.BOOL,
    "bfloat16": DataType.BF16,
    "float8_e4m3fn": DataType.FP8,
    "float8_e8m0fnu": DataType.E8M0,
}
_NAMES = {kind: name for name, kind in _TYPES.items()}
_OF_ML_DTYPES = ("bfloat16", "float8_e4m3fn", "float8_e8m0fnu")


class DeviceArray:
    """An array in the memory of an engine's target: on the GPU, or on the host for the target cpu.

    Make one with ``DeviceArray(values)``, ``DeviceArray.empty(shape)`` or
    ``DeviceArray.zeros(shape)``, and pass it to execute_v2 and set_tensor_address. These check its
    type and size.

    values: a list, number or array, which is copied; not a tuple, which could be meant as a shape.
    dtype: a NumPy dtype or a DataType. The values are converted: rounding to a float type is fine,
    other losses are refused. Default: that of the values, but float32 for float64, which engines do
    not support. engine: the ICudaEngine on whose target the memory is. Default: the default target.

    ptr: int, the address; valid as long as this object. shape, dtype, nbytes, size, ndim: as in
    NumPy. type: the DataType. device: 'cpu' or 'cuda'. ``np.asarray`` (cpu), ``cupy.asarray``
    (cuda), ``torch.as_tensor(array, device=array.device)`` and ``from_dlpack`` of any library use
    it without a copy; wait for the engine's stream first.
    Raises TypeError for a type that engines do not support, ValueError for values that the type
    cannot hold, RuntimeError if there is not enough memory.
    Example: ``x, y = kiln.DeviceArray([-1, 2], "float32"), kiln.DeviceArray.empty(2)``, then
    ``context.execute_v2([x, y])`` and ``y.numpy()``.
    """

    def __init__(
        self,
        values: npt.ArrayLike,
        dtype: Any = None,
        *,
        engine: "_core.ICudaEngine | None" = None,
    ) -> None:
        if isinstance(values, tuple):
            raise coded(
                TypeError,
                "[array] values: expected a list, a number or an array, got a tuple, which could "
                f"be meant as a shape. Write DeviceArray.empty({values!r}) for memory of that "
                f"shape, or DeviceArray({list(values)!r}) for these values.",
            )
        array = np.asarray(values)
        wanted = _dtype_of(array.dtype if dtype is None else dtype, by_user=dtype is not None)
        self._make(array.shape, wanted, engine)
        self.set(array)

    def _make(
        self, shape: tuple[int, ...], dtype: "np.dtype[Any]", engine: "_core.ICudaEngine | None"
    ) -> None:
        self.shape, self.dtype, self.type = shape, dtype, _TYPES[dtype.name]
        self.ndim, self.size = len(shape), int(np.prod(shape, dtype=np.int64))
        self.nbytes = self.size * dtype.itemsize
        self._device = (
            _core._open_device(_core.default_target())
            if engine is None
            else _core._device_of(engine)
        )
        self.device = self._device.target
        self.ptr: int = self._device.allocate(self.nbytes)

    @classmethod
    def empty(
        cls,
        shape: "int | Sequence[int] | _core.Dims",
        dtype: Any = "float32",
        *,
        engine: "_core.ICudaEngine | None" = None,
    ) -> "DeviceArray":
        """An uninitialized array. shape: int or sequence of int, each 0 or more."""
        array = cls.__new__(cls)
        array._make(_shape_of(shape), _dtype_of(dtype), engine)
        return array

    @classmethod
    def zeros(
        cls,
        shape: "int | Sequence[int] | _core.Dims",
        dtype: Any = "float32",
        *,
        engine: "_core.ICudaEngine | None" = None,
    ) -> "DeviceArray":
        """An array of zeros. shape, dtype and engine: as in empty."""
        return cls.empty(shape, dtype, engine=engine).set(0)

    def set(self, values: npt.ArrayLike, stream: int = 0) -> "DeviceArray":
        """Copies values into the array, in the order of a stream, and waits.

        values: an array, list or number; it is broadcast, and converted as in the constructor.
        """
        array = np.broadcast_to(_converted(np.asarray(values), self.dtype), self.shape)
        array = np.ascontiguousarray(array)
        self._device.copy(self.ptr, array.ctypes.data, self.nbytes, True, stream)
        return self

    def numpy(self, stream: int = 0) -> npt.NDArray[Any]:
        """A copy of the values, made in the order of a stream."""
        values = np.empty(self.shape, self.dtype)
        self._device.copy(values.ctypes.data, self.ptr, self.nbytes, False, stream)
        return values

    def synchronize(self, stream: int = 0) -> None:
        """Waits for all work of a stream. Raises RuntimeError if some of it failed."""
        self._device.synchronize(stream)

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype.name}, device={self.device!r})"

    def __len__(self) -> int:
        if not self.shape:
            raise coded(
                TypeError,
                "[array] len: expected an array with a dimension, got one without. Ask for size.",
            )
        return self.shape[0]

    def __iter__(self) -> Any:
        raise coded(TypeError, "[array] expected no loop over a DeviceArray. Loop over .numpy().")

    def __del__(self) -> None:
        if hasattr(self, "ptr"):
            self._device.release(self.ptr)

    # The protocols of array libraries.

    def _buffer(self) -> "_core.Buffer":
        desc = types.SimpleNamespace(dims=self.shape, type=self.type)
        return _core.buffer(self.ptr, desc, device=self.device)

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self._buffer().__array_interface__

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self._buffer().__cuda_array_interface__

    def __array__(self, dtype: Any = None, *, copy: "bool | None" = None) -> npt.NDArray[Any]:
        if self.device != "cpu":
            raise coded(
                TypeError,
                "[array] expected host memory for NumPy, got memory of a GPU. Use .numpy(), which "
                "copies, or torch.as_tensor or cupy.asarray, which do not.",
            )
        if self.dtype.name in _OF_ML_DTYPES:
            array: npt.NDArray[Any] = self._buffer().__array__(dtype, copy=copy)
            return array
        view = np.asarray(self)
        if dtype is not None and np.dtype(dtype) != view.dtype:
            return view.astype(dtype)
        return view.copy() if copy else view

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._buffer().__dlpack_device__()

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: "tuple[int, int] | None" = None,
        dl_device: "tuple[int, int] | None" = None,
        copy: "bool | None" = None,
    ) -> Any:
        return _core._dlpack_of(self._buffer(), self, max_version, dl_device, copy)


def _dtype_of(dtype: Any, by_user: bool = True) -> "np.dtype[Any]":
    """The NumPy dtype in native byte order. float64 becomes float32 unless by_user."""
    if isinstance(dtype, DataType):
        name = _NAMES.get(dtype, dtype.name)
    else:
        named = isinstance(dtype, str) and dtype in _OF_ML_DTYPES
        name = dtype if named else np.dtype(dtype).name
    if name == "float64" and not by_user:
        name = "float32"
    if name not in _TYPES:
        raise coded(
            TypeError,
            f"[array] dtype: expected one that engines have ({', '.join(_TYPES)}), got {name}. "
            "Give one of these as dtype.",
        )
    if name not in _OF_ML_DTYPES:
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError as error:
        raise coded(
            TypeError, f"[array] dtype: expected one that NumPy has, got {name}. Install ml_dtypes."
        ) from error
    result: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return result


def _shape_of(shape: Any) -> tuple[int, ...]:
    extents = (shape,) if hasattr(shape, "__index__") and not hasattr(shape, "__len__") else shape
    found = tuple(extent.__index__() for extent in extents)
    if any(extent < 0 for extent in found):
        raise coded(
            ValueError,
            f"[array] shape: expected extents of 0 or more, got {found}. Set all input shapes "
            "first; where a plugin finds an extent out, give its upper bound.",
        )
    return found


def _converted(array: npt.NDArray[Any], dtype: "np.dtype[Any]") -> npt.NDArray[Any]:
    """The values in another type. Rounding to a float type is fine, other losses are refused."""
    if array.dtype == dtype:
        return array
    if array.dtype.kind in "OSUmMc":
        raise coded(
            TypeError,
            f"[array] values: expected numbers, got an array of {array.dtype}. Convert it first.",
        )
    with np.errstate(all="ignore"):
        result = array.astype(dtype)
        is_float = dtype.kind not in "iub"
        kept = np.isfinite(result) | ~np.isfinite(array) if is_float else result == array
    if not np.all(kept):
        wrong = array[~kept].ravel()[0] if array.ndim else array[()]
        raise coded(
            ValueError,
            f"[array] values: expected what {dtype.name} can hold, got {wrong}. "
            "Give another dtype.",
        )
    return result
