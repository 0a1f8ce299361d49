# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Tracebacks for users: their own frames, without those of Kiln's Python code."""

import os
import traceback

_FOLDER = os.path.dirname(os.path.abspath(__file__)) + os.sep


def format_exception(error: BaseException) -> list[str]:
    """Like traceback.format_exception, without Kiln's frames.

    The frames stay if the exception was raised by Kiln's code and is not one of Kiln's messages:
    then only they show what happened.
    """
    shown = traceback.TracebackException.from_exception(error)
    _hide(shown, set())
    return list(shown.format())


def _hide(shown: "traceback.TracebackException | None", seen: set[int]) -> None:
    if shown is None or id(shown) in seen:
        return
    seen.add(id(shown))
    frames = list(shown.stack)
    is_message = str(shown).startswith("[")
    if frames and (is_message or not _is_own(frames[-1])):
        shown.stack = traceback.StackSummary.from_list([f for f in frames if not _is_own(f)])
    _hide(shown.__cause__, seen)
    _hide(shown.__context__, seen)


def _is_own(frame: traceback.FrameSummary) -> bool:
    return os.path.abspath(frame.filename).startswith(_FOLDER)
