# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""How an ahead-of-time compiled kernel is launched."""

from typing import Any

from kiln._core import IDimensionExpr
from kiln.plugin._expr import SymInt32, given

NAMES = ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "shared_mem")


class KernelLaunchParams:
    """Grid, block and bytes of dynamic shared memory of a launch.

    Each is an int, an IDimensionExpr or a SymInt32, and is kept as a SymInt32.
    """

    grid_x: SymInt32
    grid_y: SymInt32
    grid_z: SymInt32
    block_x: SymInt32
    block_y: SymInt32
    block_z: SymInt32
    shared_mem: SymInt32

    def __init__(
        self,
        grid_x: "int | IDimensionExpr | SymInt32" = 1,
        grid_y: "int | IDimensionExpr | SymInt32" = 1,
        grid_z: "int | IDimensionExpr | SymInt32" = 1,
        block_x: "int | IDimensionExpr | SymInt32" = 1,
        block_y: "int | IDimensionExpr | SymInt32" = 1,
        block_z: "int | IDimensionExpr | SymInt32" = 1,
        shared_mem: "int | IDimensionExpr | SymInt32" = 0,
    ) -> None:
        values = (grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_mem)
        for name, value in zip(NAMES, values, strict=True):
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in NAMES:
            raise AttributeError(
                f"[plugin] KernelLaunchParams: expected one of {', '.join(NAMES)}, got {name}"
            )
        try:
            value = SymInt32(given(value))
        except TypeError as error:
            raise TypeError(
                f"[plugin] KernelLaunchParams.{name}: expected an int, an IDimensionExpr or a "
                f"SymInt32, got {type(value).__name__}"
            ) from error
        object.__setattr__(self, name, value)
