# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""scripts/count_tests.py: the totals of a run."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "count_tests.py"
REPORT = "<testsuites><testsuite>{}</testsuite></testsuites>"
PASSED, FAILED = "<testcase/>", "<testcase><failure/></testcase>"
SKIPPED = "<testcase><skipped/></testcase>"


def counted(folder, cpp, python, log=""):
    (folder / "cpp").mkdir()
    (folder / "cpp" / "graph.xml").write_text(REPORT.format(cpp))
    (folder / "python.xml").write_text(REPORT.format(python))
    (folder / "ctest.log").write_text(log)
    done = subprocess.run(
        [sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout.splitlines()[-1]


def test_totals(tmp_path):
    assert counted(tmp_path, PASSED * 2 + SKIPPED, PASSED) == (0, "3 passed, 0 failed, 1 skipped")


def test_a_failure(tmp_path):
    log = " 2/9 Test  #2: graph ......***Failed    0.61 sec\n"
    assert counted(tmp_path, PASSED + FAILED, PASSED, log) == (1, "2 passed, 1 failed")


def test_a_crash_has_no_report(tmp_path):
    log = (
        " 1/9 Test #20: targets ......***Exception: SegFault  0.22 sec\n"
        " 2/9 Test #21: api ..........***Timeout 300.01 sec\n"
        " 3/9 Test #22: base .........   Passed    0.10 sec\n"
    )
    assert counted(tmp_path, PASSED, PASSED, log) == (1, "2 passed, 2 failed")


def test_no_tests(tmp_path):
    assert counted(tmp_path, "", PASSED) == (1, "1 passed, 0 failed")
