# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""How an ahead-of-time compiled kernel is launched."""

from typing import TYPE_CHECKING, Any

from kiln._core import IDimensionExpr
from kiln._messages import coded
from kiln.plugin._expr import SymInt32, given, text_of

NAMES = ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "shared_mem")

Number = int | IDimensionExpr | SymInt32

if TYPE_CHECKING:

    class _Member:
        """A member that accepts any Number and stores a SymInt32."""

        def __get__(self, instance: object, owner: type) -> SymInt32: ...
        def __set__(self, instance: object, value: Number) -> None: ...


class KernelLaunchParams:
    """Grid, block and bytes of dynamic shared memory of a launch.

    Each is an int, an IDimensionExpr or a SymInt32, and is kept as a SymInt32.
    """

    if TYPE_CHECKING:
        grid_x = grid_y = grid_z = block_x = block_y = block_z = shared_mem = _Member()

    def __init__(
        self,
        grid_x: Number = 1,
        grid_y: Number = 1,
        grid_z: Number = 1,
        block_x: Number = 1,
        block_y: Number = 1,
        block_z: Number = 1,
        shared_mem: Number = 0,
    ) -> None:
        values = (grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_mem)
        for name, value in zip(NAMES, values, strict=True):
            setattr(self, name, value)

    def __repr__(self) -> str:
        return f"KernelLaunchParams({', '.join(f'{n}={text_of(getattr(self, n))}' for n in NAMES)})"

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in NAMES:
            raise coded(
                AttributeError,
                f"[plugin] KernelLaunchParams: expected one of {', '.join(NAMES)}, got {name}",
            )
        try:
            value = SymInt32(given(value))
        except TypeError as error:
            raise coded(
                TypeError,
                f"[plugin] KernelLaunchParams.{name}: expected an int, an IDimensionExpr or a "
                f"SymInt32, got {type(value).__name__}",
            ) from error
        object.__setattr__(self, name, value)
