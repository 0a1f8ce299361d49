# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Classifies 1,797 handwritten digits with a user's plugin, in every supported way.

    python examples/circ_pad/demo.py [--work FOLDER] [--libraries FOLDER] [--only FRAMEWORK...]
                                     [--jobs N]

Each row of the table builds or opens an engine of a small network whose convolutions pad
circularly with CircPadPlugin, runs all images, and compares the probabilities with those of ONNX
Runtime, which pads with the standard Pad, or of NumPy. With KILN_TARGET=cuda the engines and the
plugins run on the GPU. A framework that is not installed gets a row that says how to install it.
The exit code is 1 if any row is wrong.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kiln
from matrix.check import TOLERANCE
from matrix.data import reference_name
from matrix.forms import PluginForm, all_forms
from matrix.libraries import find_libraries
from matrix.rows import Outcome, Row, RowRunner, all_rows
from matrix.table import header, problem_texts, row_line

DEFAULT_WORK = Path(__file__).parents[2] / "build" / "demo"


def parse_arguments() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description="Runs the circular padding demo.")
    parser.add_argument("--work", type=Path, default=DEFAULT_WORK, help="folder for plans")
    parser.add_argument(
        "--libraries", type=Path, help="folder of the C++ plugins; default: see libraries.py"
    )
    parser.add_argument("--only", nargs="*", help="frameworks, as the table names them")
    parser.add_argument(
        "--jobs",
        type=int,
        default=min(2, os.cpu_count() or 1),
        help="forms of the plugin that run at a time; 1 for undisturbed timings (default: "
        "%(default)s)",
    )
    return parser.parse_args()


def run_all(forms: list[PluginForm], work: Path, jobs: int) -> Iterator[tuple[Row, Outcome]]:
    """Yields each row with its outcome, in the order of the table.

    The rows of a form depend on each other and run one after another; `jobs` forms run at a time,
    each in its own folder.
    """

    def run_form(form: PluginForm) -> list[tuple[Row, Outcome]]:
        runner = RowRunner(work / form.folder_name)
        return [(row, runner.run(row)) for row in all_rows([form])]

    with ThreadPoolExecutor(jobs) as pool:
        for outcomes in pool.map(run_form, forms):
            yield from outcomes


def main() -> int:
    """Runs all rows; returns the exit code."""
    arguments = parse_arguments()
    start = time.perf_counter()
    work = arguments.work.resolve()
    libraries = arguments.libraries or find_libraries(work / "plugins")
    print(f"Target: {kiln.default_target()}.", end=" ")
    print(f"Reference: {reference_name()}, float. Tolerances: {TOLERANCE}.")
    print("build ms: building the plan that the row runs. us/256: one batch, median.", end=" ")
    print("With trtexec: its share of the run of all images.", end=" ")
    print(f"Forms that run at a time: {arguments.jobs}.\n")
    print(header())
    problems, right, skipped = [], 0, 0
    forms = all_forms(libraries.resolve())
    if arguments.only:
        forms = [form for form in forms if form.framework in arguments.only]
    for row, outcome in run_all(forms, work, arguments.jobs):
        print(row_line(row, outcome), flush=True)
        skipped += outcome.skipped is not None
        right += outcome.problem is None and outcome.skipped is None
        if outcome.problem:
            problems.append((row, outcome.problem))
    print(
        f"\n{right} of {right + len(problems)} rows are right "
        f"({time.perf_counter() - start:.0f} s)."
    )
    if skipped:
        print(f"{skipped} forms of the plugin were left out: see the lines above.")
    for text in problem_texts(problems):
        print(f"\n{text}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
