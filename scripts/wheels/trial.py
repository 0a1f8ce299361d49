# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Installs wheels into an empty environment without a compiler, tries and measures them."""

import os
import statistics
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from make import TREE, run
from pythons import Python

IMPORTS = 20
MOST_MB = 30  # of installed files, without oneDNN
MOST_IMPORT_MS = 60
_ONEDNN = "libkdnnl.so"
_TIMER = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


@dataclass
class Result:
    """A row of the summary: sizes in MB of the file and of what is installed, times in ms."""

    python: Python
    wheel: Path
    file_mb: float
    onednn_mb: float
    own_mb: float
    import_ms: float
    with_numpy_ms: float

    def problems(self) -> "list[str]":
        """The limits that are passed."""
        found = []
        if self.own_mb > MOST_MB:
            found.append(f"{self.wheel.name}: {self.own_mb:.1f} MB, expected {MOST_MB} at most")
        if self.import_ms > MOST_IMPORT_MS:
            text = f"import kiln takes {self.import_ms:.0f} ms, expected {MOST_IMPORT_MS} at most"
            found.append(f"{self.wheel.name}: {text}")
        return found


def measure_size(wheel: Path) -> "tuple[float, float, float]":
    """Sizes in MB: of the file, of oneDNN when installed, of everything else when installed."""
    with zipfile.ZipFile(wheel) as archive:
        sizes = {member.filename: member.file_size for member in archive.infolist()}
    onednn = sum(size for name, size in sizes.items() if name.endswith(_ONEDNN))
    own = sum(sizes.values()) - onednn
    return wheel.stat().st_size / 1e6, onednn / 1e6, own / 1e6


def attempt(python: Python, wheel: Path, drop_in: Path) -> Result:
    """Installs both wheels, uses them, and measures the import. Raises RuntimeError on failure."""
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder) / "environment"
        run([python.program, "-m", "venv", environment])
        program = environment / "bin" / "python"
        bare = _bare(environment)
        pip = [program, "-m", "pip", "--disable-pip-version-check"]
        run([*pip, "install", "--quiet", "--only-binary=:all:", wheel, drop_in], env=bare)
        run([*pip, "check"], env=bare)
        tests = TREE / "tests" / "install"
        (Path(folder) / "files").mkdir()
        # In a folder without sources, so that only the environment can be imported.
        run([program, tests / "check_wheel.py"], env=bare, cwd=folder)
        run([program, tests / "try_wheel.py", Path(folder) / "files"], env=bare, cwd=folder)
        imports = [
            _import_ms(program, statement, bare, folder)
            for statement in ("import kiln", "import numpy, kiln")
        ]
    return Result(python, wheel, *measure_size(wheel), *imports)


def _bare(environment: Path) -> "dict[str, str]":
    """Variables for programs: PATH has the environment alone, and nothing of this tree is named."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("KILN_", "PYTHON", "LD_", "VIRTUAL_ENV", "CC", "CXX"))
    }
    return {**kept, "PATH": str(environment / "bin"), "KILN_TARGET": "cpu", "PYTHONNOUSERSITE": "1"}


def _import_ms(program: Path, statement: str, bare: "dict[str, str]", folder: str) -> float:
    """The median over new processes. One run before fills the caches of files and bytecode."""
    command: list[str | Path] = [program, "-c", _TIMER.format(statement)]
    run(command, env=bare, cwd=folder)
    times = [float(run(command, env=bare, cwd=folder)) for _ in range(IMPORTS)]
    return statistics.median(times) * 1e3
