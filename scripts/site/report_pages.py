# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The pages of the reports in docs/reports, drawn as `kiln report` draws them.

A description is stored, not its page: descriptions do not change when the page does.
"""

import importlib
import json
import re
import sys
import types
from pathlib import Path

LINK = re.compile(r"(?<=\]\(reports/)(\w+)\.json(?=\))")


def pages(root: Path) -> dict[str, str]:
    """The pages by their place in the site. root: the tree."""
    # The drawing needs no library, but the packages around it import one: these stand in for them.
    for name, folder in (("kiln", "python/kiln"), ("kiln.report", "python/kiln/report")):
        package = types.ModuleType(name)
        package.__path__ = [str(root / folder)]
        sys.modules.setdefault(name, package)
    to_html = importlib.import_module("kiln.report._html").to_html
    files = sorted((root / "docs" / "reports").glob("*.json"))
    return {f"reports/{path.stem}.html": to_html(json.loads(path.read_text())) for path in files}
