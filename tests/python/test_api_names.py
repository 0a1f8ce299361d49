# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Each name of the plugin system is called, with the keywords and defaults that the API lists.

A member without an entry in the table of calls fails a test, so every new name needs its call.
"""

import pytest
import tensorrt as trt
from api_calls import CALLS, Env

pytestmark = pytest.mark.xdist_group("registry")


@pytest.mark.parametrize("name", list(CALLS))
def test_call(name, logger):
    assert CALLS[name](Env(logger)), logger.errors()


CLASSES = [
    "PluginTensorDesc",
    "DynamicPluginTensorDesc",
    "DimsExprs",
    "IDimensionExpr",
    "IExprBuilder",
    "PluginField",
    "PluginFieldCollection",
    "PluginFieldCollection_",
    "IVersionedInterface",
    "InterfaceInfo",
    "IPluginCreatorInterface",
    "IPluginCreator",
    "IPluginCreatorV3One",
    "IPluginRegistry",
    "IPluginCapability",
    "IPluginResource",
    "IPluginResourceContext",
    "IPluginV2DynamicExt",
    "IPluginV2DynamicExtBase",
    "IPluginV2Layer",
    "IPluginV3",
    "IPluginV3OneCore",
    "IPluginV3OneBuild",
    "IPluginV3OneBuildV2",
    "IPluginV3OneRuntime",
    "IPluginV3Layer",
]
# Members that Python gives every class, and that pybind11 adds to classes of lists.
UNCOUNTED = {
    "__doc__",
    "__module__",
    "__dict__",
    "__weakref__",
    "__hash__",
    "__eq__",
    "__ne__",
    "__repr__",
    "_repr_html_",
    "__pybind11_module_local_v11_gcc_libstdcpp_cxxabi1018__",
    "__contains__",
    "count",
    "remove",
    "__str__",
    "__reduce__",
    "_pybind11_conduit_v1_",
}


@pytest.mark.parametrize("name", CLASSES)
def test_the_table_has_every_member(name):
    members = set(vars(getattr(trt, name))) - UNCOUNTED
    tested = {path.partition(".")[2] for path in CALLS if path.startswith(f"{name}.")}
    missing = {member for member in members - tested if not member.startswith("__pybind11")}
    missing -= {"__init__"} if getattr(trt, name).__init__ is object.__init__ else set()
    assert missing <= ({"__init__"} if "__init__" not in tested else set())


BASES = {
    "IPluginCreatorInterface": ["IVersionedInterface"],
    "IPluginCreator": ["IPluginCreatorInterface"],
    "IPluginCreatorV3One": ["IPluginCreatorInterface"],
    "IPluginCapability": ["IVersionedInterface"],
    "IPluginResource": ["IVersionedInterface"],
    "IGpuAllocator": ["IVersionedInterface"],
    "IPluginV3": ["IVersionedInterface"],
    "IPluginV3OneCore": ["IPluginCapability"],
    "IPluginV3OneBuild": ["IPluginCapability"],
    "IPluginV3OneBuildV2": ["IPluginV3OneBuild"],
    "IPluginV3OneRuntime": ["IPluginCapability"],
    "IPluginV2Ext": ["IPluginV2"],
    "IPluginV2DynamicExtBase": ["IPluginV2"],
    "IPluginV2DynamicExt": ["IPluginV2DynamicExtBase"],
    "IPluginV2Layer": ["ILayer"],
    "IPluginV3Layer": ["ILayer"],
}


@pytest.mark.parametrize("name", list(BASES))
def test_bases(name):
    for base in BASES[name]:
        assert issubclass(getattr(trt, name), getattr(trt, base))


ENUMS = {
    "APILanguage": {"CPP": 0, "PYTHON": 1},
    "DimensionOperation": {
        "SUM": 0,
        "PROD": 1,
        "MAX": 2,
        "MIN": 3,
        "SUB": 4,
        "EQUAL": 5,
        "LESS": 6,
        "FLOOR_DIV": 7,
        "CEIL_DIV": 8,
    },
    "PluginCapabilityType": {"CORE": 0, "BUILD": 1, "RUNTIME": 2},
    "PluginCreatorVersion": {"V1": 0, "V1_PYTHON": 64},
    "PluginFieldType": {
        "FLOAT16": 0,
        "FLOAT32": 1,
        "FLOAT64": 2,
        "INT8": 3,
        "INT16": 4,
        "INT32": 5,
        "CHAR": 6,
        "DIMS": 7,
        "UNKNOWN": 8,
        "BF16": 9,
        "INT64": 10,
        "FP8": 11,
        "INT4": 12,
        "FP4": 13,
    },
    "TensorRTPhase": {"BUILD": 0, "RUNTIME": 1},
}


@pytest.mark.parametrize("name", list(ENUMS))
def test_enums(name):
    enum = getattr(trt, name)
    assert {member.name: member.value for member in enum} == ENUMS[name]
    assert all(enum(number).name == member for member, number in ENUMS[name].items())


def test_enum_members_among_others():
    assert [trt.LayerType.PLUGIN.name, trt.LayerType.PLUGIN_V2.name] == ["PLUGIN", "PLUGIN_V2"]
    assert trt.LayerType.PLUGIN_V3.name == "PLUGIN_V3"
    assert trt.OnnxParserFlag.ENABLE_PLUGIN_OVERRIDE.name == "ENABLE_PLUGIN_OVERRIDE"
    assert trt.PreviewFeature.ALIASED_PLUGIN_IO_10_03.value == 1
