# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs every program on the pages about plugins and compares its output with the page."""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CLASS_BASED = ROOT / "examples" / "class_based"
DECORATED = ROOT / "examples" / "decorated"
PAGES = {"plugin-guide": 14, "decorated-plugins": 12}  # page: least number of programs
BLOCK = re.compile(
    r"(?:<!-- embed: (?P<file>\S+) -->\n)?"
    r"```(?P<language>python|cpp|sh)\n(?P<text>.*?)\n```\n"
    r"(?:```text\n(?P<output>.*?\n)```\n)?",
    re.DOTALL,
)
sys.path.insert(0, str(ROOT / "examples" / "circ_pad"))


@dataclass
class Block:
    """A program on a page."""

    page: str
    file: str | None  # the example that it shows
    language: str
    text: str
    output: str | None


def blocks():
    """Every program, named by its example or by the heading above it."""
    for name in PAGES:
        page = (ROOT / "docs" / f"{name}.md").read_text()
        headings = [(match.start(), match.group(1)) for match in re.finditer(r"\n##+ (.*)", page)]
        for match in BLOCK.finditer(page):
            heading = [title for start, title in headings if start < match.start()][-1]
            block = Block(name, **match.groupdict())
            title = Path(block.file).name if block.file else heading
            yield pytest.param(block, id=f"{block.language}-{title}")


BLOCKS = list(blocks())


def run(command, folder, **variables):
    """Runs a program, which must exit with 0; returns its standard output."""
    trtexec = os.environ.get("KILN_TRTEXEC", str(Path(sys.executable).with_name("trtexec")))
    path = [str(Path(trtexec).parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    modules = [str(CLASS_BASED), str(DECORATED), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {
        **os.environ,
        **variables,
        "CLASS_BASED": str(CLASS_BASED),
        "CUDA_VISIBLE_DEVICES": "",  # hides all GPUs
        "KILN_PYTHON": sys.executable,
        "PATH": os.pathsep.join(path),
        "PYTHONPATH": os.pathsep.join(modules),
    }
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    """The folder of the C++ programs."""
    from matrix.libraries import build_example

    return build_example(CLASS_BASED, "scale_v3", tmp_path_factory.mktemp("class_based"))


@pytest.mark.parametrize("page", PAGES)
def test_the_page_has_programs(page):
    assert sum(block.values[0].page == page for block in BLOCKS) >= PAGES[page]


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.values[0].language == "python"])
def test_python(block, tmp_path):
    for module in ("torch", "numba", "triton"):
        if re.search(rf"^(import|from) {module}\b", block.text, re.MULTILINE):
            pytest.importorskip(module, reason=f"not installed: {module}, see frameworks.txt")
    program = tmp_path / "program.py"
    program.write_text(block.text)
    # Programs that compute on the host set their target, so KILN_TARGET must not matter.
    other = {"KILN_TARGET": "cuda:sm_90"} if "set_default_target" in block.text else {}
    printed = run([sys.executable, program], tmp_path, **other)
    if block.output is not None:
        assert printed == block.output
    else:
        assert re.fullmatch(r"tactic [12] of \[1, 2\]\n\[3\. 1\. 2\. 3\. 1\.\]\n", printed)


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.values[0].language == "cpp"])
def test_cpp(block, programs, tmp_path):
    # Every C++ program on the page is an example that the build compiles.
    assert run([programs / Path(block.file).stem], tmp_path) == block.output


@pytest.mark.parametrize("block", [b for b in BLOCKS if b.values[0].language == "sh"])
def test_shell(block, tmp_path):
    assert "PASSED" in run(["bash", "-e", "-c", block.text], tmp_path)


def test_examples_are_shown_as_they_are(tmp_path):
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "embed_examples.py", "--check"],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, "")
