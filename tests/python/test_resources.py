# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Resources in Python: one clone for each key, released after the last user."""

import gc
import subprocess
import sys
import textwrap
import weakref

import numpy as np
import pytest
import tensorrt as trt
from scaling import Engine, Registered, ScaleCreatorV3, ScaleV3, build

pytestmark = pytest.mark.xdist_group("registry")
REGISTRY = trt.get_plugin_registry()


class Table(trt.IPluginResource):
    """Records which method is called, and on which object."""

    def __init__(self, log, **replaced):
        super().__init__()
        self.log = log
        self.replaced = replaced
        self.ready = False

    def clone(self):
        self.log.append(("clone", self.ready))
        if "clone" in self.replaced:
            return self.replaced["clone"](self)
        copy = Table(self.log, **self.replaced)
        copy.ready = True
        return copy

    def release(self):
        self.log.append(("release", self.ready))
        return self.replaced["release"](self) if "release" in self.replaced else None


class Recorder(trt.IErrorRecorder):
    """Keeps the errors of the registry, which has no logger of its own."""

    def __init__(self):
        super().__init__()
        self.texts = []

    def report_error(self, code, desc):
        self.texts.append(desc)
        return False

    def clear(self):
        self.texts.clear()

    def get_num_errors(self):
        return len(self.texts)

    def get_error_code(self, index):
        return trt.ErrorCodeTRT.UNSPECIFIED_ERROR

    def get_error_desc(self, index):
        return self.texts[index]

    def has_overflowed(self):
        return False


@pytest.fixture
def recorder():
    REGISTRY.error_recorder = recorder = Recorder()
    yield recorder
    REGISTRY.error_recorder = None


def test_one_clone_for_each_key():
    log = []
    own = Table(log)
    kept = REGISTRY.acquire_plugin_resource("one", own)
    assert type(kept) is Table
    assert kept is not own
    assert (kept.ready, own.ready) == (True, False)
    assert REGISTRY.acquire_plugin_resource("one", Table(log)) is kept
    assert REGISTRY.acquire_plugin_resource("one", None) is kept
    assert log == [("clone", False)]
    assert [REGISTRY.release_plugin_resource("one") for _ in range(3)] == [0, 0, 0]
    assert log == [("clone", False), ("release", True)]


def test_the_kept_object_goes_after_its_last_user():
    kept = REGISTRY.acquire_plugin_resource("gone", Table([]))
    seen = weakref.ref(kept)
    del kept
    gc.collect()
    assert seen() is REGISTRY.acquire_plugin_resource("gone", None)
    assert REGISTRY.release_plugin_resource("gone") == 0
    assert REGISTRY.release_plugin_resource("gone") == 0
    gc.collect()
    assert seen() is None


def raise_it(*_):
    raise RuntimeError("the table is too large")


BAD_CLONES = [
    (raise_it, "RuntimeError: the table is too large"),
    (lambda table: None, "clone: expected an IPluginResource, got NoneType"),
    (lambda table: table, "clone: expected a new object, got the object itself"),
    (lambda table: trt.IPluginResource(), "method clone (IPluginResource)"),
]


@pytest.mark.parametrize(("clone", "message"), BAD_CLONES)
def test_bad_clone(recorder, clone, message):
    assert REGISTRY.acquire_plugin_resource("bad", Table([], clone=clone)) is None
    text = "\n".join(recorder.texts)
    assert "plugin resource 'bad', clone" in text
    assert message in text
    assert REGISTRY.acquire_plugin_resource("bad", None) is None


def test_traceback_of_a_clone(recorder):
    assert REGISTRY.acquire_plugin_resource("bad", Table([], clone=raise_it)) is None
    assert "Traceback (most recent call last)" in recorder.texts[-1]
    assert "in raise_it" in recorder.texts[-1]


def test_bad_clone_is_raised_on_request(recorder, raising):
    with pytest.raises(RuntimeError, match="too large"):
        REGISTRY.acquire_plugin_resource("bad", Table([], clone=raise_it))


@pytest.mark.parametrize(
    ("release", "message"),
    [
        (raise_it, "RuntimeError: the table is too large"),
        (lambda table: 4, "release: expected 0, returned 4"),
    ],
)
def test_bad_release(recorder, release, message):
    assert REGISTRY.acquire_plugin_resource("bad", Table([], release=release)) is not None
    assert REGISTRY.release_plugin_resource("bad") != 0
    assert message in "\n".join(recorder.texts)
    assert REGISTRY.acquire_plugin_resource("bad", None) is None


def test_bad_arguments(recorder):
    with pytest.raises(TypeError, match="resource: expected an IPluginResource, got int"):
        REGISTRY.acquire_plugin_resource("key", 5)
    with pytest.raises(TypeError, match=r"method clone \(IPluginResource\), method release"):
        REGISTRY.acquire_plugin_resource("key", trt.IPluginResource())
    assert REGISTRY.acquire_plugin_resource("", Table([])) is None
    assert "expected a key, got an empty text" in recorder.texts[-1]
    assert REGISTRY.release_plugin_resource("never") != 0
    assert "got 'never'" in recorder.texts[-1]


def test_plugins_of_two_contexts_share(logger):
    """A plugin acquires the resource when attached, and releases it when destroyed."""
    log = []

    def attach(plugin, context):
        copy = plugin.clone()
        copy.table = REGISTRY.acquire_plugin_resource("scale/table", Table(log))
        return copy

    def destroy(plugin):
        if hasattr(plugin, "table"):
            assert REGISTRY.release_plugin_resource("scale/table") == 0

    def enqueue(plugin, *arguments):
        assert plugin.table.ready
        ScaleV3.enqueue(plugin, *arguments)

    plan = build(logger, ScaleV3())
    creator = ScaleCreatorV3(attach_to_context=attach, destroy=destroy, enqueue=enqueue)
    with Registered(creator):
        engine = Engine(logger, plan)
    other = engine.engine.create_execution_context()
    assert log == [("clone", False)]
    assert engine.run(np.ones((2, 4), np.float32))[0, 0] == 2
    engine.context = None
    gc.collect()
    assert log == [("clone", False)]
    del other
    gc.collect()
    assert log == [("clone", False), ("release", True)]


def test_context_gives_its_services(logger):
    seen = {}

    def attach(plugin, resource_context):
        seen["allocator"] = resource_context.gpu_allocator
        seen["recorder"] = resource_context.error_recorder
        return plugin.clone()

    plan = build(logger, ScaleV3())
    with Registered(ScaleCreatorV3(attach_to_context=attach)):
        runtime = trt.Runtime(logger)
        runtime.error_recorder = recorder = Recorder()
        engine = runtime.deserialize_cuda_engine(plan)
        context = engine.create_execution_context()
    assert context is not None
    assert isinstance(seen["allocator"], trt.IGpuAllocator)
    assert seen["recorder"] is recorder


EXIT = """
    import tensorrt as trt

    class Table(trt.IPluginResource):
        def clone(self):
            return Table()

        def release(self):
            print("released")

    registry = trt.get_plugin_registry()
    kept = registry.acquire_plugin_resource("key", Table())
    builder = trt.Builder(trt.Logger())
    own = builder.get_plugin_registry().acquire_plugin_resource("key", Table())
    print(own is kept)
"""


def test_interpreter_exit_with_resources_in_use():
    command = [sys.executable, "-X", "dev", "-c", textwrap.dedent(EXIT)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("False\n")
    assert "Traceback" not in result.stderr
