# SPDX-FileCopyrightText: Kiln contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of the API for features that Kiln does not support yet.

Classes of unsupported layers exist so that ``isinstance`` works (Polygraphy compares a layer with
every class of the API); they have no members. Other names raise an error that says what is missing.
"""

from types import ModuleType
from typing import NoReturn

from kiln._core import ILayer

# Classes and their base; the empty string stands for ILayer.
LAYERS = {
    "IAssertionLayer": "",
    "IAttentionBoundaryLayer": "",
    "IAttentionInputLayer": "IAttentionBoundaryLayer",
    "IAttentionOutputLayer": "IAttentionBoundaryLayer",
    "ICumulativeLayer": "",
    "IDeconvolutionLayer": "",
    "IDequantizeLayer": "",
    "IDistCollectiveLayer": "",
    "IDynamicQuantizeLayer": "",
    "IEinsumLayer": "",
    "IGridSampleLayer": "",
    "IIfConditionalBoundaryLayer": "",
    "IConditionLayer": "IIfConditionalBoundaryLayer",
    "IIfConditionalInputLayer": "IIfConditionalBoundaryLayer",
    "IIfConditionalOutputLayer": "IIfConditionalBoundaryLayer",
    "IKVCacheUpdateLayer": "",
    "ILRNLayer": "",
    "ILoopBoundaryLayer": "",
    "IIteratorLayer": "ILoopBoundaryLayer",
    "ILoopOutputLayer": "ILoopBoundaryLayer",
    "IRecurrenceLayer": "ILoopBoundaryLayer",
    "ITripLimitLayer": "ILoopBoundaryLayer",
    "IMoELayer": "",
    "INMSLayer": "",
    "INonZeroLayer": "",
    "IOneHotLayer": "",
    "IPaddingLayer": "",
    "IParametricReLULayer": "",
    "IQuantizeLayer": "",
    "IRaggedSoftMaxLayer": "",
    "IResizeLayer": "",
    "IReverseSequenceLayer": "",
    "IRotaryEmbeddingLayer": "",
    "IScaleLayer": "",
    "IScatterLayer": "",
    "ISqueezeLayer": "",
    "ITopKLayer": "",
    "IUnsqueezeLayer": "",
}
# Classes of groups of layers.
GROUPS = ("IAttention", "IIfConditional", "ILoop")

FEATURES = {
    "OnnxParserRefitter": "refit",
    "Refitter": "refit",
}


def add_to(module: ModuleType) -> None:
    """Adds the classes of unsupported layers to the module."""
    for name, base in LAYERS.items():
        _add(module, name, getattr(module, base) if base else ILayer)
    for name in GROUPS:
        _add(module, name, object)


def _add(module: ModuleType, name: str, base: type) -> None:
    members = {
        "__doc__": "Not supported yet: no network makes one.",
        "__module__": module.__name__,
        "__slots__": (),
        "__init__": _refuse,
    }
    setattr(module, name, type(name, (base,), members))


def _refuse(self: object, *arguments: object, **named: object) -> NoReturn:
    raise TypeError(f"[kiln] {type(self).__name__}: expected to come from a network, got a call")


def explain(name: str) -> AttributeError:
    """The error for a name that the module does not have."""
    feature = FEATURES.get(name)
    if feature is None:
        return AttributeError(f"module 'kiln' has no attribute '{name}'", name=name)
    return AttributeError(
        f"[kiln] {name}: {feature} is not supported yet. The README lists what is.", name=name
    )
