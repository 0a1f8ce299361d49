# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The progress bar of builds, and messages that go to Python's logging."""

import io
import logging
import os
import pty
import subprocess
import sys
import threading

import kiln
import kiln as trt
import pytest

BUILD = """
import kiln as trt
builder = trt.Builder(trt.Logger(trt.Logger.INFO))
network = builder.create_network()
x = network.add_input("x", trt.float32, (4,))
network.mark_output(network.add_unary(x, trt.UnaryOperation.EXP).get_output(0))
config = builder.create_builder_config()
assert builder.build_serialized_network(network, config) is not None
assert config.progress_monitor is None
"""


def network_of(builder, layers=3):
    network = builder.create_network()
    tensor = network.add_input("x", trt.float32, (4,))
    for _ in range(layers):
        tensor = network.add_unary(tensor, trt.UnaryOperation.EXP).get_output(0)
    network.mark_output(tensor)
    return network


class Recorder(trt.IProgressMonitor):
    def __init__(self):
        super().__init__()
        self.parents, self.steps = {}, {}

    def phase_start(self, phase_name, parent_phase, num_steps):
        self.parents[phase_name] = parent_phase
        self.steps[phase_name] = [num_steps, 0]

    def step_complete(self, phase_name, step):
        self.steps[phase_name][1] += 1
        return True

    def phase_finish(self, phase_name):
        pass


def build(logger, monitor):
    builder = trt.Builder(logger)
    config = builder.create_builder_config()
    config.progress_monitor = monitor
    return builder.build_serialized_network(network_of(builder), config)


def test_phases_of_layers():
    monitor = Recorder()
    assert build(trt.Logger(trt.Logger.ERROR), monitor) is not None
    assert monitor.parents == {
        "Building engine": None,
        "Measuring layers": "Building engine",
        "Choosing kernels": "Building engine",
    }
    assert all(told == done > 0 for told, done in monitor.steps.values())


def test_bar_in_a_file():
    drawn = io.StringIO()
    assert build(trt.Logger(trt.Logger.ERROR), kiln.ProgressBar(delay=0, file=drawn)) is not None
    assert "\033" not in drawn.getvalue()  # a file is no terminal


def test_bar_is_late():
    drawn = io.StringIO()
    assert build(trt.Logger(trt.Logger.ERROR), kiln.ProgressBar(delay=60, file=drawn)) is not None
    assert drawn.getvalue() == ""


def test_no_bar_in_pipes():
    done = subprocess.run([sys.executable, "-c", BUILD], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "\033" not in done.stderr
    assert "Building engine" not in done.stderr


def on_terminal(program, **variables):
    """What a program writes to standard error that is a terminal."""
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", **variables}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen([sys.executable, "-c", program], stderr=follower, env=environment)
    os.close(follower)
    written = bytearray()

    def read():
        try:
            while part := os.read(leader, 4096):
                written.extend(part)
        except OSError:  # the terminal is closed
            pass

    reader = threading.Thread(target=read)
    reader.start()
    assert process.wait(timeout=60) == 0, bytes(written)
    reader.join()
    os.close(leader)
    return written.decode()


def test_bar_on_terminals():
    at_once = (
        "import functools, kiln._progress as p; p.ProgressBar = functools.partial(p.ProgressBar, 0)"
    )
    program = f"{at_once}\n{BUILD}"
    text = on_terminal(program)
    assert "Building engine" in text
    assert "Measuring layers" in text
    assert "Building engine" not in on_terminal(program, KILN_PROGRESS="0")


def test_colours_on_terminals():
    program = "import kiln as trt\nlogger = trt.Logger()\n" + "".join(
        f"logger.log(trt.Logger.{severity}, '{severity} text')\n"
        for severity in ("ERROR", "WARNING")
    )
    text = on_terminal(program)
    assert "\033[31m" in text.split("ERROR text")[0]
    assert "\033[33m" in text.split("ERROR text")[1]
    assert text.count("\033[0m") == 2


def test_logging(caplog):
    with caplog.at_level(logging.DEBUG, logger="kiln"):
        assert build(kiln.logging_logger(), None) is not None
    assert all(record.name == "kiln" for record in caplog.records)
    assert any(record.levelno == logging.INFO for record in caplog.records)


@pytest.mark.parametrize(
    "severity, level",
    [
        ("INTERNAL_ERROR", logging.CRITICAL),
        ("ERROR", logging.ERROR),
        ("WARNING", logging.WARNING),
        ("INFO", logging.INFO),
        ("VERBOSE", logging.DEBUG),
    ],
)
def test_levels(caplog, severity, level):
    target = logging.getLogger("of.a.program")
    with caplog.at_level(logging.DEBUG, logger=target.name):
        logger = kiln.logging_logger(target)
        logger.log(getattr(trt.ILogger, severity), "100 % of it")
    assert logger.target is target
    assert [(r.name, r.levelno, r.getMessage()) for r in caplog.records] == [
        ("of.a.program", level, "100 % of it")
    ]
