# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Python plugins stored in plans as source. Plans are opened in their own processes."""

import importlib
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import kiln
import pytest
import tensorrt as trt
import tensorrt.plugin as trtp

SCALE = Path(__file__).parents[2] / "examples" / "class_based" / "scale_v3.py"

OPEN = """
import sys
import kiln
kiln.install_as_tensorrt()
import numpy as np
import tensorrt as trt

{before}
logger = trt.Logger(trt.Logger.VERBOSE)
runtime = trt.Runtime(logger)
{allow}
engine = runtime.deserialize_cuda_engine(open(sys.argv[1], "rb").read())
print("opened", engine is not None)
if engine is not None:
    context = engine.create_execution_context()
    x, y = np.array([1, 2, 3], np.float32), np.empty(3, np.float32)
    context.set_tensor_address("x", x.ctypes.data)
    context.set_tensor_address("y", y.ctypes.data)
    context.execute_async_v3(0)
    print("y", y)
print("module", "scale_v3" in sys.modules)
"""
ALLOW = "kiln.allow_python_source(runtime)"


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """The file of a plan with the module scale_v3 inside."""
    path = tmp_path_factory.mktemp("plan") / "scale.plan"
    code = f"""
    import sys
    sys.path.insert(0, {str(SCALE.parent)!r})
    import kiln, scale_v3
    import tensorrt as trt
    builder = trt.Builder(trt.Logger(trt.Logger.ERROR))
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (3,))
    y = network.add_plugin_v3([x], [], scale_v3.Scale(2.0)).get_output(0)
    y.name = "y"
    network.mark_output(y)
    config = builder.create_builder_config()
    kiln.embed_python_plugins(config, scale_v3)
    plan = builder.build_serialized_network(network, config)
    open({str(path)!r}, "wb").write(memoryview(plan))
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
    return path


def open_plan(plan, allow="", before="", cwd=None):
    code = OPEN.format(before=before, allow=allow)
    command = [sys.executable, "-c", code, str(plan)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_allowed_source_runs_where_the_plan_is_opened(plan):
    text = open_plan(plan, ALLOW)
    assert "y [2. 4. 6.]" in text
    size = SCALE.stat().st_size
    line = f"running the Python source 'scale_v3' of the plan for plugin Scale (version 1): {size}"
    assert line in text


def test_allowed_for_all_runtimes(plan):
    text = open_plan(plan, before="kiln.allow_python_source(None)")
    assert "y [2. 4. 6.]" in text


def test_source_does_not_run_unless_it_is_allowed(plan):
    for allow in ("", "kiln.allow_python_source(runtime, False)"):
        text = open_plan(plan, allow)
        assert "opened False" in text
        assert "module False" in text
        assert "needs plugin Scale (version 1) (IPluginV3): no creator for plugin Scale" in text
        assert (
            "carries its Python source 'scale_v3', which may not run. Call kiln.allow_python"
            in (text)
        )


def test_source_does_not_run_where_the_plugin_is_registered(plan):
    before = f"""
sys.path.insert(0, {str(SCALE.parent)!r})
import scale_v3 as own
trt.get_plugin_registry().register_creator(own.ScaleCreator(), "")
del sys.modules["scale_v3"]
"""
    for allow in ("", ALLOW):
        text = open_plan(plan, allow, before)
        assert "y [2. 4. 6.]" in text
        assert (
            "the Python source 'scale_v3' of the plan is not run: the plan needs nothing of it"
            in (text)
        )
        assert "module False" in text


def test_the_same_module_that_is_loaded_already(plan):
    before = f"sys.path.insert(0, {str(SCALE.parent)!r})\nimport scale_v3"
    assert "y [2. 4. 6.]" in open_plan(plan, ALLOW, before)


def test_another_module_of_that_name(plan, tmp_path):
    (tmp_path / "scale_v3.py").write_text("x = 1\n")
    text = open_plan(plan, ALLOW, "import scale_v3", cwd=tmp_path)
    assert "opened False" in text
    assert "[plan] Python source 'scale_v3' of the plan failed:" in text
    assert "ImportError: another module named 'scale_v3' is loaded already" in text


def test_a_check_of_the_plan(plan, logger):
    assert kiln.check_plan(plan, logger)
    text = "\n".join(text for _, text in logger.messages)
    size = SCALE.stat().st_size
    assert f"[check] Python source 'scale_v3': {size} bytes, run with the engine where" in text
    assert "not registered in this process; the plan carries its Python source" in text


def test_what_describes_the_plan(plan):
    described = kiln.describe_plan(plan)
    assert described["python_sources"] == [{"name": "scale_v3", "bytes": SCALE.stat().st_size}]
    assert described["plugins"][0]["source"] == "scale_v3"
    assert described["problems"] == []
    shown = subprocess.run(
        [sys.executable, "-m", "kiln", "inspect", str(plan)], capture_output=True, text=True
    ).stdout
    assert re.search(r"scale_v3  \S+ KiB  Scale \(version 1\)\n", shown)
    checked = subprocess.run(
        [sys.executable, "-m", "kiln", "check", str(plan)], capture_output=True, text=True
    )
    assert "source in the plan: scale_v3" in checked.stdout
    assert checked.stdout.endswith(": sound\n")


def test_a_runtime_tells_what_is_allowed(logger):
    runtime = trt.Runtime(logger)
    assert not kiln.python_source_allowed(runtime)
    kiln.allow_python_source(runtime)
    assert kiln.python_source_allowed(runtime)
    kiln.allow_python_source(None)
    kiln.allow_python_source(runtime, allowed=False)
    assert not kiln.python_source_allowed(runtime)
    assert kiln.python_source_allowed(trt.Runtime(logger))
    kiln.allow_python_source(None, False)
    assert not kiln.python_source_allowed(trt.Runtime(logger))


@pytest.fixture
def config(logger):
    return trt.Builder(logger).create_builder_config()


def module(folder, text, name="own_plugins.py"):
    path = folder / name
    path.write_text(textwrap.dedent(text))
    return path


def refused(config, source, pattern):
    with pytest.raises(ValueError, match=pattern) as caught:
        kiln.embed_python_plugins(config, source)
    return str(caught.value)


def test_modules_that_cannot_be_imported_alone(config, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "beside.py").write_text("value = 1\n")
    path = module(tmp_path, "import beside\n")
    text = refused(config, path, r"\[embed\] .*own_plugins\.py: expected a module that can be")
    assert "ModuleNotFoundError: No module named 'beside'" in text
    assert 'own_plugins.py", line 1' in text
    text = refused(config, module(tmp_path, "def broken(:\n"), "expected a module that can be")
    assert "SyntaxError" in text
    text = refused(config, module(tmp_path, "import sys\nsys.exit(0)\n"), "it failed there")
    assert "SystemExit" in text


def test_modules_that_are_no_plugins(config, tmp_path):
    pattern = r"own_plugins\.py: expected a module that registers a plugin or more, got none"
    refused(config, module(tmp_path, "value = 1\n"), pattern)
    refused(config, 7, r"\[embed\] expected a module with a file or a file's path, got 7")
    refused(config, sys, r"\[embed\] expected a module with a file or a file's path")
    refused(config, tmp_path / "none.py", r"none\.py: expected a \.py file that exists")
    refused(config, tmp_path, r"expected a \.py file that exists")
    refused(config, module(tmp_path, "", "no-name.py"), "expected the name of a module. Rename it")
    refused(config, module(tmp_path, "", "json.py"), "'json' is another module's name")


LAZY = """
import numpy as np
import tensorrt.plugin as trtp


@trtp.register("embedded::lazy_twice", lazy_register=True)
def twice_desc(x: trtp.TensorDesc) -> trtp.TensorDesc:
    return x.like()


@trtp.impl("embedded::lazy_twice")
def twice(x: trtp.Tensor, outputs: tuple[trtp.Tensor], stream: int) -> None:
    np.multiply(np.asarray(x), 2, out=np.asarray(outputs[0]))
"""


def test_a_function_that_is_registered_lazily(logger, tmp_path, monkeypatch):
    path = module(tmp_path, LAZY, "lazy_twice.py")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("lazy_twice")
    builder = trt.Builder(logger)
    network = builder.create_network(0)
    x = network.add_input("x", trt.float32, (3,))
    y = network.add_plugin(trtp.op.embedded.lazy_twice(x)).get_output(0)
    y.name = "y"
    network.mark_output(y)
    config = builder.create_builder_config()
    kiln.embed_python_plugins(config, path)
    plan = tmp_path / "lazy.plan"
    plan.write_bytes(builder.build_serialized_network(network, config))
    assert "y [2. 4. 6.]" in open_plan(plan, ALLOW)
    text = open_plan(plan)
    assert "needs plugin embedded::lazy_twice (version 1)" in text
    assert "carries its Python source 'lazy_twice', which may not run" in text


def test_a_module_that_fails_leaves_nothing_behind():
    from kiln import _python_source
    from kiln.plugin import _registry

    text = LAZY.replace("lazy_twice", "mended").replace(", lazy_register=True", "")
    with pytest.raises(ZeroDivisionError):
        _python_source.run_from_plan("mended_module", f"{text}\n1 / 0\n".encode())
    assert "embedded::mended" not in _registry.QDP_REGISTRY
    registry = trt.get_plugin_registry()
    assert registry.get_creator("mended", "1", "embedded") is None
    _python_source.run_from_plan("mended_module", text.encode())
    try:
        assert registry.get_creator("mended", "1", "embedded") is not None
    finally:
        del sys.modules["mended_module"]
        _python_source._forget_functions("mended_module")


def test_two_modules_of_one_name(config, logger, tmp_path):
    kiln.embed_python_plugins(config, SCALE)
    kiln.embed_python_plugins(config, SCALE, str(SCALE))
    other = module(tmp_path, SCALE.read_text() + "\n# changed\n", SCALE.name)
    text = "[config] Python source 'scale_v3': expected one text for each name, got another"
    refused(config, other, re.escape(text))
    assert text in logger.errors()
    config.reset()
    kiln.embed_python_plugins(config, other)


def test_a_module_without_plugins_is_refused_below_python(config, logger):
    text = "[config] Python source 'a': expected a name, a text and a plugin or more, got 5 bytes"
    with pytest.raises(ValueError, match=re.escape(text)):
        kiln._core._add_python_source(config, "a", b"x = 1", [])
    assert text in logger.errors()


def test_a_module_object_and_its_text(tmp_path, monkeypatch):
    """A module from a plan has its source, for tracebacks, inspect, and compilers of functions."""
    from kiln import _python_source

    text = b"# coding: latin-1\ndef word():\n    return '\xe9'\n"
    _python_source.run_from_plan("from_a_plan", text)
    try:
        loaded = importlib.import_module("from_a_plan")
        assert loaded.word() == "\u00e9"
        assert loaded.__file__ == "<plan>/from_a_plan.py"
        inspected = importlib.import_module("inspect").getsource(loaded.word)
        assert inspected == "def word():\n    return '\u00e9'\n"
    finally:
        del sys.modules["from_a_plan"]
    with pytest.raises(ZeroDivisionError):
        _python_source.run_from_plan("from_a_plan", b"1 / 0\n")
    assert "from_a_plan" not in sys.modules
