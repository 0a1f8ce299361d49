# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Makes Triton compile for a GPU that is not present, and records what it compiles.

Triton asks its active driver which GPU to compile for. Without a GPU it finds no driver and
refuses. Two things, present in every Triton since 3.0, are replaced temporarily: the active driver,
by one that names the GPU, and the constructor of CompiledKernel, by one that records the object.
"""

import importlib
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from kiln._messages import coded

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType


class _BuildDriver:
    """The part of a Triton driver that compiling needs."""

    def __init__(self, gpu: Any) -> None:
        self._gpu = gpu

    def get_current_target(self) -> Any:
        return self._gpu

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: "int | None" = None) -> int:
        return 0

    def __getattr__(self, name: str) -> Any:
        raise coded(
            AttributeError,
            f"[aot] Triton asked its driver for '{name}': expected a kernel to be compiled, not "
            "run. An aot_impl may call triton.compile() or a kernel's warmup().",
        )


class ShownTriton:
    """Patches Triton while code for a GPU is compiled. Only one thread at a time may use it."""

    def __init__(self, architecture: str) -> None:
        self._number = int("".join(c for c in architecture if c.isdigit()))
        self._undo: list[Callable[[], None]] = []
        self._kernels: list[Any] = []
        self._finder: Any = None

    def start(self) -> None:
        """Patches Triton now, or as soon as it is imported."""
        if "triton" in sys.modules:
            self._change()
        else:
            self._finder = _Finder(self._change)
            sys.meta_path.insert(0, self._finder)

    def stop(self) -> None:
        """Restores Triton."""
        if self._finder is not None:
            sys.meta_path.remove(self._finder)
            self._finder = None
        while self._undo:
            self._undo.pop()()

    def cubin_of(self, ptx: bytes) -> "bytes | None":
        """The cubin that Triton made from this PTX; None if no recorded kernel has this PTX."""
        kernel = self._kernel_of("ptx", ptx)
        cubin = kernel.asm.get("cubin") if kernel is not None else None
        return cubin if isinstance(cubin, bytes) else None

    def check(self, image: bytes) -> None:
        """Raises RuntimeError for a kernel that needs scratch memory from Triton's launcher."""
        kernel = self._kernel_of("ptx", image) or self._kernel_of("cubin", image)
        for name in ("global_scratch_size", "profile_scratch_size"):
            size = getattr(kernel.metadata, name, 0) if kernel is not None else 0
            if size:
                raise coded(
                    RuntimeError,
                    f"[aot] Triton kernel '{kernel.metadata.name}': expected one without scratch "
                    f"memory ({name}), it wants {size} bytes. Compile it without tensor "
                    "descriptors that are made on the device, and without a profiler.",
                )

    def _kernel_of(self, kind: str, image: bytes) -> Any:
        for kernel in self._kernels:
            made = kernel.asm.get(kind)
            if image == (made.encode() if isinstance(made, str) else made):
                return kernel
        return None

    def _change(self) -> None:
        compiler = importlib.import_module("triton.compiler.compiler")
        config = importlib.import_module("triton.runtime.driver").driver
        target = importlib.import_module("triton.backends.compiler").GPUTarget
        before = dict(vars(config))

        def restore() -> None:
            vars(config).clear()
            vars(config).update(before)

        config.set_active(_BuildDriver(target("cuda", self._number, 32)))
        self._undo.append(restore)
        kernel_class = compiler.CompiledKernel
        construct = kernel_class.__init__
        kernels = self._kernels

        def remember(self: Any, *arguments: Any, **named: Any) -> None:
            construct(self, *arguments, **named)
            kernels.append(self)

        kernel_class.__init__ = remember
        self._undo.append(lambda: setattr(kernel_class, "__init__", construct))


class _Finder:
    """Calls back when Triton has been imported."""

    def __init__(self, imported: Callable[[], None]) -> None:
        self._imported = imported

    def find_spec(
        self, name: str, path: "Sequence[str] | None", target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        if name != "triton":
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = cast(Any, _Loader(spec.loader, self._imported))
                return spec
        return None


class _Loader:
    """Wraps a loader, and calls back after the module has run."""

    def __init__(self, loader: Any, loaded: Callable[[], None]) -> None:
        self._loader = loader
        self._loaded = loaded

    def create_module(self, spec: "ModuleSpec") -> "ModuleType | None":
        return self._loader.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: "ModuleType") -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._loaded()
