# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The names of tensorrt.plugin and of its base classes: all exist, and a test uses each."""

import inspect
import re
from pathlib import Path

import pytest
import tensorrt as trt
import tensorrt.plugin as trtp

SOURCES = "\n".join(
    path.read_text(encoding="utf-8")
    for path in sorted(Path(__file__).parent.glob("*.py"))
    if path.name != Path(__file__).name
)
CLASSES = [getattr(trtp, name) for name in trtp.__all__ if inspect.isclass(getattr(trtp, name))]
CLASSES += [
    trt.IPluginV3QuickCore,
    trt.IPluginCreatorV3Quick,
    trt.ISymExpr,
    trt.ISymExprs,
    trt.KernelLaunchParams,
]
SIGNATURES = {
    "register": "(plugin_id, lazy_register=False)",
    "impl": "(plugin_id)",
    "autotune": "(plugin_id)",
    "aot_impl": "(plugin_id)",
    "cdiv": "(first, second)",
    "max": "(first, second)",
    "min": "(first, second)",
    "from_shape_expr": "(shape_expr, dtype)",
    "size_tensor": "(opt, upper_bound)",
    "AutoTuneCombination": "(io_types=None, layouts=None, tactics=None)",
    "AutoTuneCombination.pos": "(self, pos, io_types, layouts='LINEAR')",
    "AutoTuneCombination.tactics": "(self, tactics)",
    "KernelLaunchParams": (
        "(grid_x=1, grid_y=1, grid_z=1, block_x=1, block_y=1, block_z=1, shared_mem=0)"
    ),
    "Shape": "(tensor_desc=None)",
    "ShapeExpr": "(value=None)",
    "ShapeExprs": "(length, _is_dummy=False)",
    "ShapeExprs.from_tuple": "(shape_exprs)",
    "SizeTensorDesc": "(opt, upper_bound)",
    "SizeTensorShapeExpr": "(size_tensor_desc)",
    "SymExprs": "(length)",
    "SymIntExprs.from_tuple": "(shape_exprs)",
    "SymInt8": "(value=None)",
    "Tensor.aliased": "(self, shape=None)",
    "TensorDesc": "(shape_expr=None, dtype=None, format=None, scale=None)",
}


def used(name):
    return re.search(rf'\.{name}\b|\b{name}=|"{name}"', SOURCES) is not None


def test_every_name_is_used():
    assert [name for name in trtp.__all__ if not used(name)] == []


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_member_is_used(cls):
    members = [name for name in vars(cls) if not name.startswith("_")]
    assert [name for name in members if not used(name)] == []


@pytest.mark.parametrize("name", list(SIGNATURES))
def test_signatures(name):
    found = trtp
    for part in name.split("."):
        found = getattr(found, part)
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in inspect.signature(found).parameters.values()
    ]
    assert str(inspect.Signature(parameters)) == SIGNATURES[name]
