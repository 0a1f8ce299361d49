# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The command line `kiln`: what it shows, which problems it finds, and how it exits."""

import json
import re
import subprocess
import sys
from dataclasses import dataclass

import kiln
import numpy as np
import pytest
from kiln import _host_cudart as host_cudart
from kiln import cli


@dataclass
class Result:
    code: int
    out: str
    err: str


@pytest.fixture
def run(tmp_path):
    """Returns a function: arguments -> Result, run in the test's own folder."""

    def call(*arguments):
        done = subprocess.run(
            [sys.executable, "-m", "kiln", *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return call


PLUGIN_FILE = """
import tensorrt as trt


class Twice(trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime):
    def __init__(self):
        trt.IPluginV3.__init__(self)
        trt.IPluginV3OneCore.__init__(self)
        trt.IPluginV3OneBuild.__init__(self)
        trt.IPluginV3OneRuntime.__init__(self)
        self.plugin_name = "Twice"
        self.plugin_version = "1"
        self.plugin_namespace = "sample"
        self.num_outputs = 1

    def get_capability_interface(self, type):
        return self

    def get_output_data_types(self, input_types):
        return list(input_types)

    def get_output_shapes(self, inputs, shape_inputs, expr_builder):
        return list(inputs)

    def supports_format_combination(self, pos, in_out, num_inputs):
        return in_out[pos].desc.format == trt.TensorFormat.LINEAR

    def configure_plugin(self, inputs, outputs):
        pass

    def on_shape_change(self, inputs, outputs):
        pass

    def set_tactic(self, tactic):
        pass

    def get_fields_to_serialize(self):
        return trt.PluginFieldCollection([])

    def attach_to_context(self, context):
        return self.clone()

    def clone(self):
        return Twice()

    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        pass


class TwiceCreator(trt.IPluginCreatorV3One):
    def __init__(self):
        super().__init__()
        self.name = "Twice"
        self.plugin_version = "1"
        self.plugin_namespace = "sample"
        self.field_names = trt.PluginFieldCollection([])

    def create_plugin(self, name, fields, phase):
        return Twice()
"""

BUILD = """
import sys
import kiln
kiln.install_as_tensorrt()
import numpy as np

builder = kiln.Builder(kiln.Logger(kiln.Logger.ERROR))
network = builder.create_network()
network.name = "small"
x = network.add_input("x", kiln.float32, (-1, 4))
c = network.add_constant((1, 4), np.ones((1, 4), np.float32)).get_output(0)
y = network.add_elementwise(x, c, kiln.ElementWiseOperation.SUM).get_output(0)
if len(sys.argv) > 2:
    sys.path.insert(0, sys.argv[2])
    import twice
    layer = network.add_plugin_v3([y], [], twice.Twice())
    layer.name = "doubling"
    y = layer.get_output(0)
y.name = "y"
network.mark_output(y)
profile = builder.create_optimization_profile()
profile.set_shape("x", (1, 4), (2, 4), (8, 4))
config = builder.create_builder_config()
config.add_optimization_profile(profile)
plan = builder.build_serialized_network(network, config)
open(sys.argv[1], "wb").write(bytes(memoryview(plan)))
"""


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    """A folder with small.plan, plugin.plan, and twice.py, which has the latter's plugin."""
    folder = tmp_path_factory.mktemp("plans")
    (folder / "twice.py").write_text(PLUGIN_FILE)
    for arguments in (["small.plan"], ["plugin.plan", str(folder)]):
        subprocess.run([sys.executable, "-c", BUILD, *arguments], cwd=folder, check=True)
    return folder


def test_inspect_shows_tables(run, plans):
    result = run("inspect", plans / "small.plan")
    assert result.code == 0, result.err
    lines = result.out.splitlines()
    assert "  network          small" in lines
    assert "  target           cpu" in lines
    assert f"  kiln version     {kiln.kiln_version}" in lines
    assert "  x     float32  linear  -1x4   1x4..2x4..8x4" in lines
    assert "Plugins needed: none" in lines
    assert any(line.startswith("Layers") for line in lines)
    assert result.err == ""
    assert result.out.isascii(), "plain text when it is piped"


def test_inspect_as_json(run, plans):
    result = run("inspect", plans / "small.plan", "--json")
    plan = json.loads(result.out)
    assert result.code == 0
    assert plan == kiln.describe_plan(plans / "small.plan")
    assert plan["file_bytes"] == (plans / "small.plan").stat().st_size
    assert plan["inputs"] == [
        {
            "name": "x",
            "type": "float32",
            "format": "linear",
            "shape": [-1, 4],
            "profiles": [{"min": [1, 4], "opt": [2, 4], "max": [8, 4]}],
        }
    ]
    assert [output["name"] for output in plan["outputs"]] == ["y"]
    assert sum(entry["bytes"] for entry in plan["weights"]) >= 16
    assert plan["layers"][0]["inputs"][0] == "x"
    assert plan["problems"] == []
    assert all(section["intact"] for section in plan["sections"])


def test_inspect_needs_no_plugin(run, plans):
    result = run("inspect", plans / "plugin.plan")
    assert result.code == 0
    assert "sample::Twice (version 1)" in result.out
    assert "Python" in result.out
    assert "doubling" in result.out


def test_check_lists_what_a_plan_needs(run, plans):
    """Without --plugins, no plugin is reported as missing."""
    result = run("check", plans / "plugin.plan")
    assert result.code == 0
    assert "not looked for" in result.out and "MISSING" not in result.out
    assert result.out.endswith(
        "plugin.plan: sound; it needs sample::Twice (version 1), which --plugins=FILE looks for\n"
    )
    assert result.err == ""


def test_check_finds_a_missing_plugin(run, plans, tmp_path):
    (tmp_path / "other.py").write_text(PLUGIN_FILE.replace("Twice", "Thrice"))
    result = run("check", plans / "plugin.plan", "--plugins=other.py")
    assert result.code == 1
    assert result.out.endswith("plugin.plan: in need of a plugin that is missing\n")
    assert "MISSING" in result.out
    assert "sample::Twice (version 1)" in result.err


def test_inspect_takes_plugins(run, plans):
    without = run("inspect", plans / "plugin.plan")
    assert "What keeps it" not in without.out
    result = run("inspect", plans / "plugin.plan", f"--plugins={plans / 'twice.py'}", "--json")
    assert json.loads(result.out)["plugins"][0]["registered"] is True
    assert json.loads(result.out)["problems"] == []


def test_version(run):
    result = run("--version")
    assert result.out == f"kiln {kiln.kiln_version} (the API of TensorRT {kiln.__version__})\n"
    assert result.code == 0


@pytest.mark.parametrize("arguments", [["info"], ["inspect", "small.plan"], ["check", "small.plan"],
                                       ["config", "--libdir"]])  # fmt: skip
def test_readers_that_stop_early(plans, arguments):
    """A reader such as head closes the pipe early: there is no traceback."""
    command = [sys.executable, "-m", "kiln", *arguments]
    process = subprocess.Popen(
        command, cwd=plans, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() == 141


def test_check_loads_plugins(run, plans):
    result = run("check", plans / "plugin.plan", f"--plugins={plans / 'twice.py'}")
    assert result.code == 0, result.err
    assert "MISSING" not in result.out
    assert result.out.endswith("plugin.plan: sound\n")


def test_check_of_several_plans(run, plans):
    (plans / "no.plan").write_bytes(b"ABCD" * 100)
    result = run("check", plans / "small.plan", plans / "plugin.plan", plans / "no.plan")
    assert result.code == 1
    assert "small.plan: sound\n" in result.out
    assert "plugin.plan: sound; it needs sample::Twice" in result.out
    assert "no.plan: not a Kiln plan\n" in result.out


def test_check_as_json(run, plans, tmp_path):
    (tmp_path / "no.plan").write_bytes(b"ABCD" * 100)
    result = run("check", plans / "small.plan", plans / "plugin.plan", "no.plan", "--json")
    assert (result.code, result.err) == (1, "")
    small, plugin, other = json.loads(result.out)
    assert (small["plan"], small["verdict"]) == (str(plans / "small.plan"), "sound")
    assert small["sound"] and not small["problems"] and not small["not_looked_for"]
    assert all(section["intact"] for section in small["sections"])
    assert plugin["sound"] and plugin["not_looked_for"] == ["sample::Twice (version 1)"]
    assert not other["sound"] and other["verdict"] == "not a Kiln plan"
    assert other["problems"][0]["kind"] == "not a plan"


def changed(plans, tmp_path, change):
    data = bytearray((plans / "small.plan").read_bytes())
    change(data)
    path = tmp_path / "changed.plan"
    path.write_bytes(data)
    return path


def flip_last(data):
    data[-1] ^= 1


def flip_header(data):
    data[48] ^= 1


def cut(data):
    del data[len(data) // 2 :]


@pytest.mark.parametrize(
    ("change", "verdict", "reason"),
    [
        (flip_last, "damaged", "section 'weights'"),
        (flip_header, "damaged", "header, bytes 0 to"),
        (cut, "damaged", "passes the end of the file"),
        (lambda data: data.__setitem__(slice(0, 4), b"ABCD"), "not a Kiln plan", "magic number"),
    ],
)
def test_check_names_the_damage(run, plans, tmp_path, change, verdict, reason):
    result = run("check", changed(plans, tmp_path, change))
    assert result.code == 1
    assert result.out.endswith(f"changed.plan: {verdict}\n")
    assert reason in result.err


@pytest.mark.parametrize(
    ("kinds", "verdict"),
    [
        (["version"], "of another version"),
        (["target"], "for a target that this build lacks"),
        (["instruction set"], "for another instruction set"),
        (
            ["instruction set", "plugin", "plugin"],
            "for another instruction set and in need of a plugin that is missing",
        ),
    ],
)
def test_check_names_every_kind_of_problem(monkeypatch, capsys, kinds, verdict):
    problems = [{"kind": kind, "text": f"reason {i}"} for i, kind in enumerate(kinds)]
    monkeypatch.setattr(kiln, "describe_plan", lambda path: {"problems": problems})
    monkeypatch.setattr(cli.plugins, "load", lambda paths: None)
    arguments = cli.parser().parse_args(["check", "m.plan", "--plugins=some.py"])
    assert arguments.run(arguments) == 1
    shown = capsys.readouterr()
    assert shown.out == f"m.plan: {verdict}\n"
    assert shown.err.splitlines() == [f"reason {i}" for i in range(len(kinds))]


def test_damaged_weights_leave_the_rest_readable(run, plans, tmp_path):
    path = changed(plans, tmp_path, flip_last)
    result = run("inspect", path)
    assert result.code == 0
    assert "  network          small" in result.out
    assert "What keeps it from being opened here" in result.out


def test_a_plan_that_is_cut_off_is_not_readable(run, plans, tmp_path):
    result = run("inspect", changed(plans, tmp_path, cut))
    assert result.code == 1
    assert "damaged" in result.out


@pytest.mark.parametrize("command", ["inspect", "check"])
def test_a_file_that_is_absent(run, command):
    result = run(command, "none.plan")
    assert result.code == 2
    assert result.err == "[plan] cannot read 'none.plan': No such file or directory (plan-8)\n"


def test_plugins_that_cannot_be_used(run, plans, tmp_path):
    (tmp_path / "broken.py").write_text("raise ValueError('bad pads')\n")
    result = run("check", plans / "small.plan", "--plugins=broken.py")
    assert result.code == 2
    assert "Traceback" in result.err
    assert "--plugins: 'broken.py' could not be used: bad pads" in result.err
    (tmp_path / "text.so").write_text("no library")
    result = run("check", plans / "small.plan", "--plugins=text.so")
    assert result.code == 2
    assert "--plugins: 'text.so' could not be used" in result.err


def test_info(run):
    result = run("info")
    assert result.code == 0, result.err
    assert f"  kiln             {kiln.kiln_version}\n" in result.out
    assert "  target           cpu\n" in result.out
    assert "  instruction set  x86-64" in result.out
    assert "  host libcudart   off; kiln run PROGRAM switches it on" in result.out
    assert re.search(rf"^  numpy +{re.escape(np.__version__)}", result.out, re.MULTILINE)
    assert re.search(r"^  cupy +(not installed|\d+\.\d+)", result.out, re.MULTILINE)


def test_info_as_json(run):
    result = run("info", "--json")
    assert result.code == 0, result.err
    found = json.loads(result.out)
    assert (found["kiln"], found["api"]) == (kiln.kiln_version, kiln.__version__)
    assert (found["target"], found["threads"]) == ("cpu", kiln.num_threads())
    assert found["instruction_set"].startswith("x86-64")
    assert found["python"]["executable"] == sys.executable
    assert found["host_cudart"] == {"on": False, "folder": str(host_cudart.FOLDER)}
    assert found["frameworks"]["numpy"] == {"package": "numpy", "version": np.__version__}
    assert {library["name"] for library in found["gpu"]["libraries"]} >= {"driver", "NVRTC"}


def test_run_gives_kiln_as_tensorrt(run, tmp_path):
    (tmp_path / "program.py").write_text(
        "import sys\nimport tensorrt\nprint(tensorrt.__name__, sys.argv[1:], __name__)\n"
        "sys.exit(3)\n"
    )
    result = run("run", "program.py", "--flag", "word")
    assert result.out == "kiln ['--flag', 'word'] __main__\n"
    assert result.code == 3


def test_run_switches_the_host_cudart_on(run, tmp_path):
    (tmp_path / "program.py").write_text(
        "import ctypes, os\nprint(os.environ.get('LD_LIBRARY_PATH', 'nothing'))\n"
    )
    assert run("run", "program.py").out.startswith(str(host_cudart.FOLDER))
    assert not run("run", "--no-host-cudart", "program.py").out.startswith(str(host_cudart.FOLDER))


def test_run_of_a_module_and_of_a_program_of_the_path(run, tmp_path, monkeypatch):
    (tmp_path / "tool.py").write_text("import sys, tensorrt\nprint(tensorrt.__name__, sys.argv)\n")
    result = run("run", "-m", "tool", "--flag")
    assert result.out == f"kiln ['{tmp_path / 'tool.py'}', '--flag']\n"
    script = tmp_path / "bin" / "tool"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\n" + (tmp_path / "tool.py").read_text())
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(script.parent), prepend=":")
    assert run("run", "tool", "--flag").out == f"kiln ['{script}', '--flag']\n"
    script.write_text("#!/bin/sh\n")
    result = run("run", "tool")
    assert result.code == 2
    assert result.err == "[run] expected a Python file, got 'tool' (run-16)\n"


def test_run_wants_a_file(run):
    result = run("run", "none.py")
    assert result.code == 2
    assert result.err == "[run] expected a Python file, got 'none.py' (run-16)\n"


@pytest.mark.parametrize(
    ("option", "end"),
    [
        ("cmakedir", "lib/cmake/Kiln"),
        ("includedir", "include"),
        ("libdir", "lib"),
        ("cudartdir", "lib/kiln/cudart"),
    ],
)
def test_config(run, option, end):
    result = run("config", f"--{option}")
    assert result.code == 0
    assert result.out.endswith(f"kiln/{end}\n")


def test_config_as_json(run):
    result = run("config", "--json")
    folders = json.loads(result.out)
    assert list(folders) == ["cmakedir", "includedir", "libdir", "compatdir", "cudartdir"]
    for name, folder in folders.items():
        assert run("config", f"--{name}").out == f"{folder}\n"


def test_demo_runs_the_demo_that_it_finds(run, tmp_path):
    folder = tmp_path / "examples" / "circ_pad"
    folder.mkdir(parents=True)
    (folder / "demo.py").write_text("import sys\nprint('demo', sys.argv[1:])\nsys.exit(4)\n")
    result = run("demo", "--work", "w")
    assert result.out == "demo ['--work', 'w']\n"
    assert result.code == 4


def test_demo_says_where_it_is(monkeypatch, capsys):
    from kiln.cli import demo

    monkeypatch.setattr(demo, "find", lambda start: None)
    assert demo.run(None) == 1
    assert "[demo] expected examples/circ_pad/demo.py in the current folder" in (
        capsys.readouterr().err
    )


def test_tables_are_drawn_on_a_terminal(monkeypatch, capsys):
    from kiln.cli import show

    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    show.table("Title", ("a", "b"), [("x[bold]", 1)])
    text = capsys.readouterr().out
    assert "x[bold]" in text
    assert not text.isascii()  # box-drawing characters
