# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Notebooks: cells that are run again with other code, and a registry used before any builder.

test_notebook.py runs these in their own process, because warnings go to the oldest living logger.
"""

import gc
import itertools
import subprocess
import sys
import textwrap
import types

import kiln
import numpy as np
import pytest
import tensorrt as trt
from scaling import Engine, ScaleV2, ScaleV3, build

pytestmark = pytest.mark.xdist_group("registry")

COUNT = itertools.count()
X = np.array([[1, 2, 3, 4]], np.float32)


class Notebook:
    """Runs cells in one namespace. Each run of a cell has its own file name, as in Jupyter."""

    def __init__(self, name="notebook"):
        self.module = types.ModuleType(name)
        sys.modules[name] = self.module

    def run(self, text):
        code = compile(textwrap.dedent(text), f"<cell {next(COUNT)}>", "exec")
        exec(code, self.module.__dict__)
        return self.module


@pytest.fixture
def notebook():
    gc.collect()  # the oldest living logger, which gets the warnings, is now that of the test
    yield Notebook()
    registry = trt.get_plugin_registry()
    for creator in registry.all_creators:
        if type(creator).__module__ == "notebook":
            registry.deregister_creator(creator)
    del sys.modules["notebook"]


V3 = """
    import numpy as np, tensorrt as trt
    from scaling import ScaleCreatorV3, ScaleV3, view

    class Plugin(ScaleV3):
        def clone(self):
            return Plugin()
        def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
            view(outputs[0], output_desc[0])[:] = view(inputs[0], input_desc[0]) * NUMBER

    class Creator(ScaleCreatorV3):
        def create_plugin(self, name, field_collection, phase):
            return Plugin()

    added = trt.get_plugin_registry().register_creator(Creator(), "")
"""
V2 = """
    import numpy as np, tensorrt as trt
    from scaling import ScaleCreatorV2, ScaleV2, view

    class Plugin(ScaleV2):
        def clone(self):
            return Plugin()
        def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
            view(outputs[0], output_desc[0])[:] = view(inputs[0], input_desc[0]) * NUMBER

    class Creator(ScaleCreatorV2):
        def deserialize_plugin(self, name, serialized_plugin):
            return Plugin()

    added = trt.get_plugin_registry().register_creator(Creator(), "")
"""


@pytest.mark.parametrize(("cell", "plugin"), [(V2, ScaleV2), (V3, ScaleV3)], ids=["v2", "v3"])
def test_a_cell_of_classes_that_is_run_again(logger, notebook, cell, plugin):
    plan = build(logger, plugin(1.0))
    assert notebook.run(cell.replace("NUMBER", "10")).added
    first = Engine(logger, plan)
    assert first.run(X)[0, 3] == 40
    assert notebook.run(cell.replace("NUMBER", "11")).added, "the new class is in"
    assert Engine(logger, plan).run(X)[0, 3] == 44, "the new code runs"
    assert first.run(X)[0, 3] == 40, "an engine that is open keeps its code"
    warnings = [text for _, text in logger.messages if "was defined again" in text]
    assert len(warnings) == 1
    assert "class notebook.Creator was defined again, and its new creator replaces" in warnings[0]


def test_only_what_was_defined_again_replaces(notebook):
    notebook.run(V3.replace("NUMBER", "10"))
    registry = trt.get_plugin_registry()
    present = registry.get_creator("Scale", "3", "")
    assert not registry.register_creator(notebook.module.Creator(), ""), "the same class"
    other = type("Other", (notebook.module.Creator,), {})
    assert not registry.register_creator(other(), ""), "another name"
    assert registry.get_creator("Scale", "3", "") is present
    notebook.run(V3.replace("NUMBER", "11").replace('Creator(), ""', 'Creator(), "mine"'))
    assert notebook.module.added
    assert registry.get_creator("Scale", "3", "") is present, "another namespace"


def test_a_new_class_that_is_wrong_leaves_the_old_one(notebook):
    notebook.run(V3.replace("NUMBER", "10"))
    registry = trt.get_plugin_registry()
    present = registry.get_creator("Scale", "3", "")
    with pytest.raises(TypeError, match="method create_plugin"):
        notebook.run(V3.replace("ScaleCreatorV3)", "trt.IPluginCreatorV3One)").replace(
            "def create_plugin", "def create"))  # fmt: skip
    assert registry.get_creator("Scale", "3", "") is present


def test_registries_of_builders_and_runtimes(logger, notebook):
    plan = build(logger, ScaleV3(1.0))
    runtime = trt.Runtime(logger)
    notebook.module.runtime = runtime
    cell = V3.replace("trt.get_plugin_registry()", "runtime.get_plugin_registry()")
    for number in (10, 11):
        assert notebook.run(cell.replace("NUMBER", str(number))).added
        context = runtime.deserialize_cuda_engine(plan).create_execution_context()
        y = np.zeros_like(X)
        context.set_input_shape("x", X.shape)
        context.set_tensor_address("x", X.ctypes.data)
        context.set_tensor_address("y", y.ctypes.data)
        assert context.execute_async_v3(0)
        assert y[0, 0] == number
    del notebook.module.runtime  # otherwise the registered creator keeps it alive
    assert logger.messages_text().count("was defined again") == 1


REGISTER = """
    import kiln, numpy as np, tensorrt as trt, tensorrt.plugin as trtp

    @trtp.register("notebook::scale")
    def scale_desc(x: trtp.TensorDesc, by: float = 1.0) -> trtp.TensorDesc:
        return x.like()
"""
IMPL = """
    @trtp.impl("notebook::scale")
    def scale(x: trtp.Tensor, by: float, outputs: tuple[trtp.Tensor], stream: int) -> None:
        np.asarray(outputs[0])[:] = np.asarray(x) * by * NUMBER
"""
AUTOTUNE = """
    @trtp.autotune("notebook::scale")
    def scale_types(x: trtp.TensorDesc, outputs: tuple[trtp.TensorDesc]
                    ) -> list[trtp.AutoTuneCombination]:
        return [trtp.AutoTuneCombination("FP32, FP32", "LINEAR")]
"""
AOT = '''
    @trtp.aot_impl("notebook::scale")
    def scale_code(x: trtp.TensorDesc, by: float, outputs: tuple[trtp.TensorDesc]
                   ) -> tuple[str | bytes, str | bytes, trtp.KernelLaunchParams, trtp.SymExprs]:
        source = """
            #include <kiln/host_kernel.h>
            int32_t scale(void const* const* in, void* const* out, KilnScalar const* s,
                          KilnHostCall const* c) {
                for (int i = 0; i < 4; ++i) {
                    ((float*)out[0])[i] = ((float const*)in[0])[i] * NUMBER;
                }
                return 0;
            }"""
        return "scale", kiln.aot.compile_c(source), trtp.KernelLaunchParams(), trtp.SymExprs(0)
'''


class OpEngine:
    """The engine of one decorated op."""

    def __init__(self, logger, call, **options):
        builder = trt.Builder(logger)
        network = builder.create_network(1 << int(trt.NetworkDefinitionCreationFlag.STRONGLY_TYPED))
        x = network.add_input("x", trt.float32, X.shape)
        layer = network.add_plugin(call(x), **options)
        assert layer is not None, logger.errors()
        layer.get_output(0).name = "y"
        network.mark_output(layer.get_output(0))
        plan = builder.build_serialized_network(network, builder.create_builder_config())
        assert plan is not None, logger.errors()
        self.runtime = trt.Runtime(logger)
        self.runtime.engine_host_code_allowed = True
        self.context = self.runtime.deserialize_cuda_engine(plan).create_execution_context()

    def run(self):
        y = np.zeros_like(X)
        self.context.set_tensor_address("x", X.ctypes.data)
        self.context.set_tensor_address("y", y.ctypes.data)
        assert self.context.execute_async_v3(0)
        return y[0, 0]


@pytest.fixture
def ops(notebook):
    yield notebook
    from kiln.plugin import _registry

    _registry.QDP_REGISTRY.pop("notebook::scale", None)
    creator = _registry.QDP_CREATORS.pop("notebook::scale", None)
    if creator is not None:
        trt.get_plugin_registry().deregister_creator(creator)


def scale(x, **attributes):
    return trt.plugin.op.notebook.scale(x, **attributes)


@pytest.mark.parametrize(
    ("cell", "options"),
    [(REGISTER + IMPL + AUTOTUNE, {}), (REGISTER + AOT, {"aot": True})],
    ids=["impl", "aot_impl"],
)
def test_a_cell_of_functions_that_is_run_again(logger, ops, cell, options):
    ops.run(cell.replace("NUMBER", "10"))
    held = trt.plugin.op.notebook.scale
    first = OpEngine(logger, scale, **options)
    assert first.run() == 10
    ops.run(cell.replace("NUMBER", "11"))
    assert OpEngine(logger, scale, **options).run() == 11
    assert OpEngine(logger, held, **options).run() == 11, "an op that was kept has the new code"
    assert first.run() == 10
    said = [text for _, text in logger.messages if "was defined again" in text]
    assert len(said) == 1
    assert "notebook::scale, register: notebook.scale_desc was defined again" in said[0]


def test_one_cell_for_each_function(logger, ops):
    ops.run(REGISTER)
    ops.run(IMPL.replace("NUMBER", "10"))
    ops.run(AUTOTUNE)
    first = OpEngine(logger, scale)
    ops.run(IMPL.replace("NUMBER", "11"))
    assert OpEngine(logger, scale).run() == 11
    context = first.context.engine.create_execution_context()
    first.context = context
    assert first.run() == 10, "a later context has the code of its engine"
    ops.run(REGISTER.replace("1.0", "2.0"))
    assert OpEngine(logger, scale).run() == 22, "the functions of other cells stay"
    assert "impl and autotune of before stay" in logger.messages_text()


def test_functions_that_no_longer_fit_go(logger, ops):
    ops.run(REGISTER)
    ops.run(IMPL.replace("NUMBER", "10"))
    ops.run(REGISTER.replace("by: float = 1.0", "times: int = 1"))
    with pytest.raises(ValueError, match="expected impl or aot_impl to be used for it"):
        OpEngine(logger, scale)
    ops.run(IMPL.replace("by", "times").replace("float", "int").replace("NUMBER", "3"))
    assert OpEngine(logger, lambda x: scale(x, times=5)).run() == 15
    creator = trt.get_plugin_registry().get_creator("scale", "1", "notebook")
    assert [field.name for field in creator.field_names] == ["times"]


def test_what_is_deleted_from_a_cell_is_gone(logger, ops):
    ops.run(REGISTER + IMPL + AUTOTUNE)
    ops.run(REGISTER + IMPL)
    from kiln.plugin._registry import QDP_REGISTRY

    assert QDP_REGISTRY["notebook::scale"].autotune_func is None


def test_a_wrong_definition_changes_nothing(logger, ops):
    ops.run(REGISTER + IMPL.replace("NUMBER", "10"))
    with pytest.raises(TypeError, match="expected an annotation"):
        ops.run(REGISTER.replace("by: float = 1.0", "by=1.0"))
    with pytest.raises(TypeError, match="parameter 'factor'"):
        ops.run(IMPL.replace("by", "factor"))
    assert OpEngine(logger, scale).run() == 10


def test_functions_of_other_names_do_not_replace(ops):
    ops.run(REGISTER + IMPL)
    with pytest.raises(ValueError, match="expected an id that is not in use"):
        ops.run(REGISTER.replace("scale_desc", "other_desc"))
    with pytest.raises(ValueError, match=r"a second one, notebook\.other after notebook\.scale"):
        ops.run(IMPL.replace("def scale", "def other"))


# Messages before there is a builder; each test uses its own process.

FIRST = """
    import tensorrt as trt
    from scaling import CREATORS
    from list_logger import ListLogger
    registry = trt.get_plugin_registry()
"""
FAILURES = """
    assert registry.load_library("./nope.so") is None
    assert registry.register_creator(CREATORS["v3"](), "")
    assert not registry.register_creator(CREATORS["v3"](), "")
    assert registry.get_creator("Scala", "3", "") is None
"""
SAID = [
    "'./nope.so'",
    "a creator for plugin Scale (version 3) is registered already; the new one is not used.",
    "no creator for plugin Scala (version 3); near names: Scale",
]


def program(*parts):
    text = "\n".join(textwrap.dedent(part) for part in parts)
    folder = __file__.rpartition("/")[0]
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done


def test_without_a_logger_standard_error_gets_it():
    done = program(FIRST, FAILURES)
    assert all(text in done.stderr for text in SAID), done.stderr
    assert done.stderr.count("[TRT] [E]") == 2 and done.stderr.count("[TRT] [W]") == 1


@pytest.mark.parametrize(
    "give", ["init_libnvinfer_plugins(ListLogger(), '')", "set_default_logger(ListLogger())"]
)
def test_the_logger_that_was_given_gets_it(give):
    """Kiln keeps the logger alive, although the program does not."""
    show = "print(trt._core._default_logger.messages)"
    done = program(FIRST, f"trt.{give}", FAILURES, show)
    assert all(text.replace("'", "") in done.stdout.replace("\\'", "").replace("'", "")
               for text in SAID), done.stdout  # fmt: skip
    assert done.stderr == ""


def test_a_living_builder_comes_first():
    lines = """
        logger, other = ListLogger(), ListLogger()
        trt.init_libnvinfer_plugins(other, "")
        builder = trt.Builder(logger)
        registry.load_library("./nope.so")
        print(len(logger.messages), len(other.messages))
        del builder
        registry.load_library("./nope.so")
        print(len(logger.messages), len(other.messages))
        trt.init_libnvinfer_plugins(None, "")
        registry.load_library("./nope.so")
        print(len(other.messages))
        trt.set_default_logger(None)
        registry.load_library("./nope.so")
    """
    done = program(FIRST, lines)
    assert done.stdout.split() == ["1", "0", "1", "1", "2"]
    assert done.stderr.count("[registry] plugin library './nope.so'") == 1


def test_set_default_logger_takes_loggers_only():
    with pytest.raises((TypeError, RuntimeError)):
        kiln.set_default_logger(7)
