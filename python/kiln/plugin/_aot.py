# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The return value of an aot_impl: code that an op compiles when the engine is built."""

import ctypes
import json
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from kiln import _core
from kiln._messages import coded
from kiln.plugin._expr import SymInt32, SymIntExpr, given
from kiln.plugin._exprs import SymExprs
from kiln.plugin._launch import KernelLaunchParams


class SymInt64(SymIntExpr):
    """A symbolic integer of 64 bits, for kernels that take one."""


class Float32(NamedTuple):
    """A float argument of a kernel."""

    value: float


class Float64(NamedTuple):
    """A double argument of a kernel."""

    value: float


Argument = SymIntExpr | Float32 | Float64
_CTYPES: dict[type, type] = {
    ctypes.c_float: Float32,
    ctypes.c_double: Float64,
    ctypes.c_int32: SymInt32,
    ctypes.c_int64: SymInt64,
}


def _argument(value: Any, where: str) -> Argument:
    if isinstance(value, Argument):
        return value
    if type(value) in _CTYPES:
        kind_of: Any = _CTYPES[type(value)]
        return cast(Argument, kind_of(value.value))
    kind = type(value).__name__
    if kind == "float64" or kind == "float32":
        return (Float64 if kind == "float64" else Float32)(float(value))
    if isinstance(value, float):
        return Float32(value)
    try:
        return SymInt32(given(value))
    except TypeError:
        raise coded(
            TypeError,
            f"[plugin] {where}: expected an int, a float, a symbolic integer, kiln.Float32 or "
            f"kiln.Float64, got {kind}",
        ) from None


def _images(code: Any, where: str) -> list[bytes]:
    """Code as bytes, one element for each image."""
    parts = list(code) if isinstance(code, list | tuple) else [code]
    images = []
    for part in parts:
        if isinstance(part, str):
            part = part.encode()
        if not isinstance(part, bytes | bytearray | memoryview):
            raise coded(
                TypeError,
                f"[plugin] {where}, code: expected PTX as str, or PTX, a cubin or an ELF object as "
                f"bytes, got {type(part).__name__}",
            )
        images.append(bytes(part))
    if not images or not all(images):
        raise coded(
            ValueError, f"[plugin] {where}, code: expected PTX, a cubin or an ELF object, got none"
        )
    return images


class Kernel:
    """One kernel of an op that is compiled ahead of time; an aot_impl may return a list of them.

    name: str, the entry point. code: PTX as str; PTX, a cubin or an ELF object as bytes; or a list
    of these for the same kernel, such as a cubin and the PTX that it was assembled from.
    launch_params: trtp.KernelLaunchParams. Default: all 1, shared_mem 0.
    extra_args: what the kernel takes between inputs and outputs: int or SymInt32 (32 bits),
    SymInt8, SymInt16, kiln.SymInt64, float or kiln.Float32, kiln.Float64. Default: none.
    """

    def __init__(
        self,
        name: str,
        code: "str | bytes | Sequence[str | bytes]",
        launch_params: KernelLaunchParams | None = None,
        extra_args: "SymExprs | Sequence[Any]" = (),
    ) -> None:
        if isinstance(name, bytes):
            name = name.decode()
        if not isinstance(name, str) or not name:
            raise coded(
                TypeError, f"[plugin] Kernel: expected the name of an entry point, got {name!r}"
            )
        where = f"kernel '{name}'"
        if launch_params is not None and not isinstance(launch_params, KernelLaunchParams):
            raise coded(
                TypeError,
                f"[plugin] {where}: expected KernelLaunchParams, "
                f"got {type(launch_params).__name__}",
            )
        self.name = name
        self.images = _images(code, where)
        self.launch_params = launch_params or KernelLaunchParams()
        self.extra_args = [
            _argument(value, f"{where}, extra argument {i}") for i, value in enumerate(extra_args)
        ]


def kernels_of(result: Any, where: str) -> list[Kernel]:
    """What an aot_impl returned, as kernels in the order of their launch."""
    if isinstance(result, Kernel):
        return [result]
    if isinstance(result, tuple) and len(result) == 4 and not isinstance(result[0], Kernel):
        name, code, launch, extra = result
        if not isinstance(launch, KernelLaunchParams):
            raise coded(
                TypeError,
                f"[plugin] {where}: expected KernelLaunchParams after the code, got "
                f"{type(launch).__name__}",
            )
        if not isinstance(extra, SymExprs | list | tuple):
            raise coded(
                TypeError,
                f"[plugin] {where}: expected SymExprs as the extra arguments, got "
                f"{type(extra).__name__}",
            )
        return [Kernel(name, code, launch, extra)]
    kernels = list(result) if isinstance(result, list | tuple) else []
    if not kernels or not all(isinstance(kernel, Kernel) for kernel in kernels):
        raise coded(
            TypeError,
            f"[plugin] {where}: expected (name, code, KernelLaunchParams, SymExprs) or a list of "
            f"kiln.Kernel, got {type(result).__name__}",
        )
    return kernels


class BuildTarget(NamedTuple):
    """The target and architecture to compile code for."""

    target: str  # "cpu" or "cuda"
    architecture: str  # "x86-64", "sm_90", ...; "" if it is not known yet

    @property
    def compute_capability(self) -> tuple[int, int] | None:
        """As (9, 0) for sm_90; None for cpu."""
        digits = "".join(filter(str.isdigit, self.architecture.partition("_")[2]))
        if self.target != "cuda" or not digits:
            return None
        return int(digits[:-1] or 0), int(digits[-1])


def build_target() -> BuildTarget:
    """The target to compile code for: inside an aot_impl, target and architecture of this call.

    Elsewhere: the default target. Returns an object with target ("cpu" or "cuda"), architecture
    ("x86-64", "sm_90", ...) and compute_capability ((9, 0), None for cpu).
    """
    target, _, architecture = (_core._build_target() or _core.default_target()).partition(":")
    if target == "cuda" and not architecture:  # use that of this machine's GPU
        described = json.loads(_core._describe_target(target))
        architecture = "+".join(described.get("architectures", []))
    return BuildTarget(target, architecture)
