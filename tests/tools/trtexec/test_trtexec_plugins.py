# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""trtexec loads plugins from libraries and from Python files."""

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest
from trtexec_models import FLOAT, ROOT, save_model

from onnx import helper

CIRC_PAD = ROOT / "examples" / "circ_pad"
SHAPE = (1, 1, 2, 3)
PADS = [1, 2, 0, 1]
PLUGINS = {"v2": "1", "v3": "2"}

HIDE_LIBRARY = """
import sys, sysconfig
real = sysconfig.get_config_var
sysconfig.get_config_var = lambda name: None if "LIB" in name or "SONAME" in name else real(name)
sys.base_prefix = "/nowhere"
"""


def has_shared_python():
    folder = Path(sysconfig.get_config_var("LIBDIR") or "/")
    names = [sysconfig.get_config_var(name) for name in ("INSTSONAME", "LDLIBRARY")]
    return any(name and ".so" in name and (folder / name).is_file() for name in names)


@pytest.fixture
def pad_model(tmp_path):
    """Returns a function: plugin version -> file of a model with one CircPadPlugin node."""

    def make(version):
        node = helper.make_node(
            "CircPadPlugin", ["x"], ["y"], pads=PADS, plugin_version=version, plugin_namespace=""
        )
        padded = [1, 1, SHAPE[2] + PADS[2] + PADS[3], SHAPE[3] + PADS[0] + PADS[1]]
        return save_model(
            tmp_path / f"pad{version}.onnx",
            [node],
            {"x": (FLOAT, list(SHAPE))},
            {"y": (FLOAT, padded)},
        )

    return make


@pytest.fixture
def check_pad(tmp_path):
    """Writes the input; returns a function that checks the output."""
    x = np.arange(np.prod(SHAPE), dtype=np.float32).reshape(SHAPE)
    x.tofile(tmp_path / "x.bin")
    pairs = [(0, 0), (0, 0), tuple(PADS[2:]), tuple(PADS[:2])]

    def check():
        (y,) = json.loads((tmp_path / "y.json").read_text())
        extents = [int(extent) for extent in y["dimensions"].split("x")]
        values = np.array(y["values"], np.float32).reshape(extents)
        np.testing.assert_array_equal(values, np.pad(x, pairs, mode="wrap"))
        (tmp_path / "y.json").unlink()

    return check


FILES = ("--loadInputs=x:x.bin", "--exportOutput=y.json")


@pytest.fixture(scope="session")
def libraries(tmp_path_factory):
    """{"v2": file, "v3": file}: the example's plugins in C++."""
    folder = tmp_path_factory.mktemp("libraries")
    files = {}
    for style in PLUGINS:
        built = ROOT / "build" / "examples" / "circ_pad" / f"libcirc_pad_{style}.so"
        files[style] = built if built.exists() else compile_plugin(style, folder)
    return files


def compile_plugin(style, folder):
    file = folder / f"lib{style}.so"
    command = ["g++", "-std=c++17", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "-w"]
    subprocess.run([*command, CIRC_PAD / f"circ_pad_{style}.cpp", "-o", file], check=True)
    return file


@pytest.fixture
def static_python(tmp_path):
    """An interpreter like this one, but without a shared library to open."""
    folder = tmp_path / "hide"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(HIDE_LIBRARY)
    script = tmp_path / "python"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{folder}:$PYTHONPATH" exec {sys.executable} "$@"\n')
    script.chmod(0o755)
    return script


def python_plugin(style):
    return f"--plugins={CIRC_PAD / f'circ_pad_{style}.py'}"


@pytest.mark.parametrize("style", PLUGINS)
def test_python_file(quick_run, pad_model, check_pad, style):
    model = pad_model(PLUGINS[style])
    built = quick_run(f"--onnx={model}", "--saveEngine=m.plan", python_plugin(style), *FILES)
    built.passed()
    check_pad()
    assert "[I] Plugins in Python: " in built.out
    assert "registered CircPadPluginCreator, which the file leaves to trtexec" in built.out
    assert built.out.count("&&&& RUNNING") == 1
    quick_run("--loadEngine=m.plan", python_plugin(style), *FILES).passed()
    check_pad()


def test_python_file_that_registers_its_creators_itself(quick_run, pad_model, check_pad):
    built = quick_run(f"--onnx={pad_model('2')}", python_plugin("c"), *FILES).passed()
    check_pad()
    assert "which the file leaves to trtexec" not in built.out


@pytest.mark.skipif(not has_shared_python(), reason="this Python has no shared library")
def test_python_library_is_opened(quick_run, pad_model, check_pad):
    result = quick_run(f"--onnx={pad_model('2')}", python_plugin("v3"), *FILES).passed()
    check_pad()
    assert f"of {sys.executable} (Python " in result.out
    assert "Plugins in Python: opened " in result.out


def test_restart_where_there_is_no_library(quick_run, pad_model, check_pad, static_python):
    result = quick_run(
        f"--onnx={pad_model('2')}", python_plugin("v3"), *FILES, KILN_PYTHON=str(static_python)
    ).passed()
    check_pad()
    assert f"{static_python} (Python " in result.out
    assert "has no shared library, restarting under it" in result.out
    assert result.out.count("&&&& RUNNING") == 1


@pytest.mark.parametrize("option", ["--plugins", "--dynamicPlugins", "--staticPlugins"])
@pytest.mark.parametrize("style", PLUGINS)
def test_library(quick_run, pad_model, check_pad, libraries, style, option):
    model, plugin = pad_model(PLUGINS[style]), f"{option}={libraries[style]}"
    built = quick_run(f"--onnx={model}", "--saveEngine=m.plan", plugin, *FILES).passed()
    check_pad()
    assert f"Plugins of {libraries[style]}: CircPadPlugin {PLUGINS[style]}" in built.out
    quick_run("--loadEngine=m.plan", plugin, *FILES).passed()
    check_pad()


def test_library_and_python_file_together(quick_run, pad_model, check_pad, libraries):
    result = quick_run(
        f"--onnx={pad_model('1')}", f"--plugins={libraries['v2']}", python_plugin("v3"), *FILES
    ).passed()
    check_pad()
    assert "CircPadPlugin 1" in result.out
    assert "CircPadPlugin 2" in result.out


def test_model_whose_plugin_is_absent(quick_run, pad_model):
    quick_run(f"--onnx={pad_model('2')}").failed("CircPadPlugin")


def test_plan_whose_plugin_is_absent(quick_run, pad_model, libraries):
    plugin = f"--plugins={libraries['v3']}"
    quick_run(f"--onnx={pad_model('2')}", "--saveEngine=m.plan", plugin).passed()
    quick_run("--loadEngine=m.plan").failed(
        "needs plugin CircPadPlugin", "--plugins=", "the plan 'm.plan' could not be opened"
    )


def test_plan_whose_plugin_has_another_version(quick_run, pad_model, libraries):
    plugin = f"--plugins={libraries['v3']}"
    quick_run(f"--onnx={pad_model('2')}", "--saveEngine=m.plan", plugin).passed()
    quick_run("--loadEngine=m.plan", f"--plugins={libraries['v2']}").failed(
        "needs plugin CircPadPlugin", "registered under that name"
    )


def test_plugins_inside_of_a_plan(quick_run, pad_model, check_pad, libraries):
    library = libraries["v3"]
    built = quick_run(
        f"--onnx={pad_model('2')}",
        "--saveEngine=m.plan",
        f"--dynamicPlugins={library}",
        f"--setPluginsToSerialize={library}",
        "--skipInference",
    ).passed()
    assert f"Plugins in the plan: {library}" in built.out
    assert "Host code in plans: not allowed" in built.out
    quick_run("--loadEngine=m.plan").failed("the plan 'm.plan' could not be opened")
    for more in ([], ["--tempdir=.", "--tempfileControls=in_memory:deny,temporary:allow"]):
        loaded = quick_run("--loadEngine=m.plan", "--allowHostCode", *more, *FILES).passed()
        assert "Host code in plans: allowed" in loaded.out
        check_pad()


def test_a_python_file_inside_of_a_plan(quick_run, pad_model, check_pad):
    file = CIRC_PAD / "circ_pad_v3.py"
    built = quick_run(
        f"--onnx={pad_model('2')}",
        "--saveEngine=m.plan",
        f"--plugins={file}",
        f"--setPluginsToSerialize={file}",
        "--skipInference",
    ).passed()
    assert "Python source in plans: not allowed" in built.out
    quick_run("--loadEngine=m.plan").failed(
        "carries its Python source 'circ_pad_v3', which may not run", "--allowPythonSource"
    )
    loaded = quick_run("--loadEngine=m.plan", "--allowPythonSource", *FILES).passed()
    assert "running the Python source 'circ_pad_v3' of the plan" in loaded.out
    check_pad()


DECORATED = """
import numpy as np
import tensorrt.plugin as trtp


@trtp.register("guest::double", lazy_register=True)
def double_desc(x: trtp.TensorDesc, times: int = 2) -> trtp.TensorDesc:
    return x.like()


@trtp.impl("guest::double")
def double(x: trtp.Tensor, times: int, outputs: tuple[trtp.Tensor], stream: int) -> None:
    np.multiply(np.asarray(x), times, out=np.asarray(outputs[0]))
"""


def test_decorated_functions_inside_of_a_plan(quick_run, tmp_path):
    (tmp_path / "guest.py").write_text(DECORATED)
    node = helper.make_node("double", ["x"], ["y"], plugin_namespace="guest", plugin_version="1")
    save_model(tmp_path / "m.onnx", [node], {"x": (FLOAT, [3])}, {"y": (FLOAT, [3])})
    np.array([1, 2, 3], np.float32).tofile(tmp_path / "x.bin")
    carry = ("--plugins=guest.py", "--setPluginsToSerialize=guest.py", "--saveEngine=m.plan")
    quick_run("--onnx=m.onnx", *carry, "--skipInference").passed()
    quick_run("--loadEngine=m.plan").failed("carries its Python source 'guest', which may not run")
    for plugins in ("--allowPythonSource", "--plugins=guest.py"):
        quick_run("--loadEngine=m.plan", plugins, *FILES).passed()
        (y,) = json.loads((tmp_path / "y.json").read_text())
        assert y["values"] == [2, 4, 6]
        (tmp_path / "y.json").unlink()


BOTH = (
    DECORATED
    + '''

import kiln

SOURCE = """
#include <kiln/host_kernel.h>
int32_t twelvefold(void const* const* in, void* const* out, KilnScalar const* s,
                   KilnHostCall const* c) {
    for (int i = 0; i < 3; ++i) {
        ((float*)out[0])[i] = ((float const*)in[0])[i] * 12;
    }
    return 0;
}
"""


@trtp.aot_impl("guest::double")
def double_code(
    x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]
) -> tuple[str | bytes, str | bytes, trtp.KernelLaunchParams, trtp.SymExprs]:
    return "twelvefold", kiln.aot.compile_c(SOURCE), trtp.KernelLaunchParams(), trtp.SymExprs(0)
'''
)


def test_just_in_time_or_ahead_of_time(quick_run, tmp_path):
    """A plugin with both functions, which compute different results here to tell them apart."""
    (tmp_path / "guest.py").write_text(BOTH)
    node = helper.make_node("double", ["x"], ["y"], plugin_namespace="guest", plugin_version="1")
    save_model(tmp_path / "m.onnx", [node], {"x": (FLOAT, [3])}, {"y": (FLOAT, [3])})
    np.array([1, 2, 3], np.float32).tofile(tmp_path / "x.bin")
    build = ("--onnx=m.onnx", "--plugins=guest.py", "--allowHostCode")
    for mode, expected in (("jit", [2, 4, 6]), ("aot", [12, 24, 36])):
        quick_run(*build, f"--pluginMode={mode}", *FILES).passed()
        (y,) = json.loads((tmp_path / "y.json").read_text())
        assert y["values"] == expected
    quick_run(*build).failed("expected one of impl and aot_impl, or a choice between them")
    quick_run(*build, "--pluginMode=both").failed("--pluginMode: expected one of jit, aot, got")


def test_threads(quick_run, tmp_path):
    (tmp_path / "guest.py").write_text(
        DECORATED + "\n\nimport kiln\nprint('threads:', kiln.num_threads())\n"
    )
    node = helper.make_node("double", ["x"], ["y"], plugin_namespace="guest", plugin_version="1")
    save_model(tmp_path / "m.onnx", [node], {"x": (FLOAT, [3])}, {"y": (FLOAT, [3])})
    result = quick_run("--onnx=m.onnx", "--plugins=guest.py", "--numThreads=3")
    result.passed()
    assert "threads: 3" in result.out
    quick_run("--onnx=m.onnx", "--numThreads=0").failed("--numThreads: expected")


def test_a_python_file_that_no_plan_can_carry(quick_run, pad_model, tmp_path):
    file = CIRC_PAD / "circ_pad_v3.py"
    (tmp_path / "nothing.py").write_text("value = 1\n")
    quick_run(
        f"--onnx={pad_model('2')}", f"--plugins={file}", "--setPluginsToSerialize=nothing.py"
    ).failed("nothing.py: expected a module that registers a plugin or more, got none")


def test_kiln_check_loads_libraries(quick_run, pad_model, libraries, tmp_path):
    plugin = f"--plugins={libraries['v3']}"
    quick_run(f"--onnx={pad_model('2')}", "--saveEngine=m.plan", plugin).passed()

    def check(*more):
        command = [sys.executable, "-m", "kiln", "check", "m.plan", *more]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert check().stdout.endswith(
        "m.plan: sound; it needs CircPadPlugin (version 2), which --plugins=FILE looks for\n"
    )
    done = check(plugin)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("m.plan: sound\n")


def test_plugins_to_serialize_must_exist(quick_run, add_model):
    quick_run(f"--onnx={add_model(rows=1)}", "--setPluginsToSerialize=n.so").failed(
        "--setPluginsToSerialize: cannot open 'n.so': No such file"
    )


def fails_in_python(quick_run, tmp_path, text, *messages, name="plugin_file.py"):
    (tmp_path / name).write_text(text)
    return quick_run("--onnx=m.onnx", f"--plugins={name}").failed(
        *messages, f"the Python file '{name}' could not be used"
    )


def test_errors_of_a_python_file_show_their_traceback(quick_run, tmp_path):
    text = "def fail():\n    raise ValueError('bad pads')\n\n\nfail()\n"
    fails_in_python(
        quick_run, tmp_path, text, "Traceback", "line 2, in fail", "ValueError: bad pads"
    )


def test_a_python_file_that_exits(quick_run, tmp_path):
    fails_in_python(quick_run, tmp_path, "import sys\nsys.exit(0)\n", "SystemExit")


def test_a_creator_that_cannot_be_made(quick_run, tmp_path):
    text = """
import tensorrt as trt

class Creator(trt.IPluginCreatorV3One):
    def __init__(self, required):
        super().__init__()
"""
    fails_in_python(quick_run, tmp_path, text, "TypeError", "required")


def test_a_python_file_with_the_name_of_a_module(quick_run, tmp_path):
    fails_in_python(
        quick_run, tmp_path, "", "'json' is a module of Python's own library", name="json.py"
    )


def test_a_python_file_is_imported_not_run(quick_run, tmp_path):
    (tmp_path / "helper_of_it.py").write_text("VALUE = 'beside it'\n")
    (tmp_path / "named.py").write_text(
        "import sys\nimport helper_of_it\n"
        "print('imported', __name__, sys.modules[__name__].__file__, helper_of_it.VALUE)\n"
        "if __name__ == '__main__':\n    raise RuntimeError('run as main')\n"
    )
    result = quick_run("--onnx=none.onnx", "--plugins=named.py").failed("cannot open 'none.onnx'")
    assert f"imported named {tmp_path / 'named.py'} beside it" in result.out
    assert "Plugins of named.py: no creator was registered" in result.err


def test_no_interpreter(quick_run, tmp_path):
    (tmp_path / "p.py").write_text("")
    quick_run("--onnx=m.onnx", "--plugins=p.py", KILN_PYTHON="/no/such/python").failed(
        "expected an interpreter with the package kiln, found none",
        "/no/such/python (KILN_PYTHON) does not run",
    )


def test_a_library_that_is_none(quick_run, tmp_path):
    (tmp_path / "text.so").write_text("no library")
    quick_run("--onnx=m.onnx", "--plugins=text.so").failed("--plugins: cannot load 'text.so'")
