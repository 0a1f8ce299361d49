# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A decorated plugin that is compiled when the engine is built."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kiln._core import (
    DimsExprs,
    IDimensionExpr,
    IExprBuilder,
    IPluginV3QuickAOTBuild,
)
from kiln._messages import coded
from kiln.aot import aot_compilation
from kiln.plugin._aot import (
    Argument,
    Float32,
    Float64,
    Kernel,
    SymInt64,
    kernels_of,
)
from kiln.plugin._definition import Definition
from kiln.plugin._desc import TensorDesc, frozen
from kiln.plugin._describe import describe
from kiln.plugin._exprs import shape_exprs_of
from kiln.plugin._launch import NAMES
from kiln.plugin._plugin import DecoratedPlugin, Range, desc_of
from kiln.plugin._terms import expr_builder, sizes_in, to_native

if TYPE_CHECKING:
    from kiln.plugin._expr import SymIntExpr

# Argument types of the native side. INT8, INT16 and INT32 have the values of PluginArgDataType.
INT64, FLOAT32, FLOAT64 = 3, 4, 5

# Entry point; images; grid, block and shared memory; extra arguments with their types.
NativeKernel = tuple[
    str, list[bytes], list[IDimensionExpr], list[tuple[int, "IDimensionExpr | float"]]
]


class AheadOfTimePlugin(DecoratedPlugin, IPluginV3QuickAOTBuild):
    """A plugin whose aot_impl gives the code that the engine runs."""

    style, role = "aot", "aot_impl"

    def __init__(self, definition: Definition, attributes: dict[str, Any]) -> None:
        super().__init__(definition, attributes)
        IPluginV3QuickAOTBuild.__init__(self)

    def saved_names(self) -> list[str]:
        return list(self.definition._attributes)

    def takes_tactic(self) -> bool:
        return self.definition._aot_expects_tactic

    def enqueue(self, *arguments: Any) -> None:
        raise coded(
            RuntimeError,
            f"[plugin] {self.definition.plugin_id}: expected its compiled code to be run, got a "
            "call of the plugin itself, which is made ahead of time",
        )

    def _kiln_aot_code(
        self,
        inputs: Sequence[DimsExprs],
        in_out: Range,
        num_inputs: int,
        target: str,
        architecture: str,
        expr_builder_: IExprBuilder,
    ) -> list[NativeKernel]:
        """The kernels for one architecture, in the form that the native side takes."""
        with expr_builder(expr_builder_):
            descs = self._inputs(inputs, in_out)
            outputs = self._outputs(descs, in_out[num_inputs:])
            where = f"{self.definition.plugin_id}, aot_impl"
            with aot_compilation(target, architecture) as compilation:
                kernels = self._compiled(descs, outputs, where)
                images = [compilation.completed(kernel.images) for kernel in kernels]
            return [
                _native(kernel, code, where, expr_builder_)
                for kernel, code in zip(kernels, images, strict=True)
            ]

    def _inputs(self, shapes: Sequence[DimsExprs], in_out: Range) -> list[TensorDesc]:
        descs = []
        for shape, tensor in zip(shapes, in_out, strict=False):
            desc = desc_of(tensor).like()
            desc.shape_expr = shape_exprs_of(shape)
            descs.append(frozen(desc))
        return descs

    def _outputs(self, inputs: Sequence[TensorDesc], tensors: Range) -> tuple[TensorDesc, ...]:
        descs = []
        every = self._with_shape_inputs(inputs)
        outputs = describe(self.definition, every, self.attributes)
        for described, tensor in zip(outputs, tensors, strict=True):
            desc = desc_of(tensor).like()
            desc.shape_expr = described.shape_expr
            desc._aliased_to = described.get_aliased()
            descs.append(frozen(desc))
        return tuple(descs)

    def _compiled(
        self, inputs: list[TensorDesc], outputs: tuple[TensorDesc, ...], where: str
    ) -> list[Kernel]:
        definition = self.definition
        function = definition.aot_impl_func
        assert function is not None
        attributes = [self.attributes[name] for name in definition.aot_impl_attr_names]
        tactic = [self.tactic] if definition._aot_expects_tactic else []
        every = self._with_shape_inputs(inputs)
        result = function(*every, *attributes, outputs, *tactic)
        return kernels_of(result, where)


def _native(kernel: Kernel, images: list[bytes], where: str, builder: IExprBuilder) -> NativeKernel:
    where = f"{where}, kernel '{kernel.name}'"

    def expr(value: "SymIntExpr", what: str) -> IDimensionExpr:
        if any(True for _ in sizes_in(value._term)):
            raise coded(
                ValueError,
                f"[plugin] {where}, {what}: expected an expression of the inputs' shapes, got the "
                "size tensor of an output, which is known only after the kernel ran",
            )
        return to_native(value._term, builder)

    def argument(value: Argument, index: int) -> "tuple[int, IDimensionExpr | float]":
        if isinstance(value, Float32 | Float64):
            return (FLOAT32 if isinstance(value, Float32) else FLOAT64), float(value.value)
        kind = INT64 if isinstance(value, SymInt64) else int(value._dtype or 0)
        return kind, expr(value, f"extra argument {index}")

    launch = [expr(getattr(kernel.launch_params, name), name) for name in NAMES]
    arguments = [argument(value, i) for i, value in enumerate(kernel.extra_args)]
    return kernel.name, images, launch, arguments
