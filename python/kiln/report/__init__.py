# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Reports: what an engine consists of, how long its layers take, and why its kernels were chosen.

:func:`describe` makes a description of a plan, an engine or a network: a dict that docs/report.md
specifies. Everything else is made from descriptions alone::

    report = kiln.report.describe("model.plan", run=True)
    Path("model.html").write_text(kiln.report.to_html(report))
"""

from kiln.report._compare import match
from kiln.report._describe import VERSION, describe
from kiln.report._dot import to_dot
from kiln.report._html import to_frame, to_html
from kiln.report._run import RunFailed
from kiln.report._svg import to_svg
from kiln.report._trace import to_trace

__all__ = [
    "VERSION",
    "RunFailed",
    "describe",
    "match",
    "to_dot",
    "to_frame",
    "to_html",
    "to_svg",
    "to_trace",
]
