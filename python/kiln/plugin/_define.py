# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""The decorators: register, impl, autotune and aot_impl."""

import sys
import typing
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from kiln._messages import coded
from kiln.plugin import _aot, _registry
from kiln.plugin._annotations import Names, is_array, tuple_items
from kiln.plugin._autotune import AutoTuneCombination
from kiln.plugin._data import Tensor
from kiln.plugin._desc import TensorDesc
from kiln.plugin._exprs import SymExprs
from kiln.plugin._launch import KernelLaunchParams
from kiln.plugin._plugin_def import PluginDef
from kiln.plugin._redefine import (
    ROLES,
    forget_functions_beside,
    full_name,
    is_defined_again,
    warn_replaced,
)
from kiln.plugin._signature import (
    Function,
    RegisterSignature,
    check_parameters,
    check_returns,
    read_function,
    read_register,
)

# Types of the decorated functions.
Description = TypeVar("Description", bound=Callable[..., TensorDesc | tuple[TensorDesc, ...]])
Choices = TypeVar("Choices", bound=Callable[..., list[AutoTuneCombination]])
Code = str | bytes | Sequence[str | bytes]
Launch = tuple[str | bytes, Code, KernelLaunchParams, SymExprs]
Compiler = TypeVar("Compiler", bound=Callable[..., Launch | list[_aot.Kernel]])
Computation = TypeVar("Computation", bound=Callable[..., None])


def _locals_of_caller() -> Names:
    """Local variables of the decorating code, which annotations given as text may use."""
    return dict(sys._getframe(2).f_locals)


def _split(plugin_id: Any) -> tuple[str, str]:
    if not isinstance(plugin_id, str):
        raise coded(
            TypeError,
            f"[plugin] plugin_id: expected a str such as 'my_project::add', got "
            f"{type(plugin_id).__name__}",
        )
    parts = plugin_id.split("::")
    if len(parts) != 2 or not all(parts):
        raise coded(
            ValueError,
            f"[plugin] plugin_id: expected 'namespace::name', got {plugin_id!r}. Put the name of "
            "your project before '::'.",
        )
    return parts[0], parts[1]


def register(plugin_id: str, lazy_register: bool = False) -> Callable[[Description], Description]:
    """Registers a function as the description of a plugin: its inputs, attributes and outputs.

    The function takes a TensorDesc for each input, then the attributes (int, float, str, bool,
    bytes, numpy.typing.NDArray[...]), all annotated, and returns a TensorDesc or a tuple of them.

    plugin_id: str, ``namespace::name``, unique; the namespace ``trt`` is reserved. A function
    that is defined again, with the same name in the same module, replaces the earlier one, with a
    warning. lazy_register: bool, whether to delay the entry in the registry until the first use of
    the plugin. Default: False.
    Raises TypeError or ValueError that names the wrong parameter.
    Example: ``@trtp.register("sample::add")`` above
    ``def add_desc(x: trtp.TensorDesc, delta: int) -> trtp.TensorDesc: return x.like()``.
    """
    namespace, name = _split(plugin_id)
    if namespace == "trt":
        raise coded(
            ValueError,
            f"[plugin] {plugin_id}: expected a namespace of your own, got 'trt', which is "
            "reserved. Put the name of your project before '::'.",
        )

    def decorate(function: Description) -> Description:
        present = _registry.QDP_REGISTRY.get(plugin_id)
        earlier = None if present is None else present.register_func
        if earlier is not None and not is_defined_again(function, earlier):
            raise coded(
                ValueError,
                f"[plugin] {plugin_id}: expected an id that is not in use, got one that "
                f"{full_name(earlier)} has registered. Choose another id.",
            )
        signature = read_register(
            read_function("register", plugin_id, function, _locals_of_caller())
        )
        if present is None or earlier is None:
            definition = PluginDef._made(plugin_id, function, signature)
            _registry.add(definition, namespace, name, lazy_register)
        else:
            _describe_again(present, function, signature)
            _registry.renew(present, lazy_register)
        return function

    return decorate


def _describe_again(
    definition: PluginDef, function: Callable[..., Any], signature: RegisterSignature
) -> None:
    """Replaces the function under register. Functions of other roles stay if they still fit."""
    plugin_id = definition.plugin_id
    forget_functions_beside(definition, cast("Callable[..., Any]", definition.register_func))
    for role in ROLES:
        other = getattr(definition, f"{role}_func")
        try:
            if other is not None:
                _CHECKS[role](read_function(role, plugin_id, other, {}), signature)
        except (TypeError, ValueError):
            definition._take_out(role)
    definition._describe(function, signature)
    kept = [role for role in ROLES if getattr(definition, f"{role}_func") is not None]
    warn_replaced(plugin_id, "register", function, kept)


def _enter(role: str, plugin_id: str, function: Callable[..., Any], local: Names) -> None:
    """Checks a function against register, and adds it to the plugin."""
    definition, signature = _definition(plugin_id, role, function)
    checked = read_function(role, plugin_id, function, local)
    attributes = _CHECKS[role](checked, signature)
    if getattr(definition, f"{role}_func") is not None:
        warn_replaced(plugin_id, role, function, [])
    setattr(definition, f"{role}_func", function)
    setattr(definition, f"{role}_attr_names", attributes)
    if role == "impl":
        definition.expects_tactic = "tactic" in checked.parameters
    elif role == "aot_impl":
        definition._aot_expects_tactic = "tactic" in checked.parameters


def _definition(
    plugin_id: str, role: str, function: Callable[..., Any]
) -> tuple[PluginDef, RegisterSignature]:
    _split(plugin_id)
    definition = _registry.QDP_REGISTRY.get(plugin_id)
    if definition is None:
        raise coded(
            ValueError,
            f"[plugin] {plugin_id}, {role}: expected an id that register was used for, got "
            f"{plugin_id!r}{_registry.near_ids(plugin_id)}. Put register before {role}.",
        )
    earlier = getattr(definition, f"{role}_func")
    if earlier is not None and not is_defined_again(function, earlier):
        raise coded(
            ValueError,
            f"[plugin] {plugin_id}, {role}: expected one function, got a second one, "
            f"{full_name(function)} after {full_name(earlier)}",
        )
    return definition, definition._signature


def _check_impl(function: Function, register: RegisterSignature) -> list[str]:
    tail = {"outputs": True, "stream": True, "tactic": False}
    attributes = check_parameters(function, register, Tensor, tail)
    check_returns(function, lambda kind: kind in (None, type(None)), "None")
    return attributes


def _check_autotune(function: Function, register: RegisterSignature) -> list[str]:
    attributes = check_parameters(function, register, TensorDesc, {"outputs": True})
    check_returns(function, _is_combinations, "List[AutoTuneCombination]")
    return attributes


def _check_aot_impl(function: Function, register: RegisterSignature) -> list[str]:
    tail = {"outputs": True, "tactic": False}
    attributes = check_parameters(function, register, TensorDesc, tail)
    expected = "Tuple[str | bytes, str | bytes, KernelLaunchParams, SymExprs]"
    check_returns(function, _is_kernel, f"{expected} or list[kiln.Kernel]")
    return attributes


# Each checks a function of one role against register, and returns its attributes in its order.
_CHECKS = {"impl": _check_impl, "autotune": _check_autotune, "aot_impl": _check_aot_impl}


def impl(plugin_id: str) -> Callable[[Computation], Computation]:
    """Registers the function that a plugin runs, just in time.

    The function takes a Tensor for each input, any of the attributes, ``outputs: Tuple[Tensor]``,
    ``stream: int`` and, if the plugin has tactics, ``tactic: int``; it returns None.
    The engine stores the attributes that it takes.

    plugin_id: str, that of register. Raises TypeError that names the wrong parameter.
    """

    def decorate(function: Computation) -> Computation:
        _enter("impl", plugin_id, function, _locals_of_caller())
        return function

    return decorate


def autotune(plugin_id: str) -> Callable[[Choices], Choices]:
    """Registers the function that lists the types, formats and tactics of a plugin.

    The function takes a TensorDesc for each input, any of the attributes and
    ``outputs: Tuple[TensorDesc]``, and returns a list of AutoTuneCombination. Without it, a plugin
    gets the types of the network, in linear format.

    plugin_id: str, that of register. Raises TypeError that names the wrong parameter.
    """

    def decorate(function: Choices) -> Choices:
        _enter("autotune", plugin_id, function, _locals_of_caller())
        return function

    return decorate


def _is_combinations(annotation: Any) -> bool:
    items = typing.get_args(annotation)
    return typing.get_origin(annotation) is list and items == (AutoTuneCombination,)


def aot_impl(plugin_id: str) -> Callable[[Compiler], Compiler]:
    """Registers the function that compiles a plugin to code, which then runs without Python.

    The function takes a TensorDesc for each input, any of the attributes,
    ``outputs: Tuple[TensorDesc]`` and, if the plugin has tactics, ``tactic: int``; it returns the
    name of a kernel, its code (PTX as str; PTX, a cubin or an ELF object as bytes; or a list of
    these), KernelLaunchParams and the extra arguments. Kiln also takes a list of kiln.Kernel.

    plugin_id: str, that of register. Raises TypeError that names the wrong parameter.
    """

    def decorate(function: Compiler) -> Compiler:
        _enter("aot_impl", plugin_id, function, _locals_of_caller())
        return function

    return decorate


def _is_kernel(annotation: Any) -> bool:
    items = tuple_items(annotation)
    if items is not None:
        return len(items) == 4 and not is_array(items[1])
    is_list = typing.get_origin(annotation) is list
    return is_list and typing.get_args(annotation) == (_aot.Kernel,)
