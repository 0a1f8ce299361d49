# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The exit codes of both programs, for the manual pages and docs/kiln-command.md."""

KILN = {
    "0": "success",
    "1": "check: a plan cannot be opened here. inspect, report: a file is no plan that can be "
    "read. doctor: the target lacks what it needs. demo: there is no demo here",
    "2": "wrong arguments, such as a file that does not exist",
    "141": "the reader of the output closed the pipe",
    "other": "run, demo: the exit code of the program",
}
TRTEXEC = {
    "0": "passed; the last line is &&&& PASSED. Also for --help, which prints no such line",
    "1": "failed; the last line is &&&& FAILED, and lines with [E] say why. Also for wrong "
    "arguments",
    "128 + N": "ended by signal N, such as 130 for Ctrl-C",
}
