# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Counts the test cases of a run: count_tests.py <folder of JUnit reports>.

Prints one line each for C++, Python and the total. Fails if a test failed, or no test ran. A C++
program that ended without a report, by a crash or by its time limit, is one failed test.
"""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def count(files: list[Path]) -> tuple[int, int, int]:
    """Counts the passed, failed and skipped test cases of JUnit reports."""
    passed = failed = skipped = 0
    for file in files:
        for case in ElementTree.parse(file).getroot().iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                failed += 1
            elif (
                case.find("skipped") is not None
                or case.get("status") == "notrun"
                or case.get("result") == "skipped"
            ):
                skipped += 1
            else:
                passed += 1
    return passed, failed, skipped


def crashed(log: Path) -> int:
    """Counts the programs that CTest saw crash, run too long or not start at all."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    endings = ("***Exception", "***Timeout", "***Not Run")
    return sum(" Test " in line and any(ending in line for ending in endings) for line in lines)


def describe(counts: tuple[int, int, int]) -> str:
    """Formats counts; omits skipped tests if there are none."""
    passed, failed, skipped = counts
    return f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")


def main() -> int:
    """Prints the counts for C++, for Python, and the totals."""
    folder = Path(sys.argv[1])
    passed, failed, skipped = count(sorted((folder / "cpp").glob("*.xml")))
    cpp = (passed, failed + crashed(folder / "ctest.log"), skipped)
    python = count([file for file in [folder / "python.xml"] if file.exists()])
    total = (cpp[0] + python[0], cpp[1] + python[1], cpp[2] + python[2])
    print(f"[test] C++: {describe(cpp)}")
    print(f"[test] Python: {describe(python)}")
    print(describe(total))
    return 0 if cpp[0] and python[0] and not total[1] else 1


if __name__ == "__main__":
    sys.exit(main())
