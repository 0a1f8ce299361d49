# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs a guide as its reader does: its blocks in order, in one folder.

- A block with a title is written to the file of that name. Then a Python file runs, if a block of
  text follows, which shows its output.
- Other blocks of Python and shell run. If a block of text follows, it shows the output, also what
  a shell command writes to standard error; "..." stands for any text. `<!-- numbers vary -->`
  above the text lets numbers and the width of columns differ.
- `<!-- not run: REASON -->` above a block leaves it out.
- `<!-- ports: 8000 8001 -->` anywhere on the page: free ports take the place of these in programs
  and in what they print, so that several pages can run at the same time.

Servers may run in the background from one block to another; what still runs at the end is stopped.

`python tests/docs/guide_pages.py PAGE` fills empty blocks of text with what was printed.
"""

import difflib
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(
    r"(?:<!-- not run: (?P<reason>[^\n]+) -->\n)?"
    r"^```(?P<language>python|sh|cpp|cmake|c|text|json|yaml)"
    r"(?: title=\"(?P<title>[^\"]+)\")?\n"
    r"(?P<text>.*?)^```\n"
    r"(?:(?P<vary><!-- numbers vary -->\n)?```text\n(?P<output>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)
PORTS = re.compile(r"^<!-- ports: ([\d ]+) -->$", re.MULTILINE)
# What processes of Ray may print into the output of any program, in colour.
FROM_RAY = re.compile(r"^(\x1b\[\d+m)?\((raylet|autoscaler)[^\n]*\n", re.MULTILINE)
PATIENCE_S = 30  # of servers that are told to end


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


def shell(page: str) -> str:
    """The shell commands of a page that run."""
    return "".join(b.text for b in blocks(page) if b.runs and b.language == "sh")


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
        "RAY_ADDRESS": "local",  # never a Ray of somebody else on this machine
        "RAY_AUTH_MODE": "disabled",
        "RAY_USAGE_STATS_ENABLED": "0",
        # Of Ray that programs of a page start themselves, beside other tests.
        "RAY_SERVE_PROXY_READY_CHECK_TIMEOUT_S": "60",
        "RAY_worker_niceness": "0",
    }


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Runner:
    """Runs the blocks of one page in a folder; `with` stops what they left in the background."""

    def __init__(self, page: str, folder: Path) -> None:
        self.folder = folder
        found = PORTS.search(page)
        self.ports = {port: str(free_port()) for port in found[1].split()} if found else {}
        self._groups: list[int] = []

    def real(self, text: str) -> str:
        """A text of the page with the ports of this run."""
        for shown, port in self.ports.items():
            text = re.sub(rf"\b{shown}\b", port, text)
        return text

    def shown(self, text: str) -> str:
        """What was printed, with the ports of the page, without what Ray's processes say."""
        text = FROM_RAY.sub("", text)
        for shown, port in self.ports.items():
            text = re.sub(rf"\b{port}\b", shown, text)
        return text

    def write(self, block: Block) -> None:
        """Writes the file of a block."""
        assert block.title is not None
        (self.folder / block.title).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / block.title).write_text(self.real(block.text))

    def run(self, block: Block) -> str:
        """Runs a block; returns what it printed."""
        if block.language == "sh":
            command = ["bash", "-e", "-c", f"exec 2>&1\n{self.real(block.text)}"]
        else:
            name = block.title or "program.py"
            (self.folder / name).write_text(self.real(block.text))
            command = [sys.executable, name]
        with subprocess.Popen(
            command,
            cwd=self.folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            self._groups.append(process.pid)
            printed, errors = process.communicate(timeout=250)
        shown = f"{block.text}\n{printed[-3000:]}\n{errors[-3000:]}{self.logs()}"
        assert process.returncode == 0, shown
        return self.shown(printed)

    def logs(self) -> str:
        """The ends of the log files that programs of the page wrote, for a message."""
        files = sorted(self.folder.glob("*.log"))
        return "".join(f"\n{file.name}:\n{file.read_text()[-3000:]}" for file in files)

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *_: object) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            for group in self._groups:
                _signal(group, number)
            until = time.monotonic() + PATIENCE_S
            while any(_signal(group, 0) for group in self._groups):
                if time.monotonic() > until:
                    break
                time.sleep(0.1)


def _signal(group: int, number: int) -> bool:
    """Sends a signal to a process group; False if it does not exist any more."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    return True


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
    text = page.read_text()
    with Runner(text, folder) as runner:
        for block in blocks(text):
            if block.title and not block.runs:
                runner.write(block)
            if block.runs:
                printed = runner.run(block)
                count += 1
                if block.output is not None and not fits(block.output, printed, bool(block.vary)):
                    lines = difflib.ndiff(block.output.splitlines(), printed.splitlines())
                    raise AssertionError("\n".join([block.text, *lines, runner.logs()]))
    return count


def fill(page: Path) -> None:
    """Writes what programs print into the empty blocks of text behind them."""
    text = page.read_text()
    shift = 0
    with tempfile.TemporaryDirectory() as folder, Runner(text, Path(folder)) as runner:
        for block in blocks(text):
            if block.title and not block.runs:
                runner.write(block)
            if block.runs:
                printed = runner.run(block)
                if block.output == "":
                    end = block.end + shift - len("```\n")
                    text = text[:end] + printed + text[end:]
                    shift += len(printed)
    page.write_text(text)


if __name__ == "__main__":
    fill(Path(sys.argv[1]))
