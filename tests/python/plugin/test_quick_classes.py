# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugins derived directly from the classes that decorated functions are built on."""

import kiln
import numpy as np
import pytest
import tensorrt as trt
from oplab import Engine, Net
from quick_classes import Quick, QuickAot, QuickBase, QuickCreator, scalar

pytestmark = pytest.mark.xdist_group("registry")

SOURCE = """
#include <kiln/host_kernel.h>
int32_t scale(void const* const* in, void* const* out, KilnScalar const* s, KilnHostCall const* c) {
    for (int64_t i = 0; i < s[0].integer; ++i) {
        ((float*)out[0])[i] = ((float const*)in[0])[i] * s[1].integer;
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def code():
    return kiln.aot.compile_c(SOURCE)


def net_of(logger, plugin):
    net = Net(logger)
    layer = net.network.add_plugin_v3([net.input("x", (2, 3))], [], plugin)
    if layer is None:
        return None
    net.output(layer.get_output(0), "y")
    return net


def check(engine):
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    y = np.zeros_like(x)
    assert engine.run({"x": x}, {"y": y}), engine.logger.errors()
    np.testing.assert_array_equal(y, 2 * x)


def with_creator(logger, plan, plugin):
    creator = QuickCreator(plugin)
    registry = trt.get_plugin_registry()
    assert registry.register_creator(creator, "quick")
    try:
        assert registry.get_creator("Quick", "1", "quick") is creator
        return Engine(logger, plan), creator
    finally:
        assert registry.deregister_creator(creator)


def test_just_in_time(logger):
    plan = net_of(logger, Quick()).plan()
    assert plan is not None, logger.errors()
    engine, creator = with_creator(logger, plan, Quick())
    check(engine)
    ((name, namespace, fields, phase, request),) = creator.asked
    assert (name, namespace, fields) == ("Quick", "quick", {"scale": [2]})
    assert phase == trt.TensorRTPhase.RUNTIME
    assert request == trt.QuickPluginCreationRequest.STRICT_JIT


def test_ahead_of_time(logger, code):
    plan = net_of(logger, QuickAot(code=code)).plan()
    assert plan is not None, logger.errors()
    runtime = trt.Runtime(logger)
    runtime.engine_host_code_allowed = True
    engine = Engine.__new__(Engine)
    engine.logger, engine.engine = logger, runtime.deserialize_cuda_engine(plan)
    assert engine.engine is not None, logger.errors()
    engine.context = engine.engine.create_execution_context()
    check(engine)


def test_tactics(logger):
    plugin = Quick(
        get_valid_tactics=lambda self: [4], get_timing_cache_id=lambda self: "id",
        get_metadata_string=lambda self: "said of itself",
        get_aliased_input=lambda self, output_index: -1,
    )  # fmt: skip
    net = net_of(logger, plugin)
    net.config.profiling_verbosity = trt.ProfilingVerbosity.DETAILED
    plan = net.plan()
    assert plan is not None, logger.errors()
    engine, _ = with_creator(logger, plan, plugin)
    check(engine)
    inspector = engine.engine.create_engine_inspector()
    assert "said of itself" in inspector.get_engine_information(trt.LayerInformationFormat.JSON)


@pytest.mark.parametrize(
    ("base", "missing"),
    [
        (trt.IPluginV3QuickBuild, "method configure_plugin (IPluginV3QuickBuild)"),
        (trt.IPluginV3QuickAOTBuild, "method get_kernel (IPluginV3QuickAOTBuild)"),
        (trt.IPluginV3QuickRuntime, "method enqueue (IPluginV3QuickRuntime)"),
        (trt.IPluginV3QuickCore, "attribute plugin_name (IPluginV3QuickCore)"),
    ],
)
def test_missing_members(logger, base, missing):
    class Bare(trt.IPluginV3, base):
        def __init__(self):
            trt.IPluginV3.__init__(self)
            base.__init__(self)

    assert net_of(logger, Bare()) is None
    assert missing in logger.errors()


WRONG = [
    ("get_output_data_types", lambda *_: [], "expected a list of 1 DataType (get_num_outputs)"),
    ("get_output_data_types", lambda *_: [0], "expected a DataType for output 0, got int"),
    ("get_output_shapes", lambda *_: None, "get_output_shapes: expected a list of 1 DimsExprs"),
    ("get_supported_format_combinations", lambda *_: 7, "a list of PluginTensorDesc, got int"),
    ("get_supported_format_combinations", lambda *_: [7], "PluginTensorDesc, got int in it"),
    ("get_supported_format_combinations", lambda *_: [], "for each of 2 inputs and outputs, or a"),
    ("get_num_outputs", lambda *_: "1", "get_num_outputs: expected an int, got str"),
    ("get_valid_tactics", lambda *_: [0], "get_valid_tactics: expected 1 or more, got 0"),
    ("get_timing_cache_id", lambda *_: 7, "get_timing_cache_id: expected a str, got int"),
]


@pytest.mark.parametrize(("name", "function", "message"), WRONG)
def test_wrong_results(logger, name, function, message):
    parts = {"get_valid_tactics": lambda self: [1, 2], name: function}
    net = net_of(logger, Quick(**parts))
    plan = net and net.plan()
    assert message in logger.errors()
    assert plan is None or name == "get_timing_cache_id"


def test_wrong_kernels(logger, code):
    for result, message in (
        (lambda *_: "scale", "get_kernel: expected a list of 2 str and bytes"),
        (lambda *_: ("scale", 7), "expected the kernel's name as str and its code as bytes, got"),
    ):
        assert net_of(logger, QuickAot(code=code, get_kernel=result)).plan() is None
        assert message in logger.errors()


def test_wrong_launches(logger, code):
    kept = []

    def fill(plugin, launch_params, extra_args, count, expr_builder):
        kept.extend([launch_params, extra_args])
        for act, error, message in (
            (lambda: extra_args.__setitem__(0, scalar(count)), IndexError, "index 0 is out of"),
            (lambda: setattr(extra_args, "nbSymExprs", -1), ValueError, "0 to 4096, got -1"),
            (lambda: setattr(launch_params, "grid_x", trt.ISymExpr()), ValueError, "one without"),
            (lambda: scalar(7), TypeError, "expr: expected an IDimensionExpr, got int"),
            (lambda: trt.ISymExpr().type, AttributeError, "They are for Kiln to read"),
        ):  # fmt: skip
            with pytest.raises(error, match=message):
                act()
        raise RuntimeError("seen all")

    assert net_of(logger, QuickAot(code=code, fill=fill)).plan() is None
    assert "seen all" in logger.errors(), logger.errors()
    for use in (lambda: kept[0].grid_x, lambda: len(kept[1])):
        with pytest.raises(RuntimeError, match="expected use inside get_launch_params"):
            use()


def test_copies_of_parts():
    core = trt.IPluginV3QuickCore()
    core.plugin_name, core.plugin_version, core.plugin_namespace = "a", "2", "n"
    copy = trt.IPluginV3QuickCore(core)
    assert (copy.plugin_name, copy.plugin_version, copy.plugin_namespace) == ("a", "2", "n")
    for kind in (trt.IPluginV3QuickBuild, trt.IPluginV3QuickAOTBuild, trt.IPluginV3QuickRuntime):
        assert type(kind(kind())) is kind
        assert issubclass(kind, trt.IPluginCapability)
        assert issubclass(kind, trt.IVersionedInterface)
    assert issubclass(trt.IPluginV3QuickAOTBuild, trt.IPluginV3QuickBuild)
    assert trt.IPluginV3QuickAOTBuild().interface_info.kind == "PLUGIN_V3QUICKAOT_BUILD"
    with pytest.raises(AttributeError, match="plugin_name was never set"):
        trt.IPluginV3QuickCore().plugin_name  # noqa: B018


def test_a_creator_that_lacks_something():
    class Bare(trt.IPluginCreatorV3Quick):
        pass

    assert issubclass(Bare, trt.IPluginCreatorInterface)
    with pytest.raises(TypeError, match=r"attribute name .IPluginCreatorV3Quick."):
        trt.get_plugin_registry().register_creator(Bare(), "")
    with pytest.raises(TypeError, match="IPluginCreatorV3Quick only declares it"):
        Bare().create_plugin(
            name="a",
            namespace="b",
            field_collection=trt.PluginFieldCollection(),
            phase=trt.TensorRTPhase.BUILD,
            quickPluginType=trt.QuickPluginCreationRequest.UNKNOWN,
        )


def test_the_user_s_object_comes_back(logger):
    plugin = Quick()
    net = Net(logger)
    layer = net.network.add_plugin(([net.input("x", (2, 3))], [], plugin))
    assert isinstance(layer.plugin, QuickBase)
