# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The environment variables that Kiln reads: values without effect, and misspelt names."""

import difflib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from kiln.cli.doctor.check import OK, PROBLEM, Check


def _switch(value: str) -> str:
    return "" if value in ("0", "1") else "expected 0 or 1"


def _count(value: str) -> str:
    right = value.isascii() and value.isdigit() and 0 < int(value) <= 1024
    return "" if right else "expected a number from 1 to 1024; it has no effect"


def _whole(value: str) -> str:
    right = value.isascii() and value.isdigit()
    return "" if right else "expected a whole number; it has no effect"


def _file(value: str) -> str:
    # A name without a folder is searched by the dynamic linker.
    return "" if "/" not in value or Path(value).is_file() else "expected a file, found none"


def _folder(value: str) -> str:
    return "" if Path(value).is_dir() else "expected a folder, found none"


def _program(value: str) -> str:
    return "" if shutil.which(value) else "expected a program, found none"


def _any(value: str) -> str:
    return ""


# What is wrong with a value, or nothing. The target's own check explains a wrong KILN_TARGET.
_KNOWN: "dict[str, Callable[[str], str]]" = {
    "KILN_TARGET": _any,
    "KILN_NUM_THREADS": _count,
    "KILN_SERVE_RETRIES": _whole,
    "KILN_ONEDNN": _folder,
    "KILN_CUDA_DRIVER": _file,
    "KILN_NVRTC": _file,
    "KILN_CUBLASLT": _file,
    "KILN_CUDNN": _file,
    "KILN_NCCL": _file,
    "KILN_PYTHON": _program,
    "KILN_PROGRESS": _switch,
    "KILN_GUARD": _switch,
    "KILN_SYNC": _switch,
    "KILN_VERIFY": _switch,
    "KILN_FUSION": _switch,
    "KILN_REWRITE": _switch,
    "KILN_KEEP_QUANTIZED": _switch,
    "KILN_CHECK_PASSES": _switch,
}
_PREFIX = "KILN_"
_SIMILAR = 0.75  # above it, a name is taken for a misspelt one; others belong to other programs


def examine() -> Iterator[Check]:
    """A line for each variable that is set, and for each name that looks like one of them."""
    group = "Environment variables"
    for name, value in sorted(os.environ.items()):
        if not name.upper().startswith(_PREFIX):
            continue
        if name in _KNOWN:
            wrong = _KNOWN[name](value) if value else ""
            text = f"'{value}': {wrong}" if wrong else value or "empty"
            yield Check(group, name, PROBLEM if wrong else OK, text, f"unset {name}" * bool(wrong))
            continue
        ends = [known.removeprefix(_PREFIX) for known in _KNOWN]
        near = difflib.get_close_matches(name.upper().removeprefix(_PREFIX), ends, 1, _SIMILAR)
        if near:
            meant = _PREFIX + near[0]
            text = f"Kiln does not read it; did you mean {meant}?"
            yield Check(group, name, PROBLEM, text, f'export {meant}="${name}"; unset {name}')
