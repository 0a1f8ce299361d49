# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Descriptions of plans, engines and networks: the one form that all pictures are made from."""

import os
import tempfile
from pathlib import Path
from typing import Any

from kiln.report import _plan, _run
from kiln.report._summary import summary

VERSION = 1
"""Version of the form. It grows when the meaning of an entry changes; new entries may appear."""


def describe(
    subject: Any,
    *,
    run: "bool" = False,
    profile: "str | os.PathLike[str] | None" = None,
    times: "str | os.PathLike[str] | None" = None,
    plugins: "tuple[str, ...] | list[str]" = (),
    iterations: int = 20,
    shapes: str = "",
    allow: "tuple[str, ...] | list[str]" = (),
) -> dict[str, Any]:
    """Describes a plan, an engine or a network as a dict; docs/report.md specifies it.

    subject: the path of a plan, the bytes of one (IHostMemory too), an ICudaEngine or an
    INetworkDefinition. run: whether to measure the layers of a plan in a process of its own, with
    inputs that trtexec makes up. profile: a file of trtexec's ``--exportProfile`` in place of a
    run. times: one of ``--exportTimes`` beside it. plugins: libraries and Python files that the run
    needs. iterations: how often it runs. shapes: of its inputs, as trtexec's ``--shapes`` takes
    them. Default: the optimum. allow: "host_code" and "python_source", if the plan may run those
    that it contains.
    Raises OSError if there is no such file, ValueError if it is no plan that can be read, RunFailed
    if the run fails.
    """
    from kiln import ICudaEngine, INetworkDefinition

    if isinstance(subject, INetworkDefinition):
        from kiln.report import _network

        report = _network.described(subject)
        report["summary"] = summary(report)
        return report
    if isinstance(subject, ICudaEngine):
        subject = subject.serialize()
    if isinstance(subject, (str, os.PathLike)):
        path = os.fspath(subject)
        report = _plan.described(path)
        if run:
            report["run"] = _run.run(path, plugins, iterations, shapes, allow)
    else:
        with tempfile.TemporaryDirectory(prefix="kiln-report-") as folder:
            path = os.path.join(folder, "engine.plan")
            Path(path).write_bytes(subject)
            report = _plan.described(path)
            report["source"] = ""
            report["title"] = report["facts"]["network"] or "engine"
            if run:
                report["run"] = _run.run(path, plugins, iterations, shapes, allow)
    if profile is not None:
        report["run"] = _run.from_profile(profile, times)
    if report["run"] is not None:
        _run.assign(report)
    report["summary"] = summary(report)
    return report
