# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Completion in bash, zsh and fish, by the machinery of each shell."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time

import pytest
from kiln import cli
from kiln.cli.shell import programs

SHELLS = ("bash", "zsh", "fish")


def script(shell):
    command = [sys.executable, "-m", "kiln", "completion", shell]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the scripts, where words are completed."""
    made = tmp_path_factory.mktemp("completion")
    for shell in SHELLS:
        (made / f"script.{shell}").write_text(script(shell))
    for name in ("model one.plan", "model.onnx"):
        (made / name).write_text("")
    (made / "models").mkdir()
    return made


def need(shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_syntax(shell, folder):
    need(shell)
    done = subprocess.run([shell, "-n", folder / f"script.{shell}"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def in_bash(folder, *words, breaks="\"'><=;|&(:"):
    """What bash proposes for the last word, by the function that `complete` has registered."""
    need("bash")
    program = r"""
        . ./script.bash
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
        registered=$(complete -p "$1")
        [[ $registered =~ -F\ ([^ ]+) ]] && "${BASH_REMATCH[1]}" "$1" "${@: -1}" "${@: -2:1}"
        printf '%s\n' "${COMPREPLY[@]}"
    """
    line = []
    for word in words:
        line += re.split("(=)", word) if "=" in breaks and "=" in word else [word]
    if line[-2:] == ["=", ""]:
        line.pop()  # bash gives "=" alone as the last word
    command = ["bash", "--norc", "-c", program, "bash", *line]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.stderr == ""
    return done.stdout.split("\n")[:-1]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("kiln", "in"), ["inspect", "info"]),
        (("kiln", "completion", ""), ["bash", "zsh", "fish"]),
        (("kiln", "man", "t"), ["trtexec"]),
        (("kiln", "inspect", "--j"), ["--json"]),
        (("kiln", "inspect", "--p"), ["--plugins="]),
        (("kiln", "--v"), ["--version"]),
        (("kiln", "inspect", "model"), ["model one.plan", "model.onnx", "models"]),
        (("kiln", "report", "--html", "model."), ["model.onnx"]),
        (("kiln", "report", "--html=model."), ["model.onnx"]),
        (("kiln", "report", "--iterations", ""), [""]),
        (("kiln", "config", "model"), [""]),
        (("kiln", "run", "--no"), ["--no-host-cudart"]),
        (("kiln", "run", "model.onnx", "model."), ["model.onnx"]),
        (("kiln", "check", "--plugins=models", "--j"), ["--json"]),
        (("trtexec", "--onn"), ["--onnx="]),
        (("trtexec", "--onnx=model.o"), ["model.onnx"]),
        (("trtexec", "--onnx="), ["model one.plan", "model.onnx", "models"]),
        (("trtexec", "--nvtxMode=v"), ["verbose"]),
        (("trtexec", "--nvtxMode="), ["default", "verbose", "none"]),
        (("trtexec", "--sparsity="), ["disable", "enable", "force"]),
        (("trtexec", "--iterations=1"), [""]),
        (("trtexec", "--buildO"), ["--buildOnly"]),
        (("trtexec", "--useDLA"), [""]),
    ],
)
def test_bash(folder, words, expected):
    found = in_bash(folder, *words)
    ignored = {"script.bash", "script.zsh", "script.fish"}
    assert sorted(word for word in found if word not in ignored) == sorted(expected)


def test_bash_that_does_not_split_at_equals_signs(folder):
    found = in_bash(folder, "trtexec", "--onnx=model.o", breaks=" ")
    assert found == ["--onnx=model.onnx"]
    assert in_bash(folder, "trtexec", "--nvtxMode=v", breaks=" ") == ["--nvtxMode=verbose"]


def test_bash_knows_every_option(folder):
    """Those that trtexec refuses are not proposed."""
    options = programs.trtexec_program().options
    names = {n + ("=" if o.value else "") for o in options if not o.refused for n in o.names}
    assert set(in_bash(folder, "trtexec", "-")) == {n.removesuffix("=") if len(n) == 2 else n
                                                    for n in names}  # fmt: skip
    for command in programs.kiln_program(cli.parser()).commands:
        spelled = {name for option in command.options for name in option.names}
        found = in_bash(folder, "kiln", command.name, "-")
        assert {word.rstrip("=") for word in found} == spelled


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("kiln in", ["info", "inspect"]),
        ("kiln completion ", ["bash", "fish", "zsh"]),
        ("kiln inspect --j", ["--json"]),
        ("kiln inspect model.", ["model.onnx"]),
        ("kiln info model.", []),
        ("trtexec --nvtxMode=v", ["--nvtxMode=verbose"]),
        ("trtexec --onnx=model.o", ["--onnx=model.onnx"]),
        ("trtexec --buildO", ["--buildOnly"]),
        ("trtexec --useDLA", []),
    ],
)
def test_fish(folder, tmp_path, line, expected):
    need("fish")
    command = ["fish", "--no-config", "-c", f"source script.fish; complete -C {line!r}"]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stderr == ""
    assert sorted(text.split("\t")[0] for text in done.stdout.splitlines()) == expected


def typed(command, folder, first, line, wanted):
    """Types a line and a tab at a terminal; returns what is shown, at the latest after 60 s."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execvpe(command[0], command, {**os.environ, "TERM": "dumb", "PS1": "READY> "})
    shown = ""

    def read_until(text):
        nonlocal shown
        end = time.monotonic() + 60
        while text not in shown and time.monotonic() < end:
            if select.select([terminal], [], [], 0.2)[0]:
                shown += os.read(terminal, 4096).decode(errors="replace")
        assert text in shown, shown

    try:
        read_until("READY> ")
        os.write(terminal, f'{first}; echo SO""URCED\n'.encode())
        read_until("SOURCED")
        shown = ""
        os.write(terminal, f"{line}\t".encode())
        read_until(wanted)
    finally:
        os.close(terminal)
        os.kill(process, 9)
        os.waitpid(process, 0)
    return shown


LINES = [
    ("kiln insp", "kiln inspect "),
    ("kiln doctor --j", "kiln doctor --json "),
    ("trtexec --buildO", "trtexec --buildOnly "),
    ("trtexec --nvtxMode=v", "trtexec --nvtxMode=verbose"),
    ("trtexec --onnx=model.o", "trtexec --onnx=model.onnx"),
]


@pytest.mark.parametrize(("line", "wanted"), LINES)
def test_a_tab_in_bash(folder, line, wanted):
    need("bash")
    command = ["bash", "--norc", "--noprofile", "-i"]
    typed(command, folder, ". ./script.bash", line, wanted)


@pytest.mark.parametrize(("line", "wanted"), LINES)
def test_a_tab_in_zsh(folder, line, wanted):
    need("zsh")
    start = "unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D; . ./script.zsh"
    typed(["zsh", "-f", "-i"], folder, start, line, wanted)


def test_zsh_loads_it_from_a_folder(folder, tmp_path):
    """As a package installs it: a file named _kiln in fpath."""
    need("zsh")
    from kiln.cli import completion

    program = programs.kiln_program(cli.parser())
    (tmp_path / "_kiln").write_text(completion.script("zsh", "kiln", program))
    start = f"fpath=({tmp_path} $fpath); autoload -U compinit; compinit -u -D"
    typed(["zsh", "-f", "-i"], folder, start, "kiln insp", "kiln inspect ")
