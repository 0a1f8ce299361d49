# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The manual pages, their sources, and the exit codes that they list."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import kiln
import pytest
from kiln import cli
from kiln.cli import facts
from kiln.cli.shell import exit_codes, programs

ROOT = Path(__file__).resolve().parents[2]
TRTEXEC = Path(kiln.__file__).parent / "bin" / "trtexec"
PROGRAMS = ("kiln", "trtexec")


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def page(program):
    done = run(sys.executable, "-m", "kiln", "man", program)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("program", PROGRAMS)
def test_groff_has_no_complaints(program):
    if shutil.which("groff") is None:
        pytest.skip("groff is not installed")
    done = run("groff", "-man", "-ww", "-z", input=page(program))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("program", PROGRAMS)
def test_man_shows_every_option(program, tmp_path):
    if shutil.which("man") is None or shutil.which("groff") is None:
        pytest.skip("man is not installed")
    (tmp_path / "page.1").write_text(page(program))
    environment = {"PATH": "/usr/bin:/bin", "MANWIDTH": "200", "MAN_KEEP_FORMATTING": ""}
    done = run("man", "--warnings", "-E", "ascii", "-l", tmp_path / "page.1", env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    found = programs.programs(cli.parser())[program]
    words = done.stdout.replace(",", " ").replace("=", " ").split()
    for command in (found, *found.commands):
        for option in command.options:
            assert set(option.names) <= set(words)
    for command in found.commands:
        assert f"   kiln {command.name}" in done.stdout


def test_files_that_are_installed_are_current():
    done = run(sys.executable, ROOT / "scripts" / "make_shell_files.py", "--check")
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    ("title", "codes"), [("kiln", exit_codes.KILN), ("trtexec", exit_codes.TRTEXEC)]
)
def test_the_docs_have_the_same_exit_codes(title, codes):
    name = {"kiln": "kiln-command.md", "trtexec": "trtexec.md"}[title]
    text = (ROOT / "docs" / name).read_text()
    rows = "".join(f"| {code} | {meaning} |\n" for code, meaning in codes.items())
    assert rows in text, f"expected in docs/{name}:\n{rows}"


def test_exit_codes_of_kiln(tmp_path):
    """test_kiln_command.py has those of check, inspect, run, demo and of a closed pipe."""
    (tmp_path / "no.plan").write_bytes(b"ABCD" * 100)

    def code(*arguments):
        return run(sys.executable, "-m", "kiln", *arguments, cwd=tmp_path).returncode

    assert code("--version") == 0
    assert code("report", "no.plan") == 1
    assert code("report", "none.plan") == 2
    assert code("no-such-command") == 2
    assert code("man", "no-such-program") == 2
    assert code("completion", "no-such-shell") == 2


def test_exit_codes_of_trtexec():
    done = run(TRTEXEC, "--help")
    assert done.returncode == 0 and "&&&&" not in done.stdout
    for arguments in ([], ["--noSuchOption"], ["--onnx=none.onnx"], ["--loadEngine=none.plan"]):
        done = run(TRTEXEC, *arguments)
        assert done.returncode == 1
        assert done.stdout.splitlines()[-1].startswith("&&&& FAILED")
        assert "[E]" in done.stderr


def test_a_build_without_trtexec(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(programs, "TRTEXEC", tmp_path / "none")
    arguments = cli.parser().parse_args(["man", "trtexec"])
    with pytest.raises(SystemExit) as stopped:
        arguments.run(arguments)
    assert stopped.value.code == 2
    assert "[man] expected a build with trtexec, found none." in capsys.readouterr().err


def test_trtexec_that_is_interrupted(tmp_path):
    """A shell reports the end by a signal as 128 and its number."""
    builder = kiln.Builder(kiln.Logger(kiln.Logger.ERROR))
    network = facts.smallest_network(builder)
    plan = builder.build_serialized_network(network, builder.create_builder_config())
    (tmp_path / "m.plan").write_bytes(bytes(memoryview(plan)))
    command = [TRTEXEC, "--loadEngine=m.plan", "--duration=-1", "--verbose"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, text=True,
        # Tests in the background of a shell ignore it, and so would the command.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert "RUNNING" in process.stdout.readline()
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT
