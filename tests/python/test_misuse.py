# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Every method with arguments of all sorts: nothing ends the process, or speaks of C++."""

import subprocess
import sys
from pathlib import Path

import pytest
from cpp_names import cpp_names


@pytest.mark.parametrize("seed", range(2))
def test_any_arguments(tmp_path, seed):
    log = tmp_path / "calls"
    program = Path(__file__).with_name("misuse_program.py")
    done = subprocess.run(
        [sys.executable, str(program), str(log), str(seed)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    last = log.read_text(errors="replace").splitlines()[-3:] if log.exists() else []
    assert done.returncode == 0 and "done" in done.stdout, (last, done.stderr[-2000:])
    messages = log.with_name("calls.messages").read_text().splitlines()
    assert len(messages) > 100
    assert not [text for text in messages if cpp_names(text)]
