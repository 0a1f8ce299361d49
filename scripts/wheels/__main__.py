# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Builds, repairs and tries wheels of Kiln: python scripts/wheels [--out=dist] [PYTHON...].

For every CPython from 3.10 to 3.13 that is on PATH, in /usr or in pyenv, or for the interpreters
that are named. Each wheel is installed into an empty environment of its interpreter and used there
without a compiler. The summary has sizes and import times; the exit code is 1 if one is too large,
or if anything fails. It runs in the tree's own environment.
"""

import argparse
import sys
import time
from pathlib import Path

import make
import pythons
import trial


def arguments() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(prog="wheels", description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=make.TREE / "dist", help="default: dist")
    parser.add_argument("--no-trial", action="store_true", help="build and repair only")
    parser.add_argument("python", nargs="*", type=Path, help="default: all that are found")
    return parser.parse_args()


def say(text: str) -> None:
    """A line at once, also in a pipe."""
    print(f"[wheels] {text}", flush=True)


def choose(named: "list[Path]") -> "list[pythons.Python]":
    """The interpreters that are named, or all that are found."""
    if named:
        return [pythons.examine(program.absolute()) for program in named]
    found, left_out = pythons.find()
    for reason in left_out:
        say(f"left out {reason}")
    if not found:
        raise ValueError("expected a CPython from 3.10 to 3.13 with headers, found none")
    return found


def summary(results: "list[trial.Result]") -> None:
    """A table, in the units of docs/install.md."""
    heads = ("wheel", "file", "installed", "+ oneDNN", "import kiln", "numpy, kiln")
    rows = [
        (
            result.wheel.name,
            f"{result.file_mb:.1f} MB",
            f"{result.own_mb:.1f} MB",
            f"{result.onednn_mb:.1f} MB",
            f"{result.import_ms:.0f} ms",
            f"{result.with_numpy_ms:.0f} ms",
        )
        for result in results
    ]
    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    for row in (heads, *rows):
        print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)))
    print(f"limits: {trial.MOST_MB} MB installed without oneDNN, {trial.MOST_IMPORT_MS} ms")


def main() -> int:
    """Everything for each interpreter in turn; a failure does not stop the others."""
    options = arguments()
    options.out = options.out.absolute()
    try:
        chosen = choose(options.python)
        make.prepare()
        drop_in = make.make_drop_in(options.out)
    except (ValueError, RuntimeError) as error:
        say(str(error))
        return 1
    say(f"{drop_in.name} for every Python")
    results, problems = [], []
    for python in chosen:
        start = time.monotonic()
        try:
            wheel = make.make(python, options.out)
            make.check_metadata([wheel, drop_in])
            built = time.monotonic()
            say(f"{wheel.name} in {built - start:.0f} s, with {python.program}")
            if options.no_trial:
                continue
            results.append(trial.attempt(python, wheel, drop_in))
            say(f"{python.name}: installed and tried in {time.monotonic() - built:.0f} s")
        except RuntimeError as error:
            problems.append(f"{python.name}: {error}")
    if results:
        summary(results)
    problems += [problem for result in results for problem in result.problems()]
    for problem in problems:
        say(problem)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
