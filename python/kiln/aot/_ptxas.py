# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Assembles PTX for a GPU with NVIDIA's assembler, if one is installed."""

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

from kiln._messages import coded
from kiln.aot import _nvjitlink

_TARGET = re.compile(r"^\s*\.target\s+sm_(\d+[af])\b", re.MULTILINE)
_TOO_NEW = re.compile(r"Unsupported \.version|unsupported ptx version|is not defined for option")


def assemblers() -> Iterator[str]:
    """Where ptxas may be, in order: PTXAS, PATH, a CUDA toolkit, a wheel, Triton's own."""
    if named := os.environ.get("PTXAS"):
        yield named
    if found := shutil.which("ptxas"):
        yield found
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if root := os.environ.get(variable):
            yield str(Path(root) / "bin" / "ptxas")
    for package, places in (
        ("nvidia", ["cu13/bin/ptxas", "cuda_nvcc/bin/ptxas"]),
        ("triton", ["backends/nvidia/bin/ptxas", "backends/nvidia/bin/ptxas-blackwell"]),
    ):
        spec = importlib.util.find_spec(package)  # runs none of its code
        for root in (spec.submodule_search_locations or []) if spec else []:
            yield from (str(Path(root) / place) for place in places)


def cubin_for(ptx: "str | bytes", architecture: "str | None" = None) -> "bytes | None":
    """Assembles PTX to a cubin. Returns None, with a warning, if no assembler supports the PTX.

    ptx: the text. architecture: 'sm_90'; PTX for a variant of it, such as sm_90a, is assembled for
    the variant. Default: that of kiln.build_target(). Raises ValueError if that is not exactly one
    architecture of a GPU, and RuntimeError, with the assembler's output, for invalid PTX.
    """
    architecture = architecture or _built_for()
    text = ptx.encode() if isinstance(ptx, str) else bytes(ptx)
    exact = _TARGET.search(text.decode(errors="replace"))
    number = architecture.removeprefix("sm_")
    if exact and exact.group(1)[:-1] == number:
        architecture = "sm_" + exact.group(1)
    text = text.rstrip(b"\0")
    refusals = []
    for name, assemble in _tools():
        cubin, words = assemble(name, text, architecture)
        if cubin is not None:
            return cubin
        if not _TOO_NEW.search(words):
            raise coded(
                RuntimeError,
                f"[aot] PTX for {architecture}: expected code that ptxas takes, got\n{words}",
            )
        refusals.append(f"{name}: {words}")
    reason = "; ".join(refusals) or "there is none"
    warnings.warn(
        f"[aot] PTX for {architecture}: expected a ptxas or nvJitLink that takes it ({reason}). "
        "The plan keeps the PTX alone, which the driver compiles when the plan is opened, if it is "
        "new enough. Install nvidia-cuda-nvcc or a CUDA toolkit.",
        RuntimeWarning,
        stacklevel=2,
    )
    return None


def _built_for() -> str:
    target = importlib.import_module("kiln.plugin._aot").build_target()
    if target.compute_capability is None or "+" in target.architecture:
        raise coded(
            ValueError,
            "[aot] cubin_for: expected one architecture of a GPU to be built for, got "
            f"{target.architecture or 'none'}. Pass it, as in cubin_for(ptx, 'sm_90').",
        )
    return str(target.architecture)


def _tools() -> "Iterator[tuple[str, Callable[[str, bytes, str], tuple[bytes | None, str]]]]":
    """The assemblers that are installed, each with the function that calls it."""
    for program in dict.fromkeys(assemblers()):
        if os.access(program, os.X_OK):
            yield program, _assemble
    for library in _nvjitlink.libraries():
        yield library, _nvjitlink.assemble


def _assemble(program: str, ptx: bytes, architecture: str) -> "tuple[bytes | None, str]":
    """The cubin, or None and the reason. File names are fixed because the output contains them."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "kernel.ptx").write_bytes(ptx)
        command = [program, "-arch", architecture, "kernel.ptx", "-o", "kernel.cubin"]
        made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        cubin = Path(folder) / "kernel.cubin"
        if made.returncode == 0 and cubin.exists():
            return cubin.read_bytes(), ""
        return None, (made.stderr or made.stdout).strip()
