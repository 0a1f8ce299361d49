# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of the API for features that Kiln does not support yet.

The build lists the API's layers from its headers. Classes of unsupported layers exist so that
``isinstance`` works (Polygraphy compares a layer with every class of the API); they have no
members. Methods that would add such layers report an error and return None. Other names raise an
error that says what is missing.
"""

from types import ModuleType
from typing import Any, NoReturn

from kiln import _core
from kiln._core import ErrorCodeTRT, ILogger, INetworkDefinition
from kiln._messages import coded

# Bases other than ILayer, of the layers at the borders of a group of layers.
BASES = {
    "IAttentionInputLayer": "IAttentionBoundaryLayer",
    "IAttentionOutputLayer": "IAttentionBoundaryLayer",
    "IConditionLayer": "IIfConditionalBoundaryLayer",
    "IIfConditionalInputLayer": "IIfConditionalBoundaryLayer",
    "IIfConditionalOutputLayer": "IIfConditionalBoundaryLayer",
    "IIteratorLayer": "ILoopBoundaryLayer",
    "ILoopOutputLayer": "ILoopBoundaryLayer",
    "IRecurrenceLayer": "ILoopBoundaryLayer",
    "ITripLimitLayer": "ILoopBoundaryLayer",
}

# Classes that the extension module lacks, bases first.
CLASSES = sorted(
    (name for name in _core._layer_classes() if not hasattr(_core, name)),
    key=lambda name: (name in BASES, name),
)
# Methods that its INetworkDefinition lacks.
METHODS = [name for name in _core._network_adders() if not hasattr(INetworkDefinition, name)]
FEATURES: dict[str, str] = {}


def base_of(name: str) -> str:
    """The base of a class; groups of layers, such as ILoop, are no layers."""
    return BASES.get(name, "ILayer" if name.endswith("Layer") else "object")


def add_to(module: ModuleType) -> None:
    """Adds the classes to the module and the methods to INetworkDefinition."""
    for name in CLASSES:
        members = {
            "__doc__": "Not supported yet: no network makes one.",
            "__module__": module.__name__,
            "__slots__": (),
            "__init__": _refuse_call,
        }
        base = getattr(module, base_of(name), object)
        setattr(module, name, type(name, (base,), members))
    for name in METHODS:
        setattr(INetworkDefinition, name, _refusal(name))


def _refuse_call(self: object, *arguments: object, **named: object) -> NoReturn:
    raise coded(
        TypeError, f"[kiln] {type(self).__name__}: expected to come from a network, got a call"
    )


def _refusal(name: str) -> Any:
    """A method that reports an error to logger and error recorder, and returns None."""

    def refuse(self: INetworkDefinition, *arguments: Any, **named: Any) -> None:
        text = f"[network] {name}: this layer is not supported yet. The README lists what is."
        self.builder.logger.log(ILogger.Severity.ERROR, text)
        if self.error_recorder is not None:
            self.error_recorder.report_error(ErrorCodeTRT.UNSUPPORTED_STATE, text)

    refuse.__name__ = name
    refuse.__qualname__ = f"INetworkDefinition.{name}"
    refuse.__doc__ = "Not supported yet: returns None, and the logger gets the reason."
    return refuse


def explain(name: str) -> AttributeError:
    """The error for a name that the module does not have."""
    feature = FEATURES.get(name)
    if feature is None:
        return AttributeError(f"module 'kiln' has no attribute '{name}'", name=name)
    return AttributeError(
        f"[kiln] {name}: {feature} is not supported yet. The README lists what is.", name=name
    )
