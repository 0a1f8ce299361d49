# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Classifies 1,797 handwritten digits with a user's plugin inside, in every way there is.

    python examples/circ_pad/demo.py [--work FOLDER] [--libraries FOLDER] [--only FRAMEWORK...]

Each row of the table builds or opens an engine of a small network whose convolutions pad
circularly through CircPadPlugin, runs all images through it, and compares the probabilities with
those of ONNX Runtime, where the standard Pad does the padding, or of NumPy. With KILN_TARGET=cuda
the engines and the plugins run on the GPU. A framework that is not installed
gets a row that says how to install it. Ends with exit code 1 if any row is wrong.
"""

import argparse
import sys
import time
from pathlib import Path

import kiln
from matrix.check import TOLERANCE
from matrix.data import reference_name
from matrix.forms import all_forms
from matrix.libraries import find_libraries
from matrix.rows import RowRunner, all_rows
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
    return parser.parse_args()


def main() -> int:
    """Runs all rows; returns the exit code."""
    arguments = parse_arguments()
    start = time.perf_counter()
    work = arguments.work.resolve()
    libraries = arguments.libraries or find_libraries(work / "plugins")
    runner = RowRunner(work)
    print(f"Target: {kiln.default_target()}.", end=" ")
    print(f"Reference: {reference_name()}, float. Tolerances: {TOLERANCE}.")
    print("build ms: building the plan that the row runs. us/256: one batch, median.\n")
    print(header())
    problems, right, skipped = [], 0, 0
    forms = all_forms(libraries.resolve())
    if arguments.only:
        forms = [form for form in forms if form.framework in arguments.only]
    for row in all_rows(forms):
        outcome = runner.run(row)
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
