# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a guide as its reader does: its blocks in order, in one folder.

- A block with a title is written to the file of that name. Then a Python file runs, if a block of
  text follows, which shows its output.
- Other blocks of Python and shell run. If a block of text follows, it shows the output, also what
  a shell command writes to standard error; "..." stands for any text. `<!-- numbers vary -->`
  above the text lets numbers and the width of columns differ.
- `<!-- not run: REASON -->` above a block leaves it out.

`python tests/docs/guide_pages.py PAGE` fills empty blocks of text with what was printed.
"""

import difflib
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(
    r"(?:<!-- not run: (?P<reason>[^\n]+) -->\n)?"
    r"^```(?P<language>python|sh|cpp|cmake|c|text|json)"
    r"(?: title=\"(?P<title>[^\"]+)\")?\n"
    r"(?P<text>.*?)^```\n"
    r"(?:(?P<vary><!-- numbers vary -->\n)?```text\n(?P<output>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)


@dataclass
class Block:
    """A block of a page."""

    language: str
    title: str | None
    text: str
    output: str | None
    vary: str | None
    reason: str | None  # why it is not run
    end: int  # where it ends on the page

    @property
    def runs(self) -> bool:
        """Whether the block is a program rather than a file."""
        if self.reason or self.language not in ("python", "sh"):
            return False
        return self.title is None or (self.output is not None and self.language == "python")


def blocks(page: str) -> list[Block]:
    """The blocks of a page."""
    return [Block(**match.groupdict(), end=match.end()) for match in BLOCK.finditer(page)]


def environment() -> dict[str, str]:
    """The variables of a reader without a GPU, whose kiln is this build."""
    trtexec = os.environ.get("KILN_TRTEXEC", str(Path(sys.executable).with_name("trtexec")))
    path = [str(Path(trtexec).parent), str(Path(sys.executable).parent), os.environ["PATH"]]
    emulation = ("KILN_NVRTC", "KILN_CUBLASLT", "KILN_CUDNN")
    return {
        **{name: value for name, value in os.environ.items() if name not in emulation},
        "CUDA_VISIBLE_DEVICES": "",
        "KILN_CUDA_DRIVER": "/none/libcuda.so.1",
        "KILN_TARGET": "cpu",
        "PATH": os.pathsep.join(path),
        "PYTHONWARNINGS": "ignore",  # those of other libraries
    }


def run(block: Block, folder: Path) -> str:
    """Runs a block; returns what it printed."""
    if block.language == "sh":
        command = ["bash", "-e", "-c", f"exec 2>&1\n{block.text}"]
    else:
        name = block.title or "program.py"
        (folder / name).write_text(block.text)
        command = [sys.executable, name]
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=250
    )
    shown = f"{block.text}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    assert done.returncode == 0, shown
    return done.stdout


def fits(shown: str, printed: str, vary: bool = False) -> bool:
    """Whether a page shows what was printed. vary: numbers and spaces may differ."""
    pattern = ".*?".join(map(re.escape, shown.split("...")))
    if vary:
        pattern = re.sub(r"\d+(\\\.\d+)?", r"[\\d.]+", pattern)
        pattern = re.sub(r"(\\ )+", " +", pattern)
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


def check(page: Path, folder: Path) -> int:
    """Runs a page; returns the number of programs that ran."""
    count = 0
    for block in blocks(page.read_text()):
        if block.title and not block.runs:
            (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.title).write_text(block.text)
        if block.runs:
            printed = run(block, folder)
            count += 1
            if block.output is not None and not fits(block.output, printed, bool(block.vary)):
                lines = difflib.ndiff(block.output.splitlines(), printed.splitlines())
                raise AssertionError("\n".join([block.text, *lines]))
    return count


def fill(page: Path) -> None:
    """Writes what programs print into the empty blocks of text behind them."""
    text = page.read_text()
    shift = 0
    with tempfile.TemporaryDirectory() as folder:
        for block in blocks(text):
            if block.title and not block.runs:
                (Path(folder) / block.title).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / block.title).write_text(block.text)
            if block.runs:
                printed = run(block, Path(folder))
                if block.output == "":
                    end = block.end + shift - len("```\n")
                    text = text[:end] + printed + text[end:]
                    shift += len(printed)
    page.write_text(text)


if __name__ == "__main__":
    fill(Path(sys.argv[1]))
