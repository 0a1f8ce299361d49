# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Ray Serve starts this in the place of HAProxy: it changes the configuration and becomes HAProxy.

    python haproxy_start.py SETTINGS ARGUMENT...

SETTINGS is a JSON file: ``binary``, HAProxy's program; ``edits``, regular expressions for lines of
the configuration with what takes their place. The arguments are those of HAProxy. Needs nothing
but Python's own modules, which load fast.
"""

import ctypes
import itertools
import json
import os
import re
import signal
import sys

_PR_SET_PDEATHSIG = 1


def edited(text: str, edits: "list[tuple[str, str]]") -> str:
    """The configuration with its changes."""
    for pattern, replacement in edits:
        text = re.sub(pattern, replacement, text, flags=re.MULTILINE)
    return text


def end_with_parent() -> None:
    """Lets HAProxy end when the process of Ray that started it ends in any way.

    It would go on otherwise, and keep the port.
    """
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:  # it ended before
        sys.exit(1)


def main(settings: str, *arguments: str) -> None:
    """Does not return."""
    with open(settings, encoding="utf-8") as file:
        said = json.load(file)
    for before, path in itertools.pairwise(arguments):
        if before == "-f":
            with open(path, encoding="utf-8") as file:
                text = edited(file.read(), said["edits"])
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    end_with_parent()
    os.execv(said["binary"], [said["binary"], *arguments])


if __name__ == "__main__":
    main(*sys.argv[1:])
