# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Hooks of mkdocs (see mkdocs.yml): pages that no file of docs/ has.

These are the references, the changes, the tutorial notebook, the example reports, and a page for
each source file that a page links to, because links on the site must not leave it.
"""

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))

import cpp_reference
import notebook_page
import python_reference
import report_pages

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<=\]\()(\.\./[^)#]+)(#[^)]*)?(?=\))")
LANGUAGES = {".py": "python", ".cpp": "cpp", ".h": "cpp", ".txt": "text", ".md": "markdown"}


def on_files(files: Files, config: Any) -> Files:
    """Adds the generated pages."""

    def add(name: str, text: str) -> None:
        files.append(File.generated(config, name, content=text))

    for folder, module in (("python", python_reference), ("cpp", cpp_reference)):
        for name, page in module.pages(ROOT).items():
            add(f"reference/{folder}/{name}.md", page.text())
    add("changes.md", (ROOT / "CHANGELOG.md").read_text())
    add("tutorial.md", notebook_page.markdown(ROOT / "examples" / "tutorial.ipynb"))
    for name, page in report_pages.pages(ROOT).items():
        add(name, page)
    sources = set()
    for file in files.documentation_pages():
        if file.src_uri in ("changes.md", "tutorial.md"):
            continue
        for target, _ in LINK.findall(file.content_string):
            sources.add(source_of(file.src_uri, target))
    sources = {source for source in sources if not source.startswith("docs/")}
    for source in sorted(source for source in sources if (ROOT / source).exists()):
        add(page_of(source), source_page(source))
    return files


def source_of(page: str, target: str) -> str:
    """The path of a link's target in the tree."""
    return posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), target))


def page_of(source: str) -> str:
    """The page that shows a file or folder of the tree."""
    return f"source/{source}.md"


def source_page(source: str) -> str:
    """Shows a file; of a folder its README or its files."""
    path = ROOT / source
    if path.is_dir():
        readme = path / "README.md"
        if readme.exists():
            return without_links(readme.read_text())
        names = "\n".join(f"- `{source}/{child.name}`" for child in sorted(path.iterdir()))
        return f"# {source}\n\nFiles of the folder in the source tree:\n\n{names}\n"
    if path.suffix == ".md":
        return without_links(path.read_text())
    return f"# {source}\n\n```{LANGUAGES.get(path.suffix, 'text')}\n{path.read_text()}```\n"


def without_links(text: str) -> str:
    """The text with the words of its relative links alone: their targets are not on the site."""
    return re.sub(r"\[([^\]]*)\]\((?!https?:)[^)]*\)", r"\1", text)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Leads links that leave docs/ to the pages of their targets. A missing one is a dead link."""
    here = posixpath.dirname(page.file.src_uri)
    if page.file.src_uri == "changes.md":
        return without_links(markdown)
    if page.file.src_uri == "tutorial.md":  # the notebook lies in examples/
        return markdown.replace("](../docs/", "](")

    def lead(match: re.Match[str]) -> str:
        source = source_of(page.file.src_uri, match[1])
        if source.startswith("docs/"):  # from a page in a folder to another page
            return match[0]
        return posixpath.relpath(page_of(source), here or ".")

    return report_pages.LINK.sub(r"\1.html", LINK.sub(lead, markdown))
