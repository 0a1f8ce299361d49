# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Plugins as decorated functions (``tensorrt.plugin``).

register describes a plugin, impl runs it just in time, aot_impl compiles it into the engine, and
autotune lists the types, formats and tactics that it supports. ``op.namespace.name(...)`` uses it
in a network, through INetworkDefinition.add_plugin.
"""

from kiln.plugin._autotune import AutoTuneCombination
from kiln.plugin._lib import aot_impl, autotune, impl, op, register
from kiln.plugin._tensor import (
    KernelLaunchParams,
    Shape,
    ShapeExpr,
    ShapeExprs,
    SizeTensorDesc,
    SizeTensorShapeExpr,
    SymExprs,
    SymInt8,
    SymInt16,
    SymInt32,
    SymIntExprs,
    Tensor,
    TensorDesc,
    cdiv,
    from_shape_expr,
    max,
    min,
    size_tensor,
)

__all__ = [
    "AutoTuneCombination",
    "KernelLaunchParams",
    "Shape",
    "ShapeExpr",
    "ShapeExprs",
    "SizeTensorDesc",
    "SizeTensorShapeExpr",
    "SymExprs",
    "SymInt8",
    "SymInt16",
    "SymInt32",
    "SymIntExprs",
    "Tensor",
    "TensorDesc",
    "aot_impl",
    "autotune",
    "cdiv",
    "from_shape_expr",
    "impl",
    "max",
    "min",
    "op",
    "register",
    "size_tensor",
]
