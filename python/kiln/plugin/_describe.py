# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls the function under register, which describes the outputs, and checks its result."""

import inspect
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from kiln._core import DataType, ITensor
from kiln._messages import coded
from kiln.plugin._definition import Definition
from kiln.plugin._desc import SizeTensorDesc, TensorDesc, frozen, shape_input
from kiln.plugin._expr import ShapeExpr
from kiln.plugin._exprs import ShapeExprs, shape_exprs_of
from kiln.plugin._terms import sizes_in

# Ranks to try if nothing is known about the inputs: a function may index dimensions.
LIKELY_RANKS = (4, 3, 2, 1, 5, 6, 7, 8, 0)


class Hint(NamedTuple):
    """What a network knows about an input: its type, and its extents, -1 if not fixed."""

    dtype: DataType
    extents: tuple[int, ...]

    @classmethod
    def of(cls, tensor: ITensor) -> "Hint":
        """The hint for a tensor; a tensor of unknown rank counts as a scalar."""
        try:
            return cls(tensor.dtype, tuple(tensor.shape))
        except ValueError:
            return cls(tensor.dtype, ())


def extents_of(numbers: Iterable[int]) -> ShapeExprs:
    """Extents as expressions, fake for those that are not known."""
    return shape_exprs_of(ShapeExpr(n) if n >= 0 else ShapeExpr() for n in numbers)


def place_of(function: Any) -> str:
    """The location of a user's function, for messages about its return value."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return repr(function)
    return f'{code.co_name}, File "{code.co_filename}", line {code.co_firstlineno}'


def describe(
    definition: Definition, inputs: Sequence[TensorDesc], attributes: dict[str, Any]
) -> list[TensorDesc]:
    """The outputs for given inputs, as the function under register describes them."""
    function, names = definition.register_func, definition.input_tensor_names
    assert function is not None
    if len(inputs) != len(names):
        raise coded(
            ValueError,
            f"[plugin] {definition.plugin_id}: expected {len(names)} inputs "
            f"({', '.join(names)}), got {len(inputs)}",
        )
    for desc in inputs:
        frozen(desc)
    result = function(*inputs, *(attributes[name] for name in definition._attributes))
    try:
        return _checked(definition, inputs, result)
    except (TypeError, ValueError) as error:  # the traceback has no frame of the user
        raise coded(type(error), f"{error}\nReturned by {place_of(function)}") from None


def _checked(definition: Definition, inputs: Sequence[TensorDesc], result: Any) -> list[TensorDesc]:
    """What the function under register returned, as a list of outputs."""
    outputs = [result] if isinstance(result, TensorDesc) else result
    where = f"{definition.plugin_id}, register"
    if not isinstance(outputs, tuple | list) or not outputs:
        raise coded(
            TypeError,
            f"[plugin] {where}: expected a TensorDesc or a tuple of them, got {_kind(result)}",
        )
    expected = definition.num_outputs
    if expected is not None and len(outputs) != expected:
        raise coded(
            ValueError, f"[plugin] {where}: expected {expected} outputs, got {len(outputs)}"
        )
    for index, output in enumerate(outputs):
        _check_output(output, inputs, f"{where}, output {index}")
    _number_sizes(outputs, where)
    return list(outputs)


def _kind(value: Any) -> str:
    return "an empty tuple" if value in ((), []) else type(value).__name__


def _check_output(output: Any, inputs: Sequence[TensorDesc], where: str) -> None:
    if not isinstance(output, TensorDesc):
        raise coded(
            TypeError, f"[plugin] {where}: expected a TensorDesc, got {type(output).__name__}"
        )
    if any(output is desc for desc in inputs):
        raise coded(
            ValueError,
            f"[plugin] {where}: expected a descriptor of its own, got that of an input. Return "
            "like(), or aliased() to write over the input.",
        )
    for name, value in (("dtype", output._dtype), ("shape_expr", output._shape_expr)):
        if value is None:
            raise coded(
                ValueError, f"[plugin] {where}: expected {name} to be set, got a TensorDesc without"
            )
    if output.is_aliased and aliased_input(output, inputs) is None:
        raise coded(
            ValueError,
            f"[plugin] {where}: expected an alias of an input, got one of another descriptor",
        )


def aliased_input(output: TensorDesc, inputs: Sequence[TensorDesc]) -> int | None:
    """The index of the input whose memory an output uses, None if it has its own."""
    root = output
    while root._aliased_to is not None:
        root = root._aliased_to
    found = [index for index, desc in enumerate(inputs) if desc is root]
    return found[0] if found and root is not output else None


def _number_sizes(outputs: Sequence[TensorDesc], where: str) -> None:
    """Sets the output index of size tensors, and checks that those in use are outputs."""
    for index, output in enumerate(outputs):
        if isinstance(output, SizeTensorDesc):
            output._index = index
            if any(output is other for other in outputs[:index]):
                raise coded(
                    ValueError,
                    f"[plugin] {where}, output {index}: expected a size tensor once, got it twice",
                )
        for size in (size for extent in output.shape_expr for size in sizes_in(extent._term)):
            if not any(size.desc is other for other in outputs):
                raise coded(
                    ValueError,
                    f"[plugin] {where}, output {index}: expected every size tensor in its shape to "
                    "be an output, too, got one that is not returned. Return it after the tensors "
                    "whose extent it is.",
                )
            bounds = size.desc.opt, size.desc.upper_bound
            if any(True for bound in bounds for _ in sizes_in(bound._term)):
                raise coded(
                    ValueError,
                    f"[plugin] {where}: expected opt and upper_bound of a size tensor to be "
                    "computed from the inputs, got another size tensor in them",
                )


def sketch(
    definition: Definition, hints: Sequence[Hint], attributes: dict[str, Any]
) -> tuple[list[TensorDesc], list[TensorDesc]]:
    """Inputs and outputs as far as they are known without shapes: number, types, aliases.

    These do not depend on extents. So if the function reads an extent that is not known, any value
    will do.
    """
    missing = len(definition.input_tensor_names) - len(hints)
    problem: Exception | None = None
    for stand_in in (None, 8, 1):
        inputs = [_sketched(hint, stand_in) for hint in hints]
        inputs += [shape_input(None) for _ in range(missing)]
        try:
            return inputs, describe(definition, inputs, attributes)
        except Exception as error:
            problem = problem or error
    assert problem is not None
    raise problem


def _sketched(hint: Hint, stand_in: int | None) -> TensorDesc:
    extents = (stand_in if n < 0 and stand_in is not None else n for n in hint.extents)
    desc = TensorDesc(extents_of(extents), hint.dtype)
    desc._values = ShapeExprs(8, _is_dummy=True)  # it may turn out to be a shape input
    return desc


def sketch_of_any(
    definition: Definition, attributes: dict[str, Any]
) -> tuple[list[TensorDesc], list[TensorDesc]]:
    """Like sketch, for inputs about which nothing is known."""
    problem: Exception | None = None
    for rank in LIKELY_RANKS:
        hint = Hint(DataType.FLOAT, (-1,) * rank)
        try:
            return sketch(definition, [hint] * len(definition.input_tensor_names), attributes)
        except Exception as error:
            problem = problem or error
    assert problem is not None
    raise problem
