# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A notebook as a page: its texts, its programs, and what they printed."""

import json
from pathlib import Path
from typing import Any


def markdown(path: Path) -> str:
    """The notebook as Markdown."""
    parts = []
    for cell in json.loads(path.read_text())["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        parts += [shown for output in cell["outputs"] if (shown := output_of(output))]
    return "\n\n".join(parts) + "\n"


def output_of(output: dict[str, Any]) -> str:
    """An output: its HTML where it has some, else its text."""
    data = output.get("data", {})
    if "text/html" in data:
        return "".join(data["text/html"])
    text = "".join(output.get("text", data.get("text/plain", "")))
    return f"```text\n{text.rstrip()}\n```" if text else ""
