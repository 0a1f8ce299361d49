# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs `kiln doctor` in environments that tests make."""

import json
import os
import subprocess
import sys


def run(*arguments, **variables):
    """Runs kiln doctor with other variables of the environment; None removes one."""
    environment = {**os.environ, "KILN_TARGET": "cpu", **variables}
    done = subprocess.run(
        [sys.executable, "-m", "kiln", "doctor", *arguments],
        env={name: value for name, value in environment.items() if value is not None},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def checks(*arguments, **variables):
    code, out, _ = run("--json", *arguments, **variables)
    report = json.loads(out)
    assert code == (0 if report["ready"] else 1)
    return {check["name"]: check for check in report["checks"]}
