# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The context in which an aot_impl compiles code for an engine."""

import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from kiln._messages import coded
from kiln.aot._c import link
from kiln.aot._ptxas import cubin_for
from kiln.aot._triton import ShownTriton

_ELF = b"\x7fELF"
_TARGET = re.compile(rb"^\s*\.target\s+sm_(\d+)", re.MULTILINE)
_RELOCATABLE = b"\x01\x00"
_lock = threading.RLock()  # all threads share Triton


class Compilation:
    """Completes the code that an aot_impl returned for one target and architecture."""

    def __init__(self, target: str, architecture: str, triton: "ShownTriton | None") -> None:
        self._target = target
        self._architecture = architecture
        self._triton = triton

    def completed(self, images: Sequence[bytes]) -> list[bytes]:
        """The images of one kernel, with a cubin added to PTX, and with objects linked.

        images: PTX, a cubin, both; or an object or a shared object for the CPU. Other bytes stay
        unchanged; they are checked when the network is built. Raises RuntimeError for invalid PTX
        or objects.
        """
        if self._target == "cpu":
            return [link(image) if _is_object(image) else image for image in images]
        for image in images:
            if self._triton is not None:
                self._triton.check(image)
        return [*images, *(cubin for cubin in self._cubins(images) if cubin is not None)]

    def _cubins(self, images: Sequence[bytes]) -> "Iterator[bytes | None]":
        if any(image.startswith(_ELF) for image in images):
            return
        for image in images:
            if b".version" in image and not _is_for_later(image, self._architecture):
                cubin = self._triton.cubin_of(image) if self._triton is not None else None
                yield cubin if cubin is not None else cubin_for(image, self._architecture)


def _is_for_later(ptx: bytes, architecture: str) -> bool:
    """Whether PTX is for a later GPU. Such PTX is not assembled; the build reports it."""
    found = _TARGET.search(ptx)
    number = "".join(filter(str.isdigit, architecture))
    return found is not None and number != "" and int(found[1]) > int(number)


def _is_object(image: bytes) -> bool:
    return image.startswith(_ELF) and image[16:18] == _RELOCATABLE


@contextmanager
def aot_compilation(target: str, architecture: str) -> Iterator[Compilation]:
    """The context of a call of an aot_impl.

    target: 'cpu' or 'cuda'. architecture: 'x86-64', 'sm_90'. Inside, for a GPU, Triton compiles for
    that GPU; on exit it is restored. Yields the object that completes the code.
    """
    if target != "cuda":
        try:
            yield Compilation(target, architecture, None)
        except Exception as error:
            if _came_from_triton(error):
                raise coded(
                    RuntimeError,
                    f"[aot] expected code for the target {target}, got a call of Triton, which "
                    "compiles for GPUs. Build for cuda:sm_90 or its like, or give code for "
                    f"{target} where kiln.build_target() says so.",
                ) from error
            raise
        return
    with _lock:
        triton = ShownTriton(architecture)
        triton.start()
        try:
            yield Compilation(target, architecture, triton)
        except Exception as error:
            if _interpreting() and _came_from_triton(error):
                raise coded(
                    RuntimeError,
                    "[aot] Triton compiles nothing under TRITON_INTERPRET=1. Run builds of "
                    "ahead-of-time code in a process of their own, without that variable.",
                ) from error
            raise
        finally:
            triton.stop()


def _interpreting() -> bool:
    return "triton" in sys.modules and os.environ.get("TRITON_INTERPRET", "0").lower() in (
        "1",
        "true",
        "on",
        "yes",
        "y",
    )


def _came_from_triton(error: BaseException) -> bool:
    traceback = error.__traceback__
    while traceback is not None:
        if str(traceback.tb_frame.f_globals.get("__name__", "")).startswith("triton"):
            return True
        traceback = traceback.tb_next
    return False
