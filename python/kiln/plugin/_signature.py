# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Signatures of decorated functions, checked against each other when a function is decorated."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from kiln._messages import coded
from kiln.plugin._annotations import Names, resolved, text_of, tuple_items, visible_names
from kiln.plugin._attributes import AttributeType, attribute_type, checked_value
from kiln.plugin._desc import TensorDesc

RESERVED = ("outputs", "stream", "tactic")
EMPTY = inspect.Parameter.empty


class Function(NamedTuple):
    """A decorated function while it is checked."""

    role: str  # register, impl, autotune, aot_impl
    plugin_id: str
    parameters: Mapping[str, inspect.Parameter]  # annotations resolved
    returns: Any

    def place(self, name: str | None = None) -> str:
        """The place that a message names."""
        what = f"{self.plugin_id}, {self.role}"
        return what if name is None else f"{what}, parameter '{name}'"

    def text(self) -> str:
        """The names of the parameters."""
        return f"({', '.join(self.parameters)})"


class RegisterSignature(NamedTuple):
    """What the function under register takes and returns."""

    inputs: list[str]
    attributes: dict[str, AttributeType]
    defaults: dict[str, Any]
    output_count: int | None  # None: any number


def read_function(
    role: str, plugin_id: str, function: Callable[..., Any], local: Names
) -> Function:
    """A function with its annotations resolved. ``local``: variables of the decorating code."""
    if not callable(function):
        raise coded(
            TypeError,
            f"[plugin] {plugin_id}, {role}: expected a function, got {type(function).__name__}",
        )
    names = visible_names(function, local)
    signature = inspect.signature(function)
    result = Function(role, plugin_id, {}, EMPTY)
    parameters = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            raise coded(
                TypeError,
                f"[plugin] {result.place(name)}: expected an ordinary parameter, got one that is "
                f"{parameter.kind.description}",
            )
        annotation = resolved(parameter.annotation, names, result.place(name))
        parameters[name] = parameter.replace(annotation=annotation)
    where = f"{result.place()}, return value"
    returns = resolved(signature.return_annotation, names, where)
    return Function(role, plugin_id, parameters, returns)


def read_register(function: Function) -> RegisterSignature:
    """Checks the function under register."""
    inputs: list[str] = []
    attributes: dict[str, AttributeType] = {}
    defaults: dict[str, Any] = {}
    for name, parameter in function.parameters.items():
        where = function.place(name)
        if parameter.annotation is EMPTY:
            raise coded(
                TypeError,
                f"[plugin] {where}: expected an annotation, got none. Write TensorDesc for an "
                "input, or the type of the attribute.",
            )
        if name in RESERVED:
            raise coded(
                TypeError,
                f"[plugin] {where}: expected another name: outputs, stream and tactic are what "
                "impl and autotune call their own parameters",
            )
        if parameter.annotation is TensorDesc:
            if attributes:
                raise coded(
                    TypeError,
                    f"[plugin] {where}: expected inputs before attributes, got an input after "
                    f"attribute '{list(attributes)[-1]}'",
                )
            inputs.append(name)
        else:
            attributes[name] = attribute_type(parameter.annotation, where)
            if parameter.default is not EMPTY:
                defaults[name] = checked_value(
                    parameter.default, attributes[name], f"{where}, default"
                )
    return RegisterSignature(inputs, attributes, defaults, _output_count(function))


def _output_count(function: Function) -> int | None:
    if function.returns is TensorDesc:
        return 1
    items = tuple_items(function.returns) or ()
    if not items or any(item is not TensorDesc for item in items if item is not Ellipsis):
        raise coded(
            TypeError,
            f"[plugin] {function.place()}, return value: expected TensorDesc or "
            f"Tuple[TensorDesc, ...], got {text_of(function.returns)}",
        )
    return len(items) if len(items) > 1 and Ellipsis not in items else None


def is_tuple_of(annotation: Any, item: Any) -> bool:
    """Whether an annotation is a tuple of ``item``, of any length."""
    items = tuple_items(annotation)
    return bool(items) and all(part is item or part is Ellipsis for part in items)  # type: ignore


def check_parameters(
    function: Function, register: RegisterSignature, tensor: Any, tail: Mapping[str, bool]
) -> list[str]:
    """Checks inputs, attributes and the last parameters of a function against those of register.

    tensor: the class that inputs and outputs have. tail: the names that follow the attributes, and
    whether each must be there. Returns the attributes in the function's order.
    """
    names = list(function.parameters)
    count = len(register.inputs)
    tensors = names[:count]
    wrong = [n for n in tensors if n in register.attributes or n in RESERVED]
    if len(tensors) < count or wrong:
        raise coded(
            TypeError,
            f"[plugin] {function.place()}: expected {count} inputs first, as in register "
            f"({', '.join(register.inputs)}), got {function.text()}",
        )
    for place, name in enumerate(tensors):
        if name in register.inputs and register.inputs.index(name) != place:
            raise coded(
                TypeError,
                f"[plugin] {function.place(name)}: expected the inputs in the order of register "
                f"({', '.join(register.inputs)}), got {function.text()}",
            )
        _expect(function, name, [tensor])
    rest = names[count:]
    last = [name for name in rest if name in RESERVED]
    required = [name for name, is_required in tail.items() if is_required]
    if last not in (required, list(tail)) or rest[len(rest) - len(last) :] != last:
        optional = "".join(f" and perhaps {n}" for n in tail if n not in required)
        raise coded(
            TypeError,
            f"[plugin] {function.place()}: expected {', '.join(required)}{optional} after inputs "
            f"and attributes, got {function.text()}",
        )
    if "outputs" in last:
        annotation = function.parameters["outputs"].annotation
        if annotation is not EMPTY and not is_tuple_of(annotation, tensor):
            raise coded(
                TypeError,
                f"[plugin] {function.place('outputs')}: expected Tuple[{tensor.__name__}, ...], "
                f"got {text_of(annotation)}",
            )
        _check_output_count(function, register, tuple_items(annotation) or ())
    for name in last:
        if name != "outputs":
            _expect(function, name, [int])
    attributes = rest[: len(rest) - len(last)]
    for name in attributes:
        _check_attribute(function, register, name)
    return attributes


def _check_output_count(
    function: Function, register: RegisterSignature, items: Sequence[Any]
) -> None:
    """Checks the number of outputs. Tuple[T] allows any number, as in the API's documentation."""
    if len(items) > 1 and Ellipsis not in items and register.output_count not in (None, len(items)):
        raise coded(
            TypeError,
            f"[plugin] {function.place('outputs')}: expected {register.output_count} outputs, as "
            f"in register, got a tuple of {len(items)}",
        )


def _expect(function: Function, name: str, allowed: list[Any]) -> None:
    annotation = function.parameters[name].annotation
    if annotation is EMPTY or annotation in allowed:
        return
    expected = " or ".join(text_of(item) for item in allowed)
    raise coded(
        TypeError,
        f"[plugin] {function.place(name)}: expected {expected}, got {text_of(annotation)}",
    )


def _check_attribute(function: Function, register: RegisterSignature, name: str) -> None:
    if name not in register.attributes:
        listed = ", ".join(register.attributes) or "none"
        raise coded(
            TypeError,
            f"[plugin] {function.place(name)}: expected an attribute of register ({listed}), or "
            f"one of {len(register.inputs)} inputs ({', '.join(register.inputs)}), got '{name}'",
        )
    annotation = function.parameters[name].annotation
    kind = register.attributes[name]
    if annotation is EMPTY or annotation == kind.annotation:
        return
    raise coded(
        TypeError,
        f"[plugin] {function.place(name)}: expected {kind}, as in register, got "
        f"{text_of(annotation)}",
    )


def check_returns(function: Function, is_right: Callable[[Any], bool], expected: str) -> None:
    """Checks the return annotation, if there is one."""
    if function.returns is EMPTY or is_right(function.returns):
        return
    raise coded(
        TypeError,
        f"[plugin] {function.place()}, return value: expected {expected}, got "
        f"{text_of(function.returns)}",
    )
