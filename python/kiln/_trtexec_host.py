# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs trtexec inside this interpreter, so that its plugins can be Python files.

The program ``trtexec`` starts an interpreter, inside its process or in its place, which calls
:func:`main`. main calls trtexec's library, which calls back for each ``.py`` file.
"""

import ctypes
import os
import signal
import sys
import traceback
from collections.abc import Callable
from typing import Any

import kiln
from kiln._messages import coded
from kiln._plugin_files import load_plugin_file

Say = Callable[[int, bytes], None]

_ERROR = 1
_INFO = 3
_SAY = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p)
_LOAD = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, _SAY)
_TAKE = ctypes.CFUNCTYPE(
    None,
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_size_t,
    ctypes.POINTER(ctypes.c_char_p),
    ctypes.c_int,
)
_EMBED = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, _TAKE, ctypes.c_void_p, _SAY)


class _Python(ctypes.Structure):
    """Trtexec's callbacks for Python files."""

    _fields_ = (("load", _LOAD), ("embed", _EMBED))


def main(library: str, title: str, arguments: list[str]) -> int:
    """Runs trtexec and returns its exit code.

    library: path of trtexec's library. title: the text of its status lines. arguments: those of
    trtexec, without the program's name.
    """
    try:
        # Otherwise Ctrl-C would wait for the end of the run: Python defers signal handlers.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
        kiln.install_as_tensorrt()
        program = ctypes.CDLL(library)
        check_one_library()
    except Exception:
        traceback.print_exc()
        print(f"&&&& FAILED {title}", flush=True)
        return 1
    words = [b"trtexec", *map(os.fsencode, arguments)]
    argv = (ctypes.c_char_p * (len(words) + 1))(*words, None)
    python = _Python(_LOAD(_load), _EMBED(_embed))
    return int(program.kilnTrtexecHosted(len(words), argv, ctypes.byref(python)))


def check_one_library() -> None:
    """Raises RuntimeError if two copies of libkiln, with two registries, are loaded."""
    with open("/proc/self/maps") as maps:
        fields = [line.split(maxsplit=5) for line in maps]
    files = {f[5].strip() for f in fields if len(f) == 6 and "/libkiln.so" in f[5]}
    if len(files) > 1:
        raise coded(
            RuntimeError,
            f"[python] expected one libkiln.so in the process, got {', '.join(sorted(files))}: "
            "trtexec and the package kiln come from different installations. "
            "Set KILN_PYTHON to the interpreter that trtexec was installed with.",
        )


def _load(path: bytes, say: Any) -> int:
    """Trtexec's callback for a Python file; returns 0 if its creators are registered."""
    try:
        load_plugin_file(os.fsdecode(path), lambda severity, text: say(severity, text.encode()))
    except BaseException:  # SystemExit too: no exception may reach the C++ caller
        say(_ERROR, f"[plugins] {os.fsdecode(path)}:\n{traceback.format_exc()}".encode())
        return 1
    return 0


def _embed(path: bytes, take: Any, context: Any, say: Any) -> int:
    """Trtexec's callback for a Python file to embed; returns 0 if it was passed to take."""
    from kiln import _python_source

    try:
        name, text, plugins = _python_source.source_of(os.fsdecode(path))
        names = [word.encode() for plugin in plugins for word in plugin]
        array = (ctypes.c_char_p * len(names))(*names)
        take(context, name.encode(), text, len(text), array, len(plugins))
    except ValueError as error:
        say(_ERROR, str(error).encode())
        return 1
    except BaseException:
        say(_ERROR, f"[plugins] {os.fsdecode(path)}:\n{traceback.format_exc()}".encode())
        return 1
    return 0
