# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Times of layers: a run of trtexec in a process of its own, or a profile that it wrote before.

A process of its own, because plugins may crash, and because trtexec makes up inputs for every
engine on every target.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import kiln
from kiln._messages import coded

_LIMIT_SECONDS = 600
_ALLOWED = {"host_code": "--allowHostCode", "python_source": "--allowPythonSource"}


class RunFailed(RuntimeError):
    """The engine could not be run; the text says what trtexec said."""


def run(
    plan: str,
    plugins: "tuple[str, ...] | list[str]",
    iterations: int,
    shapes: str,
    allow: "tuple[str, ...] | list[str]",
) -> dict[str, Any]:
    """Runs a plan and returns the entry "run" of a report. Raises RunFailed."""
    program = Path(kiln.__file__).absolute().parent / "bin" / "trtexec"
    with tempfile.TemporaryDirectory(prefix="kiln-report-") as folder:
        profile = os.path.join(folder, "profile.json")
        times = os.path.join(folder, "times.json")
        command = [
            str(program),
            f"--loadEngine={plan}",
            f"--iterations={iterations}",
            "--duration=0",
            "--warmUp=50",
            "--separateProfileRun",
            f"--exportProfile={profile}",
            f"--exportTimes={times}",
            *([f"--shapes={shapes}"] if shapes else []),
            *(f"--plugins={plugin}" for plugin in plugins),
            *(_ALLOWED[word] for word in allow),
        ]
        try:
            done = subprocess.run(
                command,
                env={"KILN_PYTHON": sys.executable, **os.environ},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_LIMIT_SECONDS,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise coded(RunFailed, f"[report] cannot run '{program}': {error}") from error
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if "[E]" in line]
            reason = "\n".join(lines[-5:]) or f"exit code {done.returncode}"
            raise coded(RunFailed, f"[report] the engine could not be run:\n{reason}")
        return from_profile(profile, times)


def from_profile(
    path: "str | os.PathLike[str]", times: "str | os.PathLike[str] | None" = None
) -> dict[str, Any]:
    """The entry "run" from a file that trtexec's ``--exportProfile`` wrote.

    times: a file of ``--exportTimes``, for the time of a whole run. Raises ValueError if a file is
    something else.
    """
    whole = None
    try:
        count, *layers = json.loads(Path(path).read_text())
        if times is not None:
            whole = statistics.median(
                float(entry["computeMs"]) for entry in json.loads(Path(times).read_text())
            )
        return {
            "iterations": int(count["count"]),
            "whole_microseconds": None if whole is None else whole * 1e3,
            "layers": [
                {
                    "name": str(layer["name"]),
                    "microseconds": float(layer["medianMs"]) * 1e3,
                    "mean_microseconds": float(layer["averageMs"]) * 1e3,
                }
                for layer in layers
            ],
        }
    except (ValueError, KeyError, TypeError) as error:
        raise coded(
            ValueError,
            f"[report] expected files that trtexec --exportProfile and --exportTimes wrote, got "
            f"'{path}'{'' if times is None else f' and {times!r}'}: {error!r}",
        ) from error


def assign(report: dict[str, Any]) -> None:
    """Gives each layer its time: the median of the run."""
    times = {layer["name"]: layer["microseconds"] for layer in report["run"]["layers"]}
    for layer in report["layers"]:
        layer["microseconds"] = times.get(layer["name"])
