# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""A decorated plugin in a network or engine."""

from collections.abc import Sequence
from typing import Any

from kiln._core import (
    DataType,
    DimsExprs,
    DynamicPluginTensorDesc,
    IExprBuilder,
    IPluginV3,
    IPluginV3QuickBuild,
    IPluginV3QuickCore,
    IPluginV3QuickRuntime,
    PluginCapabilityType,
    PluginFieldCollection,
    PluginTensorDesc,
    TensorFormat,
)
from kiln._messages import coded
from kiln.plugin._attributes import to_field
from kiln.plugin._autotune import AutoTuneCombination, Configuration
from kiln.plugin._data import Tensor
from kiln.plugin._definition import Definition
from kiln.plugin._desc import TensorDesc, frozen, shape_input
from kiln.plugin._describe import (
    Hint,
    aliased_input,
    describe,
    extents_of,
    sketch,
    sketch_of_any,
)
from kiln.plugin._exprs import shape_exprs_of
from kiln.plugin._shape import Shape
from kiln.plugin._source import timing_cache_id
from kiln.plugin._terms import expr_builder, to_native

Range = Sequence[DynamicPluginTensorDesc]


def desc_of(tensor: DynamicPluginTensorDesc) -> TensorDesc:
    """The descriptor of an operand while a configuration is tried."""
    desc = TensorDesc(
        extents_of(tensor.desc.dims), tensor.desc.type, tensor.desc.format, tensor.desc.scale
    )
    desc.shape = Shape(tensor)
    return frozen(desc)


class DecoratedPlugin(IPluginV3, IPluginV3QuickCore, IPluginV3QuickRuntime):
    """The base of just-in-time and ahead-of-time plugins; each adds its own build interface."""

    style = role = ""

    def __init__(self, definition: Definition, attributes: dict[str, Any]) -> None:
        for base in (IPluginV3, IPluginV3QuickCore, IPluginV3QuickRuntime):
            base.__init__(self)
        self.definition, self.attributes = definition, attributes
        self.plugin_namespace, self.plugin_name = definition.plugin_id.split("::")
        self.plugin_version = "1"
        self.hints: list[Hint] | None = None  # what is known about the inputs
        self.output_count = definition.num_outputs
        self.tactic = 0
        self.tuned: list[tuple[Configuration, list[int]]] | None = None
        self.configured: Configuration | None = None

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.attributes.items())
        return f"<plugin {self.definition.plugin_id}({given})>"

    def clone(self) -> "DecoratedPlugin":
        copy = type(self)(self.definition, self.attributes)
        for name in ("hints", "output_count", "tactic", "tuned", "configured"):
            setattr(copy, name, getattr(self, name))
        return copy

    def get_capability_interface(self, type: PluginCapabilityType) -> "DecoratedPlugin":
        return self

    def saved_names(self) -> list[str]:
        """The attributes that a plan stores."""
        raise NotImplementedError

    def takes_tactic(self) -> bool:
        """Whether impl or aot_impl has the parameter ``tactic``."""
        raise NotImplementedError

    def get_fields_to_serialize(self) -> PluginFieldCollection:
        kinds = self.definition._attributes
        return PluginFieldCollection(
            [to_field(name, self.attributes[name], kinds[name]) for name in self.saved_names()]
        )

    def set_tactic(self, tactic: int) -> None:
        self.tactic = tactic

    # Callbacks while the network is defined and compiled.

    def _sketch(self) -> tuple[list[TensorDesc], list[TensorDesc]]:
        """Inputs and outputs as far as they are known without shapes."""
        if self.hints is None:
            return sketch_of_any(self.definition, self.attributes)
        return sketch(self.definition, self.hints, self.attributes)

    def get_num_outputs(self) -> int:
        if self.output_count is None:  # the annotation does not give it
            self.output_count = len(self._sketch()[1])
        return self.output_count

    def get_output_data_types(
        self, input_types: Sequence[DataType], input_ranks: Sequence[int]
    ) -> list[DataType]:
        hints = (self.hints or [])[: len(input_types)]
        known = [hint.extents for hint in hints]
        if [len(extents) for extents in known] != list(input_ranks):
            known = [(-1,) * rank for rank in input_ranks]
        self.hints = [Hint(*pair) for pair in zip(input_types, known, strict=True)]
        return [output.dtype for output in self._sketch()[1]]

    def _shaped(self, inputs: Sequence[DimsExprs]) -> list[TensorDesc]:
        """Inputs whose shapes are expressions of the current callback."""
        hints = self.hints or [Hint(DataType.FLOAT, ())] * len(inputs)
        pairs = zip(inputs, hints, strict=True)
        return [TensorDesc(shape_exprs_of(shape), hint.dtype) for shape, hint in pairs]

    def get_output_shapes(
        self,
        inputs: Sequence[DimsExprs],
        shape_inputs: Sequence[DimsExprs],
        expr_builder_: IExprBuilder,
    ) -> list[DimsExprs]:
        with expr_builder(expr_builder_):
            values = [shape_input(shape_exprs_of(value)) for value in shape_inputs]
            every = [*self._shaped(inputs), *values]
            outputs = describe(self.definition, every, self.attributes)
            return [
                DimsExprs([to_native(extent._term, expr_builder_) for extent in output.shape_expr])
                for output in outputs
            ]

    def get_aliased_input(self, output_index: int) -> int:
        inputs, outputs = self._sketch()
        found = aliased_input(outputs[output_index], inputs)
        return -1 if found is None else found

    def get_timing_cache_id(self) -> str:
        return timing_cache_id(self.definition, self.attributes, self.style)

    # Types, formats and tactics. These callbacks do not receive shape inputs.

    def _with_shape_inputs(self, inputs: Sequence[TensorDesc]) -> list[TensorDesc]:
        missing = len(self.definition.input_tensor_names) - len(inputs)
        return [*inputs, *(shape_input(None) for _ in range(missing))]

    def _combinations(self, in_out: Range, num_inputs: int) -> list[AutoTuneCombination]:
        definition = self.definition
        function = definition.autotune_func
        assert function is not None
        descs = [desc_of(tensor) for tensor in in_out]
        attributes = (self.attributes[name] for name in definition.autotune_attr_names)
        inputs = self._with_shape_inputs(descs[:num_inputs])
        found = function(*inputs, *attributes, tuple(descs[num_inputs:]))
        where = f"[plugin] {definition.plugin_id}, autotune"
        if not isinstance(found, list | tuple) or not found:
            raise coded(
                TypeError,
                f"{where}: expected a list of AutoTuneCombination, got "
                f"{'an empty list' if found in ([], ()) else type(found).__name__}",
            )
        for item in found:
            if not isinstance(item, AutoTuneCombination):
                raise coded(
                    TypeError,
                    f"{where}: expected a list of AutoTuneCombination, got {type(item).__name__} "
                    "in it",
                )
        if any(item._tactics for item in found) and not self.takes_tactic():
            raise coded(
                TypeError,
                f"[plugin] {definition.plugin_id}, {self.role}: expected a parameter 'tactic', "
                "because autotune lists tactics, got a function without",
            )
        return list(found)

    def _tune(self, in_out: Range, num_inputs: int) -> list[tuple[Configuration, list[int]]]:
        if self.definition.autotune_func is None:
            types = tuple(tensor.desc.type for tensor in in_out)
            return [(Configuration(types, (TensorFormat.LINEAR,) * len(types)), [])]
        where = f"{self.definition.plugin_id}, autotune"
        return [
            (configuration, combination._tactics)
            for combination in self._combinations(in_out, num_inputs)
            for configuration in combination._expand(len(in_out), where)
        ]

    def get_supported_format_combinations(
        self, in_out: Range, num_inputs: int
    ) -> list[PluginTensorDesc]:
        self.tuned = self._tune(in_out, num_inputs)
        descs = []
        for configuration in dict.fromkeys(configuration for configuration, _ in self.tuned):
            for dtype, format in zip(*configuration, strict=True):
                desc = PluginTensorDesc()
                desc.type, desc.format = dtype, format
                descs.append(desc)
        return descs

    def configure_plugin(self, inputs: Range, outputs: Range) -> None:
        in_out = [*inputs, *outputs]
        types = tuple(tensor.desc.type for tensor in in_out)
        self.configured = Configuration(types, tuple(tensor.desc.format for tensor in in_out))
        if self.tuned is None:
            self.tuned = self._tune(in_out, len(inputs))

    def get_valid_tactics(self) -> list[int]:
        found = [
            tactic
            for configuration, tactics in self.tuned or ()
            if configuration == self.configured
            for tactic in tactics
        ]
        return list(dict.fromkeys(found))


class JustInTimePlugin(DecoratedPlugin, IPluginV3QuickBuild):
    """A plugin that runs its impl."""

    style, role = "jit", "impl"

    def __init__(self, definition: Definition, attributes: dict[str, Any]) -> None:
        super().__init__(definition, attributes)
        IPluginV3QuickBuild.__init__(self)

    def saved_names(self) -> list[str]:
        return self.definition.impl_attr_names

    def takes_tactic(self) -> bool:
        return self.definition.expects_tactic

    def _kiln_impl(self) -> tuple[Any, tuple[Any, ...], bool, type[Tensor]]:
        """For the native side: function, attributes, whether it takes a tactic, and Tensor."""
        definition = self.definition
        attributes = tuple(self.attributes[name] for name in definition.impl_attr_names)
        return definition.impl_func, attributes, definition.expects_tactic, Tensor
